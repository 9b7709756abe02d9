"""Outputs appear whole or not at all: written beside their place, then renamed into it.

Also the hashes by which releases name their inputs, and the JSON form that is the same byte for byte.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .errors import DataError, InputError, OutputExistsError

__all__ = [
    "canonical_json",
    "check_output",
    "read_json",
    "sha256_of",
    "spreadsheet_safe",
    "whole_directory",
    "whole_file",
    "write_json",
]


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Hash a file, or a folder as the hash of its files' relative names and hashes."""
    path = Path(path)
    digest = hashlib.sha256()
    if path.is_dir():
        for file in sorted(p for p in path.rglob("*") if p.is_file()):
            digest.update(f"{file.relative_to(path).as_posix()}\0{sha256_of(file)}\n".encode())
        return digest.hexdigest()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def canonical_json(value: Any) -> str:
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


def check_output(path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Refuse an output that exists, before any work is done; clear what killed runs left beside it."""
    path = Path(path)
    if path.exists() and not force:
        raise OutputExistsError(
            f"The output {path.name!r} exists already.", hint="give --force to replace it."
        )
    if not path.absolute().parent.is_dir():
        raise InputError(
            f"The folder for the output {path.name!r} does not exist.", hint="create it first."
        )
    _clear_stale(path)
    return path


@contextmanager
def whole_file(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """Give a temporary path beside the target; rename it into place when the block ends well.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder) / "a.txt") as beside:
    ...         _ = beside.write_text("done")
    ...     (Path(folder) / "a.txt").read_text()
    'done'
    """
    target = check_output(path, force=force)
    beside = target.with_name(f".{target.name}.partial-{os.getpid()}")
    try:
        yield beside
        with beside.open("rb+") as stream:
            os.fsync(stream.fileno())
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def whole_directory(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """Give a temporary folder beside the target; rename it into place when the block ends well."""
    target = check_output(path, force=force)
    beside = target.with_name(f".{target.name}.partial-{os.getpid()}")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    try:
        yield beside
        if target.exists():
            replaced = target.with_name(f".{target.name}.replaced-{os.getpid()}")
            os.replace(target, replaced)
            os.replace(beside, target)
            shutil.rmtree(replaced) if replaced.is_dir() else replaced.unlink()
        else:
            os.replace(beside, target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _clear_stale(target: Path) -> None:
    """Remove what killed runs of this machine left beside the target."""
    name = re.escape(target.name)
    for entry in target.absolute().parent.iterdir():
        found = re.fullmatch(rf"\.{name}\.(?:partial|replaced)-(\d+)", entry.name)
        if found and not _is_alive(int(found[1])):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OverflowError, PermissionError):
        return True
    return True


def write_json(path: str | os.PathLike[str], value: Any, *, force: bool = False) -> None:
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
