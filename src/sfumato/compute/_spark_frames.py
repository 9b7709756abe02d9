"""Files and Arrow tables as Spark's frames: which columns, of which types, and no pattern in a path."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import ParameterError
from ..data.limits import current_limits
from ..data.table_files import csv_layouts
from .protocol import check_columns

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = [
    "TORN",
    "csv_union",
    "parquet_types",
    "plain_type",
    "quote",
    "read_csv",
    "spark_schema",
    "spark_types",
    "without_patterns",
]


TORN = "_sfumato_torn"


def read_csv(session: SparkSession, files: Sequence[Path], columns: Sequence[str]) -> DataFrame:
    layouts, delimiter = csv_layouts(files, "csv", current_limits())
    check_columns(columns, layouts[0].columns)
    listed = [(layout.columns, layout.paths) for layout in layouts]
    return csv_union(session, listed, columns, delimiter)


def csv_union(
    session: SparkSession,
    layouts: Sequence[tuple[Sequence[str], Sequence[Path]]],
    columns: Sequence[str],
    delimiter: str,
) -> DataFrame:
    """Read files by the names of their columns, which may appear in another order in each."""
    found: dict[tuple[str, ...], list[str]] = {}
    for names, files in layouts:
        paths = [without_patterns(os.path.abspath(file)) for file in files]
        found.setdefault(tuple(names), []).extend(paths)
    frames = [
        _csv_frame(session, paths, names, columns, delimiter) for names, paths in found.items()
    ]
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.union(frame)
    return whole


def _csv_frame(
    session: SparkSession,
    paths: Sequence[str],
    names: Sequence[str],
    columns: Sequence[str],
    delimiter: str,
) -> DataFrame:
    """Return the columns asked for of files that share a header, and what tells torn lines."""
    options: dict[str, bool | int | str] = {
        "header": True, "sep": delimiter, "quote": '"', "escape": '"', "multiLine": True,
        "encoding": "UTF-8", "maxCharsPerColumn": -1, "mode": "PERMISSIVE",
        "columnNameOfCorruptRecord": TORN, "enforceSchema": True,
    }  # fmt: skip
    schema = ", ".join(f"{quote(name)} string" for name in [*names, TORN])
    read = session.read.options(**options).schema(schema).csv(list(paths))
    return read.select(*[quote(c) for c in [*columns, TORN]])


def parquet_types(files: Sequence[Path]) -> dict[str, pa.DataType]:
    import pyarrow.parquet as pq

    return {f.name: f.type for file in reversed(files) for f in pq.read_schema(file)}


def spark_schema(types: Mapping[str, pa.DataType], columns: Sequence[str]) -> StructType:
    """Name the columns to read and their types: what Spark cannot read elsewhere does not matter."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import from_arrow_schema

    empty = pa.table({c: pa.array([], types[c]) for c in columns})
    return from_arrow_schema(spark_types(empty).schema)


def plain_type(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def spark_types(table: pa.Table) -> pa.Table:
    """Bring columns to types that Spark has: it knows no unsigned integers and no dictionaries."""
    import pyarrow as pa

    wider = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64()}
    for index, kind in enumerate(table.schema):
        plain = plain_type(kind.type)
        if plain == pa.uint64():
            raise ParameterError.constraint(
                kind.name, "count_groups", "of a type that Spark has", "uint64"
            )
        plain = wider.get(plain, plain)
        if plain != kind.type:
            table = table.set_column(index, kind.name, table.column(index).cast(plain))
    return table


def quote(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"


def without_patterns(path: str) -> str:
    """Name exactly one file: Spark would read * ? [ { as patterns."""
    return "".join("\\" + c if c in "*?[]{}\\" else c for c in path)
