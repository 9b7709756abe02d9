"""The format `pdf`: a file that is one document, cut inside its pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from ....core.errors import DataError, InputError, ParameterError
from ...document import Document, Edit, Edited
from ...sources import Withheld
from ..files import FileFormat, OpenedFile, RefusedFileError
from ..inspection import FileSummary
from ..protocol import CorpusFile, FormatOptions, document_from
from .refusal import FileRefusedError, need_packages

if TYPE_CHECKING:
    from ..page_views import PageView
    from .read import PdfText
    from .sanitise import Sanitised
    from .scanned import Scans

__all__ = ["Pdf", "PdfOptions"]


class PdfOptions(FormatOptions):
    """What can be said about the reading of PDF files.

    Pictures are blanked unless they are kept by name: nobody has read what they show.
    """

    pictures: Literal["blank", "keep"] = "blank"


@dataclass
class _OpenedPdf(OpenedFile):
    """A PDF that was sanitised and read."""

    clean: Sanitised | None = field(default=None, repr=False)
    pages: PdfText | None = field(default=None, repr=False)
    blank: bool = True
    scans: Scans | None = field(default=None, repr=False)

    def save(self, edits: Mapping[str, Sequence[Edit]]) -> bytes:
        """Return the file with the edits of each page."""
        from .cut import cut
        from .marks import page_edits

        assert self.clean is not None
        assert self.pages is not None
        by_page = page_edits(edits)
        try:
            content, _ = cut(
                self.clean.data, self.pages, by_page, pictures=not self.blank, scans=self.scans
            )
            if self.scans is not None:
                self.scans.check(content, by_page)
        except FileRefusedError as error:
            raise RefusedFileError(str(error)) from None
        return content


class Pdf(FileFormat):
    """Reads and writes PDF files, each a document."""

    name = "pdf"
    suffixes = (".pdf",)
    what = "a PDF"
    Options = PdfOptions
    _inspecting = False

    def open(self, content: bytes) -> OpenedFile:
        """Sanitise a file and read its text, in all its orders."""
        need_packages()
        from .orders import read_orders
        from .read import read_text
        from .sanitise import sanitise
        from .scanned import Scans

        blank = cast("PdfOptions", self.options).pictures == "blank"
        try:
            clean = sanitise(content, self.names.limits, blank=blank)
            scans = Scans(content, self.names.limits, allowed=self.reads_scans)
            scan = scans.count if self._inspecting else scans.read
            pages = read_text(clean.data, clean.pictures, blank=blank, scan=scan)
        except FileRefusedError as error:
            raise RefusedFileError(str(error)) from None
        found = FileSummary(self.name)
        found.places["pages"] = len(pages.pages)
        found.dropped.update(clean.dropped)
        if scans.found:
            found.places["scanned pages"] = scans.found
        if pages.blanked:
            found.dropped["scanned pages, which are grey boxes now"] = pages.blanked
        return _OpenedPdf(
            pages.text, pages.segments(), found, read_orders(pages), clean, pages, blank,
            scans if scans.pages else None, scanned=len(scans.pages),
        )  # fmt: skip

    def inspect(self, part: CorpusFile) -> FileSummary:
        """Return what a file holds; its scanned pages are counted, not read."""
        self._inspecting = True
        try:
            return super().inspect(part)
        finally:
            self._inspecting = False

    def is_clean(self, content: bytes, opened: OpenedFile) -> bool:  # noqa: ARG002
        """Return whether a file holds its pages and nothing else."""
        from .verify import has_only_pages

        try:
            return has_only_pages(content)
        except Exception:  # whatever the second library meets, the file is not as it should be
            return False

    def create(self, text: str) -> bytes:
        """Return a new PDF that holds a text in plain lines."""
        need_packages()
        from .compose import compose

        try:
            return compose(text)
        except FileRefusedError as error:
            raise ParameterError(
                f"A document {error}, so that it cannot be written as PDF.",
                hint="convert to docx, html or jsonl.",
            ) from None

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        """Write a document as its PDF with the edits; one that cannot be cut is not written."""
        try:
            if part is None or part.path is None:
                edited = map(self._compose, edited)
            super().write(part, edited, out)
        except RefusedFileError:
            out.unlink(missing_ok=True)  # it is missed when it is read back, and withheld

    def _compose(self, one: Edited) -> Edited:
        """Return a document as it is read from a new PDF: lines break elsewhere, and its marks move."""
        from .read import comparable_text

        text = self.open(self.create(one.text)).text
        old, new = (
            [i for i, c in enumerate(each) if comparable_text(c)] for each in (one.text, text)
        )
        if [one.text[i] for i in old] != [text[i] for i in new]:
            raise DataError(f"The document {one.id!r} does not read the same as PDF.")
        spans = []
        for span in one.spans:
            inside = [n for o, n in zip(old, new, strict=True) if span.start <= o < span.end]
            if inside:
                spans.append(replace(span, start=inside[0], end=inside[-1] + 1))
        return Edited.unchanged(Document(one.id, text, tuple(spans)))

    # --- pages -----------------------------------------------------------------------------------

    def page_views(self, part: CorpusFile) -> Sequence[PageView]:
        """Return the pages of a file."""
        need_packages()
        from .page_pictures import page_views

        return page_views(part.file.read_bytes())

    def page_picture(self, part: CorpusFile, number: int) -> bytes:
        """Return a page of a file, from 0, as a PNG."""
        need_packages()
        from .page_pictures import page_picture

        found = page_picture(part.file.read_bytes(), number)
        if found is None:
            raise InputError("The file has no such page.")
        return found

    # --- reading back ----------------------------------------------------------------------------

    def comparable(self, text: str) -> str:
        """Return a text without spaces, breaks and hyphens, which a reader of PDF makes itself."""
        from .read import comparable_letters

        return comparable_letters(text)

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield the document as it is in the written file, which holds its pages and nothing else."""
        need_packages()
        from .read import read_all_words
        from .verify import has_only_pages

        if not part.file.exists():
            return
        content = part.file.read_bytes()
        try:
            only_pages, text = has_only_pages(content), read_all_words(content)
            spans = self._marks(part.file, text)
        except (InputError, RefusedFileError):
            raise
        except Exception:  # whatever the second library meets, the file is not as it should be
            only_pages, text, spans = False, "", []
        if only_pages:
            names = replace(self.names, id="id")
            yield document_from(names, part, 1, raw_id=part.name, text=text, raw_spans=spans)
        else:
            yield Withheld(part.name, "holds more than its pages", 1, part.name)

    def search(self, content: bytes, removed: Iterable[str]) -> int:
        """Count the removed strings in a written file, by a second library and in all its streams."""
        need_packages()
        from .scanned import find_in_scans
        from .verify import find_leaks

        try:
            return find_leaks(content, removed) + find_in_scans(content, removed)
        except Exception:  # as in reading back
            return 1

    def sought(self, removed: Iterable[str], published: str) -> set[str]:
        """Return the removed strings that the text does not hold anyway, as they were written."""
        from .read import comparable_text

        squeezed = comparable_text(published)
        return {text for text in removed if comparable_text(text) not in squeezed}
