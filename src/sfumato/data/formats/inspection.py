"""The contents of a file before anything is done to it: text, hidden parts, what would be dropped, what cannot be handled.

Counts, kinds and names of files that cannot be handled: no word of the content, no name of a part that a person chose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..document import Document

__all__ = ["FileSummary"]

_WORD = re.compile(r"\w+")


@dataclass
class FileSummary:
    """What was found in one file, or in several of one kind.

    Parameters
    ----------
    kind : str
        The format.
    files : int, default=1
        How many files were looked at.
    documents : int, default=0
        How many documents can be read.
    characters, words : int, default=0
        How much text they have.
    places : Counter
        Characters of text by their place: body, header, comment.
    hidden : Counter
        Text that a reader of the page does not see, and other hidden things, by kind.
    dropped : Counter
        What will not be in a release, by kind.
    withheld : Counter
        How many documents cannot be handled, by reason.
    files_withheld : dict
        The same for each file in which there are some, by its name.

    """

    kind: str
    files: int = 1
    documents: int = 0
    characters: int = 0
    words: int = 0
    places: Counter[str] = field(default_factory=Counter)
    hidden: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    withheld: Counter[str] = field(default_factory=Counter)
    files_withheld: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, document: Document) -> None:
        """Count a document that can be read."""
        self.documents += 1
        self.characters += len(document.text)
        self.words += sum(1 for _ in _WORD.finditer(document.text))
        if document.fields:
            self.dropped["other fields"] += len(document.fields)

    def withhold(self, reason: str) -> None:
        """Count a document that cannot be handled.

        >>> found = FileSummary("docx")
        >>> found.withhold("is encrypted")
        >>> found.to_json()["withheld"]
        {'is encrypted': 1}
        """
        self.withheld[reason] += 1

    def name_file(self, name: str) -> None:
        """Note which file this is, where something in it cannot be handled.

        >>> found = FileSummary("docx")
        >>> found.withhold("is encrypted")
        >>> found.name_file("a.docx")
        >>> found.to_json()["files_withheld"]
        [{'file': 'a.docx', 'reason': 'is encrypted', 'documents': 1}]
        """
        if self.withheld:
            self.files_withheld[name] = self.withheld.copy()

    def include(self, other: FileSummary) -> None:
        """Add what was found in another file."""
        self.files += other.files
        self.documents += other.documents
        self.characters += other.characters
        self.words += other.words
        for mine, theirs in (
            (self.places, other.places), (self.hidden, other.hidden),
            (self.dropped, other.dropped), (self.withheld, other.withheld),
        ):  # fmt: skip
            mine.update(theirs)
        for name, reasons in other.files_withheld.items():
            self.files_withheld.setdefault(name, Counter()).update(reasons)

    def reasons_of_files(self) -> list[tuple[str, str, int]]:
        """Return each file with something that cannot be handled, why, and how many documents that are."""
        return [
            (name, reason, count)
            for name, reasons in sorted(self.files_withheld.items())
            for reason, count in sorted(reasons.items())
        ]

    def to_json(self) -> Mapping[str, object]:
        """Return the counts and the names of files as plain JSON."""
        named = (
            {"file": name, "reason": reason, "documents": count}
            for name, reason, count in self.reasons_of_files()
        )
        return {
            "kind": self.kind, "files": self.files, "documents": self.documents,
            "characters": self.characters, "words": self.words, "places": dict(sorted(self.places.items())),
            "hidden": dict(sorted(self.hidden.items())), "dropped": dict(sorted(self.dropped.items())),
            "withheld": dict(sorted(self.withheld.items())), "files_withheld": list(named),
        }  # fmt: skip
