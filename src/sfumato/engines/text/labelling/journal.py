"""The journal of a project: one event per line, appended and on the disk before the next question.

A line that a kill left half written is dropped when the journal is opened; a damaged line before it is
an error. The file is locked while it is open, so two programs never write to the same project.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Required, TypedDict

from ....core.errors import FormatError, LockedError

__all__ = ["Event", "Journal"]


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
    of: int
    candidate: str
    upto: int


class Journal:
    """An append-only list of events, numbered from 1.

    Parameters
    ----------
    path : Path
        The file; made (mode 600) where it does not exist.

    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
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
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        events: list[Event] = []
        for number, line in enumerate(content[:whole].splitlines(), 1):
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
        if whole < len(content):  # the last answer was being written when the program was killed
            os.ftruncate(self._file, whole)
            os.fsync(self._file)
        os.lseek(self._file, 0, os.SEEK_END)
        return events

    def __len__(self) -> int:
        return len(self.events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def append(self, event: Event) -> Event:
        """Write an event and return it with its number once it is on the disk."""
        numbered: Event = {"n": len(self.events) + 1, **event}
        line = json.dumps(numbered, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        end = os.lseek(self._file, 0, os.SEEK_END)
        try:
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, end)
            raise
        self.events.append(numbered)
        return numbered

    def close(self) -> None:
        """Release the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
