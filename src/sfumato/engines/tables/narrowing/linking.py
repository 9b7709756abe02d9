"""Find the row of a note, where notes and rows are shuffled: by what the note says and the rows show.

A row's score is Π |S ∩ b| / |S| over the attributes that are read, with S the values that the note leaves open and b those of the
row's label. The best rows share the guess. Rows with the same labels are looked at once, as a block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from .people import Mask

__all__ = ["RowBlocks"]


class RowBlocks:
    """The rows of a release by their labels.

    Parameters
    ----------
    rows : sequence of sequences of masks
        Per row, the values that its label leaves open of each attribute.

    """

    def __init__(self, rows: Sequence[Sequence[Mask]]) -> None:
        keys = [b"".join(mask.tobytes() for mask in row) for row in rows]
        _, first, which, size = np.unique(
            np.array([key.hex() for key in keys]),
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        self.of_row: npt.NDArray[np.int64] = which.reshape(-1)
        self.size: npt.NDArray[np.int64] = size
        self.masks = [
            np.stack([rows[i][a] for i in first]).astype(np.float32) for a in range(len(rows[0]))
        ]

    def share_right(self, read: Sequence[Mapping[int, tuple[Mask, str]]]) -> float:
        """Return how often the guess is right, when note i belongs to row i."""
        right = 0.0
        for i, masks in enumerate(read):
            score = np.ones(len(self.size), np.float32)
            for a, (mask, _) in masks.items():
                score *= self.masks[a] @ mask.astype(np.float32) / max(1, int(mask.sum()))
            best = score >= score.max() - 1e-6
            if best[self.of_row[i]]:
                right += 1.0 / float(self.size[best].sum())
        return right / max(1, len(read))

    def share_alone(self) -> float:
        """Return how often somebody is right who knows the labels of a row: one over the rows that share them."""
        return len(self.size) / max(1, len(self.of_row))
