"""Arrow columns and schemas without what must not travel, and their values as Python knows them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "bare_schema",
    "decoded_bytes",
    "is_text",
    "only_present",
    "values_of",
    "without_dictionaries",
]


def decoded_bytes(column: pa.Array) -> int:
    """Return the bytes that a column takes without a dictionary."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_dictionary(column.type) and is_text(column.type.value_type)):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).take(column.indices)
    return int(pc.sum(lengths).as_py() or 0)


def bare_schema(schema: pa.Schema) -> pa.Schema:
    """Leave out all metadata but what pandas needs to give the columns their types back.

    Whatever else a file says of itself (attributes, categories, notes to a field) may be about rows
    that are withheld.
    """
    import pyarrow as pa

    fields = [field.remove_metadata() for field in schema]
    try:
        about = json.loads((schema.metadata or {})[b"pandas"])
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
    """Bring a column to its type with dictionaries of the values that stand in it, and no others."""
    plain = without_dictionaries(kind)
    if plain == kind:
        return column.cast(kind)
    return column.cast(plain).combine_chunks().cast(kind)


def without_dictionaries(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return without_dictionaries(kind.value_type)
    if pa.types.is_struct(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        return pa.struct([f.with_type(without_dictionaries(f.type)) for f in fields])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(without_dictionaries(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(without_dictionaries(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(without_dictionaries(kind.key_type), without_dictionaries(kind.item_type))
    return kind


def is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def values_of(column: pa.Array) -> list[object]:
    """Return a column as Python values; bytes that are not UTF-8 come as half surrogates."""
    try:
        values: list[object] = column.to_pylist()
    except UnicodeDecodeError:
        import pyarrow as pa

        plain = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        raw = plain.cast(pa.large_binary()).to_pylist()
        values = [None if v is None else v.decode("utf-8", "surrogateescape") for v in raw]
    return values
