"""Policies bred from the frontier: attributes of two neighbours mixed, or a few steps up or down from one.

Where nearly every record is unique, or the steps of a hierarchy are large, the frontier is not convex and no price
of risk leads to its middle; what is near two good policies does. Gaps are tried by their area, and the ways of
breeding by how often each has improved the frontier.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

from .descent import intervals_of
from .run import Bits, SearchRun

__all__ = ["cross"]

_IDLE = 300  # children in a row that were measured before: the neighbourhood is exhausted
_CUTS = 7  # ways to split an interval without a hierarchy
_FAR = 0.25  # parameter of the geometric law of the distance between the parents
_FEW = 0.5  # parameter of the geometric law of the number of steps
_MANY = (2.0, 4.0)  # powers of two between which many steps are
_Entry = tuple[float, float, bytes]
_Way = Callable[[SearchRun, list[_Entry], int, np.random.Generator], Bits]


def cross(run: SearchRun, limit: int | None = None) -> None:
    """Breed policies from the frontier until the evaluations are spent or nothing new is met.

    Parameters
    ----------
    run : SearchRun
        The search; its frontier needs two policies at least.
    limit : int, optional
        The most evaluations to spend; all that are left without.

    """
    dice = run.streams.generator("crossing")
    until = run.evaluations + (run.left if limit is None else min(limit, run.left))
    ways: tuple[_Way, ...] = (
        _cross,
        partial(_step_up, many=False),
        partial(_step_down, many=False),
        partial(_step_up, many=True),
        partial(_step_down, many=True),
    )
    tried, gained = np.ones(len(ways)), np.ones(len(ways))
    idle = 0
    while not run.over() and run.evaluations < until and idle < _IDLE:
        entries = [(r, 1.0 - u, packed) for r, u, packed in run.frontier.entries()]
        if len(entries) < 2:
            return
        gaps = np.array([(r1 - r0) * (l0 - l1) for (r0, l0, _), (r1, l1, _) in pairwise(entries)])
        weights = gaps + 0.05 * gaps.mean() + 1e-15
        gap = int(dice.choice(gaps.size, p=weights / weights.sum()))
        rates = gained / tried
        way = int(dice.choice(len(ways), p=rates / rates.sum()))
        child = ways[way](run, entries, gap, dice)
        before, changes = run.evaluations, run.changes
        run.measure(run.space.project(child))
        if run.evaluations == before:
            idle += 1
            continue
        idle = 0
        tried[way] += 1
        gained[way] += run.changes > changes


def _cross(run: SearchRun, entries: list[_Entry], gap: int, dice: np.random.Generator) -> Bits:
    """Take each attribute from one of two policies on both sides of a gap."""
    reach = 1 + int(dice.geometric(_FAR))
    low = max(0, gap - int(dice.integers(reach)))
    high = min(len(entries) - 1, gap + 1 + int(dice.integers(reach)))
    child, other = run.unpack(entries[low][2]).copy(), run.unpack(entries[high][2])
    space = run.space
    for a in np.flatnonzero(dice.random(len(space.rules)) < 0.5).tolist():
        part = slice(int(space.first[a]), int(space.first[a + 1]))
        child[part] = other[part]
    return child


def _step_up(
    run: SearchRun, entries: list[_Entry], gap: int, dice: np.random.Generator, *, many: bool
) -> Bits:
    """Generalise the more specific policy of a gap by steps of one attribute, or of a few."""
    bits = run.unpack(entries[gap + 1][2]).copy()
    for a in _attributes_to_step(run, bits, 1, dice, many=many):
        moves = run.space.moves_of(a, bits)
        if moves:
            bits[moves[int(dice.integers(len(moves)))]] = 0
    return bits


def _step_down(
    run: SearchRun, entries: list[_Entry], gap: int, dice: np.random.Generator, *, many: bool
) -> Bits:
    """Split intervals of the more general policy of a gap, of one attribute or of a few."""
    space = run.space
    bits = run.unpack(entries[gap][2]).copy()
    for a in _attributes_to_step(run, bits, 0, dice, many=many):
        start = int(space.first[a])
        wide = [s for s in intervals_of(bits[start : int(space.first[a + 1])]) if s[0] < s[1]]
        if not wide:
            continue
        low, high = wide[int(dice.integers(len(wide)))]
        splits = space.splits(a, low, high, run.cells.value_counts[a], _CUTS)
        if splits:
            bits[start + np.array(splits[int(dice.integers(len(splits)))])] = 1
    return bits


def _attributes_to_step(
    run: SearchRun, bits: Bits, value: int, dice: np.random.Generator, *, many: bool
) -> list[int]:
    """Draw the attributes of the next steps: many of one attribute, or a few of any."""
    open_ = _open_attributes(run, bits, value)
    if not open_:
        return []
    if many:
        a = open_[int(dice.integers(len(open_)))]
        return [a] * int(2 ** dice.uniform(*_MANY))
    return [open_[int(i)] for i in dice.integers(len(open_), size=int(dice.geometric(_FEW)))]


def _open_attributes(run: SearchRun, bits: Bits, value: int) -> list[int]:
    """List the attributes of which some bit that may change has a value."""
    space = run.space
    free = (bits == value) & (space.always_one == 0) & (space.always_zero == 0)
    return [
        a
        for a in range(len(space.rules))
        if free[int(space.first[a]) : int(space.first[a + 1])].any()
    ]
