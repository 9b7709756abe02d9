"""Files of one JSON value per line, appended whole and written to disk before the call returns.

A line ends at "\\n" alone: other characters that end a line elsewhere, such as U+2028, may be part of a
text. What follows the last "\\n" was being written when a program was killed, and is dropped.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

__all__ = ["append_line", "open_lines", "read_lines", "write_line"]

_BLOCK = 1 << 16


def open_lines(path: Path) -> int:
    """Open a file of lines for `write_line`; made (mode 600) where it does not exist."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def write_line(file: int, value: object, *, sync: bool = True) -> None:
    """Append a value to an open file as one line, or leave the file as it was.

    Parameters
    ----------
    file : int
        A descriptor from `open_lines`; the caller keeps others from writing.
    value : object
        What JSON can hold.
    sync : bool, default=True
        Whether the line is on the disk when this returns.

    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    line = text.encode("utf-8", "surrogatepass") + b"\n"
    end = _whole(file)
    try:
        while line:
            line = line[os.write(file, line) :]
        if sync:
            os.fsync(file)
    except OSError:
        os.ftruncate(file, end)
        raise


def append_line(path: Path, value: object, *, sync: bool = True) -> None:
    """Append a value to a file as one line; waits while another program does the same.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     append_line(Path(folder, "notes.jsonl"), {"note": "two\\u2028lines"})
    ...     [json.loads(line) for line in read_lines(Path(folder, "notes.jsonl"))]
    [{'note': 'two\\u2028lines'}]
    """
    file = open_lines(path)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_line(file, value, sync=sync)
    finally:
        os.close(file)


def read_lines(path: Path) -> list[bytes]:
    """Read the whole lines of a file, for `json.loads`; an unfinished last line is skipped."""
    return path.read_bytes().split(b"\n")[:-1]


def _whole(file: int) -> int:
    """Cut off a torn last line and go to the end; return where that is."""
    size = end = os.lseek(file, 0, os.SEEK_END)
    while end and os.pread(file, 1, end - 1) != b"\n":
        start = max(0, end - _BLOCK)
        end = start + os.pread(file, end - start, start).rfind(b"\n") + 1
    if end < size:
        os.ftruncate(file, end)
    return os.lseek(file, end, os.SEEK_SET)
