"""Read a table that is to be published by a lattice that was made before."""

from __future__ import annotations

from dataclasses import replace

from ....compute.protocol import Compute
from ....data.inputs import PopulationInput
from ....data.table import Table, find_misplaced, read_table
from ....data.table_source import TableSource
from ..contingency.tables import count_on_cluster
from ..payload import TablesPayload
from .distinct_rows import DistinctRows

__all__ = ["read_for_release"]


def read_for_release(
    opened: TableSource,
    payload: TablesPayload,
    population: PopulationInput | None,
    compute: Compute,
    distinct: DistinctRows | None = None,
) -> Table:
    """Read the table by the domains of the lattice; the population is the one given, or the explored one."""
    if distinct is not None:
        counts = distinct.counts(payload.schema)
    else:
        counts = count_on_cluster(opened, payload.schema, compute)
    table = read_table(opened, payload.schema, population, counts=counts)
    for a, (domain, size) in enumerate(zip(table.domains, payload.lattice.sizes, strict=True)):
        if len(domain) > size:  # missing cells, where the explored table had none
            raise find_misplaced(opened, payload.schema, table.domains, missing=True, only=a)
    if population is not None:
        table.inputs = opened.input_files(table.rows)
        return table
    return replace(
        table,
        population_codes=payload.population_codes,
        population_count=payload.population_count,
        covered=payload.covered,
    )
