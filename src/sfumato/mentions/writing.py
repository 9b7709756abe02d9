"""Write a band in the place and in the form of a mention, in its language."""

from __future__ import annotations

import re
from datetime import date

from .languages.base import Language
from .own import OLDEST, Band, last_day

__all__ = ["fix_article", "write_age", "write_birth", "write_days", "write_label"]

_PLAIN = re.compile(r"[^\W\d_][\w '.-]*")
_SAYS_NOTHING = ("*", "known", "a rare value")


def write_age(band: Band, language: Language) -> str:
    """Return the words of an age band, in place of a number.

    >>> from .languages.base import language
    >>> [write_age(b, language("en")) for b in (Band(45, 49), Band(85), Band(None, 17), Band())]
    ['45–49', '85+', '0–17', '[age]']
    """
    if band.low is None and band.high is None:
        return language.words.unknown["age"]
    if band.high is None or band.high >= OLDEST:
        return f"{band.low}+"
    if band.low == band.high:
        return str(band.low)
    return f"{band.low or 0}–{band.high}"


def write_birth(band: Band, language: Language, *, preposition: bool) -> str:
    """Return the years of birth that a row leaves open."""
    if band.low is None or band.high is None:
        if band.high is not None and band.low is None:
            return f"≤ {date.fromordinal(band.high).year}"
        return language.words.unknown["birth"]
    first, last = date.fromordinal(band.low).year, date.fromordinal(band.high).year
    if first == last:
        return str(first)
    return language.words.birth_years[preposition].format(a=first, b=last)


def write_days(band: Band, language: Language, *, preposition: bool) -> str:
    """Return a unit of time in words: a month, a quarter, a year, or from one to another.

    >>> from .languages.base import language
    >>> quarter = Band(date(2023, 4, 1).toordinal(), date(2023, 6, 30).toordinal())
    >>> [write_days(quarter, language(code), preposition=True) for code in ("en", "de", "fr")]
    ['in Q2 2023', 'im 2. Quartal 2023', 'au 2e trimestre 2023']
    """
    words = language.words
    if band.low is None or band.high is None:
        return words.unknown["date"]
    first, last = date.fromordinal(band.low), date.fromordinal(band.high)
    whole = first.day == 1 and last == last_day(last.year, last.month)
    months = 12 * (last.year - first.year) + last.month - first.month + 1
    if whole and months == 1:
        return words.month[preposition].format(m=words.month_names[first.month - 1], y=first.year)
    if whole and months == 3 and first.month % 3 == 1:
        number = (first.month + 2) // 3
        return words.quarter[preposition].format(
            q=number, o="er" if number == 1 else "e", y=first.year
        )
    if whole and months == 12 and first.month == 1:
        return words.year[preposition].format(y=first.year)
    if whole and first.month == 1 and last.month == 12:
        return words.between[preposition].format(a=first.year, b=last.year)
    ends = (
        words.month[0].format(m=words.month_names[d.month - 1], y=d.year) for d in (first, last)
    )
    start, end = ends
    return words.between[preposition].format(a=start, b=end)


def write_label(column: str, label: str) -> str:
    """Return the published label of a place, a code or a word: plain where it is a word, else in brackets.

    >>> write_label("area", "the North"), write_label("area", "30011-30550"), write_label("area", "*")
    ('the North', '[area 30011-30550]', '[area]')
    """
    if label in _SAYS_NOTHING or label.startswith("group "):
        return f"[{column}]"
    return label if _PLAIN.fullmatch(label) else f"[{column} {label}]"


def fix_article(before: str, words: str) -> str:
    """Return the text before a band with the English article that the band asks for.

    >>> fix_article("This is a ", "80–84"), fix_article("An ", "45–49"), fix_article("to ", "80–84")
    ('This is an ', 'A ', 'to ')
    """
    article = re.search(r"(?:^|(?<=\W))([Aa])(n?) $", before)
    if article is None:
        return before
    vowel = bool(re.match(r"8|1[18](?!\d)|\[a", words))
    return f"{before[: article.start()]}{article[1]}{'n' if vowel else ''} "
