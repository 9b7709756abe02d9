"""Forms of a classifier compete, each judged on folds that it was not tuned on.

What looks better by chance alone does not win: one cost-sensitive pass stands until another form gains
more than the noise of the comparison.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..reading.arrays import Mask, Scores
from .thresholds import CrossFit, GainCurves

__all__ = ["Competition", "Form"]


@dataclass(frozen=True, slots=True)
class Form:
    """A way to make a classifier out of stages.

    Parameters
    ----------
    name : str
        What the record calls it; nothing depends on it.
    voices : tuple of int
        The stages whose log-odds are averaged.
    uses_background : bool, default False
        Whether a background model takes part.
    incumbent : bool, default False
        Whether it stands until another form gains more than chance, cut exactly at log(C / L).

    """

    name: str
    voices: tuple[int, ...]
    uses_background: bool = False
    incumbent: bool = False


class _Entry(NamedTuple):
    scores: Scores
    fit: CrossFit


class Competition:
    """What each form's scores, all of them out of fold, would gain at one ratio.

    Parameters
    ----------
    forms : mapping from Form to array of float
        Each form's log-odds; at most one form is the incumbent.
    live : mask over the tokens
        The words that may be redacted.
    value : array of float
        What redacting each token gains: L, or −C.
    fold_of, document_of : array of int
        Each token's fold and document.
    leak : float
        The value of one sensitive word.
    expected : float
        The threshold of calibrated scores.

    """

    def __init__(
        self,
        forms: Mapping[Form, Scores],
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
        self.incumbent = next((form for form in forms if form.incumbent), None)
        self.entries = {}
        for form, scores in forms.items():
            curves = GainCurves(
                scores[live], value[live], fold_of[live], self.folds,
                expected=expected, pull=1.0 if form.incumbent else 0.5,
            )  # fmt: skip
            self.entries[form] = _Entry(scores, curves.cross_fit())

    def gains(self, form: Form, without: int | None = None) -> npt.NDArray[np.float64]:
        """Return what a form gains in each document.

        Each fold is cut where the others say; `without` a fold, the others are cut where they say.
        """
        scores, fit = self.entries[form]
        live = self.live
        if without is None:
            cut: float | Scores = fit.by_fold[self.fold_of[live]]
        else:
            live = live & (self.fold_of != without)
            cut = float(fit.by_fold[without])
        gained = np.where(scores[live] >= cut, self.value[live], 0.0)
        return np.bincount(self.document_of[live], gained, self.documents).astype(np.float64)

    def winner(self, without: int | None = None) -> Form:
        """Return the form to use: the one that gains most, where that is more than chance.

        A form must beat the incumbent by half a standard error over documents, to which two leaks are
        added that chance may have hidden (where leaks are few, resampling shows none). A form with
        background must only gain more than the best without it: at equal loss it is the safer one,
        because the adversary may have the background too.
        """
        gain = {form: self.gains(form, without) for form in self.entries}
        best = _most(gain, background=False)
        if self.incumbent is not None:
            more = gain[best] - gain[self.incumbent]
            if more.sum() <= np.sqrt((more**2).sum() / 4 + 2 * self.leak**2):
                best = self.incumbent
        if any(form.uses_background for form in gain):
            informed = _most(gain, background=True)
            if gain[informed].sum() > gain[best].sum():
                best = informed
        return best

    def found(self) -> Mask:
        """Redact each fold by the form and the threshold that win on the other folds."""
        found = np.zeros(len(self.fold_of), np.bool_)
        for j in range(self.folds):
            scores, fit = self.entries[self.winner(without=j)]
            found |= (self.fold_of == j) & (scores >= fit.by_fold[j])
        return found


def _most(gain: Mapping[Form, Scores], *, background: bool) -> Form:
    own = [form for form in gain if form.uses_background == background]
    return max(own, key=lambda form: gain[form].sum())
