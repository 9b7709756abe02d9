"""Figures that are shown with a policy but are on neither axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

import numpy as np
import numpy.typing as npt

from sfumato.engines.tables.contingency.cells import Joint, group_sizes
from sfumato.engines.tables.measures.sensitive import (
    Within,
    closeness,
    diversity,
    within,
)

from ..contingency.cells import Bits, Cells
from ..records import AbsoluteRisks
from .sampling import Sampled, estimate_of

__all__ = ["OfSensitive", "Shown", "SizeRange", "beside", "shown_of", "size_histogram"]


_BOUNDS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)


class Shown(TypedDict):
    """What is shown beside a policy; the fields of the same names of its record."""

    loss_nats: float
    k: int
    smallest_population_group: float
    groups: int
    prosecutor_risk: float
    average_group: float
    risks: AbsoluteRisks
    l_diversity: NotRequired[dict[str, int]]
    l_diversity_entropy: NotRequired[dict[str, float]]
    t_closeness: NotRequired[dict[str, float]]


def beside(
    cells: Cells,
    bits: Bits,
    sensitive: Mapping[str, Joint],
    ordered: Mapping[str, bool] | None = None,
    fraction: Sampled = None,
    units: npt.NDArray[np.integer] | None = None,
) -> Shown:
    """Return what is shown beside a policy: its loss in nats, k, the field's risks and, by column, l and t.

    `units` is the group of each unit in which the sensitive columns are counted, where those are no cells.
    """
    measured = cells.measure(bits)
    average = measured.risk * cells.expected_reidentified / cells.records
    group, sizes = group_sizes(cells, bits)
    shown: Shown = {
        "loss_nats": measured.loss_nats,
        "k": measured.smallest_sample_group,
        "smallest_population_group": round(measured.smallest_population_group, 6),
        "groups": measured.groups,
        "prosecutor_risk": round(1.0 / measured.smallest_sample_group, 9),
        "average_group": round(cells.records / measured.groups, 6),
        "risks": AbsoluteRisks(
            prosecutor_max=1.0 / measured.smallest_sample_group,
            prosecutor_average=measured.groups / cells.records,
            journalist_max=1.0 / max(measured.smallest_population_group, 1.0),
            journalist_average=average,
            marketer=average,
            sample_uniqueness=float((sizes == 1).sum()) / cells.records,
            estimate=estimate_of(sizes, sizes, fraction),
        ),
    }
    if sensitive:
        inside_of = group if units is None else units
        inner = {name: within(inside_of, joint) for name, joint in sensitive.items()}
        return {**shown, **shown_of(inner, ordered or {})}
    return shown


class OfSensitive(TypedDict):
    """What is shown of sensitive columns; fields of `Shown`."""

    l_diversity: dict[str, int]
    l_diversity_entropy: dict[str, float]
    t_closeness: dict[str, float]


def shown_of(inside: Mapping[str, Within], ordered: Mapping[str, bool]) -> OfSensitive:
    """Return diversity and closeness by sensitive column, rounded as they are shown."""
    diverse = {name: diversity(one) for name, one in inside.items()}
    return {
        "l_diversity": {name: distinct for name, (distinct, _) in diverse.items()},
        "l_diversity_entropy": {name: round(e, 6) for name, (_, e) in diverse.items()},
        "t_closeness": {
            name: round(closeness(one, ordered=ordered.get(name, False)), 6)
            for name, one in inside.items()
        },
    }


class SizeRange(TypedDict):
    """The records in groups of some sizes; the fields of `GroupSize`."""

    low: int
    high: int | None
    records: int
    risk_share: float


def size_histogram(
    records: npt.NDArray[np.integer], people: npt.NDArray[np.floating]
) -> list[SizeRange]:
    """Count records, and their share of the risk, by the size of the group that hides them.

    `records` and `people` give each group's records and the people it hides among.

    >>> size_histogram(np.array([1, 4]), np.array([1.0, 40.0]))[0]
    {'low': 1, 'high': 1, 'records': 1, 'risk_share': 0.909091}
    """
    risk = records / people
    found: list[SizeRange] = []
    for low, following in zip(_BOUNDS, (*_BOUNDS[1:], None), strict=True):
        inside = people >= low if following is None else (people >= low) & (people < following)
        if inside.any():
            found.append(
                {
                    "low": low,
                    "high": None if following is None else following - 1,
                    "records": int(records[inside].sum()),
                    "risk_share": round(float(risk[inside].sum() / risk.sum()), 6),
                }
            )
    return found
