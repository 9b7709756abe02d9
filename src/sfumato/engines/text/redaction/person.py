"""Who a document is about: a field of its record, the folder of its file, or a piece of its file's name.

One person has one pseudonym and one shift of dates over all documents. Both follow from the secret key and the
person alone, so that neither batches nor machines change them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from ....core.errors import DataError, ParameterError
from ....data.document import Document

__all__ = ["FOLDER", "PersonRule"]

FOLDER = "folder"
_PLACE = "{person}"


@dataclass(frozen=True)
class PersonRule:
    """How the person of a document is found.

    Parameters
    ----------
    rule : str
        The name of a field; "folder" for the folder that the document's file is in; or a pattern of
        file names with {person} in it, in which * matches anything.
    by_file : bool, default=False
        Whether each document is a file, whose path is its id; else its file is the part it came from.

    >>> rule = PersonRule("{person}_*.txt", by_file=True)
    >>> rule.of(Document("p17_letter", "…")), rule.of(Document("p17_report", "…"))
    ('p17', 'p17')
    >>> PersonRule("patient").of(Document("d", "…", (), {"patient": 4}))
    '4'

    """

    rule: str
    by_file: bool = False

    def __post_init__(self) -> None:
        if self.rule.count(_PLACE) > 1:
            raise ParameterError(f"The pattern of a file's name holds {_PLACE} more than once.")

    @property
    def field(self) -> str | None:
        """The field that names the person, where it is one."""
        return None if self.rule == FOLDER or _PLACE in self.rule else self.rule

    def of(self, document: Document) -> str:
        """Return the person of a document; one without a person is refused."""
        path = PurePosixPath(document.id if self.by_file else document.part)
        if self.field is not None:
            value = document.fields.get(self.field)
            found = "" if value is None else str(value).strip()
        elif self.rule == FOLDER:
            found = "" if path.parent == PurePosixPath() else path.parent.as_posix()
        else:
            found = self._by_name(path)
        if not found:
            raise DataError("It does not name the person of the document.", hint="check --person.")
        return found

    def _by_name(self, path: PurePosixPath) -> str:
        """Return the person in a file's name; a document's id has no suffix, its pattern may have one."""
        before, _, after = self.rule.partition(_PLACE)
        if self.by_file:
            after = re.sub(r"\.[A-Za-z0-9]+$", "", after)
        written = path.as_posix() if "/" in self.rule else path.name
        match = re.fullmatch(f"{_expression(before)}([^/]+?){_expression(after)}", written)
        return "" if match is None else match[1]


def _expression(pattern: str) -> str:
    return ".*".join(map(re.escape, pattern.split("*")))
