"""Measure releases of the same people together, as figures."""

from __future__ import annotations

import numpy as np

from ..attack_records import CompositionRecord, JointRisk
from .joint import Codes
from .people import CommonPeople, KnownPeople

__all__ = ["measure_composition", "risk_of"]

_FEW = 11


def risk_of(sizes: Codes) -> JointRisk:
    """Return the figures of the group sizes of people."""
    if not len(sizes):
        return JointRisk(k=0, below=0.0, unique=0.0, average=0.0)
    return JointRisk(
        k=int(sizes.min()),
        below=float(np.mean(sizes < _FEW)),
        unique=float(np.mean(sizes == 1)),
        average=float(np.mean(1.0 / sizes)),
    )


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
    sizes = common.sizes()
    changed = common.changed
    of_changed = sizes.linked[changed]
    return CompositionRecord(
        earlier=earlier.name,
        people=len(common),
        only_earlier=len(common.first.groups) - len(common),
        only_later=len(common.second.groups) - len(common),
        first=risk_of(sizes.first),
        second=risk_of(sizes.second),
        unlinked=risk_of(sizes.unlinked),
        linked=risk_of(sizes.linked),
        changed=float(np.mean(changed)),
        changed_below=float(np.mean(of_changed < _FEW)) if changed.any() else 0.0,
        changed_alone=float(np.mean(of_changed == 1)) if changed.any() else 0.0,
        shared_columns=len(set(earlier.shown) & set(later.shown)),
    )
