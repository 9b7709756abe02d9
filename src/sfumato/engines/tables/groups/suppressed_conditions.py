"""Conditions asked of what a policy publishes once groups are suppressed or cells are blanked."""

from __future__ import annotations

from ..contingency.cells import Bits, Cells
from .cell_suppression import blank_cells
from .conditions import Conditions
from .people import CountedPeople, People
from .record_suppression import Suppressed, suppress_groups
from .sensitive_columns import SensitiveColumns

__all__ = ["score_release"]

_TOLERANCE = 1e-9


def score_release(
    conditions: Conditions,
    cells: Cells,
    columns: SensitiveColumns,
    bits: Bits,
    *,
    people: CountedPeople | None = None,
) -> tuple[float, float, bool]:
    """Return risk and loss of what a policy publishes, and whether it meets the conditions.

    Groups that are too small or lack anything are suppressed, or have cells blanked; few enough of them must be.

    Parameters
    ----------
    conditions : Conditions
        What is asked, and which share of the records may be touched.
    cells : Cells
        The counted table, with the smallest sizes.
    columns : SensitiveColumns
        The sensitive columns.
    bits : array of int
        The policy.
    people : CountedPeople, optional
        How people are counted, where they are not the records.

    """
    most = int(conditions.max_suppressed * cells.records + _TOLERANCE)
    left, touched = _suppress(conditions, cells, bits, columns, people, most)
    allowed = touched <= most and left.groups > 0
    if allowed and conditions.max_average_risk is not None:
        average = _average_risk(cells, columns, bits, people, left)
        allowed = average <= conditions.max_average_risk + _TOLERANCE
    return left.risk, left.loss, allowed


def _average_risk(
    cells: Cells,
    columns: SensitiveColumns,
    bits: Bits,
    people: CountedPeople | None,
    left: Suppressed,
) -> float:
    if people is None:
        return left.risk * cells.expected_reidentified / (cells.records - left.records)
    total = people.total - left.records
    if not isinstance(people, People):  # histories: the risk is an average over people
        total = float((~people.mark_suppressed(bits, columns)).sum())
    return left.risk * people.expected_unchanged / total


def _suppress(
    conditions: Conditions,
    cells: Cells,
    bits: Bits,
    columns: SensitiveColumns,
    people: CountedPeople | None,
    most: int,
) -> tuple[Suppressed, int]:
    """Return what is measured, and how many records are suppressed or have blanked cells."""
    if conditions.suppress_as == "cells" and (people is None or isinstance(people, People)):
        blanks, left, _ = blank_cells(cells, bits, people, columns)
        return left, left.records + blanks.rows_blanked
    if people is None:
        left, _ = suppress_groups(cells, bits, columns, most=most)
    else:
        left, _, _ = people.suppress(bits, columns)
    return left, left.records
