"""Tables of other programs, read whole: SPSS, Stata, SAS, Excel, and tables of a DuckDB database.

SPSS and Stata files are written, too (see `value_labels`); a release of the others is CSV or Parquet.
"""

from __future__ import annotations

import importlib
import os
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ..core.errors import DataError, FormatError, InputError
from .database import quote_name
from .limits import Limits
from .value_labels import ColumnLabels, TableLabels

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SUFFIXES", "TABLE_OF", "read_statistics", "split_database"]

TABLE_OF = "::"  # between a database file and the name of a table in it
SUFFIXES = {
    ".sav": "spss",
    ".zsav": "spss",
    ".dta": "stata",
    ".sas7bdat": "sas",
    ".xpt": "sas",
    ".xlsx": "excel",
    ".duckdb": "duckdb",
}
_BLOCK = 1 << 20
_TAGS_OF_A_CELL = 4  # the cell and its value, each opened and closed
_NAMES = {"spss": "SPSS", "stata": "Stata", "sas": "SAS", "excel": "Excel", "duckdb": "DuckDB"}
_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}


def split_database(source: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """Split `people.duckdb::visits` into the file and the table; other paths name no table.

    >>> split_database("data/people.duckdb::visits")
    (PosixPath('data/people.duckdb'), 'visits')
    """
    path = Path(source)
    base, mark, table = path.name.partition(TABLE_OF)
    if mark and Path(base).suffix.lower() in SUFFIXES:
        return path.with_name(base), table
    return path, None


def read_statistics(path: Path, table: str | None, limits: Limits) -> tuple[pa.Table, TableLabels]:
    """Read a file of another program, and its metadata of columns.

    Parameters
    ----------
    path : Path
        The file; its name says what it is.
    table : str, optional
        The sheet of a workbook, or the table of a database; the only or first one by default.
    limits : Limits
        How large it may be.

    """
    kind = SUFFIXES[path.suffix.lower()]
    try:
        if kind == "excel":
            return _excel(path, table, limits), {}
        if kind == "duckdb":
            return _duckdb(path, table), {}
        return _pyreadstat(path, limits)
    except (DataError, InputError, FormatError):
        raise
    except Exception:  # each library has its own errors, which may quote the file
        raise FormatError(f"The file {path.name!r} is not readable as {_NAMES[kind]}.") from None


def _module(name: str, path: Path) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"The file {path.name!r} needs the package {name!r}.",
            hint="install sfumato[files].",
        ) from None


def _pyreadstat(path: Path, limits: Limits) -> tuple[pa.Table, TableLabels]:
    import pyarrow as pa

    _module("pandas", path)  # pyreadstat makes frames of it, and does not ask for it from 1.3 on
    reader = getattr(_module("pyreadstat", path), _READERS[path.suffix.lower()])
    _, about = reader(str(path), metadataonly=True)
    rows, columns = about.number_rows or 0, len(about.column_names)
    if rows * columns > limits.cells:
        raise limits.error(f"The number of cells of {path.name!r}", "cells")
    frame, about = reader(str(path))
    cells = {str(name): frame[name].tolist() for name in frame.columns}
    labels = {
        name: ColumnLabels(
            about.column_names_to_labels.get(name) or None,
            {_text(c) or "": t for c, t in about.variable_value_labels.get(name, {}).items()},
            _kind(column),
        )
        for name, column in cells.items()
    }
    return pa.table({name: _column(column) for name, column in cells.items()}), labels


def _kind(cells: Sequence[object]) -> str:
    """Return what the cells of a column are: numbers, dates or text."""
    known = [c for c in cells if c is not None and c == c]  # noqa: PLR0124 (not a number)
    if known and all(isinstance(c, int | float) for c in known):
        return "number"
    if known and all(isinstance(c, date) and not isinstance(c, datetime) for c in known):
        return "date"
    return "text"


def _excel(path: Path, sheet: str | None, limits: Limits) -> pa.Table:
    import pyarrow as pa

    _check_workbook(path, limits)
    book = _module("openpyxl", path).load_workbook(path, read_only=True, data_only=True)
    try:
        if sheet is not None and sheet not in book.sheetnames:
            raise InputError(f"The workbook {path.name!r} has no sheet of that name.")
        page = book[sheet] if sheet is not None else book.worksheets[0]
        page.reset_dimensions()  # what a sheet says of its size is not asked: rows are filled up to it
        rows = _limit_cells(page.iter_rows(values_only=True), path, limits)
        header = next(rows, ())
        while header and header[-1] is None:
            header = header[:-1]
        if not header or any(name is None for name in header):
            raise FormatError(
                f"The first row of {path.name!r} does not name every column.",
                hint="the table must begin in cell A1, with the names of the columns.",
            )
        cells = list(_rows(rows, len(header), path))
    finally:
        book.close()
    columns = zip(*cells, strict=True) if cells else ((),) * len(header)
    return pa.table(
        [_column(column) for column in columns], names=[str(name).strip() for name in header]
    )


def _check_workbook(path: Path, limits: Limits) -> None:
    """Refuse a workbook that grows beyond the limits when it is read."""
    packed = path.stat().st_size
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        limits.check_expansion(path.name, packed, sum(entry.file_size for entry in entries))
        tags = 0
        for entry in entries:
            with archive.open(entry) as stream:
                while block := stream.read(_BLOCK):
                    tags += block.count(b"<")
                    limits.check_cells(path.name, packed, tags // _TAGS_OF_A_CELL)


def _limit_cells(
    rows: Iterator[Sequence[object]], path: Path, limits: Limits
) -> Iterator[Sequence[object]]:
    """Yield the rows of a sheet as long as they hold no more cells than the file can."""
    packed, cells = path.stat().st_size, 0
    for row in rows:
        cells += max(1, len(row))  # rows that are not in the file come out empty
        limits.check_cells(path.name, packed, cells)
        yield row


def _rows(rows: Iterator[Sequence[object]], width: int, path: Path) -> Iterator[Sequence[object]]:
    """Yield the rows of a sheet, without empty ones at its end, all of the header's width."""
    empty = 0
    for number, row in enumerate(rows, 2):
        if all(cell is None for cell in row):
            empty += 1
            continue
        if any(cell is not None for cell in row[width:]):
            raise FormatError(
                f"Row {number:,} of {path.name!r} is longer than the first row.",
                hint="the first row must name the columns, from cell A1: remove titles and merged cells above it.",
            )
        if empty:
            raise FormatError(f"Row {number - 1:,} of {path.name!r} is empty.")
        yield (*row[:width], *[None] * (width - len(row)))


def _duckdb(path: Path, table: str | None) -> pa.Table:
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        "autoload_known_extensions": False,
        "autoinstall_known_extensions": False,
        "enable_external_access": False,
    }
    with duckdb.connect(str(path), read_only=True, config=config) as connection:
        names = [
            row[0]
            for row in connection.execute(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY 1"
            ).fetchall()
        ]
        if table is None and len(names) == 1:
            table = names[0]
        if table is None or table not in names:
            raise InputError(
                f"The database {path.name!r} holds {len(names):,} tables, and the one to read is not among them."
                if table is not None
                else f"The database {path.name!r} holds {len(names):,} tables.",
                hint=f"name one: {path.name}{TABLE_OF}TABLE.",
            )
        return connection.sql(f"SELECT * FROM {quote_name(table)}").to_arrow_table()  # noqa: S608 (quoted)


def _column(cells: Sequence[object]) -> pa.Array:
    """Return cells as text: whole numbers without a point, dates as ISO 8601, nothing where they are missing."""
    import pyarrow as pa

    return pa.array([_text(cell) for cell in cells], type=pa.string())


def _text(cell: object) -> str | None:
    if cell is None or cell != cell:  # noqa: PLR0124 (not a number)
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, datetime):
        midnight = (cell.hour, cell.minute, cell.second, cell.microsecond) == (0, 0, 0, 0)
        return cell.date().isoformat() if midnight else cell.isoformat(sep=" ")
    if isinstance(cell, date):
        return cell.isoformat()
    return str(cell)
