"""Find the row of a note, where notes and rows are shuffled: by what the note says and the rows show.

A row's score is Π |S ∩ b| / |S| over the attributes that are read, with S the values that the note leaves open and b those of the
row's label. The best rows share the guess. Rows with the same labels are looked at once, as a block, and notes that say the
same are, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ....core.composition.joint import combine_codes
from .people import Mask

__all__ = ["RowBlocks"]

_REMEMBERED = 4096  # different notes, so that memory does not grow with their number


class RowBlocks:
    """The rows of a release by their labels.

    Parameters
    ----------
    rows : sequence of sequences of masks
        Per row, the values that its label leaves open of each attribute.

    """

    def __init__(self, rows: Sequence[Sequence[Mask]]) -> None:
        numbered = [_number([row[a] for row in rows]) for a in range(len(rows[0]))]
        self.labels = [np.stack(masks).astype(np.float32) for masks, _ in numbered]
        self.of_row = combine_codes([codes for _, codes in numbered])
        _, first, self.size = np.unique(self.of_row, return_index=True, return_counts=True)
        self.label_of = [codes[first] for _, codes in numbered]
        self._found: dict[tuple[tuple[int, bytes], ...], tuple[Mask, float]] = {}

    def share_right(self, read: Iterable[Mapping[int, tuple[Mask, str]]]) -> float:
        """Return how often the guess is right, when note i belongs to row i."""
        found = [self.chance_of(i, masks) for i, masks in enumerate(read)]
        return sum(found) / max(1, len(found))

    def chance_of(self, row: int, masks: Mapping[int, tuple[Mask, str]]) -> float:
        """Return the chance that a note which leaves this open is put to a row."""
        best, chance = self._best(masks)
        return chance if best[self.of_row[row]] else 0.0

    def _best(self, masks: Mapping[int, tuple[Mask, str]]) -> tuple[Mask, float]:
        """Return the blocks that fit best, and the chance of each row in them."""
        key = tuple((a, mask.tobytes()) for a, (mask, _) in masks.items())
        if key not in self._found:
            score = np.ones(len(self.size), np.float32)
            for a, (mask, _) in masks.items():
                share = self.labels[a] @ mask.astype(np.float32) / max(1, int(mask.sum()))
                score *= share[self.label_of[a]]
            best = score >= score.max() - 1e-6
            if len(self._found) == _REMEMBERED:
                self._found.clear()
            self._found[key] = best, 1.0 / float(self.size[best].sum())
        return self._found[key]

    def share_alone(self) -> float:
        """Return how often somebody is right who knows the labels of a row: one over the rows that share them."""
        return len(self.size) / max(1, len(self.of_row))


def _number(masks: Sequence[Mask]) -> tuple[list[Mask], npt.NDArray[np.int64]]:
    """Return the distinct masks, and which one each row has."""
    known: dict[bytes, int] = {}
    distinct, codes = [], []
    for mask in masks:
        key = mask.tobytes()
        if key not in known:
            known[key] = len(known)
            distinct.append(mask)
        codes.append(known[key])
    return distinct, np.array(codes, np.int64)
