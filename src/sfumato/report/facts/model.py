"""What a report knows, as types: each field is a number, a name from a closed list, a hash or the name of a
file, column or feature. The JSON form of `Facts` is facts.json; docs/reference/facts.md tells it field by field.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..kinds import (
    ColumnName,
    Engine,
    Fact,
    FileName,
    Hash,
    Identifier,
    IntervalText,
    Label,
    Vocabulary,
)

__all__ = [
    "Assumed",
    "Attack",
    "AttributePolicy",
    "BasketRow",
    "BasketsPart",
    "Before",
    "Bound",
    "Facts",
    "File",
    "Found",
    "GroupSize",
    "Headline",
    "KnownAbsences",
    "Part",
    "Point",
    "Policy",
    "RatioRow",
    "ReferencePoint",
    "Search",
    "SensitiveColumn",
    "TablesPart",
    "TextPart",
]


class File(Fact):
    """A file that went in or came out, without its folder."""

    name: FileName
    sha256: Hash | None = None
    rows: int | None = None


class Point(Fact):
    """A candidate on the two axes."""

    id: Identifier
    risk: float
    utility: float
    risk_interval: tuple[float, float] | None = None
    utility_interval: tuple[float, float] | None = None
    on_frontier: bool = True


class ReferencePoint(Fact):
    """A policy people know, and what the frontier offers against it."""

    name: Vocabulary
    risk: float
    utility: float
    dominated_by: int = 0
    same_utility: Point | None = None  # the safest candidate at least as useful
    same_risk: Point | None = None  # the most useful candidate at most as risky


class Search(Fact):
    """How the frontier was found."""

    area: float | None = None
    evaluations: int | None = None
    budget: int | None = None  # evaluations asked for, where a number was
    strategy: Vocabulary | None = None
    candidates: int = 0  # those on the frontier
    stairs: tuple[tuple[float, float], ...] = ()  # the whole frontier where `points` is a selection
    visited: tuple[tuple[float, float], ...] = ()  # a thinned sample of (risk, utility)
    visited_total: int = 0
    trace: tuple[tuple[int, float], ...] = ()  # (evaluations, area)


class Part(Fact):
    """What every engine's part has in common."""

    id: Identifier
    seed: int
    version: str = Field(pattern=r"^[0-9][0-9A-Za-z.+-]{0,39}$")
    inputs: tuple[File, ...] = ()
    published_from: tuple[File, ...] = ()
    outputs: tuple[File, ...] = ()
    published: bool = False
    chosen: Point | None = None
    chosen_by: Literal["release", "steward", "knee"] = "knee"
    points: tuple[Point, ...] = ()  # thinned when there are very many
    references: tuple[ReferencePoint, ...] = ()
    search: Search = Search()
    counts: dict[Vocabulary, int] = Field(default_factory=dict)
    withheld: int = 0
    measured_risk: float | None = None
    measured_utility: float | None = None
    versions: dict[Vocabulary, str] = Field(default_factory=dict)


class Found(Fact):
    """What an attacker finds when inspecting `budget` words."""

    budget: int
    found: float
    low: float | None = None
    high: float | None = None


class Attack(Fact):
    """One attacker against one release."""

    attacker: Literal["A", "B", "outside"]
    learner: Vocabulary | None = None
    tp: float | None = None
    fp: float | None = None
    fn: float | None = None
    tn: float | None = None
    ranked: tuple[Found, ...] = ()
    unordered: tuple[Found, ...] = ()
    random: tuple[Found, ...] = ()


class Assumed(Fact):
    """A condition of a theorem; `holds` is None where counts cannot tell."""

    name: Vocabulary
    holds: bool | None


class Bound(Fact):
    """What a theorem of the paper says here."""

    name: Vocabulary
    value: float | None
    applies: bool
    vacuous: bool
    assumptions: tuple[Assumed, ...] = ()


class Before(Fact):
    """The same attackers against another way of publishing, for comparison."""

    name: Vocabulary
    leaked: float | None = None
    published: float | None = None
    total_loss: float | None = None
    attacks: tuple[Attack, ...] = ()


class RatioRow(Fact):
    """One candidate of the text engine: what a loss ratio L/C gives on held-out documents."""

    id: Identifier
    ratio: float
    rounds: float | None = None
    published: float | None = None
    leaked: float | None = None
    false_positives: float | None = None
    total_loss: float | None = None
    risk: float | None = None


class Headline(Fact):
    """The one number that opens the report: the strongest attacker at one budget."""

    attacker: Literal["A", "B", "outside"]
    learner: Vocabulary | None = None
    budget: int
    found: float
    low: float | None = None
    high: float | None = None
    random: float | None = None
    bound: float | None = None  # budget × C/(L+C)
    before: float | None = None  # found at the same budget before, by the strongest attacker there
    before_name: Vocabulary | None = None


class TextPart(Part):
    """Free text: words redacted by the classifiers that GreedySanitize learned."""

    engine: Literal["text"] = "text"
    labels: tuple[Label, ...] = ()
    mode: Literal["honest", "paper"] | None = None
    learner: Vocabulary | None = None
    folds: int | None = None
    folds_dealt: int | None = None
    background: int = 0  # labelled corpora that publisher and attackers both know
    words: int | None = None
    sensitive: int | None = None
    ratios: tuple[RatioRow, ...] = ()
    choice: RatioRow | None = None
    bound: float | None = None  # C/(L+C)
    bounds: tuple[Bound, ...] = ()
    attacks: tuple[Attack, ...] = ()
    words_left: int | None = None  # published words that the attackers were run on
    sensitive_left: int | None = None
    sensitive_before: int | None = None  # sensitive words in the originals of the release
    learned_from_release: bool | None = None  # the release holds documents that were learned from
    attack_on: Literal["held-out folds", "the release"] = "held-out folds"
    before: tuple[Before, ...] = ()
    headline: Headline | None = None
    fields_as_they_are: tuple[ColumnName, ...] = ()  # other fields of the documents
    fields_from: Identifier | None = None  # the part of this report that treated those fields
    redactions: dict[Label, int] = Field(default_factory=dict)
    replace: Literal["placeholder", "mask", "surrogate"] | None = None


class AttributePolicy(Fact):
    """What a policy does with one attribute."""

    name: ColumnName
    treatment: Literal["unchanged", "generalised", "removed"]
    intervals: int
    widest: IntervalText | None = None
    shown: tuple[IntervalText, ...] = ()


class Policy(Fact):
    """A de-identification policy, attribute by attribute, with rows made up from its intervals."""

    name: Vocabulary
    attributes: tuple[AttributePolicy, ...]
    example: tuple[tuple[IntervalText, ...], ...] = ()


class GroupSize(Fact):
    """Records whose population group has between `low` and `high` people."""

    low: int
    high: int | None
    records: int
    risk_share: float | None = None


class SensitiveColumn(Fact):
    """What belonging to a published group says about a sensitive column."""

    name: ColumnName
    l_diversity: int | None = None  # fewest different values in a group
    t_closeness: float | None = None  # largest distance of a group's values from all values


class TablesPart(Part):
    """A table: quasi-identifiers generalised by a policy of the lattice."""

    engine: Literal["tables"] = "tables"
    rows: int | None = None
    risk_measure: Literal["population", "prosecutor", "small-groups"] = "population"
    loss_measure: Literal["kl", "class-size", "mutual-information"] = "kl"
    population: bool | None = None
    population_people: int | None = None
    quasi: tuple[ColumnName, ...] = ()
    identifiers_removed: tuple[ColumnName, ...] = ()
    columns_kept: tuple[ColumnName, ...] = ()  # published as they are
    columns_not_in_schema: tuple[ColumnName, ...] = ()  # the same, and nobody declared them
    loss_nats: float | None = None
    max_risk: float | None = None  # Σ 1/g on the unchanged table: expected re-identifications
    policy: Policy | None = None
    safe_harbor: Policy | None = None
    groups: tuple[GroupSize, ...] = ()
    groups_before: tuple[GroupSize, ...] = ()
    smallest_group: int | None = None  # people of the population
    k: int | None = None  # records in the smallest published group
    sensitive: tuple[SensitiveColumn, ...] = ()


class BasketRow(Fact):
    """One candidate of the baskets engine."""

    id: Identifier
    k: int
    count: int | None = None
    ac: int | None = None
    unique_share: float | None = None
    auc: float | None = None
    auc_interval: tuple[float, float] | None = None
    selector: Vocabulary | None = None


class KnownAbsences(Fact):
    """How many rows still fit someone whose `absences` absent features are known too."""

    absences: int
    ac: int
    exact: bool = True  # else a lower bound


class BasketsPart(Part):
    """Baskets: features selected so that what a person has is shared by at least k."""

    engine: Literal["baskets"] = "baskets"
    rows: int | None = None
    features_in: int | None = None
    candidates: tuple[BasketRow, ...] = ()
    choice: BasketRow | None = None
    features: tuple[ColumnName, ...] = ()
    features_total: int | None = None
    absences: tuple[KnownAbsences, ...] = ()
    all_features_auc: float | None = None
    all_features_ac: int | None = None
    all_features_unique: float | None = None
    folds: int | None = None
    measured_ac: int | None = None
    measured_unique: float | None = None
    selector: Vocabulary | None = None
    stop: Literal["never", "first"] | None = None


AnyPart = Annotated[TextPart | TablesPart | BasketsPart, Field(discriminator="engine")]


class Facts(Fact):
    """Everything a report shows. The JSON form is the same byte for byte for the same release."""

    facts: Literal[1] = 1
    version: str = Field(pattern=r"^[0-9][0-9A-Za-z.+-]{0,39}$")
    plan: File | None = None  # the plan that was run, if one was
    parts: tuple[AnyPart, ...]

    @property
    def engines(self) -> tuple[Engine, ...]:
        return tuple(part.engine for part in self.parts)
