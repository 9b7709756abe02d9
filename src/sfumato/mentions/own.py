"""The values of a record that its note may mention, and the bands that its published row shows instead."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

__all__ = ["OPEN", "Band", "OwnValues", "OwnWord", "age_band", "days_of", "years_before"]

_FIRST, _LAST = date(1850, 1, 1).toordinal(), date(2200, 12, 31).toordinal()
OLDEST = 120
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")
_UNIT = re.compile(r"(\d{4})(?:-(Q[1-4])|-(\d\d)(?:-(\d\d))?|(s))?")


@dataclass(frozen=True, slots=True)
class Band:
    """A closed interval of ages or of days; None where an end is open.

    >>> Band(45, 49).holds(Band(47, 47)), Band(47, 49).holds(Band(45, 49)), Band(90, None).holds(Band(95, 95))
    (True, False, True)
    """

    low: int | None = None
    high: int | None = None

    def holds(self, other: Band) -> bool:
        """Return whether every value of another band is in this one."""
        return (self.low is None or (other.low is not None and self.low <= other.low)) and (
            self.high is None or (other.high is not None and other.high <= self.high)
        )

    def meets(self, other: Band, within: int = 0) -> bool:
        """Return whether the two have a value in common, or values this near to each other."""
        return (self.low is None or other.high is None or self.low - within <= other.high) and (
            self.high is None or other.low is None or other.low <= self.high + within
        )


OPEN = Band()


def age_band(label: str) -> Band:
    """Return the ages that a published label leaves open.

    >>> [age_band(label) for label in ("45-49", "≥ 85", "≤ 17", "[40, 50)", "33", "*")][:3]
    [Band(low=45, high=49), Band(low=85, high=None), Band(low=0, high=17)]
    """
    found = [float(n) for n in _NUMBERS.findall(label)]
    if not found or "|?" in label:
        return OPEN
    if label.startswith("≥"):
        return Band(int(found[0]))
    if label.startswith("≤"):
        return Band(0, int(found[0]))
    if label.startswith("<"):
        return Band(0, int(found[0]) - 1)
    if label.startswith("[") and len(found) == 2:
        return Band(int(found[0]), int(found[1]) - (label.endswith(")")))
    if len(found) > 2:
        return OPEN
    return Band(int(found[0]), int(found[-1]))


def days_of(label: str) -> Band:
    """Return the days that a published label of a date leaves open.

    >>> band = days_of("2023-Q2")
    >>> date.fromordinal(band.low).isoformat(), date.fromordinal(band.high).isoformat()
    ('2023-04-01', '2023-06-30')
    >>> days_of("known"), days_of("≥ 2023-01").high
    (Band(low=None, high=None), None)
    """
    if "?" in label:
        return OPEN
    if label[:2] in {"≤ ", "≥ "}:
        band = days_of(label[2:])
        return Band(None, band.high) if label[0] == "≤" else Band(band.low, None)
    separator = "/" if "/" in label else None
    if separator is None and re.fullmatch(r"\d{4}-\d{4}", label):
        separator = "-"
    if separator is not None:
        first, _, last = label.partition(separator)
        return Band(days_of(first).low, days_of(last).high)
    unit = _UNIT.fullmatch(label)
    if unit is None:
        return OPEN
    year, quarter, month, day, decade = unit.groups()
    if day:
        at = date(int(year), int(month), int(day)).toordinal()
        return Band(at, at)
    if decade:
        return Band(date(int(year), 1, 1).toordinal(), date(int(year) + 9, 12, 31).toordinal())
    months = (
        (3 * int(quarter[1]) - 2, 3 * int(quarter[1]))
        if quarter
        else (int(month),) * 2
        if month
        else (1, 12)
    )
    return Band(
        date(int(year), months[0], 1).toordinal(), last_day(int(year), months[1]).toordinal()
    )


def last_day(year: int, month: int) -> date:
    """Return the last day of a month."""
    return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def years_before(day: date, years: int) -> date:
    """Return the same day some years before; 29 February becomes 28 February."""
    try:
        return day.replace(year=max(day.year - years, 1))
    except ValueError:
        return day.replace(year=max(day.year - years, 1), day=28)


@dataclass(frozen=True, slots=True)
class OwnWord:
    """A place, a code or a word of the record, and what the published row shows instead.

    Parameters
    ----------
    column : str
        The column that shows it.
    value : str
        The record's own.
    label : str
        What is published.
    is_code : bool, default=False
        Whether it is a code, which is found however it is spaced.

    """

    column: str
    value: str
    label: str
    is_code: bool = False


@dataclass(frozen=True)
class OwnValues:
    """What a record says of its person, and the bands of its published row.

    Parameters
    ----------
    age : int, optional
        The age.
    age_band : Band, optional
        The ages that the row leaves open; None where ages are not looked for.
    birth : Band, optional
        The day of birth, or the days between which it is, if known.
    visit : int, optional
        The day of the visit, as an ordinal.
    visit_band : Band, optional
        The days that the row leaves open.
    words : tuple of OwnWord
        Places, codes and words.

    """

    age: int | None = None
    age_band: Band | None = None
    birth: Band | None = None
    visit: int | None = None
    visit_band: Band | None = None
    words: tuple[OwnWord, ...] = ()
    at: Band | None = None
    """The days at which the age may have been counted, where no column shows a visit."""
    shown_birth: Band | None = None
    """The days of birth that the row leaves open, where a column of births is published."""

    @cached_property
    def born(self) -> Band | None:
        """The days of birth that fit the record: its own, or what age and visit say."""
        if self.birth is not None:
            return self.birth
        when = Band(self.visit, self.visit) if self.visit is not None else self.at
        if self.age is None or when is None:
            return None
        return births_between(Band(self.age, self.age), when)

    @cached_property
    def birth_band(self) -> Band | None:
        """The days of birth that the published row leaves open; never a fixed grid."""
        if self.shown_birth is not None:
            return self.shown_birth
        when = self.visit_band if self.visit_band is not None else self.at
        if self.age_band is None or when is None:
            return OPEN if self.birth is not None else None
        return births_between(self.age_band, when)


def births_between(ages: Band, days: Band) -> Band:
    """Return the days of birth of people of some ages on some days.

    >>> day = date(2023, 3, 12).toordinal()
    >>> band = births_between(Band(47, 47), Band(day, day))
    >>> date.fromordinal(band.low).isoformat(), date.fromordinal(band.high).isoformat()
    ('1975-03-13', '1976-03-12')
    """
    low = high = None
    if ages.high is not None and ages.high < OLDEST and days.low is not None:
        low = years_before(date.fromordinal(days.low), ages.high + 1).toordinal() + 1
    if ages.low is not None and days.high is not None:
        high = years_before(date.fromordinal(days.high), ages.low).toordinal()
    return Band(low, high)
