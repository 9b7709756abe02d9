"""A risk of the tables engine: the share of records that stand alone in their group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.engines.tables.registry import RISKS


@dataclass(frozen=True)
class LoneShare:
    cells: object
    name: ClassVar[str] = "lone"
    rises: ClassVar[bool] = False

    @classmethod
    def of(cls, context):
        return cls(context.cells)

    def __call__(self, bits):
        return RISKS["small-groups"](self.cells, 2)(bits)

    @classmethod
    def on_groups(cls, groups):
        return float((groups.count == 1).sum()) / int(groups.count.sum())
