"""Where a project stands: counts, the estimate with its range, who reads, and how far two readers agree."""

from __future__ import annotations

import numpy as np

from ....desk.records import Agreement, Status
from ..learners.partial import UNKNOWN
from .estimate import answers_to_go, audit_size
from .session import Session

__all__ = ["agreement_of", "readers_of", "status_of"]


def status_of(session: Session) -> Status:
    """Return counts, the estimate with its range, and the verdict of the stop rule."""
    with session.lock:
        answers, scores, estimate = session.answers, session.scores, session.estimate
        history = list(session.history)
        known = answers.known.copy()
    open_words = session.pool.data.counted & (known == UNKNOWN)
    published = open_words & (scores < session.asker.threshold)
    chance = 1 / (1 + np.exp(-np.clip(scores[published], -50, 50)))
    touched = np.unique(session.pool.data.document_of[known != UNKNOWN])
    verdict, more = answers_to_go(
        [(n, e.high) for n, e in history if e.sensitive], session.record.wanted
    )
    share = estimate.share if estimate is not None else None
    return {
        "answers": answers.count,
        "documents": len(session.documents),
        "documents_seen": len(touched),
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
        "verdict": verdict,
        "more_answers": more,
        "audit_words": audit_size(share or 0.0, session.record.wanted),
        "readers": readers_of(session),
        "teaching": session.lessons is not None and session.lessons.busy,
        "curve": [[n, e.share, e.low, e.high, e.found_in_100] for n, e in history],
        "pending": session.is_behind,
        "agreement": agreement_of(session),
    }


def agreement_of(session: Session) -> Agreement:
    """Return in how many words of the windows that both have read the two readers agree."""
    same = words = both = either = 0
    with session.lock:
        for number, said in session.answers.second.items():
            low, high = session.asker.windows[number : number + 2].tolist()
            counted = session.pool.data.counted[low:high]
            known = session.answers.known[low:high]
            words += int(counted.sum())
            same += int((counted & (known == said)).sum())
            both += int((counted & (known > 0) & (said > 0)).sum())
            either += int((counted & ((known > 0) | (said > 0))).sum())
        windows = len(session.answers.second)
    return {
        "windows": windows, "words": words, "same": same, "sensitive_to_both": both,
        "sensitive_to_one": either,
    }  # fmt: skip


def readers_of(session: Session) -> str:
    """Return who reads the documents now, in words for the page."""
    lessons, lesson = session.lessons, session.reading.lesson
    if lessons is None:
        return "CRF"
    state = {
        "reading": "is reading the documents",
        "learning": "is learning",
        "waiting": "waits for answers",
    }.get(lessons.state, lessons.state)
    if lesson is None:
        return f"CRF (an encoder {state})"
    seen = sum(event["do"] in ("mark", "window") for event in session.journal.events[: lesson.upto])
    return f"CRF and encoder (it knows {seen} answers and {state})"
