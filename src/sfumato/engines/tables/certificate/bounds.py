"""Lower bounds of all weighted sums of risk and loss, node by node, weight by weight, as time allows.

The node whose bound is lowest is improved first. What is known at two weights bounds every weight between
them (the least weighted sum is concave), so nodes without a chance are soon left alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..cells import Cells
from ..space import Space
from .pairs import Node, Pairs, two_largest
from .relaxation import Relaxation
from .staircase import curve, least_loss

__all__ = ["Bounds", "weights_along"]

_MOST_NODES = 64
_MOST_PLACES = 1 << 25  # outer × inner × groups of one node
_WEIGHTS = (17, 40, 100, 250)
_BEYOND = 1.03  # bounds are of interest up to so many times the best sum found
_FAR_BEYOND = 1.15  # and where time is left, which passes the convex hull between nodes
_EFFORT = 6_000
_ROUNDS = 60
_ROUNDING = 1e-12
_LARGE_OUTSIDE = 3  # steps with the larger attribute outside, before the smaller one is
_NEAR = 1.5  # how far apart two weights may be, in log odds, to share prices
_ENOUGH = 0.0005  # of the best sum found: a node this near needs no more work


def weights_along(points: npt.NDArray[np.float64], how_many: int = _WEIGHTS[0]) -> list[float]:
    """Choose weights of loss at which the lower hull of (risk, loss) points has an edge.

    They are spread so that the half-planes of few of them leave little area below the hull.
    """
    hull: list[npt.NDArray[np.float64]] = []
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


@dataclass
class _NodeState:
    """What is known of one node: certified bounds by weight, and prices to start from."""

    node: Node
    least_risk: float
    least_loss: float = 0.0
    fixed: tuple[tuple[int, int, bool], ...] = ()  # cuts of the large attributes: kept or not
    bounds: dict[float, float] = field(default_factory=dict)
    prices: dict[tuple[float, bool], npt.NDArray[np.float64]] = field(default_factory=dict)
    stage: dict[float, int] = field(default_factory=dict)

    def bound(self, weight: float) -> float:
        """Return the best bound known at a weight, between its neighbours where it has none."""
        own = self.bounds.get(weight, 0.0)
        below = [w for w in self.bounds if w < weight]
        above = [w for w in self.bounds if w > weight]
        low, high = max(below, default=0.0), min(above, default=1.0)
        at_low = self.bounds.get(low, 0.0) if below else 0.0
        at_high = self.bounds.get(high, 0.0) if above else 0.0
        share = (weight - low) / (high - low)
        return max(own, (1.0 - share) * at_low + share * at_high)

    def curve(self, risk: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the least loss that a policy of this part can have at each risk."""
        return curve(risk, self.known(), self.least_risk, self.least_loss)

    def known(self) -> list[tuple[float, float]]:
        """Return (weight, bound) of all weights worked on."""
        return list(self.bounds.items())


class Bounds:
    """Certified bounds of every node of a lattice.

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
        self._large, self._small = attributes
        root = self._root()
        self.states = [_NodeState(root, *self._corner(root, ()))]
        self._rest_order = self._rest_by_loss(root)
        self.possible = self._fits()
        self._pairs: dict[tuple[Node, bool], Pairs] = {}
        self._lock = threading.Lock()

    def _root(self) -> Node:
        """Return the node of all policies: the rest between its coarsest and its finest form."""
        space = self.space
        coarse = space.bottom.copy()
        for a in range(len(space.rules)):
            if a not in (self._large, self._small) and not space.rules[a].keep:
                coarse[int(space.first[a]) : int(space.first[a + 1])] = 0
        return Node(coarse.tobytes(), space.bottom.tobytes())

    def _divide(self, state: _NodeState) -> bool:
        """Replace a state by the two halves of its node; False where that cannot be done."""
        if state.node.single or state.fixed:
            return False
        with self._lock:
            if state not in self.states or len(self.states) >= _MOST_NODES:
                return False
            parts = []
            for node in state.node.split(self._rest_order):
                if node.single and not self._allowed(node):
                    continue
                known = (dict(state.bounds), dict(state.prices))
                parts.append(_NodeState(node, *self._corner(node, ()), (), *known))
            at = self.states.index(state)
            self.states[at : at + 1] = parts
        return True

    def _allowed(self, node: Node) -> bool:
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

    def _corner(self, node: Node, fixed: tuple[tuple[int, int, bool], ...]) -> tuple[float, float]:
        """Return the least risk and the least loss that the two corners of a part show."""
        coarse = np.frombuffer(node.coarse, dtype=np.uint8).copy()
        fine = np.frombuffer(node.fine, dtype=np.uint8).copy()
        for a in (self._large, self._small):
            coarse[int(self.space.first[a]) : int(self.space.first[a + 1])] = 0
        for a, cut, kept in fixed:
            at = self._bit(a, cut)
            coarse[at], fine[at] = int(kept), int(kept)
        least_risk = self.cells.measure(coarse).risk - _ROUNDING
        return least_risk, max(0.0, self.cells.measure(fine).loss - _ROUNDING)

    def _bit(self, attribute: int, cut: int) -> int:
        """Return the bit of a unit's end."""
        return int(self.space.first[attribute]) + int(self.space.open_cuts(attribute)[cut])

    def _split(self, state: _NodeState, attribute: int, cut: int) -> list[_NodeState]:
        """Return the same policies in two parts: those that keep a cut, and those that do not."""
        parts = []
        for kept in (True, False):
            fixed = (*state.fixed, (attribute, cut, kept))
            corner = self._corner(state.node, fixed)
            known = (dict(state.bounds), dict(state.prices))
            parts.append(_NodeState(state.node, *corner, fixed, *known))
        return parts

    def _fits(self) -> bool:
        sizes = self.cells.sizes
        groups = 1
        for a, size in enumerate(sizes.tolist()):
            if a not in (self._large, self._small):
                groups *= size
        groups = min(groups, self.cells.occupied)
        return int(sizes[self._large]) * int(sizes[self._small]) * groups <= _MOST_PLACES

    def _pairs_of(self, node: Node, *, large_outside: bool) -> Pairs:
        key = (node, large_outside)
        with self._lock:
            found = self._pairs.get(key)
        if found is None:
            order = (self._large, self._small) if large_outside else (self._small, self._large)
            found = Pairs(self.cells, self.space, order, node)
            with self._lock:
                self._pairs[key] = found
        return found

    # --- working ----------------------------------------------------------------------------------

    def work(self, seconds: float, clock: Callable[[], float], threads: int) -> None:
        """Raise the bounds for so many seconds on the given clock: more weights, then more nodes."""
        end = clock() + seconds
        plans = [(many, _BEYOND) for many in _WEIGHTS] + [(_WEIGHTS[-1], _FAR_BEYOND)]
        done: set[tuple[float, float]] = set()
        for many, beyond in plans:
            chosen = weights_along(self.points, many)
            weights = [w for w in _bisecting(chosen) if (w, beyond) not in done]
            done |= {(w, beyond) for w in weights}
            self._pass(weights, beyond, end, clock, threads)
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

    def _lowest(self, weight: float) -> float:
        return min(s.bound(weight) for s in self.states)

    def _target(self, weight: float) -> float:
        sums = (1.0 - weight) * self.points[:, 0] + weight * self.points[:, 1]
        return float(sums.min())

    def _at_weight(self, weight: float, beyond: float, over: Callable[[], bool]) -> None:
        """Improve the lowest state at one weight, again and again."""
        target = self._target(weight)
        finished: set[int] = set()
        live: dict[tuple[int, bool], Relaxation] = {}
        while not over():
            states = [s for s in list(self.states) if id(s) not in finished]
            if not states:
                return
            state = min(states, key=lambda s: s.bound(weight))
            before = state.bound(weight)
            if before >= beyond * target:
                return
            stage = state.stage.get(weight, 0)
            if stage >= 1 and self._divide(state):
                continue
            gained = self._improve(state, weight, (target, beyond * target), stage, live, over)
            state.stage[weight] = stage + 1
            near = state.bound(weight) >= (1.0 - _ENOUGH) * target
            if near or (stage > _LARGE_OUTSIDE and gained < 1e-3 * target):
                finished.add(id(state))
                for key in [k for k in live if k[0] == id(state)]:
                    live.pop(key)

    def _improve(
        self, state: _NodeState, weight: float, aims: tuple[float, float], stage: int,
        live: dict[tuple[int, bool], Relaxation], over: Callable[[], bool],
    ) -> float:  # fmt: skip
        """Take the next step for one state at one weight; return by how much its bound rose.

        The larger attribute goes outside first, which is quick; then the smaller one, which is tight.
        """
        before = state.bound(weight)
        target, limit = aims
        large_outside = stage < _LARGE_OUTSIDE
        key = (id(state), large_outside)
        relaxed = live.get(key)
        if relaxed is None:
            while len(live) >= 2:
                live.pop(next(iter(live)))
            pairs = self._pairs_of(state.node, large_outside=large_outside)
            relaxed = Relaxation(pairs, weight, *self._allowed_by(state, pairs))
            live[key] = relaxed
            price = self._warm(state, weight, large_outside=large_outside)
            if price is not None:
                relaxed.start_at(price)
        else:
            relaxed.ascend(max(target, 1.05 * before), _ROUNDS)
        bound, _ = relaxed.certify(limit, _EFFORT, over)
        certified = min(relaxed.certified(bound), limit)
        state.bounds[weight] = max(state.bounds.get(weight, 0.0), certified)
        state.prices[weight, large_outside] = relaxed.price / target
        return state.bound(weight) - before

    def _allowed_by(
        self, state: _NodeState, pairs: Pairs
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Return the intervals of both attributes that fit what the state has fixed."""
        found = []
        for units in (pairs.outer, pairs.inner):
            allowed = units.allowed
            mine = [(cut, kept) for a, cut, kept in state.fixed if a == units.attribute]
            if mine:
                allowed = allowed.copy()
            for cut, kept in mine:
                if kept:
                    allowed[: cut + 1, cut + 1 :] = False
                else:
                    allowed[:, cut] = False
                    allowed[cut + 1, :] = False
            found.append(allowed)
        return found[0], found[1]

    # --- branching: past the convex hull --------------------------------------------------------

    def branch(self, end: float, clock: Callable[[], float], grid: npt.NDArray[np.float64]) -> None:
        """Split the state that leaves the most area below the frontier found, while time is left.

        A bound of weighted sums cannot pass the convex hull of the policies it is about; the parts of a
        split have hulls of their own.
        """
        stairs = least_loss(grid, [(float(r), float(l)) for r, l in self.points])
        width = np.diff(grid, append=grid[-1])
        order = self._cuts_by_loss()
        curves = [s.curve(grid) for s in self.states]
        while clock() < end:
            table = np.array(curves)
            lowest = table.argmin(axis=0)
            below = np.maximum(stairs - table.min(axis=0), 0.0) * width
            room = np.bincount(lowest, weights=below, minlength=len(curves))
            room[[len(s.fixed) == len(order) for s in self.states]] = 0.0
            at = int(room.argmax())
            if room[at] <= 0.0:
                return
            state = self.states[at]
            where = np.flatnonzero((lowest == at) & (below > 0))
            taken = {(a, cut) for a, cut, _ in state.fixed}
            cut = next(c for c in order if c not in taken)
            weights = self._weights_at(state, grid, where)
            parts = self._split(state, *cut)
            for part in parts:
                for weight in weights:
                    self._tighten(part, weight, lambda: clock() >= end)
            self.states[at : at + 1] = parts
            curves[at : at + 1] = [s.curve(grid) for s in parts]

    def _tighten(self, part: _NodeState, weight: float, over: Callable[[], bool]) -> None:
        """Improve a part of a split at one weight, a few steps."""
        target = self._target(weight)
        live: dict[tuple[int, bool], Relaxation] = {}
        for stage in (0, _LARGE_OUTSIDE, _LARGE_OUTSIDE + 1):
            if part.bound(weight) >= _FAR_BEYOND * target or over():
                return
            self._improve(part, weight, (target, 1.5 * target), stage, live, over)

    def _weights_at(
        self, state: _NodeState, grid: npt.NDArray[np.float64], where: npt.NDArray[np.intp]
    ) -> list[float]:
        """Return the weights whose half-planes make a state's curve at some risks."""
        known = state.known()
        planes = np.array([(b - (1.0 - w) * grid[where]) / w for w, b in known])
        return [known[i][0] for i in np.unique(planes.argmax(axis=0))]

    def _cuts_by_loss(self) -> list[tuple[int, int]]:
        """Order the cuts of the two large attributes by the loss of leaving one out, largest first."""
        found = []
        for a in (self._large, self._small):
            for cut in range(self.space.open_cuts(a).size):
                bits = self.space.bottom.copy()
                bits[self._bit(a, cut)] = 0
                found.append((self.cells.measure(bits).loss, a, cut))
        return [(a, cut) for _, a, cut in sorted(found, key=lambda f: -f[0])]

    def _warm(
        self, state: _NodeState, weight: float, *, large_outside: bool
    ) -> npt.NDArray[np.float64] | None:
        """Return prices of this state at the nearest weight, or of another one at this weight."""

        def odds(w: float) -> float:
            return float(np.log(w / (1.0 - w)))

        known = [
            (abs(odds(w) - odds(weight)), p)
            for (w, outside), p in list(state.prices.items())
            if outside == large_outside
        ]
        here = (weight, large_outside)
        known += [(0.4, s.prices[here]) for s in list(self.states) if here in s.prices]
        if not known:
            return None
        distance, price = min(known, key=lambda k: k[0])
        return price * self._target(weight) if distance < _NEAR else None


def _bisecting(values: Sequence[float]) -> list[float]:
    """Order values so that each lies between two that came before, as far as there are any.

    >>> _bisecting([1, 2, 3, 4, 5])
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
