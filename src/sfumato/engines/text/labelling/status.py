"""The status of a project: counts, the estimate with its range, the models, and how far two readers agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....desk.records import Agreement, Status
from ....presentation.language import say
from ..learners.partial import UNKNOWN
from .estimate import answers_to_go, audit_size
from .journal import ANSWERS, Event
from .next_step import next_step, seconds_of
from .session import Session
from .two_readers import compare_readers

__all__ = ["agreement_of", "models_of", "status_of"]

_STATES = {
    "reading": "is reading the documents",
    "learning": "is learning",
    "waiting": "waits for answers",
}


def _documents_seen(events: Sequence[Event]) -> set[int]:
    """Return the documents of which somebody has read a window or a place; a class shows only a few of its words."""
    undone = {event["of"] for event in events if event["do"] == "undo"}
    given = [event for event in events if event["n"] not in undone]
    windows = {event["doc"] for event in given if event["do"] == "window"}
    return windows | {event["places"][0][0] for event in given if event["do"] == "mark"}


def status_of(session: Session) -> Status:
    """Return counts, the estimate with its range, and the verdict of the stop rule."""
    with session.lock:
        answers, scores, estimate = session.answers, session.scores, session.estimate
        history = list(session.history)
        known = answers.known.copy()
        higher, events = list(session.higher), list(session.journal.events)
    open_words = session.pool.data.counted & (known == UNKNOWN)
    published = open_words & (scores < session.policy.threshold)
    chance = 1 / (1 + np.exp(-np.clip(scores[published], -50, 50)))
    _, more = answers_to_go([(n, e.high) for n, e in history if e.sensitive], session.record.wanted)
    own = session.wanted_by_label
    step = next_step(
        history, session.record.wanted, seconds=seconds_of(events), higher=higher,
        proposals=session.record.proposals_by_label, by_label=own,
    )  # fmt: skip
    agreement = agreement_of(session)
    share = estimate.share if estimate is not None else None
    return {
        "answers": answers.count,
        "documents": len(session.documents),
        "documents_seen": len(_documents_seen(events)),
        "words": int(np.count_nonzero(session.pool.data.counted)),
        "words_known": int(np.count_nonzero(session.pool.data.counted & (known != UNKNOWN))),
        "expected_left": float(chance.sum()),
        "windows": estimate.windows if estimate else 0,
        "sensitive": estimate.sensitive if estimate else 0,
        "left": share,
        "low": estimate.low if estimate and estimate.sensitive else None,
        "high": estimate.high if estimate and estimate.sensitive else None,
        "found_in_100": estimate.found_in_100 if estimate else None,
        "wanted": session.record.wanted,
        "verdict": "enough" if step.what == "enough" else "go on",
        "more_answers": more,
        "audit_words": audit_size(share or 0.0, session.record.wanted),
        "readers": models_of(session),
        "teaching": session.background_trainer is not None and session.background_trainer.busy,
        "curve": [[n, e.share, e.low, e.high, e.found_in_100] for n, e in history],
        "pending": session.is_behind,
        "agreement": agreement,
        "step": {"what": step.what, "words": step.words, "minutes": step.minutes},
        "by_label": [
            {
                "label": e.label,
                "sensitive": e.sensitive,
                "left": e.share,
                "low": e.low,
                "high": e.high,
                "wanted": own.get(e.label, session.record.wanted),
            }
            for e in (estimate.by_label if estimate else ())
        ],
        "documents_with_leak": list(estimate.documents_with_leak)
        if estimate and estimate.sensitive and estimate.documents_with_leak
        else None,
    }


def agreement_of(session: Session) -> Agreement:
    """Return how far the two readers agree in the windows that both have read, and what both may have missed."""
    first, second = [np.zeros(0, np.int16)], [np.zeros(0, np.int16)]
    with session.lock:
        for number, said in session.answers.second.items():
            low, high = session.policy.windows[number : number + 2].tolist()
            counted = session.pool.data.counted[low:high]
            first.append(np.maximum(session.answers.known[low:high], 0)[counted])
            second.append(said[counted])
        windows = len(session.answers.second)
        share = session.estimate.share if session.estimate is not None else None
    both = compare_readers(np.concatenate(first), np.concatenate(second), windows=windows)
    return {
        "windows": windows, "words": both.words, "same": both.same, "sensitive_to_both": both.both,
        "sensitive_to_one": both.both + both.only_first + both.only_second, "kappa": both.kappa,
        "missed_by_first": both.only_second, "missed_by_second": both.only_first, "found": both.found,
        "left_corrected": None if share is None or both.found is None else both.corrected(share),
    }  # fmt: skip


def models_of(session: Session) -> str:
    """Return which models score the words now, in words for the page."""
    background, update = session.background_trainer, session.scored.update
    if background is None:
        return "CRF"
    state = say(_STATES.get(background.state, background.state))
    if update is None:
        return say("CRF (an encoder {state})", state=state)
    seen = sum(event["do"] in ANSWERS for event in session.journal.events[: update.upto])
    return say("CRF and encoder (it knows {n} answers and {state})", n=seen, state=state)
