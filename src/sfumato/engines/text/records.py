"""The text engine's records: candidates, references, the frontier and releases, typed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ...core.files import read_json
from ...core.measures import Risk
from ...core.records import (
    RELEASE_FILE,
    Candidate,
    Coarse,
    ColumnName,
    Count,
    FrontierRecord,
    HouseRecord,
    Label,
    Mark,
    Name,
    Private,
    Public,
    Record,
    Reference,
    Release,
    RiskField,
    RoundedDown,
    RoundedUp,
    Sentence,
    Share,
    ShiftRecord,
    UtilityField,
)
from ...core.statistics.shift import DIFFERENT
from .attack_records import (
    Amount,
    AttackDetails,
    AttackerName,
    InspectionRecord,
    RangedShare,
    TheoremBounds,
)

__all__ = [
    "BEST_FORM",
    "INSPECTED",
    "MOST_FOUND",
    "TWICE_FOUND",
    "UNSURE",
    "Background",
    "EncoderRecord",
    "MeasuredRange",
    "RoundRecord",
    "ScanRecord",
    "StarterRecord",
    "TextCandidate",
    "TextFrontier",
    "TextHow",
    "TextMeasured",
    "TextReference",
    "TextRelease",
    "WordCounts",
    "format_label_counts",
    "found_limit",
    "is_measured",
    "with_few_found",
]

INSPECTED, MOST_FOUND, TWICE_FOUND = 100, 6, 12
"""A suggested candidate lets the strongest attacker find at most so many among the words that it inspects first.

In other documents it may find twice as many: if words were found independently of each other, more than 12 in 6 % of
the cases, where a limit of 12 would let it find more than 12 in 46 %. Where no candidate keeps it, `TWICE_FOUND` is the limit.
"""
UNSURE = "likely false positive"
"""Under this name releases count redactions that the classifiers themselves think harmless."""
Way = Literal["best form", "linear", "second look", "student"]
BEST_FORM: Literal["best form"] = "best form"


class RoundRecord(HouseRecord):
    """What one round of GreedySanitize did, judged on unseen documents."""

    form: Name
    threshold: float | None
    found: Count
    false_positives: Count
    total_loss: Amount
    kept: bool
    total_loss_by_form: dict[Name, float]
    total_loss_by_seed: tuple[Amount, ...] = ()
    """Under each seed of an encoder, where one takes part; `total_loss` is the median, of two the higher."""


class LabelCounts(HouseRecord):
    """The held-out words of one label: how many there are, and how many are left."""

    sensitive: Count
    leaked: Count
    range: RangedShare | None = None
    """The share left and its range, where it was measured in random windows."""


class TextCandidate(Candidate):
    """The classifiers of one loss ratio; counts and T are held-out totals over the folds."""

    ratio: Annotated[float, Field(gt=0)]
    rounds: Count
    published: Share
    leaked: Count
    false_positives: Count
    total_loss: Amount
    held_out: bool
    record: tuple[RoundRecord, ...]
    total_loss_in_sample: Amount | None = None
    way: Way = BEST_FORM
    """How it publishes; ways other than the form that gained most are there because they are faster."""
    encoder_reads: Share = 0.0
    """The share of the words that an encoder reads when documents are published."""
    by_label: dict[Label, LabelCounts] = Field(default_factory=dict)
    documents_with_leak: RangedShare | None = None
    harmless_lost: Share | None = None
    attack: AttackDetails | None = None
    bounds: TheoremBounds | None = None

    @property
    def found(self) -> InspectionRecord | None:
        """What the strongest attacker finds among the first `INSPECTED` words; None where fewer were inspected."""
        strongest = None if self.attack is None else self.attack.strongest
        return strongest if strongest is not None and strongest.budget == INSPECTED else None


class RatioLoss(HouseRecord):
    """What a reference loses at one ratio."""

    total_loss: Amount


UNMEASURED = "not measured"
"""The method of a risk that nobody has measured; its value is the worst there is."""


WINDOWS = "random windows: the wider of two-stage bootstrap and Clopper-Pearson"
"""The method of a risk that was estimated from answers on windows drawn at random."""


def is_measured(risk: Risk) -> bool:
    """Return whether somebody has looked at what is left."""
    return risk.interval is None or risk.interval.method != UNMEASURED


def with_few_found(candidates: Iterable[TextCandidate], most: float) -> list[TextCandidate]:
    """Return the candidates in which the strongest attacker finds at most `most` words first."""
    return [c for c in candidates if c.found is not None and c.found.found <= most]


def found_limit(suggested: TextCandidate) -> int:
    """Return the limit of what attackers find that a suggested candidate keeps."""
    return MOST_FOUND if with_few_found([suggested], MOST_FOUND) else TWICE_FOUND


class TextReference(Reference):
    """Another way to publish the same documents, judged and attacked alike.

    `ratios` names the loss ratios at which it does exactly this, with its total loss at each.
    """

    ratios: dict[str, RatioLoss] = Field(default_factory=dict)
    held_out: bool = True
    published: Share | None = None
    leaked: Count | None = None
    false_positives: Count | None = None
    attack: AttackDetails | None = None


class Background(HouseRecord):
    """One background corpus: its documents, and how many of its labels were matched."""

    documents: Count
    labels_matched: Count


class EncoderRecord(HouseRecord):
    """The pretrained encoder that took part: the hash of its weights, what was tuned, and where.

    On an accelerator the same request need not give the same bytes.
    """

    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    tuning: Name
    device: Name
    repeatable: bool


class StarterRecord(Record):
    """The starter that took part: the hash of its weights, and how much of the words it knows.

    Where it knows too few of them it takes no part.
    """

    sha256: Public[Mark]
    corpora: Public[Count]
    known_words: RoundedDown[Share]
    speaks: Public[bool]

    @property
    def sentence(self) -> str:
        """What a release says that was made without any label."""
        known = f"{int(100 * self.known_words)}% of the lower-case words"
        if self.speaks:
            who = (
                "rules redacted, and a model that was learned from "
                f"{self.corpora} public corpora in English and Spanish, which knows {known}"
            )
        else:
            who = (
                f"rules redacted alone, because the starter knows only {known}: their language is "
                "probably another"
            )
        return f"No document was labelled: {who}. The risk is not measured; audit the release."


class TextFrontier(FrontierRecord):
    """frontier.json of the text engine."""

    candidates: tuple[TextCandidate, ...]
    references: tuple[TextReference, ...] = ()
    mode: Name
    learner: AttackerName
    labels: tuple[Label, ...]
    folds: Count
    folds_dealt: Count
    background: tuple[Background, ...] = ()
    unlabelled_documents: Count = 0
    documents: Count
    words: Count
    sensitive_words: Count
    encoder: EncoderRecord | None = None
    starter: Public[StarterRecord | None] = None
    left_as_they_are: dict[Label, Count] = Field(default_factory=dict)
    """Spans of the corpus whose label was not chosen, by label."""
    findings: bool = False
    contextual_words: Count = 0
    """Words that are sensitive only because they reveal a name of their document."""
    rules: bool = False
    answers: Count | None = None
    reader: str | None = None
    """The format and the version of the reader that the documents were read with."""


class MeasuredRange(HouseRecord):
    """A number of the release with its range from held-out documents, for a batch of its size."""

    value: float
    low: float
    high: float
    inside: bool


class TextMeasured(HouseRecord):
    """What was measured on this release, without labels.

    Words are counted as they were read, and a redacted name of two words looks like one of three: so all of it is
    the steward's.
    """

    published: MeasuredRange
    redacted_per_1000_words: dict[Label, MeasuredRange]
    shift: ShiftRecord | None = None
    expected_left: Share | None = None


class WordCounts(HouseRecord):
    """The words of the documents as they were read, and those of them that are redacted, by label."""

    read: Count
    redacted: dict[str, Count]


class Verification(Record):
    """How much of the release was read back from the disk, and matched what was decided."""

    documents: Public[Count]
    edits: Public[Count]


class ScanRecord(Record):
    """Scanned pages: how many, what read them, and how well it read generated pages."""

    pages: Public[Count]
    recogniser: Public[Name]
    word_recall: Public[Share | None] = None
    """Modelled: of generated pages, not of these; what was not read on these is not measured."""
    accepted_unseen: Public[bool] = False
    """Whether they were published without a person who sees them in the review room."""

    def line(self) -> str:
        """Return what a person must know of them."""
        seen = (
            "accepted unseen"
            if self.accepted_unseen
            else "to be seen and approved in the review room"
        )
        return f"{self.pages:,} scanned pages were read by OCR, {seen}; what it misread is not measured"


class TextHow(Record):
    """How documents were published."""

    ratio: Public[Annotated[float, Field(gt=0)]]
    replacement: Public[Name]
    findings: Public[bool] = False
    order: Public[Literal["kept", "shuffled"]] = "kept"
    ids: Public[Literal["kept", "new"]] = "kept"
    rules: Public[bool] = False
    dropped_fields: Public[tuple[ColumnName, ...]] = ()
    fields_as_they_are: Public[tuple[ColumnName, ...]] = ()
    encoder_device: Public[Name | None] = None
    """What an encoder read the documents on; on an accelerator the bytes may differ between runs."""
    left_as_they_are: Coarse[dict[Label, Count]] = Field(default_factory=dict)
    """Spans of the input whose label was not chosen, by label."""
    accept_shift: Public[bool] = False
    marked: Coarse[Count] = 0
    """Spans that a person had marked with a chosen label; they are redacted whatever was learned."""
    ignore_marks: Public[bool] = False
    scans: Public[ScanRecord | None] = None
    """The pages that a recogniser read, where there are some."""


class TextRelease(Release):
    """release.json of the text engine."""

    how: Public[TextHow]
    risk: RoundedUp[RiskField | None] = None
    utility: RoundedDown[UtilityField | None] = None
    measured: Private[TextMeasured | None] = None
    words: Private[WordCounts | None] = None
    verified: Public[Verification | None] = None
    documents_with_leak: RoundedUp[RangedShare | None] = None
    """How many documents are expected to hold at least one leak."""
    left_by_label: RoundedUp[dict[Label, RangedShare]] = Field(default_factory=dict)
    """The share left of each label, and its range, on documents or in windows that were not learned from."""
    sentences: Private[tuple[Sentence, ...]] = ()
    """What is to be known first, in words."""
    starter: Public[StarterRecord | None] = None
    """The shipped model that redacted where no document was labelled."""

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> TextRelease:
        """Read release.json from a folder."""
        return cls.from_json(read_json(os.path.join(folder, RELEASE_FILE)), file=RELEASE_FILE)

    def lines(self) -> list[str]:
        documents, spans = self.counts["documents"], self.counts["spans"]
        found = list(self.sentences)
        if self.words is not None:
            many = sum(self.words.redacted.values())
            found.append(f"{documents:,} documents, {self.words.read:,} words, {many:,} redacted")
        else:
            many = sum(spans.values()) if isinstance(spans, dict) else spans
            words = self.counts["words_published"]
            found.append(f"{documents:,} documents, {words:,} words published, {many:,} redactions")
        if self.risk is not None and not is_measured(self.risk):
            found.append(f"candidate {self.candidate}: what is left is not measured")
        elif self.risk is not None and self.risk.interval is not None:
            ends = self.risk.interval
            shift = None if self.measured is None else self.measured.shift
            if shift is not None and shift.verdict == DIFFERENT:
                found.append(
                    f"candidate {self.candidate}: {self.risk.value:.2%} of the sensitive words would be left if these "
                    f"documents were like those learned from ({ends.low:.2%} – {ends.high:.2%} for {documents:,} documents)"
                )
            else:
                found.append(
                    f"candidate {self.candidate}: {self.risk.value:.2%} of the sensitive words are expected "
                    f"to be left ({ends.low:.2%} – {ends.high:.2%} for {documents:,} documents)"
                )
        if self.how.scans is not None:
            found.append(self.how.scans.line())
        if self.how.left_as_they_are:
            found.append(f"left as they are: {format_label_counts(self.how.left_as_they_are)}")
        kept = [] if self.how.ids == "new" else ["the order of the documents", "their ids"]
        kept += self.how.fields_as_they_are
        if kept:
            found.append(f"published as they are, because you keep them: {', '.join(kept)}")
        return found


def format_label_counts(counts: Mapping[str, int]) -> str:
    """Return labels with their counts, most frequent first.

    >>> format_label_counts({"ID": 3, "EMAIL": 165})
    'EMAIL 165, ID 3'
    """
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{label} {count:,}" for label, count in ordered)
