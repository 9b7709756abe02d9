"""What a steward should check in published notes: numbers that a guard left alone, and mentions that contradict their row.

Both are in `OUT.private/mentions.jsonl`, next to the bands that were put into the notes.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import FormatError
from .placed_bands import MENTIONS_FILE
from .private_folder import private_folder_of

__all__ = ["HeldNumber", "NotesToReview", "held_entry"]

_AROUND = 40  # characters on either side


@dataclass(frozen=True)
class HeldNumber:
    """A number that equals a value of its row, with the words around it as they are published."""

    release: str
    column: str
    row: int
    kind: str
    before: str
    number: str
    after: str


def held_entry(text: str, start: int, end: int, kind: str) -> dict[str, object]:
    """Return the entry of a number that was left unchanged.

    >>> held_entry("Pulse 47, calm.", 6, 8, "age")
    {'start': 6, 'end': 8, 'kind': 'age', 'before': 'Pulse ', 'after': ', calm.', 'number': '47'}
    """
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    number = text[start:end]
    return {"start": start, "end": end, "kind": kind, "before": before, "after": after, "number": number}  # fmt: skip


@dataclass
class NotesToReview:
    """Everything to check, and how often notes contradict their rows: by release, column and kind."""

    held: list[HeldNumber] = field(default_factory=list)
    contradicted: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    @classmethod
    def near(cls, folders: Sequence[str | os.PathLike[str]]) -> NotesToReview:
        """Read the lists of the releases in some folders, and of those that the folders are."""
        found = cls()
        files = {
            file
            for folder in map(Path, folders)
            for file in (
                *folder.rglob(MENTIONS_FILE), private_folder_of(folder.absolute()) / MENTIONS_FILE,
            )
        }  # fmt: skip
        for file in sorted(files):
            if file.is_file():
                found._read(file)
        return found

    def __bool__(self) -> bool:
        return bool(self.held or self.contradicted)

    def _read(self, file: Path) -> None:
        release = file.parent.name.removesuffix(".private")
        try:
            with file.open(encoding="utf-8") as lines:
                self._add(release, map(json.loads, lines))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise FormatError(
                f"The file {file.name!r} does not hold what was found in notes.",
                hint="publish the table again.",
            ) from None

    def _add(self, release: str, entries: Iterable[dict[str, object]]) -> None:
        for entry in entries:
            column, held, contradicted = str(entry["column"]), entry["held"], entry["contradicted"]
            if not isinstance(held, list) or not isinstance(contradicted, dict):
                raise TypeError
            for own in held:
                words = {name: str(own[name]) for name in ("kind", "before", "number", "after")}
                self.held.append(
                    HeldNumber(release=release, column=column, row=int(str(entry["row"])), **words)
                )
            for kind, many in contradicted.items():
                self.contradicted[release, column, str(kind)] += int(many)
