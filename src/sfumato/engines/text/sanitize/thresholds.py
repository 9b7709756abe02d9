"""Where to cut the scores: the threshold that gains most, chosen on documents that are not judged by it.

Redacting a token gains L when it is sensitive and costs C when it is not; the threshold maximises the
sum over what was scored out of fold. The gains are smoothed along the scores, because the highest of
many noisy points promises more than it keeps, and the answer is drawn towards log(C / L), where
calibrated scores would have it.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["CrossFit", "GainCurves"]

LOWEST, HIGHEST, STEP = -12.0, 12.0, 0.05
_EDGES = np.arange(LOWEST, HIGHEST + STEP, STEP)
NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class CrossFit:
    """A threshold for use, the gain it is judged by, and the cut for each fold that judges it."""

    threshold: float
    gain: float
    by_fold: npt.NDArray[np.float64]


class GainCurves:
    """For each fold, what is gained by redacting every token whose score reaches a threshold.

    `expected` is the threshold that calibrated scores would have; the best one is drawn towards it,
    by half of the way unless `pull` says otherwise (1: it is taken as it is).
    """

    def __init__(
        self,
        scores: npt.NDArray[np.float64],
        value: npt.NDArray[np.float64],
        fold: npt.NDArray[np.int64],
        folds: int,
        *,
        expected: float | None = None,
        pull: float = 0.5,
        smooth: float = 2.0,
    ) -> None:
        self.expected, self.pull = expected, pull
        # A token below the lowest edge is never redacted, however little it costs.
        reached = scores >= LOWEST
        place = np.searchsorted(_EDGES, scores[reached], "right") - 1
        size = len(_EDGES)
        flat = np.bincount(
            fold[reached] * size + place, weights=value[reached], minlength=folds * size
        )
        by_bin = flat.reshape(folds, size)
        self.gains = by_bin[:, ::-1].cumsum(axis=1)[:, ::-1]
        half = round(smooth / STEP)
        ramp = np.concatenate([np.arange(1, half + 2), np.arange(half, 0, -1)]).astype(float)
        self.kernel = ramp / ramp.sum()

    def best(self, folds: npt.NDArray[np.bool_]) -> tuple[float, float]:
        """Return the threshold that gains most on some folds, and that gain; never, where none does."""
        gains = self.gains[folds].sum(axis=0)
        half = len(self.kernel) // 2
        padded = np.concatenate([np.full(half, gains[0]), gains, np.zeros(half)])
        smoothed = np.convolve(padded, self.kernel, "valid")
        at = int(smoothed.argmax())
        if smoothed[at] > 0 and self.expected is not None:
            expected = min(max(self.expected, LOWEST), HIGHEST)
            drawn = _EDGES[at] + self.pull * (expected - _EDGES[at])
            at = round((drawn - LOWEST) / STEP)
        if smoothed[at] <= 0 or gains[at] <= 0:
            return NEVER, 0.0
        exact = self.expected is not None and self.pull == 1
        return expected if exact else float(_EDGES[at]), float(gains[at])

    def regrouped(self, groups: npt.NDArray[np.bool_]) -> GainCurves:
        """Return the curves of groups of folds, given as [group, fold]."""
        found = copy(self)
        found.gains = groups.astype(np.float64) @ self.gains
        return found

    def at(self, fold: int, threshold: float) -> float:
        """Return what a fold gains at a threshold."""
        if threshold == NEVER:
            return 0.0
        return float(self.gains[fold, round((threshold - LOWEST) / STEP)])

    def cross_fit(self) -> CrossFit:
        """Choose each fold's threshold on the other folds, and one for use on all of them."""
        folds = len(self.gains)
        by_fold = np.array([self.best(np.arange(folds) != j)[0] for j in range(folds)])
        gain = sum(self.at(j, by_fold[j]) for j in range(folds))
        return CrossFit(self.best(np.ones(folds, np.bool_))[0], gain, by_fold)
