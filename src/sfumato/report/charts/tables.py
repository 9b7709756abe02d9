"""Chart of the tables engine: who carries the risk."""

from __future__ import annotations

from typing import Any

from ...core.story import Chart, View
from ...presentation.drawing import filled
from ...presentation.numbers import percent
from ..facts.model import GroupSize, TablesPart

__all__ = ["groups"]


def _short(share: float) -> str:
    """Write a share in the width of a bar.

    >>> _short(0.0043), _short(0.0), _short(0.187)
    ('<1%', '', '19%')
    """
    return "" if share == 0 else "<1%" if share < 0.01 else f"{share:.0%}"


def groups(part: TablesPart) -> Chart | None:
    """Show records and risk by the size of the population group."""
    total, before = sum(g.records for g in part.groups), sum(g.records for g in part.groups_before)
    if not total:
        return None
    now = {(g.low, g.high): g for g in part.groups}
    unchanged = {(g.low, g.high): g for g in part.groups_before} if before else {}
    rows: list[dict[str, Any]] = []
    sizes: list[tuple[str, GroupSize]] = []
    for low, high in sorted({*now, *unchanged}, key=lambda size: size[0]):
        size = f"{low:,}+" if high is None else f"{low:,}" if low == high else f"{low:,}–{high:,}"
        if (low, high) in now:
            sizes.append((size, now[low, high]))
        g, was = now.get((low, high)), unchanged.get((low, high))
        shares = [
            (
                "of the records, unchanged table",
                was.records / before if was else 0 if unchanged else None,
            ),
            ("of the records, published", g.records / total if g else 0),
            ("of the risk, published", (g.risk_share if g else 0)),
        ]
        rows += [
            {"size": size, "what": what, "share": share, "label": _short(share), "says": f"groups of {size}: {percent(share)} {what}"}
            for what, share in shares
            if share is not None
        ]  # fmt: skip
    said = [
        f"groups of {size}: {percent(g.records / total)} of the records"
        + ("" if g.risk_share is None else f" and {percent(g.risk_share)} of the risk")
        for size, g in sizes
    ]
    drawn = filled("groups", rows=rows)
    present = {r["what"] for r in rows}
    scale = drawn["layer"][0]["encoding"]["color"]["scale"]
    kept = [i for i, what in enumerate(scale["domain"]) if what in present]
    scale["domain"], scale["range"] = ([scale[k][i] for i in kept] for k in ("domain", "range"))
    alt = "Records and risk by the size of the population group: " + "; ".join(said)
    return Chart(
        f"{part.id}-groups", "attack", "Who carries the risk: records by population group", alt + ".",
        (View("", drawn),), ("Group size", "Share", ""),
        tuple((r["size"], percent(r["share"]), r["what"]) for r in rows),
    )  # fmt: skip
