"""Event logs: one line per event (who, which item, how many), read into baskets and written back.

A log is CSV, TSV, Parquet or JSON lines. The rows of the matrix are people where a column names them, else
baskets; an item counts once it was seen in at least the least quantity. A published log has the same
format and two columns, the unit (numbered again) and the item: dates, quantities and all other columns are
left out, because no promise covers them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ..core.errors import DataError, FormatError, ParameterError
from ..core.files import check_is_file, whole_file
from .baskets import Baskets
from .database import quote_name
from .limits import current_limits
from .sources import lines_of, open_bytes
from .table_files import csv_layouts, format_of_name
from .table_source import TableSource

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LogColumns", "is_log_name", "log_columns", "read_log", "write_log"]

_JSON = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


@dataclass(frozen=True)
class LogColumns:
    """Which columns of a log say what.

    Parameters
    ----------
    item : str
        The column of the item.
    unit : str
        The column whose values become rows: the person, or the basket where people are not known.
    quantity : str, optional
        The column of the quantity; each line counts one without it.
    min_quantity : float
        The total from which an item counts as held.

    """

    item: str
    unit: str
    quantity: str | None = None
    min_quantity: float = 1.0

    @property
    def names(self) -> list[str]:
        return [name for name in (self.unit, self.item, self.quantity) if name is not None]


def is_log_name(path: Path) -> bool:
    """Return whether a log can be written under the name of a file."""
    return _is_json(path) or format_of_name(path) in {"csv", "tsv", "parquet"}


def _is_json(path: Path) -> bool:
    return path.name.lower().endswith(_JSON)


def read_log(path: Path, columns: LogColumns) -> Baskets:
    """Read a log into baskets, one row per unit in the order of the units' first event.

    Parameters
    ----------
    path : Path
        The file.
    columns : LogColumns
        Which columns say what.

    """
    check_is_file(path)
    source = (
        TableSource.open(_json_table(path, columns)) if _is_json(path) else TableSource.open(path)
    )
    source.require(columns.names)
    found = _totals(source, columns)
    units, items = found.column("unit"), found.column("item")
    if units.null_count or items.null_count:
        raise DataError(
            f"{units.null_count + items.null_count:,} events have no {columns.unit!r} or no "
            f"{columns.item!r}.",
            hint="leave those lines out.",
        )
    if len(found) == 0:
        raise DataError(
            "The log holds no events.",
            hint="check the minimum quantity (--log quantity=COLUMN:MIN).",
        )
    unit_codes, unit_names = _encode(units)
    item_codes, item_names = _encode(items)
    matrix = sp.csr_matrix(
        (np.ones(len(unit_codes), dtype=np.uint8), (unit_codes, item_codes)),
        shape=(len(unit_names), len(item_names)),
    )
    matrix.sum_duplicates()
    matrix.data[:] = 1
    units = np.array(unit_names, dtype=object)
    return Baskets(matrix, tuple(item_names), None, "log", None, (path,), units=units)


def _totals(source: TableSource, columns: LogColumns) -> pa.Table:
    """Return the pairs of unit and item whose total quantity reaches the least one."""
    unit, item = quote_name(columns.unit), quote_name(columns.item)
    total = "count(*)"
    if columns.quantity is not None:
        number = f"TRY_CAST({quote_name(columns.quantity)} AS DOUBLE)"
        bad = source.query(
            f"SELECT count(*) AS n FROM {source.sql} WHERE {number} IS NULL OR NOT isfinite({number})"
        )
        wrong = int(bad.column("n")[0].as_py())
        if wrong:
            raise DataError(
                f"{wrong:,} events have a {columns.quantity!r} that is not a number.",
                hint="write decimals with a point and leave lines without a number out, or do not name a column "
                "of quantities.",
            )
        total = f"sum({number})"
    return source.query(
        f"SELECT {unit} AS unit, {item} AS item FROM {source.sql} GROUP BY {unit}, {item} "
        f"HAVING {total} >= {float(columns.min_quantity)!r} ORDER BY {unit}, {item}"
    )


def _encode(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int32], list[str]]:
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy(), [str(v) for v in encoded.dictionary.to_pylist()]


def _json_table(path: Path, columns: LogColumns) -> dict[str, list[str]]:
    """Read the named fields of JSON lines as text."""
    found: dict[str, list[str]] = {name: [] for name in columns.names}
    limits = current_limits()
    with open_bytes(path, limits) as stream:
        for number, line in enumerate(lines_of(stream, limits), start=1):
            if line is None:
                raise FormatError(f"Line {number:,} of {path.name!r} is too long.")
            if not line.strip():
                continue
            try:
                event = json.loads(line)
                values = [event[name] for name in columns.names]
            except (ValueError, KeyError, TypeError, RecursionError):
                raise FormatError(
                    f"Line {number:,} of {path.name!r} is not an event with the named fields.",
                    hint="each line is one JSON object; --log item=FIELD,person=FIELD names fields.",
                ) from None
            if any(isinstance(v, dict | list | bool) or v is None for v in values):
                raise FormatError(
                    f"Line {number:,} of {path.name!r} has a field that is neither text nor a number."
                )
            for name, value in zip(columns.names, values, strict=True):
                found[name].append(str(value))
    return found


def write_log(
    baskets: Baskets, columns: LogColumns, path: Path, *, like: Path | None = None
) -> list[Path]:
    """Write baskets as a log of two columns in the format of the file's name.

    Units are numbered from 1 in the order of the rows; one that publishes nothing has no line.

    Parameters
    ----------
    baskets : Baskets
        The rows.
    columns : LogColumns
        What the columns are called.
    path : Path
        The file to write.
    like : Path, default None
        The log that was read: where both are CSV, its separator is kept.

    """
    unit = np.repeat(np.arange(1, len(baskets) + 1), np.diff(baskets.matrix.indptr))
    names = baskets.feature_names
    if _is_json(path):
        _write_lines(path, _json_lines(unit, baskets, columns))
    elif format_of_name(path) == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        items = pa.DictionaryArray.from_arrays(
            pa.array(baskets.matrix.indices, pa.int32()), pa.array(list(names), pa.string())
        )
        table = pa.table({columns.unit: unit, columns.item: items.cast(pa.string())})
        with whole_file(path) as beside:
            pq.write_table(table, beside)
    else:
        _write_lines(path, _delimited_lines(unit, baskets, columns, _delimiter(path, like)))
    return [path]


def _delimiter(path: Path, like: Path | None) -> str:
    if format_of_name(path) == "tsv":
        return "\t"
    if like is not None and format_of_name(like) == "csv":
        return csv_layouts([like], "csv", current_limits())[1]
    return ","


def _json_lines(unit: Iterable[int], baskets: Baskets, columns: LogColumns) -> Iterator[str]:
    names = [json.dumps(name, ensure_ascii=False) for name in baskets.feature_names]
    head = f"{{{json.dumps(columns.unit)}: "
    middle = f", {json.dumps(columns.item)}: "
    for u, j in zip(unit, baskets.matrix.indices.tolist(), strict=True):
        yield f"{head}{u}{middle}{names[j]}}}\n"


def _delimited_lines(
    unit: Iterable[int], baskets: Baskets, columns: LogColumns, delimiter: str
) -> Iterator[str]:
    def cell(text: str) -> str:
        plain = not any(c in text for c in f'{delimiter}"\r\n') and text == text.strip()
        return text if plain else '"' + text.replace('"', '""') + '"'

    names = [cell(name) for name in baskets.feature_names]
    yield f"{cell(columns.unit)}{delimiter}{cell(columns.item)}\n"
    for u, j in zip(unit, baskets.matrix.indices.tolist(), strict=True):
        yield f"{u}{delimiter}{names[j]}\n"


def _write_lines(path: Path, lines: Iterator[str]) -> None:
    from .sources import create_bytes

    with (
        whole_file(path) as beside,
        create_bytes(beside, compress=path.name.endswith(".gz")) as stream,
    ):
        for line in lines:
            stream.write(line.encode())


def log_columns(
    *,
    item: str | None,
    person: str | None,
    basket: str | None,
    quantity: str | None,
    min_quantity: float,
) -> LogColumns | None:
    """Return the columns of a log, or None where no item column is named: the data is a matrix."""
    if item is None:
        if person is not None or basket is not None or quantity is not None:
            raise ParameterError(
                "A log is read by its columns, and the column of the items is not named.",
                hint="give --log item=COLUMN,person=COLUMN.",
            )
        return None
    unit = person or basket
    if unit is None:
        raise ParameterError(
            "A log is read by its columns, and no column names the person of an event.",
            hint="give --log item=COLUMN,person=COLUMN, or basket=COLUMN where people are not known.",
        )
    return LogColumns(item, unit, quantity, min_quantity)
