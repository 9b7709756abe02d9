"""What the tables engine writes into frontier.json and release.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from ...core.coarse import granularity_of
from ...core.records import (
    Candidate,
    ColumnName,
    Count,
    FrontierRecord,
    Hidden,
    HouseRecord,
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
from .analysis_records import AnalysisRecord
from .household_records import HouseholdRisk
from .notes_records import NotesFound
from .policy_records import (
    AbsoluteRisks,
    Ends,
    GroupSize,
    Hex,
    Labels,
    PolicyFields,
    PopulationEstimate,
    ShownFields,
    Size,
    check_domains,
    check_intervals,
    without_empty,
)

__all__ = [
    "AbsoluteRisks",
    "Certificate",
    "ColumnLoss",
    "ConditionsFields",
    "Ends",
    "GroupSize",
    "Hex",
    "HouseholdRisk",
    "Labels",
    "NotesFound",
    "PolicyFields",
    "PopulationEstimate",
    "PopulationFacts",
    "ShownFields",
    "TablesCandidate",
    "TablesFrontier",
    "TablesHow",
    "TablesMeasured",
    "TablesReference",
    "TablesRelease",
    "constant_columns",
    "treatment",
]


class TablesCandidate(PolicyFields, Candidate):
    """A policy on the frontier; `promised` is False for a saved policy, which promises nothing."""

    promised: bool = True

    def in_words(self) -> str:
        """Return one line about what will be published."""
        if self.promised:
            return super().in_words()
        return f"policy {self.id}: nothing was promised of it; the output is measured"

    @model_serializer(mode="wrap")
    def _to_file(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        return without_empty(super()._to_file(handler))


class TablesReference(PolicyFields, Reference):
    """A policy to compare with, and how the whole frontier compares."""

    dominated_by: Count
    risk_at_same_loss: float | None
    loss_at_same_risk: float | None
    risk_ratio: float | None
    in_words: Sentence

    @model_serializer(mode="wrap")
    def _to_file(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        return without_empty(super()._to_file(handler))


class PopulationFacts(HouseRecord):
    """The population that was given."""

    people: Size
    cells: Count
    records_without_population_cell: Count
    people_outside_domains: Size


class ConditionsFields(HouseRecord):
    """What a steward asks of every group, beyond its size (see `groups.conditions.Conditions`)."""

    min_l: float = 0.0
    diversity: Name = "distinct"
    recursive_c: float = 3.0
    max_t: float | None = None
    max_average_risk: float | None = None
    max_suppressed: float = 0.0
    suppress_as: Name = "records"


class Certificate(HouseRecord):
    """A proof of how good any policy of the lattice can be.

    Between one step's risk and the next one's no policy has a higher utility than the step's; `area` is
    the area under the staircase, a lower bound of every frontier's. `exact` says that the frontier found is
    the frontier of the lattice.
    """

    area: Share
    staircase: tuple[tuple[float, float], ...]
    seconds: Size
    exact: bool

    def utility_at(self, risk: float) -> float:
        """Return the highest utility that a policy within a risk can have."""
        return max((u for r, u in self.staircase if r <= risk), default=0.0)


class TablesFrontier(FrontierRecord):
    """frontier.json of a table; where the frontier is large, the candidates are a selection of it."""

    candidates: tuple[TablesCandidate, ...]
    references: tuple[TablesReference, ...] = ()
    strategy: Name
    risk_measure: Name
    loss_measure: Name
    rows: Count
    records: Count
    people: Count | None = None
    joined: bool = False
    dropped: Count
    quasi: tuple[ColumnName, ...]
    sensitive: tuple[ColumnName, ...] = ()
    domains: dict[ColumnName, Count]
    lattice_bits: Count
    fingerprint: Hidden[Hex]
    cells: Count
    population: bool
    population_covers: tuple[ColumnName, ...] | None = None
    population_people: Size | None
    population_facts: PopulationFacts | None
    expected_reidentified: Size
    loss_top_nats: Size
    min_sample: Count
    min_population: Size
    conditions: ConditionsFields = ConditionsFields()
    groups_before: tuple[GroupSize, ...]
    assumptions: tuple[Sentence, ...]
    frontier_size: Count
    frontier_note: Sentence
    full_area: Share
    trace: tuple[tuple[Count, float], ...]
    visited: tuple[tuple[float, float], ...]
    visited_total: Count
    certificate: Certificate | None = None

    @model_validator(mode="after")
    def _policies_cover_the_domains(self) -> Self:
        for policy in (*self.candidates, *self.references):
            check_domains(policy.ends, self.quasi, self.domains)
        return self


class ColumnLoss(HouseRecord):
    """What a column other than a quasi-identifier lost by its treatment.

    `changed` is the share of its cells that changed, `distance` the mean change over √2 standard deviations
    (sdcMicro's IL1s), `correlation` that of old and new numbers; None where it has none.
    """

    method: Sentence
    changed: Share
    distance: Size
    correlation: Annotated[float, Field(ge=-1, le=1)] | None = None


class TablesHow(Record):
    """How a table was published."""

    policy: Public[Labels]
    ends: Public[Ends]
    domains: Public[dict[ColumnName, Count]]
    """The sizes of the domains; none of one that was read from the data, whose intervals are only counted."""
    quasi: Public[tuple[ColumnName, ...]]
    min_k: Public[Count] = 0
    """The fewest records, or people, of a group that were asked for."""
    identifiers_dropped: Public[tuple[ColumnName, ...]]
    columns_kept: Public[tuple[ColumnName, ...]]
    columns_treated: Public[dict[ColumnName, Sentence]] = Field(default_factory=dict)
    transitions: Public[dict[ColumnName, tuple[tuple[Share, ...], ...]]] = Field(
        default_factory=dict
    )
    """By column that was drawn again: the chance that a value (row) is published as another (column)."""
    undeclared_columns_dropped: Public[Count] = 0
    undeclared_columns_kept: Public[Count] = 0
    missing: Public[Name]
    order: Public[Literal["shuffled", "kept"]] = "kept"
    population: Public[bool]
    population_covers: Public[tuple[ColumnName, ...] | None] = None
    joined: Public[bool] = False
    explored_table: Private[bool | None] = None
    risk_measure: Public[Name]
    loss_measure: Public[Name]
    refuse_above: Public[Share | None] = None
    accept_shift: Public[bool] = False

    @model_validator(mode="after")
    def _policy_covers_the_domains(self) -> Self:
        check_intervals(self.policy, self.ends)
        check_domains(self.ends, self.quasi, self.domains)
        return self


class TablesMeasured(ShownFields):
    """What was measured on the written file, by code that shares nothing with the search.

    What compares the file with the table as it was is private: both axes, the loss of each column, how
    the records compare with those explored (`shift`, None for a policy that promised nothing).
    """

    risk: Private[float | None] = None
    utility: Private[float | None] = None
    loss: Private[float | None] = None
    relative_risk: Private[float | None] = None
    expected_reidentified: Public[Size]
    expected_unchanged: Private[Size | None] = None
    risks: Public[AbsoluteRisks]
    columns: Private[dict[ColumnName, ColumnLoss]] = Field(default_factory=dict)
    groups_count: Public[Count]
    groups: Public[tuple[GroupSize, ...]]
    records_without_population_cell: Private[Count | None] = None
    shift: Private[ShiftRecord | None] = None
    notes: Public[dict[ColumnName, NotesFound]] = Field(default_factory=dict)
    households: Private[HouseholdRisk | None] = None
    analysis: Private[AnalysisRecord | None] = None
    errors_below: Public[dict[Name, float]] = Field(default_factory=dict)
    """By kind of figure, what its mean error is below (see `bounds_of_errors`)."""

    @model_serializer(mode="wrap")
    def _to_file(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        return without_empty(handler(self))


class TablesRelease(Release):
    """release.json of a table; `worse` lists what is worse than promised and was accepted.

    The two axes are private: both are relative to the unchanged table. What is public is what anybody could
    measure on the release with the population at hand.
    """

    how: Public[TablesHow]
    measured: Public[TablesMeasured]
    risk: Private[RiskField | None] = None
    utility: Private[UtilityField | None] = None
    worse: Private[tuple[Sentence, ...]] = ()
    sentences: Private[tuple[Sentence, ...]] = ()
    """What is to be known first, in words."""

    @model_validator(mode="after")
    def _rows_were_counted(self) -> Self:
        if "rows" not in self.counts:
            raise ValueError("rows are counted")
        return self

    @property
    def granularity(self) -> int:
        """The smallest group that was asked for, or five."""
        return granularity_of(self.how.min_k)

    def lines(self) -> list[str]:
        """Return what the command line prints about the release."""
        how, measured = self.how, self.measured
        rows = self.counts["rows"]
        found = [*self.sentences, f"{rows:,} rows published by {self.candidate}"]
        found += [
            f"  {name}: {treatment(how.ends[name], how.domains.get(name))}" for name in how.quasi
        ]
        for name, words in how.columns_treated.items():
            lost = measured.columns.get(name)
            far = "" if lost is None else f" (distance {lost.distance:.3g})"
            found.append(f"  {name}: {words}{far}")
        found += [f"  {notes.in_words(name)}" for name, notes in measured.notes.items()]
        if measured.notes:
            found.append(
                "  names and numbers in the notes are published as they were: redact them afterwards"
            )
        if how.population_covers is not None:
            lacking = [name for name in how.quasi if name not in how.population_covers]
            found.append(
                f"Note: the population does not have {', '.join(lacking)}, so the risk is modelled."
            )
        if how.identifiers_dropped:
            found.append(f"identifiers dropped: {', '.join(how.identifiers_dropped)}")
        if how.undeclared_columns_kept:
            found.append(
                f"Note: published as they are, although the schema does not name them: "
                f"{how.undeclared_columns_kept:,} columns"
            )
        if how.undeclared_columns_dropped:
            found.append(
                f"dropped, because the schema does not name them: {how.undeclared_columns_dropped:,} "
                "columns (give a column the role other to publish it as it is)"
            )
        if self.left_out.get("dropped"):
            many = self.tell_left_out("dropped")
            found.append(f"Note: {many} rows with a missing quasi-identifier were left out.")
        if measured.risk is None or measured.utility is None:
            found.append(f"measured on the output: smallest group {measured.k:,}")
        else:
            found.append(
                f"measured on the output: risk {measured.risk:.4g}, utility {measured.utility:.3f}, "
                f"smallest group {measured.k:,}"
            )
        risks = measured.risks
        found.append(
            f"chance of naming a record: at most {risks.journalist_max:.3g}, on average "
            f"{risks.journalist_average:.3g}; by someone who knows who is in the table: at most "
            f"{risks.prosecutor_max:.3g}, on average {risks.prosecutor_average:.3g}"
        )
        if risks.estimate is not None:
            found.append(risks.estimate.in_words())
        if measured.households is not None:
            found.append(measured.households.in_words())
        if measured.blanked:
            found.append(
                f"records with blanked cells because their group was too small or lacked diversity: {measured.blanked:,}"
            )
        if self.left_out.get("suppressed"):
            many = self.tell_left_out("suppressed")
            words = (
                f"records left out because their group was too small or lacked diversity: {many}"
            )
            if "suppressed_people" in self.left_out:
                people, out = map(self.tell_left_out, ("suppressed_people", "suppressed_rows"))
                words = f"left out because their group was too small or lacked diversity: {people} people, {out} rows"
            found.append(words)
        if constant := constant_columns(how.ends, how.domains):
            found.append(f"the same for everybody (published as *): {', '.join(constant)}")
        found += [f"Note: accepted although worse than promised: {words}" for words in self.worse]
        if how.explored_table is False:
            found.append(
                "Note: this is not the table that was explored; the figures are of this data."
            )
        return found


def constant_columns(ends: Mapping[str, tuple[int, ...]], domains: Mapping[str, int]) -> list[str]:
    """Return the columns that had several values and are the same for everybody now.

    >>> constant_columns({"age": (0, 4), "sex": (1,), "town": (0,)}, {"age": 5, "sex": 2, "town": 1})
    ['sex']
    """
    return [name for name, at in ends.items() if len(at) == 1 and domains.get(name) != 1]


def treatment(ends: tuple[int, ...], size: int | None) -> str:
    """Return in a few words how a policy treats an attribute; its size is None where it was read from the data.

    >>> treatment((0, 4), 5), treatment((0, 1), None)
    ('5 values in 2 intervals, the widest of 4', '2 intervals of values that were read from the data')
    """
    if len(ends) == size:
        return "as it is"
    if len(ends) == 1:
        return "the same for everybody: one interval, published as *"
    if size is None:
        return f"{len(ends)} intervals of values that were read from the data"
    widest = max(high - low for low, high in zip((-1, *ends[:-1]), ends, strict=True))
    return f"{size} values in {len(ends)} intervals, the widest of {widest}"
