"""A spreadsheet as a table with a column of notes: a row is a document, and other columns are its fields.

The first line of the first sheet that names the column of the text names the columns. What is written is a new
workbook with one sheet, the published columns and their values; formulas are their results, layout is not kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from ....core.errors import DataError, FormatError, InputError
from ...document import Document, Edited, Span
from ...limits import Limits
from ...sources import Withheld
from ..files import RefusedFileError
from ..protocol import (
    CorpusFile,
    Format,
    FormatOptions,
    checked_columns,
    document_from,
    spans_as_json,
)
from .formats import need_lxml
from .new_files import new_book

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["SheetTable"]

Cell = str | int | float | bool | None
_PLACE = re.compile(r"([A-Z]{1,3})[1-9][0-9]{0,6}")
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,14})")


class SheetTable(Format[FormatOptions]):
    """A spreadsheet (.xlsx) as a table: a column of text, one of ids, and others."""

    name = "sheet"
    is_table = True

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        rows = self._rows(part)
        columns = [str(name) for name in rows[0]]
        own = checked_columns(self.names, columns, part)
        text, id, spans = (columns.index(n) if n and n in columns else None for n in own)
        named = [i for i in range(len(columns)) if i not in (text, id, spans)]
        assert text is not None
        for record, row in enumerate(rows[1:], 1):
            raw_spans = None
            if spans is not None and row[spans]:
                try:
                    raw_spans = json.loads(str(row[spans]))
                except (ValueError, RecursionError):
                    yield Withheld(f"record {record}", "has spans that are not JSON", record, part.name, None, FormatError, in_labels=True)  # fmt: skip
                    continue
            words = row[text]
            yield document_from(
                self.names, part, record, raw_id=None if id is None else _id(row[id]), text="" if words is None else str(words),
                raw_spans=raw_spans, fields={columns[i]: row[i] for i in named},
            )  # fmt: skip

    def _rows(self, part: CorpusFile) -> list[list[Cell]]:
        """Return the rows of the sheet that names the column of the text, the names first."""
        need_lxml("a spreadsheet")
        limits = self.names.limits
        try:
            if part.file.stat().st_size > limits.record_bytes:
                raise limits.error(f"The file {part.name!r}", "record_bytes")
            content = part.file.read_bytes()
            sheets = list(_sheets(content, limits))
        except RefusedFileError as error:
            raise FormatError(f"The file {part.name!r} {error.reason}.", hint=error.hint) from None
        except OSError:
            raise InputError(f"The file {part.name!r} cannot be opened for reading.") from None
        named = [rows for rows in sheets if rows and self.names.text in rows[0]]
        if not named and not any(sheets):
            raise DataError(f"The file {part.name!r} has no sheet with a header.", hint="its first row must name the columns.")  # fmt: skip
        rows = named[0] if named else next(rows for rows in sheets if rows)
        width = max((i + 1 for i, name in enumerate(rows[0]) if name not in (None, "")), default=0)
        if width > limits.columns:
            raise limits.error(f"The number of columns of {part.name!r}", "columns")
        head: list[Cell] = [f"column {i + 1}" if name in (None, "") else str(name) for i, name in enumerate(rows[0][:width])]  # fmt: skip
        body = [[*row[:width], *[None] * (width - len(row))] for row in rows[1:]]
        return [head, *(row for row in body if any(cell is not None for cell in row))]

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        names = self.names
        own = [name for name in (names.id, names.text, names.spans) if name is not None]
        known = None if part is None or part.path is None else [str(n) for n in self._rows(part)[0]]
        columns: list[str] = []
        lines: list[Sequence[Cell]] = []
        for one in edited:
            if not columns:
                wanted = {*own, *one.fields}
                columns = [*own, *one.fields] if known is None else [n for n in known if n in wanted]  # fmt: skip
                lines.append(columns)
            cells: Mapping[str, object] = {**one.fields, names.text: one.text, names.spans: spans_as_json(one.spans)}  # fmt: skip
            if names.id is not None:
                cells = {**cells, names.id: one.id}
            lines.append([_cell(cells.get(column)) for column in columns])
        if not lines and known is not None:
            lines.append([name for name in known if name in own])
        out.write_bytes(new_book("".join(map(_line, lines))))

    def digest(
        self, id: str, text: str, fields: Mapping[str, object], spans: Sequence[Span]
    ) -> bytes:
        """Return the digest of a row; a cell that holds nothing is none."""
        held = {name: value for name, value in fields.items() if value not in (None, "")}
        return super().digest(id, text, held, spans)

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield the rows of a written workbook, which is what its rows make and nothing else."""
        if new_book("".join(map(_line, self._rows(part)))) != part.file.read_bytes():
            yield Withheld(part.name, "holds more than its rows", 1, part.name)
        yield from self.read(part)


def _sheets(content: bytes, limits: Limits) -> Iterator[list[list[Cell]]]:
    """Yield the rows of each sheet."""
    from .dates import date_styles
    from .opening import open_book

    package, trees, since_1904 = open_book(content, limits)
    dates = date_styles(next((p for p in package.parts if p.kind == "styles"), None))
    for tree in trees:
        rows: list[list[Cell]] = []
        for row in tree.iter("{*}row"):
            cells: list[Cell] = []
            for cell in row:
                at = _column(cell.get("r"), len(cells))
                if at > limits.columns:
                    raise RefusedFileError("has more columns than the limit", limits.hint("columns"))  # fmt: skip
                cells += [None] * (at + 1 - len(cells))
                cells[at] = _value(cell, dates, since_1904=since_1904)
            rows.append(cells)
        yield rows


def _column(place: str | None, following: int) -> int:
    """Return the number of a cell's column, from 0.

    >>> _column("AB7", 0), _column(None, 3)
    (27, 3)
    """
    found = _PLACE.fullmatch(place or "")
    if found is None:
        return following
    number = 0
    for letter in found[1]:
        number = 26 * number + ord(letter) - 64
    return number - 1


def _value(cell: _Element, dates: frozenset[str], *, since_1904: bool) -> Cell:
    from .dates import show_date

    kind, inside, value = cell.get("t", "n"), cell.find("{*}is"), cell.find("{*}v")
    if inside is not None:
        return "".join(leaf.text or "" for leaf in inside.iter("{*}t"))
    if value is None or not value.text:
        return None
    if kind == "b":
        return value.text == "1"
    if kind != "n":
        return str(value.text)
    if cell.get("s", "0") in dates:
        return show_date(value.text, since_1904=since_1904)
    try:
        return int(value.text) if _WHOLE.fullmatch(value.text) else float(value.text)
    except ValueError:
        return str(value.text)


def _id(value: Cell) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _cell(value: object) -> Cell:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _line(cells: Sequence[Cell]) -> str:
    """Return a row as a sheet has it."""
    made = []
    for value in cells:
        if value is None or value == "":
            made.append("<c/>")
        elif isinstance(value, bool):
            made.append(f'<c t="b"><v>{int(value)}</v></c>')
        elif isinstance(value, int | float):
            made.append(f"<c><v>{value!r}</v></c>")
        else:
            text = escape(value, {"\r": "&#13;"})
            made.append(f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>')
    return f"<row>{''.join(made)}</row>"
