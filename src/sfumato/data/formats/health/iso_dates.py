"""Dates of FHIR (ISO 8601, whole or in part), moved by days and written as they were."""

from __future__ import annotations

import datetime as dt
import re

__all__ = ["has_date_form", "is_date", "shift_iso"]

_WHOLE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})((?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})?)?)"
)
_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})")
_YEAR = re.compile(r"[0-9]{4}")


def is_date(text: str) -> bool:
    """Return whether a text is a date with a month at least; a year alone may be any number.

    >>> is_date("2020-01-31T10:00:00Z"), is_date("2020-01"), is_date("2020")
    (True, True, False)
    """
    return bool(_WHOLE.fullmatch(text) or _MONTH.fullmatch(text))


def has_date_form(text: str) -> bool:
    """Return whether a text has the form of a date, a year alone among them."""
    return is_date(text) or bool(_YEAR.fullmatch(text))


def shift_iso(text: str, days: int) -> str | None:
    """Return a date that moved by some days; None for what is no date.

    >>> shift_iso("2020-01-31T10:00:00Z", 7), shift_iso("2020-01", 400), shift_iso("2020", 400)
    ('2020-02-07T10:00:00Z', '2021-02', '2021')
    >>> shift_iso("in spring", 7) is None
    True
    """
    try:
        if whole := _WHOLE.fullmatch(text):
            moved = dt.date(int(whole[1]), int(whole[2]), int(whole[3])) + dt.timedelta(days=days)
            return moved.isoformat() + whole[4]
        if month := _MONTH.fullmatch(text):
            moved = dt.date(int(month[1]), int(month[2]), 15) + dt.timedelta(days=days)
            return moved.isoformat()[:7]
        if _YEAR.fullmatch(text):
            return f"{int(text) + (round(days / 365.25) or (1 if days > 0 else -1)):04d}"
    except (ValueError, OverflowError):
        return None
    return None
