"""The writers of baskets, one per text format, batch by batch."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from ..core.errors import DataError, FormatError
from ._basket_files import FORMATS, RowBatch, is_index, open_output
from .byte_columns import Column
from .shuffling import RowPlaces, ShuffledLines

__all__ = ["BatchWriter", "open_writer"]


class BatchWriter:
    """A text file opened for writing batch by batch.

    With a private seed in `shuffle` the rows are collected and written at the end, shuffled;
    `labels_apart` are then the labels of the rows, in that order.
    """

    def __init__(self, path: Path, names: Sequence[str], *, packed: bool) -> None:
        self.names = list(names)
        self._out = open_output(path, packed=packed)
        self._path = path
        self._shuffled: ShuffledLines | None = None
        self.labels_apart: list[str] = []

    def shuffle(self, seed: int) -> None:
        """Write the rows at the end, in an order that depends on them and a private seed alone."""
        self._shuffled = ShuffledLines(self._path.parent)
        self._apart = ShuffledLines(self._path.parent)
        self._place = RowPlaces(seed, len(self.names))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._out:
            if self._shuffled is None:
                return
            with self._shuffled as lines, self._apart as labels:
                if error is None:
                    for some in lines:
                        self._out.writelines(map(_decode, some))
                    self.labels_apart += [_decode(label) for some in labels for label in some]

    def append(self, batch: RowBatch, apart: Sequence[str] | None = None) -> None:
        """Write the rows of a batch; `apart` are labels that another file will hold."""
        ends, indices = batch.indptr.tolist(), batch.indices.tolist()
        labels: Sequence[str | None] = batch.labels or [None] * batch.rows
        lines = [
            self._line(sorted(indices[ends[r] : ends[r + 1]]), labels[r]) for r in range(batch.rows)
        ]
        if self._shuffled is None:
            self._out.writelines(lines)
            return
        own = batch.labels if apart is None else apart
        places = self._place(batch.indptr, batch.indices, own)
        self._shuffled.add(Column.of(list(map(_encode, lines))), places)
        if apart is not None:
            self._apart.add(Column.of(list(map(_encode, apart))), places)

    def _line(self, features: list[int], label: str | None) -> str:
        raise NotImplementedError


def _encode(line: str) -> bytes:
    return line.encode("utf-8", "surrogatepass")


def _decode(line: bytes) -> str:
    return line.decode("utf-8", "surrogatepass")


class _LibsvmWriter(BatchWriter):
    def __init__(self, path: Path, names: Sequence[str], *, packed: bool) -> None:
        super().__init__(path, names, packed=packed)
        named = all(map(is_index, names))
        self.index = [int(n) if named else i for i, n in enumerate(names, 1)]

    def _line(self, features: list[int], label: str | None) -> str:
        items = " ".join([f"{i}:1" for i in sorted([self.index[f] for f in features])])
        return f"{label if label is not None else 0} {items}".rstrip() + "\n"


class _TransactionWriter(BatchWriter):
    def __init__(self, path: Path, names: Sequence[str], *, packed: bool) -> None:
        if any(len(name.split()) != 1 for name in names):
            raise DataError("An item name holds white space.", hint="use the CSV format.")
        super().__init__(path, names, packed=packed)

    def _line(self, features: list[int], label: str | None) -> str:  # noqa: ARG002
        return " ".join([self.names[f] for f in features]) + "\n"


class _CsvWriter(BatchWriter):
    def __init__(
        self, path: Path, names: Sequence[str], label_column: str | None, *, packed: bool
    ) -> None:
        super().__init__(path, names, packed=packed)
        self.labelled = label_column is not None
        self._quoted: dict[str, str] = {}
        header = csv.writer(self._out, lineterminator="\n")
        header.writerow([*names, *([label_column] if label_column is not None else [])])

    def _line(self, features: list[int], label: str | None) -> str:
        cells = ["0"] * len(self.names)
        for f in features:
            cells[f] = "1"
        if self.labelled:
            cells.append(self._label(label or ""))
        return ",".join(cells) + "\n"

    def _label(self, label: str) -> str:
        """Return a label as a CSV cell; only labels can need quotes."""
        if label not in self._quoted:
            cell = io.StringIO()
            csv.writer(cell, lineterminator="").writerow([label, ""])
            self._quoted[label] = cell.getvalue()[:-1]
        return self._quoted[label]


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
