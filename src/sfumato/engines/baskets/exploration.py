"""The result of exploring baskets: candidates with everything that publishing needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, ClassVar, Self

from ...core.dominance import mark_dominated
from ...core.exploration import Exploration
from ...core.frontier import Frontier
from ...core.records import FrontierRecord
from .records import BasketsCandidate, BasketsFrontier

if TYPE_CHECKING:
    from .measures.shift import ExploredColumns

__all__ = ["BasketsExploration"]


def _better(one: BasketsCandidate, other: BasketsCandidate) -> bool:
    """Return whether the AUC of one candidate is higher than another's by more than noise.

    Noise is the standard error of the mean difference over the folds that both were scored on, widened
    for the overlap of training folds (Nadeau and Bengio).
    """
    folds = len(one.auc_by_fold)
    if folds < 2 or folds != len(other.auc_by_fold):
        return one.utility.value > other.utility.value
    gaps = [a - b for a, b in zip(one.auc_by_fold, other.auc_by_fold, strict=True)]
    noise = stdev(gaps) * math.sqrt(1 / folds + 1 / (folds - 1))
    return fmean(gaps) > noise


def _complexity(candidate: BasketsCandidate) -> tuple[bool, int, float, str]:
    """Order candidates from the simplest: whole columns first, then by the number of features."""
    whole = candidate.publish_as == "columns"
    return not whole, candidate.count, -candidate.utility.value, candidate.id


class BasketsExploration(Exploration[BasketsFrontier, BasketsCandidate]):
    """A frontier of releases: feature sets, single cells, whole rows."""

    Record: ClassVar[type[FrontierRecord]] = BasketsFrontier

    @classmethod
    def mark_dominated(
        cls, candidates: Sequence[BasketsCandidate]
    ) -> tuple[tuple[BasketsCandidate, ...], float]:
        """Place candidates; where utility is an AUC, differences within noise do not decide.

        Of the candidates of one k that do not differ significantly from the best of that k the simplest stays, and a
        k with more risk only where it is better beyond noise than every safer one that stays.
        """
        marked, area = mark_dominated(candidates)
        if not all(c.auc_by_fold and c.auc == c.utility.value for c in marked):
            return marked, area
        stay: list[BasketsCandidate] = []
        for k in sorted({c.k for c in marked}, reverse=True):
            of_k = [c for c in marked if c.k == k]
            best = max(of_k, key=lambda c: (c.utility.value, c.id))
            winner = min((c for c in of_k if not _better(best, c)), key=_complexity)
            if all(_better(winner, c) for c in stay):
                stay.append(winner)
        ids = {c.id for c in stay}
        frontier: Frontier[str] = Frontier()
        for c in stay:
            frontier.insert(c.risk.value, c.utility.value, c.id)
        found = tuple(c.model_copy(update={"dominated": c.id not in ids}) for c in marked)
        return found, frontier.area()

    def __init__(self, record: BasketsFrontier, columns: ExploredColumns) -> None:
        super().__init__(record)
        self.columns = columns

    def save_payload(self, folder: Path) -> None:
        """Write what new rows are compared with."""
        self.columns.save(folder)

    @classmethod
    def load_payload(cls, folder: Path, record: FrontierRecord) -> Self:
        """Build the exploration from its record and what `save_payload` wrote."""
        from .measures.shift import ExploredColumns

        assert isinstance(record, BasketsFrontier)
        return cls(record, ExploredColumns.load(folder))

    def lines(self) -> list[str]:
        record = self.record
        name = record.utility
        head = (
            f"{'id':28} {'k':>4} {'rows left':>9} {'AC':>5} {'features':>8} {'ones':>6} {name:>10}  "
            f"{'unique':>7}"
        )
        rows = [f"{record.rows:,} rows, {record.features_offered:,} features", record.promise, head]
        rows += [
            f"{c.id:28} {c.k:>4} {c.promised:>9} {c.ac:>5} {c.count:>8} "
            f"{c.ones / max(record.ones, 1):6.1%} {c.utility.value:10.3f}  {c.unique_share:7.1%}"
            f"{' (dominated)' if c.dominated else ''}"
            for c in self.candidates
        ]
        rows += [
            f"{r.name:28} {'':>4} {'':>9} {r.ac:>5} {r.count:>8} {'100.0%':>6} {r.utility.value:10.3f}  "
            f"{r.unique_share:7.1%}"
            for r in record.references
        ]
        return [*rows, record.warning]
