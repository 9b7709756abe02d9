"""A test, on counts alone, whether the margins of new data are like those of the explored data.

Shares are compared as if at most some thousand rows had been seen on either side: with millions of rows
every difference is beyond chance, and only those that are large enough to matter should raise the alarm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ..arrays import Counts, Floats
from ..errors import DataError
from .shift import ALARM, DIFFERENT, FEW, LIKE, TOO_FEW, Compared, ShiftCheck

__all__ = ["Margin", "compare_margins"]

MOST_ROWS = 2000
_EXPECTED = 10.0  # rows on either side from which the tails of a share are close to normal
_SMALLEST = 1e-300


@dataclass(frozen=True, eq=False)
class Margin:
    """How many rows hold each value of one column, in the explored and in the released data.

    Parameters
    ----------
    name
        What is counted.
    learned, released
        One count per value; the same values in the same order.
    rows
        The number of explored and of released rows.
    ordered
        Whether the values have an order in which they can shift. A row then holds one of them.

    """

    name: str
    learned: Counts
    released: Counts
    rows: tuple[int, int]
    ordered: bool = True

    def __post_init__(self) -> None:
        if self.learned.shape != self.released.shape or self.learned.ndim != 1:
            raise DataError("Both sides of a margin need the same values.")


def compare_margins(margins: Sequence[Margin]) -> ShiftCheck:
    """Compare margins and return the verdict.

    Every share, the order of ordered values and the share of new values are separate tests; the
    p-value is the smallest one times their number (Bonferroni), so that it also holds for columns that
    depend on each other.

    Parameters
    ----------
    margins
        At least one, all of the same rows.

    Returns
    -------
    ShiftCheck
        "too few to tell" below twenty rows on either side.

    >>> was, now = np.array([500, 480, 20]), np.array([100, 400, 0])
    >>> check = compare_margins([Margin("sex", was, now, (1000, 500))])
    >>> check.verdict == DIFFERENT, check.cause
    (True, 'distribution of sex')

    """
    learned, released = margins[0].rows
    if min(learned, released) < FEW:
        return ShiftCheck(TOO_FEW, released, learned)
    found: list[Compared] = []
    tests, smallest, cause = 0, 2.0, ""
    for margin in margins:
        for compared, own, p in (_new_values(margin), _distribution(margin)):
            found.append(compared)
            tests += own
            if p < smallest:
                smallest, cause = p, compared.name
    p_value = min(1.0, tests * smallest)
    verdict = DIFFERENT if p_value <= ALARM else LIKE
    return ShiftCheck(verdict, released, learned, round(p_value, 4), cause, found)


def _new_values(margin: Margin) -> tuple[Compared, int, float]:
    """Compare the share of values that were never seen with what the values seen once let expect.

    The estimate is Good and Turing's: the next value is new about as often as a value was seen once.
    """
    rows = min(*margin.rows, MOST_ROWS)
    seen, total = max(int(margin.learned.sum()), 1), max(int(margin.released.sum()), 1)
    share = float(margin.released[margin.learned == 0].sum()) / total
    expected = float((margin.learned == 1).sum()) / seen
    p = _sign_tail(share * rows, expected * rows)
    return Compared(f"new values of {margin.name}", share, expected, _standard(p)), 1, p


def _distribution(margin: Margin) -> tuple[Compared, int, float]:
    """Compare the shares of the values that were seen and, where they are ordered, the ranks of all."""
    n, m = (min(rows, MOST_ROWS) for rows in margin.rows)
    was = margin.learned / margin.rows[0]
    now = margin.released / margin.rows[1]
    pooled = (was * n + now * m) / (n + m)
    usable = (margin.learned > 0) & (np.minimum(pooled, 1 - pooled) * min(n, m) >= _EXPECTED)
    spread = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    differences = ((now - was)[usable] / spread[usable]).tolist()
    if margin.ordered:
        differences.append(_rank_difference(was, now, pooled, n, m))
    largest = max(differences, key=abs, default=0.0)
    # What shares of this many rows would differ by, were they of one kind.
    chance = np.sqrt(pooled * (1 - pooled) * (2 / np.pi) * sum(1 / rows for rows in margin.rows))
    name, size = f"distribution of {margin.name}", max(float(was.sum()), float(now.sum()), 1e-12)
    distance, by_chance = np.abs(now - was).sum() / (2 * size), chance.sum() / (2 * size)
    compared = Compared(name, float(distance), float(by_chance), float(largest))
    return compared, len(differences), max(math.erfc(abs(largest) / math.sqrt(2)), _SMALLEST)


def _rank_difference(was: Floats, now: Floats, pooled: Floats, n: int, m: int) -> float:
    """Return the standardised rank-sum difference (Mann and Whitney's U, with ties)."""
    below = np.cumsum(was) - was / 2
    above_chance = float(now @ below) - 0.5
    ties = 1.0 - float((pooled**3).sum())
    return above_chance / math.sqrt(ties / 12 * (1 / n + 1 / m)) if ties > 1e-12 else 0.0


def _sign_tail(count: float, other: float) -> float:
    """Return the chance that this many of all events fall on one of two equal sides (a sign test).

    One event is added to the other side: without it the first new value would be a certainty.

    >>> round(_sign_tail(3.0, 0.0), 4), _sign_tail(0.4, 3.0)
    (0.3125, 1.0)
    """
    found = math.floor(count + 1e-9)
    if found == 0:
        return 1.0
    events = found + math.ceil(other) + 1
    log_term = math.lgamma(events + 1) - math.lgamma(found + 1) - math.lgamma(events - found + 1)
    term, total = math.exp(log_term - events * math.log(2)), 0.0
    for k in range(found, events + 1):
        total += term
        term *= (events - k) / (k + 1)
    return min(max(total, _SMALLEST), 1.0)


def _standard(p: float) -> float:
    """Return the standardised difference that a one-sided p-value represents."""
    return 0.0 if p >= 0.5 else -NormalDist().inv_cdf(p)
