"""Conditions that every candidate meets: sizes of groups, chances of individuals, diversity, closeness.

All of them hold for a more general policy once they hold for a policy, so a search may look for them along
chains. Sizes are watched by the kernels; what is here is asked of a policy before it joins the frontier.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..contingency.cells import Bits, Cells, Joint
from ..contingency.numbering import group_sizes
from ..measures.sensitive import Within, closeness, diversity, recursive_levels, within
from ..records import ConditionsFields
from .people import CountedPeople

__all__ = ["Conditions", "recursive_diversity"]

_TOLERANCE = 1e-9


class Conditions(ConditionsFields):
    """What a steward asks of every group, beyond its size.

    Parameters
    ----------
    min_l : float
        The least diversity of every sensitive column in every group; 0 asks nothing.
    diversity : {"distinct", "entropy", "recursive"}
        How diversity is counted.
    recursive_c : float
        The constant c of recursive (c, l)-diversity.
    max_t : float, optional
        The largest distance of a group's sensitive values from the table's.
    max_average_risk : float, optional
        The largest chance of naming a record, on average over the records.
    max_suppressed : float
        The largest share of records that may be suppressed, or have cells blanked, because their group is
        too small or lacks diversity or closeness.
    suppress_as : {"records", "cells"}
        Whether such records are suppressed whole, or single cells of them.

    """

    def with_stricter(
        self, *, min_l: float, max_t: float | None, max_average_risk: float | None,
        max_suppressed: float | None,
    ) -> Conditions:  # fmt: skip
        """Return conditions that ask for these too; a share to suppress replaces the one before."""

        def stricter(own: float | None, other: float | None) -> float | None:
            given = [x for x in (own, other) if x is not None]
            return min(given) if given else None

        return self.model_copy(
            update={
                "min_l": max(self.min_l, min_l),
                "max_t": stricter(self.max_t, max_t),
                "max_average_risk": stricter(self.max_average_risk, max_average_risk),
                "max_suppressed": self.max_suppressed if max_suppressed is None else max_suppressed,
            }
        )

    @property
    def asks(self) -> bool:
        """Whether a policy has to be looked at beyond its sizes."""
        return self.min_l > 0 or self.max_t is not None or self.max_average_risk is not None

    def holds(
        self,
        cells: Cells,
        bits: Bits,
        sensitive: Mapping[str, Joint],
        ordered: Mapping[str, bool],
        people: CountedPeople | None = None,
    ) -> bool:
        """Return whether a policy meets them."""
        if self.max_average_risk is not None:
            if people is None:
                average = cells.measure(bits).risk * cells.expected_reidentified / cells.records
            else:
                average = people.groups(bits).expected / people.total
            if average > self.max_average_risk + _TOLERANCE:
                return False
        if self.min_l <= 0 and self.max_t is None:
            return True
        group = group_sizes(cells, bits)[0] if people is None else people.group(bits)
        for name, joint in sensitive.items():
            inside = within(group, joint)
            if self.min_l > 0 and self._diversity(inside) < self.min_l - _TOLERANCE:
                return False
            if self.max_t is not None:
                farthest = closeness(inside, ordered=ordered.get(name, False))
                if farthest > self.max_t + _TOLERANCE:
                    return False
        return True

    def _diversity(self, inside: Within) -> float:
        distinct, entropy = diversity(inside)
        if self.diversity == "distinct":
            return distinct
        if self.diversity == "entropy":
            return entropy
        return recursive_diversity(inside, self.recursive_c)


def recursive_diversity(inside: Within, c: float) -> int:
    """Return the largest l for which every group is recursively (c, l)-diverse."""
    return int(recursive_levels(inside, c)[inside.sizes > 0].min())
