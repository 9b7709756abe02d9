"""The honest publisher: every decision on documents that were not learned from.

Forms compete out of fold in the first round, which is the same for all ratios; each later round learns
from what the earlier ones left. Thresholds and forms are judged on folds that they were not chosen on;
the classifiers that are kept are learned again from all documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ....core.randomness import Streams
from ..learners.crf import CRF, CRFModel
from ..learners.protocol import Learner, Model, cost_threshold, deal, out_of_fold
from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..reading.labelled import Labelled, total_loss
from .classifiers import Classifier, ClassifierSet, Stage, staged
from .competition import INCUMBENT, Competition
from .publication import Publication, Round
from .thresholds import NEVER

__all__ = ["HonestSearch"]

FEW_DOCUMENTS = 1000
Forms = Mapping[str, tuple[int, ...]]


class Settings(Protocol):
    """What the search needs to know of the publisher."""

    learner: Learner
    folds: int
    rounds: int
    weights: dict[str, float]
    seed: int
    progress: Callable[[str], None]

    def learn_kinds(self, labelled: Labelled) -> tuple[Model, ...]: ...

    def classifier_set(
        self, labelled: Labelled, classifiers: Sequence[Classifier], typing: tuple[Model, ...]
    ) -> ClassifierSet: ...


@dataclass(frozen=True, eq=False)
class _Plan:
    """A stage before it is refitted: what it sees and its scores out of fold.

    `fitted` is a model that is not learned again, `start` one that learning goes on from.
    """

    sees: tuple[tuple[int, bool], ...]
    scores: Scores
    fitted: Model | None = None
    start: CRFModel | None = None


class _Run:
    """Where the publisher of one ratio stands."""

    def __init__(self, search: HonestSearch, ratio: float) -> None:
        self.ratio = ratio
        self.losses = search.labelled.losses(ratio, search.settings.weights)
        self.value = np.where(self.losses > 0, self.losses, -1.0)
        self.data: TokenData = search.labelled.data
        self.loss = total_loss(self.losses, search.instances, self.data.redacted)
        self.rounds: list[Round] = []
        self.classifiers: list[Classifier] = []
        self.scores: list[Scores] = []


class HonestSearch:
    """One corpus; `run` chooses the classifiers for each ratio."""

    def __init__(self, settings: Settings, labelled: Labelled, allowed: Mask) -> None:
        self.settings = settings
        self.whole = labelled
        self.background: _Plan | None = None
        if not labelled.own.all():
            settings.progress("background")
            self.background = self._learn_background()
            labelled = labelled.alone()
        self.labelled = labelled
        self.allowed = allowed[: len(labelled.data)]
        self.instances = labelled.instances
        self.sensitive = labelled.sensitive
        self.fold = self._deal()
        self.fold_of = self.fold[labelled.data.document_of]
        self.folds = int(self.fold.max()) + 1
        self.first_pass: Scores | None = None

    def run(self, ratios: Sequence[float]) -> dict[float, Publication]:
        """Choose for each ratio; the first round's scores are shared."""
        plans, forms = self._first_round()
        self.first_pass = self._padded(plans[0].scores, -np.inf)
        typing = self.settings.learn_kinds(self.labelled)
        refitted: dict[int, Model] = {}
        published = {}
        for ratio in ratios:
            run = _Run(self, ratio)
            self._advance(run, plans, forms, refitted)
            while run.rounds[-1].kept and len(run.rounds) < self.settings.rounds:
                self._advance(run, *self._later_round(run), {})
            published[ratio] = Publication(
                ratio,
                self.settings.classifier_set(self.labelled, run.classifiers, typing),
                tuple(run.rounds),
                self._padded(run.data.redacted, False),
                run.loss,
                held_out=True,
            )
            self.settings.progress(f"L/C {ratio:g}: {len(run.classifiers)} rounds")
        return published

    def _seed(self, step: str) -> int:
        return Streams(self.settings.seed).seed_of(step)

    def _padded(self, values: npt.NDArray[Any], rest: object) -> npt.NDArray[Any]:
        """Give a value for all tokens, those of the background included."""
        padded = np.full(len(self.whole.data), rest, values.dtype)
        padded[: len(values)] = values
        return padded

    def _learn_background(self) -> _Plan:
        """Learn from the background corpora alone, once; score the steward's documents by that."""
        whole = self.whole
        model = self.settings.learner.fit(
            whole.data, whole.sensitive, documents=~whole.own, seed=self._seed("background")
        )
        return _Plan((), model.scores(whole.alone().data), model)

    def _deal(self) -> npt.NDArray[np.int64]:
        """Deal the documents into folds at random.

        Of few documents twice as many folds are made: a model that misses a quarter of them is
        much worse than the one that is published, and its estimate too dark.
        """
        documents = self.labelled.data.documents
        folds = self.settings.folds * (2 if documents < FEW_DOCUMENTS else 1)
        random = Streams(self.settings.seed).generator("folds")
        return deal(np.arange(documents), folds, random, of=documents)

    def _out_of_fold(self, data: TokenData, step: str, start: CRFModel | None = None) -> Scores:
        learner = _starting(self.settings.learner, start)
        return out_of_fold(learner, data, self.sensitive, self.fold, seed=self._seed(step))

    def _competition(self, run: _Run, forms: Mapping[str, Scores], live: Mask) -> Competition:
        return Competition(
            forms, live=live, value=run.value, fold_of=self.fold_of,
            document_of=self.labelled.data.document_of, leak=run.losses.max(),
            expected=cost_threshold(run.ratio),
        )  # fmt: skip

    def _live(self, run: _Run) -> Mask:
        """The words that a round may still redact."""
        return self.instances & ~run.data.redacted & ~self.allowed

    def _first_round(self) -> tuple[list[_Plan], Forms]:
        """Score out of fold by every form that competes.

        A background model is heard in two ways: its scores are features of the steward's own
        classifiers, or its weights are where learning starts. They err differently; their mean is a
        form of its own.
        """
        plans: list[_Plan] = []

        def add(
            sees: tuple[tuple[int, bool], ...], step: str, start: CRFModel | None = None
        ) -> int:
            self.settings.progress(step)
            data = staged(self.labelled.data, sees, [plan.scores for plan in plans])
            plans.append(_Plan(sees, self._out_of_fold(data, step, start), start=start))
            return len(plans) - 1

        once = add((), "pass")
        stack = add(((once, False),), "stack")
        forms = {
            INCUMBENT: (once,),
            "pass": (once,),
            "stack": (stack,),
            "pass + stack": (once, stack),
        }
        if self.background is not None:
            plans.append(self.background)
            outside, known = len(plans) - 1, self.background.fitted
            informed = add(((outside, True),), "background pass")
            both = add(((outside, True), (informed, False)), "background stack")
            forms["background"] = (informed, both)
            if isinstance(known, CRFModel):
                tuned = add((), "background start", known)
                more = add(((tuned, False),), "background start, stack", known)
                forms["background + start"] = (informed, both, more)
        return plans, forms

    def _later_round(self, run: _Run) -> tuple[list[_Plan], Forms]:
        """Score what is left, out of fold: without and with a view of what the first round thought.

        A quick look comes first: where nothing can be gained even by the threshold that suits the
        folds best, the round ends there.
        """
        step = f"round {len(run.rounds) + 1}"
        if not self._worth_a_round(run, step):
            silent = np.full(len(run.data), -np.inf)
            return [_Plan((), silent)], {"pass": (0,)}
        plans = []
        for sees in ((), ((-1, True),)):
            data = staged(run.data, sees, (), run.scores)
            plans.append(_Plan(sees, self._out_of_fold(data, step)))
        return plans, {"pass": (0,), "informed": (1,), "pass + informed": (0, 1)}

    def _worth_a_round(self, run: _Run, step: str) -> bool:
        learner = self.settings.learner
        scout: Learner = learner.quick() if isinstance(learner, CRF) else learner
        live = self._live(run)
        scores = np.full(len(live), -np.inf)
        for held_out in range(self.folds):
            inside = self.fold == held_out
            model = scout.fit(run.data, self.sensitive, documents=~inside, seed=self._seed(step))
            np.maximum(scores, model.scores(run.data, documents=inside), out=scores)
            if held_out + 1 == self.folds // 2:
                seen = live & (self.fold_of <= held_out)
                half = self._competition(run, {"pass": scores}, seen)
                if half.entries["pass"].fit.threshold == NEVER:
                    return False
        return self._competition(run, {"pass": scores}, live).entries["pass"].fit.gain > 0

    def _advance(
        self, run: _Run, plans: Sequence[_Plan], forms: Forms, refitted: dict[int, Model]
    ) -> None:
        """Judge the forms, keep the best if it gains, and redact what it finds."""
        scores = {
            name: np.mean([plans[v].scores for v in voices], axis=0)
            for name, voices in forms.items()
        }
        judged = self._competition(run, scores, self._live(run))
        best = judged.winner()
        threshold = judged.entries[best].fit.threshold
        found = judged.found() & ~self.allowed & ~run.data.redacted
        after = total_loss(run.losses, self.instances, run.data.redacted | found)
        kept = threshold != NEVER and after < run.loss
        totals = {name: run.loss - float(judged.gains(name).sum()) for name in forms}
        run.rounds.append(
            Round.of(
                found, run.losses, self.instances,
                form=best, threshold=threshold, total_loss=after, kept=kept, forms=totals,
            )
        )  # fmt: skip
        if kept:
            run.classifiers.append(
                self._refit(run, plans, forms[best], refitted, threshold, form=best)
            )
            run.scores.append(scores[best])
            run.data = run.data.redact(found)
            run.loss = after

    def _refit(
        self, run: _Run, plans: Sequence[_Plan], voices: Sequence[int], refitted: dict[int, Model],
        threshold: float, *, form: str,
    ) -> Classifier:  # fmt: skip
        """Learn the stages of a form again, from all documents.

        The first pass is learned as one pass would be, so that nothing but the form is compared.
        """
        needed = _closure(voices, plans)
        number = {old: new for new, old in enumerate(needed)}
        stages = []
        plain = self.settings.learner
        careful: Learner = plain.careful() if isinstance(plain, CRF) else plain
        for old in needed:
            plan = plans[old]
            if len(run.rounds) == 1 and old == 0:
                learner, seed = plain, self.settings.seed
            else:
                learner = _starting(careful, plan.start)
                seed = self._seed(f"refit {len(run.rounds)} {old}")
            if old not in refitted:
                refitted[old] = plan.fitted or learner.fit(
                    staged(run.data, plan.sees, [p.scores for p in plans], run.scores),
                    self.sensitive,
                    seed=seed,
                )
            sees = tuple((number[s] if s >= 0 else s, own) for s, own in plan.sees)
            stages.append(Stage(refitted[old], sees))
        return Classifier(tuple(stages), tuple(number[v] for v in voices), threshold, form)


@dataclass(frozen=True, slots=True)
class _Started:
    """A CRF that goes on from the weights of a background model."""

    crf: CRF
    start: CRFModel

    @property
    def name(self) -> str:
        return self.crf.name

    def fit(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: Mask | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
    ) -> CRFModel:
        return self.crf.fit(
            data, labels, documents=documents, cost_ratio=cost_ratio, seed=seed, start=self.start
        )


def _starting(learner: Learner, start: CRFModel | None) -> Learner:
    if start is None or not isinstance(learner, CRF):
        return learner
    return _Started(learner, start)


def _closure(voices: Sequence[int], plans: Sequence[_Plan]) -> list[int]:
    """List the stages that some stages need, in order."""
    needed = set(voices)
    for place in range(len(plans) - 1, -1, -1):
        if place in needed:
            needed |= {source for source, _ in plans[place].sees if source >= 0}
    return sorted(needed)
