"""What a release keeps of the risk of households."""

from __future__ import annotations

from ...core.records import Count, HouseRecord, Share

__all__ = ["HouseholdRisk"]


class HouseholdRisk(HouseRecord):
    """The risk of households, of which a member has the largest risk of all members.

    `shared` counts the households of several people; `average` is the chance of naming a record through its
    household, on average over the records, `alone` what it is without households.
    """

    households: Count
    shared: Count
    average: Share
    alone: Share

    def in_words(self) -> str:
        """Return the risk as a sentence."""
        return (
            f"chance of naming a record through any member of its household: {self.average:.3g} on average, "
            f"instead of {self.alone:.3g} ({self.shared:,} households of several people)"
        )
