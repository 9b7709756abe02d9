"""Parquet files and frames (pandas, polars, Arrow): columns other than the text keep their exact types.

A document's `fields` are a view of its row; the rows are written back as Arrow values, never through
Python ones, so that decimals, nanoseconds and nested values survive.
"""

# ruff: noqa: ARG002 (all formats share one protocol)
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ...core.errors import DataError, FormatError, InputError, ParameterError
from ..document import Document, Edited
from ..sources import Withheld
from ._arrow import (
    Row,
    bare_schema,
    decoded_bytes,
    is_text,
    only_present,
    python_values,
    take_rows,
)
from ._parquet_footer import Chunk, pages, read_footer
from .protocol import (
    EVERY_FIELD,
    CorpusFile,
    FieldNames,
    Format,
    FormatOptions,
    checked_columns,
    document_from,
    span_fields,
    spans_as_json,
)

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = ["FrameFormat", "Parquet", "Row", "frame_format"]

_BATCH_BYTES, _GROUP_ROWS, _GROUP_CHARACTERS = 8 << 20, 1 << 16, 32 << 20
_DECODED_BYTES = 512 << 20  # what a batch may hold at worst


class _Columns(Format[FormatOptions]):
    """Reads batches of columns as documents and turns documents back into tables."""

    is_table = True
    _selected: tuple[pa.RecordBatch, pa.RecordBatch] | None = None
    _has_number_ids = False

    def _batches(self, part: CorpusFile) -> Iterator[pa.RecordBatch]:
        raise NotImplementedError

    def _schema(self, part: CorpusFile) -> pa.Schema:
        raise NotImplementedError

    def _compression(self, part: CorpusFile) -> str:
        return "snappy"

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        schema = self._schema(part)
        if len(schema) > self.names.limits.columns:
            raise self.names.limits.error(f"The number of columns of {part.name!r}", "columns")
        text, id, spans = checked_columns(self.names, list(schema.names), part)
        self._check_types(schema, text, id, part)
        record = 0
        for batch in self._batches(part):
            texts = python_values(batch.column(text))
            ids = python_values(batch.column(id)) if id else [None] * len(batch)
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
                        yield Withheld(f"record {record}", "has spans that are not JSON", record, part.name, in_labels=True)  # fmt: skip
                        continue
                yield document_from(self.names, part, record, raw_id=ids[i], text=texts[i],
                                    raw_spans=raw, fields=Row(rest, i))  # fmt: skip

    def _check_types(self, schema: pa.Schema, text: str, id: str, part: CorpusFile) -> None:
        import pyarrow as pa

        def kind(name: str) -> pa.DataType:
            found = schema.field(name).type
            return found.value_type if pa.types.is_dictionary(found) else found

        if not is_text(kind(text)) and not pa.types.is_null(kind(text)):
            raise DataError(
                f"The text column {text!r} of {part.name!r} does not hold texts but {kind(text)}.",
                hint="name another column as the text.",
            )
        if id and not (is_text(kind(id)) or pa.types.is_integer(kind(id))):
            raise DataError(
                f"The id column {id!r} of {part.name!r} holds {kind(id)}.",
                hint='ids must be texts or whole numbers; --id "" (id=None) numbers the records.',
            )
        self._has_number_ids = bool(id) and pa.types.is_integer(kind(id))

    def publish_fields(self, document: Document, keep: Sequence[str]) -> Mapping[str, object]:
        """Return the columns that are kept by name, as Arrow values."""
        if not isinstance(document.fields, Row):
            return super().publish_fields(document, keep)
        batch, index = document.fields.batch, document.fields.index
        if self._selected is None or self._selected[0] is not batch:
            kept = [n for n in batch.schema.names if n in keep or EVERY_FIELD in keep]
            self._selected = (batch, batch.select(kept))
        return Row(self._selected[1], index)

    def new_id(self, document: Document, mark: str) -> str:
        """Return a new id, a number where the column holds numbers."""
        return str(int(mark, 16) >> 1) if self._has_number_ids else super().new_id(document, mark)

    def table(self, documents: Sequence[Edited], schema: pa.Schema) -> pa.Table:
        """Make an Arrow table of the schema from documents."""
        import pyarrow as pa

        own, rest = self.names, None
        names = [n for n in schema.names if n not in (own.text, own.id, own.spans)]
        if names and all(isinstance(document.fields, Row) for document in documents):
            rest = take_rows([document.fields for document in documents], names)  # type: ignore[misc]
        columns = []
        try:
            for field in schema:
                if field.name == own.text:
                    values: Sequence[object] = [document.text for document in documents]
                elif field.name == own.id:
                    number = pa.types.is_integer(field.type)
                    values = [int(d.id) if number else d.id for d in documents]
                elif field.name == own.spans:
                    if is_text(field.type):
                        values = [spans_as_json(document.spans) for document in documents]
                    else:
                        values = [[span_fields(s) for s in d.spans] for d in documents]
                elif rest is not None:
                    columns.append(only_present(rest.column(field.name), field.type))
                    continue
                else:
                    values = [document.fields.get(field.name) for document in documents]
                columns.append(pa.array(values, type=field.type))
        except (pa.ArrowException, ValueError, TypeError, OverflowError, KeyError):
            raise DataError("A document holds a value that its column cannot hold.") from None
        return pa.Table.from_arrays(columns, schema=schema)

    def schema_for(self, documents: Sequence[Edited], part: CorpusFile | None) -> pa.Schema:
        """Return the schema to write: of the part's columns those that are published, or one made here."""
        import pyarrow as pa

        names, fields = self.names, documents[0].fields if documents else {}
        if part is not None:
            schema = bare_schema(self._schema(part), {names.text, names.id, names.spans, *fields})
            if self._has_number_ids and documents and int(documents[0].id) >> 31:
                at = schema.get_field_index(names.id)
                schema = schema.set(at, schema.field(at).with_type(pa.int64()))
            return schema
        struct = pa.struct([("start", pa.int64()), ("end", pa.int64()), ("label", pa.string()), ("score", pa.float64())])  # fmt: skip
        own = [(names.text, pa.string()), (names.spans, pa.list_(struct))]
        if names.id is not None:
            own.insert(0, (names.id, pa.string()))
        try:
            others = pa.Table.from_pylist([dict(document.fields) for document in documents]).schema
        except (pa.ArrowException, ValueError, TypeError):
            raise DataError("The documents hold a field that a column cannot hold.") from None  # fmt: skip
        return pa.schema([*map(pa.field, *zip(*own, strict=True)), *others])

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        from pyarrow import parquet

        if out.name.endswith(".gz"):
            raise ParameterError("A Parquet file is not written as .gz.", hint="it compresses its columns itself.")  # fmt: skip
        compression = "snappy" if part is None else self._compression(part)
        opened: pq.ParquetWriter | None = None
        try:
            for held in _groups(edited):
                if opened is None:
                    schema = self.schema_for(held, part)
                    opened = parquet.ParquetWriter(out, schema, compression=compression)
                if held:
                    opened.write_table(self.table(held, opened.schema))
        finally:
            if opened is not None:
                opened.close()


def _groups(edited: Iterable[Edited]) -> Iterator[list[Edited]]:
    """Yield documents in groups of rows; one empty group where there are none."""
    held: list[Edited] = []
    characters, any_given = 0, False
    for document in edited:
        held.append(document)
        characters += len(document.document.text)
        if len(held) >= _GROUP_ROWS or characters >= _GROUP_CHARACTERS:
            yield held
            held, characters, any_given = [], 0, True
    if held or not any_given:
        yield held


class Parquet(_Columns):
    """Reads Parquet row group by row group and writes it with the same schema and compression."""

    name = "parquet"
    suffixes = (".parquet", ".pq")

    @contextmanager
    def _opened(self, part: CorpusFile) -> Iterator[pq.ParquetFile]:
        import pyarrow as pa
        from pyarrow import parquet

        try:
            with parquet.ParquetFile(part.file, pre_buffer=False, buffer_size=1 << 20) as file:
                yield file
        except FileNotFoundError as error:
            raise InputError(f"There is no file {part.name!r}.", hint="check the path.") from error
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise FormatError(f"The file {part.name!r} is not readable as Parquet.") from error

    def _schema(self, part: CorpusFile) -> pa.Schema:
        with self._opened(part) as file:
            return file.schema_arrow

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield the rows; a file that says more of itself than the types of its columns is withheld."""
        about = set(self._schema(part).metadata or ())
        with self._opened(part) as file:
            about |= set(file.metadata.metadata or ())
        if about - {b"pandas", b"ARROW:schema"}:
            yield Withheld("the file", "says more than its columns", 0, part.name)
        yield from self.read(part)

    def _compression(self, part: CorpusFile) -> str:
        groups = read_footer(part.file)
        return groups[0][0].codec if groups and groups[0] else "snappy"

    def _batches(self, part: CorpusFile) -> Iterator[pa.RecordBatch]:
        limits = self.names.limits
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
                    decoded += sum(map(decoded_bytes, batch.columns))
                    limits.check_expansion(part.name, size, decoded)
                    yield batch

    def _largest_entry(
        self, part: CorpusFile, raw: BinaryIO, chunks: Sequence[Chunk], size: int
    ) -> int:
        """Return how large a text of a row group's dictionaries can be; refuse pages that cannot be.

        Room for a page is made as its header asks, before anything of it is read.
        """
        largest = 0
        try:
            for chunk in chunks:
                for page in pages(raw, chunk):
                    if not 0 <= page.packed <= size or page.unpacked < 0:
                        raise ValueError
                    self.names.limits.check_expansion(part.name, size, page.unpacked)
                    if chunk.is_text and page.is_dictionary:
                        largest = max(largest, page.unpacked)
        except ValueError:
            raise FormatError(f"The file {part.name!r} is not readable as Parquet.") from None
        return largest


class FrameFormat(_Columns):
    """Reads a frame in memory; written to a file as Parquet, or given back by `documents_frame`."""

    name = "frame"
    unit = "frame"

    def __init__(self, names: FieldNames, table: pa.Table, backend: nw.Implementation) -> None:
        super().__init__(names)
        self.frame, self.backend = table, backend

    def _schema(self, part: CorpusFile) -> pa.Schema:
        return self.frame.schema

    def _batches(self, part: CorpusFile) -> Iterator[pa.RecordBatch]:
        return iter(self.frame.to_batches(max_chunksize=4096))

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        return Parquet(self.names).read_back(part)

    def frame_of(self, edited: Iterable[Edited]) -> object:
        """Return documents as a frame of the kind that was read."""
        import narwhals as nw

        documents = list(edited)
        table = self.table(documents, self.schema_for(documents, CorpusFile("frame", None)))
        return nw.from_native(table).lazy().collect(self.backend).to_native()


def frame_format(source: Any, names: FieldNames) -> FrameFormat:
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
    return FrameFormat(names, table, frame.implementation)
