"""The writers of baskets, one a text format, batch by batch."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from ..core.errors import DataError, FormatError
from ._basket_files import FORMATS, Batch, is_index, open_output

__all__ = ["BatchWriter", "open_writer"]


class BatchWriter:
    """A text file opened for writing batch by batch."""

    def __init__(self, path: Path, names: Sequence[str], *, packed: bool) -> None:
        self.names = list(names)
        self._out = open_output(path, packed=packed)

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
