"""Forms of a classifier compete, each judged on folds that it was not tuned on.

What looks better by chance alone does not win: one cost-sensitive pass stands until another form gains
more than the noise of the comparison.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..reading.arrays import Mask, Scores
from .thresholds import CrossFit, GainCurves

__all__ = ["INCUMBENT", "Competition"]

INCUMBENT = "cost-sensitive pass"


def _with_background(name: str) -> bool:
    return name.startswith("background")


class _Entry(NamedTuple):
    scores: Scores
    fit: CrossFit


class Competition:
    """One ratio: what each form's scores, all of them out of fold, would gain.

    `live` are the words that may be redacted, `value` what redacting each gains (L, or −C), `leak` the
    value of one sensitive word. `expected` is the threshold of calibrated scores; the incumbent, where
    there is one, is cut exactly there.
    """

    def __init__(
        self,
        forms: Mapping[str, Scores],
        *,
        live: Mask,
        value: npt.NDArray[np.float64],
        fold_of: npt.NDArray[np.int64],
        document_of: npt.NDArray[np.int64],
        leak: float,
        expected: float,
    ) -> None:
        self.live, self.value, self.leak = live, value, leak
        self.fold_of, self.document_of = fold_of, document_of
        self.folds = int(fold_of.max(initial=0)) + 1
        self.documents = int(document_of.max(initial=-1)) + 1
        self.entries = {}
        for name, scores in forms.items():
            curves = GainCurves(
                scores[live], value[live], fold_of[live], self.folds,
                expected=expected, pull=1.0 if name == INCUMBENT else 0.5,
            )  # fmt: skip
            self.entries[name] = _Entry(scores, curves.cross_fit())

    def gains(self, name: str, without: int | None = None) -> npt.NDArray[np.float64]:
        """Give what a form gains in each document.

        Each fold is cut where the others say; `without` a fold, the others are cut where they say.
        """
        scores, fit = self.entries[name]
        live = self.live
        if without is None:
            cut: float | Scores = fit.by_fold[self.fold_of[live]]
        else:
            live = live & (self.fold_of != without)
            cut = float(fit.by_fold[without])
        gained = np.where(scores[live] >= cut, self.value[live], 0.0)
        return np.bincount(self.document_of[live], gained, self.documents).astype(np.float64)

    def winner(self, without: int | None = None) -> str:
        """Give the form to use: the one that gains most, where that is more than chance.

        A form must beat one pass by half a standard error over documents, to which two leaks are
        added that chance may have hidden (where leaks are few, resampling shows none). A form with
        background must only gain more than the best without it: at equal loss it is the safer one,
        because the adversary may have the background too.
        """
        gain = {name: self.gains(name, without) for name in self.entries}
        best = self._most(gain, background=False)
        if INCUMBENT in gain:
            more = gain[best] - gain[INCUMBENT]
            if more.sum() <= np.sqrt((more**2).sum() / 4 + 2 * self.leak**2):
                best = INCUMBENT
        if any(map(_with_background, gain)):
            informed = self._most(gain, background=True)
            if gain[informed].sum() > gain[best].sum():
                best = informed
        return best

    @staticmethod
    def _most(gain: Mapping[str, Scores], *, background: bool) -> str:
        own = [name for name in gain if _with_background(name) == background]
        return max(own, key=lambda name: gain[name].sum())

    def found(self) -> Mask:
        """Redact each fold by the form and the threshold that win on the other folds."""
        found = np.zeros(len(self.fold_of), np.bool_)
        for j in range(self.folds):
            scores, fit = self.entries[self.winner(without=j)]
            found |= (self.fold_of == j) & (scores >= fit.by_fold[j])
        return found
