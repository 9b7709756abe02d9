"""Tables of counts on disk: CSV, Parquet and HTML. A hidden cell is empty, small or not."""

from __future__ import annotations

import csv
import html
from pathlib import Path

from ....core.errors import ParameterError
from ....core.files import spreadsheet_safe
from .cube import TOTAL
from .steps import CountTable

__all__ = ["SUFFIXES", "check_suffix", "write_counts"]

SUFFIXES = (".csv", ".parquet", ".html")
_HIDDEN = "…"
_STYLE = (
    "body{font:15px/1.4 system-ui,sans-serif;margin:2em}table{border-collapse:collapse}"
    "td,th{padding:.25em .7em;text-align:right;border-bottom:1px solid #ddd}"
    "th{text-align:left}.t{font-weight:600}.h{color:#777}"
)


def check_suffix(path: Path) -> None:
    """Refuse a name whose form is not written."""
    if path.suffix.lower() not in SUFFIXES:
        raise ParameterError(
            f"The output {path.name!r} is not named as a table of counts.",
            hint="use .csv, .parquet or .html.",
        )


def write_counts(table: CountTable, path: Path, suffix: str) -> None:
    """Write a table of counts in the form of a suffix."""
    {".csv": _write_csv, ".parquet": _write_parquet, ".html": _write_html}[suffix](table, path)


def _count_of(table: CountTable, place: tuple[int, ...]) -> int | None:
    count = int(table.shown[place])
    return None if count < 0 else count


def _write_csv(table: CountTable, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*table.cube.names, "count"])
        for labels, place in table.cube.rows():
            count = _count_of(table, place)
            writer.writerow([*map(spreadsheet_safe, labels), "" if count is None else count])


def _write_parquet(table: CountTable, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = list(table.cube.rows())
    columns = {n: [labels[a] for labels, _ in rows] for a, n in enumerate(table.cube.names)}
    counts = pa.array([_count_of(table, place) for _, place in rows], pa.int64())
    pq.write_table(pa.table({**columns, "count": counts}), path)


def _write_html(table: CountTable, path: Path) -> None:
    """Write a page: the last column across where there are two or more, else one count a row."""
    cube = table.cube
    head, across = (
        (cube.names[:-1], cube.values[-1]) if len(cube.names) > 1 else (cube.names, ("count",))
    )
    lines = ["<!doctype html><html lang=en><meta charset=utf-8><title>Counts</title>"]
    lines.append(f"<style>{_STYLE}</style><h1>Counts by {html.escape(', '.join(cube.names))}</h1>")
    titles = "".join(f"<th>{html.escape(name)}" for name in (*head, *across))
    lines.append(f"<table><tr>{titles}")
    rows: dict[tuple[str, ...], list[int | None]] = {}
    for labels, place in cube.rows():
        rows.setdefault(labels[: len(head)], []).append(_count_of(table, place))
    for labels, counts in rows.items():
        total = " class=t" if TOTAL in labels else ""
        cells = "".join(f"<th>{html.escape(label)}" for label in labels)
        numbers = "".join(
            f"<td class=h>{_HIDDEN}" if count is None else f"<td>{count:,}" for count in counts
        )
        lines.append(f"<tr{total}>{cells}{numbers}")
    said = "".join(f"<p>{html.escape(line)}." for line in table.lines())
    lines.append(f"</table><p>{_HIDDEN}: not shown.{said}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
