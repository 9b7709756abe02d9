"""The honest search: every decision on documents that were not learned from.

Forms compete out of fold in the first round, which is the same for all ratios; each later round learns
from what the earlier ones left. Thresholds and forms are judged on folds that they were not chosen on;
the classifiers that are kept are learned again from all documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from ....core.threads import side_by_side
from ..learners.folds import by_fold, deal, out_of_fold
from ..learners.protocol import Learner, Model, cost_threshold
from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..reading.labelled import Labelled, total_loss
from .classifiers import Classifier, ClassifierSet, Stage, mean_of, stage_features
from .competition import Competition, Form
from .publication import LINEAR, SECOND_LOOK, STUDENT, Publication, Round
from .settings import Settings
from .stacking.refitted import Refitted
from .stacking.second_look import SecondPass, fit_second_pass, passages
from .thresholds import NEVER

if TYPE_CHECKING:
    from ..learners.encoder.learner import Encoder
    from ..learners.encoder.model import EncoderModel

__all__ = ["CrossFitSearch"]

FEW_DOCUMENTS = 1000
_T = TypeVar("_T", bound=np.generic)
Sees = tuple[tuple[int, bool], ...]  # see `classifiers.Stage.sees`


@dataclass(frozen=True, eq=False)
class _StagePlan:
    """A stage before it is refitted: what it sees and its scores out of fold.

    `fitted` is a model that is not learned again, `start` one that learning starts from. `refit` learns
    a stage that is not the learner's own; with a `look` it reads only some passages.
    """

    sees: Sees
    scores: Scores
    fitted: Model | None = None
    start: Model | None = None
    refit: Callable[[], Model] | None = None
    look: SecondPass | None = None
    by_encoder: bool = False


@dataclass(frozen=True, eq=False)
class _Contest:
    """The stages of one round and the forms that are made of them."""

    stages: Sequence[_StagePlan]
    forms: Sequence[Form]

    def scores(self) -> dict[Form, Scores]:
        return {
            form: mean_of([self.stages[voice].scores for voice in form.voices])
            for form in self.forms
        }

    def needed(self, form: Form) -> list[int]:
        """Return the stages that a form needs, in order."""
        needed = set(form.voices)
        for place in range(len(self.stages) - 1, -1, -1):
            if place in needed:
                stage = self.stages[place]
                needed |= {source for source, _ in stage.sees if source >= 0}
                needed |= set(stage.look.sources if stage.look is not None else ())
        return sorted(needed)

    def of_way(self, way: str, *, encoder: bool) -> _Contest:
        """Return the contest among the forms of one way, and those of the usual way beside them.

        Without `encoder`, forms of the usual way that need one are left out.
        """
        forms = [
            form
            for form in self.forms
            if form.way == way or (not form.way and (encoder or not form.uses_encoder))
        ]
        return _Contest(self.stages, forms)

    def ways(self) -> list[str]:
        """Return the ways that forms publish in, other than the usual one."""
        return list(dict.fromkeys(form.way for form in self.forms if form.way))


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
        self.background: _StagePlan | None = None
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
        self.alternatives: list[Publication] = []
        self.first: _Contest | None = None
        self.refitted = Refitted()

    def run(self, ratios: Sequence[float]) -> dict[float, Publication]:
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

        def searched(ratio: float) -> list[Publication]:
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
        self, ratio: float, first: _Contest, kinds: tuple[Model, ...], refitted: Refitted
    ) -> tuple[Publication, Form | None]:
        """Play all rounds for one ratio; return the publication and the form that won the first."""
        run = _RatioRun(self, ratio)
        form = self._advance(run, first, refitted)
        while run.rounds[-1].kept and len(run.rounds) < self.settings.max_rounds:
            self._advance(run, self._later_round(run), Refitted())
        self.settings.progress(f"L/C {ratio:g}: {len(run.classifiers)} rounds")
        publication = Publication(
            ratio,
            self.settings.classifier_set(self.labelled, run.classifiers, kinds),
            tuple(run.rounds),
            self._padded(run.data.redacted, False),
            run.loss,
            held_out=True,
            encoder_reads=self._encoder_reads(first, form),
        )
        return publication, form

    def _encoder_reads(self, first: _Contest, form: Form | None) -> float:
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
        judged = self._competition(run, first.scores(), self._live(run))
        found = {}
        for form in first.forms:
            threshold = judged.entries[form].fit.threshold
            classifier = self._refit(run, first, form, threshold, self.refitted)
            found[form.name] = self.settings.classifier_set(self.labelled, [classifier], ())
        return found

    def _seed(self, step: str) -> int:
        return self.settings.streams.seed_of(step)

    def _padded(self, values: npt.NDArray[_T], rest: object) -> npt.NDArray[_T]:
        """Return a value for all tokens, those of the background included."""
        padded = np.full(len(self.whole.data), rest, values.dtype)
        padded[: len(values)] = values
        return padded

    def _learn_background(self) -> _StagePlan:
        """Learn from the background corpora alone, once; score the steward's documents by that."""
        whole = self.whole
        model = self.settings.learner.fit(
            whole.data, whole.sensitive, documents=~whole.own, seed=self._seed("background")
        )
        return _StagePlan((), model.scores(whole.alone().data), model)

    def _deal(self) -> npt.NDArray[np.int64]:
        """Deal the documents into folds at random.

        Of few documents twice as many folds are made: a model that misses a quarter of them is
        much worse than the one that is published, and its estimate too pessimistic.
        """
        documents = self.labelled.data.documents
        folds = self.settings.folds * (2 if documents < FEW_DOCUMENTS else 1)
        random = self.settings.streams.generator("folds")
        return deal(np.arange(documents), folds, random, of=documents)

    def _competition(self, run: _RatioRun, forms: Mapping[Form, Scores], live: Mask) -> Competition:
        return Competition(
            forms, live=live, value=run.value, fold_of=self.fold_of,
            document_of=self.labelled.data.document_of, leak=run.losses.max(),
            expected=cost_threshold(run.ratio),
        )  # fmt: skip

    def _live(self, run: _RatioRun) -> Mask:
        """The words that a round may still redact."""
        return self.instances & ~run.data.redacted & ~self.allowed

    def _first_round(self, ratios: Sequence[float]) -> _Contest:
        """Score out of fold by every form that competes.

        A background model contributes in two ways: its scores are features of the steward's own
        classifiers, or its weights are where learning starts. They err differently; their mean is a
        form of its own. An encoder starts from what it learned from the background.
        """
        stages: list[_StagePlan] = []
        plain = self.settings.learner

        def add(sees: Sees, step: str, start: Model | None = None, by: Learner = plain) -> int:
            self.settings.progress(step)
            data = stage_features(self.labelled.data, sees, [stage.scores for stage in stages])
            scores = out_of_fold(by, data, self.sensitive, self.fold, seed=self._seed(step))
            stages.append(_StagePlan(sees, scores, start=start))
            return len(stages) - 1

        once = add((), "pass")
        stack = add(((once, False),), "stack")
        linear: tuple[int, ...] = (once, stack)
        forms = [
            Form("cost-sensitive pass", (once,), incumbent=True),
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
        if self.settings.encoder is not None:
            forms += self._encoder_forms(self.settings.encoder, stages, linear, add, ratios)
        return _Contest(stages, forms)

    def _encoder_forms(
        self,
        encoder: Encoder,
        stages: list[_StagePlan],
        linear: tuple[int, ...],
        add: Callable[[Sees, str], int],
        ratios: Sequence[float],
    ) -> list[Form]:
        """Add the encoder's stages: alone, seen by a CRF, as a second look, and its student."""
        from .stacking.encoded import Student, encode_folds, learn_from_background

        settings, data = self.settings, self.labelled.data
        informed = self.background is not None
        if informed:
            settings.progress("encoder, background")
            start = learn_from_background(encoder, self.whole, settings.streams)
            encoder = encoder.warm_start(start) or encoder
        first = mean_of([stages[voice].scores for voice in linear])
        centre = float(np.mean([cost_threshold(min(ratios)), cost_threshold(max(ratios))]))
        look = fit_second_pass(data, first, linear, centre=centre)
        student = None
        if settings.unlabelled is not None:
            student = Student(settings.unlabelled, data.documents, self.sensitive, settings.learner)
        settings.progress("encoder")
        seed = self._seed("encoder")
        scored = encode_folds(
            encoder, data, self.sensitive, self.fold,
            first=first, look=look, student=student, seed=seed,
        )  # fmt: skip
        tuned: list[EncoderModel] = []

        def refit() -> EncoderModel:
            if not tuned:  # the same model reads everywhere, looks again and teaches
                settings.progress("encoder, all documents")
                tuned.append(encoder.fit(data, self.sensitive, seed=seed))
            return tuned[0]

        def placed(plan: _StagePlan) -> int:
            stages.append(plan)
            return len(stages) - 1

        whole = placed(_StagePlan((), scored.whole, refit=refit, by_encoder=True))
        sees = add(((whole, True),), "sees the encoder")
        deep = add(((whole, True), (sees, False)), "sees the encoder, stack")
        again = placed(_StagePlan((), scored.looked, refit=refit, look=look))
        k = len(linear)

        def form(name: str, *voices: int, way: str = "", encoder: bool = True) -> Form:
            return Form(name, voices, uses_background=informed, uses_encoder=encoder, way=way)

        # Voices are repeated so that each reader counts the same, however many stages it has.
        forms = [
            form("encoder", whole),
            form("CRF + encoder", *linear, *[whole] * k),
            form("CRF that sees the encoder", sees, deep),
            form("encoder + CRF that sees it", whole, whole, sees, deep),
            replace(form("CRF + encoder + CRF that sees it", *linear * 2, *[whole, sees, deep] * k,
                         *[whole] * k), preferred=True),
            form("second look", *linear, *[again] * k, way=SECOND_LOOK),
        ]  # fmt: skip
        if student is not None and scored.student is not None:
            own = student

            def learn_student() -> Model:
                every = np.ones(data.documents, np.bool_)
                careful = settings.learner.careful()
                return own.learned(refit(), every, seed=seed, learner=careful)

            pupil = placed(_StagePlan((), scored.student, refit=learn_student))
            stacked = add(((pupil, False),), "student, stack")
            forms += [
                form("student", pupil, way=STUDENT, encoder=False),
                form("student + stack", pupil, stacked, way=STUDENT, encoder=False),
                form("student + CRF", pupil, stacked, *linear, way=STUDENT, encoder=False),
            ]
        return forms

    def _later_round(self, run: _RatioRun) -> _Contest:
        """Score what is left, out of fold: without and with a view of what the first round thought.

        A quick look comes first: where nothing can be gained even by the threshold that suits the
        folds best, the round ends there.
        """
        step = f"round {len(run.rounds) + 1}"
        plain = Form("pass", (0,))
        if not self._worth_a_round(run, step):
            silent = np.full(len(run.data), -np.inf)
            return _Contest([_StagePlan((), silent)], [plain])
        stages = []
        for sees in ((), ((-1, True),)):
            data = stage_features(run.data, sees, (), run.scores)
            scores = out_of_fold(
                self.settings.learner, data, self.sensitive, self.fold, seed=self._seed(step)
            )
            stages.append(_StagePlan(sees, scores))
        return _Contest(stages, [plain, Form("informed", (1,)), Form("pass + informed", (0, 1))])

    def _worth_a_round(self, run: _RatioRun, step: str) -> bool:
        """Return whether a quick learner gains anything; half of the folds may already say no."""
        scout, form, live = self.settings.learner.quick(), Form("pass", (0,)), self._live(run)
        seed = self._seed(step)
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

    def _advance(self, run: _RatioRun, contest: _Contest, refitted: Refitted) -> Form | None:
        """Judge the forms, keep the best if it gains, and redact what it finds; return it if kept."""
        scores = contest.scores()
        judged = self._competition(run, scores, self._live(run))
        best = judged.winner()
        threshold = judged.entries[best].fit.threshold
        found = judged.found() & ~self.allowed & ~run.data.redacted
        after = total_loss(run.losses, self.instances, run.data.redacted | found)
        kept = threshold != NEVER and after < run.loss
        totals = {form.name: run.loss - float(judged.gains(form).sum()) for form in scores}
        run.rounds.append(
            Round.of(
                found, run.losses, self.instances,
                form=best.name, threshold=threshold, total_loss=after, kept=kept, forms=totals,
            )
        )  # fmt: skip
        if kept:
            run.classifiers.append(self._refit(run, contest, best, threshold, refitted))
            run.scores.append(scores[best])
            run.data = run.data.redact(found)
            run.loss = after
        return best if kept else None

    def _refit(
        self,
        run: _RatioRun,
        contest: _Contest,
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
        return Classifier(tuple(stages), voices, threshold, form.name)

    def _refitted_stage(self, run: _RatioRun, contest: _Contest, place: int) -> Model:
        plan = contest.stages[place]
        if plan.refit is not None:
            return plan.refit()
        learner, seed = self.settings.learner, self.settings.seed
        if len(run.rounds) > 1 or place > 0:
            learner = learner.careful()
            if plan.start is not None:
                learner = learner.warm_start(plan.start) or learner
            seed = self._seed(f"refit {len(run.rounds)} {place}")
        known = [stage.scores for stage in contest.stages]
        data = stage_features(run.data, plan.sees, known, run.scores)
        return learner.fit(data, self.sensitive, seed=seed)
