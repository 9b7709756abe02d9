"""What a measure of a policy is: a function of its cells, on either axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from sfumato.engines.tables.contingency.cells import Joint

from ..contingency.cells import Bits, Cells

__all__ = ["Context", "Measure"]


@dataclass(frozen=True)
class Context:
    """What a measure may need: the cells, the group size of `small-groups`, the counts of a target column."""

    cells: Cells
    k: int = 5
    target: Joint | None = None


@runtime_checkable
class Measure(Protocol):
    """What a search asks of a measure: its name, its direction along generalisation, its value.

    A measure of another package also has a class method `on_groups(groups: PublishedGroups)`, by
    which publishing measures the written file again, knowing nothing of the search.
    """

    name: ClassVar[str]
    rises: ClassVar[bool]

    @classmethod
    def of(cls, context: Context) -> Measure:
        """Build the measure for a table."""
        ...

    def __call__(self, bits: Bits) -> float:
        """Measure a policy."""
        ...
