"""A project at work: answers go in, the model is refitted in the background, the next question is ready."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

import numpy as np

from ....core.errors import InputError, ParameterError
from ....data.document import Document, Span
from ..learners.partial import UNKNOWN, PartialCRF, Pool
from ..learners.protocol import cost_threshold
from ..reading.arrays import Scores
from ..reading.features import TokenData
from ..reading.tokens import Vocabulary, labels_from_spans, tokenize
from ..rules.features import rule_place
from ..sanitize.stacking.stack import stack_places
from .answer_keeper import AnswerKeeper
from .answers import AnswerSheet, Place, runs
from .background_trainer import BackgroundTrainer, Snapshot
from .encoder_trainer import Trainer
from .estimate import RiskEstimate
from .journal import ANSWERS, UPDATE, AnswerLog
from .judging import judge_ratios
from .next_step import seconds_of
from .place_labels import PlaceLabels
from .project import Project
from .questions import ASKING, EVERY, ProjectQuestion, QuestionPolicy
from .scorers import EncoderUpdate, ScoredPool, Scorers
from .word_classes import WordClasses

__all__ = ["Session"]

_NEARLY = 0.7  # log-odds below the threshold: words of harmless classes are asked about again
_MISSED = 0.2  # share of sensitive words called harmless by mistake: strong evidence against a no overrides it


class Session(AnswerKeeper):
    """An open project.

    Parameters
    ----------
    project : Project or path
        The project, or its folder.
    background : bool, default True
        Whether the CRF is refitted and the encoder trained in separate threads; otherwise `refit`
        and `train_now` do it.
    trainer : Trainer, optional
        Learns from the answers, as the CRF does. The journal records which of its updates were applied, and
        when, so that the same journal gives the same scores.
    read : bool, default True
        Whether the words are scored at once; questions need the scores.

    """

    def __init__(
        self,
        project: Project | str | os.PathLike[str],
        *,
        background: bool = True,
        trainer: Trainer | None = None,
        read: bool = True,
    ) -> None:
        self.project = project if isinstance(project, Project) else Project(project)
        self.record = self.project.record
        self.labels = self.record.labels
        self.documents = self.project.documents
        self.journal = AnswerLog(self.project.journal_path)
        vocabulary = Vocabulary()
        self.tokens = tokenize([d.text for d in self.documents], vocabulary)
        place = rule_place(self.project.with_spans(self.project.proposals), self.tokens)
        found = self.project.with_spans(self.project.found)
        self._found = labels_from_spans(found, self.tokens, list(self.labels)) > 0
        data = TokenData.of(self.tokens, vocabulary).with_places(place)
        self.typing_pool = Pool(data)
        """The tokens as those models see them that tell the labels apart."""
        self.starter = self.project.starter_model()
        self.policy = QuestionPolicy(
            self.typing_pool, ratio=self.record.ratio, seed=self.record.seed
        )
        self.classes = WordClasses(data, vocabulary.words, self.labels, seed=self.record.seed)
        self.sheet = AnswerSheet(self.tokens, self.policy.windows, self.labels, self.classes)
        self.place_labels = PlaceLabels(self.sheet, data, self.project, self.starter)
        seen = self.place_labels.starter_scores()
        if seen is not None:
            data = data.with_places(*stack_places(data, seen, with_own=True))
        self.pool = Pool(data)
        learner = PartialCRF(
            start=self.project.start_model(), seen=tuple(self.place_labels.kinds), missed=_MISSED
        )
        self.scorers = Scorers(self.pool, learner, self.record.seed)
        self.lock = threading.RLock()
        self._wake = threading.Condition(self.lock)
        self.answers = self.sheet.replayed(self.journal)
        self.scored: ScoredPool
        self.estimate: RiskEstimate | None = None
        self.history: list[tuple[int, RiskEstimate]] = []
        self.higher: list[tuple[float, RiskEstimate]] = []
        self._fitted_at = self._estimated_at = -1
        self._update: EncoderUpdate | None = None
        self._offered: EncoderUpdate | None = None
        self._learned_at = 0
        self.background_trainer: BackgroundTrainer | None = None
        if trainer is not None:
            self.background_trainer = BackgroundTrainer(
                trainer, self.pool, self._wake, self._to_learn, self._offer
            )
        if read:
            self._resume_updates(background=background)
            self.refit()
        self._closed = False
        self._thread: threading.Thread | None = None
        if background:
            self._thread = threading.Thread(target=self._work, name="refit", daemon=True)
            self._thread.start()
            if self.background_trainer is not None:
                self.background_trainer.start()

    @property
    def wanted_by_label(self) -> dict[str, float]:
        """What is wanted of single labels: as the project was started, or as the page said since."""
        said = {e["label"]: e["share"] for e in self.journal if e["do"] == "want"}
        return self.record.wanted_by_label | said

    @property
    def scores(self) -> Scores:
        """The log-odds of every token."""
        return self.scored.scores

    # --- the scores ---------------------------------------------------------------------------

    def refit(self) -> None:
        """Fit the CRF to the answers, and the estimate where the answers have changed enough.

        An update that was offered is applied.
        """
        with self.lock:
            is_new = self._apply_update()
            known, codes = self.answers.learned_from(), self.answers.known.copy()
            typed = self.answers.learned_codes()
            count, drawn = len(self.journal), list(self.answers.drawn)
            answers, update = self.answers.count, self._update
        scored = self.scorers.score(known, update)
        _ = scored.scores  # computed before anybody waits for them
        self.place_labels.learn(typed)
        with self.lock:
            self.scored, self._fitted_at = scored, count
        since = answers - self._estimated_at  # below 0 where some were undone
        if not drawn:
            with self.lock:
                self.estimate, self.history = None, []
        elif is_new or self.estimate is None or not 0 <= since < EVERY:
            judged, higher = judge_ratios(scored, self.policy, drawn, codes, self.labels)
            with self.lock:
                self.estimate, self.higher, self._estimated_at = judged, higher, answers
                self.history = [*(h for h in self.history if h[0] < answers), (answers, judged)]

    def _work(self) -> None:
        while True:
            with self._wake:
                while not (self._closed or self._offered or self.is_behind):
                    self._wake.wait()
                if self._closed:
                    return
            self.refit()

    @property
    def is_behind(self) -> bool:
        """Whether there are answers that the CRF has not seen."""
        return self._fitted_at != len(self.journal)

    def settle(self) -> None:
        """Wait until the CRF has seen every answer; nothing waits for the encoder."""
        while self.is_behind:
            self.refit() if self._thread is None else threading.Event().wait(0.005)

    # --- the encoder --------------------------------------------------------------------------

    def _to_learn(self) -> Snapshot | None:
        """Return what an update would learn from; None if too little is new since the last one."""
        new = [e for e in self.journal.events[self._learned_at :] if e["do"] in (*ANSWERS, "undo")]
        if len(new) < EVERY:
            return None
        self._learned_at = len(self.journal)
        return self._learned_at, self.answers.learned_from()

    def _offer(self, update: EncoderUpdate) -> None:
        self._offered = update

    def _apply_update(self) -> bool:
        """Apply the update that was offered, and record that in the journal."""
        update = self._offered
        if update is None or self.background_trainer is None:
            return False
        self._offered = None
        try:
            self.journal.append(
                {"do": UPDATE, "upto": update.upto, "by": self.background_trainer.trainer.name}
            )
        except OSError:  # a full disk: what is not in the journal does not apply
            return False
        self._update = update
        return True

    def _resume_updates(self, *, background: bool) -> None:
        """Start with the update that was applied last, or record that none applies any more.

        A page does not wait for its encoder, so it opens without an update.
        """
        updates = [event for event in self.journal if event["do"] == UPDATE]
        if not updates or not updates[-1]["upto"]:
            return
        last = updates[-1]
        if background:
            with suppress(OSError):  # a full disk must not keep the page from opening
                self.journal.append({"do": UPDATE, "upto": 0, "by": ""})
        elif self.background_trainer is not None:
            if last["by"] != self.background_trainer.trainer.name:
                raise InputError("The answers of this project were learned by another encoder.")
            known = self.sheet.replayed(self.journal.events[: last["upto"]]).learned_from()
            self._update = self.background_trainer.learn(last["upto"], known)

    def train_now(self) -> bool:
        """Learn from all answers and apply the update; return whether there was one."""
        if self.background_trainer is None:
            return False
        with self.lock:
            given = len(self.journal), self.answers.learned_from()
        update = self.background_trainer.learn(*given)
        if update is None:
            return False
        with self.lock:
            self._offer(update)
            self._learned_at = given[0]
        self.refit()
        return True

    def close(self) -> None:
        """End the background work and release the journal."""
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        if self.background_trainer is not None:
            self.background_trainer.close()
        if self._thread is not None:
            self._thread.join()
        self.journal.close()

    # --- questions ----------------------------------------------------------------------------

    def question(self, asking: str = "cost") -> ProjectQuestion | None:
        """Return the next question: conventions first, then every fifth is a window drawn at random."""
        if asking not in ASKING:
            raise ParameterError.constraint(
                "asking", "question", f"one of {', '.join(ASKING)}", asking
            )
        with self.lock:
            answers, scores = self.answers, self.scores
            convention = self.classes.next_convention(answers.classes)
            if convention is not None:
                return ProjectQuestion("class", 0, 0, 0, class_number=convention)
            if (answers.count - len(answers.classes)) % EVERY == 0:
                drawn = self.policy.random_window(answers.done)
                if drawn is not None:
                    return drawn
            known = answers.sensitive
            likely = scores >= self.policy.threshold - _NEARLY
            return self.policy.next(
                scores, known, asking=asking, found=self._found,
                skipped=answers.not_to_ask(self.classes, likely),
                seconds=seconds_of(self.journal), classes=self.classes.open(known, answers.classes),
            )  # fmt: skip

    def second_question(self) -> ProjectQuestion | None:
        """Return the next random window that the first reader has answered and the second has not."""
        with self.lock:
            for number in self.answers.drawn:
                if number not in self.answers.second:
                    first, last = self.policy.windows[number : number + 2].tolist()
                    return ProjectQuestion("window", first, last, number, random=True)
        return None

    def place(self, first: int, last: int) -> Place:
        """Return tokens `first` to `last` as a place in characters."""
        return self.sheet.place(first, last)

    def like(self, place: Place, *, sensitive: bool) -> list[Place]:
        """Return the other places of the same words where the same answer follows."""
        with self.lock:
            tokens = self.sheet.tokens_of(place)
            if tokens.start >= tokens.stop:
                return []
            known = self.answers.sensitive
            known[tokens] = UNKNOWN
            starts = self.policy.like(
                tokens.start, tokens.stop, self.scores, known, sensitive=sensitive
            )
        size = tokens.stop - tokens.start
        return [self.place(int(s), int(s) + size) for s in starts]

    def spans(self, document: int, *, ratio: float | None = None) -> list[Span]:
        """Return what would be redacted in a document: answers first, then the model.

        A span's score is the model's log-odds; answers have none.
        """
        low, high = self.tokens.doc[document : document + 2].tolist()
        threshold = cost_threshold(ratio or self.record.ratio)
        with self.lock:
            known, scores = self.answers.known[low:high], self.scores[low:high]
            cleared = self.answers.cleared[low:high]
        counted = self.pool.data.counted[low:high]
        hidden = (known > 0) | ((known == UNKNOWN) & (scores >= threshold) & counted)
        hidden |= self.place_labels.whole_matches(document, hidden) & (known == UNKNOWN)
        hidden &= ~cleared
        codes = self.place_labels.of_document(document, known, hidden)
        found: list[Span] = []
        # As in a release, a span ends with its line.
        line = np.cumsum(self.tokens.after_break[low:high]) % 2
        kinds = 4 * codes + 2 * (known > 0) + line
        for i, j in runs(np.where(hidden, kinds, -1).astype(np.int16)):
            _, a, b = self.place(low + i, low + j)
            score = None if known[i] > 0 else float(scores[i:j].max())
            found.append(Span(a, b, self.labels[codes[i] - 1], score))
        return found

    def label_at(self, document: int, first: int, last: int) -> str:
        """Return the label that a place would get."""
        return self.place_labels.at((document, first, last))

    def known_spans(self) -> list[Document]:
        """Return the documents with what people marked as their spans."""
        with self.lock:
            known = self.answers.known.copy()
        return self.sheet.marked(self.documents, known)

    def check(self) -> None:
        """Refuse a project without a word."""
        if not self.pool.data.counted.any():
            raise InputError("The documents of the project hold no words.")
