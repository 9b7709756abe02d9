"""From the most general policy down, as long as the conditions hold: for searches under conditions.

A split that breaks a condition breaks it for every more specific policy too, so it is looked at once. Gains shrink
as a policy grows more specific, so only the split that looked best is measured again (lazy greedy).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np

from .run import Bits, SearchRun

__all__ = ["descend", "intervals_of", "persist"]

_TIRED = 12  # descents in a row that change nothing
_EXHAUSTED = 60  # walks in a row that meet no new policy
_SPREAD = (0.2, 0.5, 1.0, 2.0)  # deviations of the logarithm by which gains are blurred
_ANY = 8.0  # a deviation that leaves nearly nothing of the order of gains
_FROM_TOP = 4  # descents before the best policies found are loosened and walked down from
_MOST_JOINED = 4
_CUTS = 7  # cuts that are tried in an interval without a hierarchy
Split = tuple[
    int, tuple[int, ...]
]  # the first bit of the interval's attribute part, the bits to set


def descend(run: SearchRun, limit: int) -> None:
    """Walk down again and again: by the largest gain, by gain for risk, with gains blurred, from loosened ones."""
    dice = run.streams.generator("descent")
    until = run.evaluations + min(limit, run.left)
    idle = number = 0
    while not run.over() and run.evaluations < until and idle < _TIRED:
        evaluations, changes = run.evaluations, run.changes
        start = run.space.project(np.zeros(run.space.length, dtype=np.uint8))
        spread = 0.0
        if number >= _FROM_TOP:
            start = _loosen(run, dice)
            spread = float(dice.choice(_SPREAD))
        elif number >= 2:
            spread = float(dice.choice(_SPREAD))
        _walk(run, start, until, dice, spread=spread, per_risk=number % 2 == 1)
        number += 1
        idle = 0 if run.changes > changes else idle + 1
        if run.evaluations == evaluations and number > 2 * _TIRED:
            return


def persist(run: SearchRun, limit: int) -> None:
    """Spend evaluations that are left under conditions: undo much of a good policy and walk down another way.

    One walk in four starts from the most general policy, and one in five takes splits in nearly any order: some
    policies are behind a split that gains little. It ends early only where no walk meets a new policy.
    """
    dice = run.streams.generator("persist")
    until = run.evaluations + min(limit, run.left)
    idle = number = 0
    while not run.over() and run.evaluations < until and idle < _EXHAUSTED:
        evaluations = run.evaluations
        start = run.space.project(np.zeros(run.space.length, dtype=np.uint8))
        if number % 4:
            start = _generalise(run, dice) if number % 2 else _loosen(run, dice)
        spread = float(dice.choice((*_SPREAD, _ANY)))
        _walk(run, start, until, dice, spread=spread, per_risk=bool(dice.integers(2)))
        number += 1
        idle = 0 if run.evaluations > evaluations else idle + 1


def _choose(run: SearchRun, dice: np.random.Generator) -> Bits | None:
    """Return one of the most specific policies found; None where there is none."""
    entries = [packed for _, _, packed in run.frontier.entries()]
    if not entries:
        return None
    back = min(int(dice.geometric(0.3)), len(entries))
    return run.unpack(entries[-back]).copy()


def _loosen(run: SearchRun, dice: np.random.Generator) -> Bits:
    """Return one of the most specific policies found, with some of its intervals joined again."""
    bits = _choose(run, dice)
    if bits is None:
        return run.space.project(np.zeros(run.space.length, dtype=np.uint8))
    for _ in range(int(dice.integers(1, _MOST_JOINED + 1))):
        moves = run.space.moves(bits)
        if not moves:
            break
        bits[moves[int(dice.integers(len(moves)))]] = 0
    return bits


def _generalise(run: SearchRun, dice: np.random.Generator) -> Bits:
    """Return one of the most specific policies found, with one or two attributes as general as allowed."""
    bits = _choose(run, dice)
    general = run.space.project(np.zeros(run.space.length, dtype=np.uint8))
    if bits is None:
        return general
    many = len(run.space.rules)
    for a in dice.choice(many, size=min(int(dice.integers(1, 3)), many), replace=False).tolist():
        part = slice(int(run.space.first[a]), int(run.space.first[a + 1]))
        bits[part] = general[part]
    return run.space.project(bits)


def _walk(
    run: SearchRun,
    start: Bits,
    until: int,
    dice: np.random.Generator,
    *,
    spread: float,
    per_risk: bool,
) -> None:
    """Walk down from a policy by the split that gains most, until no split is allowed."""
    bits = start
    risk, loss, allowed = run.measure(bits)
    if not allowed:
        return
    step = 0
    heap: list[tuple[float, int, int, Split]] = []  # minus the gain, when it was measured
    for split in _splits(run, bits):
        heapq.heappush(heap, (-np.inf, -1, len(heap), split))
    count = len(heap)
    while heap and not run.over() and run.evaluations < until:
        _, stamp, _, split = heapq.heappop(heap)
        child = bits.copy()
        child[list(split[1])] = 1
        if not _whole(run, bits, split):
            continue
        point = run.measure(child)
        if not point[2] or (run.condition is not None and not run.condition(child)):
            continue
        if stamp < step:
            gain = max(loss - point[1], 0.0)
            if per_risk:
                gain /= max(point[0] - risk, 1e-9)
            blur = float(np.exp(spread * dice.standard_normal())) if spread else 1.0
            count += 1
            heapq.heappush(heap, (-gain * blur, step, count, split))
            continue
        before, bits = bits, child
        risk, loss = point[0], point[1]
        step += 1
        for new in _splits(run, bits, before):
            count += 1
            heapq.heappush(heap, (-np.inf, -1, count, new))


def _whole(run: SearchRun, bits: Bits, split: Split) -> bool:
    """Return whether the interval that a split divides is still one interval."""
    first, cuts = split
    attribute = int(np.searchsorted(run.space.first, cuts[0], side="right")) - 1
    start, stop = int(run.space.first[attribute]), int(run.space.first[attribute + 1])
    at = cuts[0]
    low = at
    while low > start and not bits[low - 1]:
        low -= 1
    return low == first and not bits[at : min(max(cuts) + 1, stop)].any()


def _splits(run: SearchRun, bits: Bits, before: Bits | None = None) -> Iterator[Split]:
    """Yield the splits of a policy's intervals; of those alone that another policy does not have."""
    space = run.space
    for a, rule in enumerate(space.rules):
        if rule.keep:
            continue
        start = int(space.first[a])
        part = slice(start, int(space.first[a + 1]))
        if before is not None and (bits[part] == before[part]).all():
            continue
        known = set() if before is None else set(intervals_of(before[part]))
        for low, high in intervals_of(bits[part]):
            if low == high or (low, high) in known:
                continue
            for cuts in space.splits(a, low, high, run.cells.value_counts[a], _CUTS):
                yield start + low, tuple(start + cut for cut in cuts)


def intervals_of(part: Bits) -> list[tuple[int, int]]:
    """List the intervals (first, last value) of one attribute's bits."""
    ends = [*np.flatnonzero(part).tolist(), part.size]
    return list(zip([0, *(e + 1 for e in ends[:-1])], ends, strict=True))
