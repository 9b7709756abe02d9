"""What the sentences, tables and charts about a table are made of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ....core.engine import Part
from ....presentation.language import say
from ....presentation.numbers import count
from ..analysis_records import AnalysisRecord
from ..records import (
    Ends,
    GroupSize,
    HouseholdRisk,
    Labels,
    PopulationEstimate,
    TablesCandidate,
    TablesFrontier,
    TablesReference,
    TablesRelease,
)

__all__ = ["LOSS_WORDS", "RISK_WORDS", "SAFE_HARBOR", "TableFacts"]

SAFE_HARBOR = "Safe Harbor"
RISK_WORDS = {
    "population": "re-identification risk (unchanged table = 1)",
    "prosecutor": "highest chance to name one record",
    "small-groups": "share of records in small groups",
}
LOSS_WORDS = {
    "kl": "information kept",
    "granularity": "detail of the values kept",
    "class-size": "fineness of the groups kept",
    "mutual-information": "information about the target kept",
}


@dataclass(frozen=True)
class TableFacts:
    """What the sentences need, taken from the release where there is one and else from the candidate."""

    part: Part
    frontier: TablesFrontier | None
    release: TablesRelease | None
    chosen: TablesCandidate | None

    @classmethod
    def of(cls, part: Part) -> TableFacts:
        frontier = part.frontier if isinstance(part.frontier, TablesFrontier) else None
        release = part.release if isinstance(part.release, TablesRelease) else None
        chosen = part.chosen if isinstance(part.chosen, TablesCandidate) else None
        return cls(part, frontier, release, chosen)

    @property
    def is_published(self) -> bool:
        return self.release is not None or self.chosen is not None

    @property
    def axes(self) -> tuple[float, float] | None:
        """Risk and utility; None in a public report, since both are relative to the unchanged table."""
        measured = None if self.release is None else self.release.measured
        if measured is not None and measured.risk is not None and measured.utility is not None:
            return measured.risk, measured.utility
        return None if self.chosen is None else (self.chosen.risk.value, self.chosen.utility.value)

    @property
    def loss_nats(self) -> float | None:
        if self.release is not None and self.release.measured.loss_nats is not None:
            return self.release.measured.loss_nats
        return None if self.chosen is None else self.chosen.loss_nats

    @property
    def k(self) -> int | None:
        if self.release is not None:
            return self.release.measured.k
        return None if self.chosen is None else self.chosen.k

    @property
    def smallest_group(self) -> int | None:
        if self.release is not None:
            return math.floor(self.release.measured.smallest_population_group)
        return None if self.chosen is None else math.floor(self.chosen.smallest_population_group)

    @property
    def estimate(self) -> PopulationEstimate | None:
        """What is estimated of a population that is not at hand."""
        if self.release is not None:
            return self.release.measured.risks.estimate
        if self.chosen is None or self.chosen.risks is None:
            return None
        return self.chosen.risks.estimate

    @property
    def households(self) -> HouseholdRisk | None:
        """The risk of households, where the schema names them; None in a public report."""
        return None if self.release is None else self.release.measured.households

    @property
    def analysis(self) -> AnalysisRecord | None:
        """What analysts lose; None in a public report."""
        return None if self.release is None else self.release.measured.analysis

    @property
    def errors_below(self) -> dict[str, float]:
        """By kind of figure, what its mean error is below."""
        return {} if self.release is None else self.release.measured.errors_below

    @property
    def records(self) -> int | None:
        if self.release is not None:
            rows = self.release.counts["rows"]
            return rows if isinstance(rows, int) else None
        return None if self.frontier is None else self.frontier.records

    @property
    def hidden_in_words(self) -> str | None:
        """How many are hidden, in words: people where whole histories are alike, else records."""
        if self.joined:
            return (
                say("{sum} people", sum=count(sum(g.records for g in self.groups)))
                if self.groups
                else None
            )
        return say("{records} records", records=count(self.records)) if self.records else None

    @property
    def expected(self) -> tuple[float, float | None] | None:
        """The expected re-identifications, as published and, unless the report is public, unchanged."""
        if self.release is not None:
            measured = self.release.measured
            return measured.expected_reidentified, measured.expected_unchanged
        if self.frontier is None or self.chosen is None or self.risk_measure != "population":
            return None
        unchanged = self.frontier.expected_reidentified
        return self.chosen.risk.value * unchanged, unchanged

    @property
    def risk_measure(self) -> str:
        if self.release is not None:
            return self.release.how.risk_measure
        return "population" if self.frontier is None else self.frontier.risk_measure

    @property
    def loss_measure(self) -> str:
        if self.release is not None:
            return self.release.how.loss_measure
        return "kl" if self.frontier is None else self.frontier.loss_measure

    @property
    def joined(self) -> bool:
        """Whether the rows of a person are one history."""
        if self.release is not None:
            return self.release.how.joined
        return self.frontier is not None and self.frontier.joined

    @property
    def population_covers(self) -> tuple[str, ...] | None:
        """The quasi-identifiers of a population that does not have all of them."""
        if self.release is not None:
            return self.release.how.population_covers
        return None if self.frontier is None else self.frontier.population_covers

    @property
    def population(self) -> bool:
        if self.release is not None:
            return self.release.how.population
        return self.frontier is not None and self.frontier.population

    @property
    def quasi(self) -> tuple[str, ...]:
        if self.release is not None:
            return self.release.how.quasi
        return () if self.frontier is None else self.frontier.quasi

    @property
    def domains(self) -> dict[str, int]:
        """The sizes of the domains: all of them with the frontier, else those that a release publishes."""
        if self.frontier is not None and (self.chosen is not None or self.release is None):
            return self.frontier.domains
        return {} if self.release is None else self.release.how.domains

    @property
    def policy(self) -> tuple[Labels, Ends]:
        """The labels, and the ends of the intervals in the same `domains`."""
        if self.release is None:
            return ({}, {}) if self.chosen is None else (self.chosen.policy, self.chosen.ends)
        how = self.release.how
        return how.policy, how.ends if self.chosen is None else self.chosen.ends

    @property
    def harbor(self) -> TablesReference | None:
        references = () if self.frontier is None else self.frontier.references
        return next((r for r in references if r.name == SAFE_HARBOR), None)

    @property
    def groups(self) -> tuple[GroupSize, ...]:
        return () if self.release is None else self.release.measured.groups

    @property
    def sensitive(self) -> dict[str, tuple[int, float]]:
        """By sensitive column: l-diversity and t-closeness."""
        found = self.release.measured if self.release is not None else self.chosen
        if found is None:
            return {}
        return {n: (l, found.t_closeness.get(n, 0.0)) for n, l in found.l_diversity.items()}

    @property
    def shown(self) -> dict[str, float]:
        """The figures that do not have their own field, by name."""
        found = self.release.measured if self.release is not None else self.chosen
        return {} if found is None else found.shown
