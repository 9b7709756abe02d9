"""The generalised rows of a table, made on this machine or on others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....compute.protocol import Compute
from ....core.errors import SfumatoError
from ....data.table_source import TableSource
from .distinct_rows import DistinctRows
from .rows import Generaliser, ReleaseRows

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["published_rows"]

_BATCH_ROWS = 65_536


def _generalise_batch(generaliser: Generaliser, batch: pa.RecordBatch) -> pa.Table:
    """Generalise a batch of rows: what each worker runs."""
    import pyarrow as pa

    opened = TableSource.open(pa.Table.from_batches([batch]))
    return opened.query(generaliser.selection(opened))


def published_rows(
    generaliser: Generaliser,
    opened: TableSource,
    compute: Compute,
    *,
    counted: bool = False,
    distinct: DistinctRows | None = None,
) -> ReleaseRows:
    """Return the generalised rows of a table, made by an engine.

    Parameters
    ----------
    generaliser : Generaliser
        The policy.
    opened : TableSource
        The table.
    compute : Compute
        The engine.
    counted : bool, default=False
        Whether equal rows may be put together, to be shuffled afterwards; else rows keep their order.
    distinct : DistinctRows, optional
        The same rows, each once.

    """
    if compute.name == "local":  # DuckDB streams and uses all cores itself
        counted = counted and generaliser.repeats(opened)
        sql = generaliser.selection(opened, counted=counted, distinct=distinct)
        return ReleaseRows(opened, sql, counted=counted)
    selection = generaliser.selection(opened)
    import pyarrow as pa

    schema = opened.query(f"{selection} LIMIT 0").schema
    failed: list[SfumatoError] = []

    def batches() -> Iterator[pa.RecordBatch]:
        everything = opened.batches(f"SELECT * FROM {opened.raw}", _BATCH_ROWS)  # noqa: S608 (quoted)
        try:
            for part in compute.map_batches(_generalise_batch, everything, shared=generaliser):
                yield from part.cast(schema).to_batches()
        except SfumatoError as error:
            failed.append(error)
            raise

    received = TableSource.open(pa.RecordBatchReader.from_batches(schema, batches()))
    return ReleaseRows(received, f"SELECT * FROM {received.raw}", failed)  # noqa: S608 (quoted)
