"""frontier.json and release.json of the baskets engine as types."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ...core.records import (
    Candidate,
    Count,
    FrontierRecord,
    Label,
    Name,
    Record,
    Reference,
    Release,
    Sentence,
    Share,
    private,
)

__all__ = [
    "BasketsCandidate",
    "BasketsFrontier",
    "BasketsReference",
    "BasketsRelease",
    "EmptySelection",
    "How",
    "Measured",
]

Feature = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,1000}$")]
"""The name of a column of the matrix, as its header or features file declares it."""


class Measured(Record):
    """What a matrix gives away, measured on its own rows.

    `ac` is the anonymity by containment; `ac_under_absences` the same against someone who also knows so
    many absences, and `absences_exact` whether that search was complete (if not, the true figure may be
    lower).
    """

    rows: Count
    count: Count
    ac: Count
    unique_share: Share
    smallest_group: Count
    ac_under_absences: dict[str, Count] = Field(default_factory=dict)
    absences_exact: dict[str, bool] = Field(default_factory=dict)


class BasketsCandidate(Candidate):
    """A set of features for one k."""

    k: Count
    selector: Name
    stop: Name | None = None
    features: tuple[Feature, ...]
    absence_risky: tuple[Feature, ...] | None = None
    classes: tuple[Label, ...] = private(())
    """The classes that were explored; a label outside them is not published."""
    count: Count
    ac: Count
    unique_share: Share
    smallest_group: Count
    ac_under_absences: dict[str, Count] = Field(default_factory=dict)
    absences_exact: dict[str, bool] = Field(default_factory=dict)
    empty_rows: Count
    auc: Share
    auc_chosen_on_all_labels: Share
    counts_in_folds: tuple[Count, ...] = ()


class BasketsReference(Reference):
    """The matrix as it stands, on the same axes."""

    count: Count
    ac: Count
    unique_share: Share
    smallest_group: Count
    ac_under_absences: dict[str, Count] = Field(default_factory=dict)
    absences_exact: dict[str, bool] = Field(default_factory=dict)
    auc: Share


class EmptySelection(Record):
    """A selector that found no feature to keep at one k."""

    selector: Name
    k: Count


class BasketsFrontier(FrontierRecord):
    """frontier.json of the baskets engine."""

    candidates: tuple[BasketsCandidate, ...]
    references: tuple[BasketsReference, ...] = ()
    rows: Count
    features_offered: Count
    empty_rows: Count
    positives: Count
    empty_selections: tuple[EmptySelection, ...] = ()
    warning: Sentence


class How(Record):
    """How a release was made."""

    selector: Name
    stop: Name | None = None
    k: Count
    order: Literal["shuffled", "kept"] = "kept"
    features: tuple[Feature, ...]
    absence_risky: tuple[Feature, ...] = ()


class BasketsRelease(Release):
    """release.json of the baskets engine."""

    how: How
    measured: Measured

    def lines(self) -> list[str]:
        absent = ", ".join(
            f"{v} with {m} known absence{'s' * (m != '1')}"
            for m, v in self.measured.ac_under_absences.items()
        )
        return [
            f"{self.counts['rows']:,} rows, {self.counts['features']:,} features; audited AC "
            f"{self.measured.ac} (promised {self.how.k}), unique rows "
            f"{self.measured.unique_share:.1%}" + (f", AC {absent}" if absent else "")
        ]
