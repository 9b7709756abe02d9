"""Written dates, as every set of days that they may mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from .folding import one_of
from .languages.base import Language
from .own import Band, last_day

__all__ = ["MonthDay", "WrittenDate", "read_dates", "year_days"]


@dataclass(frozen=True, slots=True)
class MonthDay:
    """A day whose year is not written."""

    month: int
    day: int


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date in a text, and what it may mean: days, or a day without its year."""

    start: int
    end: int
    sets: tuple[Band | MonthDay, ...]
    by_number: bool = False
    """Whether it is written in numbers alone and without a year: "12/3" may be something else."""


@lru_cache(maxsize=16)
def _patterns(language: Language) -> re.Pattern[str]:
    month = rf"(?<![^\W\d_]){one_of(language.months)}(?![^\W\d_])"
    glued = rf"{one_of(language.months)}(?![^\W\d_])"
    weekday = one_of(language.words.weekdays.split())
    of = language.words.of
    year = r"(?:19|20)\d\d"
    short = rf"(?:{year}|['’]\d\d|(?<!\.\s)\d\d)(?!\d)"  # "2 June. 39 F": a new sentence
    return re.compile(
        rf"(?:\b{weekday}[,.]?\s(?:the\s|den\s|dem\s|le\s|el\s|il\s)?)?(?<![\d,/:-])(?<!\d\.)(?:"
        rf"(?P<y1>{year})[-/.](?P<m1>\d\d?)[-/.](?P<d1>\d\d?)(?!\d)|"
        rf"(?P<compact>{year}[01]\d[0-3]\d|[0-3]\d[01]\d{year})(?!\d)|"
        rf"(?P<a>\d\d?)(?P<sep>[./-])\s?(?P<b>\d\d?)(?P=sep)\s?(?P<y2>{year}|['’]?\d\d)(?!\d)|"
        rf"(?P<d3>\d\d?){language.words.ordinal}\.?[\s/-]{{0,2}}{of}(?P<m3>{glued})\.?(?:[\s,/-]{{0,2}}{of}(?P<y3>{short}))?|"
        rf"(?P<m4>{month})\.?[\s-](?:the\s)?(?P<d4>\d\d?){language.words.ordinal}(?![\d%])(?:,?\s(?P<y4>{short}))?|"
        rf"(?P<m5>{month})\.?,?\s{of}(?P<y5>{year})(?!\d)|"
        rf"(?P<d6>\d\d?)(?P<sep6>[./])\s?(?P<m6>\d\d?)(?:\.(?!\d)|(?![\d/.,%]))"
        r")"
    )


def _years(text: str | None) -> list[int]:
    if text is None:
        return []
    digits = text.lstrip("'’")
    return [int(digits)] if len(digits) == 4 else [1900 + int(digits), 2000 + int(digits)]


def _day(year: int, month: int, day: int) -> list[Band]:
    try:
        at = date(year, month, day).toordinal()
    except ValueError:
        return []
    return [Band(at, at)]


def year_days(year: int) -> Band:
    """Return the days of a year."""
    return Band(date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal())


def read_dates(folded: str, language: Language) -> list[WrittenDate]:
    """Return the dates of a folded text with every reading, days before months and months before days.

    >>> from .languages.base import language
    >>> [found] = read_dates("seen on 3/4/2023", language("en"))
    >>> [date.fromordinal(band.low).isoformat() for band in found.sets]
    ['2023-04-03', '2023-03-04']
    """
    found = []
    for match in _patterns(language).finditer(folded):
        sets = tuple(_readings(match, language))
        if sets:
            start, end = match.span()
            if match[0].endswith(".") and match["d6"] is None:
                end -= 1  # of the sentence, or of an abbreviation: it may stay
            found.append(WrittenDate(start, end, sets, match["d6"] is not None))
    return found


def _readings(match: re.Match[str], language: Language) -> list[Band | MonthDay]:
    """Return all that one match may mean."""
    g = match.groupdict()
    if g["y1"]:
        return [*_day(int(g["y1"]), int(g["m1"]), int(g["d1"]))]
    if g["compact"]:
        c = g["compact"]
        return [
            *_day(int(c[:4]), int(c[4:6]), int(c[6:])),
            *_day(int(c[4:]), int(c[2:4]), int(c[:2])),
        ]
    if g["a"]:
        first, second = int(g["a"]), int(g["b"])
        days = [d for y in _years(g["y2"]) for d in _day(y, second, first)]
        if g["sep"] != ".":
            days += [d for y in _years(g["y2"]) for d in _day(y, first, second)]
        return list(dict.fromkeys(days))
    if g["d3"] or g["d4"]:
        month, day = language.months[g["m3"] or g["m4"]], int(g["d3"] or g["d4"])
        years = _years(g["y3"] or g["y4"])
        if years:
            return [d for y in years for d in _day(y, month, day)]
        return [MonthDay(month, day)] if 1 <= day <= 31 else []
    if g["m5"]:
        month, year = language.months[g["m5"]], int(g["y5"])
        return [Band(date(year, month, 1).toordinal(), last_day(year, month).toordinal())]
    first, second = int(g["d6"]), int(g["m6"])
    pairs = [(second, first), *([(first, second)] if g["sep6"] == "/" else [])]
    return [MonthDay(m, d) for m, d in dict.fromkeys(pairs) if 1 <= m <= 12 and 1 <= d <= 31]
