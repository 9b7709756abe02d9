"""Parquet files and frames (pandas, polars, Arrow): columns beside the text keep their exact types.

A document's `extra` is a view of its row; the rows are written back as Arrow values, never through
Python ones, so that decimals, nanoseconds and nested values survive.
"""

# ruff: noqa: ARG002 (id and format are the words of the field; all formats share one protocol)
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ...core.errors import DataError, FormatError, InputError, ParameterError
from ..document import Document
from ..sources import Withheld
from ._layout import Layout, Part, Write, checked_columns, document_from, span_fields, spans_as_json
from ._parquet_footer import Chunk, pages, read_footer

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = ["Frame", "Parquet", "Row", "frame_format"]

_BATCH_BYTES, _GROUP_ROWS, _GROUP_CHARACTERS = 8 << 20, 1 << 16, 32 << 20
_DECODED_BYTES = 512 << 20  # what a batch may hold at worst


class Row(Mapping[str, object]):
    """One row of a batch as a mapping, and the part that it came from."""

    __slots__ = ("batch", "index", "part")

    def __init__(self, batch: pa.RecordBatch, index: int, part: str) -> None:
        self.batch, self.index, self.part = batch, index, part

    def __getitem__(self, name: str) -> object:
        try:
            return self.batch.column(name)[self.index].as_py()
        except (KeyError, ValueError):
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.batch.schema.names)

    def __len__(self) -> int:
        return len(self.batch.schema.names)

    def __reduce__(self) -> tuple[type[Row], tuple[pa.RecordBatch, int, str]]:
        import pyarrow as pa

        own = pa.RecordBatch.from_pylist([{}]) if not len(self) else self.batch.take([self.index])
        return (Row, (own, 0, self.part))


class _Columns:
    """Reads batches of columns as documents and turns documents back into tables."""

    name = "columns"
    is_folder = False

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def _batches(self, part: Part) -> Iterator[pa.RecordBatch]:
        raise NotImplementedError

    def _schema(self, part: Part) -> pa.Schema:
        raise NotImplementedError

    def _compression(self, part: Part) -> str:
        return "snappy"

    def read(self, part: Part) -> Iterator[Document | Withheld]:
        schema = self._schema(part)
        if len(schema) > self.layout.limits.columns:
            raise self.layout.limits.error(f"The number of columns of {part.name!r}", "columns")
        text, id, spans = checked_columns(self.layout, list(schema.names), part)
        self._check_types(schema, text, id, part)
        record = 0
        for batch in self._batches(part):
            texts = _values(batch.column(text))
            ids = _values(batch.column(id)) if id else [None] * len(batch)
            try:
                found = batch.column(spans).to_pylist() if spans else [None] * len(batch)
            except ValueError as error:  # not UTF-8, or fields of one name: no cell stands alone
                raise FormatError(
                    f"The spans of {part.name!r} cannot be read: text that is not UTF-8, or two "
                    "fields of one name.",
                    hint="write the file again from its source.",
                ) from error
            rest = batch.drop_columns([name for name in (text, id, spans) if name])
            for i in range(len(batch)):
                record += 1
                raw = found[i]
                if isinstance(raw, str):
                    try:
                        raw = json.loads(raw) if raw.strip() else None
                    except (ValueError, RecursionError):
                        yield Withheld(f"record {record}", "has spans that are not JSON", record, part.name)  # fmt: skip
                        continue
                yield document_from(self.layout, part, record, raw_id=ids[i], text=texts[i],
                                    raw_spans=raw, fields=Row(rest, i, part.name))  # fmt: skip

    def _check_types(self, schema: pa.Schema, text: str, id: str, part: Part) -> None:
        import pyarrow as pa

        def kind(name: str) -> pa.DataType:
            found = schema.field(name).type
            return found.value_type if pa.types.is_dictionary(found) else found

        if not _is_text(kind(text)) and not pa.types.is_null(kind(text)):
            raise DataError(
                f"The text column {text!r} of {part.name!r} does not hold texts but {kind(text)}.",
                hint="name another column as the text.",
            )
        if id and not (_is_text(kind(id)) or pa.types.is_integer(kind(id))):
            raise DataError(
                f"The id column {id!r} of {part.name!r} holds {kind(id)}.",
                hint="ids must be texts or whole numbers; id=None numbers the records.",
            )

    def table(self, documents: Sequence[Document], schema: pa.Schema) -> pa.Table:
        """Make an Arrow table of the schema from documents."""
        import pyarrow as pa

        layout, rest = self.layout, None
        own = [layout.text, layout.id, layout.spans]
        names = [name for name in schema.names if name not in own]
        if names and all(isinstance(document.fields, Row) for document in documents):
            rest = _taken([document.fields for document in documents], names)  # type: ignore[misc]
        columns = []
        try:
            for field in schema:
                if field.name == layout.text:
                    values: Sequence[object] = [document.text for document in documents]
                elif field.name == layout.id:
                    number = pa.types.is_integer(field.type)
                    values = [int(d.id) if number else d.id for d in documents]
                elif field.name == layout.spans:
                    if _is_text(field.type):
                        values = [spans_as_json(document.spans) for document in documents]
                    else:
                        values = [[span_fields(s) for s in d.spans] for d in documents]
                elif rest is not None:
                    columns.append(_only_present(rest.column(field.name), field.type))
                    continue
                else:
                    values = [document.fields.get(field.name) for document in documents]
                columns.append(pa.array(values, type=field.type))
        except (pa.ArrowException, ValueError, TypeError, OverflowError, KeyError):
            raise DataError("A document holds a value that its column cannot hold.") from None
        return pa.Table.from_arrays(columns, schema=schema)

    def schema_for(self, documents: Sequence[Document], part: Part | None) -> pa.Schema:
        """Return the schema to write: that of the part, or one made from the first documents."""
        import pyarrow as pa

        if part is not None:
            return _bare_schema(self._schema(part))
        struct = pa.struct([("start", pa.int64()), ("end", pa.int64()), ("label", pa.string()), ("score", pa.float64())])  # fmt: skip
        own = [(self.layout.text, pa.string()), (self.layout.spans, pa.list_(struct))]
        if self.layout.id is not None:
            own.insert(0, (self.layout.id, pa.string()))
        try:
            others = pa.Table.from_pylist([dict(document.fields) for document in documents]).schema
        except (pa.ArrowException, ValueError, TypeError):
            raise DataError("The documents hold a field that a column cannot hold.") from None  # fmt: skip
        return pa.schema([*map(pa.field, *zip(*own, strict=True)), *others])

    @contextmanager
    def writer(self, path: Path, part: Part | None = None, *, compress: bool = False) -> Iterator[Write]:  # fmt: skip
        from pyarrow import parquet

        if compress:
            raise ParameterError("A Parquet file is not written as .gz.", hint="it compresses its columns itself.")  # fmt: skip
        compression = "snappy" if part is None else self._compression(part)
        opened, characters = None, 0
        held: list[Document] = []

        def flush() -> None:
            nonlocal opened, characters
            if opened is None:
                schema = self.schema_for(held, part)
                opened = parquet.ParquetWriter(path, schema, compression=compression)
            if held:
                opened.write_table(self.table(held, opened.schema))
            held.clear()
            characters = 0

        def write(document: Document) -> None:
            nonlocal characters
            held.append(document)
            characters += len(document.text)
            if len(held) >= _GROUP_ROWS or characters >= _GROUP_CHARACTERS:
                flush()

        try:
            yield write
            flush()
        finally:
            if opened is not None:
                opened.close()


class Parquet(_Columns):
    """Reads Parquet row group by row group and writes it with the same schema and compression."""

    name = "parquet"

    @contextmanager
    def _opened(self, part: Part) -> Iterator[pq.ParquetFile]:
        import pyarrow as pa
        from pyarrow import parquet

        try:
            with parquet.ParquetFile(part.file, pre_buffer=False, buffer_size=1 << 20) as file:
                yield file
        except FileNotFoundError as error:
            raise InputError(f"There is no file {part.name!r}.", hint="check the path.") from error
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise FormatError(f"The file {part.name!r} is not readable as Parquet.") from error

    def _schema(self, part: Part) -> pa.Schema:
        with self._opened(part) as file:
            return file.schema_arrow

    def _compression(self, part: Part) -> str:
        groups = read_footer(part.file)
        return groups[0][0].codec if groups and groups[0] else "snappy"

    def _batches(self, part: Part) -> Iterator[pa.RecordBatch]:
        limits = self.layout.limits
        footer = read_footer(part.file)
        with self._opened(part) as file, part.file.open("rb") as raw:
            size, decoded = part.file.stat().st_size, 0
            for group in range(file.num_row_groups):
                meta = file.metadata.row_group(group)
                limits.check_expansion(part.name, size, meta.total_byte_size)
                mean = max(1, meta.total_byte_size // max(1, meta.num_rows))
                # A cell may be as large as the whole dictionary, and each row may repeat it.
                entry = self._largest_entry(part, raw, footer[group], size)
                largest = max(mean, _BATCH_BYTES * entry // _DECODED_BYTES)
                rows = min(4096, max(1, _BATCH_BYTES // max(1, largest)))
                for batch in file.iter_batches(batch_size=rows, row_groups=[group]):
                    decoded += sum(map(_decoded_bytes, batch.columns))
                    limits.check_expansion(part.name, size, decoded)
                    yield batch

    def _largest_entry(self, part: Part, raw: BinaryIO, chunks: Sequence[Chunk], size: int) -> int:
        """Return how large a text of a row group's dictionaries can be; refuse pages that cannot be.

        Room for a page is made as its header asks, before anything of it is read.
        """
        largest = 0
        try:
            for chunk in chunks:
                for page in pages(raw, chunk):
                    if not 0 <= page.packed <= size or page.unpacked < 0:
                        raise ValueError
                    self.layout.limits.check_expansion(part.name, size, page.unpacked)
                    if chunk.is_text and page.is_dictionary:
                        largest = max(largest, page.unpacked)
        except ValueError:
            raise FormatError(f"The file {part.name!r} is not readable as Parquet.") from None
        return largest


class Frame(_Columns):
    """Reads a frame in memory; written to a file as Parquet, or given back by `documents_frame`."""

    name = "frame"

    def __init__(self, layout: Layout, table: pa.Table, backend: nw.Implementation) -> None:
        super().__init__(layout)
        self.frame, self.backend = table, backend

    def _schema(self, part: Part) -> pa.Schema:
        return self.frame.schema

    def _batches(self, part: Part) -> Iterator[pa.RecordBatch]:
        return iter(self.frame.to_batches(max_chunksize=4096))

    def native(self, documents: Iterable[Document]) -> object:
        """Return documents as a frame of the kind that was read."""
        import narwhals as nw

        table = self.table(list(documents), _bare_schema(self.frame.schema))
        return nw.from_native(table).lazy().collect(self.backend).to_native()


def frame_format(source: Any, layout: Layout) -> Frame:
    """Open a pandas, polars or Arrow frame for reading."""
    import narwhals as nw

    try:
        frame = nw.from_native(source)
    except TypeError:
        raise ParameterError(
            f"Documents cannot be read from a {type(source).__name__}.",
            hint="give a path, several paths, a pandas, polars or Arrow frame, or Documents.",
        ) from None
    except Exception as error:
        raise DataError("The frame cannot be read: two columns may have the same name.") from error
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    try:
        table = frame.to_arrow()
    except Exception as error:
        raise DataError("The frame has a column that cannot be turned into Arrow.",
                        hint="a column must hold values of one type.") from error  # fmt: skip
    return Frame(layout, table, frame.implementation)


def _decoded_bytes(column: pa.Array) -> int:
    """Return the bytes that a column takes without a dictionary."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_dictionary(column.type) and _is_text(column.type.value_type)):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary).take(column.indices)
    return int(pc.sum(lengths).as_py() or 0)


def _bare_schema(schema: pa.Schema) -> pa.Schema:
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


def _only_present(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Bring a column to its type with dictionaries of the values that stand in it, and no others."""
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


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _values(column: pa.Array) -> list[object]:
    """Return a column as Python values; bytes that are not UTF-8 come as half surrogates."""
    try:
        values: list[object] = column.to_pylist()
    except UnicodeDecodeError:
        import pyarrow as pa

        plain = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        raw = plain.cast(pa.large_binary()).to_pylist()
        values = [None if v is None else v.decode("utf-8", "surrogateescape") for v in raw]
    return values


def _taken(rows: Sequence[Row], names: Sequence[str]) -> pa.Table:
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
