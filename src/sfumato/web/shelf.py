"""The shelf: candidates that somebody put aside, each with a note; kept in a file beside the frontier."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path

from ..core.errors import InputError

__all__ = ["Shelf"]

_LONGEST = 500


class Shelf:
    """Candidates with notes, the newest last.

    Parameters
    ----------
    path : Path
        The file, one JSON object per line.

    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def rows(self) -> list[dict[str, str]]:
        """Return what is on the shelf; lines that cannot be read are left out."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return []
        found: dict[tuple[str, str], dict[str, str]] = {}
        for line in lines:
            try:
                row = {k: str(v) for k, v in json.loads(line).items()}
                found[row["part"], row["candidate"]] = row
            except (ValueError, KeyError, AttributeError):
                continue
        return list(found.values())

    def add(self, given: Mapping[str, object]) -> None:
        """Put a candidate on the shelf, or change its note."""
        row = {key: str(given.get(key, ""))[:_LONGEST] for key in ("part", "candidate", "note")}
        if not row["part"] or not row["candidate"]:
            raise InputError("The shelf takes a part and a candidate.")
        line = json.dumps(row, ensure_ascii=False).encode() + b"\n"
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)  # two pages may show the same folder
            end = os.lseek(file, 0, os.SEEK_END)
            if end and os.pread(file, 1, end - 1) != b"\n":
                line = b"\n" + line  # a kill left half a line
            try:
                while line:
                    line = line[os.write(file, line) :]
                os.fsync(file)
            except OSError:
                os.ftruncate(file, end)
                raise
        finally:
            os.close(file)
