"""k-anonymity by containment: how many rows hold everything that a row holds.

The audit rests on one lemma: the AC of a dataset is the smallest multiplicity of a row pattern that no
other pattern contains. AC is about attackers who know what a person HAS; `audit` therefore always
reports exact-match uniqueness and the AC under known absences as well.

>>> toy = [[1,0,1,0,1], [1,0,1,0,1], [1,0,0,1,1], [1,0,1,0,1], [1,1,1,0,1], [1,1,0,1,1]]
>>> row_containment(toy).tolist()
[4, 4, 2, 4, 1, 1]
>>> dataset_containment(toy)
1
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from sfumato.engines.baskets.containment.patterns import _WORK, Patterns

from ....compute.local import Local
from ....compute.protocol import Compute
from ....core.errors import ParameterError
from ..matrix.binary import as_binary

__all__ = [
    "Audit",
    "AuditFields",
    "audit",
    "containment_group",
    "dataset_containment",
    "is_feasible",
    "row_containment",
]


class AuditFields(TypedDict):
    """An audit as JSON, and the first fields of `Measured`."""

    rows: int
    count: int
    ac: int
    unique_share: float
    smallest_group: int
    ac_under_absences: dict[str, int]
    absences_exact: dict[str, bool]


@dataclass(frozen=True)
class Audit:
    """What a release discloses, measured on the released rows themselves.

    `ac` is the containment guarantee. `unique_share` is the share of rows that no other row equals:
    someone who knows everything about a person, absences included, singles those out.
    `ac_under_absences[m]` is the AC against one who also knows m absences; `absences_exact` says
    whether the search was complete (if not, the true figure may be lower).
    """

    rows: int
    features: int
    ac: int
    unique_share: float
    smallest_group: int
    ac_under_absences: dict[int, int] = field(default_factory=dict)
    absences_exact: dict[int, bool] = field(default_factory=dict)

    def to_json(self) -> AuditFields:
        return {
            "rows": self.rows,
            "count": self.features,
            "ac": self.ac,
            "unique_share": self.unique_share,
            "smallest_group": self.smallest_group,
            "ac_under_absences": {str(m): v for m, v in self.ac_under_absences.items()},
            "absences_exact": {str(m): v for m, v in self.absences_exact.items()},
        }


def audit(
    matrix: object,
    *,
    absences: Iterable[int] = (1, 2),
    work: int = _WORK,
    compute: Compute | None = None,
) -> Audit:
    """Measure AC, uniqueness and the AC under known absences of an unchanged matrix.

    Its distinct rows are counted here, or by the engine given.

    >>> audit([[1, 1], [1, 0], [1, 1]]).ac, audit([[1, 1], [1, 0], [1, 1]]).ac_under_absences
    (2, {1: 1, 2: 1})
    """
    rows = as_binary(matrix)
    if rows.n == 0:
        return Audit(0, rows.d, 0, 0.0, 0)
    patterns = Patterns.count(rows, Local() if compute is None else compute)
    n = patterns.rows
    ac = patterns.smallest_maximal()
    values, exact = {}, {}
    left, complete = ac, True
    for m in sorted(set(absences)):
        if m < 0:
            raise ParameterError.constraint("absences", "audit", "ints in [0, inf)", m)
        left, complete = patterns.under_absences(m, start=left, work=work)
        values[m], exact[m] = left, complete
    return Audit(
        rows=n,
        features=patterns.matrix.d,
        ac=ac,
        unique_share=float(np.count_nonzero(patterns.multiplicity == 1) / n),
        smallest_group=int(patterns.multiplicity.min()),
        ac_under_absences=values,
        absences_exact=exact,
    )


def row_containment(matrix: object, *, cap: int | None = None) -> npt.NDArray[np.int64]:
    """Return AC(e) of every row, up to `cap` where one is given (far quicker on large data)."""
    patterns = Patterns.of(matrix)
    if patterns.matrix.n == 0:
        return np.zeros(0, dtype=np.int64)
    limit = patterns.matrix.n if cap is None else cap
    return patterns.containment(limit)[patterns.of_row]


def dataset_containment(matrix: object) -> int:
    """Return AC(D): the largest k for which every row is k-anonymous by containment; 0 without rows."""
    patterns = Patterns.of(matrix)
    return patterns.smallest_maximal() if patterns.matrix.n else 0


def containment_group(matrix: object, row: int) -> npt.NDArray[np.intp]:
    """List the rows that hold everything the given row holds, itself included (Definition 5).

    >>> containment_group([[1, 0], [1, 1], [0, 1]], 0).tolist()
    [0, 1]
    """
    binary = as_binary(matrix)
    if not 0 <= row < binary.n:
        raise ParameterError.constraint("row", "containment_group", f"in [0, {binary.n})", row)
    features = binary.indices[binary.indptr[row] : binary.indptr[row + 1]]
    if len(features) == 0:
        return np.arange(binary.n)
    held = np.isin(binary.indices, features)
    sums = np.concatenate(([0], np.cumsum(held)))
    counts = sums[binary.indptr[1:]] - sums[binary.indptr[:-1]]
    return np.flatnonzero(counts == len(features))


def is_feasible(matrix: object, features: npt.ArrayLike, k: int) -> bool:
    """Return whether the matrix on these features is k-anonymous by containment."""
    return dataset_containment(as_binary(matrix).project(features)) >= k
