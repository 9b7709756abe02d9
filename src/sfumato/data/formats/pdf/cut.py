"""A PDF without what its edits remove.

Everything is planned first: a form may be on several pages, and a font on all of them. A page that cannot be cut
becomes a picture. What was made is read again, and a page that does not read as it was decided becomes one too.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import pikepdf
from pikepdf import Dictionary, Name, Object, Stream

from .fonts import clean_fonts
from .interpret import Interpreter, PageGlyphs, StreamContent, StreamKey
from .layout import StreamLayout, arrange
from .marks import PageEdit, collect_cuts, decided_text, match_page
from .raster import DrawnPicture, helvetica, rasterise
from .read import PdfText, comparable_letters, read_words
from .refusal import FileRefusedError, PageRefusedError
from .rewrite import PLACEHOLDER_FONT, rewrite, winansi
from .sanitise import save
from .scan import StreamOperator
from .scanned import Scans
from .streams import walk, without_text

__all__ = ["CutReport", "cut"]

_ROUNDS = 4


@dataclass
class CutReport:
    """What was done to a file: pages that became pictures and why, and lines that kept their gaps.

    `touched` are the pages, from 0, that lost something or have a font that did; `plain` are pictures whose text is laid
    over them line by line, because readers reorder it in place.
    """

    pictures: dict[int, str] = field(default_factory=dict)
    lines: int = 0
    kept_gaps: int = 0
    fonts: dict[str, int] = field(default_factory=dict)
    touched: set[int] = field(default_factory=set)
    plain: set[int] = field(default_factory=set)


def cut(
    data: bytes,
    text: PdfText,
    by_page: Mapping[int, Sequence[PageEdit]],
    *,
    pictures: bool = True,
    scans: Scans | None = None,
) -> tuple[bytes, CutReport]:
    """Return a sanitised PDF with its edits, and what was done.

    Parameters
    ----------
    data : bytes
        The sanitised PDF.
    text : PdfText
        What was read from it.
    by_page : mapping of int to sequence of PageEdit
        For each page, from 0, what is removed and what replaces it, in order.
    pictures : bool, default=True
        Whether pictures may show something, so that a page with one under a cut becomes a picture.
    scans : Scans, optional
        The scanned pages, which become new pictures.

    """
    for edit in chain.from_iterable(by_page.values()):
        try:
            winansi(edit.replacement)
        except UnicodeEncodeError:
            raise FileRefusedError(
                "has a replacement in letters that its font does not have"
            ) from None
    report = CutReport()
    if scans is not None:
        report.pictures = dict.fromkeys(sorted(scans.pages), "a scan")
    scanned: dict[bytes, list[StreamOperator]] = {}
    for _ in range(_ROUNDS + len(text.pages)):
        try:
            out = _Attempt(data, text, by_page, report, scans, scanned).run(pictures=pictures)
        except pikepdf.PdfError:
            raise FileRefusedError("is a damaged PDF") from None
        except _MorePicturesError as error:
            if error.pages.keys() <= report.pictures.keys():
                raise FileRefusedError("has a page that cannot be cut") from None
            report.pictures.update(error.pages)
            continue
        wrong = _misread(out, text, by_page, report.touched)
        if not wrong:
            return out, report
        if wrong & report.plain:
            raise FileRefusedError("has a page that does not read back as decided")
        report.plain |= wrong & report.pictures.keys()
        report.pictures.update(
            dict.fromkeys(sorted(wrong - report.plain), "text that reads otherwise after a cut")
        )
    raise FileRefusedError("has too many pages that cannot be cut")


def _misread(
    out: bytes, text: PdfText, by_page: Mapping[int, Sequence[PageEdit]], touched: set[int]
) -> set[int]:
    """Return the pages whose text is not what was decided; the others are read with the written file."""
    wrong = set()
    for number, now in read_words(out, touched).items():
        decided = decided_text(text.pages[number], by_page.get(number, ()))
        if comparable_letters(decided) != comparable_letters(now):
            wrong.add(number)
    return wrong


class _MorePicturesError(Exception):
    """Some pages must become pictures; everything else is planned again without them."""

    def __init__(self, pages: Mapping[int, str]) -> None:
        super().__init__()
        self.pages = dict(pages)


class _Attempt:
    """One way through a file, with the pages that are known to become pictures."""

    def __init__(
        self,
        data: bytes,
        text: PdfText,
        by_page: Mapping[int, Sequence[PageEdit]],
        report: CutReport,
        scans: Scans | None,
        scanned: dict[bytes, list[StreamOperator]],
    ) -> None:
        self.data, self.text, self.by_page, self.report = data, text, by_page, report
        self.scans, self.scanned = scans, scanned
        self.pdf = pikepdf.open(io.BytesIO(data))
        self.texts: dict[StreamKey, dict[int, str]] = {}

    def run(self, *, pictures: bool) -> bytes:
        """Return the bytes of the file, or raise the pages that must become pictures first."""
        pages = self._plan(pictures=pictures)
        try:
            cuts = collect_cuts(pages)
        except PageRefusedError as error:
            shared = [
                n for n, (glyphs, _) in pages.items() if any(k[0] == "form" for k in glyphs.streams)
            ]
            raise _MorePicturesError(dict.fromkeys(shared, str(error))) from None
        streams = {key: s for glyphs, _ in pages.values() for key, s in glyphs.streams.items()}
        codes, failed = clean_fonts(self.pdf, pages)
        if failed:
            raise _MorePicturesError(failed)
        layouts: dict[StreamKey, StreamLayout] = {}
        for key, own in cuts.items():
            layouts[key] = arrange(own, self.texts.get(key, {})) if own.gone else StreamLayout()
            self._write(key, streams[key], layouts[key], rewrite(
                streams[key], own, layouts[key], codes.new_codes, self.texts.get(key, {}),
            ))  # fmt: skip
        for number in sorted(self.report.pictures):
            edits = self.by_page.get(number, ())
            scan = None if self.scans is None else self.scans.picture(number, edits)
            picture = scan or DrawnPicture(self.data, number)
            page = self.text.pages[number]
            in_place = number not in self.report.plain
            rasterise(self.pdf, number, picture, page, edits, in_place=in_place)
        self._drop_unread(pages)
        lines = [line for layout in layouts.values() for line in layout.lines]
        self.report.lines = len(lines)
        self.report.kept_gaps = sum(not line.moved for line in lines)
        self.report.fonts = codes.counts
        lost = {key for key, own in cuts.items() if own.gone}
        self.report.touched = codes.pages | self.report.pictures.keys()
        self.report.touched |= {
            n for n, (glyphs, _) in pages.items() if lost & glyphs.streams.keys()
        }
        return save(self.pdf, recompress=False)

    def _plan(self, *, pictures: bool) -> dict[int, tuple[PageGlyphs, dict[int, int]]]:
        interpreter = Interpreter(self.pdf, self.scanned)
        found: dict[int, tuple[PageGlyphs, dict[int, int]]] = {}
        refused: dict[int, str] = {}
        for number, page in enumerate(self.pdf.pages):
            if number in self.report.pictures:
                continue
            edits = self.by_page.get(number, ())
            try:
                glyphs = interpreter.read(page)
                gone = match_page(self.text.pages[number], glyphs, edits, pictures=pictures)
                found[number] = glyphs, gone
            except PageRefusedError as error:
                refused[number] = str(error)
                continue
            own = {edit.number: edit.replacement for edit in edits}
            for key in glyphs.streams:
                self.texts.setdefault(key, {}).update(own)
        if refused:
            raise _MorePicturesError(refused)
        return found

    def _drop_unread(self, pages: Mapping[int, tuple[PageGlyphs, dict[int, int]]]) -> None:
        """Empty the forms that no page draws, and drop the fonts that no page uses: nobody has read them.

        Those that patterns draw lose their text alone: it was not read either, but their lines are seen.
        """
        glyphs = [glyphs for glyphs, _ in pages.values()]
        drawn = {key[1] for each in glyphs for key in each.streams if key[0] == "form"}
        used = {show.font.object.objgen for each in glyphs for show in each.shows}
        reached = list(walk(self.pdf.Root))
        patterns = [
            o for o in reached if isinstance(o, Stream) and o.get("/PatternType") is not None
        ]
        seen = {o.objgen for pattern in patterns for o in walk(pattern)}
        for found in reached:
            is_form = isinstance(found, Stream) and found.get("/Subtype") == Name.Form
            if is_form and found.objgen not in drawn:
                if found.objgen in seen:
                    found.write(without_text(found))
                else:
                    found.write(b"")
                    found["/Resources"] = Dictionary()
            resources = found.get("/Resources")
            fonts = resources.get("/Font") if isinstance(resources, Dictionary) else None
            if isinstance(fonts, Dictionary):
                _drop_fonts(fonts, used)

    def _write(
        self, key: StreamKey, stream: StreamContent, layout: StreamLayout, content: bytes
    ) -> None:
        if layout.placeholders:
            resources = stream.resources
            if not isinstance(resources.get("/Font"), Dictionary):
                resources["/Font"] = Dictionary()
            resources["/Font"]["/" + PLACEHOLDER_FONT.decode()] = helvetica()
        if content == stream.content and not stream.is_odd:
            return
        if key[0] == "page":
            stream.object["/Contents"] = self.pdf.make_stream(content)
        else:
            stream.object.write(content)


def _drop_fonts(fonts: Object, used: set[tuple[int, int]]) -> None:
    """Put a standard font in place of each that is not used."""
    for name, font in list(fonts.items()):
        is_font = isinstance(font, Dictionary)
        own = is_font and (
            name == "/" + PLACEHOLDER_FONT.decode() or font.get("/BaseFont") == Name.Glyphless
        )
        if not own and not (is_font and font.objgen in used):
            fonts[name] = helvetica()
