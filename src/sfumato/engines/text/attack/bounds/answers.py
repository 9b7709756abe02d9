"""What a bound answers with: a number, its assumptions, and one sentence for people."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .....core.errors import ParameterError
from ..inspection import Confusion, found_at_random, gain_over_random

__all__ = [
    "Assumption",
    "Bound",
    "better_than_chance",
    "check_ratio",
    "gain_sentence",
    "large_budget",
    "optimal_attacker",
    "trivial_gain",
]


@dataclass(frozen=True, slots=True)
class Assumption:
    """A condition of a theorem; `holds` is None where counts cannot tell."""

    name: str
    holds: bool | None
    text: str

    def to_json(self) -> dict[str, object]:
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

    def to_json(self) -> dict[str, object]:
        finite = self.value is not None and math.isfinite(self.value)
        return {
            "value": self.value if finite else None,
            "assumptions": [a.to_json() for a in self.assumptions],
            "applies": self.applies,
            "vacuous": self.vacuous,
            "sentence": self.sentence,
        }


def check_ratio(ratio: float) -> None:
    """Refuse a ratio L/C that is no positive number."""
    if not (math.isfinite(ratio) and ratio > 0):
        raise ParameterError.constraint("ratio", "bounds", "a number in (0, inf)", ratio)


def optimal_attacker() -> Assumption:
    """Assume that the attacker's classifier is the best there is."""
    return Assumption(
        "optimal attacker",
        None,
        "the attacker's classifier is the most accurate one of the hypothesis class on the release; "
        "a learned one only approximates it",
    )


def large_budget(attack: Confusion, budget: float) -> Assumption:
    """Assume that the budget covers the predicted positives."""
    return Assumption(
        "large budget",
        attack.positives <= budget <= attack.words,
        f"the budget covers all {attack.positives:,} predicted positives and not more than the release",
    )


def better_than_chance(attack: Confusion) -> Assumption:
    """Assume that a predicted positive is sensitive no less often than any word."""
    return Assumption(
        "better than chance",
        attack.tp * attack.tn >= attack.fp * attack.fn,
        "TP·TN ≥ FP·FN: a predicted positive is sensitive at least as often as any word",
    )


def trivial_gain(attack: Confusion, budget: float) -> float:
    """Return the gain that no attacker at all can pass."""
    baseline = found_at_random(attack, budget)
    return min(budget, attack.sensitive) / baseline if baseline > 0 else 0.0


def gain_sentence(
    name: str, value: float | None, vacuous: bool, attack: Confusion, budget: float
) -> str:
    """Return what a bound on the gain means here, in one sentence."""
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
