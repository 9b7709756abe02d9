"""Compare a frontier with the Safe Harbor policy of the same table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from sfumato.engines.tables.space.safe_harbor import C, R

from ....core.errors import ParameterError, did_you_mean
from ....core.exploration import Exploration
from ....core.records import Reference

__all__ = ["Comparison", "ComparisonFields", "compare", "compare_point", "comparison_sentence"]


class ComparisonFields(TypedDict):
    """A comparison as frontier.json holds it."""

    dominated_by: int
    risk_at_same_loss: float | None
    loss_at_same_risk: float | None
    risk_ratio: float | None
    in_words: str


@dataclass(frozen=True)
class Comparison:
    """What a frontier offers against a reference: the policies that dominate it, and by how much."""

    reference: str
    dominating: tuple[str, ...]
    risk_at_same_loss: float | None
    loss_at_same_risk: float | None
    risk_ratio: float | None
    in_words: str

    def to_json(self) -> ComparisonFields:
        """Return the plain form used in frontier.json, without the ids."""
        return {
            "dominated_by": len(self.dominating),
            "risk_at_same_loss": self.risk_at_same_loss,
            "loss_at_same_risk": self.loss_at_same_risk,
            "risk_ratio": self.risk_ratio,
            "in_words": self.in_words,
        }


def compare(frontier: Exploration[R, C], reference: Reference | str) -> Comparison:
    """Return which candidates of a frontier dominate a reference, and by how much (figure 9)."""
    if isinstance(reference, str):
        known = {r.name: r for r in frontier.references}
        if reference not in known:
            raise ParameterError(
                f"The frontier has no reference {reference!r}.", hint=did_you_mean(reference, known)
            )
        reference = known[reference]
    points = [(c.risk.value, 1.0 - c.utility.value, c.id) for c in frontier]
    return compare_point(
        reference.name, reference.risk.value, 1.0 - reference.utility.value, points
    )


def compare_point(
    name: str, risk: float, loss: float, points: Sequence[tuple[float, float, str]]
) -> Comparison:
    """Compare a point with the (risk, loss, id) of a frontier."""
    better = tuple(i for r, l, i in points if r <= risk and l <= loss and (r < risk or l < loss))
    at_loss = min((r for r, l, _ in points if l <= loss), default=None)
    at_risk = min((l for r, l, _ in points if r <= risk), default=None)
    ratio = risk / at_loss if at_loss else None
    words = comparison_sentence(name, risk, loss, len(better), best_risk=at_loss, best_loss=at_risk)
    return Comparison(name, better, at_loss, at_risk, ratio, words)


def comparison_sentence(
    name: str,
    risk: float,
    loss: float,
    dominating: int,
    *,
    best_risk: float | None,
    best_loss: float | None,
) -> str:
    """Return in words how a frontier compares with a reference policy (figure 9).

    >>> comparison_sentence("Safe Harbor", 0.08, 0.36, 2, best_risk=0.001, best_loss=0.2)
    "2 policies are better than Safe Harbor: at Safe Harbor's loss the risk is 80.0 times lower, and at \
Safe Harbor's risk the loss is 0.200 instead of 0.360."
    """
    if not dominating:
        return f"No policy found is better than {name} in both risk and loss."
    parts = []
    if best_risk is not None and best_risk < risk / 1.05:
        parts.append(
            f"at {name}'s loss the risk is {risk / best_risk:.1f} times lower"
            if best_risk > 0
            else f"at {name}'s loss the risk is 0"
        )
    if best_loss is not None and f"{best_loss:.3f}" != f"{loss:.3f}" and best_loss < loss:
        parts.append(f"at {name}'s risk the loss is {best_loss:.3f} instead of {loss:.3f}")
    many = "1 policy is" if dominating == 1 else f"{dominating:,} policies are"
    if not parts:
        return f"{many} better than {name}, by next to nothing."
    return f"{many} better than {name}: " + ", and ".join(parts) + "."
