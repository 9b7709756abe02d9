"""Chart of the tables engine: who carries the risk."""

from __future__ import annotations

from typing import Any

from ..facts.model import TablesPart
from ..words.numbers import percent
from .drawing import Chart, View, filled

__all__ = ["groups"]


def groups(part: TablesPart) -> Chart | None:
    """Show records and risk by the size of the population group."""
    total = sum(g.records for g in part.groups)
    if not total:
        return None
    rows: list[dict[str, Any]] = []
    for g in part.groups:
        size = f"{g.low:,}+" if g.high is None else f"{g.low:,}" if g.low == g.high else f"{g.low:,}–{g.high:,}"  # fmt: skip
        pairs = [("of the records", g.records / total), ("of the risk", g.risk_share)]
        rows += [
            {"size": size, "what": what, "share": share, "label": percent(share),
             "says": f"groups of {size}: {percent(share)} {what}"}
            for what, share in pairs if share is not None
        ]  # fmt: skip
    alt = "Records and risk by the size of the population group: " + "; ".join(
        r["says"] for r in rows
    )
    return Chart(
        f"{part.id}-groups", "attack", "Who carries the risk: records by population group", alt + ".",
        (View("", filled("groups", rows=rows)),), ("Group size", "Share", ""),
        tuple((r["size"], r["label"], r["what"]) for r in rows),
    )  # fmt: skip
