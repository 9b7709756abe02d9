"""The text engine's records: candidates, references, the frontier, releases and attacks, typed.

frontier.json and attack.json keep the keys that scripts read: `attack` is keyed by reading ("A", "B",
"outside"), findings by budget, and `bounds` by the name of the theorem.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

from ...core.files import read_json
from ...core.measures import Risk
from ...core.records import (
    RELEASE_FILE,
    Assumption,
    AttackRecord,
    Bound,
    Candidate,
    CandidateId,
    ColumnName,
    Count,
    FrontierRecord,
    Label,
    Name,
    Record,
    Reference,
    Release,
    Sentence,
    Share,
    ShiftRecord,
)

__all__ = [
    "BEST_FORM",
    "READINGS",
    "UNSURE",
    "Approval",
    "AttackDetails",
    "AuditRecord",
    "Background",
    "Bounds",
    "EncoderRecord",
    "Found",
    "InferenceRecord",
    "MeasuredRange",
    "Reading",
    "ReadingRecord",
    "RoundRecord",
    "TextAttack",
    "TextBound",
    "TextCandidate",
    "TextFrontier",
    "TextHow",
    "TextMeasured",
    "TextReference",
    "TextRelease",
    "is_measured",
    "labels_listed",
]

UNSURE = "likely false positive"
"""Under this name releases count redactions that the classifiers themselves think harmless."""
Reading = Literal["A", "B", "outside"]
READINGS: tuple[Reading, ...] = ("A", "B", "outside")
Budget = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,11}$")]
"""A number of inspected words, as JSON keys are."""
AttackerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9 ,.'_:=+-]{0,127}$")]
"""A learner or an attacker, in the program's own words."""
Amount = Annotated[float, Field(ge=0)]
Way = Literal["best form", "linear", "second look", "student"]
BEST_FORM: Literal["best form"] = "best form"


class Found(Record):
    """How many sensitive words an inspection finds, with a 95 % range."""

    found: Amount
    low: Amount
    high: Amount


class LearnerCounts(Record):
    """One attacking learner: its counts, and what it finds best first by budget."""

    tp: Count
    fp: Count
    fn: Count
    tn: Count
    ranked: dict[Budget, Amount]


class ReadingRecord(Record):
    """The chosen attacker of one reading, by way of inspecting and by budget."""

    learner: AttackerName
    tp: Count
    fp: Count
    fn: Count
    tn: Count
    ranked: dict[Budget, Found]
    unordered: dict[Budget, Found]
    random: dict[Budget, Found]
    gain_over_random: dict[Budget, Amount | None]
    learners: dict[AttackerName, LearnerCounts]


class Strongest(Found):
    """The attacker who finds most in the reference budget."""

    attacker: AttackerName
    reading: Reading
    learner: AttackerName
    budget: Count


class Left(Record):
    """What was left to attack."""

    words: Count
    sensitive: Count


class AttackDetails(Record):
    """What attackers find in one release; a reading that was not run is absent."""

    A: ReadingRecord | None = None
    B: ReadingRecord | None = None
    outside: ReadingRecord | None = None
    strongest: Strongest | None
    left: Left
    with_encoder: bool = False
    """Whether attackers with a pretrained encoder were among them."""

    def readings(self) -> dict[Reading, ReadingRecord]:
        """Return the readings that were run."""
        found = {reading: getattr(self, reading) for reading in READINGS}
        return {reading: record for reading, record in found.items() if record is not None}

    @model_serializer(mode="wrap")
    def _to_file(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        found: dict[str, object] = handler(self)
        return {k: v for k, v in found.items() if v is not None or k not in READINGS}


class TextAssumption(Assumption):
    """A condition of a theorem, with its text."""

    text: Sentence


class TextBound(Bound):
    """What a theorem says here, with one sentence for people."""

    assumptions: tuple[TextAssumption, ...] = ()
    sentence: Sentence


class SampleParametersRecord(Record):
    """The parameters p, q, r, s of section 4.3; None where they are not finite."""

    p: float | None
    q: float | None
    r: float | None
    s: float | None
    q_printed: float | None
    r_printed: float | None


class Bounds(Record):
    """Every bound of the papers on one release.

    In a file the theorems stand by name beside `ranked prefix`, `deviation` and `parameters`.
    """

    theorems: dict[Name, TextBound]
    ranked_prefix: dict[Budget, TextBound] = Field(default_factory=dict)
    deviation: Amount | None = None
    parameters: SampleParametersRecord | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_file(cls, values: object) -> object:
        if not isinstance(values, Mapping) or "theorems" in values:
            return values
        rest = dict(values)
        prefixes = rest.pop("ranked prefix", {})
        own = {k: rest.pop(k) for k in ("deviation", "parameters") if k in rest}
        return {"theorems": _named(rest), "ranked_prefix": _named(prefixes, "ranked prefix"), **own}

    @model_serializer(mode="wrap")
    def _to_file(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        found: dict[str, dict[str, object]] = handler(self)
        sample = {k: found[k] for k in ("deviation", "parameters") if self.parameters is not None}
        return {**found["theorems"], "ranked prefix": found["ranked_prefix"], **sample}


def _named(bounds: object, name: str | None = None) -> object:
    if not isinstance(bounds, Mapping):
        return bounds
    return {
        key: {"name": name or key, **bound} if isinstance(bound, Mapping) else bound
        for key, bound in bounds.items()
    }


class RoundRecord(Record):
    """What one round of GreedySanitize did, judged on unseen documents."""

    form: Name
    threshold: float | None
    found: Count
    false_positives: Count
    total_loss: Amount
    kept: bool
    total_loss_by_form: dict[Name, float]


class LabelCounts(Record):
    """The held-out words of one label: how many there are, and how many are left."""

    sensitive: Count
    leaked: Count


class RangedShare(Record):
    """A share with its 95 % range."""

    value: Share
    low: Share
    high: Share


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
    bounds: Bounds | None = None


class RatioLoss(Record):
    """What a reference loses at one ratio."""

    total_loss: Amount


UNMEASURED = "not measured"
"""The method of a risk that nobody has measured; its value is the worst there is."""


def is_measured(risk: Risk) -> bool:
    """Return whether somebody has looked at what is left."""
    return risk.interval is None or risk.interval.method != UNMEASURED


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


class Background(Record):
    """One background corpus: its documents, and how many of its labels were matched."""

    documents: Count
    labels_matched: Count


class EncoderRecord(Record):
    """The pretrained encoder that took part: the hash of its weights, what was tuned, and where.

    On an accelerator the same request need not give the same bytes.
    """

    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    tuning: Name
    device: Name
    repeatable: bool


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
    left_as_they_are: dict[Label, Count] = Field(default_factory=dict)
    """Spans of the corpus whose label was not chosen, by label."""
    findings: bool = False
    contextual_words: Count = 0
    """Words that are sensitive only because they give a name of their document away."""
    rules: bool = False
    answers: Count | None = None


class MeasuredRange(Record):
    """A number of the release beside its range from held-out documents, for a batch of its size."""

    value: float
    low: float
    high: float
    inside: bool


class TextMeasured(Record):
    """What was measured on the release itself, without labels."""

    published: MeasuredRange
    redacted_per_1000_words: dict[Label, MeasuredRange]
    shift: ShiftRecord
    expected_left: Share | None = None


class TextHow(Record):
    """How documents were published."""

    ratio: Annotated[float, Field(gt=0)]
    replacement: Name
    findings: bool = False
    order: Literal["kept", "shuffled"] = "kept"
    ids: Literal["kept", "new"] = "kept"
    rules: bool = False
    dropped_fields: tuple[ColumnName, ...] = ()
    fields_as_they_are: tuple[ColumnName, ...] = ()
    encoder_device: Name | None = None
    """What an encoder read the documents on; on an accelerator the bytes may differ between runs."""
    left_as_they_are: dict[Label, Count] = Field(default_factory=dict)
    """Spans of the input whose label was not chosen, by label."""
    accept_shift: bool = False
    marked: Count = 0
    """Spans that a person had marked with a chosen label; they are redacted whatever was learned."""
    ignore_marks: bool = False


class Approval(Record):
    """Who approved a release after looking at it."""

    by: Annotated[str, StringConstraints(pattern=r"^[^\W\d_]{1,4}$")]
    documents_seen: Count


class TextRelease(Release):
    """release.json of the text engine."""

    how: TextHow
    approved: Approval | None = None
    measured: TextMeasured | None = None
    documents_with_leak: RangedShare | None = None
    """How many documents are expected to hold at least one leak."""
    sentences: tuple[Sentence, ...] = ()
    """What is to be known first, in words."""

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> TextRelease:
        """Read release.json from a folder."""
        return cls.from_json(read_json(os.path.join(folder, RELEASE_FILE)), file=RELEASE_FILE)

    def lines(self) -> list[str]:
        redacted = self.counts["redacted"]
        many = sum(redacted.values()) if isinstance(redacted, dict) else redacted
        documents, words = self.counts["documents"], self.counts["words"]
        found = list(self.sentences)
        found.append(f"{documents:,} documents, {words:,} words, {many:,} redacted")
        if self.risk is not None and self.risk.interval is not None:
            ends = self.risk.interval
            found.append(
                f"candidate {self.candidate}: {self.risk.value:.2%} of the sensitive words are expected "
                f"to be left ({ends.low:.2%} – {ends.high:.2%} for {documents:,} documents)"
            )
        if self.how.left_as_they_are:
            found.append(f"left as they are: {labels_listed(self.how.left_as_they_are)}")
        kept = [] if self.how.ids == "new" else ["the order of the documents", "their ids"]
        kept += self.how.fields_as_they_are
        if kept:
            hints = [] if self.how.ids == "new" else ["--new-ids replaces ids and shuffles"]
            hints += ["--drop leaves fields out"] if self.how.fields_as_they_are else []
            found.append(f"published as they are: {', '.join(kept)} ({'; '.join(hints)})")
        return found


def labels_listed(counts: Mapping[str, int]) -> str:
    """Return labels with their counts, most frequent first.

    >>> labels_listed({"ID": 3, "EMAIL": 165})
    'EMAIL 165, ID 3'
    """
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{label} {count:,}" for label, count in ordered)


class AuditRecord(Record):
    """What a person found in a random part of a release, with an exact 95 % interval."""

    engine: Name
    kind: Literal["documents", "words"]
    candidate: CandidateId | None
    drawn: Count
    leaking: Count
    marked: Count
    measured: RangedShare
    promised: RangedShare | None = None
    bound: Share | None = None
    seed: int

    def lines(self) -> list[str]:
        """Return what the command line prints about the audit."""
        measured = self.measured
        ends = f"{measured.low:.1%} – {measured.high:.1%}, exact 95 % interval"
        if self.kind == "words":
            found = [f"{self.leaking:,} of {self.drawn:,} words should have been redacted ({ends})"]
            if self.bound is not None:
                word = "within" if measured.high <= self.bound else "not known to be within"
                found.append(f"{word} the bound C/(L+C) = {self.bound:.1%}")
            return found
        found = [
            (
                f"{self.leaking:,} of {self.drawn:,} documents hold something that should have been redacted "
                f"({self.marked:,} places): {measured.value:.1%} ({ends})"
            )
        ]
        if self.promised is not None:
            promise = self.promised
            found.append(
                f"promised: {promise.value:.1%} of the documents ({promise.low:.1%} – {promise.high:.1%})"
            )
        return found


class InferenceRecord(Record):
    """What an adversary guesses who knows other documents of the same people.

    `right` of `cases` removed identifiers were guessed first among `candidates`; `by_prior` would be
    without reading the document.
    """

    cases: Count
    candidates: Count
    right: Count
    share: Share
    low: Share
    high: Share
    by_prior: Count


class TextAttack(AttackRecord):
    """attack.json: what attackers find in one written release."""

    seed: int
    documents: Count
    learned_from: Count = 0
    """Documents of the release that were learned from; they were left out."""
    marked: Count = 0
    """Spans that a person had marked in the published documents, and that are redacted for it."""
    words_before: Count
    sensitive_before: Count
    background_documents: Count
    attack: AttackDetails
    bounds: Bounds | None = None
    inference: InferenceRecord | None = None

    def lines(self) -> list[str]:
        """Return what the command line prints about the attack."""
        left = self.attack.left
        stay = f"{left.sensitive:,} of {self.sensitive_before:,} sensitive ones left"
        found = [f"{self.documents:,} documents, {left.words:,} words published, {stay}"]
        if self.learned_from:
            found.append(f"{self.learned_from:,} documents were learned from and are left out")
        if self.marked:
            found.append(
                f"{self.marked:,} spans were marked by a person when they were published, and redacted for "
                "it: what is left says nothing about documents without marks (publish --ignore-marks "
                "measures the classifiers)"
            )
        readings = self.attack.readings()
        budgets = sorted({int(b) for record in readings.values() for b in record.ranked})
        heads = "".join(f"{f'found of {b:,}':>26}" for b in budgets)
        found.append(f"{'attacker':<48}{heads}")
        for reading, record in readings.items():
            cells = "".join(
                f"{r.found:>12.1f} ({r.low:.1f} – {r.high:.1f})".rjust(26)
                for r in (record.ranked[str(b)] for b in budgets)
            )
            found.append(f"{f'{reading}: {record.learner}':<48}{cells}")
        strongest = self.attack.strongest
        if strongest is not None:
            found.append(
                f"strongest: {strongest.attacker}, {strongest.found:.0f} ({strongest.low:.0f} – "
                f"{strongest.high:.0f}) of {strongest.budget:,} inspected words"
            )
        if not self.attack.with_encoder:
            found.append(
                "no attacker with a pretrained encoder was run (sfumato[encoder] brings one)"
            )
        if self.bounds is not None:
            found += [bound.sentence for bound in self.bounds.ranked_prefix.values()]
        if self.inference is not None and self.inference.cases:
            guess = self.inference
            found.append(
                f"from the words around: {guess.right:,} of {guess.cases:,} removed names guessed "
                f"({guess.low:.0%} – {guess.high:.0%}), {guess.by_prior:,} without reading"
            )
        return found
