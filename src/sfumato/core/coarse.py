"""Numbers that are published coarsened: two digits of a figure, counts in multiples of k, bins of k people or more.

A count of raw records that are not published, in its own digits, tells two releases that differ by one person
apart, and a count of one or two is about somebody. So every such number goes through this module.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["SMALLEST_COUNT", "coarse_count", "granularity_of", "merge_small_bins", "two_digits"]

SMALLEST_COUNT = 5
"""The k of a release that names none: as many people share what is spelled of an observed domain."""


def granularity_of(k: int | None) -> int:
    """Return the number k whose multiples published counts are: the release's own, or five if it has none.

    >>> granularity_of(11), granularity_of(1), granularity_of(None)
    (11, 5, 5)
    """
    return SMALLEST_COUNT if k is None or k < 2 else k


def coarse_count(value: object, k: int) -> object:
    """Return a count, or every count of a JSON value, rounded up to a multiple of k; 0 stays 0.

    >>> coarse_count(0, 5), coarse_count(1, 5), coarse_count({"ID": 5, "NAME": 12}, 5)
    (0, 5, {'ID': 5, 'NAME': 15})
    """
    if isinstance(value, dict):
        return {name: coarse_count(inner, k) for name, inner in value.items()}
    if isinstance(value, list):
        return [coarse_count(inner, k) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return -(-value // k) * k
    return value


def merge_small_bins(counts: Sequence[int], k: int) -> list[tuple[int, int]]:
    """Return neighbouring bins joined until each holds k people or more, as (first, last) places.

    Fewer than k people in all are in one bin.

    >>> merge_small_bins([1, 0, 7, 2, 9, 3], 5)
    [(0, 2), (3, 5)]
    >>> merge_small_bins([1, 2], 5)
    [(0, 1)]
    """
    found: list[tuple[int, int]] = []
    first, held = 0, 0
    for place, count in enumerate(counts):
        held += count
        if held >= k:
            found.append((first, place))
            first, held = place + 1, 0
    if first < len(counts):  # the last few join the bin before
        start = found.pop()[0] if found else first
        found.append((start, len(counts) - 1))
    return found


def two_digits(value: float, *, up: bool) -> float:
    """Round a number to two significant digits, up or down.

    >>> two_digits(0.012345, up=True), two_digits(0.98765, up=False), two_digits(0.0, up=True)
    (0.013, 0.98, 0.0)
    """
    if value == 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    steps = value / unit
    whole = round(steps)
    if abs(steps - whole) > 1e-9:
        whole = math.ceil(steps) if up else math.floor(steps)
    return float(f"{whole * unit:.1e}")
