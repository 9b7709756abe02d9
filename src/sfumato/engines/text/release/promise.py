"""What was promised of a release, and whether it holds for the documents that are published."""

from __future__ import annotations

from ....core.release import refuse_different
from ....core.statistics.resampling import exact_interval
from ....core.storage.placed_bands import PlacedBands
from ..attack_records import RangedShare
from ..exploration import TextExploration
from ..records import TextCandidate
from ..redaction.counts import RedactionCounts
from ..request import TextPublishRequest
from ..sanitize.classifiers import ClassifierSet
from .measure import (
    check_sample,
    expected_documents,
    expected_risk,
    measure_release,
    shift_sentence,
)
from .options import Measures
from .sample import CorpusSample

__all__ = ["Promise"]

_UNJUDGED = (
    "No document of this kind was labelled from end to end: what is left was not measured on whole "
    "documents; audit the release."
)


class Promise:
    """What was promised of a release, and whether it holds for these documents.

    Parameters
    ----------
    exploration : TextExploration
        What was learned from, and how the candidate did on held-out documents.
    candidate : TextCandidate
        The candidate that is published.
    classifiers : ClassifierSet
        What redacts.
    request : TextPublishRequest
        Whether a shift is accepted, and how the release is made.
    bands : PlacedBands, optional
        The places of a table's bands in the documents.

    """

    def __init__(
        self,
        exploration: TextExploration,
        candidate: TextCandidate,
        classifiers: ClassifierSet,
        request: TextPublishRequest,
        bands: PlacedBands | None = None,
    ) -> None:
        self._bands = bands
        self._learned, self._seed = exploration.learned, exploration.record.seed
        self._candidate, self._classifiers, self._request = candidate, classifiers, request
        self._held_out = self._learned.held_out.get(candidate.id)
        self._starter = exploration.record.starter

    def check(self, seen: CorpusSample) -> None:
        """Refuse documents that are not like those learned from, unless that is accepted."""
        texts = [document.text for document in seen.sample]
        if self._bands is not None:  # compared as they were written, not as a table published them
            texts = [self._bands.without(text) for text in texts]
        self._shift, self._expected = check_sample(
            self._learned, self._classifiers, texts, seed=self._seed
        )
        self._risk = self._candidate.risk
        self._sentence = _UNJUDGED if self._starter is None else self._starter.sentence
        if self._held_out is not None:
            self._batch = self._held_out.batch(seen.documents, self._seed)
            self._risk = expected_risk(self._risk, self._held_out, self._batch)
            self._sentence = shift_sentence(self._shift, self._expected, self._risk)
        refuse_different(self._shift, self._sentence, accepted=self._request.accept_shift)

    def measure(self, counts: RedactionCounts) -> Measures:
        """Return what the record of the release says, from the counts of what was read back."""
        if self._held_out is None:
            measures: Measures = {"risk": self._risk, "sentences": (self._sentence,)}
            measures["left_by_label"] = _left_by_label(self._candidate)
            if self._candidate.documents_with_leak is not None:
                measures["documents_with_leak"] = self._candidate.documents_with_leak
            return measures if self._starter is None else {**measures, "starter": self._starter}
        about = measure_release(
            self._held_out, self._learned.labels, counts, self._shift, self._expected, self._batch
        )
        leaking = expected_documents(self._held_out, self._batch)
        return {
            "risk": self._risk, "measured": about, "documents_with_leak": leaking,
            "sentences": (self._sentence,), "left_by_label": _left_by_label(self._candidate),
        }  # fmt: skip


def _left_by_label(candidate: TextCandidate) -> dict[str, RangedShare]:
    """Return the share left of each label with its range; labels that nobody met are left out."""
    found = {}
    for label, own in candidate.by_label.items():
        if own.range is not None:
            found[label] = own.range
        elif own.sensitive:
            around, value = exact_interval(own.leaked, own.sensitive), own.leaked / own.sensitive
            found[label] = RangedShare(
                value=value, low=min(around.low, value), high=max(around.high, value)
            )
    return found
