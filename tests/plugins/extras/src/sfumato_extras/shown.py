"""A figure shown with every policy of a table."""

from typing import ClassVar

from sfumato.engines.tables.measures.protocol import PublishedGroups
from sfumato.engines.tables.measures.shown import PolicyGroups


class CrowdedShare:
    """The share of records in groups that at least five people of the population fit."""

    name: ClassVar[str] = "crowded"
    help: ClassVar[str] = "Share of records in groups of five people or more."

    @staticmethod
    def of_groups(groups: PolicyGroups) -> float:
        return float(groups.count[groups.people >= 5].sum()) / groups.records

    @staticmethod
    def of_file(groups: PublishedGroups) -> float:
        return float(groups.count[groups.people >= 5].sum()) / int(groups.count.sum())
