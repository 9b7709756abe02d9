"""What an attacker finds who inspects B of the published words: at random, positives first, or best first.

The arithmetic of the threat model and nothing else: no learning. Every figure has a range
for a new batch of documents: whole documents are resampled, because words of one document are not
independent of each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....core.errors import ParameterError
from ....core.statistics.resampling import NextBatch
from ._kernels import ranked_batches

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "DEFAULT_BUDGETS",
    "Confusion",
    "Inspection",
    "InspectionResult",
    "confusion_of",
    "found_at_random",
    "found_best_first",
    "found_positives_first",
    "gain_over_random",
    "inspect",
]

DEFAULT_BUDGETS = (10, 100, 1000)
_REPLICATES = 400
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Confusion:
    """How a classifier's answers meet the truth on a set of words.

    >>> Confusion(tp=3, fp=6, fn=2, tn=15).words
    26
    """

    tp: int
    fp: int
    fn: int
    tn: int

    def __post_init__(self) -> None:
        if min(self.tp, self.fp, self.fn, self.tn) < 0:
            raise ParameterError("The counts of a confusion must not be negative.")

    @property
    def words(self) -> int:
        return self.tp + self.fp + self.fn + self.tn

    @property
    def positives(self) -> int:
        """The words that the classifier calls sensitive."""
        return self.tp + self.fp

    @property
    def sensitive(self) -> int:
        """The words that are sensitive."""
        return self.tp + self.fn

    @property
    def errors(self) -> int:
        return self.fp + self.fn

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion(
            self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, self.tn + other.tn
        )

    def to_json(self) -> dict[str, int]:
        return {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}


def confusion_of(predicted: NDArray[np.bool_], sensitive: NDArray[np.bool_]) -> Confusion:
    """Count a classifier's answers.

    Parameters
    ----------
    predicted, sensitive : array of bool
        What the classifier says and what is true, one entry per word.

    >>> confusion_of(np.array([True, False]), np.array([True, True]))
    Confusion(tp=1, fp=0, fn=1, tn=0)

    """
    tp = int(np.count_nonzero(predicted & sensitive))
    fp = int(np.count_nonzero(predicted)) - tp
    fn = int(np.count_nonzero(sensitive)) - tp
    return Confusion(tp, fp, fn, len(sensitive) - tp - fp - fn)


def found_at_random(counts: Confusion, budget: float) -> float:
    """Return how many sensitive words to expect among `budget` words drawn without looking (U_A / L).

    Parameters
    ----------
    counts : Confusion
        The classifier's counts.
    budget : float
        How many words are inspected.

    >>> round(found_at_random(Confusion(3, 6, 2, 15), 20), 4)
    3.8462

    """
    words = counts.words
    return 0.0 if words == 0 else min(budget, words) * counts.sensitive / words


def found_positives_first(counts: Confusion, budget: float) -> float:
    """Return how many to expect when the predicted positives are read first, each class in any order (U_A* / L).

    Parameters
    ----------
    counts : Confusion
        The classifier's counts.
    budget : float
        How many words are inspected.

    >>> round(found_positives_first(Confusion(3, 6, 2, 15), 20), 4)
    4.2941

    """
    budget = min(budget, counts.words)
    positives, negatives = counts.positives, counts.fn + counts.tn
    among_positives = min(budget, positives)
    found = among_positives * counts.tp / positives if positives else 0.0
    rest = budget - among_positives
    return found + (rest * counts.fn / negatives if negatives else 0.0)


def gain_over_random(counts: Confusion, budget: float) -> float | None:
    """Return U_A* / U_A; None where nothing sensitive is left or nothing is inspected.

    Parameters
    ----------
    counts : Confusion
        The classifier's counts.
    budget : float
        How many words are inspected.

    >>> round(gain_over_random(Confusion(3, 6, 2, 15), 20), 4)
    1.1165

    """
    baseline = found_at_random(counts, budget)
    return found_positives_first(counts, budget) / baseline if baseline > 0 else None


def found_best_first(
    scores: NDArray[np.float64], sensitive: NDArray[np.bool_], budgets: Sequence[int]
) -> list[float]:
    """Count the sensitive words among the `budget` best-scored ones; ties count as their mean.

    Parameters
    ----------
    scores : array of float
        One score per word.
    sensitive : array of bool
        Which words are sensitive.
    budgets : sequence of int
        How many words are inspected.

    >>> found_best_first(np.array([.9, .5, .5, .1]), np.array([True, True, False, False]), [1, 2, 3])
    [1.0, 1.5, 2.0]

    """
    order = np.argsort(-scores, kind="stable")
    return _count_best_first(
        scores[order], sensitive[order].astype(np.float64), np.ones(len(order)), budgets
    )


def _count_best_first(
    ordered: NDArray[np.float64],
    hits: NDArray[np.float64],
    weights: NDArray[np.float64],
    budgets: Sequence[int],
) -> list[float]:
    if len(ordered) == 0:
        return [0.0] * len(budgets)
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    size = np.add.reduceat(weights, starts)
    good = np.add.reduceat(weights * hits, starts)
    # Inside a group of ties the expected hits grow linearly: interpolate the cumulative counts.
    reached = np.r_[0.0, np.cumsum(size)]
    collected = np.r_[0.0, np.cumsum(good)]
    return [float(v) for v in np.interp(np.asarray(budgets, np.float64), reached, collected)]


@dataclass(frozen=True, slots=True)
class InspectionResult:
    """How many sensitive words an inspection of a budget finds, with a 95 % range."""

    found: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        return {
            "found": round(self.found, 4),
            "low": round(self.low, 4),
            "high": round(self.high, 4),
        }


@dataclass(frozen=True, slots=True)
class Inspection:
    """All that one classifier brings an attacker on one release, by way of reading and by budget."""

    counts: Confusion
    ranked: Mapping[int, InspectionResult]
    unordered: Mapping[int, InspectionResult]
    random: Mapping[int, InspectionResult]
    left: InspectionResult

    def to_json(self) -> dict[str, object]:
        ways = {"ranked": self.ranked, "unordered": self.unordered, "random": self.random}
        return {
            **self.counts.to_json(),
            **{
                way: {str(b): f.to_json() for b, f in by_budget.items()}
                for way, by_budget in ways.items()
            },
            "gain_over_random": {
                str(b): (None if g is None else round(g, 4))
                for b in self.unordered
                for g in [gain_over_random(self.counts, b)]
            },
        }


def inspect(
    scores: NDArray[np.float64],
    predicted: NDArray[np.bool_],
    sensitive: NDArray[np.bool_],
    document_of: NDArray[np.int64],
    *,
    budgets: Sequence[int],
    generator: np.random.Generator,
    batch: int | None = None,
    replicates: int = _REPLICATES,
) -> Inspection:
    """Inspect a release by a classifier's answers: expectations and ranges for every budget.

    Parameters
    ----------
    scores, predicted, sensitive
        One entry for each published word.
    document_of
        The document of each word, numbered from 0.
    budgets
        How many words are inspected.
    generator
        Source of the ranges' draws.
    batch
        How many documents the ranges are about; as many as there are by default.
    replicates
        How many batches are drawn.

    """
    if any(b < 1 for b in budgets):
        raise ParameterError.constraint(
            "budgets", "inspect", "whole numbers in [1, inf)", min(budgets)
        )
    counts = confusion_of(predicted, sensitive)
    documents = int(document_of.max()) + 1 if len(document_of) else 0
    if not documents:
        nothing = {b: InspectionResult(0.0, 0.0, 0.0) for b in budgets}
        return Inspection(counts, nothing, nothing, nothing, InspectionResult(0.0, 0.0, 0.0))
    drawn = NextBatch(
        documents, batch or documents, int(generator.integers(1 << 62)), replicates, _LEVEL
    )
    cells = np.zeros((documents, 4))
    kind = np.where(sensitive, np.where(predicted, 0, 2), np.where(predicted, 1, 3))
    np.add.at(cells, (document_of, kind), 1)
    totals = drawn.sums(cells)
    by_row = [Confusion(*(int(c) for c in row)) for row in totals]
    first = {
        b: _range(
            found_positives_first(counts, b),
            drawn.counts(np.array([found_positives_first(row, b) for row in by_row])),
            b,
        )
        for b in budgets
    }
    left = drawn.counts(totals[:, 0] + totals[:, 2])
    words = np.maximum(totals.sum(axis=1), 1.0)
    at_random = {
        b: _range(found_at_random(counts, b), np.minimum(b, words) * left / words, b)
        for b in budgets
    }
    order = np.argsort(-scores, kind="stable")
    ordered, hits, owner = scores[order], sensitive[order].astype(np.float64), document_of[order]
    point = _count_best_first(ordered, hits, np.ones(len(order)), budgets)
    ascending = np.argsort(budgets)
    samples = np.empty((replicates, len(budgets)))
    samples[:, ascending] = np.concatenate(
        [
            _in_batches(ordered, hits, owner, weights, np.asarray(budgets, np.float64)[ascending])
            for weights in drawn.blocks()
        ]
    )
    ranked = {b: _range(point[j], drawn.counts(samples[:, j]), b) for j, b in enumerate(budgets)}
    return Inspection(
        counts, ranked, first, at_random, _range(counts.sensitive, left, max(counts.words, 1))
    )


def _in_batches(
    ordered: NDArray[np.float64],
    hits: NDArray[np.float64],
    owner: NDArray[np.int64],
    weights: NDArray[np.float64],
    budgets: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return what ascending budgets find in each drawn batch, best first, as `_count_best_first` counts it."""
    found = np.empty((len(weights), len(budgets)))
    ranked_batches(ordered, hits, owner.astype(np.int64), weights, budgets, found)
    return found


def _range(value: float, drawn: NDArray[np.float64], most: float) -> InspectionResult:
    """Return the percentile range, widened to hold the value itself and cut at what was inspected."""
    tail = (1 - _LEVEL) / 2
    low, high = np.minimum(np.quantile(drawn, [tail, 1 - tail]), most)
    return InspectionResult(float(value), float(min(low, value)), float(max(high, value)))
