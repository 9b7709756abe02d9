"""The number of days by which the dates of one person move: whole weeks, more than a year, and never to the same month."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["choose_days"]

# A shift of more than a year changes every year, and one that is far from a whole number of years
# changes every month too.
_NEAREST_WEEKS, _FURTHEST_WEEKS = 53, 156
_YEAR, _MONTH = 365.25, 35.0
_ALLOWED = tuple(
    weeks * 7
    for weeks in range(_NEAREST_WEEKS, _FURTHEST_WEEKS + 1)
    if _MONTH <= (weeks * 7) % _YEAR <= _YEAR - _MONTH
)


def choose_days(draw: Callable[[int], int]) -> int:
    """Return a shift in days, so that intervals and weekdays survive and no year and no month stays.

    Parameters
    ----------
    draw : callable
        Returns a number in [0, n) that depends on a key and a person.

    >>> choose_days(lambda below: 0) % 7, choose_days(lambda below: below - 1) > 365
    (0, True)

    """
    drawn = draw(2 * len(_ALLOWED))
    return _ALLOWED[drawn // 2] * (1 if drawn % 2 else -1)
