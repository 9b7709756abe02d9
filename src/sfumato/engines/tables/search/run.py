"""One search under one budget: what was measured, the archive, the trace of the area, when to stop.

An evaluation is one exact measurement of a policy, however it was obtained: by the evaluator, by a
merge's delta, or as a partition found by the dynamic programme. Besides, every interval table counts as many
evaluations as it takes passes over the cells. The count is never below the number of distinct policies
measured.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....core.arrays import Counts, Floats
from ....core.errors import ParameterError
from ....core.frontier import Frontier, non_dominated
from ....core.randomness import Streams
from ..contingency.cells import Cells
from ..space.constraints import Space

__all__ = ["Budget", "Objective", "Score", "SearchRun", "pack"]

Bits = npt.NDArray[np.uint8]
Progress = Callable[[int, float], None]
_REMEMBERED = 1 << 18  # measured policies that are recognised when they come again
_SHOWN = 4_000  # visited points kept for the charts
_LAYERS = 12  # how often a batch is looked through again when conditions refuse its best
_PUBLISHED = 24  # policies of a batch that are measured as they would be published
_DECIMALS = 13  # two points nearer than this are one


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a search may run: distinct evaluations and/or seconds of CPU time."""

    evaluations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.evaluations is not None and self.evaluations < 2:
            raise ParameterError.constraint(
                "evaluations", "the search", "an int in [2, inf)", self.evaluations
            )
        if self.seconds is not None and not self.seconds > 0:
            raise ParameterError.constraint(
                "seconds", "the search", "a number above 0", self.seconds
            )


Score = Callable[[Bits], tuple[float, float, bool]]
"""Returns risk, loss and whether every group has the sizes asked for."""


@dataclass(frozen=True, slots=True)
class Objective:
    """How policies are scored where the kernels do not: other measures, people, conditions.

    Parameters
    ----------
    score : callable, optional
        Scores a policy; the kernels do without.
    whole : callable, optional
        A score that suppresses nobody, for references; `score` without.
    condition : callable, optional
        Called with a policy before it joins the frontier; returns whether it may.
    published : callable, optional
        The score of what a policy publishes once groups are suppressed that are too small or lack what is asked;
        asked of policies with few enough records in small groups.
    max_below : int, default=0
        The records that may be in groups below the smallest sizes.
    loss_of_kept : callable, optional
        The loss of a policy that publishes some records of each occupied cell alone; the KL loss without.

    """

    score: Score | None = None
    whole: Score | None = None
    condition: Callable[[Bits], bool] | None = None
    published: Score | None = None
    max_below: int = 0
    loss_of_kept: Callable[[Bits, Counts], float] | None = None


def pack(bits: Bits) -> bytes:
    """Pack a bit-string into bytes."""
    return np.packbits(bits).tobytes()


def _more_specific(old: bytes, new: bytes) -> bool:
    return int.from_bytes(new, "big").bit_count() > int.from_bytes(old, "big").bit_count()


class SearchRun:
    """The state that all strategies share: measuring, archiving, counting, stopping."""

    def __init__(
        self,
        cells: Cells,
        space: Space,
        budget: Budget,
        streams: Streams,
        *,
        objective: Objective | None = None,
        progress: Progress | None = None,
        checkpoints: Sequence[int] = (),
    ) -> None:
        self.cells, self.space, self.budget, self.streams = cells, space, budget, streams
        self.frontier: Frontier[bytes] = Frontier(prefer=_more_specific)
        self.evaluations = 0
        self.changes = 0
        self.trace: list[tuple[int, float, float]] = []
        self.visited: list[tuple[float, float]] = []
        objective = objective or Objective()
        self.score = objective.score
        self.whole = objective.whole or objective.score
        self.condition = objective.condition
        self.published = objective.published
        self.max_below = objective.max_below
        self.loss_of_kept = objective.loss_of_kept
        self._progress = progress
        self._known: dict[bytes, tuple[float, float, bool]] = {}
        self._start = time.thread_time()
        self._checkpoints = sorted(checkpoints)
        self._next_note = 0.0
        self._sampler = streams.generator("visited")

    @property
    def seconds(self) -> float:
        """CPU seconds since the search began."""
        return time.thread_time() - self._start

    @property
    def conditional(self) -> bool:
        """Whether the steward asks for more than a place on the frontier: sizes of groups, or a condition."""
        return self.asks_more or float(self.cells.least.max()) > 1

    @property
    def asks_more(self) -> bool:
        """Whether a condition is asked that the kernels do not know."""
        return self.condition is not None or self.published is not None

    @property
    def left(self) -> int:
        """Evaluations that may still be made."""
        if self.budget.evaluations is None:
            return 1 << 60
        return max(0, self.budget.evaluations - self.evaluations)

    def over(self) -> bool:
        """Return whether the budget is used up."""
        if self.left == 0:
            return True
        return self.budget.seconds is not None and self.seconds >= self.budget.seconds

    def unpack(self, packed: bytes) -> Bits:
        """Return the bits of an archived policy."""
        return np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=self.space.length)

    def measure(self, bits: Bits) -> tuple[float, float, bool]:
        """Measure a policy once and archive it: (risk, loss, whether the least sizes are met)."""
        key = pack(bits)
        known = self._known.get(key)
        if known is not None:
            return known
        point = self._point(bits)
        if len(self._known) < _REMEMBERED:
            self._known[key] = point
        self.spend(1)
        risk, loss = round(point[0], _DECIMALS), round(point[1], _DECIMALS)
        if len(self.visited) < _SHOWN:
            self.visited.append((risk, loss))
        if point[2] and self._welcome(risk, loss, bits):
            self.changes += self.frontier.insert(risk, 1.0 - loss, key)
        self._note()
        return point

    def _point(self, bits: Bits) -> tuple[float, float, bool]:
        if self.score is not None:
            return self.score(bits)
        measured = self.cells.measure(bits)
        allowed = measured.below <= self.max_below
        if allowed and self.published is not None:
            return self.published(bits)
        return measured.risk, measured.loss, allowed

    def certifying(self, bits: Bits) -> tuple[float, float, bool]:
        """Measure a policy for a proof: not counted; what is allowed and better joins the frontier."""
        key = pack(bits)
        point = self._known.get(key)
        if point is None:
            point = self._point(bits)
            if len(self._known) < _REMEMBERED:
                self._known[key] = point
            risk, loss = round(point[0], _DECIMALS), round(point[1], _DECIMALS)
            better = point[2] and not self.frontier.dominates(risk, 1.0 - loss)
            if better and self.space.allows(bits) and self._welcome(risk, loss, bits):
                self.changes += self.frontier.insert(risk, 1.0 - loss, key)
        return point

    def offer(
        self, risk: Floats, loss: Floats, below: Floats | None, bits_at: Callable[[int], Bits],
        *, count: int | None = None,
    ) -> None:  # fmt: skip
        """Archive many measured policies; `bits_at(i)` is asked only for those that go in."""
        first = self._checkpoints[0] - self.evaluations if self._checkpoints else len(risk)
        if count is None and 0 < first < len(risk):
            start = None if below is None else below[:first]
            self.offer(risk[:first], loss[:first], start, bits_at)
            rest = None if below is None else below[first:]
            self.offer(risk[first:], loss[first:], rest, lambda i: bits_at(i + first))
            return
        self.spend(len(risk) if count is None else count)
        if len(risk) == 0:
            return
        allowed = (
            np.arange(len(risk)) if below is None else np.flatnonzero(below < self.max_below + 0.5)
        )
        room = _SHOWN - len(self.visited)
        if room > 0:
            some = self._sampler.choice(len(risk), size=min(room, len(risk), 200), replace=False)
            self.visited.extend((float(risk[i]), float(loss[i])) for i in np.sort(some))
        risk, loss = np.round(risk[allowed], _DECIMALS), np.round(loss[allowed], _DECIMALS)
        left = np.arange(len(risk))
        if self.published is not None:
            self._offer_releases(risk, loss, lambda i: bits_at(int(allowed[i])))
            return
        for _ in range(1 if self.condition is None else _LAYERS):
            refused = []
            for i in left[non_dominated(risk[left], 1.0 - loss[left])].tolist():
                point = (float(risk[i]), 1.0 - float(loss[i]))
                if self.frontier.dominates(*point):
                    continue
                bits = bits_at(int(allowed[i]))
                if self.condition is None or self.condition(bits):
                    self.changes += self.frontier.insert(*point, pack(bits))
                else:
                    refused.append(i)
            if not refused:
                break
            left = np.setdiff1d(left, refused)  # what they dominated may still do
        self._note()

    def _offer_releases(self, risk: Floats, loss: Floats, bits_at: Callable[[int], Bits]) -> None:
        """Measure some of a batch as they would be published: those that look best with nobody suppressed."""
        best = non_dominated(risk, 1.0 - loss)
        some = np.unique(np.linspace(0, best.size - 1, _PUBLISHED).astype(int))
        for i in best[some].tolist() if best.size else ():
            self.certifying(bits_at(i))
        self._note()

    def _welcome(self, risk: float, loss: float, bits: Bits) -> bool:
        """Return whether a policy may join the frontier: it is not dominated and meets the condition."""
        if self.condition is None:
            return True
        return not self.frontier.dominates(risk, 1.0 - loss) and self.condition(bits)

    def archive_again(self, score: Score) -> None:
        """Measure by another score what the frontier holds, and keep what is not dominated then: not counted."""
        found = list(self.frontier)
        self.frontier = Frontier(prefer=_more_specific)
        for packed in found:
            risk, loss, _ = score(self.unpack(packed))
            self.frontier.insert(round(risk, _DECIMALS), 1.0 - round(loss, _DECIMALS), packed)

    def take(self, other: SearchRun) -> None:
        """Take over what another search found and counted; both measure alike what either found."""
        self.changes += self.frontier.merge(other.frontier)
        self.evaluations += other.evaluations

    def spend(self, how_many: int) -> None:
        """Count evaluations, or work that costs as much."""
        self.evaluations += min(how_many, self.left)  # passes beyond the budget buy nothing

    def _note(self) -> None:
        """Record the area at checkpoints, and update the progress line every half second."""
        while self._checkpoints and self.evaluations >= self._checkpoints[0]:
            self.trace.append((self._checkpoints.pop(0), self.seconds, self.frontier.area()))
        if self._progress is not None and self.seconds >= self._next_note:
            self._next_note = self.seconds + 0.5
            self._progress(self.evaluations, self.frontier.area())

    def note(self) -> None:
        """Record the area as it is now."""
        self.trace.append((self.evaluations, self.seconds, self.frontier.area()))
        if self._progress is not None:
            self._progress(self.evaluations, self.frontier.area())
