"""Forms of a classifier compete, each judged on folds that it was not tuned on.

What looks better by chance alone does not win: the simplest form comes first, and a form that brings more into play
replaces it only where its gain exceeds the noise of their comparison. A form with an encoder depends on a
seed too: it must also be ahead, by its share of the spread over repeated halves and seeds, on halves of the documents that it
was not cut on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....core.randomness import Streams
from ..reading.arrays import Mask, Scores
from .thresholds import CrossFit, GainCurves

__all__ = ["Competition", "Form", "Repeats"]

_SPLITS = 12
_ERRORS, _ERRORS_OF_ENCODER = 1.0, 0.5  # what a gain must exceed; see Form.errors
_MOST_UNITS = 4096  # documents that are split into halves one by one; more are split in groups


@dataclass(frozen=True, slots=True)
class Form:
    """A way to make a classifier out of stages.

    Parameters
    ----------
    name : str
        What the record calls it; nothing depends on it.
    members : tuple of int
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
        Whether it represents its level unless another form there gains more than chance over it.
    effort : int, default 0
        How much more of the encoder is tuned than in other forms with one.
    weights : tuple of float, default ()
        A weight per member, if their weighted sum and the bias replace the mean.
    bias : float, default 0.0
        What is added to the weighted sum.

    """

    name: str
    members: tuple[int, ...]
    uses_background: bool = False
    uses_encoder: bool = False
    way: str = ""
    incumbent: bool = False
    preferred: bool = False
    effort: int = 0
    weights: tuple[float, ...] = ()
    bias: float = 0.0

    @property
    def level(self) -> int:
        """How much the form brings into play; a higher level must show that it is worth it."""
        if self.incumbent:
            return 0
        return 3 + self.effort if self.uses_encoder else 2 if self.uses_background else 1

    @property
    def errors(self) -> float:
        """How many standard errors the form must gain over a simpler one.

        On the unseen halves of thirteen corpora an encoder with its upper layers tuned was never behind where
        it gained half an error, and to ask for a whole one left gains unused where leaks are few; see
        benchmarks/results/encoder_halves.json. More layers must gain a whole one over fewer.
        """
        return _ERRORS_OF_ENCODER if self.uses_encoder and not self.effort else _ERRORS


class Repeats(NamedTuple):
    """What is repeated to see how much a choice owes to chance.

    Parameters
    ----------
    scores : sequence of mapping from Form to array of float
        The log-odds of the forms that depend on an encoder's seed, under each further seed.
    streams : Streams
        Deals documents into halves, again and again.

    """

    scores: Sequence[Mapping[Form, Scores]]
    streams: Streams


class _Competitor(NamedTuple):
    scores: tuple[Scores, ...]  # under each seed; one where no seed changes them
    fit: CrossFit

    def under(self, seed: int) -> Scores:
        return self.scores[min(seed, len(self.scores) - 1)]


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
    repeats : Repeats, optional
        Further seeds, and halves of the documents, which forms with an encoder must win on.

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
        repeats: Repeats | None = None,
    ) -> None:
        self.live, self.value, self.leak, self.expected = live, value, leak, expected
        self.fold_of, self.document_of = fold_of, document_of
        self.folds = int(fold_of.max(initial=0)) + 1
        self.documents = int(document_of.max(initial=-1)) + 1
        self.incumbent = next((form for form in forms if form.incumbent), None)
        again = () if repeats is None else repeats.scores
        self.seeds = 1 + len(again)
        self._halves = None if repeats is None else self._deal(repeats.streams)
        self._on_halves: dict[tuple[Form, int], GainCurves] = {}
        self._winners: dict[int | None, Form] = {}
        self.entries = {}
        for form, scores in forms.items():
            every = (scores, *(other[form] for other in again if form in other))
            # One threshold for all seeds: what is published will have another one.
            curves = self._curves(form, every, np.tile(fold_of[live], len(every)), self.folds)
            self.entries[form] = _Competitor(every, curves.cross_fit())

    def _curves(
        self, form: Form, every: Sequence[Scores], fold: npt.NDArray[np.int64], folds: int
    ) -> GainCurves:
        live = self.live
        return GainCurves(
            np.concatenate([scores[live] for scores in every]),
            np.tile(self.value[live], len(every)), fold, folds,
            expected=self.expected, pull=1.0 if form.incumbent else 0.5,
        )  # fmt: skip

    def gains(self, form: Form, without: int | None = None) -> npt.NDArray[np.float64]:
        """Return what a form gains in each document, the mean over its seeds.

        Each fold is cut where the others say; `without` a fold, the others are cut where they say.
        """
        every, fit = self.entries[form]
        live = self.live
        if without is None:
            cut: float | Scores = fit.by_fold[self.fold_of[live]]
        else:
            live = live & (self.fold_of != without)
            cut = float(fit.by_fold[without])
        found = np.mean([scores[live] >= cut for scores in every], axis=0)
        gained = found * self.value[live]
        return np.bincount(self.document_of[live], gained, self.documents).astype(np.float64)

    def winner(self, without: int | None = None) -> Form:
        """Return the form to use: the one that gains most, where that is more than chance.

        The forms are judged level by level: the incumbent, those of the steward's own documents, those
        with background, those with an encoder, those with more of it tuned. The best of a level replaces the best so far only
        if it gains more by its share of a standard error over documents, to which two leaks are added that
        chance may have hidden (where leaks are few, resampling shows none); one with an encoder must also
        be ahead on repeated halves.
        """
        if without in self._winners:
            return self._winners[without]
        gain = {form: self.gains(form, without) for form in self.entries}
        current: Form | None = None
        for level in sorted({form.level for form in gain}):
            best = self._best_of([form for form in gain if form.level == level], gain)
            if current is None or (
                self._more_than_chance(gain[best] - gain[current], best.errors)
                and (not best.uses_encoder or self._is_ahead_on_halves(best, current, without))
            ):
                current = best
        assert current is not None
        self._winners[without] = current
        return current

    def _best_of(self, forms: Sequence[Form], gain: Mapping[Form, npt.NDArray[np.float64]]) -> Form:
        """Return the form that represents a level: the best of many would owe much to luck."""
        best = max(forms, key=lambda form: gain[form].sum())
        usual = next((form for form in forms if form.preferred), best)
        return best if self._more_than_chance(gain[best] - gain[usual], _ERRORS) else usual

    def _more_than_chance(self, more: npt.NDArray[np.float64], errors: float) -> bool:
        return bool(more.sum() > errors * self._error(more))

    def _error(self, more: npt.NDArray[np.float64]) -> float:
        return float(np.sqrt((more**2).sum() + 2 * self.leak**2))

    def found(self, seed: int = 0) -> Mask:
        """Redact each fold by the form and the threshold that win on the other folds."""
        found = np.zeros(len(self.fold_of), np.bool_)
        for j in range(self.folds):
            entry = self.entries[self.winner(without=j)]
            found |= (self.fold_of == j) & (entry.under(seed) >= entry.fit.by_fold[j])
        return found

    # --- repeated halves ------------------------------------------------------------------------

    def _deal(self, streams: Streams) -> Mask:
        """Deal the units of documents into halves, as [split and half, unit]; none is in both of a split."""
        units = int(self._unit_of().max(initial=-1)) + 1
        random = streams.generator("halves")
        found = np.zeros((2 * _SPLITS, units), np.bool_)
        for split in range(_SPLITS):
            mixed = random.permutation(units)
            found[2 * split, mixed[: units // 2]] = True
            found[2 * split + 1, mixed[units // 2 :]] = True
        return found

    def _unit_of(self) -> npt.NDArray[np.int64]:
        """Return each token's unit: its document or, of very many, a group of documents of its fold."""
        if self.documents <= _MOST_UNITS:
            return self.document_of
        size = max(1, _MOST_UNITS // self.folds)
        return self.fold_of * size + self.document_of % size

    def _is_ahead_on_halves(self, form: Form, current: Form, without: int | None) -> bool:
        """Return whether a form gains more than another by its share of the spread over halves and seeds."""
        if self._halves is None:
            return True
        more = self._more_on_halves(self._halves, form, current, without)
        return bool(np.mean(more) > form.errors * np.std(more))

    def _more_on_halves(
        self, halves: Mask, form: Form, current: Form, without: int | None
    ) -> npt.NDArray[np.float64]:
        """Return what a form gains more than another on each half, cut where the other half says."""
        if without is not None:
            inside = np.zeros(halves.shape[1], np.bool_)
            inside[self._unit_of()[self.fold_of != without]] = True
            halves = halves & inside
        return np.array(
            [
                self._gains_on_halves(form, seed, halves)
                - self._gains_on_halves(current, seed, halves)
                for seed in range(self.seeds)
            ]
        )

    def margins(self, form: Form, current: Form) -> tuple[float, float]:
        """Return what a form gains over another in standard errors, and in spreads over halves; for studies.

        Parameters
        ----------
        form, current : Form
            Forms that compete; the second is the one to beat.

        """
        more = self.gains(form) - self.gains(current)
        spreads = np.inf
        if self._halves is not None:
            on_halves = self._more_on_halves(self._halves, form, current, None)
            spreads = float(np.mean(on_halves) / max(float(np.std(on_halves)), 1e-9))
        return float(more.sum() / self._error(more)), spreads

    def _gains_on_halves(self, form: Form, seed: int, halves: Mask) -> npt.NDArray[np.float64]:
        seed = min(seed, len(self.entries[form].scores) - 1)
        if (form, seed) not in self._on_halves:
            scores = self.entries[form].scores[seed]
            units = halves.shape[1]
            self._on_halves[form, seed] = self._curves(
                form, [scores], self._unit_of()[self.live], units
            )
        curves = self._on_halves[form, seed].regrouped(halves)
        each = np.arange(len(halves))
        return np.array([curves.at(i, curves.best(each == i ^ 1)[0]) for i in each.tolist()])
