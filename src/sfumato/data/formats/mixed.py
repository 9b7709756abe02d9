"""A folder of files of several kinds: each is read and written by its own format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import ParameterError
from ..document import Document, Edited
from ..sources import Withheld
from .protocol import CorpusFile, Format, FormatOptions
from .verification import Digests, Verified

if TYPE_CHECKING:
    from .inspection import FileSummary
    from .page_views import PageView

__all__ = ["MIXED", "Mixed", "kind_in_mixture"]

MIXED = "mixed"
_IN_FOLDERS = {"brat": "plain", "i2b2": "xml"}
"""Formats of files here that make a folder elsewhere."""


def kind_in_mixture(name: str, kind: str | None) -> str | None:
    """Return the format of a file among files of other kinds; None for one that is no document.

    >>> kind_in_mixture("a.txt", "brat"), kind_in_mixture("a.ann", "brat")
    ('plain', None)
    """
    if kind == "brat" and not name.lower().endswith(".txt"):
        return None
    return kind if kind is None else _IN_FOLDERS.get(kind, kind)


class Mixed(Format[FormatOptions]):
    """Files of several kinds; those that hold many documents may be among them."""

    name = MIXED
    unit = "document"
    is_container = True
    is_written_in_order = True  # as its kinds are that hold many documents
    person_field = "patient"
    _shift: Callable[[str], int] | None = None

    @classmethod
    def sniff(cls, name: str, head: bytes) -> bool:  # noqa: ARG003
        """Return False: no single file is a mixture."""
        return False

    @property
    def holds_ids(self) -> bool:
        """Every kind that may be mixed holds ids."""
        return True

    def of(self, part: CorpusFile) -> Format[FormatOptions]:
        """Return the format of a part."""
        from .registry import FORMATS, format_of_file

        kinds: dict[str, str] = self.__dict__.setdefault("_kinds", {})
        if part.name not in kinds or part.path is not None:
            path = Path(part.name) if part.path is None else part.path
            found = kind_in_mixture(path.name, format_of_file(path))
            assert found is not None, "a mixture holds files of known formats"
            kinds[part.name] = found
        kind = kinds[part.name]
        made: dict[str, Format[FormatOptions]] = self.__dict__.setdefault("_made", {})
        if kind not in made:
            made[kind] = FORMATS[kind](self.names)
            made[kind].reads_scans = self.reads_scans
            if self._shift is not None:
                made[kind].shift_by(self._shift)
        return made[kind]

    def __getstate__(self) -> dict[str, object]:
        return {
            name: value
            for name, value in vars(self).items()
            if name not in ("_kinds", "_made", "_shift")
        }

    def page_views(self, part: CorpusFile) -> Sequence[PageView]:
        """Return the pages of a file, where its format has pages."""
        return self.of(part).page_views(part)

    def page_picture(self, part: CorpusFile, number: int) -> bytes:
        """Return a page of a file, from 0, as a PNG, where its format has pages."""
        return self.of(part).page_picture(part, number)

    def is_document(self, part: CorpusFile) -> bool:
        """Return whether a part is one document."""
        return self.of(part).is_document(part)

    def new_id(self, document: Document, mark: str) -> str:
        """Return the name or id under which a document is published."""
        return self.of(CorpusFile(document.part, None)).new_id(document, mark)

    def digest_of(self, edited: Edited) -> bytes:
        """Return the digest of a document by the format of its part."""
        return self.of(CorpusFile(edited.document.part, None)).digest_of(edited)

    def comparable(self, text: str) -> str:
        """Return a text without white space, as the formats of single files compare it."""
        return "".join(text.split())

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        return self.of(part).read(part)

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        if part is None:
            raise ParameterError(
                "A mixture of formats cannot be written.", hint="name one of them, such as docx."
            )
        self.of(part).write(part, edited, out)

    def shift_by(self, days: Callable[[str], int]) -> None:
        """Shift dates in the parts that have some."""
        self._shift = days
        for form in self.__dict__.get("_made", {}).values():
            form.shift_by(days)

    def inspect(self, part: CorpusFile) -> FileSummary:
        return self.of(part).inspect(part)

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        return self.of(part).read_back(part)

    def verify(self, part: CorpusFile, expected: Digests, removed: Iterable[str] = ()) -> Verified:
        """Read a written part again, by its own format."""
        return self.of(part).verify(part, expected, removed)
