"""The part of the lattice that a steward allows: what stays, which cuts may be used, how wide is too wide.

Every strategy asks this room which steps it may take, so that a constraint holds whatever the search.
The least group sizes are not here: they depend on the data and are kept with the cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ....core.errors import PlanError

__all__ = ["AttributeRule", "Space"]

Bits = npt.NDArray[np.uint8]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class AttributeRule:
    """What may be done to one attribute.

    `nodes` (from a generalisation hierarchy) lists the only intervals of more than one value that may be
    published; `cuts` lists the only places (after which value) where a cut may be.
    """

    name: str
    size: int
    keep: bool = False
    widest: int | None = None
    nodes: tuple[Span, ...] | None = None
    cuts: tuple[int, ...] | None = None


class Space:
    """The policies that the rules allow.

    >>> space = Space([AttributeRule("age", 4, widest=2), AttributeRule("sex", 2, keep=True)])
    >>> space.allows(np.array([0, 1, 0, 1], dtype=np.uint8))
    True
    >>> space.allows(np.array([0, 0, 1, 1], dtype=np.uint8))  # three ages in one interval
    False
    """

    def __init__(self, rules: Sequence[AttributeRule]) -> None:
        self.rules = tuple(rules)
        self.sizes = np.array([r.size for r in self.rules], dtype=np.int64)
        self.first = np.concatenate(([0], np.cumsum(self.sizes - 1))).astype(np.int64)
        self.length = int(self.first[-1])
        self.widest = np.array(
            [min(r.widest or r.size, r.size) for r in self.rules], dtype=np.int64
        )
        self._check()
        self.always_zero = np.zeros(self.length, dtype=np.uint8)
        self.always_one = np.zeros(self.length, dtype=np.uint8)
        for a, rule in enumerate(self.rules):
            part = slice(self.first[a], self.first[a + 1])
            if rule.keep:
                self.always_one[part] = 1
            elif rule.cuts is not None:
                closed = np.ones(rule.size - 1, dtype=np.uint8)
                closed[list(rule.cuts)] = 0
                self.always_zero[part] = closed
        self._nodes = [self._node_list(rule) for rule in self.rules]

    def _check(self) -> None:
        mistakes = []
        for rule in self.rules:
            if rule.widest is not None and rule.cuts is not None and not rule.keep:
                edges = [-1, *sorted(rule.cuts), rule.size - 1]
                if max(np.diff(edges)) > rule.widest:
                    mistakes.append(
                        f"{rule.name}: two allowed cuts are further apart than the widest interval allowed"
                    )
        if mistakes:
            raise PlanError("No policy can meet these constraints:", mistakes=mistakes)

    @staticmethod
    def _node_list(rule: AttributeRule) -> list[Span] | None:
        """Return the nodes that may be used, the longest first; None: any interval may."""
        if rule.nodes is None or rule.keep:
            return None
        widest = rule.widest or rule.size
        spans = {s for s in rule.nodes if s[0] < s[1] and s[1] - s[0] + 1 <= widest}
        return sorted(spans, key=lambda s: (s[0] - s[1], s))

    @cached_property
    def coupled(self) -> bool:
        """Whether some cuts may only go together (a hierarchy): single merges are then no steps."""
        return any(nodes is not None for nodes in self._nodes)

    @cached_property
    def fixed(self) -> Bits:
        """Bits that no single merge may clear."""
        fixed = self.always_one.copy()
        for a, nodes in enumerate(self._nodes):
            if nodes is not None:
                fixed[self.first[a] : self.first[a + 1]] = 1
        return fixed

    def policies(self, most: int = 1 << 60) -> int:
        """Return how many policies the rules allow, or `most` where there are more."""
        total = 1
        for a, rule in enumerate(self.rules):
            if not rule.keep:
                total *= self._partitions(a, most)
            if total >= most:
                return most
        return total

    def _partitions(self, a: int, most: int) -> int:
        nodes, size = self._nodes[a], int(self.sizes[a])
        if nodes is None and self.widest[a] >= size:
            return min(1 << min(self.open_cuts(a).size, 62), most)
        ways = [1] + [0] * size  # ways to divide the first values
        part = self.always_zero[self.first[a] : self.first[a + 1]]
        spans = None if nodes is None else {*nodes, *((i, i) for i in range(size))}
        for end in range(1, size + 1):
            if end < size and part[end - 1]:
                continue
            if spans is None:
                begins = range(max(0, end - int(self.widest[a])), end)
                ways[end] = min(sum(ways[b] for b in begins), most)
            else:
                ways[end] = min(sum(ways[b] for b, e in spans if e == end - 1), most)
        return ways[size]

    def partitions(self, a: int) -> list[Bits]:
        """List every allowed partition of an attribute's values."""
        nodes, size = self._nodes[a], int(self.sizes[a])
        start, stop = int(self.first[a]), int(self.first[a + 1])
        if self.rules[a].keep:
            return [self.bottom[start:stop].copy()]
        closed = self.always_zero[start:stop]
        spans = None if nodes is None else {*nodes, *((i, i) for i in range(size))}
        found: list[list[list[int]]] = [[] for _ in range(size + 1)]
        found[0] = [[]]
        for end in range(1, size + 1):
            if end < size and closed[end - 1]:
                continue
            begins = (
                range(max(0, end - int(self.widest[a])), end)
                if spans is None
                else [b for b, e in spans if e == end - 1]
            )
            found[end] = [[*ends, end] for b in begins for ends in found[b]]
        parts = []
        for ends in found[size]:
            bits = np.zeros(size - 1, dtype=np.uint8)
            bits[[e - 1 for e in ends[:-1]]] = 1
            parts.append(bits)
        return parts

    @property
    def free_bits(self) -> npt.NDArray[np.intp]:
        """The bits that a policy of this space may have either way."""
        return np.flatnonzero((self.always_zero == 0) & (self.always_one == 0))

    @cached_property
    def bottom(self) -> Bits:
        """The most specific policy allowed."""
        return (1 - self.always_zero).astype(np.uint8)

    def project(self, bits: Bits) -> Bits:
        """Return the most general allowed policy that is no more general than `bits` asks for.

        Cuts that are never allowed are taken out first; they are the one exception.
        """
        bits = ((bits | self.always_one) & (1 - self.always_zero)).astype(np.uint8)
        for a, rule in enumerate(self.rules):
            start = int(self.first[a])
            part = bits[start : int(self.first[a + 1])]
            nodes = self._nodes[a]
            if nodes is not None:
                self._project_on_nodes(part, nodes)
            elif self.widest[a] < rule.size and not rule.keep:
                self._narrow(part, int(self.widest[a]), self.always_zero[start : start + part.size])
        return bits

    @staticmethod
    def _project_on_nodes(part: Bits, nodes: Iterable[Span]) -> None:
        wanted = np.concatenate(([0], np.cumsum(part)))  # the interval that each value is to be in
        part[:] = 1
        taken = np.zeros(wanted.size, dtype=bool)
        for low, high in nodes:
            if not taken[low] and wanted[low] == wanted[high]:
                part[low:high] = 0
                taken[low : high + 1] = True

    @staticmethod
    def _narrow(part: Bits, widest: int, closed: Bits) -> None:
        begin = 0
        last_open = -1
        for v in range(part.size):
            if not closed[v]:
                last_open = v
            if part[v]:
                begin = v + 1
            elif v + 1 - begin + 1 > widest and last_open >= begin:
                part[last_open] = 1
                begin = last_open + 1

    def allows(self, bits: Bits) -> bool:
        """Return whether a policy meets every rule."""
        if (bits & self.always_zero).any() or (
            ~bits.astype(bool) & self.always_one.astype(bool)
        ).any():
            return False
        for a, rule in enumerate(self.rules):
            if rule.keep:
                continue
            part = bits[self.first[a] : self.first[a + 1]]
            ends = np.concatenate((np.flatnonzero(part), [rule.size - 1]))
            begins = np.concatenate(([0], ends[:-1] + 1))
            if (ends - begins + 1 > self.widest[a]).any():
                return False
            nodes = self._nodes[a]
            if nodes is not None:
                known = set(nodes)
                if any(b < e and (b, e) not in known for b, e in zip(begins.tolist(), ends.tolist(), strict=True)):  # fmt: skip
                    return False
        return True

    def moves(self, bits: Bits) -> list[npt.NDArray[np.intp]]:
        """List the steps up from a policy: each is a set of bits to clear together."""
        return [step for a in range(len(self.rules)) for step in self.moves_of(a, bits)]

    def moves_of(self, a: int, bits: Bits) -> list[npt.NDArray[np.intp]]:
        """List the steps up from a policy that generalise one attribute."""
        rule = self.rules[a]
        if rule.keep:
            return []
        start = int(self.first[a])
        part = bits[start : int(self.first[a + 1])]
        nodes = self._nodes[a]
        if nodes is not None:
            return [start + inside for inside in _node_moves(part, nodes)]
        ends = np.concatenate((np.flatnonzero(part), [rule.size - 1]))
        begins = np.concatenate(([0], ends[:-1] + 1))
        narrow = np.flatnonzero(ends[1:] - begins[:-1] + 1 <= self.widest[a])
        return [np.array([start + ends[k]]) for k in narrow]

    def splits(
        self, attribute: int, low: int, high: int, weights: npt.NDArray[np.integer], most: int
    ) -> list[list[int]]:
        """List ways to divide an interval, each the values after which it is cut.

        Under a hierarchy a node is divided into the largest nodes inside it. Without one it is cut in two,
        at no more than `most` places that divide its weight evenly.

        >>> rule = AttributeRule("a", 4, nodes=((0, 3), (0, 1), (2, 3)))
        >>> Space([rule]).splits(0, 0, 3, np.ones(4, dtype=int), 3)
        [[1]]
        """
        nodes = self._nodes[attribute]
        if nodes is not None:
            cuts, at = [], low
            largest: dict[int, int] = {}
            for first, last in nodes:  # the longest first
                if low <= first and last <= high and (first, last) != (low, high):
                    largest.setdefault(first, last)
            while at <= high:
                at = largest.get(at, at) + 1
                cuts.append(at - 1)
            return [cuts[:-1]] if len(cuts) > 1 else []
        closed = self.always_zero[self.first[attribute] : self.first[attribute + 1]]
        places = low + np.flatnonzero(closed[low:high] == 0)
        if places.size > most:
            mass = np.cumsum(weights[low : high + 1] + 1e-9)
            wanted = mass[-1] * np.arange(1, most + 1) / (most + 1)
            near = np.searchsorted(mass[places - low], wanted).clip(0, places.size - 1)
            places = places[np.unique(near)]
        return [[int(place)] for place in places]

    def allowed_intervals(self, attribute: int, band: int) -> Bits | None:
        """Mark the intervals [i, i + b] that may be published, where a hierarchy limits them."""
        nodes = self._nodes[attribute]
        if nodes is None:
            return None
        allowed = np.zeros((int(self.sizes[attribute]), band), dtype=np.uint8)
        allowed[:, 0] = 1
        for low, high in nodes:
            if high - low < band:
                allowed[low, high - low] = 1
        return allowed

    def open_cuts(self, attribute: int) -> npt.NDArray[np.intp]:
        """List the bits of an attribute (counted from its first) that may be set."""
        part = self.always_zero[self.first[attribute] : self.first[attribute + 1]]
        return np.flatnonzero(part == 0)


def _node_moves(part: Bits, nodes: Sequence[Span]) -> Iterable[npt.NDArray[np.intp]]:
    """Yield the cuts inside each node that is the next one up from some interval."""
    next_up: dict[int, Span] = {}  # by first value of the interval
    ends = np.concatenate((np.flatnonzero(part), [part.size]))
    begins = np.concatenate(([0], ends[:-1] + 1))
    starts = set(begins.tolist())
    stops = set(ends.tolist())
    for low, high in nodes:  # the longest first: later ones are nearer
        if low in starts and high in stops and part[low:high].any():
            for b in begins[(begins >= low) & (begins <= high)].tolist():
                next_up[b] = (low, high)
    for low, high in sorted(set(next_up.values())):
        yield low + np.flatnonzero(part[low:high])
