"""A test whether rows are like those explored: new columns, other counts of columns, other numbers of ones per row.

What is kept of the explored rows are counts; the names of columns are hashed with a salt, since a rare
item that was not published must not be readable in the folder of the frontier.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from ....core.arrays import Counts
from ....core.errors import ModelError
from ....core.statistics.margins import Margin, compare_margins
from ....core.statistics.shift import TOO_FEW, ShiftCheck
from ....data.npz import read_npz, write_npz
from ....data.tally import Tally

__all__ = ["COLUMNS_FILE", "ExploredColumns", "sentence_of"]

COLUMNS_FILE = "columns.npz"
_NEW, _COUNTS, _SIZES = "new columns", "counts of columns", "ones per row"
_NAMES = {
    "new values of columns": _NEW,
    "distribution of columns": _COUNTS,
    "new values of ones per row": "new numbers of ones per row",
    "distribution of ones per row": _SIZES,
}
_MOST = 1 << 53  # rows that a float can count
Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class ExploredColumns:
    """What is kept of the explored rows: how many hold each column, and how many ones a row has."""

    salt: int
    keys: Keys
    counts: Counts
    sizes: Counts

    @classmethod
    def of(cls, seen: Tally, salt: int) -> Self:
        """Keep what was counted while reading."""
        keys = _hash_names(seen.names, salt)
        order = np.argsort(keys)
        return cls(salt, keys[order], seen.counts[order], seen.sizes)

    def check(self, seen: Tally) -> ShiftCheck:
        """Compare rows that were counted while reading with the explored ones."""
        own = _hash_names(seen.names, self.salt)
        every = np.union1d(self.keys, own)
        was, now = np.zeros((2, len(every)), np.int64)
        was[np.searchsorted(every, self.keys)] = self.counts
        np.add.at(now, np.searchsorted(every, own), seen.counts)
        rows = int(self.sizes.sum()), int(seen.sizes.sum())
        sizes = np.zeros((2, max(len(self.sizes), len(seen.sizes))), np.int64)
        sizes[0, : len(self.sizes)], sizes[1, : len(seen.sizes)] = self.sizes, seen.sizes
        found = compare_margins(
            [
                Margin("columns", was, now, rows, ordered=False),
                Margin("ones per row", sizes[0], sizes[1], rows),
            ]
        )
        measures = [replace(m, name=_NAMES[m.name]) for m in found.measures]
        cause = None if found.cause is None else _NAMES[found.cause]
        return replace(found, cause=cause, measures=measures)

    def save(self, folder: Path) -> None:
        """Write columns.npz into a folder."""
        salt = np.array([self.salt], np.int64)
        write_npz(
            folder / COLUMNS_FILE,
            {"salt": salt, "keys": self.keys, "counts": self.counts, "sizes": self.sizes},
        )

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read back what `save` wrote; anything that does not fit is refused."""
        damaged = ModelError(
            f"The file {COLUMNS_FILE!r} of the frontier is missing or damaged.",
            hint="explore again.",
        )
        arrays = read_npz(folder / COLUMNS_FILE, ("salt", "keys", "counts", "sizes"))
        if arrays is None:
            raise damaged
        salt, keys, counts, sizes = arrays
        fits = (
            salt.dtype == counts.dtype == sizes.dtype == np.int64
            and keys.dtype == np.uint64
            and salt.shape == (1,)
            and keys.ndim == sizes.ndim == 1
            and keys.shape == counts.shape
            and bool((keys[1:] > keys[:-1]).all())
            and bool((counts >= 0).all() and (sizes >= 0).all() and salt[0] >= 0)
            and bool((sizes <= _MOST // max(len(sizes), 1)).all())
            and bool((counts <= sizes.sum()).all())  # no column is held by more rows than there are
        )
        if not fits:
            raise damaged
        return cls(int(salt[0]), keys, counts, sizes)


def _hash_names(names: Sequence[str], salt: int) -> Keys:
    key = salt.to_bytes(8, "little")
    digests = b"".join(
        hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()
        for name in names
    )
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def sentence_of(check: ShiftCheck) -> str | None:
    """Return the verdict in words; None where the rows are, by their counts, the explored ones."""
    if check.verdict == TOO_FEW:
        return (
            f"{check.released:,} rows, explored were {check.learned:,}: too few to tell whether they are "
            "alike."
        )
    if not check.different:
        if check.released == check.learned and all(
            abs(m.difference) < 1e-9 for m in check.measures
        ):
            return None
        return (
            f"These {check.released:,} rows look like the {check.learned:,} explored (columns, their "
            f"counts, ones per row; p = {check.p_value:.2f})."
        )
    cause = next(m for m in check.measures if m.name == check.cause)
    direction = "fewer" if cause.difference < 0 else "more"
    if cause.name == _NEW:
        how = (
            f"{cause.released:.1%} of their ones are in columns that were not there (expected: "
            f"{cause.learned:.1%})"
        )
    elif cause.name == _COUNTS:
        how = (
            f"columns have other counts, one of them by far {direction} than explored (distance "
            f"{cause.released:.3f}, by chance {cause.learned:.3f})"
        )
    else:
        how = (
            f"rows have {direction} ones (distance {cause.released:.3f}, by chance "
            f"{cause.learned:.3f})"
        )
    return (
        f"These rows differ from those explored: {how}. The frontier was made for other data; explore "
        "these."
    )
