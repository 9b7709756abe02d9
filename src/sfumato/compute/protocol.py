"""The protocol of a compute engine: two verbs with the same meaning on threads and on a cluster.

    map_batches(function, batches)      → one result per batch, in the order of the batches
    count_groups(source, columns)       → how many rows share each combination of values

A function sees one batch at a time and keeps no state between batches, so that the results do not
depend on how many workers there are or on which of them took which batch. On Spark a batch and a
result travel as data: Arrow record batches and tables, bytes, lists of documents, plain JSON values,
and tuples of these.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar, runtime_checkable

from ..core.errors import InputError, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

    from ..data.table_source import TableSource as OpenedTable

__all__ = [
    "COUNT",
    "BatchMapper",
    "Compute",
    "Source",
    "canonical_counts",
    "check_columns",
    "source_files",
]

Batch = TypeVar("Batch")
Result = TypeVar("Result")

Source: TypeAlias = (
    "str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | pa.Table | OpenedTable"
)
"""Paths of Parquet or CSV files (a file, a folder, several of them), an Arrow table, or an opened table."""

COUNT = "count"


class BatchMapper(Protocol):
    """What runs a function on many batches."""

    def map_batches(
        self,
        function: Callable[..., Result],
        batches: Iterable[Batch],
        *,
        shared: object = None,
    ) -> Iterator[Result]:
        """Apply a function to each batch and give the results in the order of the batches.

        `shared`, when it is given, is what every call needs and none changes (a model): the function
        is then called as `function(shared, batch)`, and on Spark it is sent to each worker once.
        Batches are read only a little ahead of the results, so memory does not grow with their
        number. The first exception of the function ends the work and is raised as it is.
        """


@runtime_checkable
class Compute(BatchMapper, Protocol):
    """An engine that runs the verbs."""

    @property
    def name(self) -> str:
        """How the engine is called on the command line."""

    def count_groups(self, source: Source, columns: Sequence[str]) -> pa.Table:
        """Count the rows of each combination of values, sorted by the columns.

        The result has the columns asked for and `count`. Cells of CSV files are strings, and an
        empty cell is the empty string; Parquet and Arrow keep their types, with nulls last.
        """


def source_files(source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[Path]:
    """List the Parquet or CSV files that a source names, sorted within each folder."""
    paths = [source] if isinstance(source, str | os.PathLike) else list(source)
    files: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            files += sorted(
                p
                for p in path.rglob("*")
                if p.suffix in {".parquet", ".csv"} and not p.name.startswith((".", "_"))
            )
        elif path.exists():
            files.append(path)
        else:
            raise InputError(f"There is no file {path.name!r}.", hint="check the path.")
    if not files:
        raise InputError("The source holds no Parquet or CSV file.", hint="check the folder.")
    if len({file.suffix for file in files}) > 1:
        raise InputError(
            "The source mixes Parquet and CSV files.", hint="give files of one kind at a time."
        )
    return files


def check_columns(columns: Sequence[str], known: Sequence[str]) -> None:
    """Refuse columns that are not there, are asked for twice, or clash with the count."""
    if not columns or len(set(columns)) != len(columns) or COUNT in columns:
        raise ParameterError.constraint(
            "columns", "count_groups", f"distinct names other than {COUNT!r}", list(columns)
        )
    for column in columns:
        if column not in known:
            raise InputError(
                f"The source has no column {column!r}.",
                hint=f"it has {len(known):,} columns; check their names.",
            )


def canonical_counts(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Bring counts into their one form: columns as asked, int64 counts, sorted, nulls last."""
    import pyarrow as pa
    import pyarrow.compute as pc

    arrays, fields = [], []
    for name in columns:
        column = table.column(name)
        kind = column.type
        if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
            kind = pa.string()
        arrays.append(column.cast(kind))
        fields.append(pa.field(name, kind))
    arrays.append(table.column(COUNT).cast(pa.int64()))
    fields.append(pa.field(COUNT, pa.int64()))
    counts = pa.table(arrays, schema=pa.schema(fields))
    order = pc.sort_indices(counts, sort_keys=[(name, "ascending") for name in columns])
    return counts.take(order).combine_chunks()
