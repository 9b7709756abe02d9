"""What the paper's theorems say about a release, and whether what they say means anything here.

Each answer carries its assumptions, whether they hold on these counts, and whether the number is
vacuous (a trivial fact is at least as strong). Symbols of the paper are in the docstrings; PAPER.md
lists where a printed proof needs a repair (Lemma 4 uses TP̂/m ≥ q, not TP̂ ≥ q·TN̂; Theorem 4 needs
TP_A ≥ 1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...attack_records import TheoremBounds
from ..inspection import Confusion, InspectionResult
from .finite_samples import (
    false_alarm_floor,
    finite_sample_gain,
    finite_sample_true_positives,
    tightest_parameters,
    vc_deviation,
)
from .local_optima import (
    gain_at_local_optimum,
    gain_of_positives_first,
    local_optimum,
    most_true_positives,
    positives_first_pays,
    ranked_prefix,
)

__all__ = ["certificate"]

_DELTA = 0.05
"""The probability that a finite-sample bound fails."""


def certificate(
    *,
    attack: Confusion,
    ratio: float,
    budget: int,
    words: int,
    sensitive: int,
    train: Confusion | None = None,
    dimension: float | None = None,
    ranked: Mapping[int, InspectionResult] | None = None,
) -> TheoremBounds:
    """Return every bound that these counts allow (`bounds` of frontier.json).

    `attack` are the attacker's counts on the release, `train` those of the classifier that failed the
    stop rule on the residual training data, `dimension` the Vapnik–Chervonenkis dimension (for a linear
    classifier the number of its features plus one).

    Parameters
    ----------
    attack : Confusion
        The attacker's counts on the release.
    ratio : float
        The loss ratio L/C.
    budget : int
        How many words are inspected.
    words, sensitive : int
        How many words, and how many sensitive ones, there were before redaction.
    train : Confusion, default None
        The counts of the classifier that failed the stop rule on the residual training data.
    dimension : float, default None
        The Vapnik–Chervonenkis dimension of its hypotheses.
    ranked : mapping from int to Found, default None
        What the best-scored words hold, by budget.

    """
    size = {"words": words, "sensitive": sensitive}
    answers = [
        local_optimum(attack, ratio),
        most_true_positives(attack, ratio, **size),
        positives_first_pays(attack, budget),
        gain_of_positives_first(attack, budget),
        gain_at_local_optimum(attack, ratio, budget, **size),
    ]
    deviation = parameters = None
    if train is not None and dimension is not None:
        answers += [
            false_alarm_floor(train, attack, ratio, dimension=dimension, delta=_DELTA),
            finite_sample_true_positives(
                train, attack, ratio, **size, dimension=dimension, delta=_DELTA
            ),
            finite_sample_gain(
                train, attack, ratio, budget, **size, dimension=dimension, delta=_DELTA
            ),
        ]
        deviation = vc_deviation(_DELTA, max(train.words, 1), dimension)
        parameters = tightest_parameters(train, attack).to_record()
    return TheoremBounds(
        theorems={answer.name: answer for answer in answers},
        ranked_prefix={
            str(b): ranked_prefix(found, b, ratio) for b, found in (ranked or {}).items()
        },
        deviation=deviation if deviation is not None and math.isfinite(deviation) else None,
        parameters=parameters,
    )
