"""What bounds say about every risk: curves of least loss, their union over nodes, a staircase and its area."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from ....core.arrays import Floats

__all__ = ["area_of", "curve", "least_loss", "staircase"]

_STEPS = 2_000


def curve(
    risk: Floats,
    bounds: Iterable[tuple[float, float]],
    least_risk: float = 0.0,
    least: float = 0.0,
) -> Floats:
    """Return the least loss at each risk that the half-planes (1 − v)·risk + v·loss ≥ bound allow.

    Below `least_risk` there is no policy at all: the loss is 1. No policy has less than the `least` loss.
    """
    found = np.full_like(risk, least)
    for weight, bound in bounds:
        np.maximum(found, (bound - (1.0 - weight) * risk) / weight, out=found)
    found = np.clip(found, 0.0, 1.0)
    found[risk < least_risk] = 1.0
    return found


def least_loss(risk: Floats, points: Sequence[tuple[float, float]]) -> Floats:
    """Return the loss of the best point within each risk: the staircase of (risk, loss) points."""
    ordered = sorted(points)
    risks = np.array([r for r, _ in ordered])
    losses = np.minimum.accumulate(np.array([l for _, l in ordered]))
    at = np.searchsorted(risks, risk, side="right") - 1
    return np.where(at >= 0, losses[np.maximum(at, 0)], 1.0)


def staircase(risk: Floats, loss: Floats, steps: int = _STEPS) -> list[tuple[float, float]]:
    """Return few (risk, utility) steps that nothing below the curve rises above.

    A step (r, u) says: within any risk from r up to the next step's, no utility is higher than u. The
    steps are placed where the square root of the slope says that they cost the least area.
    """
    loss = np.minimum.accumulate(loss)
    fall, run = -np.diff(loss), np.diff(risk)
    effort = np.concatenate(([0.0], np.cumsum(np.sqrt(fall * run) + 1e-9 * run)))
    wanted = np.linspace(0.0, effort[-1], steps + 1)
    at = np.unique(np.searchsorted(effort, wanted).clip(0, risk.size - 1))
    if at[-1] != risk.size - 1:
        at = np.append(at, risk.size - 1)
    found: list[tuple[float, float]] = []
    for here, following in itertools.pairwise(at):
        utility = float(1.0 - loss[following])
        if not found or utility > found[-1][1]:
            found.append((float(risk[here]), utility))
    return found


def area_of(steps: Sequence[tuple[float, float]]) -> float:
    """Return the area under the loss of a staircase of (risk, utility) steps, in [0, 1]²."""
    area, left, loss = 0.0, 0.0, 1.0
    for risk, utility in steps:
        area += max(risk - left, 0.0) * loss
        left, loss = max(risk, left), min(loss, 1.0 - utility)
    return area + (1.0 - left) * loss
