"""What exploring baskets returns: candidates that say everything publishing needs."""

from __future__ import annotations

from typing import ClassVar

from ...core.exploration import Exploration
from ...core.records import FrontierRecord
from .records import BasketsCandidate, BasketsFrontier

__all__ = ["BasketsExploration"]


class BasketsExploration(Exploration[BasketsFrontier, BasketsCandidate]):
    """A frontier of releases: feature sets, single cells, whole rows."""

    Record: ClassVar[type[FrontierRecord]] = BasketsFrontier

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
