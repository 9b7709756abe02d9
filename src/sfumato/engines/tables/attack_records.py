"""attack.json of the tables engine: what releases reveal together."""

from __future__ import annotations

from ...core.composition.records import CompositionRecord
from ...core.records import AttackRecord

__all__ = ["TablesAttack"]


class TablesAttack(AttackRecord):
    """attack.json of the tables engine."""

    compositions: tuple[CompositionRecord, ...]
