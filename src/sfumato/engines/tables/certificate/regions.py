"""Parts of a lattice and what is known of each: certified bounds of weighted sums of risk and loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ....core.arrays import Floats
from .pairs import Node
from .staircase import curve

__all__ = ["Cut", "Region", "bisecting", "weights_along"]

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Cut:
    """A cut of one of the two large attributes that a part keeps, or does not."""

    attribute: int
    place: int
    kept: bool


@dataclass(eq=False)
class Region:
    """The policies of a node, perhaps with some cuts fixed: bounds by weight, and prices to start from."""

    node: Node
    least_risk: float
    least_loss: float = 0.0
    fixed: tuple[Cut, ...] = ()
    bounds: dict[float, float] = field(default_factory=dict)
    prices: dict[tuple[float, bool], Floats] = field(default_factory=dict)
    stage: dict[float, int] = field(default_factory=dict)
    _used: dict[tuple[float, int], tuple[float, Mask]] = field(default_factory=dict)

    def bound(self, weight: float) -> float:
        """Return the best bound known at a weight, between its neighbours where it has none.

        The least weighted sum is concave in the weight, so what is known at two weights bounds all between them.
        """
        own = self.bounds.get(weight, 0.0)
        below = [w for w in self.bounds if w < weight]
        above = [w for w in self.bounds if w > weight]
        low, high = max(below, default=0.0), min(above, default=1.0)
        at_low = self.bounds.get(low, 0.0) if below else 0.0
        at_high = self.bounds.get(high, 0.0) if above else 0.0
        share = (weight - low) / (high - low)
        return max(own, (1.0 - share) * at_low + share * at_high)

    def curve(self, risk: Floats) -> Floats:
        """Return the least loss that a policy of this part can have at each risk."""
        return curve(risk, self.known(), self.least_risk, self.least_loss)

    def known(self) -> list[tuple[float, float]]:
        """Return (weight, bound) of all weights worked on."""
        return list(self.bounds.items())

    def keep_used(self, weight: float, attribute: int, limit: float, used: Mask) -> None:
        """Remember which intervals of an attribute a policy whose sum is below the limit may use."""
        self._used[weight, attribute] = (limit, used)

    def used(self, weight: float, attribute: int, limit: float) -> Mask | None:
        """Return the intervals that a policy below the limit may use; None where nothing is known."""
        known = self._used.get((weight, attribute))
        return known[1] if known is not None and limit <= known[0] else None

    def forget_used(self, weight: float) -> None:
        """Forget the intervals in use at a weight that is finished."""
        for key in [k for k in self._used if k[0] == weight]:
            del self._used[key]

    def inherit(self) -> tuple[dict[float, float], dict[tuple[float, bool], Floats]]:
        """Return bounds and prices for a smaller part of this one."""
        return dict(self.bounds), dict(self.prices)


def weights_along(points: Floats, how_many: int) -> list[float]:
    """Choose weights of loss at which the lower hull of (risk, loss) points has an edge.

    They are spread so that the half-planes of few of them leave little area below the hull.
    """
    hull: list[Floats] = []
    for point in points[np.lexsort((points[:, 1], points[:, 0]))]:
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            if (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) > 0:
                break
            hull.pop()
        hull.append(point)
    step = np.diff(np.array(hull), axis=0)
    step = step[(step[:, 0] > 0) & (step[:, 1] < 0)]
    if len(step) == 0:
        return [0.5]
    effort = np.cumsum(np.sqrt(-step[:, 0] * step[:, 1]))
    wanted = (np.arange(how_many) + 0.5) / how_many * effort[-1]
    at = np.unique(np.searchsorted(effort, wanted).clip(0, len(step) - 1))
    rates = -step[at, 0] / step[at, 1]
    return sorted({float(r / (1.0 + r)) for r in rates})


def bisecting(values: Sequence[float]) -> list[float]:
    """Order values so that each is between two that came before, as far as there are any.

    >>> bisecting([1, 2, 3, 4, 5])
    [1, 5, 3, 2, 4]
    """
    ordered = [values[0], values[-1]] if len(values) > 1 else list(values)
    spans = [(0, len(values) - 1)]
    while spans:
        low, high = spans.pop(0)
        middle = (low + high) // 2
        if low < middle < high:
            ordered.append(values[middle])
            spans += [(low, middle), (middle, high)]
    return ordered
