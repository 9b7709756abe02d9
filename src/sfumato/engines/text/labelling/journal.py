"""The journal of a project: one event per line, appended and on the disk before the next question.

A line that a kill left half written is dropped; a damaged line before it is an error. The file is locked while it is open, so two programs never write to the same project.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Required, TypedDict

from ....core.errors import FormatError, LockedError
from ....core.lines import open_lines, read_lines, write_line

__all__ = ["ANSWERS", "UPDATE", "AnswerLog", "Event"]

ANSWERS = ("mark", "window", "class")
"""Events that are answers to questions."""
UPDATE = "lesson"
"""An update of the encoder was applied; projects of earlier versions hold this word."""


class Event(TypedDict, total=False):
    """One line of the journal; `do` says which of the other fields it has."""

    n: int
    do: Required[str]
    label: str
    exact: bool
    by: str
    places: list[list[int]]
    doc: int
    first: int
    last: int
    random: bool
    spans: list[tuple[int, int, str]]  # lists where they were read from the file
    reader: int
    key: str
    mixed: bool
    of: int
    candidate: str
    upto: int
    seconds: int
    share: float
    to_the_end: bool


class AnswerLog:
    """An append-only list of events, numbered from 1.

    Parameters
    ----------
    path : Path
        The file; made (mode 600) where it does not exist.

    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = open_lines(path)
        try:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise LockedError(
                    "Another program has this project open.", hint="close it first."
                ) from None
            self.events = self._read()
        except BaseException:
            os.close(self._file)
            raise

    def _read(self) -> list[Event]:
        events: list[Event] = []
        for number, line in enumerate(read_lines(self.path), 1):
            try:
                event: Event = json.loads(line)
                if not isinstance(event, dict) or event.get("n") != number:
                    raise ValueError
            except ValueError:
                raise FormatError(
                    f"Line {number} of the journal is damaged.",
                    hint="restore the file from a copy.",
                ) from None
            events.append(event)
        return events

    def __len__(self) -> int:
        return len(self.events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def append(self, event: Event) -> Event:
        """Write an event and return it with its number once it is on the disk."""
        numbered: Event = {"n": len(self.events) + 1, **event}
        write_line(self._file, numbered)
        self.events.append(numbered)
        return numbered

    def close(self) -> None:
        """Release the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
