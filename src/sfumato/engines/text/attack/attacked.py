"""A candidate under attack: what each attacker finds in it, and what the bounds say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ....core.randomness import Streams
from ..attack_records import TheoremBounds
from ..learners.folds import deal
from ..learners.protocol import Learner, Model
from ..reading.labelled import Labelled
from ..sanitize.publication import RatioPublication
from .attacker import AttackedRelease, AttackReport, Residual, attack
from .bounds import certificate
from .inspection import Confusion

if TYPE_CHECKING:
    from ..learners.pretrained import PretrainedEncoder

__all__ = ["attack_publication", "last_round"]

_FOLDS = 4  # folds of documents


def attack_publication(
    labelled: Labelled,
    publication: RatioPublication,
    *,
    learners: Sequence[Learner] | None,
    budgets: Sequence[int],
    streams: Streams,
    known: dict[str, Model] | None = None,
    progress: Callable[[str], None] | None = None,
    encoder: PretrainedEncoder | None = None,
) -> tuple[AttackReport, TheoremBounds | None]:
    """Attack the words that a publication leaves of the labelled documents.

    The redactions are those of classifiers that had not seen the documents. Reading A learns from what
    is left of the documents that the publisher of a document learned from: those outside its fold.

    Parameters
    ----------
    labelled : Labelled
        The labelled tokens.
    publication : Publication
        The classifiers, the rounds and the redactions.
    learners : sequence of Learner or None
        The attackers; None for all of them.
    budgets : sequence of int
        How many words are inspected.
    streams : Streams
        The source of chance.
    known : dict, default None
        Models of background alone, shared by the attacks on many releases.
    progress : callable, default None
        Called with a short note before each step.
    encoder : PretrainedEncoder, default None
        What attackers with an encoder tune.

    """
    data = labelled.data.redact(publication.redacted)
    own = np.flatnonzero(labelled.own)
    parts = min(_FOLDS, len(own))
    random = streams.generator("folds of attacker A")
    fold = deal(own, parts, random, of=labelled.data.documents)
    residuals = [
        Residual(data, labelled.sensitive, labelled.own & (fold != part), fold == part)
        for part in range(parts if parts > 1 else 0)
    ]
    report = attack(
        AttackedRelease(data, labelled.sensitive, labelled.own),
        streams=streams,
        learners=learners,
        residuals=residuals,
        folds=_FOLDS,
        budgets=budgets,
        known=known,
        progress=progress,
        encoder=encoder,
    )
    if "B" not in report.inspections:
        return report, None
    inspection = report.inspections["B"][1]
    words = labelled.instances
    sensitive = words & (labelled.labels > 0)
    bounds = certificate(
        attack=inspection.counts,
        ratio=publication.ratio,
        budget=report.budget,
        words=int(words.sum()),
        sensitive=int(sensitive.sum()),
        train=last_round(publication, words=report.words, sensitive=report.left),
        dimension=_dimension(publication),
        ranked=inspection.ranked,
    )
    return report, bounds


def last_round(publication: RatioPublication, *, words: int, sensitive: int) -> Confusion | None:
    """Return the counts of the classifier that failed the stop rule; None where none did.

    Parameters
    ----------
    publication : Publication
        The rounds that were played.
    words, sensitive : int
        How many words, and how many sensitive ones, were left to that classifier.

    """
    if not publication.rounds or publication.rounds[-1].kept:
        return None
    last = publication.rounds[-1]
    tp, fp = min(last.found, sensitive), min(last.false_positives, words - sensitive)
    return Confusion(tp, fp, sensitive - tp, words - sensitive - fp)


def _dimension(publication: RatioPublication) -> float | None:
    """Return the largest dimension of the stages of the publisher's first classifier."""
    for classifier in publication.classifiers.classifiers:
        return max(stage.model.dimension for stage in classifier.stages)
    return None
