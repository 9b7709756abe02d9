"""Where the bands of an ordered domain may be cut, so that no end reveals what few people hold.

A search that may cut anywhere tightens bands around the values that occur in the data: an end then is the
exact value of one person. Between two neighbouring values that are held, one cut is offered, at a number
that is round; where a smallest group is asked for, its neighbours must be values that as many people hold,
or the number must be a multiple of a step that is coarser than the values. What nobody holds below the first
and above the last of them is cut off only next to a value that many people hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ....data.bins import Bins, round_between
from ....data.calendar import Calendar
from .labels import DomainLabels

__all__ = ["open_cuts", "roundness"]

People = npt.NDArray[np.integer]
# Of the people: what is beyond is not looked at for the step of round numbers.
_INNER = (0.05, 0.95)
_MANY = 5  # people who hold the least or the greatest value before a band may end there, at least


def open_cuts(
    labels: DomainLabels, people: People, k: int, *, declared: bool, max_width: int | None = None
) -> tuple[int, ...] | None:
    """Return the places after which an ordered domain may be cut; None where any will do.

    Parameters
    ----------
    labels : DomainLabels
        The domain and what its intervals are published as.
    people : array of int
        How many people hold each value.
    k : int
        The smallest group asked for; below 2 single people's values are published by choice.
    declared : bool
        Whether the schema declares the domain, so that equal steps through it reveal nothing.
    max_width : int, optional
        The most values of an interval; a declared domain may then be cut at equal steps as well.

    """
    size = labels.known
    held = np.flatnonzero(people[:size])
    if len(held) < 2:
        return None
    scale = _scale(labels, people[:size], k)
    if scale is None:
        return None
    solid = people[:size] >= max(k, 1)
    found = {
        place
        for low, high in pairwise(held.tolist())
        if (place := _cut_between(scale, low, high, solid)) is not None
    }
    first, last = int(held[0]), int(held[-1])
    if first > 0 and people[first] >= max(k, _MANY):
        found.add(first - 1)
    if last < size - 1 and people[last] >= max(k, _MANY):
        found.add(last)
    if max_width is not None and declared:
        found.update(range(max_width - 1, size - 1, max_width))
    if size < len(labels.domain):  # what is missing may always be separate
        found.add(size - 1)
    return tuple(sorted(found))


def _cut_between(scale: _Scale, low: int, high: int, solid: npt.NDArray[np.bool_]) -> int | None:
    """Return the place after which to cut between two neighbouring values that are held; None for nowhere."""
    place = scale.roundest(low, high)
    if scale.neutral(place) or (solid[low] and solid[high]):
        return place
    if not scale.gaps:
        return None
    if solid[low] and high > low + 1:
        return low
    return high - 1 if solid[high] and high > low + 1 else None


# --- round places --------------------------------------------------------------------------------


class _Scale(Protocol):
    """The places of a domain as numbers or dates, some of which are round.

    `gaps` is whether the domain has values that nobody holds, from which a cut may be inferred.
    """

    @property
    def gaps(self) -> bool: ...

    def roundest(self, low: int, high: int) -> int:
        """Return the place in [low, high) after which the roundest value begins."""
        ...

    def neutral(self, place: int) -> bool:
        """Return whether the value that begins after a place is round, whatever people hold."""
        ...


def _scale(labels: DomainLabels, people: People, k: int) -> _Scale | None:
    """Return the scale of a domain; None for names, whose intervals have no ends."""
    if isinstance(labels.writer, Calendar):
        return _DateScale.of(labels.writer, people, k)
    if isinstance(labels.writer, Bins):
        bins = labels.writer
        single = bins.whole and all(b - a == 1 for a, b in pairwise(bins.cuts))
        # The ends of wider bins are numbers of the schema, not values that somebody holds.
        step = _round_step(bins.cuts, people[1:], k) if single else Decimal(0)
        return _Numbers(bins.cuts, step, gaps=True)
    if labels.numbers is None:
        return None
    if labels.observed:
        starts = tuple(labels.cut(place) for place in range(1, labels.known))
        total = np.cumsum(people)
        inner = np.searchsorted(total, np.array(_INNER) * total[-1]).clip(1, len(starts))
        reach = labels.numbers[int(inner[0]) - 1 : int(inner[1]) + 1]
        return _Numbers(starts, _round_step(reach, people, k), gaps=False)
    return _Numbers(labels.numbers[1:], _round_step(labels.numbers, people, k), gaps=True)


def roundness(number: Decimal) -> Decimal:
    """Return the largest of …, 0.5, 1, 5, 10, 50, … that a number is a multiple of.

    >>> [int(roundness(Decimal(n))) for n in (7, 35, 40, 1250)]
    [1, 5, 10, 50]
    """
    if not number:
        return Decimal("Infinity")
    _, digits, exponent = number.normalize().as_tuple()
    assert isinstance(exponent, int)
    return Decimal(5 if digits[-1] == 5 else 1).scaleb(exponent)


def _round_step(numbers: Sequence[Decimal], people: People, k: int) -> Decimal:
    """Return the step of the multiples that may be ends: five units, or more where those hold few people.

    It depends on how many people there are and how far the numbers reach, and on nobody's value alone.
    """
    if k < 2:
        return Decimal(0)
    exponents = [number.normalize().as_tuple().exponent for number in numbers if number]
    unit = min((e for e in exponents if isinstance(e, int)), default=0)
    step = Decimal(5).scaleb(min(unit, 0))
    span = numbers[-1] - numbers[0]
    while int(people.sum()) * step < k * span:
        step *= 2 if step.as_tuple().digits[0] == 5 else 5  # 5, 10, 50, 100, …
    return step


@dataclass(frozen=True)
class _Numbers:
    """Rising numbers; `starts[i]` is where the value after place i begins."""

    starts: Sequence[Decimal]
    step: Decimal
    gaps: bool

    def roundest(self, low: int, high: int) -> int:
        first, last = self.starts[low], self.starts[high - 1]
        if last - first == high - 1 - low and first == first.to_integral_value():
            return low + int(
                round_between(first - 1, last) - first
            )  # one whole number after the other
        return max(range(low, high), key=lambda place: roundness(self.starts[place]))

    def neutral(self, place: int) -> bool:
        return roundness(self.starts[place]) >= self.step


@dataclass(frozen=True)
class _DateScale:
    """Days, months or quarters; `levels[i]` is 0, or more the larger the unit that begins after place i."""

    levels: npt.NDArray[np.int64]
    least: int
    gaps: bool = True

    @classmethod
    def of(cls, calendar: Calendar, people: People, k: int) -> _DateScale:
        """Find the units that are coarser than the calendar's own, and the finest that holds enough people."""
        begins = [b for b in calendar.begins() if not b.all()]
        levels = np.sum([*begins, np.zeros(len(calendar.values) - 1)], axis=0).astype(np.int64)
        wide = [int(people.sum()) >= k * (int(b.sum()) + 1) for b in begins]
        least = wide.index(True) + 1 if True in wide else max(len(begins), 1)
        return cls(levels, least)

    def roundest(self, low: int, high: int) -> int:
        return low + int(self.levels[low:high].argmax())

    def neutral(self, place: int) -> bool:
        return bool(self.levels[place] >= self.least)
