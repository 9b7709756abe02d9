"""Operations on files: hashes, checks that inputs are unchanged, outputs that appear whole, canonical JSON."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .errors import DataError, InputChangedError, InputError
from .storage.hashes import sha256_of, sha256_of_entries
from .storage.staging import check_output, whole_directory, whole_file

__all__ = [
    "ReadFiles",
    "canonical_json",
    "check_is_file",
    "check_output",
    "check_plain_file",
    "read_json",
    "sha256_of",
    "sha256_of_entries",
    "spreadsheet_safe",
    "whole_directory",
    "whole_file",
    "write_json",
]


def check_is_file(path: Path) -> None:
    """Refuse what is not one plain file: nothing at all, a folder, a pipe."""
    check_plain_file(path)
    if path.is_dir():
        raise InputError(
            f"{path.resolve().name!r} is a folder, not a file.", hint="name the file in it."
        )
    if not path.is_file():
        raise InputError(f"There is no file {path.name!r}.", hint="check the path.")


def check_plain_file(path: Path) -> None:
    """Refuse a pipe, a device or a socket: reading one may never end, and it cannot be read twice.

    A name that does not exist, and a folder, are reported elsewhere.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(
            f"{path.name!r} is a pipe or a device, not a plain file.",
            hint="write its content into a file first.",
        )


class ReadFiles:
    """Files or folders that are read while something is made of them, perhaps more than once.

    What is made is true of them only if they stayed the same from the first look to the last.

    Parameters
    ----------
    paths : iterable of paths
        What is read; looked at once now.

    """

    def __init__(self, paths: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.paths = [Path(path) for path in paths]
        self._states = [_state_of(path) for path in self.paths]
        self._hashes: list[str] | None = None

    def hashes(self) -> list[str]:
        """Return the hash of each; they are hashed once."""
        if self._hashes is None:
            self._hashes = list(map(sha256_of, self.paths))
        return self._hashes

    def check(self) -> None:
        """Raise if one of them has changed."""
        try:
            same = [_state_of(path) for path in self.paths] == self._states
            same = same and self.hashes() == list(map(sha256_of, self.paths))
        except OSError:
            same = False
        if not same:
            raise InputChangedError


def _state_of(path: Path) -> list[tuple[str, int, int, int]]:
    """Return which file this is, how long, and when it was written; for a folder, of all that is in it."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    states = ((os.fspath(file), file.stat()) for file in files)
    return [(name, state.st_ino, state.st_size, state.st_mtime_ns) for name, state in states]


def canonical_json(value: object) -> str:
    """Render JSON in one way only: sorted keys, no NaN, newline at the end.

    >>> canonical_json({"b": 1, "a": [0.5]})
    '{\\n "a": [\\n  0.5\\n ],\\n "b": 1\\n}\\n'
    """
    try:
        return (
            json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
        )
    except ValueError as error:
        raise DataError("A figure to be written is not a finite number.") from error


_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?")


def spreadsheet_safe(cell: str) -> str:
    """Put an apostrophe before what a spreadsheet would run as a formula; numbers stay numbers.

    >>> spreadsheet_safe("=HYPERLINK(A1)"), spreadsheet_safe("-3.5")
    ("'=HYPERLINK(A1)", '-3.5')
    """
    return "'" + cell if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def write_json(path: str | os.PathLike[str], value: object, *, force: bool = False) -> None:
    """Write canonical JSON, whole or not at all."""
    text = canonical_json(value)
    with whole_file(path, force=force) as beside:
        beside.write_text(text, encoding="utf-8")


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file, or say in one sentence why it cannot be read."""
    from .errors import FormatError

    path = Path(path)
    check_plain_file(path)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path.name!r}.", hint="check the path.") from error
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise FormatError(f"The file {path.name!r} is not readable as JSON.") from error
