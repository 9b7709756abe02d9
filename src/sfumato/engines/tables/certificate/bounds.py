"""Lower bounds of all weighted sums of risk and loss, part by part, weight by weight, as time allows.

The part whose bound is lowest is improved first. The larger of the two attributes goes outside first, which is
quick and shows which of its intervals a better policy could use at all; with these alone the smaller one
goes outside, which is tight.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..contingency.cells import Cells
from ..space.constraints import Space
from .pairs import Node, PairSums, Units, two_largest
from .regions import Cut, Region, bisecting, weights_along
from .relaxation import Relaxation

__all__ = ["RegionBounds"]

_MOST_NODES = 64
_MOST_PLACES = 1 << 25  # outer × inner × groups of one node
_KEPT_PAIRS = 24
_EFFORT = 6_000
_ROUNDS = 60
_ROUNDING = 1e-12
_NEAR = 1.5  # distance of two weights, in log odds, up to which they share prices
_ENOUGH = 0.0005  # share of the best sum found: a part this near needs no more work
_LOOSE = 1e-4  # share of the best sum found: precision of a bound while prices still move
_WARM_STEP = 0.2


@dataclass(frozen=True)
class _Pass:
    """How many weights are worked on, and up to how many times the best sum found."""

    weights: int
    beyond: float


# At first only what is below the sums found counts; then what is beyond, as regions have their own convex hulls.
_PASSES = (
    _Pass(17, 1.0), _Pass(17, 1.03), _Pass(40, 1.03), _Pass(100, 1.03), _Pass(250, 1.03),
    _Pass(250, 1.15),
)  # fmt: skip


@dataclass(frozen=True)
class _Visit:
    """One visit of a part at a weight: which attribute is outside, and how often prices are improved."""

    large_outside: bool
    ascents: int
    gain: float  # of the best sum found: less than this ends the visit


_STAGES = (
    _Visit(large_outside=True, ascents=0, gain=0.0),
    _Visit(large_outside=True, ascents=2, gain=0.0),
    _Visit(large_outside=False, ascents=6, gain=0.003),
    _Visit(large_outside=False, ascents=12, gain=0.0005),
)


class RegionBounds:
    """Certified bounds of every part of a lattice.

    Parameters
    ----------
    cells, space : Cells and Space
        The table and the policies that are allowed.
    points : array of (risk, loss)
        The frontier that was found.

    """

    def __init__(self, cells: Cells, space: Space, points: npt.NDArray[np.float64]) -> None:
        self.cells, self.space, self.points = cells, space, points
        attributes = two_largest(space)
        self.possible = attributes is not None
        if attributes is None:
            return
        self.large, self.small = attributes
        root = self._root()
        self.parts = [Region(root, *self.corner(root, ()))]
        self._rest_order = self._rest_by_loss(root)
        self.possible = self._fits()
        self._pairs: dict[tuple[Node, bool], PairSums] = {}
        self._lock = threading.Lock()

    def _root(self) -> Node:
        """Return the node of all policies: the rest between its coarsest and its finest form."""
        space = self.space
        coarse = space.bottom.copy()
        for a in range(len(space.rules)):
            if a not in (self.large, self.small) and not space.rules[a].keep:
                coarse[int(space.first[a]) : int(space.first[a + 1])] = 0
        return Node(coarse.tobytes(), space.bottom.tobytes())

    def _divide(self, part: Region) -> bool:
        """Replace a part by the two halves of its node; False where that cannot be done."""
        if part.node.single or part.fixed:
            return False
        with self._lock:
            if part not in self.parts or len(self.parts) >= _MOST_NODES:
                return False
            halves = [
                Region(node, *self.corner(node, ()), (), *part.inherit())
                for node in part.node.split(self._rest_order)
                if not node.single or self._allows(node)
            ]
            at = self.parts.index(part)
            self.parts[at : at + 1] = halves
        return True

    def _allows(self, node: Node) -> bool:
        """Return whether a single node's rest is allowed; the large attributes stay as they are."""
        return self.space.allows(np.frombuffer(node.fine, dtype=np.uint8))

    def _rest_by_loss(self, root: Node) -> list[int]:
        """Order the open bits of the rest by the loss of leaving one out, largest first."""
        found = []
        for i, (c, f) in enumerate(zip(root.coarse, root.fine, strict=True)):
            if c != f:
                bits = self.space.bottom.copy()
                bits[i] = 0
                found.append((-self.cells.measure(bits).loss, i))
        return [i for _, i in sorted(found)]

    def corner(self, node: Node, fixed: Sequence[Cut]) -> tuple[float, float]:
        """Return the least risk and the least loss that the two corners of a part show."""
        coarse = np.frombuffer(node.coarse, dtype=np.uint8).copy()
        fine = np.frombuffer(node.fine, dtype=np.uint8).copy()
        for a in (self.large, self.small):
            coarse[int(self.space.first[a]) : int(self.space.first[a + 1])] = 0
        for cut in fixed:
            at = self.bit(cut.attribute, cut.place)
            coarse[at], fine[at] = int(cut.kept), int(cut.kept)
        least_risk = self.cells.measure(coarse).risk - _ROUNDING
        return least_risk, max(0.0, self.cells.measure(fine).loss - _ROUNDING)

    def bit(self, attribute: int, place: int) -> int:
        """Return the bit of a unit's end."""
        return int(self.space.first[attribute]) + int(self.space.open_cuts(attribute)[place])

    def _fits(self) -> bool:
        sizes = self.cells.sizes
        groups = 1
        for a, size in enumerate(sizes.tolist()):
            if a not in (self.large, self.small):
                groups *= size
        groups = min(groups, self.cells.occupied)
        return int(sizes[self.large]) * int(sizes[self.small]) * groups <= _MOST_PLACES

    def _pairs_of(self, node: Node, *, large_outside: bool) -> PairSums:
        key = (node, large_outside)
        with self._lock:
            found = self._pairs.pop(key, None)
        if found is None:
            order = (self.large, self.small) if large_outside else (self.small, self.large)
            found = PairSums(self.cells, self.space, order, node)
        with self._lock:
            self._pairs[key] = found  # the one used last is the last to go
            while len(self._pairs) > _KEPT_PAIRS:
                del self._pairs[next(iter(self._pairs))]
        return found

    # --- working ----------------------------------------------------------------------------------

    def work(self, seconds: float, clock: Callable[[], float], threads: int) -> None:
        """Raise the bounds for a number of seconds on the given clock: more weights, then more regions."""
        end = clock() + seconds
        done: set[tuple[float, float]] = set()
        for plan in _PASSES:
            chosen = weights_along(self.points, plan.weights)
            weights = [w for w in bisecting(chosen) if (w, plan.beyond) not in done]
            done |= {(w, plan.beyond) for w in weights}
            self._pass(weights, plan.beyond, end, clock, threads)
            if clock() >= end:
                return

    def _pass(
        self, weights: Sequence[float], beyond: float, end: float, clock: Callable[[], float],
        threads: int,
    ) -> None:  # fmt: skip
        """Work on some weights, each with an even share of the time that is left."""
        start, many = clock(), len(weights)

        def one(at: int) -> None:
            until = start + (end - start) * min(1.0, (at + threads) / many)
            self._at_weight(weights[at], beyond, lambda: clock() >= until)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(one, range(many)))

    def target(self, weight: float) -> float:
        """Return the least weighted sum that was found."""
        sums = (1.0 - weight) * self.points[:, 0] + weight * self.points[:, 1]
        return float(sums.min())

    def _at_weight(self, weight: float, beyond: float, over: Callable[[], bool]) -> None:
        """Improve the lowest part at one weight, again and again."""
        target = self.target(weight)
        finished: set[int] = set()
        while not over():
            parts = [p for p in list(self.parts) if beyond <= 1.0 or id(p) not in finished]
            part = min(parts, key=lambda p: p.bound(weight), default=None)
            if part is None or id(part) in finished or part.bound(weight) >= beyond * target:
                break
            stage = part.stage.get(weight, 0)
            if stage >= 1 and self._divide(part):
                continue
            gained = self.improve(part, weight, beyond * target, stage, over)
            part.stage[weight] = stage + 1
            near = part.bound(weight) >= (1.0 - _ENOUGH) * target
            if near or (stage >= len(_STAGES) - 1 and gained < 1e-3 * target):
                finished.add(id(part))
        for part in list(self.parts):
            part.forget_used(weight)

    def improve(
        self, part: Region, weight: float, limit: float, stage: int, over: Callable[[], bool]
    ) -> float:
        """Visit a part at one weight; return by how much its bound rose."""
        before, target = part.bound(weight), self.target(weight)
        plan = _STAGES[min(stage, len(_STAGES) - 1)]
        pairs = self._pairs_of(part.node, large_outside=plan.large_outside)
        allowed = [
            self._allowed(part, units, weight, limit) for units in (pairs.outer, pairs.inner)
        ]
        relaxed = Relaxation(pairs, weight, *allowed)
        price = self._warm(part, weight, large_outside=plan.large_outside)
        if price is not None:
            relaxed.start_at(price)
            relaxed.step = _WARM_STEP
        slack = _LOOSE * target
        best = relaxed.certify(limit, _EFFORT, over, slack=slack)
        kept = relaxed.price
        for _ in range(plan.ascents + (price is None)):
            if over() or best >= limit:
                break
            relaxed.ascend(max(target, 1.05 * best), _ROUNDS)
            bound = relaxed.certify(limit, _EFFORT, over, slack=slack)
            gain, best = bound - best, max(bound, best)
            if gain > 0.0:
                kept = relaxed.price
            else:
                relaxed.start_at(kept)
                relaxed.step /= 2.0
            if gain < plan.gain * target:
                break
        part.bounds[weight] = max(part.bounds.get(weight, 0.0), min(best, limit))
        part.prices[weight, plan.large_outside] = kept / target
        part.keep_used(weight, pairs.outer.attribute, limit, relaxed.used(limit))
        return part.bound(weight) - before

    def _allowed(
        self, part: Region, units: Units, weight: float, limit: float
    ) -> npt.NDArray[np.bool_]:
        """Return the intervals that a policy of a part may use if its sum is below the limit."""
        allowed = units.allowed
        used = part.used(weight, units.attribute, limit)
        if used is not None:
            allowed = allowed & used
        for cut in part.fixed:
            if cut.attribute == units.attribute:
                allowed = allowed.copy()
                if cut.kept:
                    allowed[: cut.place + 1, cut.place + 1 :] = False
                else:
                    allowed[:, cut.place] = False
                    allowed[cut.place + 1, :] = False
        return allowed

    def _warm(
        self, part: Region, weight: float, *, large_outside: bool
    ) -> npt.NDArray[np.float64] | None:
        """Return prices of this part at the nearest weight, or of another one at this weight."""

        def odds(w: float) -> float:
            return float(np.log(w / (1.0 - w)))

        known = [
            (abs(odds(w) - odds(weight)), p)
            for (w, outside), p in list(part.prices.items())
            if outside == large_outside
        ]
        here = (weight, large_outside)
        known += [(0.4, s.prices[here]) for s in list(self.parts) if here in s.prices]
        if not known:
            return None
        distance, price = min(known, key=lambda k: k[0])
        return price * self.target(weight) if distance < _NEAR else None
