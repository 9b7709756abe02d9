"""The distinct rows of a matrix, and how often each occurs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ....compute.protocol import Compute
from ..matrix.binary import BinaryMatrix, as_binary
from . import _kernels as kernels
from ._absence_kernels import absences as fewest_rows
from ._kernels import Covers

__all__ = ["Patterns"]


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
    def count(cls, matrix: object, compute: Compute) -> Patterns:
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

    def covers(self) -> Covers:
        """Lay the patterns out so that the supersets of each are found."""
        return self._covers(np.ones(len(self.representative), np.bool_))

    def smallest_maximal(self) -> int:
        """Return the smallest multiplicity of an inclusion-maximal pattern: the AC of the dataset."""
        largest = self.sizes == self.sizes.max()
        bound = int(self.multiplicity[largest].min())  # a largest pattern is always maximal
        wanted = self.multiplicity < bound
        if not wanted.any():
            return bound
        m = self.matrix
        suspects = np.flatnonzero(wanted)
        # the largest of the repeated patterns are above most others: settle those first
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
        covers = self.covers()
        value, complete = fewest_rows(order, m, self.matrix.d, covers, floor, start, work)
        return int(value), bool(complete)
