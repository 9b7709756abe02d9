"""The honest search: every decision on documents that were not learned from.

Forms compete out of fold in the first round, which is the same for all ratios; each later round learns
from what the earlier ones left. Thresholds and forms are judged on folds that they were not chosen on;
the classifiers that are kept are learned again from all documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ....core.threads import side_by_side
from ..learners.folds import by_fold, deal, out_of_fold
from ..learners.labels import LabelModel
from ..learners.protocol import Learner, Model, cost_threshold
from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..reading.labelled import Labelled, total_loss
from .classifiers import Classifier, ClassifierSet, Stage, mean_of, stage_features
from .competition import Competition, Form, Repeats
from .contest import Contest, Sees, StagePlan
from .publication import LINEAR, RatioPublication, Round
from .settings import Settings
from .stacking.refitted import Refitted
from .stacking.second_look import passages
from .thresholds import NEVER

__all__ = ["CrossFitSearch"]

FEW_DOCUMENTS = 1000
_T = TypeVar("_T", bound=np.generic)


class _RatioRun:
    """How far the search has come for one ratio."""

    def __init__(self, search: CrossFitSearch, ratio: float) -> None:
        self.ratio = ratio
        self.losses = search.labelled.losses(ratio, search.settings.weights)
        self.value = np.where(self.losses > 0, self.losses, -1.0)
        self.data: TokenData = search.labelled.data
        self.loss = total_loss(self.losses, search.instances, self.data.redacted)
        self.rounds: list[Round] = []
        self.classifiers: list[Classifier] = []
        self.scores: list[Scores] = []
        self.by_seed: list[Mask] = []  # what the first round redacts under each seed of an encoder
        self.first_found: Mask | None = None

    def redacted_by_seed(self) -> tuple[Mask, ...]:
        """Return what all rounds redact, had the first round had another seed."""
        if self.first_found is None or len(self.by_seed) < 2:
            return ()
        rest = self.data.redacted & ~self.first_found
        return tuple(found | rest for found in self.by_seed)


class CrossFitSearch:
    """Chooses the classifiers of a corpus, for any number of ratios.

    Parameters
    ----------
    settings : Settings
        The learner, the folds, the lists and the seed.
    labelled : Labelled
        The labelled tokens, denied words redacted already.
    allowed : mask over the tokens
        Words that are never redacted.

    """

    def __init__(self, settings: Settings, labelled: Labelled, allowed: Mask) -> None:
        self.settings = settings
        self.whole = labelled
        self.background: StagePlan | None = None
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
        self.alternatives: list[RatioPublication] = []
        self.first: Contest | None = None
        self.refitted = Refitted()

    def run(self, ratios: Sequence[float]) -> dict[float, RatioPublication]:
        """Choose for each ratio; the first round's scores are shared.

        Parameters
        ----------
        ratios : sequence of float
            The loss ratios L/C.

        """
        first = self.first = self._first_round(ratios)
        self.first_pass = self._padded(first.stages[0].scores, -np.inf)
        kinds = self.settings.learn_kinds(self.labelled)
        refitted = self.refitted

        def searched(ratio: float) -> list[RatioPublication]:
            usual, form = self._played(ratio, first.of_way("", encoder=True), kinds, refitted)
            found = [usual]
            if form is not None and form.uses_encoder:
                for way in (LINEAR, *first.ways()):
                    contest = first.of_way(way, encoder=False)
                    other, _ = self._played(ratio, contest, kinds, refitted)
                    found.append(replace(other, way=way))
            return found

        published = {}
        for found in side_by_side(partial(searched, ratio) for ratio in ratios):
            published[found[0].ratio] = found[0]
            self.alternatives += found[1:]
        return published

    def _played(
        self, ratio: float, first: Contest, kinds: LabelModel | None, refitted: Refitted
    ) -> tuple[RatioPublication, Form | None]:
        """Play all rounds for one ratio; return the publication and the form that won the first."""
        run = _RatioRun(self, ratio)
        form = self._advance(run, first, refitted)
        while run.rounds[-1].kept and len(run.rounds) < self.settings.max_rounds:
            self._advance(run, self._later_round(run), Refitted())
        self.settings.progress(f"L/C {ratio:g}: {len(run.classifiers)} rounds")
        publication = RatioPublication(
            ratio,
            self.settings.classifier_set(self.labelled, run.classifiers, kinds),
            tuple(run.rounds),
            self._padded(run.data.redacted, False),
            run.loss,
            held_out=True,
            encoder_reads=self._encoder_reads(first, form),
            redacted_by_seed=tuple(self._padded(m, False) for m in run.redacted_by_seed()),
        )
        return publication, form

    def _encoder_reads(self, first: Contest, form: Form | None) -> float:
        """Return the share of the words that an encoder reads to publish by a form."""
        if form is None or not form.uses_encoder:
            return 0.0
        shares = [0.0]
        for place in first.needed(form):
            stage = first.stages[place]
            if stage.look is not None:
                answers = mean_of([first.stages[s].scores for s in stage.look.sources])
                read = passages(self.labelled.data, answers, stage.look) & self.instances
                shares.append(int(read.sum()) / max(1, int(self.instances.sum())))
            elif stage.by_encoder:
                shares.append(1.0)
        return max(shares)

    def by_form(self, ratio: float) -> dict[str, ClassifierSet]:
        """Return every form of the first round as if it had won, by name; for studies, after `run`.

        Parameters
        ----------
        ratio : float
            The loss ratio L/C.

        """
        first = self.first or self._first_round((ratio,))
        run = _RatioRun(self, ratio)
        run.rounds.append(Round("", 0.0, 0, 0, 0.0, kept=True))  # as in the first round
        judged = self._competition(run, first.scores(), self._live(run), first.scores_again())
        found = {}
        for form in first.forms:
            threshold = judged.entries[form].fit.threshold
            classifier = self._refit(run, first, form, threshold, self.refitted)
            found[form.name] = self.settings.classifier_set(self.labelled, [classifier], None)
        return found

    def seed(self, step: str) -> int:
        return self.settings.streams.seed_of(step)

    def _padded(self, values: npt.NDArray[_T], rest: object) -> npt.NDArray[_T]:
        """Return a value for all tokens, those of the background included."""
        padded = np.full(len(self.whole.data), rest, values.dtype)
        padded[: len(values)] = values
        return padded

    def _learn_background(self) -> StagePlan:
        """Learn from the background corpora alone, once; score the steward's documents by that."""
        whole = self.whole
        model = self.settings.learner.fit(
            whole.data, whole.sensitive, documents=~whole.own, seed=self.seed("background")
        )
        return StagePlan((), model.scores(whole.alone().data), model)

    def _deal(self) -> npt.NDArray[np.int64]:
        """Deal the documents into folds at random.

        Of few documents twice as many folds are made: a model that misses a quarter of them is
        much worse than the one that is published, and its estimate too pessimistic.
        """
        documents = self.labelled.data.documents
        folds = self.settings.folds * (2 if documents < FEW_DOCUMENTS else 1)
        random = self.settings.streams.generator("folds")
        return deal(np.arange(documents), folds, random, of=documents)

    def _competition(
        self,
        run: _RatioRun,
        forms: Mapping[Form, Scores],
        live: Mask,
        again: Sequence[Mapping[Form, Scores]] = (),
    ) -> Competition:
        repeats = None
        if any(form.uses_encoder for form in forms):
            repeats = Repeats(again, self.settings.streams.child("repeats"))
        return Competition(
            forms, live=live, value=run.value, fold_of=self.fold_of,
            document_of=self.labelled.data.document_of, leak=run.losses.max(),
            expected=cost_threshold(run.ratio), repeats=repeats,
        )  # fmt: skip

    def _live(self, run: _RatioRun) -> Mask:
        """Return the words that a round may still redact."""
        return self.instances & ~run.data.redacted & ~self.allowed

    def _first_round(self, ratios: Sequence[float]) -> Contest:
        """Score out of fold by every form that competes.

        A background model contributes in two ways: its scores are features of the steward's own
        classifiers, or its weights are where learning starts. They err differently; their mean is a
        another form. An encoder starts from what it learned from the background.
        """
        stages: list[StagePlan] = []
        plain = self.settings.learner

        def add(sees: Sees, step: str, start: Model | None = None, by: Learner = plain) -> int:
            self.settings.progress(step)

            def learn(seed: int) -> Scores:
                known = [stage.under(seed) for stage in stages]
                data = stage_features(self.labelled.data, sees, known)
                return out_of_fold(by, data, self.sensitive, self.fold, seed=self.seed(step))

            seeds = max((len(stages[s].again) for s, _ in sees if s >= 0), default=0)
            scores, *again = (learn(seed) for seed in range(seeds + 1))
            stages.append(StagePlan(sees, scores, start=start, again=tuple(again)))
            return len(stages) - 1

        once = add((), "pass")
        stack = add(((once, False),), "stack")
        linear: tuple[int, ...] = (once, stack)
        forms = [
            Form("cost-sensitive pass", (once,), incumbent=self.settings.starter is None),
            Form("pass", (once,)),
            Form("stack", (stack,)),
            Form("pass + stack", (once, stack)),
        ]
        if self.background is not None and self.background.fitted is not None:
            known = self.background.fitted
            stages.append(self.background)
            outside = len(stages) - 1
            informed = add(((outside, True),), "background pass")
            both = add(((outside, True), (informed, False)), "background stack")
            linear = (informed, both)
            forms.append(Form("background", linear, uses_background=True))
            if (warm := plain.warm_start(known)) is not None:
                tuned = add((), "background start", known, warm)
                more = add(((tuned, False),), "background start, stack", known, warm)
                linear = (informed, both, more)
                forms.append(Form("background + start", linear, uses_background=True))
        weighed: dict[Form, Scores] = {}
        for name in self.settings.outsiders:
            from .stacking.starter_forms import starter_forms

            forms += starter_forms(self, stages, (once, stack), add, weighed, name)
        if self.settings.encoder is not None:
            from .stacking.encoder_forms import encoder_forms

            forms += encoder_forms(self, stages, linear, add, ratios)
        return Contest(stages, forms, weighed)

    def _later_round(self, run: _RatioRun) -> Contest:
        """Score what is left, out of fold: without and with a view of what the first round thought.

        A quick look comes first: where nothing can be gained even by the threshold that suits the
        folds best, the round ends there.
        """
        step = f"round {len(run.rounds) + 1}"
        plain = Form("pass", (0,))
        if not self._worth_a_round(run, step):
            silent = np.full(len(run.data), -np.inf)
            return Contest([StagePlan((), silent)], [plain])
        stages = []
        for sees in ((), ((-1, True),)):
            data = stage_features(run.data, sees, (), run.scores)
            scores = out_of_fold(
                self.settings.learner, data, self.sensitive, self.fold, seed=self.seed(step)
            )
            stages.append(StagePlan(sees, scores))
        return Contest(stages, [plain, Form("informed", (1,)), Form("pass + informed", (0, 1))])

    def _worth_a_round(self, run: _RatioRun, step: str) -> bool:
        """Return whether a quick learner gains anything; half of the folds may already say no."""
        scout, form, live = self.settings.learner.quick(), Form("pass", (0,)), self._live(run)
        seed = self.seed(step)
        scored = by_fold(
            self.fold,
            lambda learned: scout.fit(run.data, self.sensitive, documents=learned, seed=seed),
            lambda model, held: model.scores(run.data, documents=held),
        )
        scores = np.full(len(live), -np.inf)
        for done, scores in enumerate(scored, 1):
            if done == self.folds // 2:
                seen = live & (self.fold_of < done)
                half = self._competition(run, {form: scores}, seen)
                if half.entries[form].fit.threshold == NEVER:
                    return False
        return self._competition(run, {form: scores}, live).entries[form].fit.gain > 0

    def _advance(self, run: _RatioRun, contest: Contest, refitted: Refitted) -> Form | None:
        """Judge the forms, keep the best if it gains, and redact what it finds; return it if kept."""
        forms = contest.scores()
        judged = self._competition(run, forms, self._live(run), contest.scores_again())
        best = judged.winner()
        threshold = judged.entries[best].fit.threshold
        every = [
            judged.found(seed) & ~self.allowed & ~run.data.redacted for seed in range(judged.seeds)
        ]
        losses = [total_loss(run.losses, self.instances, run.data.redacted | f) for f in every]
        # What is published has another seed: the median represents it, of two the worse.
        seed = int(np.argsort(losses, kind="stable")[len(losses) // 2])
        found, after = every[seed], losses[seed]
        kept = threshold != NEVER and after < run.loss
        totals = {form.name: run.loss - float(judged.gains(form).sum()) for form in forms}
        run.rounds.append(
            Round.of(
                found, run.losses, self.instances,
                form=best.name, threshold=threshold, total_loss=after, kept=kept, forms=totals,
            )
        )  # fmt: skip
        if len(losses) > 1:
            run.rounds[-1] = replace(run.rounds[-1], by_seed=tuple(losses))
        if kept:
            if len(run.rounds) == 1:
                run.by_seed, run.first_found = every, found
            run.classifiers.append(self._refit(run, contest, best, threshold, refitted))
            run.scores.append(judged.entries[best].under(seed))
            run.data = run.data.redact(found)
            run.loss = after
        return best if kept else None

    def _refit(
        self,
        run: _RatioRun,
        contest: Contest,
        form: Form,
        threshold: float,
        refitted: Refitted,
    ) -> Classifier:
        """Learn the stages of a form again, from all documents.

        The first pass is learned as one pass would be, so that nothing but the form is compared.
        """
        needed = contest.needed(form)
        number = {old: new for new, old in enumerate(needed)}
        refitted.learn(
            needed, lambda p: contest.stages[p].fitted or self._refitted_stage(run, contest, p)
        )
        stages = []
        for old in needed:
            plan = contest.stages[old]
            sees = tuple((number[s] if s >= 0 else s, own) for s, own in plan.sees)
            look = plan.look
            if look is not None:
                look = replace(look, sources=tuple(number[s] for s in look.sources))
            stages.append(Stage(refitted.models[old], sees, look))
        voices = tuple(number[voice] for voice in form.voices)
        return Classifier(tuple(stages), voices, threshold, form.name, form.weights, form.bias)

    def _refitted_stage(self, run: _RatioRun, contest: Contest, place: int) -> Model:
        plan = contest.stages[place]
        if plan.refit is not None:
            return plan.refit()
        learner, seed = self.settings.learner, self.settings.seed
        if len(run.rounds) > 1 or place > 0:
            learner = learner.careful()
            if plan.start is not None:
                learner = learner.warm_start(plan.start) or learner
            seed = self.seed(f"refit {len(run.rounds)} {place}")
        known = [stage.scores for stage in contest.stages]
        data = stage_features(run.data, plan.sees, known, run.scores)
        return learner.fit(data, self.sensitive, seed=seed)
