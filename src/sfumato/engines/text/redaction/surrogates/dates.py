"""Dates shifted by a constant number of days: intervals inside a scope survive, the dates do not.

Many written forms are read and written back in the same form, partial dates among them; what cannot be
read gives None, and the caller puts a placeholder there. Numbers such as 03/04/2020 have one reading per
corpus, learned from those that can be read in one way only.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .months import MonthName, find_month, write_month

__all__ = ["MONTH_FIRST", "DateReading", "shift_date"]

_M = r"(?P<m>[^\W\d_]{3,12})(?P<dot>\.?)"
_D = r"(?P<d>[0-9]{1,2})"
_Y = r"(?P<y>[0-9]{4})"
_OF = r"(?P<of>\s+de\s+|\s+del\s+|\s*[-/,.]?\s*)"
_ORDINAL = r"(?P<th>st|nd|rd|th|\.|º|er)?"
_FORMS = [
    re.compile(rf"{_Y}(?P<s1>[-/.])(?P<mm>[0-9]{{1,2}})(?P<s2>[-/.]){_D}"),
    re.compile(
        r"(?P<a>[0-9]{1,2})(?P<s1>\s*[-/.]\s*)(?P<b>[0-9]{1,2})(?P<s2>\s*[-/.]\s*)"
        r"(?P<y>[0-9]{4}|[0-9]{2})"
    ),
    re.compile(
        rf"{_D}{_ORDINAL}{_OF}{_M}(?P<s2>\s+de\s+|\s+del\s+|\s*[-/,]?\s*)"
        r"(?P<y>[0-9]{4}|[0-9]{2})"
    ),
    re.compile(rf"{_M}\s*{_D}{_ORDINAL}(?P<s2>\s*,?\s*){_Y}"),
    re.compile(rf"{_D}{_ORDINAL}{_OF}{_M}"),
    re.compile(rf"{_M}\s*{_D}{_ORDINAL}"),
    re.compile(rf"{_M}(?P<s2>\s+de\s+|\s+del\s+|\s*,?\s*){_Y}"),
    # A day and a month without a year need the full stop that German writes after both: 6.21 may be a
    # laboratory value, and 3/4 a fraction.
    re.compile(r"(?P<a>[0-9]{1,2})(?P<s1>\.\s?)(?P<b>[0-9]{1,2})(?P<s2>\.)"),
    re.compile(rf"(?P<mm>0?[1-9]|1[0-2])(?P<s1>[/.]){_Y}"),
    re.compile(rf"{_Y}"),
    re.compile(rf"{_M}"),
]
_FIRST, _LAST = 1000, 2999
_FIRST_ALONE, _LAST_ALONE = 1900, 2099  # a year on its own looks like any number
_NUMERIC = re.compile(
    r"(?<![\w.,/-])([0-9]{1,2})([./-])([0-9]{1,2})\2(?:[0-9]{4}|[0-9]{2})(?![\w/-]|\.[0-9])"
)
_WORDS_TOO = frozenset({"may", "mai", "march", "mars", "august"})
_LEAP = 2000  # for dates without a year: every day of the year exists in it


@dataclass(frozen=True)
class DateReading:
    """Whether numeric dates name the day first, by their separator; `default` where it is not known."""

    by_separator: tuple[tuple[str, bool], ...] = ()
    default: bool = False

    @classmethod
    def learned(cls, texts: Iterable[str], *, default: bool = False) -> DateReading:
        """Learn the reading from the dates of a corpus that can be read in one way only.

        >>> reading = DateReading.learned(["am 19.03.2029 und 4.4.1997, Blatt 3/4/20"])
        >>> reading.day_first("."), reading.day_first("/")
        (True, True)
        """
        votes: dict[str, int] = {}
        for text in texts:
            for match in _NUMERIC.finditer(text):
                a, b = int(match[1]), int(match[3])
                if a <= 12 < b <= 31 or b <= 12 < a <= 31:
                    votes[match[2]] = votes.get(match[2], 0) + (1 if a > 12 else -1)
        total = sum(votes.values())
        fallback = total > 0 if total else default
        return cls(tuple(sorted((s, v > 0) for s, v in votes.items() if v)), fallback)

    def day_first(self, separator: str) -> bool:
        """Return the reading of dates with a separator."""
        known = dict(self.by_separator)
        if separator in known:
            return known[separator]
        # Dots are written day first wherever dots are written.
        return True if separator == "." and not known else self.default


MONTH_FIRST = DateReading(((".", False),), default=False)


def shift_date(
    text: str, days: int, *, reading: DateReading | bool = False, language: str | None = None
) -> str | None:
    """Shift a date by whole days and write it as it was written; None where it is no date known here.

    Parameters
    ----------
    text
        The date as it is.
    days
        By how much it moves.
    reading
        How numeric dates are read; True for the day first.
    language
        The document's language: April is a month of several.

    >>> shift_date("March 3, 2020", 7), shift_date("3 de marzo de 2020", -7), shift_date("2020-12-30", 14)
    ('March 10, 2020', '25 de febrero de 2020', '2021-01-13')
    >>> shift_date("next Tuesday", 7) is None
    True

    """
    if isinstance(reading, bool):
        reading = DateReading((), default=True) if reading else MONTH_FIRST
    stripped = text.strip()
    lead = text[: len(text) - len(text.lstrip())]
    trail = text[len(text.rstrip()) :]
    for form in _FORMS:
        match = form.fullmatch(stripped)
        write = None if match is None else _reader(match, reading, language)
        if write is None:
            continue
        try:
            result = write(days)
        except (ValueError, OverflowError):
            continue
        # A month without its day may not move: then it would say what it said before.
        return None if result is None or result == stripped else f"{lead}{result}{trail}"
    return None


def _reader(
    match: re.Match[str], reading: DateReading, language: str | None
) -> Callable[[int], str | None] | None:
    """Return the function that writes a matched form for a shift; None where it is no date."""
    parts = match.groupdict()
    entry: MonthName | None = None
    if parts.get("m") is not None:
        entry = find_month(str(parts["m"]), language)
        if entry is None:
            return None
    if set(parts) == {"y"}:
        return lambda days: _year_alone(str(parts["y"]), days)
    alone = set(parts) == {"m", "dot"} and entry is not None and not parts["dot"]
    if alone and (entry.short or str(parts["m"]).casefold() in _WORDS_TOO):  # type: ignore[union-attr]
        return None  # Mar and Jan are names or words too
    return lambda days: _write_date(match, parts, entry, reading, days)


def _year_alone(text: str, days: int) -> str | None:
    year = int(text)
    if not _FIRST_ALONE <= year <= _LAST_ALONE:
        return None
    return f"{year + (round(days / 365.25) or (1 if days > 0 else -1)):04d}"


def _write_date(
    match: re.Match[str],
    parts: dict[str, str | None],
    entry: MonthName | None,
    reading: DateReading,
    days: int,
) -> str | None:
    year_text = parts.get("y")
    year = _LEAP if year_text is None else int(year_text)
    short_year = year_text is not None and len(year_text) == 2
    if short_year:
        year += 1900 if year > 40 else 2000
    a, b = parts.get("a"), parts.get("b")
    first_is_day = False
    if a is not None and b is not None:
        first_is_day = reading.day_first(str(parts["s1"]).strip())
        if int(a) > 12 or int(b) > 12:  # it can be read in one way only
            first_is_day = int(a) > 12
        month, day = (int(b), int(a)) if first_is_day else (int(a), int(b))
    else:
        month = entry.number if entry is not None else int(str(parts["mm"]))
        day = int(str(parts["d"])) if parts.get("d") else 15
    moved = dt.date(year, month, day) + dt.timedelta(days=days)
    if not _FIRST <= moved.year <= _LAST:
        return None
    values: dict[str, str] = {}
    if year_text is not None:
        values["y"] = f"{moved.year % 100:02d}" if short_year else f"{moved.year:04d}"
    if entry is not None:
        values["m"] = write_month(entry, moved.month, str(parts["m"]))
    if a is not None and b is not None:
        first, second = (moved.day, moved.month) if first_is_day else (moved.month, moved.day)
        values["a"], values["b"] = _pad(first, a, b), _pad(second, b, a)
    if parts.get("mm"):
        values["mm"] = _pad(moved.month, str(parts["mm"]), str(parts.get("d") or parts["mm"]))
    if parts.get("d"):
        values["d"] = _pad(moved.day, str(parts["d"]), str(parts.get("mm") or parts["d"]))
    if parts.get("th") in {"st", "nd", "rd", "th"}:
        values["th"] = _ordinal(moved.day)
    return _rewritten(match, values)


def _pad(value: int, model: str, beside: str) -> str:
    """Write two digits where the model does; a lone digit on either side says that nobody pads."""
    padded = len(model) == 2 and (model[0] == "0" or len(beside) == 2)
    return f"{value:02d}" if padded else str(value)


def _ordinal(day: int) -> str:
    return "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _rewritten(match: re.Match[str], values: dict[str, str]) -> str:
    text, pieces, at = match.string, [], 0
    for group in sorted(values, key=match.start):
        start, end = match.span(group)
        pieces += [text[at:start], values[group]]
        at = end
    return "".join([*pieces, text[at:]])
