"""What exploring baskets returns: candidates that say everything publishing needs."""

from __future__ import annotations

from typing import ClassVar

from ...core.exploration import Exploration
from ...core.records import FrontierRecord
from .records import BasketsCandidate, BasketsFrontier

__all__ = ["BasketsExploration"]


class BasketsExploration(Exploration[BasketsFrontier, BasketsCandidate]):
    """A frontier of feature sets."""

    Record: ClassVar[type[FrontierRecord]] = BasketsFrontier

    def lines(self) -> list[str]:
        record = self.record
        head = ("id", "k", "AC", "features", "AUC", "unique")
        rows = [
            f"{record.rows:,} rows, {record.features_offered:,} features",
            (
                f"{head[0]:24} {head[1]:>4} {head[2]:>5} {head[3]:>8} {head[4]:>6}  {head[5]:>7}  "
                "AC with 1 absence known"
            ),
        ]
        rows += [
            f"{c.id:24} {c.k:>4} {c.ac:>5} {c.count:>8} {c.auc:6.3f}  {c.unique_share:7.1%}  "
            f"{c.ac_under_absences.get('1', '')}{' (dominated)' if c.dominated else ''}"
            for c in self.candidates
        ]
        rows += [
            f"{r.name:24} {'':>4} {r.ac:>5} {r.count:>8} {r.auc:6.3f}  {r.unique_share:7.1%}"
            for r in record.references
        ]
        return [*rows, record.warning]
