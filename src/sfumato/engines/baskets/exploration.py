"""What exploring baskets returns: candidates that say everything publishing needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from ...core.exploration import Exploration
from ...core.records import FrontierRecord
from .records import BasketsCandidate, BasketsFrontier

if TYPE_CHECKING:
    from .shift import ExploredColumns

__all__ = ["BasketsExploration"]


class BasketsExploration(Exploration[BasketsFrontier, BasketsCandidate]):
    """A frontier of releases: feature sets, single cells, whole rows."""

    Record: ClassVar[type[FrontierRecord]] = BasketsFrontier

    def __init__(self, record: BasketsFrontier, columns: ExploredColumns) -> None:
        super().__init__(record)
        self.columns = columns

    def save_payload(self, folder: Path) -> None:
        """Write what new rows are compared with."""
        self.columns.save(folder)

    @classmethod
    def load_payload(cls, folder: Path, record: FrontierRecord) -> Self:
        """Build the exploration from its record and what `save_payload` wrote."""
        from .shift import ExploredColumns

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
