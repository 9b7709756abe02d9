"""A selector of the baskets engine: keeps the first three features that the greedy test accepts."""

from sfumato.engines.baskets.selectors.base import ContainmentSelector
from sfumato.engines.baskets.selectors.greedy import GreedyHamDist


class FirstThree(ContainmentSelector):
    def __init__(self, k=5, *, binarize=None):
        self.k, self.binarize = k, binarize

    def _select(self, rows, positive):
        return GreedyHamDist(self.k).fit(rows, positive).selected_[:3]
