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
from typing import Any

from ...core.errors import DataError, FormatError, InputError, ParameterError
from ..document import Document
from ..sources import Withheld
from ._layout import Layout, Part, Write, checked_columns, document_from, span_fields, spans_as_json

__all__ = ["Frame", "Parquet", "Row", "frame_format"]

_BATCH_BYTES, _GROUP_ROWS, _GROUP_CHARACTERS = 8 << 20, 1 << 16, 32 << 20


class Row(Mapping[str, Any]):
    """One row of a batch as a mapping, and the part that it came from."""

    __slots__ = ("batch", "index", "part")

    def __init__(self, batch: Any, index: int, part: str) -> None:
        self.batch, self.index, self.part = batch, index, part

    def __getitem__(self, name: str) -> Any:
        try:
            return self.batch.column(name)[self.index].as_py()
        except (KeyError, ValueError):
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.batch.schema.names)

    def __len__(self) -> int:
        return len(self.batch.schema.names)

    def __reduce__(self) -> tuple[Any, ...]:
        import pyarrow as pa

        own = pa.RecordBatch.from_pylist([{}]) if not len(self) else self.batch.take([self.index])
        return (Row, (own, 0, self.part))


class _Columns:
    """Reads batches of columns as documents and turns documents back into tables."""

    name = "columns"
    is_folder = False

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def _batches(self, part: Part) -> Iterator[Any]:
        raise NotImplementedError

    def _schema(self, part: Part) -> Any:
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
            except UnicodeDecodeError as error:  # inside a list of spans no cell stands alone
                raise FormatError(
                    f"The spans of {part.name!r} hold text that is not UTF-8.",
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
                                    raw_spans=raw, extra=Row(rest, i, part.name))  # fmt: skip

    def _check_types(self, schema: Any, text: str, id: str, part: Part) -> None:
        import pyarrow as pa

        def kind(name: str) -> Any:
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

    def table(self, documents: Sequence[Document], schema: Any) -> Any:
        """Make an Arrow table of the schema from documents."""
        import pyarrow as pa

        layout, rest = self.layout, None
        own = [layout.text, layout.id, layout.spans]
        names = [name for name in schema.names if name not in own]
        if names and all(isinstance(document.extra, Row) for document in documents):
            rest = _taken([document.extra for document in documents], names)  # type: ignore[misc]
        columns = []
        try:
            for field in schema:
                if field.name == layout.text:
                    values: Any = [document.text for document in documents]
                elif field.name == layout.id:
                    values = [document.id for document in documents]
                    if pa.types.is_integer(field.type):
                        values = [int(value) for value in values]
                elif field.name == layout.spans:
                    if _is_text(field.type):
                        values = [spans_as_json(document.spans) for document in documents]
                    else:
                        values = [[span_fields(s) for s in d.spans] for d in documents]
                elif rest is not None:
                    columns.append(rest.column(field.name).cast(field.type))
                    continue
                else:
                    values = [document.extra.get(field.name) for document in documents]
                columns.append(pa.array(values, type=field.type))
        except (pa.ArrowException, ValueError, TypeError, OverflowError, KeyError):
            raise DataError("A document holds a value that its column cannot hold.") from None
        return pa.Table.from_arrays(columns, schema=schema)

    def schema_for(self, documents: Sequence[Document], part: Part | None) -> Any:
        """Give the schema to write: that of the part, or one made from the first documents."""
        import pyarrow as pa

        if part is not None:
            schema = self._schema(part)
            # Of the metadata only what pandas needs goes out: the rest may say anything.
            known = {k: v for k, v in (schema.metadata or {}).items() if k == b"pandas"}
            return schema.with_metadata(known or None)
        struct = pa.struct([("start", pa.int64()), ("end", pa.int64()), ("label", pa.string()), ("score", pa.float64())])  # fmt: skip
        own = [(self.layout.text, pa.string()), (self.layout.spans, pa.list_(struct))]
        if self.layout.id is not None:
            own.insert(0, (self.layout.id, pa.string()))
        try:
            others = pa.Table.from_pylist([dict(document.extra) for document in documents]).schema
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
    def _opened(self, part: Part) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import parquet

        try:
            with parquet.ParquetFile(part.file, pre_buffer=False, buffer_size=1 << 20) as file:
                yield file
        except FileNotFoundError as error:
            raise InputError(f"There is no file {part.name!r}.", hint="check the path.") from error
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise FormatError(f"The file {part.name!r} is not readable as Parquet.") from error

    def _schema(self, part: Part) -> Any:
        with self._opened(part) as file:
            return file.schema_arrow

    def _compression(self, part: Part) -> str:
        with self._opened(part) as file:
            meta = file.metadata
            if not meta.num_row_groups or not meta.num_columns:
                return "snappy"
            found = str(meta.row_group(0).column(0).compression).lower()
            return "none" if found == "uncompressed" else found

    def _batches(self, part: Part) -> Iterator[Any]:
        limits = self.layout.limits
        with self._opened(part) as file:
            size = part.file.stat().st_size
            for group in range(file.num_row_groups):
                meta = file.metadata.row_group(group)
                large = meta.total_byte_size > limits.expansion_from
                if large and meta.total_byte_size > size * limits.expansion:
                    raise limits.error(f"The growth of {part.name!r} when read", "expansion")
                mean = max(1, meta.total_byte_size // max(1, meta.num_rows))
                rows = min(4096, max(1, _BATCH_BYTES // mean))
                yield from file.iter_batches(batch_size=rows, row_groups=[group])


class Frame(_Columns):
    """Reads a frame in memory; written to a file as Parquet, or given back by `documents_frame`."""

    name = "frame"

    def __init__(self, layout: Layout, table: Any, backend: Any) -> None:
        super().__init__(layout)
        self.frame, self.backend = table, backend

    def _schema(self, part: Part) -> Any:
        return self.frame.schema

    def _batches(self, part: Part) -> Iterator[Any]:
        return iter(self.frame.to_batches(max_chunksize=4096))

    def native(self, documents: Iterable[Document]) -> Any:
        """Give documents as a frame of the kind that was read."""
        import narwhals as nw

        table = self.table(list(documents), self.frame.schema)
        return nw.from_native(table).lazy().collect(self.backend).to_native()


def frame_format(source: Any, layout: Layout) -> Frame:
    """Open a pandas, polars or Arrow frame for reading."""
    import narwhals as nw

    try:
        frame: Any = nw.from_native(source)
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


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _values(column: Any) -> list[Any]:
    """Give a column as Python values; bytes that are not UTF-8 come as half surrogates."""
    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        import pyarrow as pa

        plain = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        raw = plain.cast(pa.large_binary()).to_pylist()
        values = [None if v is None else v.decode("utf-8", "surrogateescape") for v in raw]
    return values


def _taken(rows: Sequence[Row], names: Sequence[str]) -> Any:
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
