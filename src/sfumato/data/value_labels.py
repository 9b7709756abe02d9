"""The metadata of SPSS and Stata files, read and written: names of columns, labels of codes."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LABELLED", "ColumnLabels", "NamedCodes", "TableLabels", "write_with_labels"]

LABELLED = {"spss": ".sav", "stata": ".dta"}
"""Formats that hold labels, and how a file of them is named."""
_EPOCH = {b"<timestamp>": b"01 Jan 1970 00:00"}  # when a file was written is nobody's business
_SPSS_DATE = (
    92,
    b"01 Jan 7000:00:00",
)  # where an SPSS file says it, after its bias


@dataclass(frozen=True)
class ColumnLabels:
    """What a file says of a column.

    Parameters
    ----------
    title : str, optional
        What the column is about.
    codes : mapping of str to str
        The label of each code, as cells are read.
    kind : {"number", "date", "text"}
        What its cells are.

    """

    title: str | None = None
    codes: Mapping[str, str] = field(default_factory=dict)
    kind: str = "text"


TableLabels = Mapping[str, ColumnLabels]
NamedCodes = Mapping[str, tuple[Mapping[str, str], Sequence[str]]]
"""By column that holds names instead of codes: the name of each code, and all names in order."""


def write_with_labels(
    table: pa.Table,
    path: Path,
    kind: str,
    labels: TableLabels,
    named: NamedCodes,
) -> None:
    """Write a table as a file of SPSS or Stata, with the labels of the file that it comes from.

    Parameters
    ----------
    table : pyarrow.Table
        The rows.
    path : Path
        The file.
    kind : {"spss", "stata"}
        Its format.
    labels : mapping of str to ColumnLabels
        What is known of the columns.
    named : mapping
        The columns that hold names instead of codes; names without a code get new ones.

    """
    import pandas as pd

    pyreadstat = importlib.import_module("pyreadstat")
    columns: dict[str, list[object]] = {}
    value_labels: dict[str, dict[float, str]] = {}
    for name in table.column_names:
        cells = table.column(name).to_pylist()
        about = labels.get(name, ColumnLabels())
        if name in named:
            codes = _codes(*named[name])
            if codes is not None:
                columns[name] = [None if c is None else codes[c] for c in cells]
                value_labels[name] = {codes[text]: text for text in sorted({c for c in cells if c})}
                continue
            columns[name] = cells
            continue
        columns[name] = _cells_as(cells, about.kind)
        if about.kind == "number" and about.codes and _all_numbers(columns[name]):
            value_labels[name] = {float(code): text for code, text in about.codes.items()}
    frame = pd.DataFrame({n: pd.Series(c, dtype=_dtype(c)) for n, c in columns.items()})
    titles = {n: labels[n].title for n in columns if n in labels and labels[n].title}
    write = {"spss": pyreadstat.write_sav, "stata": pyreadstat.write_dta}[kind]
    if kind == "stata":  # whose labels are of whole numbers
        value_labels = {
            name: {int(code): text for code, text in found.items()}
            for name, found in value_labels.items()
            if all(float(code).is_integer() for code in found)
        }
    write(frame, str(path), column_labels=titles, variable_value_labels=value_labels)
    _forget_time(path, kind)


def _codes(names: Mapping[str, str], order: Sequence[str]) -> dict[str, float] | None:
    """Return the code of each name: its own, or a new one above all others; None where codes are no numbers."""
    try:
        known = {text: float(code) for code, text in names.items()}
    except ValueError:
        return None
    following = math.floor(max(known.values(), default=0)) + 1
    found: dict[str, float] = {}
    for text in order:
        if text in known:
            found[text] = known[text]
        else:
            found[text] = float(following)
            following += 1
    return found


def _cells_as(cells: Sequence[object], kind: str) -> list[object]:
    """Return cells of text as what they were before, where all of them still are that."""
    try:
        if kind == "number":
            return [None if c is None else float(str(c)) for c in cells]
        if kind == "date":
            return [None if c is None else date.fromisoformat(str(c)) for c in cells]
    except ValueError:  # bands
        pass
    return [None if c is None else str(c) for c in cells]


def _all_numbers(cells: Sequence[object]) -> bool:
    return all(c is None or isinstance(c, float) for c in cells)


def _dtype(cells: Sequence[object]) -> str:
    return "float64" if _all_numbers(cells) and any(c is not None for c in cells) else "object"


def _forget_time(path: Path, kind: str) -> None:
    """Overwrite when a file was written: the same table gives the same bytes."""
    content = bytearray(path.read_bytes())
    if kind == "spss":
        at, text = _SPSS_DATE
        content[at : at + len(text)] = text
    else:
        for mark, text in _EPOCH.items():
            at = content.find(mark) + len(mark) + 1
            content[at : at + len(text)] = text
    path.write_bytes(content)
