"""attack.json of the tables engine: what releases give away together."""

from __future__ import annotations

from ...core.records import AttackRecord, Count, FileName, HouseRecord, Share

__all__ = ["CompositionRecord", "JointRisk", "TablesAttack"]


class JointRisk(HouseRecord):
    """How large the groups of people are to one attacker.

    `k` is the smallest one, `below` the share of the people in groups below 11, `unique` of those who are alone, and
    `average` the mean chance of naming a record.
    """

    k: Count
    below: Share
    unique: Share
    average: Share

    def in_words(self) -> str:
        """Return the figures in a line."""
        return (
            f"smallest group {self.k:,}, {self.below:.1%} in groups below 11, {self.unique:.1%} alone, "
            f"chance of naming a record {self.average:.3g} on average"
        )


class CompositionRecord(HouseRecord):
    """Two releases of some of the same people, measured together.

    `first` and `second` are the releases alone, for the people in both; `unlinked` is what is left to somebody who
    finds a person's group in each, `linked` to somebody who can link the rows: the upper end, and what is judged.
    `changed` is the share of the people whose labels differ between the two.
    """

    earlier: FileName
    people: Count
    only_earlier: Count
    only_later: Count
    first: JointRisk
    second: JointRisk
    unlinked: JointRisk
    linked: JointRisk
    changed: Share
    changed_below: Share
    changed_alone: Share
    shared_columns: Count

    @property
    def adds_risk(self) -> bool:
        """Whether the two together give away more than each alone."""
        return self.linked.k < min(
            self.first.k, self.second.k
        ) or self.linked.average > 1.000001 * max(self.first.average, self.second.average)

    def lines(self) -> list[str]:
        """Return what the command line prints."""
        who = (
            f"{self.people:,} people are in both releases, {self.only_earlier:,} in {self.earlier} alone and "
            f"{self.only_later:,} in the later one alone"
        )
        found = [
            who,
            f"  {self.earlier} alone: {self.first.in_words()}",
            f"  the later release alone: {self.second.in_words()}",
            f"  both, rows not linked: {self.unlinked.in_words()}",
            f"  both, rows linked: {self.linked.in_words()}",
        ]
        if self.changed:
            found.append(
                f"  {self.changed:.1%} of the people changed a label between the two; of these "
                f"{self.changed_below:.0%} are in linked groups below 11, {self.changed_alone:.0%} alone: a "
                "crossed band tells a birthday or a move"
            )
        if self.adds_risk:
            found.append(
                "  Remedies: publish the people of both with the earlier release's labels (the same policy and "
                "the same values), give out only one of the two, or use another private key, so that marks "
                "of people differ."
            )
        return found


class TablesAttack(AttackRecord):
    """attack.json of the tables engine."""

    compositions: tuple[CompositionRecord, ...]
