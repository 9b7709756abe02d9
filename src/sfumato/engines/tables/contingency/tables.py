"""From a table and its schema to counted cells."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from ....compute.protocol import Compute
from ....data.table import Table
from ....data.table_schema import Attribute, Domain, TableSchema
from ....data.table_source import TableSource

if TYPE_CHECKING:
    import pyarrow as pa


__all__ = ["cells_hash", "count_on_cluster", "resolved_schema"]


def count_on_cluster(opened: TableSource, schema: TableSchema, compute: Compute) -> pa.Table | None:
    """Count the rows by their quasi-identifiers on a cluster; None where reading the table does it."""
    if compute.name == "local":
        return None
    opened.require([a.name for a in schema.attributes])
    person = [] if schema.person is None else [schema.person.name]
    return compute.count_groups(opened, [*(a.name for a in schema.quasi), *person])


def resolved_schema(table: Table) -> TableSchema:
    """Return the schema with every domain written down, so that a policy fits other data too.

    Ranges and bins stay what they are, since their cells are read as numbers.
    """
    domains = dict(zip(table.names, table.domains, strict=True))
    attributes: list[Attribute] = []
    for attribute in table.schema.attributes:
        changed: dict[str, object] = {"keep": False, "hierarchy": None, "max_width": None}
        if attribute.role == "quasi" and not attribute.is_range and attribute.bins is None:
            changed["domain"] = Domain(values=list(domains[attribute.name]))
        attributes.append(attribute.model_copy(update=changed))
    return table.schema.with_attributes(attributes)


def cells_hash(table: Table) -> str:
    """Hash the counts of a table by its quasi-identifiers, to know the same records again."""
    digest = hashlib.sha256()
    order = np.lexsort(table.codes[::-1])
    for part in (table.codes[:, order].astype("<i4"), table.count[order].astype("<i8")):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
