"""Counts in a report under a rule about small cells: lower limits, from which nothing can be subtracted."""

from __future__ import annotations

from collections.abc import Sequence

from .._version import __version__
from ..core.engine import Part, engine_named
from ..core.regimes import CellRule, Regime, review_date, smallest_group

__all__ = ["at_least", "cell_json", "counts_of"]

_STEPS = (25, 50)


def cell_json(parts: Sequence[Part], regime: Regime, cell: CellRule) -> dict[str, object]:
    """Return the content of facts.json under a rule about cells.

    Parameters
    ----------
    parts : sequence of Part
        What the report is about.
    regime : Regime
        The regime that the rule is of.
    cell : CellRule
        The counts that must not be shown.

    """
    return {
        "facts": 2,
        "version": __version__,
        "regime": {
            "id": regime.id,
            "reviewed": review_date().isoformat(),
            "cell": [cell.low, cell.high],
        },
        "parts": [
            {
                "id": part.id,
                "engine": part.engine,
                "outputs": [
                    {"path": f.path, "sha256": f.sha256}
                    for f in (part.release.outputs if part.release is not None else ())
                ],
                "at_least": {name: at_least(n, cell) for name, n in counts_of(part).items()},
            }
            for part in parts
        ],
    }


def at_least(number: int, cell: CellRule) -> int | None:
    """Return a lower limit of a count that tells no small count; None where it may be one itself.

    >>> [at_least(n, CellRule(low=1, high=10)) for n in (0, 3, 11, 26, 5012)]
    [0, None, 11, 25, 5000]
    """
    if number < cell.low:
        return 0
    if number <= cell.high:
        return None
    found, step = cell.high + 1, 1
    while True:
        for of in (*_STEPS, 100):
            if of * step > number:
                return found
            if of * step > found + cell.high:  # two limits differ by more than a forbidden count
                found = of * step
        step *= 10


def counts_of(part: Part) -> dict[str, int]:
    """Return what is counted of a part: records published, those left out, the smallest group."""
    release = part.release
    if release is None:
        return {}
    found = {"published": release.outputs[0].rows or 0 if release.outputs else 0}
    # A count that is given out as the next multiple of k is at least one more than the multiple before.
    found["left out"] = sum(n - release.multiples_of + 1 for n in release.left_out.values() if n)
    group = smallest_group(engine_named(part.engine), release)
    return found if group is None else found | {"smallest group": group}
