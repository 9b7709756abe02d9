"""Tables opened for reading through DuckDB: files or frames as one relation of text cells, in row order.

Errors of a file are reported by line and column number, never by content: the first line of a file without a
header is a person.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import DataError, FormatError, InputError
from ..core.files import ReadFiles
from ..core.records import InputFile
from .attributes import cell_text, name_codes
from .database import Database, disk_error, quote_name, quote_text
from .limits import Limits, current_limits
from .statistics_files import SUFFIXES, read_statistics, split_database
from .table_facts import ColumnFacts, column_facts
from .table_files import (
    WRITTEN,
    FileLayout,
    check_columns,
    csv_layouts,
    format_of_name,
    kind_of,
    parquet_columns,
    table_paths,
)
from .value_labels import TableLabels

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    Paths = list[str | os.PathLike[str]] | tuple[str | os.PathLike[str], ...]
    import duckdb
    import pyarrow as pa

__all__ = ["ColumnFacts", "TableSource", "cell_text", "format_of_name", "quote_name", "quote_text"]

_UNNAMED_INDEX = re.compile(r"__index_level_\d+__")  # what a pandas index without a name becomes


_LEFT_OUT = "sfumato_rows_left_out"
_NEAR = 0.8  # similarity from which a column may be the one that the schema names


@dataclass
class TableSource:
    """A table opened for reading: `sql` is a relation whose columns are all text, rows in their order.

    `layouts` are the runs of CSV files that order their columns alike.
    """

    sql: str
    columns: list[str]
    format: str
    database: Database = field(repr=False)
    paths: list[Path] = field(default_factory=list)
    delimiter: str = ","
    raw: str = ""  # the same relation with the columns' own types
    layouts: list[FileLayout] = field(default_factory=list)
    read: ReadFiles = field(default_factory=ReadFiles, repr=False)
    labels: TableLabels = field(default_factory=dict, repr=False)  # of a file of another program

    @classmethod
    def open(
        cls, source: object, *, limits: Limits | None = None, threads: int | None = None
    ) -> TableSource:
        """Open a file, several, a folder or glob of Parquet or CSV parts, or a frame.

        A reader of Arrow batches is a frame too, whose rows can be read once.

        Parameters
        ----------
        source : path, list of paths, mapping, frame or Source
            What to read.
        limits : Limits, optional
            How large the files may be.
        threads : int, optional
            The number of threads; all cores by default.

        """
        if isinstance(source, TableSource):
            return source
        limits = limits or current_limits()
        if isinstance(source, Mapping | str | os.PathLike) or _is_path_list(source):
            if isinstance(source, Mapping):
                import pyarrow as pa

                return cls._frame(pa.table(dict(source)), limits, threads)
            if isinstance(source, str | os.PathLike):
                path, table = split_database(source)
                if path.is_file() and path.suffix.lower() in SUFFIXES:
                    return cls._statistics(path, table, limits, threads)
            return cls._files(table_paths(source), limits, threads)
        return cls._frame(_arrow(source), limits, threads)

    @classmethod
    def _frame(
        cls, table: pa.Table | pa.RecordBatchReader, limits: Limits, threads: int | None
    ) -> TableSource:
        columns = check_columns(table.schema.names, "frame", limits)
        database = Database(threads=threads)
        database.connection.register("frame", table)
        return cls(_as_text("frame", columns), columns, "frame", database, raw="frame")

    @classmethod
    def _statistics(
        cls, path: Path, table: str | None, limits: Limits, threads: int | None
    ) -> TableSource:
        """Open a file of another program, which is read whole."""
        before = ReadFiles([path])
        frame, labels = read_statistics(path, table, limits)
        opened = cls._frame(frame, limits, threads)
        opened.format, opened.paths, opened.read = SUFFIXES[path.suffix.lower()], [path], before
        opened.labels = labels
        return opened

    @classmethod
    def _files(cls, paths: list[Path], limits: Limits, threads: int | None) -> TableSource:
        kinds = {kind_of(path) for path in paths}
        if len(kinds) != 1:
            raise InputError("The files of one table must be of one format.")
        kind = kinds.pop()
        if kind not in WRITTEN:
            raise InputError("A file of another program is read on its own, not with other files.")
        before = ReadFiles(paths)
        if kind == "parquet":
            columns = parquet_columns(paths, limits)
            database = Database(paths, threads=threads)
            raw = f"read_parquet({database.links_sql(0, len(paths))}, hive_partitioning=false)"
            return cls(_as_text(raw, columns), columns, kind, database, paths, raw=raw, read=before)
        layouts, delimiter = csv_layouts(paths, kind, limits)
        columns = layouts[0].columns
        database = Database(paths, threads=threads)
        selected, first = [], 0
        for layout in layouts:
            last = first + len(layout.paths)
            listed = ", ".join(map(quote_name, columns)) if len(layouts) > 1 else "*"
            types = ", ".join(f"{quote_text(c)}: 'VARCHAR'" for c in layout.columns)
            selected.append(
                f"SELECT {listed} FROM read_csv({database.links_sql(first, last)}, header=true, "
                f"auto_detect=false, strict_mode=true, hive_partitioning=false, "
                f"compression={quote_text('gzip' if layout.packed else 'none')}, "
                f"delim={quote_text(delimiter)}, quote='\"', escape='\"', nullstr='', columns={{{types}}})"
            )
            first = last
        relation = f"({' UNION ALL '.join(selected)})"
        return cls(relation, columns, kind, database, paths, delimiter, relation, layouts, before)

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        return self.database.connection

    def query(self, sql: str) -> pa.Table:
        """Run a query; an error of the file becomes one sentence without its content."""
        import duckdb

        try:
            return self.connection.sql(sql).to_arrow_table()
        except duckdb.OutOfMemoryException as error:
            if (disk := disk_error(error)) is not None:
                raise disk from None
            raise DataError(
                "The table has too many distinct combinations of quasi-identifiers for the memory allowed.",
                hint="generalise a column beforehand, or mark it as an identifier.",
            ) from None
        except duckdb.Error as error:
            raise self.as_format_error(error) from None

    def batches(self, sql: str, rows: int) -> Iterator[pa.RecordBatch]:
        """Run a query and yield its rows in their order, this many at a time (the last are fewer)."""
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
            raise self.as_format_error(error) from None
        if size:
            yield _one_batch(pa.Table.from_batches(held))

    def without_rows(self, places: pa.Array) -> TableSource:
        """Return the same table without some rows, given by their numbers from 1."""
        import pyarrow as pa

        self.connection.register(_LEFT_OUT, pa.table({"place": places}))
        number = quote_name("sfumato place")

        def kept(relation: str) -> str:
            rows = f"SELECT *, row_number() OVER () AS {number} FROM {relation}"
            chosen = f"SELECT * FROM ({rows}) WHERE {number} NOT IN (SELECT place FROM {_LEFT_OUT})"
            return f"(SELECT * EXCLUDE ({number}) FROM ({chosen} ORDER BY {number}))"

        return replace(self, sql=kept(self.sql), raw=kept(self.raw))

    def with_names(self, columns: Sequence[str]) -> TableSource:
        """Return the same table with the codes of some columns replaced by what the file calls them."""
        named = [c for c in columns if c in self.labels and self.labels[c].codes]
        if not named:
            return self
        shown = ", ".join(
            f"{name_codes(f'CAST({quote_name(c)} AS VARCHAR)', self.labels[c].codes)} AS {quote_name(c)}"
            for c in named
        )

        def replaced(relation: str) -> str:
            return f"(SELECT * REPLACE ({shown}) FROM {relation})"

        return replace(self, sql=replaced(self.sql), raw=replaced(self.raw))

    def execute(self, sql: str) -> None:
        """Run a statement that returns nothing; errors are reported as those of a query are."""
        import duckdb

        try:
            self.connection.execute(sql)
        except duckdb.Error as error:
            raise self.as_format_error(error) from None

    def write_csv(self, sql: str, path: Path, *, delimiter: str) -> None:
        """Write the rows of a query as CSV, compressed when the name ends in .gz."""
        import duckdb

        try:
            self.database.write_csv(sql, path, delimiter=delimiter)
        except duckdb.Error as error:
            raise self.as_format_error(error) from None

    def as_format_error(self, error: Exception) -> FormatError | OSError:
        """Return what is wrong with the file, by its line, without quoting it; or with the disk."""
        if (disk := disk_error(error)) is not None:
            return disk
        message = str(error)
        line = re.search(r"CSV Error on Line: (\d+)", message)
        name = self.paths[0].name if len(self.paths) == 1 else f"{len(self.paths)} files"
        where = f" at line {line.group(1)}" if line else ""
        if "utf-8" in message.lower() or "unicode" in message.lower():
            return FormatError(
                f"The file {name!r} is not UTF-8 text{where}.",
                hint="convert it: iconv -f CP1252 -t UTF-8 (or LATIN1).",
            )
        if "Number of Columns" in message:
            return FormatError(f"The file {name!r} has a row of another length{where}.")
        return FormatError(f"The file {name!r} cannot be read as {self.format}{where}.")

    def require(self, names: Sequence[str]) -> None:
        """Refuse a table that lacks one of the columns; its own are not named, unless one is nearly the same."""
        for name in names:
            if name not in self.columns:
                alike = [c for c in self.columns if _bare(c) == _bare(name)]
                near = alike or get_close_matches(name, self.columns, n=1, cutoff=_NEAR)
                many = "1 column" if len(self.columns) == 1 else f"{len(self.columns):,} columns"
                named = (
                    "; the first line of a CSV file must name them"
                    if self.format in {"csv", "tsv"}
                    else ""
                )
                where = f"The table {self.paths[0].name!r}" if self.paths else "The table"
                raise DataError(
                    f"{where} has no column {name!r}.",
                    hint=f"did you mean {near[0]!r}?" if near else f"it has {many}{named}.",
                )

    def undeclared(self, names: Collection[str], *, keep: bool, drop: bool) -> list[str]:
        """Return the columns that a schema does not name, or refuse them; they are named by their position.

        Parameters
        ----------
        names : collection of str
            The columns that the schema names.
        keep, drop : bool
            Whether the steward decided to publish such columns, or to leave them out.

        """
        places = [i for i, column in enumerate(self.columns) if column not in names]
        if places and not keep and not drop:
            listed = ", ".join(f"{i + 1:,}" for i in places[:10])
            more = f" and {len(places) - 10:,} more" if len(places) > 10 else ""
            many = "1 column" if len(places) == 1 else f"{len(places):,} columns"
            raise DataError(
                f"The table has {many} that the schema does not name (number {listed}{more}).",
                hint='give each a role, write undeclared = "drop" into the schema to leave them out, or '
                "publish them as they are with --keep-undeclared, which is recorded.",
            )
        return [self.columns[i] for i in places]

    def check_header(self) -> None:
        """Refuse a file whose first line looks like a row: a number, or a value of its column."""
        if self.format not in {"csv", "tsv"}:
            return
        places = [i for i, name in enumerate(self.columns) if _is_number(name)]
        if not places:
            held = self.query(
                f"SELECT DISTINCT name FROM {self.cells_sql()} WHERE {cell_text('cell')} = name"
            )
            names = set(held.column("name").to_pylist())
            places = [i for i, name in enumerate(self.columns) if name in names]
        if places:
            raise FormatError(
                f"The first line of {self.paths[0].name!r} looks like a row of data, not like names "
                f"of columns (cell {places[0] + 1} is a number, or is also a value of its column).",
                hint="put a line with the names of the columns first.",
            )

    def column_facts(self) -> list[ColumnFacts]:
        """Count what a draft of a schema needs."""
        return column_facts(self)

    def cells_sql(self) -> str:
        """Return the SQL of all cells that are not empty, each with the name of its column."""
        return f"(UNPIVOT {self.sql} ON COLUMNS(*) INTO NAME name VALUE cell)"

    def input_files(self, rows: int) -> list[InputFile]:
        """Return name and hash of the files read; each file is hashed once."""
        many = rows if len(self.paths) == 1 else 0
        return [
            InputFile(path=path.name, sha256=sha256, rows=many)
            for path, sha256 in zip(self.paths, self.read.hashes(), strict=True)
        ]


def _one_batch(table: pa.Table) -> pa.RecordBatch:
    return table.combine_chunks().to_batches()[0]


def _is_path_list(source: object) -> TypeIs[Paths]:
    return isinstance(source, list | tuple) and all(
        isinstance(p, str | os.PathLike) for p in source
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _as_text(relation: str, columns: Sequence[str]) -> str:
    listed = ", ".join(f"CAST({quote_name(c)} AS VARCHAR) AS {quote_name(c)}" for c in columns)
    return f"(SELECT {listed} FROM {relation})"


def _arrow(frame: Any) -> pa.Table | pa.RecordBatchReader:
    import narwhals as nw
    import pyarrow as pa

    if isinstance(frame, pa.Table | pa.RecordBatchReader):
        return frame
    try:
        table = nw.from_native(frame, eager_only=True).to_arrow()
        unnamed = [n for n in table.column_names if _UNNAMED_INDEX.fullmatch(n)]
        return table.drop_columns(unnamed)
    except nw.exceptions.DuplicateError:
        raise DataError(
            "Two columns of the frame have the same name.", hint="rename one of them."
        ) from None
    except pa.ArrowException:  # which quotes the cell
        raise DataError(
            "A column of the frame holds cells of several types.",
            hint="make it text first: frame[column].astype(str).",
        ) from None
    except TypeError:
        raise InputError(
            f"A table cannot be read from an object of the type {type(frame).__name__}.",
            hint="give a path, or a pandas, polars or Arrow frame.",
        ) from None


def _bare(name: str) -> str:
    """Return a name without accents and in lower case."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(c for c in letters if not unicodedata.combining(c))
