"""Bins: intervals of numbers that represent the values of a column of decimals, and how they are written.

A bin reaches from its lower end up to, and without, the next bin's. The first and the last one may be open
(bottom and top coding); a closed last bin includes the upper end of the range.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
import numpy.typing as npt

__all__ = ["Bins", "plain_number", "quantile_cuts", "round_between"]

_NUMBER = r"-?\d+(?:\.\d+)?"
_HALF_OPEN = re.compile(rf"\[({_NUMBER}), ({_NUMBER})[)\]]")
_WHOLE = re.compile(rf"({_NUMBER})(?:-({_NUMBER}))?")
_STEPS = (Decimal(1), Decimal(5))
_AROUND = 5  # records on either side of a quantile whose numbers a cut may fall between


def plain_number(value: Decimal) -> str:
    """Write a number without an exponent or zeros that say nothing.

    >>> plain_number(Decimal("1E+2")), plain_number(Decimal("2.50"))
    ('100', '2.5')
    """
    text = f"{value.normalize():f}"
    return "0" if text == "-0" else text


def round_between(low: Decimal, high: Decimal) -> Decimal:
    """Return the roundest number above `low` and not above `high`.

    >>> [plain_number(round_between(Decimal(a), Decimal(b))) for a, b in (("21", "47"), ("3", "4"), ("0.21", "0.39"))]
    ['40', '4', '0.3']
    """
    exponent = max(low.adjusted(), high.adjusted()) + 1
    while True:
        for five in _STEPS:
            step = five.scaleb(exponent - 1 if five == _STEPS[1] else exponent)
            found = (high / step).to_integral_value(rounding="ROUND_FLOOR") * step
            if low < found <= high:
                return found.normalize() if found else Decimal(0)
        exponent -= 1


@dataclass(frozen=True)
class Bins:
    """A column's numbers in bins.

    Parameters
    ----------
    cuts : tuple of Decimal
        Where one bin ends and the next begins, rising.
    low, high : Decimal, optional
        The smallest and the largest number allowed; None leaves that end open.
    whole : bool
        Whether only whole numbers are allowed, so that a bin is written `20-24` and not `[20, 25)`.

    >>> bins = Bins((Decimal(10), Decimal("12.5")), low=Decimal(0))
    >>> bins.names
    ('[0, 10)', '[10, 12.5)', '≥ 12.5')
    >>> bins.label(0, 1), bins.place(Decimal("12.5"))
    ('[0, 12.5)', 2)

    """

    cuts: tuple[Decimal, ...]
    low: Decimal | None = None
    high: Decimal | None = None
    whole: bool = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The label of every bin, in order."""
        return tuple(self.label(i, i) for i in range(len(self.cuts) + 1))

    def label(self, first: int, last: int, *, observed: bool = False) -> str:  # noqa: ARG002
        """Return what the bins from `first` to `last` are published as, together."""
        below = self.low if first == 0 else self.cuts[first - 1]
        at_end = last == len(self.cuts)
        above = self.high if at_end else self.cuts[last]
        if self.whole:
            end = above if at_end or above is None else above - 1
            if below is None and end is None:
                return "known"
            if below is None:
                assert end is not None
                return f"≤ {plain_number(end)}"
            if end is None:
                return f"≥ {plain_number(below)}"
            written = plain_number(below), plain_number(end)
            return written[0] if below == end else "-".join(written)
        if below is None and above is None:
            return "known"
        if below is None:
            assert above is not None
            return f"< {plain_number(above)}"
        if above is None:
            return f"≥ {plain_number(below)}"
        return f"[{plain_number(below)}, {plain_number(above)}{']' if at_end else ')'}"

    def places(self, label: str) -> range | None:
        """Return the places of the bins that a label represents, as a reader decodes it."""
        last = len(self.cuts)
        if label == "known":
            return range(last + 1)
        if label[:2] in {"≤ ", "< ", "≥ "}:
            number = Decimal(label[2:])
            if label[0] == "≥":
                return range(self.place(number), last + 1)
            return range(self.place(number) + (label[0] == "≤"))
        if (ends := _HALF_OPEN.fullmatch(label)) is not None:
            low, high = (Decimal(ends[i]) for i in (1, 2))
            end = last + 1 if label.endswith("]") else self.place(high)
            return range(self.place(low), end)
        if (ends := _WHOLE.fullmatch(label)) is not None:
            low = Decimal(ends[1])
            return range(self.place(low), self.place(Decimal(ends[2] or ends[1])) + 1)
        return None

    def place(self, number: Decimal) -> int:
        """Return the place of the bin that holds a number of the range."""
        return bisect_right(self.cuts, number)

    def sql(self, cell: str) -> str:
        """Return the SQL of a cell's bin; what is not a number of the range stays unchanged."""
        number = f"TRY_CAST({cell} AS DOUBLE)"
        fits = [f"{number} IS NOT NULL", f"isfinite({number})"]
        if self.low is not None:
            fits.append(f"{number} >= {self.low}::DOUBLE")
        if self.high is not None:
            fits.append(f"{number} <= {self.high}::DOUBLE")
        if self.whole:
            fits.append(f"{number} = floor({number})")
        chosen = self._branch(number, 0, len(self.cuts))
        return f"CASE WHEN {' AND '.join(fits)} THEN {chosen} ELSE {cell} END"

    def _branch(self, number: str, first: int, last: int) -> str:
        """Return a binary search among the bins `first` to `last`."""
        if first == last:
            return "'" + self.names[first] + "'"
        middle = (first + last) // 2
        return (
            f"CASE WHEN {number} < {self.cuts[middle]}::DOUBLE THEN "
            f"{self._branch(number, first, middle)} ELSE {self._branch(number, middle + 1, last)} END"
        )


def quantile_cuts(
    numbers: Sequence[Decimal], counts: npt.NDArray[np.integer], parts: int
) -> tuple[Decimal, ...]:
    """Return cuts that divide rising numbers into parts of about as many records, written round.

    A cut is the roundest number among those of a few records around the place, so that it is nobody's own.

    Parameters
    ----------
    numbers : sequence of Decimal
        The different numbers, rising.
    counts : array of int
        How often each occurs.
    parts : int
        The number of parts; fewer come back where single numbers are frequent.

    """
    reached = np.cumsum(counts)
    wanted = reached[-1] * np.arange(1, parts) / parts
    before = np.concatenate(([0], reached[:-1]))
    places = {int(np.abs(before - w).argmin()) for w in wanted} - {0}
    found = set()
    for i in places:
        low = int(np.searchsorted(reached, before[i] - _AROUND, side="right").clip(0, i - 1))
        high = int(np.searchsorted(reached, before[i] + _AROUND).clip(i, len(numbers) - 1))
        found.add(round_between(numbers[low], numbers[high]))
    ordered = sorted(found)
    below = [bisect_left(numbers, cut) for cut in ordered]
    return tuple(c for c, n, last in zip(ordered, below, [0, *below], strict=False) if n > last)
