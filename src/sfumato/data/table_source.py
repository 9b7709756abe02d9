"""Tables opened for reading through DuckDB: files or frames as one relation of text cells, in row order.

Errors of a file are told by line and column, never by content.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import DataError, FormatError, InputError, did_you_mean
from ..core.exploration import InputFile
from .table_schema import MISSING

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

__all__ = ["ColumnFacts", "Source", "cell_text", "format_of_name", "quoted_name", "quoted_text"]

_MEMORY = "1GB"  # what DuckDB may hold at once; it spills to disk beyond that


def quoted_name(text: str) -> str:
    """Quote a column's name for SQL."""
    return '"' + text.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """Quote a string for SQL."""
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What a draft of a schema needs to know of a column: counts and whole-number ends, no value."""

    name: str
    rows: int
    distinct: int
    missing: int
    low: int | None
    high: int | None


@dataclass
class Source:
    """A table opened for reading: `sql` is a relation whose columns are all text, rows in their order."""

    sql: str
    columns: list[str]
    format: str
    connection: duckdb.DuckDBPyConnection = field(repr=False)
    paths: list[Path] = field(default_factory=list)
    delimiter: str = ","
    raw: str = ""  # the same relation with the columns' own types

    @classmethod
    def open(cls, source: Any) -> Source:
        """Open a file, several, a folder or glob of Parquet or CSV parts, or a frame.

        A reader of Arrow batches is a frame too, whose rows can be read once.
        """
        import duckdb

        if isinstance(source, Source):
            return source
        # DuckDB would spill rows into the current folder; a private one goes when the source does.
        spill = tempfile.mkdtemp(prefix="sfumato-")
        connection = duckdb.connect(config={"memory_limit": _MEMORY, "temp_directory": spill})
        weakref.finalize(connection, shutil.rmtree, spill, ignore_errors=True)
        connection.execute("SET enable_progress_bar = false")
        if isinstance(source, Mapping | str | os.PathLike) or _is_path_list(source):
            if isinstance(source, Mapping):
                import pyarrow as pa

                return cls._frame(connection, pa.table(dict(source)))
            return cls._files(connection, _paths(source))
        return cls._frame(connection, _arrow(source))

    @classmethod
    def _frame(
        cls, connection: duckdb.DuckDBPyConnection, table: pa.Table | pa.RecordBatchReader
    ) -> Source:
        connection.register("frame", table)
        columns = _checked_columns(table.schema.names, "frame")
        return cls(_as_text("frame", columns), columns, "frame", connection, raw="frame")

    @classmethod
    def _files(cls, connection: duckdb.DuckDBPyConnection, paths: list[Path]) -> Source:
        kinds = {_kind(path) for path in paths}
        if len(kinds) != 1:
            raise InputError("The files of one table must be of one format.")
        kind = kinds.pop()
        listed = "[" + ", ".join(quoted_text(str(p)) for p in paths) + "]"
        if kind == "parquet":
            import pyarrow.parquet as pq

            try:
                columns = list(pq.read_schema(paths[0]).names)
            except Exception:
                raise FormatError(
                    f"The file {paths[0].name!r} is not readable as Parquet."
                ) from None
            columns = _checked_columns(columns, paths[0].name)
            raw = f"read_parquet({listed})"
            return cls(_as_text(raw, columns), columns, kind, connection, paths, raw=raw)
        columns, delimiter = _csv_header(paths[0], kind)
        types = ", ".join(f"{quoted_text(c)}: 'VARCHAR'" for c in columns)
        relation = (
            f"(SELECT * FROM read_csv({listed}, header=true, auto_detect=false, strict_mode=true, "
            f"delim={quoted_text(delimiter)}, quote='\"', escape='\"', nullstr='', columns={{{types}}}))"
        )
        return cls(relation, columns, kind, connection, paths, delimiter, relation)

    def query(self, sql: str) -> pa.Table:
        """Run a query; an error of the file becomes one sentence without its content."""
        import duckdb

        try:
            return self.connection.sql(sql).to_arrow_table()
        except duckdb.OutOfMemoryException:
            raise DataError(
                "The table has too many distinct combinations of quasi-identifiers for the memory allowed.",
                hint="generalise a column beforehand, or mark it as an identifier.",
            ) from None
        except duckdb.Error as error:
            raise self.told(error) from None

    def batches(self, sql: str, rows: int) -> Iterator[pa.RecordBatch]:
        """Run a query and give its rows in their order, so many at a time (the last are fewer)."""
        import duckdb
        import pyarrow as pa

        held, size = [], 0
        try:
            for batch in self.connection.sql(sql).to_arrow_reader(rows):
                held.append(batch)
                size += batch.num_rows
                while size >= rows:
                    table = pa.Table.from_batches(held)
                    yield _one_batch(table.slice(0, rows))
                    held, size = table.slice(rows).to_batches(), size - rows
        except (duckdb.Error, pa.ArrowException) as error:
            raise self.told(error) from None
        if size:
            yield _one_batch(pa.Table.from_batches(held))

    def execute(self, sql: str) -> None:
        """Run a statement that gives nothing back; errors are told as those of a query are."""
        import duckdb

        try:
            self.connection.execute(sql)
        except duckdb.Error as error:
            raise self.told(error) from None

    def told(self, error: Exception) -> FormatError:
        """Say what is wrong with the file, by its line, without quoting it."""
        message = str(error)
        line = re.search(r"CSV Error on Line: (\d+)", message)
        name = self.paths[0].name if len(self.paths) == 1 else f"{len(self.paths)} files"
        where = f" at line {line.group(1)}" if line else ""
        if "utf-8" in message.lower() or "unicode" in message.lower():
            return FormatError(
                f"The file {name!r} is not UTF-8 text{where}.", hint="convert it to UTF-8 first."
            )
        if "Number of Columns" in message:
            return FormatError(f"The file {name!r} has a row of another length{where}.")
        return FormatError(f"The file {name!r} cannot be read as {self.format}{where}.")

    def require(self, names: Sequence[str]) -> None:
        """Say which column is missing."""
        for name in names:
            if name not in self.columns:
                raise DataError(
                    f"The table has no column {name!r}.", hint=did_you_mean(name, self.columns)
                )

    def column_facts(self) -> list[ColumnFacts]:
        """Count what a draft of a schema needs."""
        parts = ["count(*)"]
        for column in self.columns:
            cell = cell_text(column)
            whole = f"TRY_CAST({cell} AS BIGINT)"
            every = f"count({cell}) = count(CASE WHEN regexp_full_match({cell}, '-?[0-9]{{1,9}}') THEN 1 END)"
            zero_led = f"count(CASE WHEN regexp_full_match({cell}, '0[0-9]+') THEN 1 END) = 0"
            parts += [f"count(DISTINCT {cell})", f"count(*) - count({cell})"]
            parts += [
                f"CASE WHEN {every} AND {zero_led} THEN {end}({whole}) END"
                for end in ("min", "max")
            ]
        row = [
            column[0].as_py()
            for column in self.query(f"SELECT {', '.join(parts)} FROM {self.sql}").columns
        ]
        rows, rest = row[0], row[1:]
        if rows == 0:
            raise DataError("The table holds no rows.")
        return [
            ColumnFacts(name, rows, *rest[4 * i : 4 * i + 4]) for i, name in enumerate(self.columns)
        ]

    def described(self, rows: int) -> list[InputFile]:
        """Give name and hash of the files read."""
        return [InputFile.of(p, rows if len(self.paths) == 1 else 0) for p in self.paths]


def _one_batch(table: pa.Table) -> pa.RecordBatch:
    return table.combine_chunks().to_batches()[0]


def cell_text(column: str, *, is_range: bool = False) -> str:
    """Give the SQL that normalises a cell: trimmed text, NULL where missing ('' or '?').

    In a range of whole numbers '039' and '39.0' are 39, as an integer column stored as floats has it.
    """
    trimmed = f"nullif(nullif(trim({quoted_name(column)}), ''), {quoted_text(MISSING)})"
    if not is_range:
        return trimmed
    number = f"TRY_CAST({trimmed} AS DOUBLE)"
    whole = f"CAST(CAST({number} AS BIGINT) AS VARCHAR)"
    return f"CASE WHEN abs({number}) < 1e15 AND {number} = round({number}) THEN {whole} ELSE {trimmed} END"


# --- opening files -------------------------------------------------------------------------------


def _is_path_list(source: Any) -> bool:
    return isinstance(source, list | tuple) and all(
        isinstance(p, str | os.PathLike) for p in source
    )


def _paths(source: Any) -> list[Path]:
    given = [Path(source)] if isinstance(source, str | os.PathLike) else [Path(p) for p in source]
    paths: list[Path] = []
    for path in given:
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.is_file() and format_of_name(p))
            if not inside:
                raise InputError(f"The folder {path.name!r} holds no CSV, TSV or Parquet file.")
            paths += inside
        elif "*" in path.name and not path.exists():
            found = sorted(path.parent.glob(path.name))
            if not found:
                raise InputError(f"No file fits {path.name!r}.")
            paths += found
        elif not path.exists():
            raise InputError(f"There is no file {path.name!r}.", hint="check the path.")
        else:
            paths.append(path)
    if not paths:
        raise InputError("No file was given to read a table from.")
    return paths


def format_of_name(path: Path) -> str | None:
    """Tell the format of a table by its file's name; None where the name says nothing."""
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    return {
        ".csv": "csv",
        ".txt": "csv",
        ".tsv": "tsv",
        ".tab": "tsv",
        ".parquet": "parquet",
        ".pq": "parquet",
    }.get(suffix)


def _kind(path: Path) -> str:
    kind = format_of_name(path)
    if kind is None:
        raise InputError(
            f"The file {path.name!r} is not named as a table.",
            hint="use .csv, .tsv or .parquet (.gz too).",
        )
    return kind


def _csv_header(path: Path, kind: str) -> tuple[list[str], str]:
    import csv
    import gzip

    opener = gzip.open if path.name.endswith(".gz") else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as stream:
            start = stream.read(1 << 20)
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError):
        raise FormatError(
            f"The file {path.name!r} is not UTF-8 text.", hint="convert it to UTF-8 first."
        ) from None
    if not start.strip():
        raise DataError(f"The file {path.name!r} is empty.")
    line = start.split("\n", 1)[0]
    delimiter = "\t" if kind == "tsv" else max(",;\t|", key=line.count)
    header = next(csv.reader(start.splitlines(), delimiter=delimiter))
    return _checked_columns([h.strip() for h in header], path.name), delimiter


def _checked_columns(columns: Sequence[str], name: str) -> list[str]:
    folded = [c.casefold() for c in columns]
    for i, column in enumerate(columns):
        if not column:
            raise FormatError(f"Column {i + 1} of {name!r} has no name.")
        if folded.index(folded[i]) != i:
            raise FormatError(
                f"The column {column!r} of {name!r} stands twice (upper and lower case alike)."
            )
    return list(columns)


def _as_text(relation: str, columns: Sequence[str]) -> str:
    listed = ", ".join(f"CAST({quoted_name(c)} AS VARCHAR) AS {quoted_name(c)}" for c in columns)
    return f"(SELECT {listed} FROM {relation})"


def _arrow(frame: Any) -> pa.Table | pa.RecordBatchReader:
    import narwhals as nw
    import pyarrow as pa

    if isinstance(frame, pa.Table | pa.RecordBatchReader):
        return frame
    try:
        return nw.from_native(frame, eager_only=True).to_arrow()
    except TypeError:
        raise InputError(
            f"A table cannot be read from a {type(frame).__name__}.",
            hint="give a path, or a pandas, polars or Arrow frame.",
        ) from None
