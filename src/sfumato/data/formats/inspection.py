"""The contents of a file before anything is done to it: text, hidden parts, what would be dropped, what cannot be handled.

Counts and kinds only: no word of the content, no name of a part that a person chose.
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

    def to_json(self) -> Mapping[str, str | int | dict[str, int]]:
        """Return the counts as plain JSON."""
        return {
            "kind": self.kind, "files": self.files, "documents": self.documents,
            "characters": self.characters, "words": self.words, "places": dict(sorted(self.places.items())),
            "hidden": dict(sorted(self.hidden.items())), "dropped": dict(sorted(self.dropped.items())),
            "withheld": dict(sorted(self.withheld.items())),
        }  # fmt: skip
