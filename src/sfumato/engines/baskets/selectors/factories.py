"""Entries of the registry of selectors: how each one is made, and where it cannot run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..matrix.binary import BinaryMatrix
from .base import ContainmentSelector
from .best import BestSelector
from .exact import MOST_FEATURES, ExactSelector
from .greedy import GreedyDistCnt, GreedyHamDist, GreedyInformation, GreedySupport
from .maximal import MaximalSelector

__all__ = ["SelectorFactory"]

_LARGE = 2_000_000  # ones beyond which a search over many sets is no longer a matter of minutes


@dataclass(frozen=True)
class SelectorFactory:
    """A selector that can be asked for by name.

    Parameters
    ----------
    make : callable
        Returns an unfitted selector from k, the stopping rule and a seed.
    takes_flags : bool
        Whether features can be flagged as risky by absence.
    needs_labels : bool
        Whether the choice depends on a class.
    max_features, max_ones : int, optional
        The largest matrix it runs on.

    """

    make: Callable[[int, str, int], ContainmentSelector]
    takes_flags: bool = False
    needs_labels: bool = True
    max_features: int | None = None
    max_ones: int | None = None

    @classmethod
    def of(cls, entry: object) -> object:
        """Return the offer of a bare selector class; anything else is returned unchanged.

        The class is made with what its constructor takes of k, the stopping rule and a seed.
        """
        if not (isinstance(entry, type) and issubclass(entry, ContainmentSelector)):
            return entry
        takes = set(entry._get_param_names())  # noqa: SLF001 (scikit-learn has no public name for it)

        def make(k: int, stop: str, seed: int) -> ContainmentSelector:
            given = {"k": k, "stop": stop, "random_state": seed}
            made: ContainmentSelector = entry(**{n: v for n, v in given.items() if n in takes})
            return made

        return cls(make, takes_flags="absence_risky" in takes)

    def refusal(self, matrix: BinaryMatrix, *, flags: bool, labels: bool) -> str | None:
        """Return why this selector cannot run here, or None if it can."""
        if self.needs_labels and not labels:
            return "needs labels, and there are none"
        if flags and not self.takes_flags:
            return "does not take absence flags"
        if self.max_features is not None and matrix.d > self.max_features:
            return f"runs on up to {self.max_features} features, and there are {matrix.d:,}"
        if self.max_ones is not None and len(matrix.indices) > self.max_ones:
            return f"runs on up to {self.max_ones:,} ones, and there are {len(matrix.indices):,}"
        return None


SUPPORT = SelectorFactory(
    lambda k, stop, _seed: GreedySupport(k, stop=stop), takes_flags=True, needs_labels=False
)
HAMDIST = SelectorFactory(lambda k, stop, _seed: GreedyHamDist(k, stop=stop), takes_flags=True)
DISTCNT = SelectorFactory(lambda k, stop, _seed: GreedyDistCnt(k, stop=stop), takes_flags=True)
INFORMATION = SelectorFactory(
    lambda k, stop, _seed: GreedyInformation(k, stop=stop), takes_flags=True
)
CONDITIONAL = SelectorFactory(
    lambda k, stop, _seed: GreedyInformation(k, stop=stop, criterion="conditional"),
    takes_flags=True,
)
MAXIMAL = SelectorFactory(
    lambda k, _stop, seed: MaximalSelector(k, random_state=seed), max_ones=_LARGE
)
MAXIMAL_FREQUENT = SelectorFactory(
    lambda k, _stop, seed: MaximalSelector(k, family="frequent", random_state=seed)
)
EXACT = SelectorFactory(lambda k, _stop, _seed: ExactSelector(k), max_features=MOST_FEATURES)
BEST = SelectorFactory(
    lambda k, _stop, seed: BestSelector(k, random_state=seed),
    max_ones=_LARGE,
)
