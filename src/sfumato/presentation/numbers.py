"""Numbers as people read them, the same on the page and on paper."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .language import current_locale, say

__all__ = [
    "about",
    "begin_sentence",
    "count",
    "decimal",
    "join_words",
    "percent",
    "plain",
    "plural",
    "segments",
    "span",
    "to_places",
]

_MARK = re.compile(r"\[\[([a-z_.]+)\|([^\]]*)\]\]")


def _local(text: str) -> str:
    """Return a number as the language of the report writes it."""
    locale = current_locale()
    table = {",": locale.thousands, ".": locale.decimal, "%": locale.percent}
    return "".join(table.get(letter, letter) for letter in text)


def count(value: float) -> str:
    """Write a whole number with separators.

    >>> count(1234567)
    '1,234,567'
    """
    return _local(f"{round(value):,}")


def to_places(value: float, digits: int = 3) -> str:
    """Write a number with this many digits after the point.

    >>> to_places(0.81649)
    '0.816'
    """
    return _local(f"{value:.{digits}f}")


def about(value: float) -> str:
    """Write an estimate without false precision.

    >>> about(17.74), about(2.04), about(0.953), about(0.0412), about(0)
    ('18', '2', '1', '0.04', '0')
    """
    if value >= 9.5:
        return count(value)
    if value >= 0.95:
        return _local(f"{value:.1f}".removesuffix(".0"))
    if value == 0:
        return "0"
    if value >= 0.001:
        return _local(f"{value:.1g}")
    return say("less than {value}", value=_local("0.001"))


def span(low: float | None, high: float | None) -> str:
    """Write a range.

    >>> span(15.1, 20.3), span(None, 3)
    ('15–20', '')
    """
    return "" if low is None or high is None else f"{about(low)}–{about(high)}"


def percent(value: float) -> str:
    """Write a share with about three digits that matter.

    >>> percent(0.9366), percent(0.0169), percent(0.00042), percent(1), percent(0.99995)
    ('93.7%', '1.7%', '0.042%', '100%', '99.995%')
    """
    hundred = value * 100
    if hundred in {0, 100}:
        return _local(f"{hundred:.0f}%")
    if hundred > 99.9:
        return _local(f"{hundred:.4g}%" if hundred < 99.99 else f"{hundred:.6g}%")
    if hundred >= 1:
        return _local(f"{hundred:.1f}".removesuffix(".0") + "%")
    if hundred >= 0.0001:
        return _local(f"{hundred:.2g}%")
    return say("less than {value}", value=_local("0.0001%"))


def decimal(value: float, digits: int = 3) -> str:
    """Write a number with this many significant digits.

    >>> decimal(0.081), decimal(0.00137), decimal(6512.4)
    ('0.081', '0.00137', '6,512')
    """
    return count(value) if abs(value) >= 1000 else _local(f"{value:.{digits}g}")


def plural(value: float, one: str, many: str | None = None) -> str:
    """Choose the form of a noun.

    >>> plural(1, "name"), plural(2, "name")
    ('name', 'names')
    """
    return say(one if about(abs(value)) == "1" else many or f"{one}s")


def join_words(words: Sequence[str]) -> str:
    """Join words as a sentence does.

    >>> join_words(["age", "sex", "ZIP"])
    'age, sex and ZIP'
    """
    if len(words) < 2:
        return "".join(words)
    return say("{first} and {last}", first=", ".join(words[:-1]), last=words[-1])


def begin_sentence(words: str) -> str:
    """Return words with a capital at their beginning; other capitals stay.

    >>> begin_sentence("sensible Wörter")
    'Sensible Wörter'
    """
    return words[:1].upper() + words[1:]


def segments(sentence: str) -> list[tuple[str, str | None]]:
    """Split a sentence into plain pieces and pieces that a glossary term explains.

    >>> segments("It finds [[text.found|18 names]].")
    [('It finds ', None), ('18 names', 'text.found'), ('.', None)]
    """
    found: list[tuple[str, str | None]] = []
    at = 0
    for match in _MARK.finditer(sentence):
        if match.start() > at:
            found.append((sentence[at : match.start()], None))
        found.append((match[2], match[1]))
        at = match.end()
    if at < len(sentence):
        found.append((sentence[at:], None))
    return found


def plain(sentence: str) -> str:
    """Return a sentence without its marks.

    >>> plain("It finds [[text.found|18 names]].")
    'It finds 18 names.'
    """
    return _MARK.sub(lambda match: match[2], sentence)
