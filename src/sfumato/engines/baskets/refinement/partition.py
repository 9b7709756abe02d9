"""Rows grouped by their pattern on the features chosen so far, kept up to date feature by feature.

The incremental check: with S feasible, S ∪ {f} is feasible when, among the rows that hold f, each
pattern seen fewer than k times is a strict subset of one seen k times or more. A feature that is
rejected stays rejected as S grows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ....core.errors import ParameterError
from ..binary import BinaryMatrix, as_binary
from . import _kernels as kernels

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
        matrix: Any,
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
        self.positive = np.zeros(n, np.uint8) if positive is None else positive.astype(np.uint8)
        self.risky = np.zeros(d, dtype=bool)
        if absence_risky is not None:
            self.risky[np.asarray(absence_risky)] = True
        self.chosen: list[int] = []
        self.sizes = np.array([1, 0, 0], dtype=np.int64)  # groups, features, risky features
        self.perm = np.arange(n, dtype=np.int32)
        self.position = np.arange(n, dtype=np.int32)
        self.start = np.zeros(n, dtype=np.int32)
        self.length = np.zeros(n, dtype=np.int32)
        self.group = np.zeros(n, dtype=np.int32)
        self.size = np.zeros(n, dtype=np.int32)
        self.signature = np.zeros(n, dtype=np.uint64)
        self.risky_signature = np.zeros(n if self.risky.any() else 1, dtype=np.uint64)
        if len(self.risky_signature) < n:  # never read: one cell stands for all
            self.risky_signature = np.broadcast_to(self.risky_signature, (n,)).copy()
        self.positives = np.zeros(n, dtype=np.int32)
        if n:
            self.length[0] = n
            self.positives[0] = int(self.positive.sum())
        self.rank = np.full(d, -1, dtype=np.int32)
        self.count = np.zeros(n, dtype=np.int32)
        self.count_positive = np.zeros(n, dtype=np.int32)
        self.touched = np.empty(n, dtype=np.int32)
        self.high = np.empty(n, dtype=np.int32)

    # The order in which the kernels take the state.
    def _for_check(self) -> tuple[Any, ...]:
        return (
            self.sizes, self.perm, self.start, self.length, self.group, self.size, self.signature,
            self.risky_signature, self.matrix.indptr, self.matrix.indices, self.rank, self.risky,
            self.count, self.touched, self.high,
        )  # fmt: skip

    def _for_refine(self) -> tuple[Any, ...]:
        return (
            self.sizes, self.perm, self.position, self.start, self.length, self.group, self.size,
            self.signature, self.risky_signature, self.rank, self.risky, self.count, self.touched,
            self.positive, self.positives,
        )  # fmt: skip

    def _for_greedy(self) -> tuple[Any, ...]:
        return (
            self.sizes, self.perm, self.position, self.start, self.length, self.group, self.size,
            self.signature, self.risky_signature, self.matrix.indptr, self.matrix.indices,
            self.rank, self.risky, self.count, self.touched, self.high, self.positive,
            self.positives,
        )  # fmt: skip

    def _rows(self, feature: int) -> npt.NDArray[np.int32]:
        start, rows = self.matrix.columns
        return rows[start[feature] : start[feature + 1]]

    @property
    def groups(self) -> int:
        """How many distinct patterns there are."""
        return int(self.sizes[0])

    @property
    def unique_share(self) -> float:
        """Share of the rows that no other row equals on the chosen features."""
        return float(np.count_nonzero(self.length[: self.groups] == 1) / max(self.matrix.n, 1))

    def allows(self, feature: int) -> bool:
        """Say whether the chosen features stay feasible with one more."""
        if self.matrix.n < self.k:
            return False
        return bool(
            kernels.feasible(self._rows(feature), feature, self.k, self.mode, *self._for_check())
        )

    def force(self, feature: int) -> None:
        """Add a feature without a check."""
        if self.rank[feature] >= 0:
            return
        kernels.refine(self._rows(feature), feature, *self._for_refine())
        self.chosen.append(int(feature))

    def add(self, feature: int) -> bool:
        """Add a feature if the rows stay feasible; say whether it was added."""
        if self.rank[feature] >= 0:
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
            number, ended = kernels.greedy_ranked(
                part, 0, start, rows, self.k, self.mode, stop_first, kept, *self._for_greedy()
            )
            self.chosen += kept[:number].tolist()
            if ended < len(part):
                return False
            walked, step = walked + step, step * 4
        return True

    def add_by_pairs(
        self, gains: npt.NDArray[np.int64], *, stop_first: bool, most: int | None = None
    ) -> int:
        """Add the features that tell most pairs of unlike class apart; give the gains measured."""
        if self.matrix.n < self.k:
            return 0
        kept = np.empty(self.matrix.d, dtype=np.int32)
        number, evaluations = kernels.greedy_pairs(
            gains.copy(), *self.matrix.columns, self.k, self.mode, stop_first,
            self.matrix.d if most is None else most, kept, *self._for_greedy(), self.count_positive,
        )  # fmt: skip
        self.chosen += kept[:number].tolist()
        return int(evaluations)

    def gains(
        self, kind: int, alive: npt.NDArray[np.bool_], out: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Measure what each feature alive would take off the summed cost of the groups.

        Kind 0 is conditional entropy (in nats, times n), kind 1 the classification metric at k.
        """
        kernels.group_gains(
            kind, self.k, alive, *self.matrix.columns, self._xlogx(), self.group, self.length,
            self.positive, self.positives, self.count, self.count_positive, self.touched, out,
        )  # fmt: skip
        return out

    def _xlogx(self) -> npt.NDArray[np.float64]:
        if not hasattr(self, "_table"):
            x = np.arange(self.matrix.n + 1, dtype=np.float64)
            self._table = x * np.log(np.maximum(x, 1.0))
        return self._table
