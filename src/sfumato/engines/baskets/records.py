"""frontier.json and release.json of the baskets engine as types."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from ...core.coarse import granularity_of
from ...core.composition.records import CompositionRecord
from ...core.records import (
    AttackRecord,
    Candidate,
    CandidateId,
    Count,
    FrontierRecord,
    Hidden,
    HouseRecord,
    Label,
    Name,
    Private,
    Public,
    Record,
    Reference,
    Release,
    RiskField,
    Sentence,
    Share,
    ShiftRecord,
    UtilityField,
)

__all__ = [
    "BasketsAttack",
    "BasketsCandidate",
    "BasketsComposition",
    "BasketsFrontier",
    "BasketsReference",
    "BasketsRelease",
    "CandidateAttack",
    "DisclosureFields",
    "DisclosureRecord",
    "EmptySelection",
    "Finding",
    "How",
    "ReleaseMeasured",
]

Feature = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,1000}$")]
"""The name of a column of the matrix, as its header or features file declares it."""


class DisclosureFields(Record):
    """What a matrix discloses, measured on its own rows.

    `ac` is the anonymity by containment; `ac_under_absences` the same against someone who also knows a number
    of absences, and `absences_exact` whether that search was complete (if not, the true figure may be
    lower). `left_by_items` and `items_exact` are the same for at most that many known items.
    """

    count: Public[Count]
    ac: Public[Count]
    unique_share: Public[Share]
    smallest_group: Public[Count]
    ac_under_absences: Public[dict[str, Count]] = Field(default_factory=dict)
    absences_exact: Public[dict[str, bool]] = Field(default_factory=dict)
    left_by_items: Public[dict[str, Count]] = Field(default_factory=dict)
    items_exact: Public[dict[str, bool]] = Field(default_factory=dict)


class DisclosureRecord(DisclosureFields):
    """What a matrix discloses, and how many rows it has."""

    rows: Public[Count]


class ReleaseMeasured(DisclosureRecord):
    """What a release discloses, and how its rows compare with those explored."""

    shift: Private[ShiftRecord | None] = None


class Finding(HouseRecord):
    """What one attacker finds: the mean chance to point at the right row, before and after.

    `highest` is the highest chance for any one person after publishing; `rows_before` and `rows_after`
    are the median numbers of rows among which the attacker has to guess.
    """

    attacker: Name
    items: Count | None
    absences: Count = 0
    people: Count
    before: Share
    after: Share
    after_interval: tuple[Share, Share]
    highest: Share
    rows_before: float
    rows_after: float


class BasketsCandidate(DisclosureFields, Candidate):
    """A release for one k: its method, its promise, what it keeps.

    `promised` is the number of rows that were found to be left to the knowledge that the promise is
    about. `kept` holds every measure of what is kept that was taken; `features` are the columns that
    hold at least one published one.
    """

    k: Count
    publish_as: Name = "columns"
    known_items: Count | None = None
    known_absences: int = 0
    for_class: bool = False
    max_rows_out: Share = 0.05
    promised: Count
    rows_out: Count = 0
    ones: Count
    kept: dict[str, float] = Field(default_factory=dict)
    selector: Name | None = None
    stop: Name | None = None
    features: tuple[Feature, ...]
    absence_risky: tuple[Feature, ...] | None = None
    classes: Hidden[tuple[Label, ...]] = ()
    """The classes that were explored; a label outside them is not published."""
    numbers: bool = False
    """Whether the labels are numbers to predict rather than classes."""
    empty_rows: Count
    attack: tuple[Finding, ...] = ()
    sensitive: tuple[Feature, ...] | None = None
    max_confidence: Share = 1.0
    confidence: Share | None = None
    """The highest confidence with which one or two published items predict a sensitive one."""
    auc: Share | None = None
    auc_by_fold: tuple[Share, ...] = ()
    """The AUC in each fold, the same rows for every candidate: what differences are judged by."""
    auc_chosen_on_all_labels: Share | None = None
    counts_in_folds: tuple[Count, ...] = ()


class BasketsReference(DisclosureFields, Reference):
    """The unchanged matrix, on the same axes."""

    auc: Share | None = None
    kept: dict[str, float] = Field(default_factory=dict)


class EmptySelection(HouseRecord):
    """A method, or a selector, that found nothing to publish at one k."""

    selector: Name
    k: Count


class BasketsFrontier(FrontierRecord):
    """frontier.json of the baskets engine."""

    candidates: tuple[BasketsCandidate, ...]
    references: tuple[BasketsReference, ...] = ()
    rows: Count
    features_offered: Count
    empty_rows: Count
    ones: Count
    positives: Count | None = None
    utility: Name
    promise: Sentence
    empty_selections: tuple[EmptySelection, ...] = ()
    warning: Sentence


class CandidateAttack(HouseRecord):
    """What every attacker finds in one candidate, and in one candidate by way of another."""

    candidate: CandidateId
    k: Count
    findings: tuple[Finding, ...]
    linked_from: CandidateId | None = None


class BasketsComposition(CompositionRecord):
    """Two releases of rows of the same people: a group is everybody who holds all published items of a person.

    `unique_rows` are the shares of rows that are exactly unique: in each release alone, and linked.
    """

    crossed: ClassVar[tuple[str, str]] = (
        "of the people are shown differently by the two",
        "an item that comes or goes tells what happened in between",
    )
    remedies: ClassVar[str] = (
        "publish the columns of the earlier release again and no others, give out only one of the two, or see to it "
        "that rows cannot be linked (no kept order, no columns that both show)"
    )

    unique_rows: tuple[Share, Share, Share]

    def lines(self) -> list[str]:
        """Return what the command line prints."""
        first, second, linked = self.unique_rows
        found = super().lines()
        found.insert(
            5,
            f"  rows that are exactly unique: {first:.1%} and {second:.1%} alone, {linked:.1%} linked; "
            f"{self.shared_columns:,} columns are shown alike by both",
        )
        return found


class BasketsAttack(AttackRecord):
    """attack.json of the baskets engine: candidates under attack, or a release together with earlier ones."""

    attacks: tuple[CandidateAttack, ...] = ()
    compositions: tuple[BasketsComposition, ...] = ()


class How(Record):
    """How a release was made, and what it promises against whom."""

    publish_as: Public[Name] = "columns"
    known_items: Public[Count | None] = None
    known_absences: Public[int] = 0
    for_class: Public[bool] = False
    selector: Public[Name | None] = None
    stop: Public[Name | None] = None
    k: Public[Count]
    order: Public[Literal["shuffled", "kept"]] = "kept"
    features: Public[tuple[Feature, ...]]
    absence_risky: Public[tuple[Feature, ...]] = ()
    accept_shift: Public[bool] = False


class BasketsRelease(Release):
    """release.json of the baskets engine."""

    how: Public[How]
    measured: Public[ReleaseMeasured]
    risk: Public[RiskField | None] = None
    """One in k, as was asked for."""
    utility: Private[UtilityField | None] = None
    sentences: Private[tuple[Sentence, ...]] = ()
    """What is to be known first, in words."""
    confidence: Public[Share | None] = None
    promised: Public[Count]
    """The rows left to the knowledge that the promise is about, counted on the written file."""

    @property
    def granularity(self) -> int:
        """The k of the promise."""
        return granularity_of(self.how.k)

    def gone_sentence(self) -> str | None:
        """Return the sentence about rows that are missing from the file because none of their items is left."""
        gone, kept = self.left_out.get("rows_without_items", 0), self.counts.get("rows")
        if not isinstance(kept, int) or not gone:
            return None
        if self.multiples_of > 1:  # how many rows there were is not known as exactly as that
            return (
                f"At most {gone:,} rows of which no item is left are not in the published log: shares and means per row "
                f"are over {kept:,} rows, not over all that were read."
            )
        rows, are = ("row", "is") if gone == 1 else ("rows", "are")
        return (
            f"{gone:,} {rows} of which no item is left {are} not in the published log: "
            f"shares and means per row are over {kept:,} rows, not over {kept + gone:,}."
        )

    def lines(self) -> list[str]:
        absent = ", ".join(
            f"{v} with 1 known absence" if m == "1" else f"{v} with {m} known absences"
            for m, v in self.measured.ac_under_absences.items()
        )
        gone = self.gone_sentence()
        return [
            *self.sentences,
            *([] if gone is None else [gone]),
            f"{self.counts['rows']:,} rows, {self.counts['features']:,} features, "
            f"{self.counts['ones']:,} ones; audited: at least {self.promised} rows fit what is known (promised "
            f"{self.how.k}); AC {self.measured.ac}, unique rows "
            f"{self.measured.unique_share:.1%}" + (f", AC {absent}" if absent else ""),
        ]
