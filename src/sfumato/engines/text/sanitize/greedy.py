"""GreedySanitize: learn, redact what was found, learn again from what is left, stop without gain.

`mode="paper"` is Algorithm 1 as written. `mode="honest"` takes every decision (threshold, form, stop)
on predictions for documents that the model has not seen, and refits on all documents at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ....core.errors import DataError, ParameterError
from ....core.randomness import Streams
from ..learners.crf import CRF
from ..learners.protocol import Learner, Model, deal
from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..reading.labelled import Labelled, total_loss
from ..reading.word_lists import WordList
from .classifiers import Classifier, ClassifierSet, Stage
from .cross_fit import HonestSearch
from .publication import Publication, Round

__all__ = ["GreedySanitize"]

MODES = ("honest", "paper")


class GreedySanitize:
    """The publisher.

    `folds` by document decide in honest mode (twice as many where documents are few); `rounds` is a
    limit that the stop rule should never meet. `deny` words are redacted before anything is learned,
    `allow` words never.
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
            raise ParameterError.constraint("mode", "GreedySanitize", "'honest' or 'paper'", mode)
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
        self.folds_used = 0

    def fit(self, labelled: Labelled, ratios: Sequence[float]) -> dict[float, Publication]:
        """Choose the classifiers for each ratio L/C; what does not depend on it is learned once."""
        self._check(labelled, ratios)
        labelled, allowed = self._with_lists(labelled)
        if self.mode == "paper":
            typing = self.learn_kinds(labelled)
            return self._paper(labelled, ratios, allowed, labelled.own, typing)
        search = HonestSearch(self, labelled, allowed)
        published = search.run(ratios)
        self.first_pass, self.folds_used = search.first_pass, search.folds
        return published

    def held_out(self, labelled: Labelled, ratios: Sequence[float]) -> dict[float, Mask]:
        """Judge the literal algorithm on documents it has not learned from, fold by fold.

        Gives for each ratio what is redacted when each document is left to the classifiers of the other folds.
        """
        redacted = {ratio: np.zeros(len(labelled.data), np.bool_) for ratio in ratios}
        labelled, allowed = self._with_lists(labelled.alone())
        documents, words = labelled.data.documents, len(labelled.data)
        random = Streams(self.seed).generator("folds")
        fold = deal(np.arange(documents), self.folds, random, of=documents)
        for held in range(int(fold.max()) + 1):
            inside = (fold == held)[labelled.data.document_of]
            part = self._paper(labelled, ratios, allowed, fold != held, ())
            for ratio, publication in part.items():
                redacted[ratio][:words] |= publication.redacted & inside
        return redacted

    def _with_lists(self, labelled: Labelled) -> tuple[Labelled, Mask]:
        """Redact what is on the deny list; say which tokens the allow list keeps."""
        allowed = self.allow.matches(labelled.data)
        denied = self.deny.matches(labelled.data) & ~allowed
        if denied.any():
            labelled = replace(labelled, data=labelled.data.redact(denied))
        return labelled, allowed

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

    def classifier_set(
        self, labelled: Labelled, classifiers: Sequence[Classifier], typing: tuple[Model, ...]
    ) -> ClassifierSet:
        """Put the chosen classifiers together."""
        return ClassifierSet(
            labelled.names,
            tuple(classifiers),
            typing,
            labelled.data.words.knowledge,
            self.deny,
            self.allow,
        )

    def learn_kinds(self, labelled: Labelled) -> tuple[Model, ...]:
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

    def _paper(
        self, labelled: Labelled, ratios: Sequence[float], allowed: Mask, learned_from: Mask,
        typing: tuple[Model, ...],
    ) -> dict[float, Publication]:  # fmt: skip
        """Run the literal algorithm; the ratio only says when to stop, so rounds are learned once."""
        instances = labelled.instances & learned_from[labelled.data.document_of]
        learned: list[tuple[Model, Mask, TokenData]] = []

        def learn(data: TokenData) -> tuple[Model, Mask, TokenData]:
            seed = Streams(self.seed).seed_of(f"round {len(learned) + 1}")
            model = self.learner.fit(data, labelled.sensitive, documents=learned_from, seed=seed)
            found = (model.scores(data) >= 0.0) & ~allowed
            self.progress(f"round {len(learned) + 1}")
            return model, found, data.redact(found)

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
                rounds.append(
                    Round.of(
                        found, losses, instances,
                        form="pass", threshold=0.0, total_loss=then, kept=kept,
                    )
                )  # fmt: skip
                if kept:
                    data, loss = after, then
            chosen = [Classifier((Stage(model),), (0,), 0.0, "pass") for model, _, _ in learned]
            published[ratio] = Publication(
                ratio,
                self.classifier_set(labelled, chosen[: len(rounds) - 1], typing),
                tuple(rounds),
                data.redacted,
                loss,
                held_out=False,
            )
        return published
