"""Policies: a partition of every quasi-identifier's ordered domain, as a bit-string and as words.

A bit belongs between two neighbouring values: 1 keeps the cut, 0 puts both into one interval. All ones is
the bottom (the data as it is), all zeros the top (one group); `a < b` says that a is more general.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError, FormatError, ModelError, ParameterError
from .labels import MISSING, RARE, DomainLabels

__all__ = ["Lattice", "Policy"]

Bits = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Lattice:
    """All policies over some attributes: their names and ordered domains.

    >>> lattice = Lattice(("age", "sex"), (("1", "2", "3"), ("f", "m")))
    >>> lattice.policy({"age": ["1-2", "3"], "sex": ["f|m"]})
    Policy([0, 1, 0]: age 1-2, 3; sex *)
    >>> lattice.length
    3
    """

    names: tuple[str, ...]
    domains: tuple[tuple[str, ...], ...]
    labels: tuple[DomainLabels, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for name, domain in zip(self.names, self.domains, strict=True):
            if not domain:
                raise DataError(f"The domain of {name!r} is empty.")
            if len(set(domain)) != len(domain):
                raise DataError(f"The domain of {name!r} holds a value twice.")
        if not self.labels:
            object.__setattr__(self, "labels", tuple(DomainLabels(d) for d in self.domains))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(d) for d in self.domains)

    @cached_property
    def first(self) -> tuple[int, ...]:
        """Where each attribute's bits begin; one more entry for the end."""
        starts = [0]
        for size in self.sizes:
            starts.append(starts[-1] + size - 1)
        return tuple(starts)

    @property
    def length(self) -> int:
        return self.first[-1]

    @cached_property
    def fingerprint(self) -> str:
        """A hash of names and domains: a policy fits only the lattice it was made for."""
        digest = hashlib.sha256()
        for name, domain in zip(self.names, self.domains, strict=True):
            digest.update("\x1f".join((name, *domain)).encode() + b"\x1e")
        return digest.hexdigest()

    @property
    def bottom(self) -> Policy:
        """The most specific policy: every value as it is."""
        return Policy(self, np.packbits(np.ones(self.length, dtype=np.uint8)).tobytes())

    @property
    def top(self) -> Policy:
        """The most general policy: one interval an attribute."""
        return Policy(self, np.packbits(np.zeros(self.length, dtype=np.uint8)).tobytes())

    def from_bits(self, bits: Sequence[int] | Bits) -> Policy:
        """Make a policy of a bit-string."""
        array = np.asarray(bits, dtype=np.uint8)
        if array.shape != (self.length,) or array.max(initial=0) > 1:
            raise ParameterError(
                f"A policy of this lattice has {self.length} bits of 0 or 1. Got {array.size}."
            )
        return Policy(self, np.packbits(array).tobytes())

    def from_hex(self, text: str) -> Policy:
        """Read a policy from the hexadecimal form of its bits."""
        try:
            packed = bytes.fromhex(text)
        except ValueError:
            packed = b""
        spare = -self.length % 8
        if len(packed) * 8 - spare != self.length or (spare and packed[-1] & ((1 << spare) - 1)):
            raise ModelError(
                "A policy of the frontier does not fit its schema.", hint="explore the table again."
            )
        return Policy(self, packed)

    def label(self, attribute: int, low: int, high: int, band: int = 1) -> str:
        """Return what the interval from value `low` to value `high`, the so-many-th band, is published as.

        >>> Lattice(("age",), (("0", "1", "2", "?"),)).label(0, 1, 3)
        '1-2|?'
        """
        return self.labels[attribute].label(low, high, band)

    def policy(self, intervals: Mapping[str, Sequence[object]]) -> Policy:
        """Make a policy of intervals by attribute, as labels or [low, high] pairs.

        An attribute that is not named stays as it is.
        """
        bits = np.ones(self.length, dtype=np.uint8)
        unknown = [name for name in intervals if name not in self.names]
        if unknown:
            raise _unknown(unknown[0])
        for a, name in enumerate(self.names):
            if name not in intervals:
                continue
            place = {value: i for i, value in enumerate(self.domains[a])}
            bits[self.first[a] : self.first[a + 1]] = 0
            at = 0
            for band, interval in enumerate(intervals[name], start=1):
                at = self._end_of(a, at, interval, place, band)
                if at < self.sizes[a]:
                    bits[self.first[a] + at - 1] = 1
            if at != self.sizes[a]:
                raise FormatError(
                    f"The intervals of {name!r} do not cover its domain.",
                    hint="they must follow one another from its first value to its last.",
                )
        return self.from_bits(bits)

    def at_level(self, name: str, level: object) -> list[list[str]]:
        """Return the intervals of an attribute at a level of its hierarchy, as [low, high] pairs.

        Level 0 is the values as they are. A missing value stays apart except at the highest level.

        >>> labels = DomainLabels(("a", "b", "c", "?"), levels=((0, 1, 2), (1, 2), (2,)))
        >>> Lattice(("x",), (labels.domain,), (labels,)).at_level("x", 1)
        [['a', 'b'], ['c', 'c'], ['?', '?']]
        """
        if name not in self.names:
            raise _unknown(name)
        a = self.names.index(name)
        domain, known = self.domains[a], self.labels[a].known
        levels = self.labels[a].levels
        if not levels:
            raise FormatError(
                f"The attribute {name!r} has no hierarchy, so it has no levels.",
                hint="write its intervals instead.",
            )
        if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level < len(levels):
            raise FormatError(f"The hierarchy of {name!r} has the levels 0 to {len(levels) - 1}.")
        ends = list(levels[level])
        if known < len(domain):
            ends = [len(domain) - 1] if len(ends) == 1 else [*ends, len(domain) - 1]
        return [
            [domain[low], domain[high]]
            for low, high in zip([0, *(e + 1 for e in ends[:-1])], ends, strict=True)
        ]

    def _end_of(
        self, a: int, at: int, interval: object, place: Mapping[str, int], band: int
    ) -> int:
        """Return the position behind an interval that starts at `at`."""
        size = self.sizes[a]
        if at < size:
            if isinstance(interval, str):
                for end in range(at, size):
                    node = self.labels[a].nodes.get((at, end))
                    if interval in (self.label(a, at, end, band), self._spell(a, at, end), node):
                        return end + 1
            elif isinstance(interval, list | tuple) and len(interval) == 2:
                low, high = (place.get(str(v)) for v in interval)
                if low == at and high is not None and high >= low:
                    return high + 1
        raise FormatError(
            f"The intervals of {self.names[a]!r} do not form a partition of its domain in order.",
            hint=f"interval number {at + 1} or the ones before it overlap, leave a gap or are unknown.",
        )

    def _spell(self, a: int, low: int, high: int) -> str:
        """Return an interval as people write it in a policy file: its ends, or its names in order."""
        domain = self.domains[a]
        if self.labels[a].numbers is not None:
            last = high - 1 if domain[high] == MISSING and high > low else high
            ends = domain[low] if low == last else f"{domain[low]}-{domain[last]}"
            return ends if last == high else f"{ends}|{MISSING}"
        return "|".join(domain[low : high + 1])


def _unknown(name: str) -> FormatError:
    return FormatError(f"The policy names the attribute {name!r}, which the schema does not have.")


@dataclass(frozen=True)
class Policy:
    """One partition of each attribute's domain; compact, hashable, readable both ways."""

    lattice: Lattice
    packed: bytes

    def __repr__(self) -> str:
        words = "; ".join(f"{n} {', '.join(i)}" for n, i in self.intervals().items())
        return f"Policy({self.bits.tolist() if len(self) <= 32 else '…'}: {words[:200]})"

    def __len__(self) -> int:
        return self.lattice.length

    def __hash__(self) -> int:
        return hash(self.packed)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Policy)
            and self.packed == other.packed
            and self.lattice.fingerprint == other.lattice.fingerprint
        )

    @cached_property
    def bits(self) -> Bits:
        return np.unpackbits(np.frombuffer(self.packed, dtype=np.uint8), count=len(self))

    @property
    def id(self) -> str:
        """A short name that depends on the published labels alone: a hash of the bits would tell of observed domains."""
        labels = json.dumps(self.intervals(), ensure_ascii=True)
        return hashlib.sha256(labels.encode()).hexdigest()[:10]

    @property
    def hex(self) -> str:
        return self.packed.hex()

    def __le__(self, other: Policy) -> bool:
        """Return whether this policy is at least as general as the other (Definition 3.3, or equal)."""
        return not bool((self.bits & ~other.bits & 1).any())

    def __lt__(self, other: Policy) -> bool:
        """Return whether this policy is strictly more general (Definition 3.3)."""
        return self <= other and self.packed != other.packed

    def __ge__(self, other: Policy) -> bool:
        return other <= self

    def __gt__(self, other: Policy) -> bool:
        return other < self

    def spans(self, attribute: int) -> list[tuple[int, int]]:
        """Return the intervals of an attribute as (first value, last value) positions."""
        start, end = self.lattice.first[attribute], self.lattice.first[attribute + 1]
        ends = [*np.flatnonzero(self.bits[start:end]).tolist(), self.lattice.sizes[attribute] - 1]
        begins = [0, *(e + 1 for e in ends[:-1])]
        return list(zip(begins, ends, strict=True))

    def labels(self, attribute: int) -> list[str]:
        """Return what the intervals of an attribute are published as."""
        spans = enumerate(self.spans(attribute), start=1)
        return [self.lattice.label(attribute, *span, band) for band, span in spans]

    def published_ends(self) -> tuple[dict[str, tuple[int, ...]], dict[str, int]]:
        """Return the ends of the intervals and the sizes of the domains, as a release publishes them.

        Intervals of a domain that was read from the data are counted and have no size, unless it is published as it
        is; a missing value that is not published as one is not counted: how many different values people hold, and
        whether one is missing, is nobody's business.
        """
        ends, sizes = {}, {}
        for a, name in enumerate(self.lattice.names):
            spans, labels = self.spans(a), self.lattice.labels[a]
            places = tuple(high for _, high in spans)
            if labels.observed and len(spans) < len(labels.domain):
                ends[name] = tuple(range(len(spans)))
                continue
            last = places[-1] if spans[-1][0] == spans[-1][1] else labels.known - 1
            ends[name], sizes[name] = (*places[:-1], last), last + 1
        return ends, sizes

    def ends(self) -> dict[str, tuple[int, ...]]:
        """Return, by attribute, the position of the last value of each interval."""
        return {
            n: tuple(high for _, high in self.spans(a)) for a, n in enumerate(self.lattice.names)
        }

    def intervals(self) -> dict[str, list[str]]:
        """Return the intervals by attribute, in words."""
        return {name: self.labels(a) for a, name in enumerate(self.lattice.names)}

    def published_labels(
        self, published: Sequence[Collection[str]] = ()
    ) -> dict[str, tuple[str, ...]]:
        """Return the intervals by attribute, in words that may be published.

        A label that names what few people share is spelled only where it occurs in a release.

        Parameters
        ----------
        published : sequence of collections of str
            By attribute, the labels that occur in a release; none for a policy that was not published.

        """
        found = {}
        for a, name in enumerate(self.lattice.names):
            few, known = self.lattice.labels[a].names_few, published[a] if published else ()
            bands = zip(self.labels(a), self.spans(a), strict=True)
            found[name] = tuple(
                RARE if label not in known and few(*span) else label for label, span in bands
            )
        return found

    def summary(self) -> dict[str, str]:
        """Return in a few words how each attribute is treated."""
        said = {}
        for a, name in enumerate(self.lattice.names):
            spans, size = self.spans(a), self.lattice.sizes[a]
            if len(spans) == size:
                said[name] = "as it is"
            elif len(spans) == 1:
                said[name] = "the same for everybody: one interval, published as *"
            else:
                longest = max(high - low + 1 for low, high in spans)
                said[name] = f"{size} values in {len(spans)} intervals, the widest of {longest}"
        return said

    def mapping(self) -> Iterator[tuple[str, str, str]]:
        """Yield (attribute, value, what it is published as), for every value of every domain."""
        for a, name in enumerate(self.lattice.names):
            for label, (low, high) in zip(self.labels(a), self.spans(a), strict=True):
                for v in range(low, high + 1):
                    yield name, self.lattice.domains[a][v], label
