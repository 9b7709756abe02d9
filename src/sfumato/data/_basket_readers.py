"""The readers of baskets, one per format, batch by batch.

Messages name line numbers and counts, never what is on a line.
"""

from __future__ import annotations

import csv
import gzip
import zipfile
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..core.errors import DataError, FormatError, InputError
from ._basket_files import RowBatch, enumerate_lines, open_text
from .limits import Limits, current_limits

if TYPE_CHECKING:
    import numpy.typing as npt
    import scipy.sparse as sp

__all__ = ["BatchReader", "open_batches"]

_LABEL_COLUMNS = ("y", "label", "class")


class BatchReader(Protocol):
    """A file opened for reading; `names` may grow while batches of transactions are read."""

    names: list[str]
    label_column: str | None

    def batches(self) -> Iterator[RowBatch]: ...


class _RowBuffer:
    """Rows gathered until there are enough for a batch."""

    def __init__(self) -> None:
        self.ends = array("q", [0])
        self.indices = array("i")
        self.labels: list[str] = []

    def end_row(self, label: str | None = None) -> None:
        self.ends.append(len(self.indices))
        if label is not None:
            self.labels.append(label)

    def batch(self) -> RowBatch:
        indices = np.frombuffer(self.indices, dtype=np.int32).copy() if self.indices else (
            np.zeros(0, dtype=np.int32))  # fmt: skip
        return RowBatch(
            np.frombuffer(self.ends, dtype=np.int64).copy(),
            indices,
            np.ones(len(indices), dtype=np.uint8),
            self.labels or None,
        )

    def __len__(self) -> int:
        return len(self.ends) - 1


class _Npz:
    """A matrix that scipy saved, in one of its compressed forms or as coordinates.

    Nothing of it reaches a compiled loop before every index, pointer and shape was checked: scipy
    itself takes them as they are.
    """

    label_column: str | None = None

    def __init__(self, path: Path, names: Sequence[str] | None) -> None:
        limits = current_limits()
        try:
            with zipfile.ZipFile(path) as archive:
                size = sum(entry.file_size for entry in archive.infolist())
            limits.check_expansion(path.name, path.stat().st_size, size)
            with np.load(path, allow_pickle=False) as arrays:
                self.matrix = _build_matrix(arrays, path, limits)
        except InputError:
            raise
        except Exception:
            raise FormatError(
                f"The file {path.name!r} is not a scipy sparse matrix.",
                hint="write it with scipy.sparse.save_npz.",
            ) from None
        d = self.matrix.shape[1]
        if names is not None and len(names) != d:
            raise DataError(f"There are {len(names)} feature names for {d} features.")
        if names is None:
            limits.check_features(path.name, path.stat().st_size, d)
        self.names = list(names) if names is not None else [f"f{i}" for i in range(d)]

    def batches(self) -> Iterator[RowBatch]:
        m = self.matrix
        yield RowBatch(m.indptr.astype(np.int64), m.indices, m.data)


def _build_matrix(arrays: Mapping[str, Any], path: Path, limits: Limits) -> sp.csr_matrix:
    """Build the matrix from the arrays of a .npz file, or say that they do not fit each other."""
    import scipy.sparse as sp

    kind = arrays["format"].item()
    kind = kind.decode() if isinstance(kind, bytes) else kind
    if kind not in {"csr", "csc", "coo"}:
        raise FormatError(
            f"The file {path.name!r} holds a sparse matrix of a form that is not read here.",
            hint="save it as matrix.tocsr().",
        )
    shape, data = arrays["shape"], arrays["data"]
    if shape.dtype.kind not in "iu" or shape.shape != (2,) or not (shape >= 0).all():
        raise FormatError(f"The file {path.name!r} does not hold a matrix.")
    n, d = map(int, shape)
    if d > limits.features:
        raise limits.error(f"The number of features of {path.name!r}", "features")
    # Rows without anything in them take no place in the file.
    limits.check_expansion(path.name, path.stat().st_size, 8 * n)
    if data.dtype.kind not in "biuf" or data.ndim != 1:
        raise FormatError(f"The file {path.name!r} does not hold a matrix of numbers.")
    if kind == "coo":
        row, col = _places(arrays["row"], n, data.size), _places(arrays["col"], d, data.size)
        if row is None or col is None:
            raise _misfit(path)
        return sp.csr_matrix((data, (row, col)), shape=(n, d))
    major, minor = (n, d) if kind == "csr" else (d, n)
    pointer = arrays["indptr"]
    indices = _places(arrays["indices"], minor, data.size)
    fits = (
        pointer.dtype.kind in "iu"
        and pointer.shape == (major + 1,)
        and pointer[0] == 0
        and pointer[-1] == data.size
        and bool((pointer[1:] >= pointer[:-1]).all())
    )
    if indices is None or not fits:
        raise _misfit(path)
    made = sp.csr_matrix if kind == "csr" else sp.csc_matrix
    return sp.csr_matrix(made((data, indices, pointer.astype(np.int64)), shape=(n, d)))


def _places(
    indices: npt.NDArray[np.integer], most: int, count: int
) -> npt.NDArray[np.integer] | None:
    """Return indices that are all in [0, most) and are as many as said; None otherwise."""
    if indices.dtype.kind not in "iu" or indices.shape != (count,):
        return None
    if count and (int(indices.min()) < 0 or int(indices.max()) >= most):
        return None
    return indices


def _misfit(path: Path) -> FormatError:
    return FormatError(
        f"The file {path.name!r} holds an index, a pointer or a shape that does not fit the others.",
        hint="write it again with scipy.sparse.save_npz.",
    )


class _Libsvm:
    """`label index:1 index:1 …`, one-based; names are the indices unless a names file gives them."""

    label_column: str | None = None

    def __init__(self, path: Path, names: Sequence[str] | None, batch_rows: int) -> None:
        self.path = path
        self.batch_rows = batch_rows
        self.given = None if names is None else list(names)
        self.names = [] if names is None else list(names)

    def batches(self) -> Iterator[RowBatch]:
        rows, widest, limits = _RowBuffer(), 0, current_limits()
        for number, line in enumerate_lines(self.path):
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
                if i > limits.features:
                    raise limits.error(
                        f"An index on line {number} of {self.path.name!r}", "features"
                    )
                last = i
                if value in {"0", "0.0"}:
                    continue
                if value not in {"1", "1.0"}:
                    raise DataError(
                        f"A value on line {number} of {self.path.name!r} is neither 0 nor 1.",
                        hint="turn counts into columns of 0 and 1 first.",
                    )
                rows.indices.append(i - 1)
            widest = max(widest, last)
            self._grow(widest, number)
            rows.end_row(tokens[0])
            if len(rows) == self.batch_rows:
                yield rows.batch()
                rows = _RowBuffer()
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
            current_limits().check_features(self.path.name, self.path.stat().st_size, widest)
            self.names += [str(i + 1) for i in range(len(self.names), widest)]


class _Transactions:
    """One row of items a line, separated by white space; an empty line is a row without items."""

    label_column: str | None = None

    def __init__(self, path: Path, names: Sequence[str] | None, batch_rows: int) -> None:
        self.path = path
        self.batch_rows = batch_rows
        self.names = [] if names is None else list(names)
        self.closed = names is not None

    def batches(self) -> Iterator[RowBatch]:
        number_of = {name: i for i, name in enumerate(self.names)}
        rows, limits = _RowBuffer(), current_limits()
        for number, line in enumerate_lines(self.path):
            found = set()
            for item in line.split():
                i = number_of.get(item)
                if i is None:
                    if self.closed:
                        raise DataError(
                            f"An item on line {number} of {self.path.name!r} is not in the file of "
                            "feature names.",
                        )
                    if len(self.names) == limits.features:
                        raise limits.error(f"The number of items of {self.path.name!r}", "features")
                    i = number_of[item] = len(self.names)
                    self.names.append(item)
                found.add(i)
            rows.indices.extend(sorted(found))
            rows.end_row()
            if len(rows) == self.batch_rows:
                yield rows.batch()
                rows = _RowBuffer()
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
        if len(header) > current_limits().features:
            raise current_limits().error(f"The number of columns of {path.name!r}", "features")
        header[0] = header[0].removeprefix("\ufeff")
        for mark, name in ((";", "semicolons"), ("\t", "tabs")):
            if len(header) == 1 and mark in header[0]:
                raise FormatError(
                    f"The columns of {path.name!r} are separated by {name}, a matrix by commas.",
                    hint="write it with commas; a log (--log item=COLUMN,person=COLUMN) may have any separator.",
                )
        if len(set(header)) < len(header):
            raise DataError(
                f"{len(header) - len(set(header))} column name(s) of {path.name!r} are used more "
                "than once.",
                hint="give each feature a different name.",
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
            with open_text(self.path) as stream:
                yield from csv.reader(stream, strict=True)
        except UnicodeDecodeError:
            raise FormatError(
                f"The file {self.path.name!r} is not UTF-8 text.",
                hint="convert it: iconv -f CP1252 -t UTF-8 (or LATIN1).",
            ) from None
        except (csv.Error, EOFError, gzip.BadGzipFile):
            raise FormatError(f"The file {self.path.name!r} is not readable as CSV.") from None

    def batches(self) -> Iterator[RowBatch]:
        rows = _RowBuffer()
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
                rows = _RowBuffer()
        if len(rows):
            yield rows.batch()

    def _number(self, cell: str, number: int, i: int, rows: _RowBuffer) -> None:
        """Take 1.0, true and their like; refuse everything else."""
        word = cell.strip().lower()
        if word in {"1", "1.0", "true"}:
            rows.indices.append(i)
        elif word not in {"0", "0.0", "false"}:
            column = i + 1 + (0 <= self.label_at <= i)
            raise DataError(
                f"The cell in column {column:,} of record {number} of {self.path.name!r} is neither 0 nor 1.",
                hint="name the column of the labels by --labels COLUMN, and those of a log by --log "
                "item=COLUMN,person=COLUMN; leave out a column that numbers the rows, and turn counts and "
                "categories into columns of 0 and 1 first.",
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
