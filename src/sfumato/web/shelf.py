"""The shelf: candidates that somebody put aside, each with a note; kept in a file next to the frontier."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from ..core.errors import InputError
from ..core.lines import append_line, read_lines

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
        """Return what is on the shelf; lines that cannot be read are skipped."""
        try:
            lines = read_lines(self.path)
        except OSError:
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
        append_line(self.path, row)
