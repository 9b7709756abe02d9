"""Feature selectors whose answer is k-anonymous by containment, in scikit-learn's forms."""

from .base import ContainmentSelector
from .best import BestSelector
from .exact import ExactSelector, feasible_sets, maximal_feasible_sets, maximal_frequent_sets
from .greedy import GreedyDistCnt, GreedyHamDist, GreedyInformation, GreedySupport
from .maximal import MaximalSelector

__all__ = [
    "BestSelector",
    "ContainmentSelector",
    "ExactSelector",
    "GreedyDistCnt",
    "GreedyHamDist",
    "GreedyInformation",
    "GreedySupport",
    "MaximalSelector",
    "feasible_sets",
    "maximal_feasible_sets",
    "maximal_frequent_sets",
]
