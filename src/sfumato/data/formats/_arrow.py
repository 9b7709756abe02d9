"""Arrow values of documents: rows as mappings, and columns without unpublished values."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Row",
    "bare_schema",
    "decoded_bytes",
    "is_text",
    "only_present",
    "python_values",
    "take_rows",
]


class Row(Mapping[str, object]):
    """One row of a batch as a mapping."""

    __slots__ = ("batch", "index")

    def __init__(self, batch: pa.RecordBatch, index: int) -> None:
        self.batch, self.index = batch, index

    def __getitem__(self, name: str) -> object:
        try:
            return self.batch.column(name)[self.index].as_py()
        except (KeyError, ValueError):
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.batch.schema.names)

    def __len__(self) -> int:
        return len(self.batch.schema.names)

    def __reduce__(self) -> tuple[type[Row], tuple[pa.RecordBatch, int]]:
        import pyarrow as pa

        own = pa.RecordBatch.from_pylist([{}]) if not len(self) else self.batch.take([self.index])
        return (Row, (own, 0))


def decoded_bytes(column: pa.Array) -> int:
    """Return the bytes that a column takes without a dictionary."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_dictionary(column.type) and is_text(column.type.value_type)):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).take(column.indices)
    return int(pc.sum(lengths).as_py() or 0)


def bare_schema(schema: pa.Schema, published: Container[str | None]) -> pa.Schema:
    """Leave out the columns that are not published, and all metadata but what pandas needs for its types.

    Whatever else a file says of itself (attributes, categories, notes to a field) may be about rows
    that are withheld.
    """
    import pyarrow as pa

    about = schema.metadata or {}
    schema = pa.schema([field.remove_metadata() for field in schema if field.name in published])
    fields = list(schema)
    try:
        about = json.loads(about[b"pandas"])
        index = [name for name in about["index_columns"] if name in schema.names]
        columns = [
            {
                "name": found["name"] if found["name"] in schema.names else None,
                "field_name": found["field_name"],
                "pandas_type": str(found["pandas_type"]),
                "numpy_type": str(found["numpy_type"]),
                "metadata": _time_zone(found["metadata"]),
            }
            for found in about["columns"]
            if found["field_name"] in schema.names
        ]
    except (KeyError, TypeError, ValueError, RecursionError):
        return pa.schema(fields)
    kept = {"index_columns": index, "column_indexes": [], "columns": columns, "attributes": {}}
    return pa.schema(fields, metadata={b"pandas": json.dumps(kept).encode()})


def _time_zone(metadata: object) -> dict[str, str] | None:
    zone = metadata.get("timezone") if isinstance(metadata, dict) else None
    return {"timezone": str(zone)} if zone is not None else None


def only_present(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Bring a column to its type with dictionaries of the values in it, and no others."""
    plain = _without_dictionaries(kind)
    if plain == kind:
        return column.cast(kind)
    return column.cast(plain).combine_chunks().cast(kind)


def _without_dictionaries(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _without_dictionaries(kind.value_type)
    if pa.types.is_struct(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        return pa.struct([f.with_type(_without_dictionaries(f.type)) for f in fields])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_without_dictionaries(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_without_dictionaries(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(_without_dictionaries(kind.key_type), _without_dictionaries(kind.item_type))
    return kind


def is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def python_values(column: pa.Array) -> list[object]:
    """Return a column as Python values; bytes that are not UTF-8 come as half surrogates."""
    try:
        values: list[object] = column.to_pylist()
    except UnicodeDecodeError:
        import pyarrow as pa

        plain = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        raw = plain.cast(pa.large_binary()).to_pylist()
        values = [None if v is None else v.decode("utf-8", "surrogateescape") for v in raw]
    return values


def take_rows(rows: Sequence[Row], names: Sequence[str]) -> pa.Table:
    """Collect rows as an Arrow table, batch by batch."""
    import pyarrow as pa

    pieces, at = [], 0
    while at < len(rows):
        batch, start = rows[at].batch, at
        while at < len(rows) and rows[at].batch is batch:
            at += 1
        indices = [row.index for row in rows[start:at]]
        pieces.append(pa.Table.from_batches([batch]).select(names).take(indices))
    return pa.concat_tables(pieces).combine_chunks()
