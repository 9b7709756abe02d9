"""GreedySanitize: learn, redact what was found, learn again from what is left, stop without gain.

`mode="paper"` is Algorithm 1 as written. `mode="honest"` takes every decision (threshold, form, stop)
on predictions for documents that the model has not seen, and refits on all documents at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.errors import DataError, ParameterError
from ...core.randomness import Streams
from .classifiers import Classifier, ClassifierSet, Scores, Stage, staged
from .features import RESERVED, TokenData
from .learners.crf import CRF
from .learners.protocol import Learner, Model, cost_threshold
from .thresholds import NEVER, CrossFit, GainCurves
from .word_lists import WordList

__all__ = ["GreedySanitize", "Labelled", "Publication", "Round", "total_loss"]

MODES = ("honest", "paper")
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Labelled tokens to learn from: i + 1 marks the sensitive kind i of `names`.

    `own` says which documents are the steward's; the others are background and stand after them.
    """

    data: TokenData
    labels: npt.NDArray[np.int16]
    names: tuple[str, ...]
    own: Mask

    @property
    def sensitive(self) -> npt.NDArray[np.uint8]:
        return (self.labels > 0).astype(np.uint8)

    def losses(self, ratio: float, weights: Mapping[str, float]) -> npt.NDArray[np.float64]:
        """Give each token's L in units of C: 0 where it is not sensitive or no instance."""
        by_label = np.array([0.0, *(ratio * weights.get(name, 1.0) for name in self.names)])
        return np.where(self.instances, by_label[self.labels], 0.0)

    def alone(self) -> Labelled:
        """Give the steward's documents without the background."""
        count = int(np.count_nonzero(self.own))
        if not self.own[:count].all():
            raise DataError("The background must stand after the steward's own documents.")
        data = self.data.first_documents(count)
        return Labelled(data, self.labels[: len(data)], self.names, self.own[:count])

    @property
    def instances(self) -> Mask:
        """Words of the steward's documents."""
        return self.data.words.counted[self.data.tokens.type + RESERVED] & self.own[self.data.document_of]


def total_loss(losses: npt.NDArray[np.float64], instances: Mask, redacted: Mask) -> float:
    """T(H) = L·FN + C·FP, in units of C.

    >>> total_loss(np.array([10.0, 0, 0]), np.ones(3, bool), np.array([False, True, False]))
    11.0
    """
    return float(losses[~redacted].sum() + np.count_nonzero(instances & redacted & (losses == 0)))


@dataclass(frozen=True)
class Round:
    """What one round did, judged on documents that its decisions were not made on."""

    form: str
    threshold: float
    found: int
    false_positives: int
    total_loss: float
    kept: bool
    forms: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        threshold = None if np.isinf(self.threshold) else round(self.threshold, 4)
        return {
            "form": self.form,
            "threshold": threshold,
            "found": self.found,
            "false_positives": self.false_positives,
            "total_loss": self.total_loss,
            "kept": self.kept,
            "total_loss_by_form": dict(self.forms),
        }


@dataclass(frozen=True, eq=False)
class Publication:
    """A candidate: the chosen classifiers, the record of the rounds, and the honest estimate.

    `redacted` are the decisions on the labelled tokens by models that had not seen the document (in
    paper mode: by the classifiers themselves, in sample).
    """

    ratio: float
    classifiers: ClassifierSet
    rounds: tuple[Round, ...]
    redacted: Mask
    total_loss: float
    held_out: bool


@dataclass(frozen=True, eq=False)
class _Plan:
    """A stage before it is refitted: what it sees and its scores out of fold."""

    sees: tuple[tuple[int, bool], ...]
    scores: Scores
    fitted: Model | None = None


@dataclass(eq=False)
class _State:
    """Where one ratio's publisher stands."""

    data: TokenData
    rounds: list[Round]
    classifiers: list[Classifier]
    scores: list[Scores]
    loss: float


class GreedySanitize:
    """The publisher.

    `folds` by document decide in honest mode; `rounds` is a limit that the stop rule should never
    meet. `deny` words are redacted before anything is learned, `allow` words never.
    """

    def __init__(
        self,
        learner: Learner | None = None,
        *,
        mode: str = "honest",
        folds: int = 4,
        rounds: int = 8,
        weights: Mapping[str, float] | None = None,
        deny: WordList | None = None,
        allow: WordList | None = None,
        seed: int = 0,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        if mode not in MODES:
            raise ParameterError.constraint(
                "mode", "GreedySanitize", "'honest' or 'paper'", mode
            )
        if folds < 2:
            raise ParameterError.constraint("folds", "GreedySanitize", "an int in [2, inf)", folds)
        if learner is None:
            learner = CRF.literal() if mode == "paper" else CRF()
        self.learner: Learner = learner
        self.mode = mode
        self.folds = folds
        self.rounds = rounds
        self.weights = dict(weights or {})
        self.deny = WordList() if deny is None else deny
        self.allow = WordList() if allow is None else allow
        self.seed = seed
        self.progress = progress or (lambda _: None)
        self.first_pass: Scores | None = None

    def fit(self, labelled: Labelled, ratios: Sequence[float]) -> dict[float, Publication]:
        """Choose the classifiers for each ratio L/C; what does not depend on it is learned once."""
        self._check(labelled, ratios)
        allowed = self.allow.matches(labelled.data)
        denied = self.deny.matches(labelled.data) & ~allowed
        if denied.any():
            labelled = replace(labelled, data=labelled.data.redact(denied))
        if self.mode == "paper":
            return self._paper(labelled, ratios, allowed)
        return self._honest(labelled, ratios, allowed)

    def _check(self, labelled: Labelled, ratios: Sequence[float]) -> None:
        for ratio in ratios:
            if not (ratio > 0 and np.isfinite(ratio)):
                raise ParameterError.constraint(
                    "ratios", "GreedySanitize", "positive numbers", ratio
                )
        words, sensitive = labelled.instances, labelled.labels > 0
        if not (words & sensitive).any():
            raise DataError(
                "No word of the corpus carries one of the labels.",
                hint="check the names of the labels: case matters.",
            )
        if not (words & ~sensitive).any():
            raise DataError(
                "Every word of the corpus is sensitive: there is nothing to publish and nothing to "
                "learn from."
            )
        if self.mode == "honest" and np.count_nonzero(labelled.own) < 2:
            raise DataError(
                "Honest mode judges on documents that were not learned from, and there is only one.",
                hint="give at least 2 labelled documents (a few hundred are usual).",
            )

    def _set(self, labelled: Labelled, classifiers: Sequence[Classifier],
             typing: tuple[Model, ...]) -> ClassifierSet:  # fmt: skip
        return ClassifierSet(
            labelled.names,
            tuple(classifiers),
            typing,
            labelled.data.words.knowledge,
            self.deny,
            self.allow,
        )

    def _typing(self, labelled: Labelled) -> tuple[Model, ...]:
        """Learn what each kind looks like, when there are several."""
        if len(labelled.names) < 2:
            return ()
        seed = Streams(self.seed).seed_of("typing")
        return tuple(
            self.learner.fit(
                labelled.data,
                (labelled.labels == k + 1).astype(np.uint8),
                documents=labelled.own,
                seed=seed,
            )
            for k in range(len(labelled.names))
        )

    # Algorithm 1 as written.

    def _paper(self, labelled: Labelled, ratios: Sequence[float], allowed: Mask) -> dict[float, Publication]:
        """Run the literal algorithm; the ratio only says when to stop, so rounds are learned once."""
        instances = labelled.instances
        learned: list[tuple[Model, Mask, TokenData]] = []

        def learn(data: TokenData) -> tuple[Model, Mask, TokenData]:
            seed = Streams(self.seed).seed_of(f"round {len(learned) + 1}")
            model = self.learner.fit(data, labelled.sensitive, documents=labelled.own, seed=seed)
            found = (model.scores(data) >= 0.0) & ~allowed
            self.progress(f"round {len(learned) + 1}")
            return model, found, data.redact(found)

        typing = self._typing(labelled)
        published = {}
        for ratio in ratios:
            losses = labelled.losses(ratio, self.weights)
            data = labelled.data
            loss = total_loss(losses, instances, data.redacted)
            rounds: list[Round] = []
            # Theorem 1: at most as many rounds as instances; each kept round redacts one or more.
            while not rounds or rounds[-1].kept:
                if len(rounds) == len(learned):
                    learned.append(learn(data))
                _, found, after = learned[len(rounds)]
                then = total_loss(losses, instances, after.redacted)
                kept = then - loss < 0
                rounds.append(_round("pass", 0.0, found, losses, instances, then, kept, {}))
                if kept:
                    data, loss = after, then
            chosen = [Classifier((Stage(model),), (0,), 0.0, "pass") for model, _, _ in learned]
            published[ratio] = Publication(
                ratio,
                self._set(labelled, chosen[: len(rounds) - 1], typing),
                tuple(rounds),
                data.redacted,
                loss,
                held_out=False,
            )
        return published

    # Every decision on documents that were not learned from.

    def _honest(
        self, labelled: Labelled, ratios: Sequence[float], allowed: Mask
    ) -> dict[float, Publication]:
        total = len(labelled.data)
        outside = None
        if not labelled.own.all():
            self.progress("background")
            outside = self._background(labelled)
            labelled, allowed = labelled.alone(), allowed[: len(outside.scores)]
        fold = self._fold(labelled)
        plans, forms = self._first_round(labelled, fold, outside)
        self.first_pass = plans[0].scores
        typing = self._typing(labelled)
        refitted: dict[int, Model] = {}
        published = {}
        for ratio in ratios:
            state = _State(
                labelled.data, [], [], [],
                total_loss(
                    labelled.losses(ratio, self.weights), labelled.instances, labelled.data.redacted
                ),
            )  # fmt: skip
            self._advance(state, labelled, fold, ratio, allowed, plans, forms, refitted)
            while state.rounds[-1].kept and len(state.rounds) < self.rounds:
                losses = labelled.losses(ratio, self.weights)
                live = labelled.instances & ~state.data.redacted & ~allowed
                value = np.where(losses > 0, losses, -1.0)
                more, names = self._later_round(state, labelled, fold, ratio, value, live)
                self._advance(state, labelled, fold, ratio, allowed, more, names, {})
            chosen = self._set(labelled, state.classifiers, typing)
            published[ratio] = Publication(
                ratio, chosen, tuple(state.rounds), _padded(state.data.redacted, total), state.loss,
                held_out=True,
            )
            self.progress(f"L/C {ratio:g}: {len(state.classifiers)} rounds")
        return published

    def _background(self, labelled: Labelled) -> _Plan:
        """Learn from the background corpora alone, once; score the steward's documents by that."""
        model = self.learner.fit(
            labelled.data,
            labelled.sensitive,
            documents=~labelled.own,
            seed=Streams(self.seed).seed_of("background"),
        )
        return _Plan((), model.scores(labelled.alone().data), model)

    def _fold(self, labelled: Labelled) -> npt.NDArray[np.int64]:
        """Deal the steward's documents into folds at random; background is in none (−1)."""
        own = np.flatnonzero(labelled.own)
        random = Streams(self.seed).generator("folds")
        fold = np.full(labelled.data.documents, -1)
        fold[random.permutation(own)] = np.arange(len(own)) % self.folds
        return fold

    def _out_of_fold(
        self, data: TokenData, labels: npt.NDArray[np.uint8], fold: npt.NDArray[np.int64], step: str
    ) -> Scores:
        scores = np.full(len(data), -np.inf)
        seed = Streams(self.seed).seed_of(step)
        for held_out in range(int(fold.max()) + 1):
            inside = fold == held_out
            learned_from = (fold >= 0) & ~inside
            model = self.learner.fit(data, labels, documents=learned_from, seed=seed)
            np.maximum(scores, model.scores(data, documents=inside), out=scores)
        return scores

    def _first_round(
        self, labelled: Labelled, fold: npt.NDArray[np.int64], background: _Plan | None
    ) -> tuple[list[_Plan], dict[str, tuple[int, ...]]]:
        """Score out of fold by every form that competes; the same for all ratios."""
        data, labels = labelled.data, labelled.sensitive
        plans: list[_Plan] = []

        def add(sees: tuple[tuple[int, bool], ...], step: str) -> int:
            known = [plan.scores for plan in plans]
            self.progress(step)
            plans.append(
                _Plan(sees, self._out_of_fold(staged(data, sees, known), labels, fold, step))
            )
            return len(plans) - 1

        once = add((), "pass")
        stack = add(((once, False),), "stack")
        forms = {"pass": (once,), "stack": (stack,), "pass + stack": (once, stack)}
        if background is not None:
            plans.append(background)
            outside = len(plans) - 1
            informed = add(((outside, True),), "background pass")
            both = add(((outside, True), (informed, False)), "background stack")
            forms |= {
                "background pass": (informed,),
                "background stack": (both,),
                "background pass + stack": (informed, both),
                "stack + background stack": (stack, both),
            }
        return plans, forms

    def _later_round(
        self, state: _State, labelled: Labelled, fold: npt.NDArray[np.int64], ratio: float,
        value: Scores, live: Mask,
    ) -> tuple[list[_Plan], dict[str, tuple[int, ...]]]:
        """Score what is left, out of fold: without and with a view of what the first round thought.

        A quick look at some folds comes first: where nothing can be gained even by the threshold
        that suits them best, the round ends there.
        """
        step = f"round {len(state.rounds) + 1}"
        fold_of, folds = fold[labelled.data.document_of], int(fold.max()) + 1
        scout = self.learner.quick() if isinstance(self.learner, CRF) else self.learner
        scores = np.full(len(live), -np.inf)
        nothing: tuple[list[_Plan], dict[str, tuple[int, ...]]] = [_Plan((), scores)], {"pass": (0,)}
        for held_out in range(folds):
            inside = fold == held_out
            model = scout.fit(
                state.data,
                labelled.sensitive,
                documents=(fold >= 0) & ~inside,
                seed=Streams(self.seed).seed_of(step),
            )
            np.maximum(scores, model.scores(state.data, documents=inside), out=scores)
            if held_out + 1 in {folds // 2, folds}:
                seen = live & (fold_of <= held_out)
                curves = GainCurves(
                    scores[seen], value[seen], fold_of[seen], folds, expected=cost_threshold(ratio)
                )
                if curves.best(np.ones(folds, np.bool_))[0] == NEVER:
                    return [_Plan((), np.full(len(live), -np.inf))], {"pass": (0,)}
        if curves.cross_fit().gain <= 0:
            return nothing
        plans = []
        for sees in ((), ((-1, True),)):
            data = staged(state.data, sees, (), state.scores)
            plans.append(_Plan(sees, self._out_of_fold(data, labelled.sensitive, fold, step)))
        return plans, {"pass": (0,), "informed": (1,), "pass + informed": (0, 1)}

    def _advance(
        self, state: _State, labelled: Labelled, fold: npt.NDArray[np.int64], ratio: float,
        allowed: Mask, plans: Sequence[_Plan], forms: Mapping[str, tuple[int, ...]],
        refitted: dict[int, Model],
    ) -> None:  # fmt: skip
        """Judge the forms, keep the best if it gains, and redact what it finds."""
        instances, losses = labelled.instances, labelled.losses(ratio, self.weights)
        live = instances & ~state.data.redacted & ~allowed
        value = np.where(losses > 0, losses, -1.0)
        fold_of = fold[labelled.data.document_of]
        folds = int(fold.max()) + 1
        judged: dict[str, tuple[CrossFit, GainCurves, Scores]] = {}
        for name, voices in forms.items():
            with np.errstate(invalid="ignore"):
                scores = np.mean([plans[v].scores for v in voices], axis=0)
            curves = GainCurves(
                scores[live], value[live], fold_of[live], folds, expected=cost_threshold(ratio)
            )
            judged[name] = curves.cross_fit(), curves, scores
        totals = {name: state.loss - j[0].gain for name, j in judged.items()}
        best = min(totals, key=totals.__getitem__)  # the first of equals: the simplest form
        fit, _, scores = judged[best]
        # The form, too, is chosen for each fold on the others, so that the estimate stays honest.
        cut, seen = self._judge_fairly(judged, folds)
        found = np.zeros(len(live), np.bool_)
        mixed = np.full(len(live), -np.inf)
        for j in range(folds):
            inside = fold_of == j
            mixed[inside] = judged[seen[j]][2][inside]
            found |= inside & (mixed >= cut[j])
        found &= ~allowed & ~state.data.redacted
        after = total_loss(losses, instances, state.data.redacted | found)
        kept = fit.threshold != NEVER and after < state.loss
        state.rounds.append(
            _round(best, fit.threshold, found, losses, instances, after, kept, totals)
        )
        if not kept:
            return
        voices = forms[best]
        needed = _closure(voices, plans)
        number = {old: new for new, old in enumerate(needed)}
        stages = []
        for old in needed:
            plan = plans[old]
            if old not in refitted:
                refitted[old] = plan.fitted or self.learner.fit(
                    staged(state.data, plan.sees, [p.scores for p in plans], state.scores),
                    labelled.sensitive,
                    documents=labelled.own,
                    seed=Streams(self.seed).seed_of(f"refit {len(state.rounds)} {old}"),
                )
            sees = tuple((number[s] if s >= 0 else s, own) for s, own in plan.sees)
            stages.append(Stage(refitted[old], sees))
        state.classifiers.append(
            Classifier(tuple(stages), tuple(number[v] for v in voices), fit.threshold, best)
        )
        state.scores.append(scores)
        state.data = state.data.redact(found)
        state.loss = after

    @staticmethod
    def _judge_fairly(
        judged: Mapping[str, tuple[CrossFit, GainCurves, Scores]], folds: int
    ) -> tuple[list[float], list[str]]:
        """For each fold, take the form that gains most on the other folds, and its threshold."""
        cut, seen = [], []
        for j in range(folds):
            others = np.arange(folds) != j
            gains = {name: curves.best(others) for name, (_, curves, _) in judged.items()}
            name = max(gains, key=lambda n: gains[n][1])
            cut.append(gains[name][0])
            seen.append(name)
        return cut, seen


def _padded(mask: Mask, size: int) -> Mask:
    """Give the mask for all tokens: nothing of the background is redacted."""
    padded = np.zeros(size, np.bool_)
    padded[: len(mask)] = mask
    return padded


def _closure(voices: Sequence[int], plans: Sequence[_Plan]) -> list[int]:
    """List the stages that some stages need, in order."""
    needed = set(voices)
    for place in range(len(plans) - 1, -1, -1):
        if place in needed:
            needed |= {source for source, _ in plans[place].sees if source >= 0}
    return sorted(needed)


def _round(
    form: str, threshold: float, found: Mask, losses: npt.NDArray[np.float64], instances: Mask,
    after: float, kept: bool, forms: Mapping[str, float],
) -> Round:  # fmt: skip
    return Round(
        form,
        threshold,
        int(np.count_nonzero(found & (losses > 0))),
        int(np.count_nonzero(found & instances & (losses == 0))),
        after,
        kept,
        forms,
    )
