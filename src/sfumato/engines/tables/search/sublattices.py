"""Sublattice Heuristic Search (Algorithm 2), with the pruned list and the search for sublattices outside it.

A sublattice is given by its upper policy (more general) and its lower one; all its policies are in the
rectangle between the two, and the share of that rectangle below the frontier is the chance of an update.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....core.errors import ParameterError
from .chains import measure_chain, random_chain
from .run import Bits, SearchRun

__all__ = [
    "Clause",
    "Pruned",
    "outside",
    "random_sublattice",
    "sublattice_clause",
    "sublattice_heuristic_search",
    "update_probability",
]

Clause = tuple[tuple[int, int], ...]
"""A disjunction of literals (position, value)."""


def update_probability(
    upper: tuple[float, float],
    lower: tuple[float, float],
    risk: npt.NDArray[np.float64],
    loss: npt.NDArray[np.float64],
) -> float:
    """Return H(s, f) (equation 1): the share of a sublattice's rectangle that the frontier leaves open.

    `upper` and `lower` are (risk, loss) of its ends, `risk` and `loss` the frontier by rising risk. The
    height is clipped at the upper end's loss, which the printed formula omits. A rectangle without
    an area counts 1 if its more general corner is not dominated, else 0.

    >>> half = np.array([0.0, 0.5, 1.0]), np.array([1.0, 0.5, 0.0])
    >>> update_probability((0.0, 1.0), (1.0, 0.0), *half)
    0.75
    """
    (r0, l1), (r1, l0) = upper, lower
    if r1 - r0 <= 1e-13 or l1 - l0 <= 1e-13:
        best = loss[: np.searchsorted(risk, r0 + 1e-13, side="right")]
        return 0.0 if best.size and best[-1] <= l0 + 1e-13 else 1.0
    at = np.searchsorted(risk, r0, side="right")
    inside = risk[at : np.searchsorted(risk, r1, side="left")]
    edges = np.concatenate(([r0], inside, [r1]))
    before = loss[at - 1] if at else np.inf
    heights = np.concatenate(([before], loss[at : at + inside.size]))
    open_ = np.clip(np.minimum(heights, l1) - l0, 0.0, None)
    return min(1.0, float(np.dot(np.diff(edges), open_) / ((r1 - r0) * (l1 - l0))))


def sublattice_clause(upper: Bits, lower: Bits) -> Clause:
    """Return the clause that a policy outside a sublattice satisfies (appendix)."""
    ones = ((int(i), 0) for i in np.flatnonzero(upper))
    zeros = ((int(i), 1) for i in np.flatnonzero(lower == 0))
    return (*ones, *zeros)


class Pruned:
    """The clauses of the pruned sublattices: by position and clause, 1 for the literal 0, 2 for the literal 1."""

    def __init__(self, length: int) -> None:
        self._literals = np.zeros((length, 16), dtype=np.uint8)
        self._size = np.zeros(16, dtype=np.int64)
        self._many = 0

    def __len__(self) -> int:
        return self._many

    def add(self, clause: Clause) -> None:
        """Add a clause."""
        if self._many == self._size.size:
            self._literals = np.concatenate((self._literals, np.zeros_like(self._literals)), axis=1)
            self._size = np.concatenate((self._size, np.zeros_like(self._size)))
        for position, value in clause:
            self._literals[position, self._many] = value + 1
        self._size[self._many] = len(clause)
        self._many += 1

    def satisfied_by(self, position: int, value: int) -> npt.NDArray[np.bool_]:
        """Mark the clauses that hold a literal."""
        return np.equal(self._literals[position, : self._many], value + 1)

    def shortest(self, held: npt.NDArray[np.int64]) -> int | None:
        """Return the shortest clause of which no literal is held."""
        size = np.where(held == 0, self._size[: self._many], np.iinfo(np.int64).max)
        if size.size == 0 or held.min() > 0:
            return None
        return int(np.argmin(size))

    def literals_of(self, clause: int) -> list[tuple[int, int]]:
        """List the literals of a clause."""
        column = self._literals[:, clause]
        return [(int(i), int(column[i]) - 1) for i in np.flatnonzero(column)]


def outside(pruned: Pruned, draw: np.random.Generator) -> list[tuple[int, int]] | None:
    """Find literals whose conjunction satisfies every clause (SNL, Algorithm 3).

    A depth-first search that always works on the shortest unsatisfied clause and picks its literals at
    random. Gives None when the clauses cannot be satisfied: nothing is left outside the pruned
    sublattices. The empty list means that there is nothing to avoid.
    """
    path: dict[int, int] = {}
    held = np.zeros(len(pruned), dtype=np.int64)
    first = pruned.shortest(held)
    if first is None:
        return []

    def shuffled(clause: int) -> list[tuple[int, int]]:
        literals = pruned.literals_of(clause)
        return [literals[int(k)] for k in draw.permutation(len(literals))]

    stack: list[list[tuple[int, int]]] = [shuffled(first)]
    taken: list[tuple[int, int]] = []  # the literal chosen on each level of the stack but the last
    while stack:
        if not stack[-1]:
            stack.pop()
            if taken:
                position, value = taken.pop()
                del path[position]
                held -= pruned.satisfied_by(position, value)
            continue
        position, value = stack[-1].pop()
        if position in path:  # it conflicts: were it held, the clause would be satisfied
            continue
        path[position] = value
        held += pruned.satisfied_by(position, value)
        taken.append((position, value))
        clause = pruned.shortest(held)
        if clause is None:
            return sorted(path.items())
        stack.append(shuffled(clause))
    return None


def random_sublattice(
    length: int, free: npt.NDArray[np.intp], base: Bits, literals: Sequence[tuple[int, int]],
    draw: np.random.Generator,
) -> tuple[Bits, Bits]:  # fmt: skip
    """Draw a sublattice: u < v uniform, ⌊u·L⌋ random bits fixed to 1, L − ⌊v·L⌋ others to 0.

    Only the free bits are drawn; the literals (from `outside`) are laid over. Gives (upper, lower).
    """
    u, v = np.sort(draw.random(2))
    count = free.size
    ones, zeros = int(u * count), count - int(v * count)
    shuffled = draw.permutation(free)
    upper, lower = base.copy(), base.copy()
    upper[free] = 0
    lower[free] = 1
    upper[shuffled[:ones]] = 1
    lower[shuffled[count - zeros :]] = 0
    for position, value in literals:
        upper[position] = value
        lower[position] = value
    assert upper.size == length
    return upper, lower


def sublattice_heuristic_search(run: SearchRun, threshold: float = 0.5) -> None:
    """Sublattice Heuristic Search (Algorithm 2).

    The two ends of every sublattice drawn are measured and update the frontier; a random chain between
    them is measured when H is above the threshold; the sublattice is pruned when H is 0.
    """
    if not 0 <= threshold <= 1:
        raise ParameterError.constraint("threshold", "SHS", "a number in [0, 1]", threshold)
    draw = run.streams.generator("shs")
    space = run.space
    bottom = space.bottom
    run.measure(bottom)
    if not run.over():
        run.measure(space.project(np.zeros_like(bottom)))
    free = space.free_bits
    if free.size == 0:
        return
    pruned = Pruned(space.length)
    limit = None
    if run.budget.evaluations is None and run.budget.seconds is None:
        limit = 20 * (free.size + 1)  # the paper's budget: twenty chains
    seen, (risk, loss) = run.changes, _frontier(run)
    while not run.over() and (limit is None or run.evaluations < limit):
        literals = outside(pruned, draw)
        if literals is None:
            break
        upper, lower = random_sublattice(space.length, free, bottom, literals, draw)
        high, low = space.project(upper), space.project(lower)
        before = run.evaluations
        top = run.measure(high)
        if run.over():
            break
        end = run.measure(low)
        chance = update_probability(top[:2], end[:2], risk, loss)
        if chance > threshold:
            measure_chain(run, low, random_chain(space, draw, low, high))
        elif chance == 0.0:
            pruned.add(sublattice_clause(upper, lower))
        if run.changes != seen:
            seen, (risk, loss) = run.changes, _frontier(run)
        if run.evaluations == before:
            run.evaluations += 1  # a sublattice met before costs a turn, so that the search ends
    run.note()


def _frontier(run: SearchRun) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    points = np.array(run.frontier.points()).reshape(-1, 2)
    return points[:, 0], 1.0 - points[:, 1]
