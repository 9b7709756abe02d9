"""Forms of a classifier compete, each judged on folds that it was not tuned on.

What looks better by chance alone does not win: a form replaces another only where it gains more than
the noise of their comparison. Without an encoder the simplest form comes first; with one, the mean of
all readers does, which won on every corpus that it was measured on.
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
    uses_encoder : bool, default False
        Whether an encoder takes part.
    way : str, default ""
        How it publishes, where that is not the usual way: a form of another way makes
        a separate candidate.
    incumbent : bool, default False
        Whether it is kept until another form gains more than chance, cut exactly at log(C / L).
    preferred : bool, default False
        Whether it comes first, so that every other form must gain more than chance over it.
    weights : tuple of float, default ()
        A weight for each voice where their weighed sum, and the bias, take the place of the mean.
    bias : float, default 0.0
        What is added to the weighed sum.

    """

    name: str
    voices: tuple[int, ...]
    uses_background: bool = False
    uses_encoder: bool = False
    way: str = ""
    incumbent: bool = False
    preferred: bool = False
    weights: tuple[float, ...] = ()
    bias: float = 0.0

    @property
    def level(self) -> int:
        """How much the form brings into play; a higher level must show that it is worth it."""
        if self.incumbent:
            return 0
        return 3 if self.uses_encoder else 2 if self.uses_background else 1


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

        The forms are judged level by level: the incumbent, those of the steward's own documents, those
        with background, those with an encoder. The best of a level replaces the best so far only
        if it gains more by one standard error over documents, to which two leaks are added that chance
        may have hidden (where leaks are few, resampling shows none). A preferred form comes before
        all others; simpler ones replace it without the two leaks, since they are the safer choice.
        """
        gain = {form: self.gains(form, without) for form in self.entries}
        stands = next((form for form in gain if form.preferred), None)
        for level in sorted({form.level for form in gain}):
            best = max(
                (form for form in gain if form.level == level), key=lambda form: gain[form].sum()
            )
            hidden = 0 if stands is not None and best.level < stands.level else 2
            if stands is None or self._more_than_chance(gain[best] - gain[stands], hidden):
                stands = best
        assert stands is not None
        return stands

    def _more_than_chance(self, more: npt.NDArray[np.float64], hidden: int) -> bool:
        return bool(more.sum() > np.sqrt((more**2).sum() + hidden * self.leak**2))

    def found(self) -> Mask:
        """Redact each fold by the form and the threshold that win on the other folds."""
        found = np.zeros(len(self.fold_of), np.bool_)
        for j in range(self.folds):
            scores, fit = self.entries[self.winner(without=j)]
            found |= (self.fold_of == j) & (scores >= fit.by_fold[j])
        return found
