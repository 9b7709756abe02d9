"""What a certificate proves about every policy of a lattice, found or not."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Certified"]


@dataclass(frozen=True)
class Certified:
    """What was proven: (risk, utility) steps above which there is no policy, and the area under them.

    `exact` says that the frontier found is the frontier of the lattice.
    """

    area: float
    staircase: tuple[tuple[float, float], ...]
    exact: bool
