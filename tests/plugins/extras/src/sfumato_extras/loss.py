"""A loss of the tables engine: the share of the distinct rows that are told apart no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class GroupsLost:
    cells: object
    name: ClassVar[str] = "groups-lost"
    rises: ClassVar[bool] = True

    @classmethod
    def of(cls, context):
        return cls(context.cells)

    def __call__(self, bits):
        return 1.0 - self.cells.measure(bits).groups / self.cells.occupied

    @classmethod
    def on_groups(cls, groups):
        return 1.0 - groups.count.size / groups.original.size
