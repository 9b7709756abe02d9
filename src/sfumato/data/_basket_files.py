"""Shared by all basket files: batches of rows, formats, lines of text.

Messages name line numbers and counts, never what is on a line.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ..core.errors import DataError, FormatError, InputError
from ..core.files import whole_file
from .limits import current_limits
from .sources import open_bytes

__all__ = [
    "FORMATS",
    "RowBatch",
    "enumerate_lines",
    "format_of",
    "is_index",
    "open_output",
    "open_text",
    "read_lines",
    "sibling",
    "write_lines",
]

FORMATS = ("npz", "libsvm", "transactions", "csv")
_SUFFIXES = {
    ".npz": "npz",
    ".svm": "libsvm", ".libsvm": "libsvm", ".svmlight": "libsvm",
    ".txt": "transactions", ".dat": "transactions", ".basket": "transactions",
    ".csv": "csv",
}  # fmt: skip


@dataclass(frozen=True)
class RowBatch:
    """Some rows: CSR parts and a label a row where the file holds labels."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    values: npt.NDArray[np.generic]
    labels: list[str] | None = None

    @property
    def rows(self) -> int:
        return len(self.indptr) - 1

    def projected(self, to: npt.NDArray[np.int32]) -> RowBatch:
        """Renumber features; those sent to −1 are dropped."""
        new = to[self.indices]
        keep = new >= 0
        sums = np.concatenate(([0], np.cumsum(keep)))
        return RowBatch(sums[self.indptr], new[keep], self.values[keep], self.labels)


def is_index(name: str) -> bool:
    """Return whether a feature name is a libsvm index: a whole number from 1, written plainly."""
    return name.isascii() and name.isdecimal() and not name.startswith("0")


def format_of(path: Path) -> str:
    """Return the format that the file's name implies."""
    name = path.name.removesuffix(".gz")
    for suffix, kind in _SUFFIXES.items():
        if name.endswith(suffix):
            return kind
    raise FormatError(
        f"The format of {path.name!r} cannot be inferred from its name.",
        hint="use .npz, .svm (libsvm), .txt (transactions) or .csv, or give the format; a log of who has what, "
        "also in Parquet, needs --log item=COLUMN,person=COLUMN.",
    )


def sibling(path: Path, what: str) -> Path | None:
    """Find the file of labels or feature names next to a matrix: X.npz → X.labels.txt[.gz]."""
    name = path.name.removesuffix(".gz")
    stem = name[: name.rfind(".")] if "." in name else name
    for suffix in (".txt", ".txt.gz"):
        beside = path.with_name(f"{stem}.{what}{suffix}")
        if beside.is_file() and beside != path:
            return beside
    return None


def open_text(path: Path) -> IO[str]:
    """Open UTF-8 text, packed or not, within the limits."""
    return io.TextIOWrapper(open_bytes(path, current_limits()), encoding="utf-8", newline="")


def enumerate_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield numbered lines without their ends, or say that the file is not UTF-8 text."""
    number = 0
    try:
        with open_text(path) as stream:
            for number, line in enumerate(stream, 1):
                yield number, line.rstrip("\r\n")
    except FileNotFoundError:
        raise InputError(f"There is no file {path.name!r}.", hint="check the path.") from None
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile):
        raise FormatError(
            f"The file {path.name!r} is not readable as UTF-8 text after line {number}."
        ) from None


def read_lines(path: Path, *, what: str) -> list[str]:
    """Read labels or feature names, one a line."""
    lines = []
    for number, line in enumerate_lines(path):
        if not line.strip():
            raise DataError(f"Line {number} of the {what} file is empty.", hint="one a line.")
        lines.append(line)
    if not lines:
        raise DataError(f"The {what} file is empty.", hint="give one a line.")
    return lines


def write_lines(path: Path, lines: Sequence[str], *, force: bool = False) -> None:
    """Write labels or feature names, one a line."""
    if any("\n" in line or "\r" in line for line in lines):
        raise DataError("A label or feature name holds a line break.", hint="rename it.")
    with (
        whole_file(path, force=force) as beside,
        open_output(beside, packed=path.suffix == ".gz") as out,
    ):
        out.writelines(f"{line}\n" for line in lines)


def open_output(path: Path, *, packed: bool) -> IO[str]:
    """Open UTF-8 text for writing, packed or not."""
    raw: Any = path.open("wb")
    if packed:  # no time stamp and no name inside: the same rows give the same bytes
        packer = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6)
        packer.myfileobj = raw  # closed together with the packer
        raw = packer
    return io.TextIOWrapper(raw, encoding="utf-8", newline="")
