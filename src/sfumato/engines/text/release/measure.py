"""What can be known about a release without labels, each number with its range from held-out documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....core.measures import Interval, Risk
from ....core.randomness import Streams
from ....core.records import ShiftRecord
from ....core.statistics.resampling import NextBatch
from ....core.statistics.shift import FEW, LEAST, LIKE, TOO_FEW, ShiftCheck
from ..attack_records import RangedShare
from ..payload import HeldOut, Learned
from ..records import MeasuredRange, TextMeasured
from ..redaction.counts import RedactionCounts
from ..sanitize.classifiers import ClassifierSet

__all__ = [
    "check_sample",
    "expected_documents",
    "expected_risk",
    "measure_release",
    "shift_sentence",
]

_PERCENT = {
    "share redacted": "of their words are redacted",
    "words never seen": "of their words were never seen in learning",
    "unsure words": "of their words are hard to tell",
    "capitalised words": "of their words are capitalised",
}


def expected_risk(risk: Risk, held_out: HeldOut, batch: NextBatch) -> Risk:
    """Return the promised risk with its range for a release of this size."""
    around = batch.share(held_out.column("left"), held_out.column("sensitive"), rare=True)
    low, high = min(around.low, risk.value), max(around.high, risk.value)
    return replace(risk, interval=replace(around, low=low, high=high))


def expected_documents(held_out: HeldOut, batch: NextBatch) -> RangedShare:
    """Return the share of documents with at least one leak that a release of this size will have."""
    leaking = (held_out.column("left") > 0).astype(np.int64)
    around = batch.share(leaking, np.ones_like(leaking), rare=True)
    value = float(leaking.mean())
    return RangedShare(value=value, low=min(around.low, value), high=max(around.high, value))


def check_sample(
    learned: Learned, classifiers: ClassifierSet, texts: Sequence[str], *, seed: int
) -> tuple[ShiftCheck, float | None]:
    """Compare a sample with what was learned from.

    Training documents are left out of the comparison: they are of the same kind anyway, and the fold
    models have seen them.

    Returns
    -------
    tuple of ShiftCheck and float
        The verdict, and with an alarm the share of the sensitive words that the redactor itself
        expects to be left; it is often too low and never a promise.

    """
    unseen = [text for text in texts if not learned.knows(text)]
    known = {"learned_from": len(texts) - len(unseen)}
    if learned.shift is None:
        return ShiftCheck(TOO_FEW, len(unseen), 1, further=known), None
    if known["learned_from"] and len(unseen) < LEAST:
        documents = len(learned.shift.measures)
        return ShiftCheck(LIKE, len(unseen), documents, further=known), None
    check, data, scores = learned.shift.check(
        unseen, streams=Streams(seed).child("shift"), knowledge=classifiers.knowledge
    )
    check = replace(check, further=known)
    if not check.different:
        return check, None
    redacted = classifiers.redactions(data) > 0
    likely = np.where(data.counted & np.isfinite(scores), 1 / (1 + np.exp(-scores)), 0.0)
    total = float(likely.sum())
    return check, float(likely[~redacted].sum()) / total if total > 0 else None


def shift_sentence(check: ShiftCheck, expected: float | None, promise: Risk) -> str:
    """Return the verdict in words, for the command line and the report."""
    if check.verdict == TOO_FEW:
        return (
            f"{check.released:,} documents, learned from {check.learned:,}: too few to tell whether they "
            "are alike."
        )
    if check.verdict == LIKE and check.p_value is None:
        return (
            f"{check.further['learned_from']:,} documents were learned from: less stays in them than the "
            "estimates say, which stand for documents that were not."
        )
    if check.verdict == LIKE:
        sentence = (
            f"These {check.released:,} documents look like the {check.learned:,} learned from (five "
            f"measures, p = {check.p_value:.2f}). Foreign names in the same kind of text, or a few "
            "other documents among them, would not be noticed."
        )
        if check.released < FEW:
            sentence += f" With fewer than {FEW} documents only gross differences would be noticed."
        return sentence
    cause = next(m for m in check.measures if m.name == check.cause)
    if cause.name in _PERCENT:
        how = f"{cause.released:.1%} {_PERCENT[cause.name]} (learned from: {cause.learned:.1%})"
    else:
        how = "their spelling is of another kind"
    sentence = f"These documents differ from those learned from: {how}."
    ends = promise.interval
    if expected is not None and ends is not None and expected > ends.high:
        return (
            f"{sentence} The estimate of {promise.value:.2%} does not hold for them; the redactor "
            f"itself expects about {expected:.1%} to be left, and that may be too low. Label some of "
            "them and learn again."
        )
    return (
        f"{sentence} The estimate of {promise.value:.2%} was not made for them. Nothing shows that more "
        "is left; label some of them to know."
    )


def measure_release(
    held_out: HeldOut,
    labels: Sequence[str],
    counts: RedactionCounts,
    check: ShiftCheck,
    expected: float | None,
    batch: NextBatch,
) -> TextMeasured:
    """Return what was measured on a release, with the ranges of a batch of its size.

    Parameters
    ----------
    held_out
        The candidate on the documents that it was judged on.
    labels
        The labels of the candidate.
    counts
        What was counted while publishing.
    check, expected
        What `check_sample` returned.
    batch
        The draws that the ranges rest on.

    """
    words, redacted = counts.words, counts.redacted
    every = held_out.column("words")

    def ranged(value: float, around: Interval, scale: float = 1.0) -> MeasuredRange:
        low, high = around.low * scale, around.high * scale
        return MeasuredRange(value=value, low=low, high=high, inside=low <= value <= high)

    per_thousand = {
        label: ranged(
            1000 * redacted.get(label, 0) / max(words, 1),
            batch.share(held_out.redacted[:, i], every, rare=False),
            1000.0,
        )
        for i, label in enumerate(labels)
    }
    kept = 1 - sum(redacted.values()) / max(words, 1)
    return TextMeasured(
        published=ranged(kept, batch.share(held_out.column("kept"), every, rare=False)),
        redacted_per_1000_words=per_thousand,
        shift=ShiftRecord.of(check),
        expected_left=expected,
    )
