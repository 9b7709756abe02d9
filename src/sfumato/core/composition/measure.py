"""Figures of the groups of two releases."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .joint import Codes, JointSizes
from .records import JointFigures, JointRisk

__all__ = ["joint_figures", "risk_of"]

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


def joint_figures(sizes: JointSizes, changed: npt.NDArray[np.bool_]) -> JointFigures:
    """Return the figures of those who are in two releases.

    Parameters
    ----------
    sizes : JointSizes
        The sizes of their groups.
    changed : array of bool
        Of whom the two releases show different things.

    """
    of_changed = sizes.linked[changed]
    return JointFigures(
        people=len(sizes.linked),
        first=risk_of(sizes.first),
        second=risk_of(sizes.second),
        unlinked=risk_of(sizes.unlinked),
        linked=risk_of(sizes.linked),
        changed=float(np.mean(changed)) if len(changed) else 0.0,
        changed_below=float(np.mean(of_changed < _FEW)) if len(of_changed) else 0.0,
        changed_alone=float(np.mean(of_changed == 1)) if len(of_changed) else 0.0,
    )
