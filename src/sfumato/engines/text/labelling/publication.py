"""From answers to a frontier: one candidate per loss ratio, its risk from the random windows alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....core.measures import Risk, Utility
from ..attack_records import RangedShare
from ..exploration import TextExploration
from ..frontier.building import build_exploration, remember
from ..learners.partial import UNKNOWN, Known
from ..learners.protocol import Model, cost_threshold
from ..records import UNMEASURED, WINDOWS, LabelCounts, TextCandidate
from ..request import TextRequest
from ..sanitize.classifiers import Classifier, ClassifierSet, Stage
from .estimate import LabelEstimate, RiskEstimate, estimate_risk
from .scorers import FOLDS, MEMBERS, ScoredPool, ensemble_scores
from .session import Session

__all__ = ["explore_answers"]

AXES = {
    "risk": "share of the sensitive words that is left, from windows drawn at random",
    "utility": "share of the words that is published",
}


def explore_answers(session: Session, request: TextRequest) -> TextExploration:
    """Return the frontier that the answers so far allow.

    Parameters
    ----------
    session : Session
        The open project.
    request : TextRequest
        What is asked for: the loss ratios.

    """
    with session.lock:
        answers, events = session.answers.copy(), len(session.journal)
    codes, drawn = answers.known, np.array(answers.drawn, np.int64)
    pool = session.pool
    scored, encoder = _score_all(session, events, answers.learned_from())
    counted = pool.data.counted
    held_out = np.zeros(0)
    if len(drawn):
        held_out = scored.held_out(pool.data.document_of[session.policy.windows[drawn]])
    scores = scored.own_scores()
    stages = [Stage(scored.own_model())]
    members: tuple[int, ...] = (0,)
    if encoder is not None:
        scores, members = ensemble_scores(scores, encoder.scores(pool.data)), MEMBERS
        stages.append(Stage(encoder))
    if session.starter is not None:  # the CRF sees its scores
        sees = ((0, True),)
        stages = [Stage(session.starter), replace(stages[0], sees=sees), *stages[1:]]
        members = tuple(member + 1 for member in members)
    typing = None
    if len(session.labels) > 1:
        typing = session.place_labels.learned(answers.learned_codes()).model
    candidates, classifiers = [], {}
    for ratio in request.ratios:
        threshold = cost_threshold(ratio)
        hidden = (codes > 0) | ((codes == UNKNOWN) & (scores >= threshold))
        kept = 1.0 - int(np.count_nonzero(hidden & counted)) / max(int(counted.sum()), 1)
        judged = None
        if len(drawn):
            judged = estimate_risk(
                pool, held_out, codes, session.policy.windows, drawn, threshold,
                labels=session.labels, seed=request.seed,
            )  # fmt: skip
        candidate = _candidate(float(ratio), kept, judged, encoder is not None)
        candidates.append(candidate)
        h = Classifier(tuple(stages), members, threshold, "answers")
        classifiers[candidate.id] = ClassifierSet(
            session.labels, (h,), typing, rules=session.project.rules
        )
    background = None if encoder is None else session.background_trainer
    return build_exploration(
        request,
        session.project.sources(),
        candidates,
        classifiers,
        remember(session.documents, session.labels, request.seed),
        axes=AXES,
        about={
            "evaluations": len(candidates),
            "mode": "answers",
            "learner": "crf from answers" if encoder is None else "crf and encoder from answers",
            "encoder": None if background is None else background.trainer.encoder_record(),
            "folds": FOLDS,
            "folds_dealt": FOLDS,
            "words": int(np.count_nonzero(counted)),
            "sensitive_words": int(np.count_nonzero(counted & (codes > 0))),
            "rules": True,
            "answers": answers.count,
        },
    )


def _score_all(session: Session, events: int, known: Known) -> tuple[ScoredPool, Model | None]:
    """Return the scores given all answers, and the encoder's model if there are enough to learn from.

    This waits for the encoder: what is published depends on the answers alone, not on how far its training
    was when they ended.
    """
    background = session.background_trainer
    if background is None or background.failed:
        return session.scorers.score(known), None
    update = background.learn(events, known)
    if update is None:
        return session.scorers.score(known), None
    return session.scorers.score(known, update), background.model(known)


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
            min(judged.low, judged.share), max(judged.high, judged.share), method=WINDOWS
        )
        leaked, false = judged.left, judged.false_positives
        by_label = {one.label: _counts(one) for one in judged.by_label}
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


def _counts(one: LabelEstimate) -> LabelCounts:
    """Return what a frontier says of one label."""
    around = None
    if one.share is not None:
        low, high = min(one.low, one.share), max(one.high, one.share)
        around = RangedShare(value=one.share, low=low, high=high)
    return LabelCounts(sensitive=one.sensitive, leaked=one.left, range=around)
