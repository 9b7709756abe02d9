"""Baskets: feature sets that are k-anonymous by containment, and their utility.

matrix/       rows of 0 and 1, grouped and targeted
containment/  how many rows hold everything that a row holds
cells/        suppressing single cells
disclosure/   what rows give away: to knowledge, to inference
measures/     what a release keeps
selectors/    which columns to publish, in scikit-learn's forms
methods/      columns, cells, rows, and their combinations
frontier/, attack/, release/, story/   from a matrix to candidates, to an attack, to a release, to a report

`sfumato.baskets` is the way in; classes are imported from here when they are first used. PAPER.md maps the
paper to functions and tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._lazy import lazy_names

if TYPE_CHECKING:
    from .containment.audit import Audit, dataset_containment, row_containment
    from .selectors import (
        BestSelector,
        ExactSelector,
        GreedyDistCnt,
        GreedyHamDist,
        GreedyInformation,
        GreedySupport,
        MaximalSelector,
    )

_HOME = {
    "Audit": "containment.audit",
    "BestSelector": "selectors",
    "ExactSelector": "selectors",
    "GreedyDistCnt": "selectors",
    "GreedyHamDist": "selectors",
    "GreedyInformation": "selectors",
    "GreedySupport": "selectors",
    "MaximalSelector": "selectors",
    "dataset_containment": "containment.audit",
    "row_containment": "containment.audit",
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
    "dataset_containment",
    "row_containment",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
