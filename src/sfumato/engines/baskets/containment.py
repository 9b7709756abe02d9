"""k-anonymity by containment: how many rows hold everything that a row holds.

The audit rests on one lemma: the AC of a dataset is the smallest multiplicity of a row pattern that no
other pattern contains. AC speaks of attackers who know what a person HAS; `audit` therefore always
reports exact-match uniqueness and the AC under known absences beside it.

>>> toy = [[1,0,1,0,1], [1,0,1,0,1], [1,0,0,1,1], [1,0,1,0,1], [1,1,1,0,1], [1,1,0,1,1]]
>>> row_containment(toy).tolist()
[4, 4, 2, 4, 1, 1]
>>> dataset_containment(toy)
1
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from ...compute.local import Local
from ...compute.protocol import Compute
from ...core.errors import ParameterError
from . import _kernels as kernels
from ._absence_kernels import absences as fewest_rows
from ._kernels import Covers
from .binary import BinaryMatrix, as_binary

__all__ = [
    "Audit",
    "AuditFields",
    "Patterns",
    "audit",
    "containment_group",
    "dataset_containment",
    "is_feasible",
    "row_containment",
]

_WORK = 200_000_000  # steps after which the search for telling absences gives a bound only


@dataclass(frozen=True)
class Patterns:
    """The distinct rows of a matrix, with what is needed to find what contains what."""

    matrix: BinaryMatrix
    of_row: npt.NDArray[np.int32]
    representative: npt.NDArray[np.int32]
    multiplicity: npt.NDArray[np.int32]

    @classmethod
    def of(cls, matrix: object) -> Patterns:
        binary = as_binary(matrix)
        return cls(binary, *kernels.distinct_rows(binary.indptr, binary.indices))

    @classmethod
    def counted(cls, matrix: object, compute: Compute) -> Patterns:
        """Count the distinct rows on an engine; in the order of their content, as `in_order` gives.

        Where each row went is not known, so `of_row` is empty.
        """
        binary = as_binary(matrix)
        if compute.name == "local":
            return cls.of(binary).in_order()
        import pyarrow as pa

        ends = pa.array(4 * binary.indptr, pa.int64())
        raw = pa.py_buffer(np.ascontiguousarray(binary.indices, "<i4"))
        rows = pa.Array.from_buffers(pa.large_binary(), binary.n, [None, ends.buffers()[1], raw])
        found = compute.count_groups(pa.table({"row": rows}), ["row"])
        rows = found.column("row").combine_chunks().cast(pa.large_binary())
        bounds = np.frombuffer(rows.buffers()[1], np.int64)[: len(rows) + 1]
        indices = np.frombuffer(b"".join(rows.to_pylist()), "<i4").astype(np.int32)
        distinct = BinaryMatrix((bounds - bounds[0]) // 4, indices, binary.d)
        multiplicity = found.column("count").to_numpy().astype(np.int32)
        everyone = np.arange(distinct.n, dtype=np.int32)
        return cls(distinct, np.zeros(0, np.int32), everyone, multiplicity).in_order()

    def in_order(self) -> Patterns:
        """Order the patterns by their content: a search that stops early then stops alike for all."""
        m = self.matrix
        order = np.argsort(
            kernels.row_hashes(m.indptr, m.indices, self.representative), kind="stable"
        )
        return Patterns(
            m, np.zeros(0, np.int32), self.representative[order], self.multiplicity[order]
        )

    @property
    def rows(self) -> int:
        """How many rows there are, all patterns together."""
        return int(self.multiplicity.sum())

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many features each pattern holds."""
        return np.diff(self.matrix.indptr)[self.representative]

    @cached_property
    def _signatures(self) -> npt.NDArray[np.uint64]:
        m = self.matrix
        found: npt.NDArray[np.uint64] = kernels.signatures(
            m.indptr, m.indices, self.representative, m.d <= 64
        )
        return found

    def _covers(self, wanted: npt.NDArray[np.bool_]) -> Covers:
        """Lay the patterns out so that the supersets of the wanted ones are found."""
        m = self.matrix
        order = kernels.by_size_descending(self.sizes)
        postings = kernels.postings_of_anchors(
            m.indptr, m.indices, self.representative, order, wanted, m.d
        )
        return Covers(
            m.indptr, m.indices, self.representative, self.multiplicity, self.sizes,
            self._signatures, m.d <= 64, *postings,
        )  # fmt: skip

    def smallest_maximal(self) -> int:
        """Return the smallest multiplicity of an inclusion-maximal pattern: the AC of the dataset."""
        largest = self.sizes == self.sizes.max()
        bound = int(self.multiplicity[largest].min())  # a largest pattern is always maximal
        wanted = self.multiplicity < bound
        if not wanted.any():
            return bound
        m = self.matrix
        suspects = np.flatnonzero(wanted)
        # the largest of the repeated patterns lie above most others: settle those first
        tops = np.flatnonzero(self.multiplicity > 1)
        tops = tops[np.argsort(-self.sizes[tops], kind="stable")[:48]]
        suspects = kernels.not_under(
            suspects, tops, self.sizes, self.representative, m.indptr, m.indices, m.d
        )
        if len(suspects) == 0:
            return bound
        wanted[:] = False
        wanted[suspects] = True
        # of equal multiplicity the largest first: it is the likeliest to be maximal
        suspects = suspects[np.lexsort((-self.sizes[suspects], self.multiplicity[suspects]))]
        found = kernels.first_maximal(suspects, self._covers(wanted))
        return bound if found < 0 else int(self.multiplicity[found])

    def containment(self, cap: int) -> npt.NDArray[np.int64]:
        """Count for each pattern the rows that contain it, up to `cap`."""
        wanted = self.multiplicity < cap
        counted: npt.NDArray[np.int64] = kernels.capped_containment(
            cap, self.matrix.n, self._covers(wanted)
        )
        return counted

    def under_absences(self, m: int, *, start: int, work: int = _WORK) -> tuple[int, bool]:
        """Return the fewest rows left to one who knows all presences and m absences of a person.

        The second value says whether the search was complete; if not, the figure is one that an
        attacker reaches, and a better attacker may reach less.
        """
        floor = int(self.multiplicity.min())
        if start <= floor or m == 0:
            return start, True
        order = np.lexsort((-self.sizes, self.multiplicity))
        covers = self._covers(np.ones(len(order), dtype=bool))
        value, complete = fewest_rows(order, m, self.matrix.d, covers, floor, start, work)
        return int(value), bool(complete)


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
    """What a release gives away, measured on the released rows themselves.

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
    """Measure AC, uniqueness and the AC under known absences of a matrix as it stands.

    Its distinct rows are counted here, or by the engine given.

    >>> audit([[1, 1], [1, 0], [1, 1]]).ac, audit([[1, 1], [1, 0], [1, 1]]).ac_under_absences
    (2, {1: 1, 2: 1})
    """
    rows = as_binary(matrix)
    if rows.n == 0:
        return Audit(0, rows.d, 0, 0.0, 0)
    patterns = Patterns.counted(rows, Local() if compute is None else compute)
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
