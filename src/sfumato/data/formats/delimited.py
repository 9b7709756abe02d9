"""CSV and TSV: a text column, an id column and any others, kept as the texts they are.

Cells are never interpreted. A column named like `FieldNames.spans` may hold spans as JSON.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pydantic import field_validator

from ...core.errors import DataError, FormatError, LimitError
from ...core.files import spreadsheet_safe
from ..document import Document, Edited
from ..sources import Withheld, create_bytes, open_bytes
from .protocol import (
    CorpusFile,
    FieldNames,
    Format,
    FormatOptions,
    checked_columns,
    document_from,
    encodable,
    spans_as_json,
)

__all__ = ["Csv", "DelimitedOptions", "Tsv"]

_QUOTED = re.compile(r'"[^"]*"')


class DelimitedOptions(FormatOptions):
    """What can be said about a table of text."""

    delimiter: str | None = None
    spreadsheet: bool = False

    @field_validator("delimiter")
    @classmethod
    def _one_character(cls, value: str | None) -> str | None:
        if value is not None and (len(value) != 1 or value in '"\r\n'):
            raise ValueError("one character, not a quote or a line end")
        return value


class Csv(Format[DelimitedOptions]):
    """Reads and writes delimited text with a header line; quotes are doubled inside quotes.

    With `spreadsheet` set, cells that a spreadsheet would run as a formula are written with an
    apostrophe before them, which changes the data and so is not the default.
    """

    name = "csv"
    suffixes = (".csv",)
    is_table = True
    Options = DelimitedOptions
    _delimiter: str | None = None  # of the format itself

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        names = self.names
        with self._opened(part) as (rows, _, columns):
            own = checked_columns(names, columns, part)
            text, id, spans = (columns.index(n) if n and n in columns else None for n in own)
            named = [i for i in range(len(columns)) if i not in (text, id, spans)]
            record = 0
            for row in rows:
                if not row:
                    continue
                record += 1
                known = row[id] if id is not None and id < len(row) else None
                if len(row) != len(columns):
                    reason = f"has {len(row):,} cells where the header names {len(columns):,}"
                    yield self._withheld(part, record, known, reason, "quote cells that hold line ends or delimiters.")  # fmt: skip
                    continue
                if not encodable("".join(row)):
                    yield self._withheld(part, record, None, "is not UTF-8 text", "convert the file: iconv -f CP1252 -t UTF-8 (or LATIN1).")  # fmt: skip
                    continue
                raw_spans = None
                if spans is not None and row[spans].strip():
                    try:
                        raw_spans = json.loads(row[spans])
                    except (ValueError, RecursionError):
                        found = self._withheld(part, record, known, "has spans that are not JSON")
                        yield replace(found, in_labels=True)
                        continue
                assert text is not None
                yield document_from(names, part, record, raw_id=known, text=row[text], raw_spans=raw_spans,
                                    fields={columns[i]: row[i] for i in named})  # fmt: skip

    def _withheld(
        self, part: CorpusFile, record: int, known: str | None, reason: str, hint: str | None = None
    ) -> Withheld:
        usable = known and encodable(known) and len(known) <= self.names.limits.id_characters
        shown = known if known and usable else f"record {record}"
        return Withheld(shown, reason, record, part.name, hint, FormatError)

    @contextmanager
    def _opened(self, part: CorpusFile) -> Iterator[tuple[Iterator[list[str]], str, list[str]]]:
        limits = self.names.limits
        # The module's limit is one for the whole process; it is only ever raised.
        csv.field_size_limit(max(csv.field_size_limit(), limits.document_characters + 1))
        raw = open_bytes(part.file, limits)
        # What is not UTF-8 comes through as half surrogates, so that only its own row is withheld.
        with io.TextIOWrapper(raw, "utf-8", errors="surrogateescape", newline="") as stream:

            def lines() -> Iterator[str]:
                while line := stream.readline(limits.record_bytes + 1):
                    if len(line) > limits.record_bytes:
                        raise limits.error(f"A line of {part.name!r}", "record_bytes")
                    yield line

            given = lines()
            first = next(given, "")
            delimiter = (
                self.options.delimiter
                or self._delimiter
                or max(",;\t|", key=_QUOTED.sub("", first).count)
            )
            if "\x00" in first or not encodable(first):
                raise FormatError(f"The first line of {part.name!r} is not UTF-8 text.",
                                  hint="convert the file: iconv -f CP1252 -t UTF-8 (or LATIN1).")  # fmt: skip
            if not first.strip():
                raise DataError(f"The file {part.name!r} has no header line.",
                                hint="the first line must name the columns.")  # fmt: skip
            rows = _rows(csv.reader(_chain(first, given), delimiter=delimiter, strict=True), part.name, self.names)  # fmt: skip
            columns = next(rows, [])
            if not encodable("".join(columns)):  # a quoted name may run over several lines
                raise FormatError(f"The header of {part.name!r} is not UTF-8 text.",
                                  hint="convert the file: iconv -f CP1252 -t UTF-8 (or LATIN1).")  # fmt: skip
            if len(columns) > limits.columns:
                raise limits.error(f"The number of columns of {part.name!r}", "columns")
            yield rows, delimiter, columns

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        names, delimiter = self.names, self.options.delimiter or self._delimiter or ","
        known: list[str] | None = None
        if part is not None and part.path is not None:
            with self._opened(part) as (_, delimiter, known):
                pass
        special = re.compile(f'["\\r\\n{re.escape(delimiter)}]')

        def line(cells: Sequence[str]) -> bytes:
            quoted = []
            for cell in cells:
                if self.options.spreadsheet:
                    cell = spreadsheet_safe(cell)
                quoted.append('"' + cell.replace('"', '""') + '"' if special.search(cell) else cell)
            # A lone empty cell would be a blank line.
            return ((delimiter.join(quoted) if quoted != [""] else '""') + "\n").encode()

        own = [name for name in (names.id, names.text, names.spans) if name is not None]
        with create_bytes(out, compress=out.name.endswith(".gz")) as stream:
            columns: list[str] = []
            for document in edited:
                if not columns:
                    columns = _published_columns(known, own, document.fields)
                    stream.write(line(columns))
                cells = {names.text: document.text, names.spans: spans_as_json(document.spans)}
                if names.id is not None:
                    cells[names.id] = document.id
                if not document.fields.keys() <= set(columns):
                    raise DataError(
                        f"The document {document.id!r} has a column that the first has not."
                    )
                row = [{**document.fields, **cells}.get(column) for column in columns]
                stream.write(line(["" if cell is None else str(cell) for cell in row]))
            if not columns and known is not None:
                stream.write(line(_published_columns(known, own, ())))


class Tsv(Csv):
    """The same with tabs."""

    name = "tsv"
    suffixes = (".tsv",)
    _delimiter = "\t"


def _published_columns(
    known: Sequence[str] | None, own: Sequence[str], fields: Iterable[str]
) -> list[str]:
    """Return the header to write: of the columns that were read those that are published."""
    if known is None:
        return [*own, *fields]
    wanted = {*own, *fields}
    return [column for column in known if column in wanted]


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _rows(reader: Iterator[list[str]], name: str, names: FieldNames) -> Iterator[list[str]]:
    count = 0
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "field limit" in str(error):
                raise LimitError(
                    f"A cell near record {count} of {name!r} is beyond the limit of characters, or a quote is never closed.",
                    hint=names.limits.hint("document_characters"),
                ) from None
            raise FormatError(
                f"The quotes of {name!r} do not match near record {count}.",
                hint="a quote inside a quoted cell must be doubled.",
            ) from None
        count += 1
        yield row
