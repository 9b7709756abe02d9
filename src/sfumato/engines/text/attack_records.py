"""The text engine's records of attacks: what attackers find, what theorems bound, what audits measure.

attack.json keeps the keys that scripts read: `attack` is keyed by reading ("A", "B", "outside"), findings by
budget, and `bounds` by the name of the theorem.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

from ...core.records import (
    AttackRecord,
    AuditOfRelease,
    CandidateId,
    Count,
    HouseRecord,
    Name,
    Public,
    Record,
    Sentence,
    Share,
)
from .composition_records import TextComposition

__all__ = [
    "READINGS",
    "Amount",
    "Assumption",
    "AttackDetails",
    "AttackerName",
    "AuditRecord",
    "Bound",
    "InferenceRecord",
    "InspectionRecord",
    "RangedShare",
    "Reading",
    "ReadingRecord",
    "SampleParametersRecord",
    "TextAttack",
    "TheoremBounds",
]

Reading = Literal["A", "B", "outside"]
READINGS: tuple[Reading, ...] = ("A", "B", "outside")
Budget = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,11}$")]
"""A number of inspected words, as JSON keys are."""
AttackerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9 ,.'_:=+-]{0,127}$")]
"""A learner or an attacker, in the program's own words."""
Amount = Annotated[float, Field(ge=0)]


class InspectionRecord(HouseRecord):
    """How many sensitive words an inspection finds, with a 95 % range."""

    found: Amount
    low: Amount
    high: Amount


class LearnerCounts(HouseRecord):
    """One attacking learner: its counts, and what it finds best first by budget."""

    tp: Count
    fp: Count
    fn: Count
    tn: Count
    ranked: dict[Budget, Amount]


class ReadingRecord(HouseRecord):
    """The chosen attacker of one reading, by way of inspecting and by budget."""

    learner: AttackerName
    tp: Count
    fp: Count
    fn: Count
    tn: Count
    ranked: dict[Budget, InspectionRecord]
    unordered: dict[Budget, InspectionRecord]
    random: dict[Budget, InspectionRecord]
    gain_over_random: dict[Budget, Amount | None]
    learners: dict[AttackerName, LearnerCounts]


class Strongest(InspectionRecord):
    """The attacker who finds most in the reference budget."""

    attacker: AttackerName
    reading: Reading
    learner: AttackerName
    budget: Count


class Left(HouseRecord):
    """What was left to attack."""

    words: Count
    sensitive: Count


class AttackDetails(HouseRecord):
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


class Assumption(HouseRecord):
    """A condition of a theorem; `holds` is None where counts cannot tell."""

    name: Sentence
    holds: bool | None
    text: Sentence


class Bound(HouseRecord):
    """What a theorem says here: its value, whether it applies, its assumptions with their verdicts, a sentence."""

    name: Sentence
    value: float | None
    applies: bool
    vacuous: bool
    assumptions: tuple[Assumption, ...] = ()
    sentence: Sentence


class SampleParametersRecord(HouseRecord):
    """The parameters p, q, r, s of section 4.3; None where they are not finite."""

    p: float | None
    q: float | None
    r: float | None
    s: float | None
    q_printed: float | None
    r_printed: float | None


class TheoremBounds(HouseRecord):
    """Every bound of the papers on one release.

    In a file the theorems are listed by name, with `ranked prefix`, `deviation` and `parameters`.
    """

    theorems: dict[Name, Bound]
    ranked_prefix: dict[Budget, Bound] = Field(default_factory=dict)
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
        return {
            "theorems": _with_name(rest),
            "ranked_prefix": _with_name(prefixes, "ranked prefix"),
            **own,
        }

    @model_serializer(mode="wrap")
    def _to_file(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        found: dict[str, dict[str, object]] = handler(self)
        sample = {k: found[k] for k in ("deviation", "parameters") if self.parameters is not None}
        return {**found["theorems"], "ranked prefix": found["ranked_prefix"], **sample}


def _with_name(bounds: object, name: str | None = None) -> object:
    if not isinstance(bounds, Mapping):
        return bounds
    return {
        key: {"name": name or key, **bound} if isinstance(bound, Mapping) else bound
        for key, bound in bounds.items()
    }


class RangedShare(Record):
    """A share with its 95 % range."""

    value: Public[Share]
    low: Public[Share]
    high: Public[Share]


class AuditRecord(AuditOfRelease):
    """What a person found in a random part of a release, with an exact 95 % interval."""

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


class InferenceRecord(HouseRecord):
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
    """Documents of the release that were learned from; they are not counted."""
    marked: Count = 0
    """Spans that a person had marked in the published documents, and that are redacted for it."""
    words_before: Count
    sensitive_before: Count
    background_documents: Count
    attack: AttackDetails
    bounds: TheoremBounds | None = None
    inference: InferenceRecord | None = None
    compositions: tuple[TextComposition, ...] = ()
    """The release together with earlier ones."""

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
        return [*found, *(line for together in self.compositions for line in together.lines())]
