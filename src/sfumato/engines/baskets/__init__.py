"""Baskets: feature sets that are k-anonymous by containment, and what they are worth.

explore(matrix, labels)     the frontier over k and selectors
publish(exploration, …)     the projected matrix, audited again after it is written
audit(matrix)               AC, uniqueness and the AC under known absences
GreedyHamDist, …            the selectors, in scikit-learn's forms
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...core.engine import Progress
    from ...data.baskets import Baskets
    from .containment.audit import Audit, audit, dataset_containment, row_containment
    from .exploration import BasketsExploration
    from .records import BasketsCandidate, BasketsRelease
    from .selectors import (
        BestSelector,
        ExactSelector,
        GreedyDistCnt,
        GreedyHamDist,
        GreedyInformation,
        GreedySupport,
        MaximalSelector,
    )

_LAZY = {
    **dict.fromkeys(
        ("Audit", "audit", "dataset_containment", "row_containment"), "containment.audit"
    ),
    **dict.fromkeys(
        (
            "BestSelector",
            "ExactSelector",
            "GreedyDistCnt",
            "GreedyHamDist",
            "GreedyInformation",
            "GreedySupport",
            "MaximalSelector",
        ),
        "selectors",
    ),
}

__all__ = [
    "Audit",
    "BestSelector",
    "ExactSelector",
    "GreedyDistCnt",
    "GreedyHamDist",
    "GreedyInformation",
    "GreedySupport",
    "MaximalSelector",
    "audit",
    "dataset_containment",
    "explore",
    "load",
    "publish",
    "row_containment",
]


def explore(
    matrix: object,
    labels: object = None,
    *,
    progress: Progress | None = None,
    **request: object,
) -> BasketsExploration:
    """Find feature sets for each k and place them on the frontier.

    Parameters
    ----------
    matrix : path, baskets, scipy matrix, array or frame
        The 0/1 rows.
    labels : path, sequence or str, optional
        One of two classes per row; for a CSV also the name of a column.
    progress : callable, optional
        Called with the steps done since the last call.
    **request
        The options of `sfumato baskets explore`; `BasketsRequest` lists them.

    """
    from ...core.engine import no_progress
    from .engine import ENGINE
    from .request import BasketsRequest

    made = BasketsRequest.made(
        {"matrix": matrix, "labels": labels, **request}, owner="baskets.explore"
    )
    return ENGINE.explore(made, progress=progress or no_progress)


def publish(
    exploration: BasketsExploration,
    candidate: BasketsCandidate | str,
    matrix: object,
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    **options: object,
) -> BasketsRelease | Baskets:
    """Publish a matrix as a candidate says; the same as `exploration.publish`."""
    found: BasketsRelease | Baskets = exploration.publish(
        candidate, matrix, out=out, force=force, **options
    )
    return found


def load(folder: str | os.PathLike[str]) -> BasketsExploration:
    """Return the exploration that a folder holds."""
    from .exploration import BasketsExploration

    return BasketsExploration.load(Path(folder))


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    return __all__
