"""The files of a table before a database sees them: which they are, what their headers name, how far they grow."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import DataError, FormatError, InputError
from ..core.files import check_plain_file
from .limits import Limits
from .sources import check_growth, is_gzip, open_bytes
from .statistics_files import SUFFIXES

__all__ = [
    "WRITTEN",
    "FileLayout",
    "check_columns",
    "csv_layouts",
    "delimiter_of",
    "format_of_name",
    "kind_of",
    "parquet_columns",
    "table_paths",
]

WRITTEN = ("csv", "tsv", "parquet")  # formats that a release can have
_QUOTED = re.compile(r'"[^"]*"')
_DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class FileLayout:
    """Files that are concatenated, name their columns in one order and are packed alike."""

    columns: list[str]
    paths: list[Path]
    packed: bool


def table_paths(source: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """List the files that a source names: itself, a folder's, or those that fit a pattern."""
    given = [Path(source)] if isinstance(source, str | os.PathLike) else [Path(p) for p in source]
    paths: list[Path] = []
    for path in given:
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.name[0] not in "._" and p.is_file()
                            and format_of_name(p) in WRITTEN)  # fmt: skip
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
    for path in paths:
        check_plain_file(path)
    return paths


def format_of_name(path: Path) -> str | None:
    """Return the format of a table by its file's name; None where the name says nothing."""
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    return {
        ".csv": "csv",
        ".txt": "csv",
        ".tsv": "tsv",
        ".tab": "tsv",
        ".parquet": "parquet",
        ".pq": "parquet",
        **SUFFIXES,
    }.get(suffix)


def kind_of(path: Path) -> str:
    """Return the format of a table by its file's name, or refuse it."""
    kind = format_of_name(path)
    if kind is None:
        raise InputError(
            f"The file {path.name!r} is not named as a table.",
            hint="use .csv, .tsv or .parquet (.gz too), or a file of SPSS, Stata, SAS, Excel or DuckDB.",
        )
    return kind


# --- CSV -----------------------------------------------------------------------------------------


def csv_layouts(paths: Sequence[Path], kind: str, limits: Limits) -> tuple[list[FileLayout], str]:
    """Read the header of every file: all must name the same columns, in whatever order."""
    layouts: list[FileLayout] = []
    common: str | None = None
    for path in paths:
        columns, delimiter = _header(path, kind, limits)
        packed = is_gzip(path)
        check_growth(path, limits)
        if common is None:
            common = delimiter
        elif delimiter != common or set(columns) != set(layouts[0].columns):
            raise FormatError(
                f"The first line of {path.name!r} does not name the columns of {paths[0].name!r}.",
                hint="each part of a table needs the same columns in its first line; their order is free.",
            )
        last = layouts[-1] if layouts else None
        if last is not None and (last.columns, last.packed) == (columns, packed):
            last.paths.append(path)
        else:
            layouts.append(FileLayout(columns, [path], packed))
    assert common is not None
    return layouts, common


def delimiter_of(line: str) -> str:
    """Return the delimiter that a header most likely has: the most frequent one outside quotes.

    >>> delimiter_of('"a|b|c",d')
    ','
    """
    return max(_DELIMITERS, key=_QUOTED.sub("", line).count)


def _header(path: Path, kind: str, limits: Limits) -> tuple[list[str], str]:
    try:
        with io.TextIOWrapper(open_bytes(path, limits), "utf-8", newline="") as stream:
            first = stream.readline(limits.record_bytes)
            if not first:
                raise DataError(f"The file {path.name!r} is empty.")
            if not first.strip():
                raise FormatError(f"The first line of {path.name!r} is blank.",
                                  hint="the first line must name the columns.")  # fmt: skip
            delimiter = "\t" if kind == "tsv" else delimiter_of(first)
            # One line: what a database takes for the rest of a longer header would be a row.
            header = next(csv.reader([first], delimiter=delimiter, strict=True))
    except UnicodeDecodeError:
        raise FormatError(
            f"The file {path.name!r} is not UTF-8 text.",
            hint="convert it: iconv -f CP1252 -t UTF-8 (or LATIN1).",
        ) from None
    except (csv.Error, StopIteration):
        raise FormatError(
            f"The first line of {path.name!r} is not readable as CSV.",
            hint="it must name the columns, and no name may run over two lines.",
        ) from None
    return check_columns([h.strip() for h in header], path.name, limits), delimiter


def check_columns(columns: Sequence[str], name: str, limits: Limits) -> list[str]:
    """Refuse columns that are too many, nameless or named alike; they are named by their position."""
    if len(columns) > limits.columns:
        raise limits.error(f"The number of columns of {name!r}", "columns")
    first: dict[str, int] = {}
    for i, column in enumerate(columns):
        if not column:
            raise FormatError(f"Column {i + 1} of {name!r} has no name.")
        if (before := first.setdefault(column.casefold(), i)) != i:
            raise FormatError(
                f"Columns {before + 1} and {i + 1} of {name!r} have the same name (upper and lower "
                "case alike).",
                hint="rename one of them.",
            )
    return list(columns)


# --- Parquet -------------------------------------------------------------------------------------


def parquet_columns(paths: Sequence[Path], limits: Limits) -> list[str]:
    """Read the columns of Parquet files from their footers, within the limits; all must be alike."""
    import pyarrow.parquet as pq

    columns: list[str] = []
    for path in paths:
        try:
            with pq.ParquetFile(path) as file:
                names, meta = list(file.schema_arrow.names), file.metadata
                unpacked = sum(
                    meta.row_group(g).total_byte_size for g in range(meta.num_row_groups)
                )
                cells = meta.num_rows * meta.num_columns
        except Exception:
            raise FormatError(f"The file {path.name!r} is not readable as Parquet.") from None
        found = check_columns(names, path.name, limits)
        if cells > limits.cells:
            raise limits.error(f"The number of cells of {path.name!r}", "cells")
        limits.check_expansion(path.name, path.stat().st_size, unpacked)
        if columns and set(columns) != set(found):
            raise FormatError(
                f"The columns of {path.name!r} are not those of {paths[0].name!r}.",
                hint="each part of a table needs the same columns; their order is free.",
            )
        columns = columns or found
    return columns
