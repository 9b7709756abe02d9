"""What the bounds are made of: assumptions, the conclusion from them, and one sentence for people."""

from __future__ import annotations

import math

from .....core.errors import ParameterError
from ...attack_records import Assumption, Bound
from ..inspection import Confusion, found_at_random, gain_over_random

__all__ = [
    "assume",
    "better_than_chance",
    "check_ratio",
    "conclude",
    "gain_sentence",
    "large_budget",
    "optimal_attacker",
    "trivial_gain",
]


def assume(name: str, holds: bool | None, text: str) -> Assumption:
    """Return a condition of a theorem; `holds` is None where counts cannot tell."""
    return Assumption(name=name, holds=holds, text=text)


def conclude(
    name: str,
    value: float | None,
    assumptions: tuple[Assumption, ...],
    vacuous: bool,
    sentence: str,
) -> Bound:
    """Return what a theorem says here; it applies unless an assumption is known to be broken."""
    return Bound(
        name=name,
        value=value if value is not None and math.isfinite(value) else None,
        applies=all(a.holds is not False for a in assumptions),
        vacuous=vacuous,
        assumptions=assumptions,
        sentence=sentence,
    )


def check_ratio(ratio: float) -> None:
    """Refuse a ratio L/C that is no positive number."""
    if not (math.isfinite(ratio) and ratio > 0):
        raise ParameterError.constraint("ratio", "bounds", "a number in (0, inf)", ratio)


def optimal_attacker() -> Assumption:
    """Assume that the attacker's classifier is the best there is."""
    return assume(
        "optimal attacker",
        None,
        "the attacker's classifier is the most accurate one of the hypothesis class on the release; "
        "a learned one only approximates it",
    )


def large_budget(attack: Confusion, budget: float) -> Assumption:
    """Assume that the budget covers the predicted positives."""
    return assume(
        "large budget",
        attack.positives <= budget <= attack.words,
        f"the budget covers all {attack.positives:,} predicted positives and not more than the release",
    )


def better_than_chance(attack: Confusion) -> Assumption:
    """Assume that a predicted positive is sensitive no less often than any word."""
    return assume(
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
