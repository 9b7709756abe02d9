"""Rows grouped by their pattern on the features chosen so far, kept up to date feature by feature.

The incremental check: with S feasible, S ∪ {f} is feasible when, among the rows that hold f, each
pattern seen fewer than k times is a strict subset of one seen k times or more. A feature that is
rejected stays rejected as S grows.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....core.errors import ParameterError
from . import _gain_kernels as greedy
from ._partition_kernels import PartitionState, feasible, refine
from .binary import BinaryMatrix, as_binary

__all__ = ["Partition"]


class Partition:
    """The state of a selection.

    `absence_risky` flags features whose absence an attacker may know: there, rows must agree. With
    every feature flagged, containment becomes plain k-anonymity; `plain=True` is the quick way to it.

    >>> toy = [[1,0,1,0,1], [1,0,1,0,1], [1,0,0,1,1], [1,0,1,0,1], [1,1,1,0,1], [1,1,0,1,1]]
    >>> partition = Partition(toy, k=2)
    >>> partition.add(0), partition.add(1), partition.add(2)
    (True, True, False)
    >>> partition.chosen
    [0, 1]
    """

    def __init__(
        self,
        matrix: object,
        *,
        k: int,
        positive: npt.NDArray[np.bool_] | None = None,
        absence_risky: npt.ArrayLike | None = None,
        plain: bool = False,
    ) -> None:
        self.matrix: BinaryMatrix = as_binary(matrix)
        n, d = self.matrix.shape
        if k < 1:
            raise ParameterError.constraint("k", "Partition", "an int in [1, inf)", k)
        self.k = k
        self.mode = 1 if plain else 0
        risky = np.zeros(d, dtype=bool)
        if absence_risky is not None:
            risky[np.asarray(absence_risky)] = True
        self.chosen: list[int] = []
        self._groups = PartitionState(
            sizes=np.array([1, 0, 0], dtype=np.int64),
            indptr=self.matrix.indptr,
            indices=self.matrix.indices,
            rank=np.full(d, -1, dtype=np.int32),
            risky=risky,
            positive=np.zeros(n, np.uint8) if positive is None else positive.astype(np.uint8),
            perm=np.arange(n, dtype=np.int32),
            position=np.arange(n, dtype=np.int32),
            group=np.zeros(n, dtype=np.int32),
            start=np.zeros(n, dtype=np.int32),
            length=np.zeros(n, dtype=np.int32),
            size=np.zeros(n, dtype=np.int32),
            signature=np.zeros(n, dtype=np.uint64),
            risky_signature=np.zeros(n, dtype=np.uint64),
            positives=np.zeros(n, dtype=np.int32),
            counted=np.zeros(n, dtype=np.int32),
            counted_positive=np.zeros(n, dtype=np.int32),
            touched=np.empty(n, dtype=np.int32),
            high=np.empty(n, dtype=np.int32),
        )
        if n:
            self._groups.length[0] = n
            self._groups.positives[0] = int(self._groups.positive.sum())

    def _rows(self, feature: int) -> npt.NDArray[np.int32]:
        start, rows = self.matrix.columns
        return rows[start[feature] : start[feature + 1]]

    @property
    def groups(self) -> int:
        """How many distinct patterns there are."""
        return int(self._groups.sizes[0])

    @property
    def unique_share(self) -> float:
        """Share of the rows that no other row equals on the chosen features."""
        return float(
            np.count_nonzero(self._groups.length[: self.groups] == 1) / max(self.matrix.n, 1)
        )

    def allows(self, feature: int) -> bool:
        """Return whether the chosen features stay feasible with one more."""
        if self.matrix.n < self.k:
            return False
        return bool(feasible(self._rows(feature), feature, self.k, self.mode, self._groups))

    def force(self, feature: int) -> None:
        """Add a feature without a check."""
        if self._groups.rank[feature] >= 0:
            return
        refine(self._rows(feature), feature, self._groups)
        self.chosen.append(int(feature))

    def add(self, feature: int) -> bool:
        """Add a feature if the rows stay feasible; say whether it was added."""
        if self._groups.rank[feature] >= 0:
            return True
        if not self.allows(feature):
            return False
        self.force(feature)
        return True

    def add_ranked(self, order: npt.NDArray[np.int32], *, stop_first: bool) -> bool:
        """Walk features in a fixed order and keep what is feasible; False when a stop was met.

        Only the columns that are walked are transposed: a walk that stops early stays cheap.
        """
        if self.matrix.n < self.k:
            return False
        walked, step = 0, 16 if stop_first else len(order)
        while walked < len(order):
            part = order[walked : walked + step]
            start, rows = self.matrix.columns_of(part)
            kept = np.empty(len(part), dtype=np.int32)
            number, ended = greedy.choose_in_order(
                part, start, rows, self.k, self.mode, stop_first, kept, self._groups
            )
            self.chosen += kept[:number].tolist()
            if ended < len(part):
                return False
            walked, step = walked + step, step * 4
        return True

    def add_by_pairs(
        self, gains: npt.NDArray[np.int64], *, stop_first: bool, most: int | None = None
    ) -> int:
        """Add the features that separate most pairs of unlike class; return the gains measured."""
        if self.matrix.n < self.k:
            return 0
        kept = np.empty(self.matrix.d, dtype=np.int32)
        number, evaluations = greedy.by_pairs(
            gains.copy(), *self.matrix.columns, self.k, self.mode, stop_first,
            self.matrix.d if most is None else most, kept, self._groups,
        )  # fmt: skip
        self.chosen += kept[:number].tolist()
        return int(evaluations)

    def gains(
        self, kind: int, alive: npt.NDArray[np.bool_], out: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Measure what each feature alive would take off the summed cost of the groups.

        Kind 0 is conditional entropy (in nats, times n), kind 1 the classification metric at k.
        """
        greedy.group_gains(
            kind, self.k, alive, *self.matrix.columns, self._xlogx(), self._groups, out
        )
        return out

    def _xlogx(self) -> npt.NDArray[np.float64]:
        if not hasattr(self, "_table"):
            x = np.arange(self.matrix.n + 1, dtype=np.float64)
            self._table = x * np.log(np.maximum(x, 1.0))
        return self._table
