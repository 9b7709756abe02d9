"""From answers to a frontier: one candidate per loss ratio, its risk from the random windows alone."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ....core.exploration import mark_dominated
from ....core.measures import Risk, Utility
from ....core.randomness import Streams
from ....core.records import InputFile
from ..attack_records import RangedShare
from ..exploration import TextExploration
from ..learners.partial import UNKNOWN, Known, PartialCRF
from ..learners.protocol import Model, cost_threshold
from ..payload import Learned
from ..records import UNMEASURED, LabelCounts, TextCandidate, TextFrontier
from ..redaction.surrogates import DateReading, language_of
from ..request import RATIOS
from ..sanitize.classifiers import Classifier, ClassifierSet, Stage
from ..starter.kinds import KindModel
from .estimate import RiskEstimate, estimated
from .scorers import VOICES, Reading, mixed
from .session import Session

__all__ = ["explored", "write_marks"]

AXES = {
    "risk": "share of the sensitive words that is left, from windows drawn at random",
    "utility": "share of the words that is published",
}
METHOD = "random windows: the wider of two-stage bootstrap and Clopper-Pearson"


def explored(session: Session, ratios: Sequence[float] = RATIOS) -> TextExploration:
    """Return the frontier that the answers so far allow.

    Parameters
    ----------
    session : Session
        The open project.
    ratios : sequence of float
        The loss ratios L/C.

    """
    with session.lock:
        answers, events = session.answers.copy(), len(session.journal)
    codes, drawn = answers.known, np.array(answers.drawn, np.int64)
    pool, record = session.pool, session.record
    reading, taught = _last_reading(session, events, answers.sensitive)
    counted = pool.data.counted
    held_out = np.zeros(0)
    if len(drawn):
        held_out = reading.held_out(pool.data.document_of[session.asker.windows[drawn]])
    scores = reading.fitted.scores()
    stages = [Stage(reading.fitted.model())]
    voices: tuple[int, ...] = (0,)
    if taught is not None:
        scores, voices = mixed(scores, taught.scores(pool.data)), VOICES
        stages.append(Stage(taught))
    if session.starter is not None:  # whom the CRF sees
        sees = ((0, True),)
        stages = [Stage(session.starter), replace(stages[0], sees=sees), *stages[1:]]
        voices = tuple(voice + 1 for voice in voices)
    typing = _typing(session, codes)
    candidates, classifiers = [], {}
    for ratio in ratios:
        threshold = cost_threshold(ratio)
        hidden = (codes > 0) | ((codes == UNKNOWN) & (scores >= threshold))
        kept = 1.0 - int(np.count_nonzero(hidden & counted)) / max(int(counted.sum()), 1)
        judged = None
        if len(drawn):
            judged = estimated(
                pool, held_out, codes, session.asker.windows, drawn, threshold,
                labels=session.labels, seed=record.seed,
            )  # fmt: skip
        candidate = _candidate(float(ratio), kept, judged, taught is not None)
        candidates.append(candidate)
        h = Classifier(tuple(stages), voices, threshold, "answers")
        classifiers[candidate.id] = ClassifierSet(
            session.labels, (h,), typing, rules=session.project.rules
        )
    marked, area = mark_dominated(candidates)
    frontier = TextFrontier(
        engine="text",
        seed=record.seed,
        inputs=tuple(
            InputFile.of(path, source.documents)
            for path, source in zip(session.project.source_paths(), record.sources, strict=True)
            if path.is_file()
        ),
        reader=record.sources[0].reader,
        axes=AXES,
        area=area,
        evaluations=len(candidates),
        candidates=marked,
        mode="answers",
        learner="crf from answers" if taught is None else "crf and encoder from answers",
        encoder=None
        if taught is None or session.lessons is None
        else session.lessons.teacher.described(),
        labels=session.labels,
        folds=4,
        folds_dealt=4,
        documents=len(session.documents),
        words=int(np.count_nonzero(counted)),
        sensitive_words=int(np.count_nonzero(counted & (codes > 0))),
        rules=True,
        answers=answers.count,
    )
    return TextExploration(frontier, classifiers, _learned(session))


def _last_reading(session: Session, events: int, known: Known) -> tuple[Reading, Model | None]:
    """Return the reading of all answers, and the teacher's model of them where it can learn from them.

    Here the teacher is waited for: what is published depends on the answers alone, not on how far the
    teacher was when they ended.
    """
    lessons = session.lessons
    if lessons is None or lessons.failed:
        return session.readers.read(known), None
    lesson = lessons.lesson(events, known)
    if lesson is None:
        return session.readers.read(known), None
    return session.readers.read(known, lesson), lessons.model(known)


def _learned(session: Session) -> Learned:
    """Keep the marks of the documents; their windows are no whole documents to hold a release against."""
    texts = [document.text for document in session.documents]
    salt = Streams(session.record.seed).child("learned from").seed_of("salt") >> 1
    languages = Counter(language_of(d.text, d.fields) for d in session.documents)
    reading = DateReading.learned(texts, default=languages.most_common(1)[0][0] != "en")
    return Learned(session.labels, {}, None, reading, Learned.marked(texts, salt), salt)


def _candidate(
    ratio: float, kept: float, judged: RiskEstimate | None, encoder: bool
) -> TextCandidate:
    risk = Risk(1.0, attacker="not measured, because nobody has looked").with_interval(
        0.0, 1.0, method=UNMEASURED
    )
    leaked = false = 0
    by_label: dict[str, LabelCounts] = {}
    documents: RangedShare | None = None
    if judged is not None and judged.share is not None:
        risk = Risk(judged.share, attacker="reads every published word").with_interval(
            min(judged.low, judged.share), max(judged.high, judged.share), method=METHOD
        )
        leaked, false = judged.left, judged.false_positives
        by_label = {
            one.label: LabelCounts(
                sensitive=one.sensitive,
                leaked=one.left,
                range=None
                if one.share is None
                else RangedShare(
                    value=one.share, low=min(one.low, one.share), high=max(one.high, one.share)
                ),
            )
            for one in judged.by_label
        }
        if judged.documents_with_leak is not None:
            value, low, high = judged.documents_with_leak
            documents = RangedShare(value=value, low=low, high=high)
    return TextCandidate(
        id=f"r{ratio:g}",
        risk=risk,
        utility=Utility(kept, kept="words published"),
        ratio=ratio,
        rounds=1,
        published=kept,
        leaked=leaked,
        false_positives=false,
        total_loss=ratio * leaked + false,
        held_out=judged is not None,
        encoder_reads=float(encoder),
        by_label=by_label,
        documents_with_leak=documents,
        record=(),
    )


def _typing(session: Session, codes: np.ndarray) -> tuple[Model, ...]:
    """Learn one model per label where there are several: what is redacted gets the likeliest."""
    if len(session.labels) == 1:
        return ()
    models: list[Model] = []
    for code, label in enumerate(session.labels, 1):
        known = np.where(codes == UNKNOWN, UNKNOWN, codes == code).astype(np.int8)
        learner = replace(PartialCRF(), kind=label)
        fitted = learner.fit(session.typing_pool, known, seed=session.record.seed).model()
        kinds = session.place_labels.kinds.get(label)
        if kinds is not None and session.starter is not None:
            models.append(KindModel(session.starter.only(kinds), fitted))
            continue
        models.append(fitted)
    return tuple(models)


def write_marks(session: Session, path: Path) -> int:
    """Write what people marked as findings (offsets only), so that publishing redacts it for certain.

    Returns
    -------
    The number of marks.

    """
    count = 0
    lines = []
    for document in session.known_spans():
        found = [{"start": s.start, "end": s.end, "label": s.label} for s in document.spans]
        count += len(found)
        line = {"id": document.id, "text_sha256": document.text_sha256, "findings": found}
        lines.append(json.dumps(line, ensure_ascii=False))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    path.chmod(0o600)
    return count
