"""What an interval of an ordered domain is published as, and what a published label means.

A label never says more than the policy does: a range is written only where the domain is in number order,
the ends of a domain that was read from data stay open, cuts between observed numbers are written as round
numbers between them, and names that few people share are neither spelled nor counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Protocol

from ....data.bins import plain_number, round_between
from ....data.calendar import calendar_of
from ....data.table_schema import Attribute

__all__ = ["ALL", "KNOWN", "MISSING", "RARE", "DomainLabels", "round_between", "writer_of"]

MISSING = "?"
ALL = "*"
KNOWN = "known"  # all values, but not a missing one
RARE = "a rare value"  # replaces a label that names a value which few people share
_LISTED = 8  # names that are written out; more are a numbered group, and the codebook lists them
_BAND = "\x00"  # placeholder for the number of a group: no label contains a control character


def _number(text: str) -> Decimal | None:
    try:
        found = Decimal(text)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


class IntervalWriter(Protocol):
    """How the intervals of a domain of bins or dates are written and read back."""

    def label(self, first: int, last: int, *, observed: bool = False) -> str:
        """Return what an interval is published as."""
        ...

    def places(self, label: str) -> range | None:
        """Return the places that a label covers; None where it says nothing."""
        ...


@dataclass(frozen=True)
class DomainLabels:
    """The labels of one attribute.

    Parameters
    ----------
    domain : sequence of str
        The ordered values; a missing one is last.
    observed : bool
        Whether the values were read from the data, so that they are not public.
    rare : set of int
        The places of names that too few people share to be spelled in a list.
    nodes : mapping of (int, int) to str
        The hierarchy's own names of intervals.
    writer : IntervalWriter, optional
        What writes intervals of bins or dates.
    ordered : bool
        Whether numbers are in an order; codes are not, and never a range.
    levels : sequence of sequences of int
        The places after which groups end, by level of the hierarchy from the values up; none without one.

    """

    domain: tuple[str, ...]
    observed: bool = False
    rare: frozenset[int] = frozenset()
    nodes: Mapping[tuple[int, int], str] = field(default_factory=dict)
    writer: IntervalWriter | None = None
    ordered: bool = True
    levels: tuple[tuple[int, ...], ...] = ()

    @cached_property
    def _last(self) -> int:
        """The place of the last value that is not the missing one."""
        size = len(self.domain)
        return size - 2 if size > 1 and self.domain[-1] == MISSING else size - 1

    @property
    def known(self) -> int:
        """The number of values that are not the missing one."""
        return self._last + 1

    @cached_property
    def numbers(self) -> tuple[Decimal, ...] | None:
        """The values as numbers, where they are in number order; else None."""
        if not self.ordered:
            return None
        found = [_number(v) for v in self.domain[: self._last + 1]]
        values = [v for v in found if v is not None]
        if len(values) < len(found) or len(values) < 2:
            return None
        rising = all(a < b for a, b in itertools.pairwise(values))
        return tuple(values) if rising else None

    @cached_property
    def _whole(self) -> bool:
        """Whether the values are whole numbers written as such (no codes with leading zeros)."""
        return all(
            v == plain_number(Decimal(v)) and "." not in v for v in self.domain[: self._last + 1]
        )

    @cached_property
    def _node_names(self) -> dict[tuple[int, int], str]:
        """The names of nodes that mean one thing only."""
        often: dict[str, int] = {}
        for name in self.nodes.values():
            often[name] = often.get(name, 0) + 1
        taken = {*self.domain, ALL, KNOWN, MISSING, ""}
        return {
            s: n for s, n in self.nodes.items() if often[n] == 1 and n not in taken and "|" not in n
        }

    def label(self, low: int, high: int, band: int = 1) -> str:
        """Return what the values from place `low` to place `high` are published as.

        A group of many names is called by the number of its band in the policy; its place in a domain that was
        read from the data would tell how many values there are.

        >>> DomainLabels(("0", "1", "2", "?")).label(1, 3)
        '1-2|?'
        """
        if low == high:
            return self.domain[low]
        if (low, high) not in self._written:
            self._written[low, high] = self._label(low, high)
        return self._written[low, high].replace(_BAND, str(band))

    @cached_property
    def _written(self) -> dict[tuple[int, int], str]:
        """The labels so far: candidates of one frontier share most of their intervals."""
        return {}

    def _label(self, low: int, high: int) -> str:
        if low == 0 and high == len(self.domain) - 1:
            return ALL
        if high > self._last:
            known = self.domain[low] if low == high - 1 else self._label(low, high - 1)
            return f"{known}|{MISSING}"
        if (low, high) in self._node_names:
            return self._node_names[low, high]
        if self.writer is not None:
            return self.writer.label(low, high, observed=self.observed)
        if self.numbers is not None:
            return self._range(low, high)
        return self._list(low, high)

    def _range(self, low: int, high: int) -> str:
        if not self.observed:
            return f"{self.domain[low]}-{self.domain[high]}"
        first, last = low == 0, high == self._last
        if first and last:
            return KNOWN
        below = None if first else self.cut(low)
        above = None if last else self.cut(high + 1)
        if self._whole:
            if below is None and above is not None:
                return f"≤ {plain_number(above - 1)}"
            if above is None and below is not None:
                return f"≥ {plain_number(below)}"
            assert below is not None
            assert above is not None
            return f"{plain_number(below)}-{plain_number(above - 1)}"
        if below is None and above is not None:
            return f"< {plain_number(above)}"
        if above is None and below is not None:
            return f"≥ {plain_number(below)}"
        assert below is not None
        assert above is not None
        return f"[{plain_number(below)}, {plain_number(above)})"

    @cached_property
    def _cuts(self) -> dict[int, Decimal]:
        return {}

    def cut(self, place: int) -> Decimal:
        """Return the smallest number of the interval that begins at a place."""
        assert self.numbers is not None
        if place not in self._cuts:
            self._cuts[place] = round_between(self.numbers[place - 1], self.numbers[place])
        return self._cuts[place]

    def _list(self, low: int, high: int) -> str:
        places = range(low, high + 1)
        spelled = sorted(self.domain[i] for i in places if not (self.observed and i in self.rare))
        hidden = len(places) - len(spelled)
        if len(places) > _LISTED or any("|" in v for v in spelled):
            return f"group {_BAND} ({'several' if self.observed else len(places)} values)"
        if not spelled:
            return f"group {_BAND} (rare values)"
        return "|".join([*spelled, *(["rare values"] if hidden else [])])

    def names_few(self, low: int, high: int) -> bool:
        """Return whether the label of an interval names values that too few people share."""
        if any(place not in self.rare for place in range(low, high + 1)):
            return False
        return low == high or (low, high) in self._node_names

    def spell(self, low: int, high: int) -> tuple[list[str], bool]:
        """Return the values of an interval that may be written down, and whether they are all.

        Of a domain that was read from the data they are the names that many people share; how many others there are
        is not told, nothing is where the label says "all", and never whether "all" holds a missing cell.
        """
        whole = low == 0 and high >= self._last
        places = range(low, high + 1)
        if low == high:
            return [self.domain[low]], True
        if not self.observed:
            listed = (
                self.domain[: self.known]
                if self.label(low, high) == ALL
                else self.domain[low : high + 1]
            )
            return list(listed), True
        if whole or self.numbers is not None or self.writer is not None:
            return [], False
        spelled = sorted(self.domain[i] for i in places if i not in self.rare)
        return spelled, len(spelled) == len(places)

    def meaning(self, label: str, book: Mapping[str, Iterable[str]]) -> set[str]:
        """Return the values of the domain that a label covers, as a reader of the release decodes it.

        Parameters
        ----------
        label : str
            A published label.
        book : mapping of str to iterable of str
            The codebook: for labels that do not explain themselves, their values.

        """
        if label in book:
            return set(book[label])
        if label in self.domain:
            return {label}
        if label == ALL:
            return set(self.domain)
        known = self.domain[: self._last + 1]
        if label == KNOWN:
            return set(known)
        if label.endswith(f"|{MISSING}"):
            return self.meaning(label.removesuffix(f"|{MISSING}"), book) | {MISSING}
        if self.writer is not None:
            places = self.writer.places(label)
            return set() if places is None else {known[i] for i in places}
        if self.numbers is not None:
            return self._within(label, known)
        return set(label.split("|"))

    def _within(self, label: str, known: Sequence[str]) -> set[str]:
        assert self.numbers is not None
        low, high, last_included = None, None, True
        if label.startswith("≤ "):
            high = Decimal(label[2:])
        elif label.startswith("≥ "):
            low = Decimal(label[2:])
        elif label.startswith("< "):
            high, last_included = Decimal(label[2:]), False
        elif label.startswith("["):
            ends = label[1:-1].split(", ")
            low, high, last_included = Decimal(ends[0]), Decimal(ends[1]), False
        else:
            first, _, second = label[1:].partition("-")
            low, high = Decimal(label[0] + first), Decimal(second)
        return {
            v
            for v, n in zip(known, self.numbers, strict=True)
            if (low is None or n >= low)
            and (high is None or n < high or (last_included and n == high))
        }


def writer_of(attribute: Attribute, domain: Sequence[str]) -> IntervalWriter | None:
    """Return what writes the intervals of bins and dates; None for other attributes."""
    if attribute.is_calendar:
        return calendar_of([v for v in domain if v != MISSING])
    return attribute.bins
