"""How far an exploration is, in words that need no knowledge of how it works.

Inside, each step is announced by a short technical note; how many there will be is not known before all
of them are done. Here the notes become five phases with a known total, and a phase never goes back.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....core.engine import Progress

if TYPE_CHECKING:
    from ..request import TextRequest

__all__ = ["ExploreSteps"]


@dataclass(frozen=True)
class _Phase:
    words: str
    starts: tuple[str, ...]
    """How the notes of this phase begin; an empty text is any other note."""


_PHASES = (
    _Phase("learning from the labelled documents", ("",)),
    _Phase("choosing what to redact", ("L/C",)),
    _Phase("comparing with plain methods", ("round",)),
    _Phase("attacking the candidates", ("attacker", "outsider")),
    _Phase("describing the documents", ("what the documents look like",)),
)


class ExploreSteps:
    """Turn the notes of an exploration into steps of a known total.

    Parameters
    ----------
    progress : Progress
        Called with the steps.
    learned : int
        How many notes the learning is expected to have.
    ratios : int
        The number of loss ratios.
    attackers : int
        The number of attackers per candidate.
    literal : bool
        Whether the papers' algorithm itself is explored: its rounds are then what is learned.

    Examples
    --------
    >>> steps_done = []
    >>> def progress(steps=1, *, total=None, note=""):
    ...     steps_done.append((steps, total, note))
    >>> steps = ExploreSteps(progress, learned=2, ratios=1, attackers=1)
    >>> steps("pass"); steps("attacker B, crf"); steps.finish()
    >>> [s for s, _, _ in steps_done], steps_done[1][2]
    ([1, 7, 2], 'attacking the candidates')

    """

    def __init__(
        self,
        progress: Progress,
        *,
        learned: int,
        ratios: int,
        attackers: int,
        literal: bool = False,
    ) -> None:
        self._progress = progress
        # Twice the candidates are attacked: those of the literal algorithm, too.
        self._sizes = (learned, ratios, 4, max(2 * ratios * attackers, 1), 1)
        self._literal = literal
        self._phase, self._inside, self._told = 0, 0, 0
        self._lock = threading.Lock()

    @classmethod
    def of(cls, request: TextRequest, progress: Progress) -> ExploreSteps:
        """Return the steps that a request will take, as far as it tells."""
        from ..attack.registry import find_attackers
        from ..learners.encoder_choices import NO_ENCODER

        learners = len(find_attackers(request.attackers, starter=request.starter))
        return cls(
            progress,
            learned=2
            + 5 * bool(request.background)
            + 3 * request.starter
            + 3 * (request.detector is not None)
            + 4 * (request.encoder != NO_ENCODER),
            ratios=len(request.ratios),
            attackers=2 * learners + 1 if learners else 0,
            literal=request.mode == "paper",
        )

    def __call__(self, note: str) -> None:
        """Take a note of the work."""
        with self._lock:
            phase = self._phase_of(note)
            if phase > self._phase:
                self._phase, self._inside = phase, 0
            elif phase < self._phase:  # a late note of work that went on meanwhile
                return
            self._inside = min(self._inside + 1, self._sizes[phase])
            self._tell(sum(self._sizes[:phase]) + self._inside, _PHASES[phase].words)

    def finish(self) -> None:
        """Fill the bar."""
        with self._lock:
            self._tell(sum(self._sizes), _PHASES[-1].words)

    def _phase_of(self, note: str) -> int:
        if self._literal and note.startswith("round"):
            return 0
        for number, phase in enumerate(_PHASES[1:], start=1):
            if note.startswith(phase.starts):
                return number
        return 0

    def _tell(self, done: int, words: str) -> None:
        self._progress(done - self._told, total=sum(self._sizes), note=words)
        self._told = done
