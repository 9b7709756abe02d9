"""Candidates as points of a frontier: which of them no other one dominates, and who chose one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeVar

from .frontier import Frontier
from .records import Candidate

__all__ = ["ChosenBy", "frontier_of", "mark_dominated"]

C = TypeVar("C", bound=Candidate)
ChosenBy = Literal["release", "steward", "project", "knee", "max-found"]
"""Who chose the candidate of a report: it is published, the steward named it, a project aims at it, or how it is suggested."""


def frontier_of(candidates: Iterable[C]) -> Frontier[C]:
    """Return the frontier of some candidates; of equal ones it holds the first.

    Parameters
    ----------
    candidates : iterable of Candidate
        The candidates, in any order.

    """
    return Frontier.of((c.risk.value, c.utility.value, c) for c in candidates)


def mark_dominated(candidates: Sequence[C]) -> tuple[tuple[C, ...], float]:
    """Return the candidates by rising risk with `dominated` set, and the area under their frontier."""
    ordered = sorted(candidates, key=lambda c: (c.risk.value, c.utility.value, c.id))
    frontier: Frontier[str] = Frontier()
    for candidate in ordered:  # of equals the first by id stays, whatever order they came in
        frontier.insert(candidate.risk.value, candidate.utility.value, candidate.id)
    best = set(frontier)
    marked = [c.model_copy(update={"dominated": c.id not in best}) for c in ordered]
    return tuple(marked), frontier.area()
