"""Two readers of the same windows: how far they agree, and what both may have missed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["TwoReaders", "compare_readers"]


@dataclass(frozen=True, slots=True)
class TwoReaders:
    """Counts of words in the windows that both have read.

    `kappa` is Cohen's; `found` the share of all sensitive words that the first reader finds, by the number that
    both have found (capture and recapture, after Chapman); both are None where there is nothing to tell from.
    """

    windows: int
    words: int
    same: int
    both: int
    only_first: int
    only_second: int
    kappa: float | None
    found: float | None

    def corrected(self, share: float) -> float:
        """Return a share left as it would be if all had been found: what both missed counts as left.

        Parameters
        ----------
        share : float
            The share left of what the first reader marked.

        """
        found = 1.0 if self.found is None else self.found
        return share * found + (1.0 - found)


def compare_readers(
    first: npt.NDArray[np.integer], second: npt.NDArray[np.integer], *, windows: int
) -> TwoReaders:
    """Compare what two readers said about the same words.

    Parameters
    ----------
    first, second : array of int
        By word: 0 for harmless, or the number of a label.
    windows : int
        How many windows the words come from.

    >>> import numpy as np
    >>> compare_readers(np.array([1, 1, 0, 0]), np.array([1, 0, 0, 0]), windows=1).kappa
    0.5

    """
    words = len(first)
    same = int(np.count_nonzero(first == second))
    both = int(np.count_nonzero((first > 0) & (second > 0)))
    marked, theirs = int(np.count_nonzero(first > 0)), int(np.count_nonzero(second > 0))
    kappa = found = None
    if words:
        codes = range(int(max(first.max(), second.max())) + 1)
        chance = sum(float(np.mean(first == c) * np.mean(second == c)) for c in codes)
        kappa = 1.0 if chance == 1.0 else (same / words - chance) / (1.0 - chance)
    if both:
        total = (marked + 1) * (theirs + 1) / (both + 1) - 1
        found = min(1.0, marked / total)
    return TwoReaders(windows, words, same, both, marked - both, theirs - both, kappa, found)
