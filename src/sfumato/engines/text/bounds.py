"""What the paper's theorems say about a release, and whether what they say means anything here.

Each answer carries its assumptions, whether they hold on these counts, and whether the number is
vacuous (a trivial fact is at least as strong). Symbols of the paper stand in the docstrings; PAPER.md
lists where a printed proof needs a repair (Lemma 4 uses TP̂/m ≥ q, not TP̂ ≥ q·TN̂; Theorem 4 needs
TP_A ≥ 1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.errors import ParameterError
from .inspection import Confusion, Found, found_at_random, found_positives_first, gain_over_random

__all__ = [
    "Assumption",
    "Bound",
    "SampleParameters",
    "certificate",
    "false_alarm_floor",
    "finite_sample_gain",
    "finite_sample_true_positives",
    "gain_at_local_optimum",
    "gain_of_positives_first",
    "local_optimum",
    "most_true_positives",
    "positives_first_pays",
    "ranked_prefix",
    "tightest_parameters",
    "vc_deviation",
]


@dataclass(frozen=True, slots=True)
class Assumption:
    """A condition of a theorem; `holds` is None where counts cannot tell."""

    name: str
    holds: bool | None
    text: str

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "holds": self.holds, "text": self.text}


@dataclass(frozen=True, slots=True)
class Bound:
    """What a theorem says here: a number, its conditions, and one sentence for people."""

    name: str
    value: float | None
    assumptions: tuple[Assumption, ...]
    vacuous: bool
    sentence: str

    @property
    def applies(self) -> bool:
        """No assumption is known to be broken."""
        return all(a.holds is not False for a in self.assumptions)

    def to_json(self) -> dict[str, Any]:
        finite = self.value is not None and math.isfinite(self.value)
        return {
            "value": self.value if finite else None,
            "assumptions": [a.to_json() for a in self.assumptions],
            "applies": self.applies,
            "vacuous": self.vacuous,
            "sentence": self.sentence,
        }


def _optimal_attacker() -> Assumption:
    return Assumption(
        "optimal attacker",
        None,
        "the attacker's classifier is the most accurate one of the hypothesis class on the release; "
        "a learned one only approximates it",
    )


def _local(attack: Confusion, ratio: float) -> Assumption:
    return Assumption(
        "local optimum",
        attack.fp >= ratio * attack.tp,
        "adding the attacker's classifier would not lower the publisher's loss (Definition 4.1)",
    )


def _check_ratio(ratio: float) -> None:
    if not (math.isfinite(ratio) and ratio > 0):
        raise ParameterError.constraint("ratio", "bounds", "a number in (0, inf)", ratio)


def local_optimum(attack: Confusion, ratio: float) -> Bound:
    """Theorem 2: H is a local optimum iff TP_A = 0 or FP_A / TP_A ≥ L/C.

    >>> local_optimum(Confusion(tp=1, fp=10, fn=5, tn=100), ratio=10).assumptions[-1].holds
    True
    """
    _check_ratio(ratio)
    optimum = _local(attack, ratio)
    value = attack.fp / attack.tp if attack.tp else None
    says = "is" if optimum.holds else "is not"
    alarms = (
        "finds nothing" if value is None else f"raises {value:.2f} false alarms for each true one"
    )
    return Bound(
        "theorem 2",
        value,
        (_optimal_attacker(), optimum),
        vacuous=False,
        sentence=f"The release {says} a local optimum: the attacker's classifier {alarms} "
        f"(L/C = {ratio:g}).",
    )


def most_true_positives(attack: Confusion, ratio: float, *, words: int, sensitive: int) -> Bound:
    """Theorem 3: at a local optimum TP_A ≤ (C/L)·(1 − α)·n.

    `words` and `sensitive` are n and α·n before redaction. The number is vacuous where no more than
    that many sensitive words are left anyway.
    """
    _check_ratio(ratio)
    value = (words - sensitive) / ratio
    vacuous = value >= attack.sensitive
    return Bound(
        "theorem 3",
        value,
        (_optimal_attacker(), _local(attack, ratio)),
        vacuous,
        f"The attacker's classifier points at no more than {value:,.0f} sensitive words"
        + (f"; only {attack.sensitive:,} are left, so this says nothing." if vacuous else "."),
    )


def _budget(attack: Confusion, budget: float) -> Assumption:
    return Assumption(
        "large budget",
        attack.positives <= budget <= attack.words,
        f"the budget covers all {attack.positives:,} predicted positives and not more than the release",
    )


def _better_than_chance(attack: Confusion) -> Assumption:
    return Assumption(
        "better than chance",
        attack.tp * attack.tn >= attack.fp * attack.fn,
        "TP·TN ≥ FP·FN: a predicted positive is sensitive at least as often as any word",
    )


def positives_first_pays(attack: Confusion, budget: float) -> Bound:
    """Lemma 2: with B ≥ TP_A + FP_A and TP·TN ≥ FP·FN, reading positives first gives U_A* ≥ U_A.

    The value is U_A* − U_A in units of L.
    """
    value = found_positives_first(attack, budget) - found_at_random(attack, budget)
    return Bound(
        "lemma 2",
        value,
        (_budget(attack, budget), _better_than_chance(attack)),
        vacuous=False,
        sentence=f"Reading the predicted positives first finds {value:+.2f} sensitive words "
        f"against reading {budget:,.0f} words at random.",
    )


def gain_of_positives_first(attack: Confusion, budget: float) -> Bound:
    """Lemma 3: U_A*/U_A ≤ 1 + (TP·TN − FP·FN) / ((TP + FP)(TP + FN))."""
    above = attack.tp * attack.tn - attack.fp * attack.fn
    below = attack.positives * attack.sensitive
    value = 1 + above / below if below else None
    something = Assumption(
        "something to find",
        below > 0,
        "the classifier has predicted positives and something sensitive is left",
    )
    # Trivially U_A* ≤ L·min(B, sensitive), and U_A = L·B·sensitive/words.
    vacuous = value is None or value >= _trivial_gain(attack, budget)
    return Bound(
        "lemma 3",
        value,
        (_budget(attack, budget), _better_than_chance(attack), something),
        vacuous,
        _gain_sentence("Lemma 3", value, vacuous, attack, budget),
    )


def _trivial_gain(attack: Confusion, budget: float) -> float:
    baseline = found_at_random(attack, budget)
    return min(budget, attack.sensitive) / baseline if baseline > 0 else 0.0


def _gain_sentence(
    name: str, value: float | None, vacuous: bool, attack: Confusion, budget: float
) -> str:
    if value is None or not math.isfinite(value):
        return f"{name} gives no number on these counts."
    real = gain_over_random(attack, budget)
    seen = "" if real is None else f"; it finds {real:.2f} times as many"
    empty = (
        "; no attacker at all could find more than that, so this says nothing" if vacuous else ""
    )
    return (
        f"The classifier finds at most {value:,.2f} times what reading at random finds"
        f"{seen}{empty}."
    )


def gain_at_local_optimum(
    attack: Confusion, ratio: float, budget: float, *, words: int, sensitive: int
) -> Bound:
    """Theorem 4: at a local optimum U_A*/U_A ≤ ((1 − α)n + 1) / (1 + L/C).

    The proof divides by TP_A, so TP_A ≥ 1 is an assumption too (without a true positive the gain is 1
    and the number may be less).
    """
    _check_ratio(ratio)
    value = (words - sensitive + 1) / (1 + ratio)
    vacuous = value >= _trivial_gain(attack, budget)
    return Bound(
        "theorem 4",
        value,
        (
            _optimal_attacker(),
            _local(attack, ratio),
            _budget(attack, budget),
            _better_than_chance(attack),
            Assumption("a true positive", attack.tp >= 1, "the classifier finds something"),
        ),
        vacuous,
        _gain_sentence("Theorem 4", value, vacuous, attack, budget),
    )


def vc_deviation(delta: float, sample: int, dimension: float) -> float:
    """λ(δ, m) = ((41/m)(v·log(2em/v) + log(4/δ)))^½ with Vapnik–Chervonenkis dimension v.

    >>> round(vc_deviation(0.05, 1_000_000, 10), 4)
    0.0748
    """
    if not 0 < delta < 1:
        raise ParameterError.constraint("delta", "vc_deviation", "a number in (0, 1)", delta)
    if sample < 1 or dimension < 1:
        raise ParameterError("The sample size and the dimension must be at least 1.")
    capacity = dimension * math.log(2 * math.e * sample / dimension) + math.log(4 / delta)
    # Sauer's count of labellings, (2em/v)^v, needs 2m ≥ v; below it there is no bound.
    return math.sqrt(41 / sample * capacity) if 2 * sample >= dimension else math.inf


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

    def to_json(self) -> dict[str, float | None]:
        return {
            name: (v if math.isfinite(v) else None)
            for name in self.__slots__
            for v in [float(getattr(self, name))]
        }


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


def _sample_assumptions(
    train: Confusion, ratio: float, bracket: float, deviation: float
) -> tuple[Assumption, ...]:
    return (
        _optimal_attacker(),
        Assumption(
            "independent words",
            False,
            "λ(δ, m) is for independent draws; words of one document are not",
        ),
        Assumption(
            "stopped",
            train.fp >= ratio * train.tp,
            "the last classifier did not lower the loss on the residual training data",
        ),
        Assumption("a true positive", train.tp >= 1, "TP̂ ≥ 1 when the algorithm ended"),
        Assumption(
            "large sample",
            bracket > 0,
            f"λ = {deviation:.3g} is below (1 + 1/p)·q·L/C = {bracket + deviation:.3g}",
        ),
    )


def false_alarm_floor(
    train: Confusion, attack: Confusion, ratio: float, *, dimension: float, delta: float = 0.05
) -> Bound:
    """Lemma 4: FP_A/TP_A ≥ ((1 + 1/p)·q·L/C − λ) / ((1 + 1/s)·r), with probability 1 − δ."""
    _check_ratio(ratio)
    parameters = tightest_parameters(train, attack)
    deviation = vc_deviation(delta, max(train.words, 1), dimension)
    bracket = _bracket(parameters, ratio, deviation)
    widening = _widening(parameters)
    value = bracket / widening if widening and math.isfinite(widening) else None
    vacuous = value is None or value <= 0
    return Bound(
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
    _check_ratio(ratio)
    parameters = tightest_parameters(train, attack)
    deviation = vc_deviation(delta, max(train.words, 1), dimension)
    bracket = _bracket(parameters, ratio, deviation)
    value = _widening(parameters) * (words - sensitive) / bracket if bracket > 0 else None
    vacuous = value is None or not value < attack.sensitive
    return Bound(
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
    _check_ratio(ratio)
    parameters = tightest_parameters(train, attack)
    deviation = vc_deviation(delta, max(train.words, 1), dimension)
    bracket = _bracket(parameters, ratio, deviation)
    widening = _widening(parameters)
    usable = bracket > 0 and math.isfinite(widening)
    value = (words - sensitive + 1) * widening / (widening + bracket) if usable else None
    vacuous = value is None or value >= _trivial_gain(attack, budget)
    return Bound(
        "theorem 6",
        value,
        (
            *_sample_assumptions(train, ratio, bracket, deviation),
            _budget(attack, budget),
            _better_than_chance(attack),
        ),
        vacuous,
        "The sample is too small for Theorem 6 to say anything."
        if value is None
        else _gain_sentence("Theorem 6", value, vacuous, attack, budget),
    )


def ranked_prefix(found: Found, budget: int, ratio: float) -> Bound:
    """Ours: at an honest local optimum no ranked prefix holds more than C/(L + C) sensitive words.

    A prefix with TP sensitive among B words is worth redacting when L·TP > C·(B − TP), that is when
    TP/B > C/(L + C): a publisher whose class holds that prefix's classifier would have done so. It is a
    statement about what the publisher could learn, so it is tested, not proved, on a release.

    >>> ranked_prefix(Found(9, 4, 15), 100, ratio=10).applies
    True
    """
    _check_ratio(ratio)
    value = 1 / (1 + ratio)
    share, low = found.found / budget, found.low / budget
    verdict = "within" if share <= value else ("within the range of" if low <= value else "above")
    return Bound(
        "ranked prefix",
        value,
        (
            Assumption(
                "observed",
                low <= value,
                "what was found lies under the bound, or its range reaches down to it",
            ),
            Assumption(
                "known learner",
                None,
                "the publisher's hypothesis class holds the attacker's ranking, learned from as much data",
            ),
        ),
        vacuous=False,
        sentence=f"The best {budget:,} words hold {share:.1%} sensitive ones "
        f"({low:.1%} to {found.high / budget:.1%}), {verdict} the bound C/(L+C) = {value:.1%}.",
    )


def certificate(
    *,
    attack: Confusion,
    ratio: float,
    budget: int,
    words: int,
    sensitive: int,
    train: Confusion | None = None,
    dimension: float | None = None,
    delta: float = 0.05,
    ranked: Mapping[int, Found] | None = None,
) -> dict[str, Any]:
    """Put every bound that these counts allow into one plain dict (`bounds` of frontier.json).

    `attack` are the attacker's counts on the release, `train` those of the classifier that failed the
    stop rule on the residual training data, `dimension` the Vapnik–Chervonenkis dimension (for a linear
    classifier the number of its features plus one).
    """
    size = {"words": words, "sensitive": sensitive}
    answers = [
        local_optimum(attack, ratio),
        most_true_positives(attack, ratio, **size),
        positives_first_pays(attack, budget),
        gain_of_positives_first(attack, budget),
        gain_at_local_optimum(attack, ratio, budget, **size),
    ]
    result: dict[str, Any] = {}
    if train is not None and dimension is not None:
        sample: dict[str, Any] = {"dimension": dimension, "delta": delta}
        answers += [
            false_alarm_floor(train, attack, ratio, **sample),
            finite_sample_true_positives(train, attack, ratio, **size, **sample),
            finite_sample_gain(train, attack, ratio, budget, **size, **sample),
        ]
        deviation = vc_deviation(delta, max(train.words, 1), dimension)
        result["deviation"] = deviation if math.isfinite(deviation) else None
        result["parameters"] = tightest_parameters(train, attack).to_json()
    result |= {answer.name: answer.to_json() for answer in answers}
    result["ranked prefix"] = {
        str(b): ranked_prefix(found, b, ratio).to_json() for b, found in (ranked or {}).items()
    }
    return result
