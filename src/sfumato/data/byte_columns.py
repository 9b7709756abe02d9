"""Byte strings in columns: one array of bytes and the start of each entry, for operations on many at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Buffer", "Bytes", "Column", "Offsets", "frozen", "weave"]

Buffer = bytes | bytearray | memoryview
Bytes = npt.NDArray[np.uint8]
Offsets = npt.NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Column:
    """Byte strings one after the other: entry i is `data[bounds[i]:bounds[i + 1]]`."""

    data: Bytes
    bounds: Offsets

    @classmethod
    def of(cls, entries: Sequence[bytes]) -> Column:
        """Put byte strings one after the other."""
        bounds = np.zeros(len(entries) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, entries), np.int64, len(entries)), out=bounds[1:])
        return cls(np.frombuffer(b"".join(entries), np.uint8), bounds)

    @classmethod
    def of_equal(cls, data: Bytes, count: int) -> Column:
        """Cut bytes into a number of entries of equal length."""
        each = data.size // count if count else 0
        return cls(data, np.arange(count + 1, dtype=np.int64) * each)

    @classmethod
    def of_lines(cls, content: Buffer) -> Column:
        """Cut bytes after their line ends, the last of which is one.

        >>> list(Column.of_lines(b"one\\ntwo\\n"))
        [b'one\\n', b'two\\n']
        """
        data = np.frombuffer(content, np.uint8)
        ends = np.flatnonzero(data == 0x0A) + 1
        return cls(data, np.concatenate([np.zeros(1, np.int64), ends]))

    @classmethod
    def of_arrow(cls, array: pa.LargeBinaryArray) -> Column:
        """Take the buffers of an Arrow array."""
        _, bounds, data = array.buffers()
        offsets = np.frombuffer(bounds, np.int64)[array.offset : array.offset + len(array) + 1]
        content = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
        return cls(content[offsets[0] : offsets[-1]], offsets - offsets[0])

    def to_arrow(self) -> pa.LargeBinaryArray:
        """Return an Arrow array of the same buffers."""
        import pyarrow as pa

        buffers = [None, pa.py_buffer(self.bounds), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(pa.large_binary(), len(self), buffers)

    @classmethod
    def in_order(cls, columns: Sequence[Column], order: Offsets) -> Column:
        """Put the entries of columns that follow each other into an order, without joining them first.

        >>> list(Column.in_order([Column.of([b"a", b"b"]), Column.of([b"c"])], np.array([2, 0, 1])))
        [b'c', b'a', b'b']
        """
        lengths = np.concatenate([np.zeros(0, np.int64), *(np.diff(c.bounds) for c in columns)])
        bounds, at = np.zeros(len(order) + 1, np.int64), np.empty(len(order), np.int64)
        np.cumsum(lengths[order], out=bounds[1:])
        at[order] = bounds[:-1]
        out, first = np.empty(int(bounds[-1]), np.uint8), 0
        for column in columns:
            column.copy_to(out, at[first : first + len(column)])
            first += len(column)
        return cls(out, bounds)

    def __len__(self) -> int:
        return self.bounds.size - 1

    def __getitem__(self, i: int) -> bytes:
        return self.data[self.bounds[i] : self.bounds[i + 1]].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        data = self.data.tobytes()
        return (data[a:b] for a, b in pairwise(self.bounds.tolist()))

    def views(self) -> Iterator[memoryview]:
        """Yield the entries without a copy."""
        data = memoryview(self.data.data)
        return (data[a:b] for a, b in pairwise(self.bounds.tolist()))

    def take(self, chosen: Offsets) -> Column:
        """Return some of the entries, in the order that is given.

        >>> list(Column.of([b"a", b"bc", b""]).take(np.array([1, 1, 0])))
        [b'bc', b'bc', b'a']
        """
        bounds = np.zeros(len(chosen) + 1, np.int64)
        np.cumsum(np.diff(self.bounds)[chosen], out=bounds[1:])
        out = np.empty(int(bounds[-1]), np.uint8)
        self.copy_to(out, bounds, chosen)
        return Column(out, bounds)

    def copy_to(self, out: Bytes, at: Offsets, chosen: Offsets | None = None) -> None:
        """Copy entries (all of them, in order, if none are chosen) to their places."""
        from . import _column_kernels

        chosen = np.arange(len(self)) if chosen is None else chosen
        _column_kernels.take(frozen(self.data), self.bounds, chosen, at, out)


def weave(pieces: Sequence[bytes], *columns: Column) -> bytearray:
    """Return the entries of some columns side by side, with the same pieces before, between and after them.

    >>> weave([b"<", b"=", b">"], Column.of([b"a", b"b"]), Column.of([b"1", b"22"]))
    bytearray(b'<a=1><b=22>')
    """
    count, same = len(columns[0]), np.zeros(len(columns[0]), np.int64)
    lengths = [np.diff(column.bounds) for column in columns]
    ends = np.cumsum(sum(lengths, same) + len(b"".join(pieces)))
    at = np.zeros(count, np.int64)
    at[1:] = ends[:-1]
    woven = bytearray(int(ends[-1]) if count else 0)
    out = np.frombuffer(woven, np.uint8)
    for i, piece in enumerate(pieces):
        Column.of([piece]).copy_to(out, at, same)
        at += len(piece)
        if i < len(columns):
            columns[i].copy_to(out, at)
            at += lengths[i]
    return woven


def frozen(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Return a read-only view: the kernels promise not to write into it."""
    view = array.view()
    view.setflags(write=False)
    return view
