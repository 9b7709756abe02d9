"""GreedySanitize: learn, redact what was found, learn again from what is left, stop without gain.

`mode="paper"` is Algorithm 1 as written, here. `mode="honest"` takes every decision (threshold, form,
stop) on predictions for documents that the model has not seen, and refits on all documents at the end
(`cross_fit.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ....core.errors import DataError, ParameterError
from ....core.threads import side_by_side
from ..learners.crf import CRF
from ..learners.folds import deal
from ..learners.labels import LabelModel
from ..learners.protocol import Learner, Model
from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..reading.labelled import Labelled, total_loss
from ..reading.word_lists import WordList
from .classifiers import Classifier, Stage
from .cross_fit import CrossFitSearch
from .modes import MODES
from .publication import RatioPublication, Round
from .settings import Settings

if TYPE_CHECKING:
    from ..learners.pretrained import PretrainedEncoder

__all__ = ["GreedySanitize"]


class GreedySanitize:
    """Choose the classifiers that sanitize a corpus, for one or more loss ratios L/C.

    Parameters
    ----------
    learner : Learner, default None
        Learns every classifier; None is the CRF (in paper mode, the plain CRF of the papers).
    mode : {"honest", "paper"}, default "honest"
        Whether decisions are taken on unseen documents or, as printed, on the training data.
    folds : int, default 4
        Folds by document; honest mode uses twice as many if there are few documents.
    max_rounds : int, default 8
        A limit on the rounds of honest mode that the stop rule should never meet.
    weights : mapping from str to float, default None
        Factors of L per label.
    deny, allow : WordList, default None
        Words that are redacted before anything is learned, and words that never are.
    seed : int, default 0
        The seed of every random choice.
    progress : callable, default None
        Called with a short note before each step.
    encoder : PretrainedEncoder, default None
        A pretrained encoder that takes part in honest mode.
    unlabelled : TokenData, default None
        The steward's documents followed by unlabelled ones, from which a student of the encoder
        learns.
    starter : tuple of Model and array, default None
        A model that was learned elsewhere and adapted without labels, and its log-odds of the tokens;
        takes part in honest mode.
    detector : tuple of Model and array, default None
        A detector of the steward's own, and its log-odds of the tokens; takes part in honest mode.

    """

    def __init__(
        self,
        learner: Learner | None = None,
        *,
        mode: str = "honest",
        folds: int = 4,
        max_rounds: int = 8,
        weights: Mapping[str, float] | None = None,
        deny: WordList | None = None,
        allow: WordList | None = None,
        seed: int = 0,
        progress: Callable[[str], None] | None = None,
        encoder: PretrainedEncoder | None = None,
        unlabelled: TokenData | None = None,
        starter: tuple[Model, Scores] | None = None,
        detector: tuple[Model, Scores] | None = None,
    ) -> None:
        if mode not in MODES:
            rule = " or ".join(map(repr, MODES))
            raise ParameterError.constraint("mode", "GreedySanitize", rule, mode)
        if folds < 2:
            raise ParameterError.constraint("folds", "GreedySanitize", "an int in [2, inf)", folds)
        if learner is None:
            learner = CRF().literal() if mode == "paper" else CRF()
        self.mode = mode
        self.settings = Settings(
            learner,
            folds,
            max_rounds,
            dict(weights or {}),
            WordList() if deny is None else deny,
            WordList() if allow is None else allow,
            seed,
            progress or (lambda _: None),
            encoder,
            unlabelled,
            starter,
            detector,
        )
        self.alternatives: list[RatioPublication] = []
        self.first_pass: Scores | None = None
        self.folds_used = 0

    @property
    def learner(self) -> Learner:
        return self.settings.learner

    def fit(self, labelled: Labelled, ratios: Sequence[float]) -> dict[float, RatioPublication]:
        """Choose the classifiers for each ratio L/C; what does not depend on it is learned once.

        Parameters
        ----------
        labelled : Labelled
            The labelled tokens; documents of the background come after the steward's own.
        ratios : sequence of float
            The loss ratios, each above 0.

        """
        self._check(labelled, ratios)
        labelled, allowed = self.settings.with_lists(labelled)
        if self.mode == "paper":
            kinds = self.settings.learn_kinds(labelled)
            return self._paper(labelled, ratios, allowed, labelled.own, kinds)
        search = CrossFitSearch(self.settings, labelled, allowed)
        published = search.run(ratios)
        self.first_pass, self.folds_used = search.first_pass, search.folds
        self.alternatives = search.alternatives
        return published

    def held_out(self, labelled: Labelled, ratios: Sequence[float]) -> dict[float, Mask]:
        """Return, for each ratio, what Algorithm 1 redacts in documents it has not learned from.

        Each document is left to the classifiers of the other folds.

        Parameters
        ----------
        labelled : Labelled
            The labelled tokens; the background is skipped.
        ratios : sequence of float
            The loss ratios.

        """
        redacted = {ratio: np.zeros(len(labelled.data), np.bool_) for ratio in ratios}
        labelled, allowed = self.settings.with_lists(labelled.alone())
        documents, words = labelled.data.documents, len(labelled.data)
        random = self.settings.streams.generator("folds")
        fold = deal(np.arange(documents), self.settings.folds, random, of=documents)
        labelled.data.index()  # made once, before the folds share it
        parts = side_by_side(
            partial(self._paper, labelled, ratios, allowed, fold != held, None)
            for held in range(int(fold.max()) + 1)
        )
        for held, part in enumerate(parts):
            inside = (fold == held)[labelled.data.document_of]
            for ratio, publication in part.items():
                redacted[ratio][:words] |= publication.redacted & inside
        return redacted

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
                "Honest mode evaluates on unseen documents, and there is only one document.",
                hint="give at least 2 labelled documents (a few hundred are usual).",
            )

    def _paper(
        self, labelled: Labelled, ratios: Sequence[float], allowed: Mask, learned_from: Mask,
        kinds: LabelModel | None,
    ) -> dict[float, RatioPublication]:  # fmt: skip
        """Run Algorithm 1; the ratio only decides when to stop, so the rounds are learned once."""
        rounds = _LiteralRounds(self.settings, labelled, allowed, learned_from)
        instances = labelled.instances & learned_from[labelled.data.document_of]
        published = {}
        for ratio in ratios:
            losses = labelled.losses(ratio, self.settings.weights)
            played, data, loss = _greedy(rounds, losses, instances)
            chosen = [Classifier((Stage(r.model),), (0,), 0.0, "pass") for r in rounds.learned]
            published[ratio] = RatioPublication(
                ratio,
                self.settings.classifier_set(labelled, chosen[: len(played) - 1], kinds),
                tuple(played),
                data.redacted,
                loss,
                held_out=False,
            )
        return published


@dataclass(frozen=True, eq=False)
class _LiteralRound:
    """A learned classifier, what it finds, and what is left after it."""

    model: Model
    found: Mask
    after: TokenData


class _LiteralRounds:
    """The sequence of classifiers of Algorithm 1, each learned from what the earlier ones left."""

    def __init__(
        self, settings: Settings, labelled: Labelled, allowed: Mask, documents: Mask
    ) -> None:
        self.settings, self.labelled = settings, labelled
        self.allowed, self.documents = allowed, documents
        self.learned: list[_LiteralRound] = []

    def __getitem__(self, number: int) -> _LiteralRound:
        while number >= len(self.learned):
            self._learn()
        return self.learned[number]

    def _learn(self) -> None:
        step = f"round {len(self.learned) + 1}"
        data = self.learned[-1].after if self.learned else self.labelled.data
        model = self.settings.learner.fit(
            data,
            self.labelled.sensitive,
            documents=self.documents,
            seed=self.settings.streams.seed_of(step),
        )
        found = (model.scores(data) >= 0.0) & ~self.allowed
        self.learned.append(_LiteralRound(model, found, data.redact(found)))
        self.settings.progress(step)


def _greedy(
    learned: _LiteralRounds, losses: Scores, instances: Mask
) -> tuple[list[Round], TokenData, float]:
    """Play Algorithm 1 for one ratio: keep rounds while T(H) falls.

    The round that does not is the last of the list and is not kept. Theorem 1: there are at most as
    many rounds as instances, because each kept round redacts one or more.
    """
    data = learned.labelled.data
    loss = total_loss(losses, instances, data.redacted)
    played: list[Round] = []
    while not played or played[-1].kept:
        this = learned[len(played)]
        then = total_loss(losses, instances, this.after.redacted)
        kept = then - loss < 0
        played.append(
            Round.of(
                this.found, losses, instances,
                form="pass", threshold=0.0, total_loss=then, kept=kept,
            )
        )  # fmt: skip
        if kept:
            data, loss = this.after, then
    return played, data, loss
