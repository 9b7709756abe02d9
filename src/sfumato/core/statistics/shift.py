"""A two-sample test whether the published records are like the training records, and its verdict.

Several numbers per record are compared at once: the largest standardised rank-sum difference is set
against what it is when records are exchanged between the two samples at random. The measure with the
largest difference names the cause.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..arrays import Floats
from ..errors import DataError

__all__ = [
    "ALARM",
    "DIFFERENT",
    "FEW",
    "LEAST",
    "LIKE",
    "TOO_FEW",
    "Compared",
    "ShiftCheck",
    "compare",
]

LIKE = "like what was learned from"
DIFFERENT = "different: the promise does not carry over"
TOO_FEW = "too few to tell"
ALARM = 0.01
LEAST = 3
FEW = 20
_PERMUTATIONS = 1999


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure in both samples: its means, and how far its ranks differ in standard deviations."""

    name: str
    released: float
    learned: float
    difference: float

    def to_json(self) -> dict[str, object]:
        """Return plain values for release.json."""
        return {
            "released": round(self.released, 6),
            "learned": round(self.learned, 6),
            "difference": round(self.difference, 3),
        }


@dataclass(frozen=True)
class ShiftCheck:
    """The verdict of a shift check, and the numbers that it rests on.

    `cause` is the measure that differs most; it is set whenever something was compared.
    """

    verdict: str
    released: int
    learned: int
    p_value: float | None = None
    cause: str | None = None
    measures: Sequence[Compared] = ()
    further: Mapping[str, object] = field(default_factory=dict)

    @property
    def different(self) -> bool:
        """Whether the release must not go out unless a person accepts the shift."""
        return self.verdict == DIFFERENT

    def to_json(self) -> dict[str, object]:
        """Return plain values for release.json."""
        return {
            "verdict": self.verdict,
            "p_value": self.p_value,
            "alarm_at": ALARM,
            "cause": self.cause,
            "released": self.released,
            "learned": self.learned,
            "measures": {m.name: m.to_json() for m in self.measures},
            **dict(self.further),
        }


def compare(
    learned: Floats,
    released: Floats,
    names: Sequence[str],
    *,
    generator: np.random.Generator,
    groups: tuple[Sequence[Hashable], Sequence[Hashable]] | None = None,
    permutations: int = _PERMUTATIONS,
) -> ShiftCheck:
    """Compare two samples of records and return the verdict.

    Parameters
    ----------
    learned, released
        One row per record and one column per measure.
    names
        What the columns are called.
    generator
        Source of the permutations.
    groups
        Whose records belong together (one patient, one week), for both samples: each group then counts
        as one record, since records of one group are not independent of each other.
    permutations
        How many random exchanges the p-value rests on.

    Returns
    -------
    ShiftCheck
        "too few to tell" below three records on either side.

    >>> random = np.random.default_rng(0)
    >>> a, b = random.normal(0, 1, (80, 2)), random.normal([0, 2], 1, (40, 2))
    >>> check = compare(a, b, ["length", "case"], generator=random)
    >>> check.verdict == DIFFERENT, check.cause
    (True, 'case')

    """
    if learned.ndim != 2 or released.ndim != 2 or learned.shape[1] != released.shape[1]:
        raise DataError("Both samples of a shift check need the same measures.")
    if groups is not None:
        learned, released = _by_group(learned, groups[0]), _by_group(released, groups[1])
    n, m = len(learned), len(released)
    if min(n, m) < LEAST:
        return ShiftCheck(TOO_FEW, m, n)
    ranks = np.stack([_ranks(column) for column in np.concatenate([learned, released]).T], axis=1)
    spread = ranks.std(axis=0) * np.sqrt(n * m / max(n + m - 1, 1))
    standard = (ranks - ranks.mean(axis=0)) / np.where(spread > 0, spread, np.inf)
    observed = standard[n:].sum(axis=0)
    largest = float(np.abs(observed).max())
    as_extreme = 1
    for _ in range(permutations):
        # The rank sum of either sample tells the other's: draw the smaller one.
        drawn = generator.choice(n + m, min(n, m), replace=False, shuffle=False)
        as_extreme += bool(np.abs(standard[drawn].sum(axis=0)).max() >= largest - 1e-9)
    p_value = as_extreme / (permutations + 1)
    means = zip(names, released.mean(axis=0), learned.mean(axis=0), observed, strict=True)
    return ShiftCheck(
        DIFFERENT if p_value <= ALARM else LIKE,
        m,
        n,
        round(p_value, 4),
        names[int(np.abs(observed).argmax())],
        [Compared(name, float(r), float(l), float(d)) for name, r, l, d in means],
    )


def _ranks(values: Floats) -> Floats:
    """Return the rank of each value; equal values share the mean of theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[which.reshape(-1)]


def _by_group(records: Floats, groups: Sequence[Hashable]) -> Floats:
    """Return the mean of each group, in the order of first appearance."""
    if len(groups) != len(records):
        raise DataError("Every record of a shift check needs its group.")
    number: dict[Hashable, int] = {}
    of = np.array([number.setdefault(group, len(number)) for group in groups], np.int64)
    sums = np.zeros((len(number), records.shape[1]))
    np.add.at(sums, of, records)
    return sums / np.bincount(of, minlength=len(number))[:, None]
