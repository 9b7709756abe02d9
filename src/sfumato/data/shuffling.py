"""Shuffled rows: ordered by a seeded hash of what is published, so that no original order is left.

Equal rows are interchangeable, so an order that depends on the published rows and on a private seed alone
reveals nothing about where a row was before. Lines are dealt out to files of the stage when there are many,
and each file is sorted separately: the memory used does not depend on the number of rows.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import AnyStr, BinaryIO, Generic, Self, cast

import numpy as np
import numpy.typing as npt

from ..core.randomness import Streams

__all__ = ["RowPlaces", "ShuffledLines", "line_places"]

Places = npt.NDArray[np.uint64]
_HELD = 1 << 24  # characters of lines that are held in memory before they are dealt out
_DEALT = 64


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
        # A last mix: sums of few features would else stand close together.
        place = (place ^ (place >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed: Places = place ^ (place >> np.uint64(27))
        return mixed


def line_places(lines: Sequence[str], seed: int) -> Places:
    """Return the places of lines of any kind, by a keyed hash of each."""
    key = seed.to_bytes(8, "little")
    digests = (
        hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()
        for line in lines
    )
    return np.frombuffer(b"".join(digests), np.uint64)


class ShuffledLines(Generic[AnyStr]):
    """Lines that are collected in one order and given back by their places; use it as a context.

    Parameters
    ----------
    folder : Path
        A folder that nobody else can read, for what does not fit into memory.
    held : int, default=16 MiB
        How many characters are held in memory.

    Examples
    --------
    >>> with ShuffledLines(Path(tempfile.gettempdir())) as lines:
    ...     lines.add(["b", "a"], np.array([7, 3], np.uint64))
    ...     lines.add(["c"], np.array([5], np.uint64))
    ...     [line for line, _ in lines]
    ['a', 'c', 'b']

    """

    def __init__(self, folder: Path, *, held: int = _HELD) -> None:
        self._folder, self._most = folder, held
        self._lines: list[AnyStr] = []
        self._beside: list[AnyStr] = []
        self._is_text = True
        self._places: list[Places] = []
        self._size = 0
        self._files: list[BinaryIO] = []
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(
        self, lines: Sequence[AnyStr], places: Places, beside: Sequence[AnyStr] | None = None
    ) -> None:
        """Take lines (texts, or bytes) with their places, and the lines of the same rows in another file."""
        self._is_text = self._is_text and all(isinstance(line, str) for line in lines[:1])
        self._lines += lines
        self._beside += [line[:0] for line in lines] if beside is None else beside
        self._places.append(places)
        self._size += sum(map(len, lines)) + (0 if beside is None else sum(map(len, beside)))
        if self._size > self._most:
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
        places = self._held_places()
        order = np.argsort(places >> np.uint64(58), kind="stable")
        for i in order.tolist():
            own = [_as_bytes(line) for line in (self._lines[i], self._beside[i])]
            head = np.array([places[i], len(own[0]), len(own[1])], np.uint64)
            self._files[int(places[i] >> np.uint64(58))].write(head.tobytes() + own[0] + own[1])
        self._lines, self._beside, self._places, self._size = [], [], [], 0

    def _held_places(self) -> Places:
        return np.concatenate(self._places) if self._places else np.empty(0, np.uint64)

    def __iter__(self) -> Iterator[tuple[AnyStr, AnyStr]]:
        """Yield the lines, and what belongs to each, by their places."""
        if self._files:
            self._deal()
            for file in self._files:
                yield from self._of_file(file)
            return
        for i in np.argsort(self._held_places(), kind="stable").tolist():
            yield self._lines[i], self._beside[i]

    def _of_file(self, file: BinaryIO) -> Iterator[tuple[AnyStr, AnyStr]]:
        file.seek(0)
        places, rows = [], []
        while head := file.read(24):
            place, length, beside = np.frombuffer(head, np.uint64).tolist()
            places.append(place)
            rows.append((file.read(length), file.read(beside)))
        for i in np.argsort(np.array(places, np.uint64), kind="stable").tolist():
            line, label = (
                row.decode("utf-8", "surrogatepass") if self._is_text else row for row in rows[i]
            )
            yield cast("AnyStr", line), cast("AnyStr", label)


def _as_bytes(line: str | bytes) -> bytes:
    return line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
