"""Representations of objects in a console and in a notebook: one short line, and one small table.

Only counts, names of columns and names of files are shown, never a value of the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .exploration import AnyExploration
    from .measures import Estimate
    from .records import Candidate, Release

__all__ = [
    "estimate",
    "few",
    "frame_of",
    "html_table",
    "show_candidate",
    "show_exploration",
    "show_exploration_html",
    "show_release",
    "show_release_html",
]

_LISTED = 50


def estimate(measure: Estimate) -> str:
    """Return a measure with its interval, where it has one.

    >>> from sfumato.core.measures import Risk
    >>> estimate(Risk(0.0049661).with_interval(0.00188, 0.009471, method="bootstrap"))
    '0.004966 [0.00188, 0.00947]'
    """
    ends = measure.interval
    return f"{measure.value:.4g}" + ("" if ends is None else f" [{ends.low:.3g}, {ends.high:.3g}]")


def few(names: Sequence[str], most: int = 3) -> str:
    """Return the first names of a list.

    >>> few(["age", "sex", "zip", "race"]), few(["age"])
    ('age, sex, zip, …', 'age')
    """
    return ", ".join([*names[:most], *(["…"] if len(names) > most else [])])


def html_table(
    caption: str, rows: Iterable[Sequence[object]], heads: Sequence[str] = (), *, first: str = "th"
) -> str:
    """Return a small HTML table; everything in it is escaped.

    Parameters
    ----------
    caption : str
        What is above the table.
    rows : iterable of sequences
        The cells.
    heads : sequence of str
        The heads of the columns; none by default.
    first : {"th", "td"}
        Whether the first cell of a row is its head.

    """
    head = "".join(f"<th>{escape(h)}</th>" for h in heads)
    body = "".join(
        "<tr>" + "".join(f"<{(kind := first if i == 0 else 'td')}>{escape(str(cell))}</{kind}>" for i, cell in enumerate(row)) + "</tr>"
        for row in rows
    )  # fmt: skip
    return (
        f"<table><caption>{escape(caption)}</caption>{f'<tr>{head}</tr>' if head else ''}{body}"
        "</table>"
    )


def show_candidate(candidate: Candidate) -> str:
    """Return a candidate in one line: its id, risk and utility."""
    risk, utility = estimate(candidate.risk), estimate(candidate.utility)
    dominated = ", dominated" if candidate.dominated else ""
    return f"<candidate {candidate.id}: risk {risk}, utility {utility}{dominated}>"


def show_exploration(exploration: AnyExploration) -> str:
    """Return an exploration in one line: how many candidates, the area, and the first of them."""
    points = [f"{c.id} ({c.risk.value:.3g}, {c.utility.value:.3f})" for c in exploration]
    return (
        f"<{exploration.record.engine} exploration: {len(points)} of {len(exploration.candidates)} "
        f"candidates on the frontier, area {exploration.area():.4f}; id (risk, utility): "
        f"{few(points, 4)}>"
    )


def show_exploration_html(exploration: AnyExploration) -> str:
    """Return the first candidates of an exploration as an HTML table."""
    axes = exploration.record.axes
    rows = [
        (c.id, estimate(c.risk), estimate(c.utility), "dominated" if c.dominated else "")
        for c in exploration.candidates[:_LISTED]
    ]
    heads = ("id", f"risk: {axes['risk']}" if "risk" in axes else "risk",
             f"utility: {axes['utility']}" if "utility" in axes else "utility", "")  # fmt: skip
    caption = f"{exploration.record.engine}: {len(exploration)} candidates on the frontier"
    return html_table(caption, rows, heads, first="td")


def frame_of(rows: Sequence[dict[str, object]]) -> Any:
    """Return rows as a frame: pandas where it is installed, else polars, else Arrow.

    Parameters
    ----------
    rows : sequence of dict
        One dict per row, by column.

    """
    import pyarrow as pa

    table = pa.Table.from_pylist(list(rows))
    try:
        return table.to_pandas()
    except ImportError:
        pass
    try:
        import polars as pl
    except ImportError:
        return table
    return pl.from_arrow(table)


def _release_facts(release: Release) -> list[tuple[str, str]]:
    found = [(name, f"{n:,}") for name, n in release.counts.items() if isinstance(n, int) and n]
    return [
        *found,
        *((name, release.tell_left_out(name)) for name, n in release.left_out.items() if n),
    ]


def show_release(release: Release) -> str:
    """Return a release in one line: its candidate, its files and what was counted."""
    files = few([file.path for file in release.outputs], 2)
    facts = few([f"{name} {number}" for name, number in _release_facts(release)], 6)
    arrow = f" → {files}" if files else ""
    return f"<{release.engine} release {release.candidate}{arrow}: {facts or 'nothing counted'}>"


def show_release_html(release: Release) -> str:
    """Return a release as an HTML table."""
    rows = [("files", few([file.path for file in release.outputs], 5))]
    if release.risk is not None:
        rows.append(("risk", estimate(release.risk)))
    if release.utility is not None:
        rows.append(("utility", estimate(release.utility)))
    return html_table(
        f"{release.engine} release {release.candidate}", [*rows, *_release_facts(release)]
    )
