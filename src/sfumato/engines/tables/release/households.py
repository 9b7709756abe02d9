"""Households: naming one member reveals the others, so each member has the largest risk of its household."""

from __future__ import annotations

from ....data.table_source import TableSource, quote_name
from ..records import HouseholdRisk
from .rows import Generaliser
from .suppression import SuppressedGroups, published_labels

__all__ = ["household_risk"]


def household_risk(
    generaliser: Generaliser,
    opened: TableSource,
    small: SuppressedGroups | None,
    blanks: SuppressedGroups | None,
) -> HouseholdRisk | None:
    """Measure the risk of households in what is published; None where the schema names no household.

    A row without a household is a household. An attacker knows who is in the table.

    Parameters
    ----------
    generaliser : Generaliser
        The policy.
    opened : TableSource
        The rows, without the people who are suppressed.
    small, blanks : SuppressedGroups, optional
        The groups that are suppressed, and those with blanked cells.

    """
    schema = generaliser.schema
    if not schema.names("household"):
        return None
    sql = published_labels(generaliser.household_sql(opened), opened, schema, small, blanks)
    labels = ", ".join(quote_name(a.name) for a in schema.quasi)
    sizes = f"SELECT {labels}, count(DISTINCT p) AS g FROM rows GROUP BY ALL"  # noqa: S608 (quoted)
    risks = (
        "SELECT h, count(*) AS n, count(DISTINCT p) AS people, max(1.0 / g) AS largest, sum(1.0 / g) AS own "  # noqa: S608 (quoted)
        f"FROM rows JOIN sizes USING ({labels}) GROUP BY h"
    )
    found = opened.query(
        f"WITH rows AS MATERIALIZED ({sql}), sizes AS ({sizes}), risks AS ({risks}) "  # noqa: S608 (quoted)
        "SELECT count(*) AS households, count(*) FILTER (people > 1) AS shared, "
        "sum(n * largest) / sum(n) AS average, sum(own) / sum(n) AS own FROM risks"
    )
    households, shared, average, own = (column[0].as_py() for column in found.columns)
    if not households:
        return None
    return HouseholdRisk(households=households, shared=shared, average=average, alone=own)
