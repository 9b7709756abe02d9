"""Rows in an order of their own: by a keyed hash of what is published, so that no original order is left.

Equal rows are interchangeable, so an order that depends on the published rows and on a private seed alone
tells nothing about where a row stood before. Lines are dealt out to files of the stage when there are many,
and each file is sorted by itself: the memory used does not depend on the number of rows.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ..core.randomness import Streams

__all__ = ["ShuffledLines", "shuffled_order"]

_HELD = 1 << 24  # characters of lines that are held in memory before they are dealt out
_DEALT = 64


class ShuffledLines:
    """Lines that are collected in one order and given back in another; use it as a context.

    Parameters
    ----------
    seed : int
        The private seed.
    folder : Path
        A folder that nobody else can read, for what does not fit into memory.
    held : int, default=16 MiB
        How many characters are held in memory.

    Examples
    --------
    >>> with ShuffledLines(7, Path(tempfile.gettempdir())) as lines:
    ...     for line in ("a", "b", "c", "a"):
    ...         lines.add(line)
    ...     sorted(lines)
    [('a', ''), ('a', ''), ('b', ''), ('c', '')]

    """

    def __init__(self, seed: int, folder: Path, *, held: int = _HELD) -> None:
        self._key = seed.to_bytes(8, "little")
        self._folder, self._most = folder, held
        self._rows: list[tuple[bytes, str, str]] = []
        self._size = 0
        self._files: list[IO[str]] = []
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def add(self, line: str, beside: str = "") -> None:
        """Take a line, and what stands for the same row in another file."""
        text = f"{beside}\n{line}".encode("utf-8", "surrogatepass")
        place = hashlib.blake2b(text, digest_size=8, key=self._key).digest()
        self._rows.append((place, line, beside))
        self._size += len(line) + len(beside)
        if self._size > self._most:
            self._deal()

    def _deal(self) -> None:
        if not self._files:
            folder = self._open.enter_context(
                tempfile.TemporaryDirectory(dir=self._folder, prefix=".rows-")
            )
            for number in range(_DEALT):
                stream = Path(folder, str(number)).open("w+", encoding="utf-8", newline="")  # noqa: SIM115
                self._files.append(self._open.enter_context(stream))
        for place, line, beside in self._rows:
            file = self._files[place[0] * _DEALT >> 8]
            file.write(f"{place.hex()}\n{len(line)} {len(beside)}\n{line}{beside}")
        self._rows, self._size = [], 0

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Yield the lines, and what belongs to each, in their new order."""
        if not self._files:
            yield from self._sorted(self._rows)
            return
        self._deal()
        for file in self._files:
            file.seek(0)
            rows = []
            while mark := file.readline():
                length, beside = map(int, file.readline().split())
                rows.append((bytes.fromhex(mark), file.read(length), file.read(beside)))
            yield from self._sorted(rows)

    @staticmethod
    def _sorted(rows: list[tuple[bytes, str, str]]) -> Iterator[tuple[str, str]]:
        return ((line, beside) for _, line, beside in sorted(rows))


def shuffled_order(
    matrix: sp.csr_matrix, labels: tuple[str, ...] | None, seed: int
) -> npt.NDArray[np.intp]:
    """Return an order of rows that depends on their features, their labels and a private seed alone.

    Each feature and each label has a random 64-bit number; a row's place is by the sum of its own.
    """
    dice = Streams(seed).generator("order of rows")
    numbers = dice.integers(0, 1 << 64, matrix.shape[1], dtype=np.uint64)
    sums = np.concatenate(([np.uint64(0)], np.cumsum(numbers[matrix.indices], dtype=np.uint64)))
    place = sums[matrix.indptr[1:]] - sums[matrix.indptr[:-1]]
    if labels is not None:
        names, number = np.unique(np.asarray(labels, dtype=object).astype(str), return_inverse=True)
        place = place + dice.integers(0, 1 << 64, len(names), dtype=np.uint64)[number]
    # A last mix: sums of few features would else stand close together.
    place = (place ^ (place >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.argsort(place ^ (place >> np.uint64(27)), kind="stable")
