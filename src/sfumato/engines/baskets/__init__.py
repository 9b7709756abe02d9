"""Baskets: feature sets that are k-anonymous by containment, and what they are worth.

explore(matrix, labels=…)   the frontier over k and selectors
publish(…)                  the projected matrix, audited again after it is written
audit(matrix)               AC, uniqueness and the AC under known absences
GreedyHamDist, …            the selectors, in scikit-learn's forms
"""

from .containment import Audit, audit, dataset_containment, row_containment
from .engine import explore, load_exploration, publish
from .selectors import (
    BestSelector,
    ExactSelector,
    GreedyDistCnt,
    GreedyHamDist,
    GreedyInformation,
    MaximalSelector,
)

__all__ = [
    "Audit",
    "BestSelector",
    "ExactSelector",
    "GreedyDistCnt",
    "GreedyHamDist",
    "GreedyInformation",
    "MaximalSelector",
    "audit",
    "dataset_containment",
    "explore",
    "load_exploration",
    "publish",
    "row_containment",
]
