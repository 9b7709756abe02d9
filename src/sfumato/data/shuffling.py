"""Shuffled rows: ordered by a seeded hash of what is published, so that no original order is left.

Equal rows are interchangeable, so an order that depends on the published rows and on a private seed alone
reveals nothing about where a row was before. Lines are distributed to temporary files when there are many,
and each file is sorted separately: the memory used does not depend on the number of rows.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice, pairwise
from pathlib import Path
from typing import BinaryIO, Self

import numpy as np
import numpy.typing as npt

from ..core.randomness import Streams
from .byte_columns import Column

__all__ = ["RowPlaces", "ShuffledLines", "write_by_place"]

Places = npt.NDArray[np.uint64]
_HELD = 1 << 22  # bytes of lines that are held in memory before they are dealt out
_DEALT = 64
_AT_ONCE = 1_000
_FIRST_BITS, _NO_BITS = np.uint64(58), np.uint64(0)


class RowPlaces:
    """Places of 0/1 rows: each feature and each label has a random 64-bit number, and a row their sum.

    Parameters
    ----------
    seed : int
        The private seed.
    d : int
        The number of features.

    """

    def __init__(self, seed: int, d: int) -> None:
        dice = Streams(seed).generator("order of rows")
        self._features = dice.integers(0, 1 << 64, d, dtype=np.uint64)
        self._key = seed.to_bytes(8, "little")
        self._labels: dict[str, int] = {}

    def __call__(
        self,
        indptr: npt.NDArray[np.integer],
        indices: npt.NDArray[np.integer],
        labels: Sequence[str] | None = None,
    ) -> Places:
        """Return the places of some rows, given by their features (CSR) and labels."""
        sums = np.zeros(len(indices) + 1, np.uint64)
        np.cumsum(self._features[indices], out=sums[1:])
        place = sums[indptr[1:]] - sums[indptr[:-1]]
        if labels is not None:
            for label in set(labels).difference(self._labels):
                digest = hashlib.blake2b(label.encode(), digest_size=8, key=self._key).digest()
                self._labels[label] = int.from_bytes(digest, "little")
            numbers = self._labels
            place += np.fromiter((numbers[v] for v in labels), np.uint64, len(labels))
        # A last mix: sums of few features would otherwise be close together.
        place = (place ^ (place >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed: Places = place ^ (place >> np.uint64(27))
        return mixed


class ShuffledLines:
    """Lines that are collected in one order and given back by their places; use it as a context.

    Parameters
    ----------
    folder : Path
        A folder that nobody else can read, for what does not fit into memory.
    held : int, default=4 MiB
        How many bytes are held in memory.

    Examples
    --------
    >>> with ShuffledLines(Path(tempfile.gettempdir())) as lines:
    ...     lines.add(Column.of([b"b", b"a"]), np.array([7, 3], np.uint64))
    ...     lines.add(Column.of([b"c"]), np.array([5], np.uint64))
    ...     [line for some in lines for line in some]
    [b'a', b'c', b'b']

    """

    def __init__(self, folder: Path, *, held: int = _HELD) -> None:
        self._folder, self._most = folder, held
        self._held: list[tuple[Places, Column]] = []
        self._files: list[BinaryIO] = []
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(self, lines: Column, places: Places) -> None:
        """Take lines with their places."""
        self._held.append((places, lines))
        if sum(column.data.size for _, column in self._held) > self._most:
            self._deal()

    def _deal(self) -> None:
        """Put the lines held into the files, by the first bits of their places."""
        if not self._files:
            folder = self._open.enter_context(
                tempfile.TemporaryDirectory(dir=self._folder, prefix=".rows-")
            )
            for number in range(_DEALT):
                stream = Path(folder, str(number)).open("w+b")  # noqa: SIM115
                self._files.append(self._open.enter_context(stream))
        places, lines = _in_order(self._held, _FIRST_BITS)
        self._held = []
        ends = np.searchsorted(places >> _FIRST_BITS, np.arange(_DEALT + 1, dtype=np.uint64))
        for file, (first, last) in zip(self._files, pairwise(ends.tolist()), strict=True):
            bounds = lines.bounds[first : last + 1]
            data = lines.data[bounds[0] : bounds[-1]]
            size = np.array([last - first, data.size], np.int64)
            for array in (size, places[first:last], bounds - bounds[0], data):
                file.write(array.data)

    def __iter__(self) -> Iterator[Column]:
        """Yield the lines by their places, some at a time."""
        if not self._files:
            yield _in_order(self._held)[1]
            return
        self._deal()
        for file in self._files:
            yield _in_order(list(_dealt(file)))[1]


def write_by_place(
    entries: Iterable[tuple[bytes, int | None]], stream: BinaryIO, folder: Path
) -> None:
    """Write entries in the order of their places; one without a place is written as it comes.

    Parameters
    ----------
    entries : iterable of (bytes, int or None)
        The entries and their places, 64-bit numbers.
    stream : file
        Where they are written.
    folder : Path
        A folder that nobody else can read, for what does not fit into memory.

    """
    rest = iter(entries)
    with ShuffledLines(folder) as shuffled:
        while some := list(islice(rest, _AT_ONCE)):
            stream.writelines(entry for entry, place in some if place is None)
            placed = [(entry, place) for entry, place in some if place is not None]
            column = Column.of([entry for entry, _ in placed])
            shuffled.add(column, np.array([place for _, place in placed], np.uint64))
        for column in shuffled:
            stream.writelines(column)


def _in_order(
    held: Sequence[tuple[Places, Column]], shift: np.uint64 = _NO_BITS
) -> tuple[Places, Column]:
    """Return lines by their places, or by the first bits of these; equal ones as they came."""
    places = np.concatenate([np.zeros(0, np.uint64), *(own for own, _ in held)])
    order = np.argsort(places >> shift, kind="stable")
    return places[order], Column.in_order([column for _, column in held], order)


def _dealt(file: BinaryIO) -> Iterator[tuple[Places, Column]]:
    """Read back what was written to a temporary file."""
    file.seek(0)
    while head := file.read(16):
        rows, size = np.frombuffer(head, np.int64).tolist()
        places = np.frombuffer(file.read(8 * rows), np.uint64)
        bounds = np.frombuffer(
            file.read(8 * rows + 8), np.int64
        ).copy()  # kernels take none that is read-only
        yield places, Column(np.frombuffer(file.read(size), np.uint8), bounds)
