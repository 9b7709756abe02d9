"""What competes in one round of the search: stages with their scores out of fold, and forms made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..reading.arrays import Scores
from .classifiers import mean_of
from .competition import Form
from .stacking.second_look import SecondPass

if TYPE_CHECKING:
    from ..learners.protocol import Model

__all__ = ["Contest", "Sees", "StagePlan"]

Sees = tuple[tuple[int, bool], ...]
"""See `classifiers.Stage.sees`."""


@dataclass(frozen=True, eq=False)
class StagePlan:
    """A stage before it is refitted: what it sees and its scores out of fold.

    `fitted` is a model that is not learned again, `start` one that learning starts from. `refit` learns
    a stage that is not the learner's own; with a `look` it reads only some passages. `again` are the scores
    under further seeds of an encoder, where it takes part.
    """

    sees: Sees
    scores: Scores
    fitted: Model | None = None
    start: Model | None = None
    refit: Callable[[], Model] | None = None
    look: SecondPass | None = None
    by_encoder: bool = False
    again: tuple[Scores, ...] = ()

    def under(self, seed: int) -> Scores:
        """Return the scores under one of the seeds; without an encoder they are the same under all."""
        return self.again[seed - 1] if seed and self.again else self.scores


@dataclass(frozen=True, eq=False)
class Contest:
    """The stages of one round and the forms that are made of them.

    `weighed` holds the scores of forms that weigh their members: each fold by weights learned on the others.
    """

    stages: Sequence[StagePlan]
    forms: Sequence[Form]
    weighed: Mapping[Form, Scores] = field(default_factory=dict)

    def scores(self, seed: int = 0) -> dict[Form, Scores]:
        """Return the log-odds of each form under one of the encoder's seeds."""
        return {
            form: self.weighed[form]
            if form in self.weighed
            else mean_of([self.stages[member].under(seed) for member in form.members])
            for form in self.forms
        }

    def scores_again(self) -> list[dict[Form, Scores]]:
        """Return, for each further seed, the log-odds of the forms that depend on it."""
        seeds = max((len(stage.again) for stage in self.stages), default=0)
        depends = [
            form for form in self.forms if any(self.stages[member].again for member in form.members)
        ]
        part = Contest(self.stages, depends)
        return [part.scores(seed) for seed in range(1, seeds + 1)] if depends else []

    def needed(self, form: Form) -> list[int]:
        """Return the stages that a form needs, in order."""
        needed = set(form.members)
        for place in range(len(self.stages) - 1, -1, -1):
            if place in needed:
                stage = self.stages[place]
                needed |= {source for source, _ in stage.sees if source >= 0}
                needed |= set(stage.look.sources if stage.look is not None else ())
        return sorted(needed)

    def of_way(self, way: str, *, encoder: bool) -> Contest:
        """Return the contest among the forms of one way, and those of the usual way.

        Without `encoder`, forms of the usual way that need one are skipped.
        """
        forms = [
            form
            for form in self.forms
            if form.way == way or (not form.way and (encoder or not form.uses_encoder))
        ]
        return Contest(self.stages, forms, self.weighed)

    def ways(self) -> list[str]:
        """Return the ways that forms publish in, other than the usual one."""
        return list(dict.fromkeys(form.way for form in self.forms if form.way))
