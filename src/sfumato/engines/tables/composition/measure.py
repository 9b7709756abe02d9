"""Measure releases of tables together, as figures."""

from __future__ import annotations

from ....core.composition.measure import joint_figures
from ....core.composition.records import CompositionRecord
from .people import CommonPeople, KnownPeople

__all__ = ["measure_composition"]


def measure_composition(earlier: KnownPeople, later: KnownPeople) -> CompositionRecord | None:
    """Measure two releases together; None where nobody is in both.

    Parameters
    ----------
    earlier, later : KnownPeople
        The people of the releases and their labels.

    """
    common = CommonPeople.of(earlier, later)
    if not len(common):
        return None
    return CompositionRecord(
        **joint_figures(common.sizes(), common.changed).model_dump(),
        earlier=earlier.name,
        only_earlier=len(common.first.groups) - len(common),
        only_later=len(common.second.groups) - len(common),
        shared_columns=len(set(earlier.shown) & set(later.shown)),
    )
