"""The non-dominated set that every engine returns: low risk, high utility.

`Frontier` is an archive: points go in one by one or in bulk, dominated ones fall out, equal ones
collapse into one. Risk is to be small, utility large; both live in [0, 1] where an area is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from sortedcontainers import SortedDict

from .errors import NoCandidateError, ParameterError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Frontier", "non_dominated"]

T = TypeVar("T")
Point = tuple[float, float]


def non_dominated(
    risk: npt.NDArray[np.float64], utility: npt.NDArray[np.float64]
) -> npt.NDArray[np.intp]:
    """Return the indices of the non-dominated points, by rising risk; of equal points the first.

    >>> import numpy as np
    >>> non_dominated(np.array([.1, .2, .2, .3]), np.array([.5, .4, .9, .9])).tolist()
    [0, 2]
    """
    import numpy as np

    order = np.lexsort((np.arange(len(risk)), -utility, risk))
    best_before = np.maximum.accumulate(utility[order])
    keep = np.ones(len(order), dtype=bool)
    keep[1:] = utility[order][1:] > best_before[:-1]
    return order[keep]


class Frontier(Generic[T]):
    """An archive of non-dominated items.

    Insertion costs O(log n) amortised.

    Parameters
    ----------
    prefer : callable, optional
        Called as `prefer(old, new)` when a point equals one that is there already; the archive keeps the older item
        unless it returns true.

    Examples
    --------
    >>> frontier = Frontier[str]()
    >>> frontier.insert(0.5, 0.9, "detailed"), frontier.insert(0.1, 0.4, "coarse")
    (True, True)
    >>> frontier.insert(0.6, 0.8, "worse in both")
    False
    >>> frontier.choose(max_risk=0.2)
    'coarse'
    >>> round(frontier.area(), 3)
    0.39

    """

    def __init__(self, *, prefer: Callable[[T, T], bool] | None = None) -> None:
        self._entries: SortedDict = SortedDict()  # risk → (utility, item); utility rises with risk
        self._prefer = prefer

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[T]:
        """Yield the items by rising risk."""
        return (item for _, item in self._entries.values())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} items)"

    def points(self) -> list[Point]:
        """Return (risk, utility) of each item, by rising risk."""
        return [(risk, utility) for risk, (utility, _) in self._entries.items()]

    def entries(self) -> Iterator[tuple[float, float, T]]:
        """Yield (risk, utility, item), by rising risk."""
        return ((risk, utility, item) for risk, (utility, item) in self._entries.items())

    def insert(self, risk: float, utility: float, item: T) -> bool:
        """Insert an item unless it is dominated, and drop what it dominates; return whether it was inserted.

        Parameters
        ----------
        risk : float
            The risk of the item.
        utility : float
            The utility of the item.
        item : object
            Anything.

        """
        entries = self._entries
        if risk != risk or utility != utility:  # noqa: PLR0124 (NaN is the one value unlike itself)
            raise ParameterError(
                "A frontier takes no NaN.", hint="Check what the measure divides by."
            )
        position = entries.bisect_right(risk)
        if position:
            near_risk, (near_utility, near_item) = entries.peekitem(position - 1)
            if near_utility >= utility:
                tie = near_risk == risk and near_utility == utility
                if tie and self._prefer is not None and self._prefer(near_item, item):
                    entries[near_risk] = (near_utility, item)
                    return True
                return False
            if near_risk == risk:
                position -= 1
        while position < len(entries) and entries.peekitem(position)[1][0] <= utility:
            entries.popitem(position)
        entries[risk] = (utility, item)
        return True

    def merge(self, other: Frontier[T]) -> int:
        """Put in the items of another frontier; return how many of them went in.

        Parameters
        ----------
        other : Frontier
            The other frontier; it stays as it is.

        """
        return sum(self.insert(risk, utility, item) for risk, utility, item in other.entries())

    def dominates(self, risk: float, utility: float) -> bool:
        """Return whether an item here is at least as good on both sides (an equal point counts).

        Parameters
        ----------
        risk : float
            The risk of the point.
        utility : float
            The utility of the point.

        """
        position = self._entries.bisect_right(risk)
        return bool(position) and self._entries.peekitem(position - 1)[1][0] >= utility

    def room(self, risk: float, utility: float) -> float:
        """Return the area in [0, 1]² that a point would win; 0 where it is dominated.

        Parameters
        ----------
        risk : float
            The risk of the point.
        utility : float
            The utility of the point.

        """
        entries = self._entries
        position = entries.bisect_right(risk)
        loss = 1.0 - entries.peekitem(position - 1)[1][0] if position else 1.0
        area, left = 0.0, max(risk, 0.0)
        while loss > 1.0 - utility and left < 1.0:
            right = min(entries.peekitem(position)[0], 1.0) if position < len(entries) else 1.0
            area += (right - left) * (loss - 1.0 + utility)
            if position >= len(entries):
                break
            left, loss = right, 1.0 - entries.peekitem(position)[1][0]
            position += 1
        return area

    def area(self) -> float:
        """Measure the area under the staircase of loss = 1 − utility over risk, in [0, 1]².

        This is 1 − the hypervolume dominated with respect to (risk 1, utility 0): 1 when empty, and
        0 when an item has no risk and full utility. Points outside the square are clipped to it.
        """
        area, left, loss = 0.0, 0.0, 1.0
        for risk, (utility, _) in self._entries.items():
            if risk >= 1.0:
                break
            area += max(risk - left, 0.0) * loss
            left = max(risk, left)
            loss = min(loss, max(1.0 - utility, 0.0))
        return area + (1.0 - left) * loss

    def choose(self, *, max_risk: float | None = None, min_utility: float | None = None) -> T:
        """Return the most useful item within a risk, or the safest one above a utility (or both).

        Parameters
        ----------
        max_risk : float, optional
            The largest risk allowed.
        min_utility : float, optional
            The smallest utility allowed.

        """
        if max_risk is None and min_utility is None:
            raise ParameterError(
                "A choice needs 'max_risk' or 'min_utility'.", hint="knee() chooses without either."
            )
        if not self._entries:
            raise NoCandidateError("The frontier is empty.")
        if max_risk is None:
            for risk in self._entries:
                utility, item = self._entries[risk]
                if utility >= min_utility:
                    return item  # type: ignore[no-any-return]
            raise NoCandidateError(
                f"No candidate has a utility ≥ {min_utility:g}; the highest is "
                f"{self._entries.peekitem(-1)[1][0]:.6g}."
            )
        position = self._entries.bisect_right(max_risk)
        if not position:
            raise NoCandidateError(
                f"No candidate has a risk ≤ {max_risk:g}; the lowest is {self._entries.peekitem(0)[0]:.6g}."
            )
        utility, item = self._entries.peekitem(position - 1)[1]
        if min_utility is not None and utility < min_utility:
            raise NoCandidateError(
                f"No candidate has a risk ≤ {max_risk:g} and a utility ≥ {min_utility:g}.",
                hint=f"within that risk the highest utility is {utility:.6g}.",
            )
        return item  # type: ignore[no-any-return]

    def knee(self, keeps: Callable[[T], int] | None = None) -> T:
        """Return the item farthest above the straight line between the two ends.

        Parameters
        ----------
        keeps : callable, optional
            How many things an item keeps that one does not want to lose. An item that keeps more is chosen instead
            where it has at most twice the risk and is at least half as far above the line.

        """
        if not self._entries:
            raise NoCandidateError("The frontier is empty.")
        points = self.points()
        (r0, u0), (r1, u1) = points[0], points[-1]
        if r1 == r0:
            return next(iter(self))
        heights = [(u - u0) / (u1 - u0) - (r - r0) / (r1 - r0) for r, u in points]
        items = list(self)
        farthest = max(range(len(items)), key=heights.__getitem__)  # the lowest risk of equals
        if keeps is None:
            return items[farthest]
        most_risk, least_height = 2 * points[farthest][0] * (1 + 1e-9), heights[farthest] / 2
        near = [
            i
            for i, (risk, _) in enumerate(points)
            if risk <= most_risk and heights[i] >= least_height
        ]
        return items[max(near, key=lambda i: (keeps(items[i]), heights[i]))]

    def all_dominating(self, risk: float, utility: float) -> list[T]:
        """List the items no worse than the point on both sides and better on one.

        Parameters
        ----------
        risk : float
            The risk of the point.
        utility : float
            The utility of the point.

        """
        found = []
        for r in self._entries.irange(maximum=risk, reverse=True):
            u, item = self._entries[r]
            if u < utility:
                break
            if (r, u) != (risk, utility):
                found.append(item)
        return found[::-1]

    def dominating(self, reference: Point) -> T | None:
        """Return the safest item that dominates a reference point, if there is one.

        Parameters
        ----------
        reference : (float, float)
            The risk and the utility of the point.

        """
        found = self.all_dominating(*reference)
        return found[0] if found else None

    @classmethod
    def of(cls, entries: Iterable[tuple[float, float, T]]) -> Frontier[T]:
        """Return a frontier of some items.

        Parameters
        ----------
        entries : iterable of (float, float, object)
            The risk, the utility and the item of each.

        """
        frontier = cls()
        for risk, utility, item in entries:
            frontier.insert(risk, utility, item)
        return frontier
