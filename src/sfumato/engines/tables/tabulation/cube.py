"""A table of counts over some columns with all its margins, as one array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError
from ....data.attributes import MISSING
from ....data.table_source import TableSource, cell_text, quote_name, quote_text

__all__ = ["TOTAL", "Cube", "count_cube"]

TOTAL = "Total"
_MOST_CELLS = 5_000_000

Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Cube:
    """Counts by the values of some columns; the last place of each dimension is its total."""

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    counts: npt.NDArray[np.int64]

    @classmethod
    def of_inner(
        cls,
        names: Sequence[str],
        values: Sequence[Sequence[str]],
        inner: npt.NDArray[np.integer],
    ) -> Cube:
        """Return the cube of inner counts, with its margins added."""
        counts = np.asarray(inner, dtype=np.int64)
        for axis in range(counts.ndim):
            counts = np.concatenate((counts, counts.sum(axis=axis, keepdims=True)), axis=axis)
        return cls(tuple(names), tuple((*v, TOTAL) for v in values), counts)

    @property
    def inner(self) -> npt.NDArray[np.int64]:
        """The counts without totals."""
        return self.counts[tuple(slice(-1) for _ in self.names)]

    @cached_property
    def relations(self) -> list[tuple[npt.NDArray[np.int64], int]]:
        """What must add up: the places of parts (in the flattened array), and that of their total."""
        flat = np.arange(self.counts.size).reshape(self.counts.shape)
        found = []
        for axis in range(flat.ndim):
            lines = np.moveaxis(flat, axis, -1).reshape(-1, flat.shape[axis])
            found += [(line[:-1], int(line[-1])) for line in lines]
        return found

    def rows(self) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
        """Yield the labels and the place of every cell."""
        for place in np.ndindex(self.counts.shape):
            yield tuple(self.values[a][i] for a, i in enumerate(place)), place


def count_cube(opened: TableSource, by: Sequence[str]) -> Cube:
    """Count the rows of a table by some columns; a missing cell is a separate value."""
    opened.require(by)
    if len(set(by)) != len(by):
        raise DataError("A column is named twice in what to count by.")
    cells = [f"coalesce({cell_text(name)}, {quote_text(MISSING)})" for name in by]
    listed = ", ".join(f"{cell} AS {quote_name(f'q{i}')}" for i, cell in enumerate(cells))
    found = opened.query(f"SELECT {listed}, count(*) AS n FROM {opened.sql} GROUP BY ALL")  # noqa: S608 (quoted)
    if found.num_rows == 0:
        raise DataError("The table holds no rows.")
    columns = [found.column(f"q{i}").to_pylist() for i in range(len(by))]
    values = [_in_order(column) for column in columns]
    size = 1
    for name, known in zip(by, values, strict=True):
        if TOTAL in known:
            raise DataError(f"The column {name!r} holds the value {TOTAL!r}, which names the sums.")
        size *= len(known) + 1
    if size > _MOST_CELLS:
        raise DataError(
            f"The table of counts would have {size:,} cells, more than {_MOST_CELLS:,}.",
            hint="count by fewer columns, or by coarser ones (of a release).",
        )
    inner = np.zeros([len(v) for v in values], dtype=np.int64)
    places = []
    for column, known in zip(columns, values, strict=True):
        number = {value: i for i, value in enumerate(known)}
        places.append(np.array([number[value] for value in column]))
    inner[tuple(places)] = found.column("n").to_numpy()
    return Cube.of_inner(by, values, inner)


def _in_order(column: Sequence[str]) -> list[str]:
    """Return the different values: by number where a value begins with one, else as text."""

    def rank(value: str) -> tuple[int, float, str]:
        start = value.lstrip("<>≤≥[( ").split("-")[0].split(",")[0]
        try:
            return 0, float(start), value
        except ValueError:
            return 1, 0.0, value

    return sorted(set(column), key=rank)
