"""The text of a PDF, with the place of every character, as pdfium reads it."""

from __future__ import annotations

import ctypes
import io
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
from pypdfium2 import raw

from ...document import Segment
from .refusal import FileRefusedError

__all__ = [
    "RIGHT_TO_LEFT",
    "PageText",
    "PdfText",
    "comparable_letters",
    "comparable_text",
    "copy_pages",
    "read_all_words",
    "read_pages",
    "read_text",
    "read_words",
]

_IGNORED = re.compile("[\\s\u00ad\u2010\ufffd-]+")
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_ODD = re.compile("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe]")
"""Characters that pdfium gives another meaning, and halves of others."""
_MIRRORED = str.maketrans(")]}>»", "([{<«")
_HYPHENS = {0x02, 0xFFFE}
_UNREADABLE = (
    0.2  # share of characters without a meaning from which nobody can tell what is written
)
_CURVES = (
    60  # curves of a page without text from which they may be letters: a name of ten has some 100
)
_INVISIBLE = 3  # the text render mode of what an OCR program lays under a picture
T = TypeVar("T")


@dataclass(frozen=True)
class PageText:
    """The characters of a page; each has an origin, a box, and whether the reader made it."""

    text: str
    origin: npt.NDArray[np.float64]
    box: npt.NDArray[np.float64]
    made: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PdfText:
    """The text of a whole file: the pages one after the other, a line break between them.

    `blanked` is the number of scanned pages that nobody has read: they show grey boxes.
    """

    pages: tuple[PageText, ...]
    blanked: int = 0

    @property
    def text(self) -> str:
        """The text that is labelled and edited."""
        return "\n".join(page.text for page in self.pages)

    @property
    def starts(self) -> list[int]:
        """Where each page begins in the text."""
        starts, at = [], 0
        for page in self.pages:
            starts.append(at)
            at += len(page.text) + 1
        return starts

    def segments(self) -> list[Segment]:
        """Return which characters are on which page."""
        return [
            Segment(start, start + len(page.text), f"page {number}")
            for number, (start, page) in enumerate(zip(self.starts, self.pages, strict=True), 1)
            if page.text
        ]

    def page_of(self, index: int) -> tuple[int, int]:
        """Return the page of a character, from 0, and its place there."""
        starts = self.starts
        page = bisect_right(starts, index) - 1
        return page, index - starts[page]


def comparable_text(text: str) -> str:
    """Return a text without spaces, breaks and hyphens, which a reader of PDF makes itself.

    >>> comparable_text("Zolt-\\nan was here")
    'Zoltanwashere'
    """
    return _IGNORED.sub("", text)


def comparable_letters(text: str) -> str:
    """Return a text to compare with another reading of it.

    A placeholder between right-to-left letters changes the order in which a reader gives the words of a line, and the
    reader turns brackets round: the letters of such a text are sorted, and brackets are the same on both sides.

    >>> comparable_letters("a b-c"), comparable_letters("ב [א]") == comparable_letters("]א]ב")
    ('abc', True)
    """
    plain = comparable_text(text)
    return "".join(sorted(plain.translate(_MIRRORED))) if RIGHT_TO_LEFT.search(plain) else plain


def read_pages(data: bytes) -> tuple[PageText, ...]:
    """Return the text of every page, with the place of every character."""
    with _open(data) as document:
        return tuple(_read_page(document, number, _characters) for number in range(len(document)))


def read_words(data: bytes, pages: Iterable[int]) -> dict[int, str]:
    """Return the text alone of some pages, from 0."""
    with _open(data) as document:
        return {number: _read_page(document, number, _words) for number in sorted(pages)}


def read_all_words(data: bytes) -> str:
    """Return the text of a whole file, as that of `PdfText`."""
    with _open(data) as document:
        return "\n".join(_read_page(document, number, _words) for number in range(len(document)))


def copy_pages(data: bytes, most: int) -> bytes:
    """Return a new file with the pages that pdfium finds in another; refuse one with more pages than `most`."""
    with pdfium.PdfDocument(data) as document, pdfium.PdfDocument.new() as made:
        if len(document) > most:
            raise FileRefusedError(f"has more than {most:,} pages")
        made.import_pages(document)
        out = io.BytesIO()
        made.save(out)
    return out.getvalue()


@contextmanager
def _open(data: bytes) -> Iterator[pdfium.PdfDocument]:
    try:
        document = pdfium.PdfDocument(data)
        try:
            yield document
        finally:
            document.close()
    except pdfium.PdfiumError:
        raise FileRefusedError("cannot be read by the second library") from None


def read_text(
    data: bytes,
    pictures: frozenset[int],
    *,
    blank: bool,
    scan: Callable[[Sequence[int], bool], Mapping[int, PageText]] | None = None,
) -> PdfText:
    """Return the text of a sanitised PDF; refuse one whose pages nobody can read.

    Parameters
    ----------
    data : bytes
        The sanitised PDF.
    pictures : frozenset of int
        The pages that hold a picture.
    blank : bool
        Whether pictures are blanked, so that a page that is one would be empty.
    scan : callable, optional
        Called with the scanned pages, from 0, if there are any, and with whether they must be read because the file
        would be empty without them; returns what is written on each that was read.

    """
    with _open(data) as document:
        read = [_read_page(document, number, _seen_characters) for number in range(len(document))]
    found = PdfText(tuple(page for page, _ in read))
    letters = [sum(not c.isspace() for c in page.text) for page in found.pages]
    scanned = [i for i, n in enumerate(letters) if not n and i in pictures]
    if blank:
        unseen = [i for i, (_, is_seen) in enumerate(read) if not is_seen and i not in pictures]
        covered = pictures.union(_with_drawn_letters(data, unseen))
        scanned += [i for i in _with_invisible_text(data, covered) if letters[i]]
    drawn = _with_drawn_letters(
        data, [i for i, n in enumerate(letters) if not n and i not in scanned]
    )
    scanned += drawn
    # Without their pictures some pages are empty; a file of such pages would be nothing at all. What is drawn by lines
    # cannot be blanked as a picture can.
    needed = not blank or len(scanned) > len(letters) // 2 or not pictures.issuperset(scanned)
    if scanned:
        own = {} if scan is None else scan(sorted(scanned), needed)
        if needed and scan is None:
            raise FileRefusedError(f"has scanned pages ({len(scanned):,})")
        found = PdfText(
            tuple(own.get(i, page) for i, page in enumerate(found.pages)),
            blanked=0 if needed else len(scanned) - len(own),
        )
        letters = [sum(not c.isspace() for c in page.text) for page in found.pages]
    unreadable = sum(page.text.count("\ufffd") for page in found.pages)
    unreadable += sum(0xE000 <= ord(c) < 0xF900 for page in found.pages for c in page.text)
    if unreadable > _UNREADABLE * sum(letters):
        raise FileRefusedError("is written in a font whose letters have no meaning")
    return found


def _read_page(document: pdfium.PdfDocument, number: int, read: Callable[[object], T]) -> T:
    page = document[number]
    textpage = page.get_textpage()
    try:
        return read(textpage.raw)
    finally:
        textpage.close()
        page.close()


def _words(textpage: object) -> str:
    return _decode(_codes(textpage))[0]


def _characters(textpage: object) -> PageText:
    text, sources = _decode(_codes(textpage))
    places: list[tuple[float, ...]] = []
    made: list[bool] = []
    x, y, box = ctypes.c_double(), ctypes.c_double(), raw.FS_RECTF()
    get_origin, get_box = raw.FPDFText_GetCharOrigin, raw.FPDFText_GetLooseCharBox
    is_made, last = raw.FPDFText_IsGenerated, -1
    for i in sources:
        if i == last:  # the break after a hyphen
            places.append(places[-1])
            made.append(True)
            continue
        get_origin(textpage, i, x, y)
        get_box(textpage, i, box)
        places.append((x.value, y.value, box.left, box.bottom, box.right, box.top))
        made.append(is_made(textpage, i) == 1)
        last = i
    where = np.array(places, np.float64).reshape(-1, 6)
    return PageText(text, where[:, :2], where[:, 2:], np.array(made, np.bool_))


def _seen_characters(textpage: object) -> tuple[PageText, bool]:
    """Return the characters of a page, and whether the first letter is seen."""
    page = _characters(textpage)
    first = next((i for i, c in enumerate(page.text) if not c.isspace()), None)
    drawn = None if first is None else raw.FPDFText_GetTextObject(textpage, first)
    return page, not drawn or raw.FPDFTextObj_GetTextRenderMode(drawn) != _INVISIBLE


def _codes(textpage: object) -> list[int]:
    get_code = raw.FPDFText_GetUnicode
    return [get_code(textpage, i) for i in range(raw.FPDFText_CountChars(textpage))]


def _decode(codes: Sequence[int]) -> tuple[str, list[int]]:
    """Return the text of codes as pdfium gives them, and which code each character is from."""
    whole = "".join(map(chr, codes)) if max(codes, default=0) <= 0x10FFFF else "\0"
    if not _ODD.search(whole):
        return whole.replace("\r", ""), [i for i, code in enumerate(codes) if code != 0x0D]
    return _decode_each(codes)


def _decode_each(codes: Sequence[int]) -> tuple[str, list[int]]:
    """Return what `_decode` does, code by code."""
    characters: list[str] = []
    sources: list[int] = []
    high = 0
    for i, code in enumerate(codes):
        if 0x20 <= code < 0x7F:
            characters.append(chr(code))
            sources.append(i)
        elif code == 0x0D:
            continue
        elif 0xDC00 <= code < 0xE000 and high:  # the second half of a character beyond U+FFFF
            characters[-1] = chr(0x10000 + ((high - 0xD800) << 10) + code - 0xDC00)
        elif code in _HYPHENS:  # a word that goes on in the next line
            characters += ["-", "\n"]
            sources += [i, i]
        else:
            characters.append(_character(code))
            sources.append(i)
        high = code if 0xD800 <= code < 0xDC00 else 0
    return "".join(characters), sources


def _character(code: int) -> str:
    if code == 0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
        return "\ufffd"
    if 0x80 <= code < 0xA0:  # a code of Windows that nothing maps
        return bytes([code]).decode("cp1252", "replace")
    return "\n" if code == 0x0A else " " if code < 0x20 else chr(code)


def _with_invisible_text(data: bytes, pages: frozenset[int]) -> list[int]:
    """Return those of some pages whose text is all invisible, as under a scan or under letters that are drawn."""
    found = []
    document = pdfium.PdfDocument(data)
    for number in sorted(pages):
        page = document[number]
        texts = [o for o in page.get_objects(max_depth=6) if o.type == raw.FPDF_PAGEOBJ_TEXT]
        modes = {raw.FPDFTextObj_GetTextRenderMode(o.raw) for o in texts}
        if modes == {_INVISIBLE}:
            found.append(number)
        page.close()
    document.close()
    return found


def _with_drawn_letters(data: bytes, numbers: Sequence[int]) -> list[int]:
    """Return the pages without text that have enough curves to be letters."""
    found = []
    document = pdfium.PdfDocument(data) if numbers else None
    for number in numbers:
        assert document is not None
        page, curves = document[number], 0
        for path in page.get_objects(filter=(raw.FPDF_PAGEOBJ_PATH,), max_depth=6):
            segments = (
                raw.FPDFPath_GetPathSegment(path.raw, i)
                for i in range(raw.FPDFPath_CountSegments(path.raw))
            )
            curves += sum(
                raw.FPDFPathSegment_GetType(s) == raw.FPDF_SEGMENT_BEZIERTO for s in segments
            )
            if curves >= 3 * _CURVES:  # each has three points
                found.append(number)
                break
        page.close()
    if document is not None:
        document.close()
    return found
