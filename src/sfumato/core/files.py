"""What is done to files, in one place: hashes, outputs that appear whole, and JSON that is the same byte for byte."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from .errors import DataError, InputError
from .storage.hashes import sha256_of, sha256_of_entries
from .storage.staging import check_output, whole_directory, whole_file

__all__ = [
    "canonical_json",
    "check_output",
    "read_json",
    "sha256_of",
    "sha256_of_entries",
    "spreadsheet_safe",
    "whole_directory",
    "whole_file",
    "write_json",
]


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
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path.name!r}.", hint="check the path.") from error
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise FormatError(f"The file {path.name!r} is not readable as JSON.") from error
