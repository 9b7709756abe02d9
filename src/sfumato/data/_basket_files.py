"""The file formats of baskets, one reader and one writer each, batch by batch.

Messages name line numbers and counts, never what stands on a line.
"""

from __future__ import annotations

import csv
import gzip
import io
import zipfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from ..core.errors import DataError, FormatError, InputError, LimitError
from ..core.files import whole_file
from .limits import Limits
from .sources import open_bytes

__all__ = [
    "FORMATS",
    "Batch",
    "BatchWriter",
    "format_of",
    "is_index",
    "open_batches",
    "open_writer",
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
_LABEL_COLUMNS = ("y", "label", "class")


@dataclass(frozen=True)
class Batch:
    """Some rows: CSR parts and a label a row where the file holds labels."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    values: npt.NDArray[Any]
    labels: list[str] | None = None

    @property
    def rows(self) -> int:
        return len(self.indptr) - 1

    def projected(self, to: npt.NDArray[np.int32]) -> Batch:
        """Renumber features; those sent to −1 are dropped."""
        new = to[self.indices]
        keep = new >= 0
        sums = np.concatenate(([0], np.cumsum(keep)))
        return Batch(sums[self.indptr], new[keep], self.values[keep], self.labels)


def is_index(name: str) -> bool:
    """Say whether a feature name is a libsvm index: a whole number from 1, written plainly."""
    return name.isascii() and name.isdecimal() and not name.startswith("0")


def format_of(path: Path) -> str:
    """Tell the format by the file's name."""
    name = path.name.removesuffix(".gz")
    for suffix, kind in _SUFFIXES.items():
        if name.endswith(suffix):
            return kind
    raise FormatError(
        f"The format of {path.name!r} cannot be told by its name.",
        hint="use .npz, .svm (libsvm), .txt (transactions) or .csv, or give the format.",
    )


def sibling(path: Path, what: str) -> Path | None:
    """Find the file of labels or feature names beside a matrix: X.npz → X.labels.txt[.gz]."""
    name = path.name.removesuffix(".gz")
    stem = name[: name.rfind(".")] if "." in name else name
    for suffix in (".txt", ".txt.gz"):
        beside = path.with_name(f"{stem}.{what}{suffix}")
        if beside.is_file() and beside != path:
            return beside
    return None


def _text(path: Path) -> IO[str]:
    return io.TextIOWrapper(open_bytes(path, Limits()), encoding="utf-8", newline="")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield numbered lines without their ends, or say that the file is not UTF-8 text."""
    number = 0
    try:
        with _text(path) as stream:
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
    for number, line in _lines(path):
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
    with whole_file(path, force=force) as beside, _out(beside, packed=path.suffix == ".gz") as out:
        out.writelines(f"{line}\n" for line in lines)


def _out(path: Path, *, packed: bool) -> IO[str]:
    raw: Any = path.open("wb")
    if packed:  # no time stamp and no name inside: the same rows give the same bytes
        packer = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6)
        packer.myfileobj = raw  # closed together with the packer
        raw = packer
    return io.TextIOWrapper(raw, encoding="utf-8", newline="")


class BatchReader(Protocol):
    """A file opened for reading; `names` may grow while batches of transactions are read."""

    names: list[str]
    label_column: str | None

    def batches(self) -> Iterator[Batch]: ...


class _Rows:
    """Rows gathered until there are enough for a batch."""

    def __init__(self) -> None:
        self.ends = array("q", [0])
        self.indices = array("i")
        self.labels: list[str] = []

    def end_row(self, label: str | None = None) -> None:
        self.ends.append(len(self.indices))
        if label is not None:
            self.labels.append(label)

    def batch(self) -> Batch:
        indices = np.frombuffer(self.indices, dtype=np.int32).copy() if self.indices else (
            np.zeros(0, dtype=np.int32))  # fmt: skip
        return Batch(
            np.frombuffer(self.ends, dtype=np.int64).copy(),
            indices,
            np.ones(len(indices), dtype=np.uint8),
            self.labels or None,
        )

    def __len__(self) -> int:
        return len(self.ends) - 1


def _check_zip(path: Path) -> None:
    """Refuse an archive that would grow beyond all measure, before anything is unpacked."""
    limits = Limits()
    with zipfile.ZipFile(path) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    ratio = size // max(1, path.stat().st_size)
    if size > limits.expansion_from and ratio > limits.expansion:
        raise limits.error(
            f"The file {path.name!r} grows {ratio:,} times when unpacked, which", "expansion"
        )


class _Npz:
    label_column: str | None = None

    def __init__(self, path: Path, names: Sequence[str] | None) -> None:
        import scipy.sparse as sp

        try:
            _check_zip(path)
            matrix = sp.load_npz(path)
        except LimitError:
            raise
        except Exception:
            raise FormatError(
                f"The file {path.name!r} is not a scipy sparse matrix.",
                hint="write it with scipy.sparse.save_npz.",
            ) from None
        if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
            raise FormatError(f"The file {path.name!r} does not hold a matrix of numbers.")
        d = matrix.shape[1]
        if d > Limits().features:
            raise Limits().error(f"The number of features of {path.name!r}", "features")
        self.matrix = sp.csr_matrix(matrix)
        if names is not None and len(names) != d:
            raise DataError(f"There are {len(names)} feature names for {d} features.")
        self.names = list(names) if names is not None else [f"f{i}" for i in range(d)]

    def batches(self) -> Iterator[Batch]:
        m = self.matrix
        yield Batch(m.indptr.astype(np.int64), m.indices, m.data)


class _Libsvm:
    """`label index:1 index:1 …`, one-based; names are the indices unless a names file gives them."""

    label_column: str | None = None

    def __init__(self, path: Path, names: Sequence[str] | None, batch_rows: int) -> None:
        self.path = path
        self.batch_rows = batch_rows
        self.given = None if names is None else list(names)
        self.names = [] if names is None else list(names)

    def batches(self) -> Iterator[Batch]:
        rows, widest = _Rows(), 0
        for number, line in _lines(self.path):
            tokens = line.partition("#")[0].split()
            if not tokens:
                continue
            last = 0
            for token in tokens[1:]:
                index, colon, value = token.partition(":")
                if not (colon and index.isdecimal()):
                    raise FormatError(
                        f"Line {number} of {self.path.name!r} is not in libsvm form.",
                        hint="each line is: label index:1 index:1 …",
                    )
                i = int(index) if len(index) < 12 else 2**31
                if i <= last:
                    raise FormatError(
                        f"The indices on line {number} of {self.path.name!r} do not rise from 1.",
                        hint="libsvm indices start at 1 and rise along the line.",
                    )
                if i > Limits().features:
                    raise Limits().error(
                        f"An index on line {number} of {self.path.name!r}", "features"
                    )
                last = i
                if value in {"0", "0.0"}:
                    continue
                if value not in {"1", "1.0"}:
                    raise DataError(
                        f"A value on line {number} of {self.path.name!r} is neither 0 nor 1.",
                        hint="turn counts into binary literals first (sfumato.data.literals).",
                    )
                rows.indices.append(i - 1)
            widest = max(widest, last)
            self._grow(widest, number)
            rows.end_row(tokens[0])
            if len(rows) == self.batch_rows:
                yield rows.batch()
                rows = _Rows()
        if len(rows):
            yield rows.batch()

    def _grow(self, widest: int, line: int) -> None:
        if self.given is not None:
            if widest > len(self.given):
                raise DataError(
                    f"An index on line {line} of {self.path.name!r} has no feature name.",
                    hint=f"the file of names holds {len(self.given)}.",
                )
        elif widest > len(self.names):
            self.names += [str(i + 1) for i in range(len(self.names), widest)]


class _Transactions:
    """One row of items a line, separated by white space; an empty line is a row without items."""

    label_column: str | None = None

    def __init__(self, path: Path, names: Sequence[str] | None, batch_rows: int) -> None:
        self.path = path
        self.batch_rows = batch_rows
        self.names = [] if names is None else list(names)
        self.closed = names is not None

    def batches(self) -> Iterator[Batch]:
        number_of = {name: i for i, name in enumerate(self.names)}
        rows = _Rows()
        for number, line in _lines(self.path):
            found = set()
            for item in line.split():
                i = number_of.get(item)
                if i is None:
                    if self.closed:
                        raise DataError(
                            f"An item on line {number} of {self.path.name!r} is not in the file of "
                            "feature names.",
                        )
                    i = number_of[item] = len(self.names)
                    self.names.append(item)
                found.add(i)
            rows.indices.extend(sorted(found))
            rows.end_row()
            if len(rows) == self.batch_rows:
                yield rows.batch()
                rows = _Rows()
        if len(rows):
            yield rows.batch()


class _Csv:
    """A header of feature names and cells of 0 and 1; one column may hold the label."""

    def __init__(
        self, path: Path, label_column: str | None, batch_rows: int, *, own_labels: bool
    ) -> None:
        self.path = path
        self.batch_rows = batch_rows
        header = next(self._records(), None)
        if not header:
            raise DataError(f"The file {path.name!r} is empty.", hint="give a header and rows.")
        header[0] = header[0].removeprefix("\ufeff")
        if len(set(header)) < len(header):
            raise DataError(
                f"{len(header) - len(set(header))} column name(s) of {path.name!r} are used more "
                "than once.",
                hint="give each feature a name of its own.",
            )
        self.label_column = label_column
        if label_column is not None and label_column not in header:
            raise InputError(
                f"{path.name!r} has no column for the labels of the name that was given, and there "
                "is no such file.",
                hint="name a column of the header or a file with one label a line.",
            )
        if label_column is None and own_labels and header[-1].lower() in _LABEL_COLUMNS:
            self.label_column = header[-1]
        self.label_at = -1 if self.label_column is None else header.index(self.label_column)
        self.header = header
        self.names = [h for i, h in enumerate(header) if i != self.label_at]

    def _records(self) -> Iterator[list[str]]:
        try:
            with _text(self.path) as stream:
                yield from csv.reader(stream, strict=True)
        except (UnicodeDecodeError, csv.Error, EOFError, gzip.BadGzipFile):
            raise FormatError(f"The file {self.path.name!r} is not readable as CSV.") from None

    def batches(self) -> Iterator[Batch]:
        rows = _Rows()
        records = self._records()
        next(records)
        width, at = len(self.header), self.label_at
        for number, cells in enumerate(records, 2):
            if not cells:
                continue
            if len(cells) != width:
                raise FormatError(
                    f"Record {number} of {self.path.name!r} has {len(cells)} cells, the header {width}."
                )
            label = None
            if at >= 0:
                label = cells.pop(at)
                if not label:
                    raise DataError(f"Record {number} of {self.path.name!r} has no label.")
            for i, cell in enumerate(cells):
                if cell == "1":
                    rows.indices.append(i)
                elif cell != "0":
                    self._number(cell, number, i, rows)
            rows.end_row(label)
            if len(rows) == self.batch_rows:
                yield rows.batch()
                rows = _Rows()
        if len(rows):
            yield rows.batch()

    def _number(self, cell: str, number: int, i: int, rows: _Rows) -> None:
        """Take 1.0, true and their like; refuse everything else."""
        word = cell.strip().lower()
        if word in {"1", "1.0", "true"}:
            rows.indices.append(i)
        elif word not in {"0", "0.0", "false"}:
            raise DataError(
                f"A cell of record {number} of {self.path.name!r} is neither 0 nor 1.",
                hint="turn counts and categories into binary literals first (sfumato.data.literals).",
            )


def open_batches(
    path: Path,
    kind: str,
    *,
    names: Sequence[str] | None = None,
    label_column: str | None = None,
    own_labels: bool = True,
    batch_rows: int = 65536,
) -> BatchReader:
    """Open a file for reading batch by batch."""
    if kind == "npz":
        return _Npz(path, names)
    if kind == "libsvm":
        return _Libsvm(path, names, batch_rows)
    if kind == "transactions":
        return _Transactions(path, names, batch_rows)
    return _Csv(path, label_column, batch_rows, own_labels=own_labels)


class BatchWriter:
    """A text file opened for writing batch by batch."""

    def __init__(self, path: Path, names: Sequence[str], *, packed: bool) -> None:
        self.names = list(names)
        self._out = _out(path, packed=packed)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._out.close()

    def append(self, batch: Batch) -> None:
        """Write the rows of a batch."""
        ends = batch.indptr
        for r in range(batch.rows):
            row = batch.indices[ends[r] : ends[r + 1]]
            self._row(sorted(row.tolist()), None if batch.labels is None else batch.labels[r])

    def _row(self, features: list[int], label: str | None) -> None:
        raise NotImplementedError


class _LibsvmWriter(BatchWriter):
    def __init__(self, path: Path, names: Sequence[str], *, packed: bool) -> None:
        super().__init__(path, names, packed=packed)
        named = all(map(is_index, names))
        self.index = [int(n) if named else i for i, n in enumerate(names, 1)]

    def _row(self, features: list[int], label: str | None) -> None:
        items = " ".join(f"{i}:1" for i in sorted(self.index[f] for f in features))
        self._out.write(f"{label if label is not None else 0} {items}".rstrip() + "\n")


class _TransactionWriter(BatchWriter):
    def __init__(self, path: Path, names: Sequence[str], *, packed: bool) -> None:
        if any(len(name.split()) != 1 for name in names):
            raise DataError("An item name holds white space.", hint="use the CSV format.")
        super().__init__(path, names, packed=packed)

    def _row(self, features: list[int], label: str | None) -> None:  # noqa: ARG002
        self._out.write(" ".join(self.names[f] for f in features) + "\n")


class _CsvWriter(BatchWriter):
    def __init__(
        self, path: Path, names: Sequence[str], label_column: str | None, *, packed: bool
    ) -> None:
        super().__init__(path, names, packed=packed)
        self.labelled = label_column is not None
        self._csv = csv.writer(self._out, lineterminator="\n")
        self._csv.writerow([*names, *([label_column] if label_column is not None else [])])

    def _row(self, features: list[int], label: str | None) -> None:
        cells = ["0"] * len(self.names)
        for f in features:
            cells[f] = "1"
        if self.labelled:
            cells.append(label or "")
        self._csv.writerow(cells)


def open_writer(
    path: Path, kind: str, names: Sequence[str], *, label_column: str | None, packed: bool
) -> BatchWriter:
    """Open a text file for writing in the given format."""
    if kind == "libsvm":
        return _LibsvmWriter(path, names, packed=packed)
    if kind == "transactions":
        return _TransactionWriter(path, names, packed=packed)
    if kind == "csv":
        return _CsvWriter(path, names, label_column, packed=packed)
    raise FormatError(f"Unknown format {kind!r}.", hint=f"one of {', '.join(FORMATS)}.")
