"""What attack.json says of two releases together, whatever they are releases of."""

from __future__ import annotations

from typing import ClassVar

from ..records import Count, FileName, HouseRecord, Share

__all__ = ["CompositionRecord", "JointFigures", "JointRisk"]


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


class JointFigures(HouseRecord):
    """The groups of those who are in two releases.

    `first` and `second` are the releases alone; `unlinked` is what is left to somebody who finds a person's group in
    each, `linked` to somebody who can link the rows: the upper end, and what is judged. `changed` is the share of
    those of whom the releases show different things.
    """

    people: Count
    first: JointRisk
    second: JointRisk
    unlinked: JointRisk
    linked: JointRisk
    changed: Share
    changed_below: Share
    changed_alone: Share


class CompositionRecord(JointFigures):
    """Two releases of some of the same people, measured together."""

    units: ClassVar[str] = "people"
    rows: ClassVar[str] = "rows"
    crossed: ClassVar[tuple[str, str]] = (
        "of the people changed a label between the two",
        "a crossed band tells a birthday or a move",
    )
    remedies: ClassVar[str] = (
        "publish the people of both with the earlier release's labels (the same policy and the same values), give out "
        "only one of the two, or use another private key, so that marks of people differ"
    )

    earlier: FileName
    only_earlier: Count
    only_later: Count
    shared_columns: Count

    @property
    def adds_risk(self) -> bool:
        """Whether the two together reveal more than each alone."""
        return self.linked.k < min(
            self.first.k, self.second.k
        ) or self.linked.average > 1.000001 * max(self.first.average, self.second.average)

    def in_short(self) -> str:
        """Return what publishing says where the two add up."""
        return (
            f"{self.people:,} {self.units} are also in the release {self.earlier!r}: anyone who links the two finds "
            f"{self.linked.below:.1%} of them in groups below 11 and a smallest group of {self.linked.k:,}, where "
            f"this release alone has {self.second.k:,}"
        )

    def lines(self) -> list[str]:
        """Return what the command line prints."""
        found = [
            (
                f"{self.people:,} {self.units} are in both releases, {self.only_earlier:,} in {self.earlier} alone "
                f"and {self.only_later:,} in the later one alone"
            ),
            f"  {self.earlier} alone: {self.first.in_words()}",
            f"  the later release alone: {self.second.in_words()}",
            f"  both, {self.rows} not linked: {self.unlinked.in_words()}",
            f"  both, {self.rows} linked: {self.linked.in_words()}",
        ]
        if self.changed:
            what, tells = self.crossed
            found.append(
                f"  {self.changed:.1%} {what}; of these {self.changed_below:.0%} are in linked groups below 11, "
                f"{self.changed_alone:.0%} alone: {tells}"
            )
        if self.adds_risk:
            found.append(f"  Remedies: {self.remedies}.")
        return found
