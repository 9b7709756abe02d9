"""The one builder of frontiers: whether labelled documents, rules or answers were learned from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ....core.dominance import mark_dominated
from ....core.measures import Risk, Utility
from ....core.randomness import Streams
from ....data.document import Document
from ..exploration import TextExploration
from ..payload import HeldOut, Learned
from ..records import UNMEASURED, TextCandidate, TextFrontier
from ..redaction.surrogates import DateReading, language_of
from ..request import TextRequest
from ..sanitize.classifiers import ClassifierSet
from ..shift import ShiftReference
from .sources import ReadSources

__all__ = ["build_exploration", "remember", "streams_of", "unmeasured_candidate"]


def build_exploration(
    request: TextRequest,
    sources: ReadSources,
    candidates: Sequence[TextCandidate],
    classifiers: Mapping[str, ClassifierSet],
    learned: Learned,
    *,
    axes: Mapping[str, str],
    about: Mapping[str, object],
) -> TextExploration:
    """Return an exploration: the record of its frontier, what publishes each candidate, what was learned from.

    Parameters
    ----------
    request : TextRequest
        What was asked for; the commands that repeat it are made from it.
    sources : ReadSources
        What was read.
    candidates : sequence of TextCandidate
        All that were found, in any order.
    classifiers : mapping of str to ClassifierSet
        What publishes each candidate, by its id.
    learned : Learned
        What is kept of the documents.
    axes : mapping of str to str
        What risk and utility are, in words.
    about : mapping of str to object
        Further fields of the record.

    """
    marked, area = mark_dominated(candidates)
    record = TextFrontier(
        engine="text",
        seed=request.seed,
        request={k: v for k, v in request.to_record().items() if k != "threads"},
        inputs=sources.inputs,
        reader=sources.reader,
        axes=dict(axes),
        area=area,
        candidates=marked,
        mode=request.mode,
        learner="rules",
        labels=tuple(request.labels),
        folds=0,
        folds_dealt=0,
        background=tuple(sources.background),
        unlabelled_documents=len(sources.texts),
        documents=len(sources.documents),
        words=0,
        sensitive_words=0,
        left_as_they_are=dict(sources.left),
        findings=request.findings is not None,
    )
    record = record.model_copy(update=dict(about))
    return TextExploration(record, classifiers, learned, sources.unread)


def streams_of(seed: int) -> Streams:
    """Return the random streams of what is kept of the documents."""
    return Streams(seed).child("learned from")


def remember(
    documents: Sequence[Document],
    labels: Sequence[str],
    seed: int,
    *,
    held_out: Mapping[str, HeldOut] | None = None,
    shift: ShiftReference | None = None,
) -> Learned:
    """Return what is kept of the documents that were learned from.

    Parameters
    ----------
    documents : sequence of Document
        The documents.
    labels : sequence of str
        The labels that were learned.
    seed : int
        The seed of the exploration.
    held_out : mapping of str to HeldOut, optional
        By candidate, what it did on whole documents that it had not seen; none where nobody judged any.
    shift : ShiftReference, optional
        What a later release is compared with.

    """
    texts = [document.text for document in documents]
    salt = streams_of(seed).seed_of("salt") >> 1
    languages = Counter(language_of(d.text, d.fields) for d in documents)
    dates = DateReading.learned(texts, default=languages.most_common(1)[0][0] != "en")
    return Learned(tuple(labels), held_out or {}, shift, dates, Learned.marked(texts, salt), salt)


def unmeasured_candidate(own: str, ratio: float, kept: float) -> TextCandidate:
    """Return a candidate whose risk nobody knows, because no document is labelled.

    Parameters
    ----------
    own : str
        Its id.
    ratio : float
        The ratio that it is cut at.
    kept : float
        The share of the words that it publishes.

    """
    unknown = Risk(1.0, attacker="not measured, because no document is labelled")
    return TextCandidate(
        id=own,
        risk=unknown.with_interval(0.0, 1.0, method=UNMEASURED),
        utility=Utility(kept, kept="words published"),
        ratio=ratio,
        rounds=0,
        published=kept,
        leaked=0,
        false_positives=0,
        total_loss=0.0,
        held_out=False,
        record=(),
    )
