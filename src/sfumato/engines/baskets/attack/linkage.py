"""Attacks on a release: someone knows a few items of a person and looks for the row.

The attacker takes the rows that hold most of what is known and guesses one of them. The known items are
drawn at random, or are the person's most popular or rarest ones; absences can be known as well. The same
attack links two releases: what is known is then the person's row in the other release.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....core.randomness import Streams
from ..matrix.binary import BinaryMatrix
from ..records import Finding
from ._kernels import best_fits

__all__ = ["KINDS", "Attackers", "link", "sample_people"]

KINDS = ("random", "popular", "rarest")


def sample_people(matrix: BinaryMatrix, many: int, seed: int) -> npt.NDArray[np.int64]:
    """Draw people who have at least one item, without repetition."""
    held = np.flatnonzero(np.diff(matrix.indptr))
    rng = Streams(seed).generator("attack people")
    return np.sort(rng.permutation(held)[:many]).astype(np.int64)


class Attackers:
    """Attackers of every kind: what each knows of whom, and how often each is right on the original.

    Parameters
    ----------
    original : BinaryMatrix
        The rows before publishing.
    people : array of int
        The rows of the people who are looked for.
    items : sequence of int or None
        Numbers of known items; None for all of them.
    absences : sequence of int
        Numbers of known absences.
    seed : int
        Seed of what is known.

    """

    def __init__(
        self,
        original: BinaryMatrix,
        people: npt.NDArray[np.int64],
        *,
        items: Sequence[int | None] = (1, 2, 5, None),
        absences: Sequence[int] = (0,),
        seed: int = 0,
    ) -> None:
        self._people = people
        everyone = np.ones(original.n, dtype=bool)
        lacking = {many: _known_absences(original, people, many, seed) for many in absences}
        self._attackers = []
        for many in items:
            for kind in KINDS if many is not None else ("all",):
                known = _known_items(original, people, many, kind, seed)
                for absent in absences:
                    before = _chances(original, everyone, people, known, lacking[absent])
                    self._attackers.append((kind, many, absent, known, lacking[absent], before))

    def on(self, published: BinaryMatrix, rows: npt.NDArray[np.bool_]) -> tuple[Finding, ...]:
        """Attack a release.

        Parameters
        ----------
        published : BinaryMatrix
            Rows of the same shape and order as the original.
        rows : array of bool
            Which rows were published at all.

        """
        return tuple(
            _finding(
                kind, many, absent, before, _chances(published, rows, self._people, known, lacking)
            )
            for kind, many, absent, known, lacking, before in self._attackers
        )


def link(
    first: BinaryMatrix,
    second: BinaryMatrix,
    rows: npt.NDArray[np.bool_],
    *,
    people: npt.NDArray[np.int64],
) -> Finding:
    """Look for the people of one release in another of the same people, by all that the first shows."""
    nothing = np.zeros(len(people) + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    known = _known_items(first, people, None, "all", 0)
    everyone = np.ones(first.n, dtype=bool)
    before = _chances(first, everyone, people, known, nothing)
    return _finding("linkage", None, 0, before, _chances(second, rows, people, known, nothing))


Known = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]
Chances = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]


def _known_items(
    matrix: BinaryMatrix, people: npt.NDArray[np.int64], many: int | None, kind: str, seed: int
) -> Known:
    rng = Streams(seed).generator(f"attack {kind} {many}")
    picked = []
    for r in people:
        held = matrix.indices[matrix.indptr[r] : matrix.indptr[r + 1]]
        if many is not None and len(held) > many:
            if kind == "random":
                held = rng.choice(held, many, replace=False)
            else:
                order = np.argsort(matrix.supports[held], kind="stable")
                held = held[order[:many] if kind == "rarest" else order[::-1][:many]]
        picked.append(held)
    return _flat(picked)


def _known_absences(
    matrix: BinaryMatrix, people: npt.NDArray[np.int64], many: int, seed: int
) -> Known:
    """Draw items that the person lacks, popular ones first: those whose absence says most."""
    if many == 0:
        return _flat([np.zeros(0, dtype=np.int32)] * len(people))
    rng = Streams(seed).generator(f"attack absences {many}")
    popular = np.argsort(-matrix.supports, kind="stable")[: max(50, 5 * many)].astype(np.int32)
    picked = []
    for r in people:
        held = matrix.indices[matrix.indptr[r] : matrix.indptr[r + 1]]
        lacking = popular[~np.isin(popular, held)]
        picked.append(rng.permutation(lacking)[:many])
    return _flat(picked)


def _flat(picked: Sequence[npt.NDArray[np.int32]]) -> Known:
    ends = np.concatenate(([0], np.cumsum([len(p) for p in picked]))).astype(np.int64)
    flat = np.concatenate(picked) if picked else np.zeros(0, dtype=np.int32)
    return ends, flat.astype(np.int32)


def _chances(
    matrix: BinaryMatrix,
    rows: npt.NDArray[np.bool_],
    people: npt.NDArray[np.int64],
    known: Known,
    lacking: Known,
) -> Chances:
    count, own = best_fits(*matrix.columns, rows, people, *known, *lacking)
    return np.where(own, 1.0 / np.maximum(count, 1), 0.0), count


def _finding(kind: str, many: int | None, absent: int, before: Chances, after: Chances) -> Finding:
    def mean(chances: Chances) -> tuple[float, float, float]:
        value = float(chances[0].mean()) if len(chances[0]) else 0.0
        spread = float(chances[0].std(ddof=1)) if len(chances[0]) > 1 else 0.0
        half = 1.96 * spread / max(len(chances[0]), 1) ** 0.5
        return value, max(0.0, value - half), min(1.0, value + half)

    value, low, high = mean(after)
    return Finding(
        attacker=kind,
        items=many,
        absences=absent,
        people=len(after[0]),
        before=mean(before)[0],
        after=value,
        after_interval=(min(low, value), max(high, value)),
        highest=float(after[0].max(initial=0.0)),
        rows_before=float(np.median(before[1])) if len(before[1]) else 0.0,
        rows_after=float(np.median(after[1])) if len(after[1]) else 0.0,
    )
