"""Finite samples: λ(δ, m), Lemma 4, Theorems 5 and 6 with the tightest p, q, r, s of the data."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .....core.errors import ParameterError
from ...attack_records import Assumption, Bound, SampleParametersRecord
from ..inspection import Confusion
from .answers import (
    assume,
    better_than_chance,
    check_ratio,
    conclude,
    gain_sentence,
    large_budget,
    optimal_attacker,
    trivial_gain,
)

__all__ = [
    "SampleParameters",
    "false_alarm_floor",
    "finite_sample_gain",
    "finite_sample_true_positives",
    "tightest_parameters",
    "vc_deviation",
]


def vc_deviation(delta: float, sample: int, dimension: float) -> float:
    """λ(δ, m) = ((41/m)(v·log(2em/v) + log(4/δ)))^½ with Vapnik–Chervonenkis dimension v.

    >>> round(vc_deviation(0.05, 1_000_000, 10), 4)
    0.0748
    """
    if not 0 < delta < 1:
        raise ParameterError.constraint("delta", "vc_deviation", "a number in (0, 1)", delta)
    if sample < 1 or dimension < 1:
        raise ParameterError("The sample size and the dimension must be at least 1.")
    if 2 * sample < dimension:
        # Sauer's count of labellings, (2em/v)^v, needs 2m ≥ v; below it there is no bound.
        return math.inf
    capacity = dimension * math.log(2 * math.e * sample / dimension) + math.log(4 / delta)
    return math.sqrt(41 / sample * capacity)


@dataclass(frozen=True, slots=True)
class SampleParameters:
    """The parameters p, q, r, s of section 4.3, as tight as the counts allow.

    FP̂ ≤ p·FN̂, FP_A ≥ s·FN_A as printed. The printed TP̂ ≥ q·TN̂ and TP_A ≤ r·TN_A enter the proof of
    Lemma 4 as TP̂/m ≥ q and TP_A/m ≤ r; the first does not follow from what is printed (TN̂ < m), so
    q and r are taken as those shares. `q_printed` and `r_printed` are kept for the record.
    """

    p: float
    q: float
    r: float
    s: float
    q_printed: float
    r_printed: float

    def to_record(self) -> SampleParametersRecord:
        """Return them as they are written; what is not finite as None."""
        values = {name: float(getattr(self, name)) for name in self.__slots__}
        return SampleParametersRecord.model_validate(
            {name: v if math.isfinite(v) else None for name, v in values.items()}
        )


def _over(above: float, below: float) -> float:
    if below:
        return above / below
    return math.inf if above else 0.0


def tightest_parameters(train: Confusion, attack: Confusion) -> SampleParameters:
    """Take p, q, r, s from the last classifier on the residual training data and the attacker's.

    >>> tightest_parameters(Confusion(2, 20, 10, 968), Confusion(3, 30, 10, 957)).p
    2.0
    """
    return SampleParameters(
        p=_over(train.fp, train.fn),
        q=_over(train.tp, train.words),
        r=_over(attack.tp, attack.words),
        s=_over(attack.fp, attack.fn),
        q_printed=_over(train.tp, train.tn),
        r_printed=_over(attack.tp, attack.tn),
    )


def _bracket(parameters: SampleParameters, ratio: float, deviation: float) -> float:
    """(1 + 1/p)·q·L/C − λ; with p = 0 no false positive was made and the term is unbounded."""
    inverse = math.inf if parameters.p == 0 else 1 / parameters.p
    first = (1 + inverse) * parameters.q * ratio if parameters.q else 0.0
    return first - deviation


def _widening(parameters: SampleParameters) -> float:
    """r·(1 + 1/s)."""
    if parameters.r == 0:
        return 0.0
    return parameters.r * (1 + (math.inf if parameters.s == 0 else 1 / parameters.s))


def _large_sample(bracket: float, deviation: float) -> str:
    condition = "λ(δ, m) is below (1 + 1/p)·q·L/C"
    if not math.isfinite(deviation):
        return f"{condition}; here λ is infinite: the class is too rich for the sample"
    limit = "unbounded" if math.isinf(bracket) else f"{bracket + deviation:.3g}"
    return f"{condition}; here λ is {deviation:.3g} and the limit {limit}"


def _sample_assumptions(
    train: Confusion, ratio: float, bracket: float, deviation: float
) -> tuple[Assumption, ...]:
    return (
        optimal_attacker(),
        assume(
            "independent words",
            False,
            "λ(δ, m) is for independent draws; words of one document are not",
        ),
        assume(
            "stopped",
            train.fp >= ratio * train.tp,
            "the last classifier did not lower the loss on the residual training data",
        ),
        assume("a true positive", train.tp >= 1, "TP̂ ≥ 1 when the algorithm ended"),
        assume("large sample", bracket > 0, _large_sample(bracket, deviation)),
    )


def false_alarm_floor(
    train: Confusion, attack: Confusion, ratio: float, *, dimension: float, delta: float = 0.05
) -> Bound:
    """Lemma 4: FP_A/TP_A ≥ ((1 + 1/p)·q·L/C − λ) / ((1 + 1/s)·r), with probability 1 − δ."""
    check_ratio(ratio)
    parameters = tightest_parameters(train, attack)
    deviation = vc_deviation(delta, max(train.words, 1), dimension)
    bracket = _bracket(parameters, ratio, deviation)
    widening = _widening(parameters)
    value = bracket / widening if widening and math.isfinite(widening) else None
    vacuous = value is None or value <= 0
    return conclude(
        "lemma 4",
        value,
        _sample_assumptions(train, ratio, bracket, deviation),
        vacuous,
        "The sample is too small for Lemma 4 to say anything."
        if vacuous
        else f"The attacker raises at least {value:,.2f} false alarms for each true one "
        f"(probability {1 - delta:g}).",
    )


def finite_sample_true_positives(
    train: Confusion,
    attack: Confusion,
    ratio: float,
    *,
    words: int,
    sensitive: int,
    dimension: float,
    delta: float = 0.05,
) -> Bound:
    """Theorem 5: TP_A ≤ r(1 + 1/s)·(1 − α)n / ((1 + 1/p)·q·L/C − λ), with probability 1 − δ."""
    check_ratio(ratio)
    parameters = tightest_parameters(train, attack)
    deviation = vc_deviation(delta, max(train.words, 1), dimension)
    bracket = _bracket(parameters, ratio, deviation)
    value = _widening(parameters) * (words - sensitive) / bracket if bracket > 0 else None
    vacuous = value is None or not value < attack.sensitive
    return conclude(
        "theorem 5",
        value,
        _sample_assumptions(train, ratio, bracket, deviation),
        vacuous,
        "The sample is too small for Theorem 5 to say anything."
        if vacuous
        else f"The attacker's classifier points at no more than {value:,.0f} sensitive words "
        f"(probability {1 - delta:g}).",
    )


def finite_sample_gain(
    train: Confusion,
    attack: Confusion,
    ratio: float,
    budget: float,
    *,
    words: int,
    sensitive: int,
    dimension: float,
    delta: float = 0.05,
) -> Bound:
    """Theorem 6: U_A*/U_A ≤ ((1 − α)n + 1)·r(1 + 1/s) / (r(1 + 1/s) + (1 + 1/p)·q·L/C − λ)."""
    check_ratio(ratio)
    parameters = tightest_parameters(train, attack)
    deviation = vc_deviation(delta, max(train.words, 1), dimension)
    bracket = _bracket(parameters, ratio, deviation)
    widening = _widening(parameters)
    usable = bracket > 0 and math.isfinite(widening)
    value = (words - sensitive + 1) * widening / (widening + bracket) if usable else None
    vacuous = value is None or value >= trivial_gain(attack, budget)
    return conclude(
        "theorem 6",
        value,
        (
            *_sample_assumptions(train, ratio, bracket, deviation),
            large_budget(attack, budget),
            better_than_chance(attack),
        ),
        vacuous,
        "The sample is too small for Theorem 6 to say anything."
        if value is None
        else gain_sentence("Theorem 6", value, vacuous, attack, budget),
    )
