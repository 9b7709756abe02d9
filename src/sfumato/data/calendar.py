"""Dates as values of a column: read by a format, coarsened to a unit, and written as intervals of time."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from itertools import groupby, pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from .database import quote_text

__all__ = [
    "Calendar",
    "Unit",
    "are_units",
    "calendar_of",
    "date_sql",
    "name_in",
    "unit_sql",
    "units_between",
]

Unit = Literal["day", "month", "quarter", "year", "age"]
_COARSER = ("month", "quarter", "year", "decade")
_YEAR = re.compile(r"\d{4}")
_WRITTEN = {
    "day": re.compile(r"\d{4}-\d\d-\d\d"),
    "month": re.compile(r"\d{4}-\d\d"),
    "quarter": re.compile(r"\d{4}-Q[1-4]"),
    "year": _YEAR,
}


def are_units(values: Sequence[str], unit: str) -> bool:
    """Return whether all values are days, months, quarters or years as they are written, from the first to the last.

    >>> are_units(["1999-11", "2000-01"], "month"), are_units(["1", "2"], "year"), are_units(["2001", "2000"], "year")
    (True, False, False)
    """
    return all(map(_WRITTEN[unit].fullmatch, values)) and all(a < b for a, b in pairwise(values))


def name_in(value: str, unit: str) -> str:
    """Return the name of the month, quarter, year or decade that a written day, month or quarter is in.

    >>> [name_in("1999-05-17", unit) for unit in ("month", "quarter", "year", "decade")]
    ['1999-05', '1999-Q2', '1999', '1990s']
    """
    if unit == "year":
        return value[:4]
    if unit == "decade":
        return f"{value[:3]}0s"
    if unit == "month":
        return value[:7]
    return value[:7] if "Q" in value else f"{value[:4]}-Q{(int(value[5:7]) + 2) // 3}"


def units_between(first: date, last: date, unit: str) -> tuple[str, ...]:
    """List the days, months, quarters or years from one date to another, as they are written.

    >>> units_between(date(2000, 11, 5), date(2001, 1, 1), "month")
    ('2000-11', '2000-12', '2001-01')
    """
    if unit == "day":
        return tuple(
            (first + timedelta(days=i)).isoformat() for i in range((last - first).days + 1)
        )
    if unit == "year":
        return tuple(f"{y:04}" for y in range(first.year, last.year + 1))
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    written = (f"{m // 12:04}-{m % 12 + 1:02}" for m in months)
    if unit == "month":
        return tuple(written)
    return tuple(dict.fromkeys(name_in(m, "quarter") for m in written))


def date_sql(cell: str, written: str | None) -> str:
    """Return the SQL of a cell read as a date: by a format of strftime, else as ISO 8601 writes it."""
    if written is None:
        return f"TRY_CAST({cell} AS DATE)"
    return f"CAST(try_strptime({cell}, {quote_text(written)}) AS DATE)"


def unit_sql(day: str, unit: str, at: date | None = None) -> str:
    """Return the SQL of a date coarsened to a unit, or of the full years up to `at`."""
    if unit == "age":
        assert at is not None
        return f"CAST(date_sub('year', {day}, DATE '{at.isoformat()}') AS VARCHAR)"
    if unit == "quarter":
        return f"strftime({day}, '%Y') || '-Q' || date_part('quarter', {day})"
    pattern = {"day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}[unit]
    return f"strftime({day}, {quote_text(pattern)})"


@dataclass(frozen=True)
class Calendar:
    """Consecutive days, months or quarters, and how intervals of them are written.

    A whole month, quarter, year or decade has its own name; other intervals are written as ISO 8601 does.

    >>> calendar = Calendar(units_between(date(1999, 1, 1), date(2000, 3, 31), "month"))
    >>> calendar.label(0, 11), calendar.label(3, 5), calendar.label(4, 12)
    ('1999', '1999-Q2', '1999-05/2000-01')
    """

    values: tuple[str, ...]

    @cached_property
    def _spans(self) -> dict[tuple[int, int], str]:
        """The name of each interval that is a whole unit, the finest one first."""
        found: dict[tuple[int, int], str] = {}
        for unit in _COARSER:
            if unit == "month" and "Q" in self.values[0]:
                continue
            first = 0
            for name, inside in groupby(name_in(v, unit) for v in self.values):
                last = first + len(list(inside)) - 1
                if last > first:
                    found.setdefault((first, last), name)
                first = last + 1
        return found

    def begins(self) -> list[npt.NDArray[np.bool_]]:
        """Return, for months, quarters, years and decades, after which places a new one begins.

        >>> Calendar(("1999-11", "1999-12", "2000-01")).begins()[2].tolist()
        [False, True]
        """
        units = [u for u in _COARSER if u != "month" or "Q" not in self.values[0]]
        names = ([name_in(v, unit) for v in self.values] for unit in units)
        return [np.array([a != b for a, b in pairwise(named)], dtype=bool) for named in names]

    def label(self, first: int, last: int, *, observed: bool = False) -> str:
        """Return what an interval is published as; the ends of an observed calendar stay open."""
        if (first, last) in self._spans:
            return self._spans[first, last]
        if observed and first == 0 and last == len(self.values) - 1:
            return "known"
        if observed and first == 0:
            return f"≤ {self.values[last]}"
        if observed and last == len(self.values) - 1:
            return f"≥ {self.values[first]}"
        return f"{self.values[first]}/{self.values[last]}"

    def places(self, label: str) -> range | None:
        """Return the places that a label represents, as a reader decodes it."""
        if label == "known":
            return range(len(self.values))
        if label[:2] in {"≤ ", "≥ "}:
            at = bisect_left(self.values, label[2:])
            return range(at, len(self.values)) if label[0] == "≥" else range(at + 1)
        if "/" in label:
            first, last = label.split("/")
            return range(bisect_left(self.values, first), bisect_right(self.values, last))
        for unit in _COARSER:
            inside = [i for i, v in enumerate(self.values) if name_in(v, unit) == label]
            if inside:
                return range(inside[0], inside[-1] + 1)
        return None


def calendar_of(values: Sequence[str]) -> Calendar | None:
    """Return the calendar of a domain of dates; years are numbers and need none."""
    known = tuple(values)
    return Calendar(known) if known and not _YEAR.fullmatch(known[0]) else None
