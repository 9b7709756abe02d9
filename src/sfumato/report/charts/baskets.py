"""Charts of the baskets engine: k beside uniqueness, known absences, and what k costs."""

from __future__ import annotations

from typing import Any

from ...core.story import Chart, View
from ...presentation.drawing import BLUE, INK, ORANGE, bounds_of, filled, headroom
from ...presentation.numbers import count, percent
from ..facts.model import BasketsPart

__all__ = ["absences", "quality", "uniqueness"]


def _basket_rows(part: BasketsPart) -> list[dict[str, Any]]:
    best: dict[int, Any] = {}
    for row in part.candidates:
        chosen = part.choice is not None and row.id == part.choice.id
        if row.k not in best or chosen or (
            (row.auc or 0) > (best[row.k].auc or 0) and not (part.choice and best[row.k].id == part.choice.id)
        ):  # fmt: skip
            best[row.k] = row
    rows = []
    for k in sorted(best):
        row = best[k]
        if None not in {row.auc, row.count}:
            low, high = row.auc_interval or (row.auc, row.auc)
            mine = part.choice is not None and row.id == part.choice.id
            rows.append({
                "k": str(k), "auc": row.auc, "low": low, "high": high, "count": row.count, "ac": row.ac,
                "unique": row.unique_share, "fill": INK if mine else BLUE, "warn": INK if mine else ORANGE,
                "says": f"k {k}: AUC {row.auc:.3f}, {count(row.count)} features, AC {row.ac}, {percent(row.unique_share or 0)} unique",
            })  # fmt: skip
    return rows


def quality(part: BasketsPart) -> Chart | None:
    """Show AUC and features kept by k."""
    rows = _basket_rows(part)
    if not rows:
        return None
    every = part.all_features_auc
    line = [] if every is None else [{"auc": every, "label": f"all features: {every:.3f}"}]
    drawn = filled("quality", rows=rows, all=line)
    ys = [v for r in rows for v in (r["low"], r["high"])] + [r["auc"] for r in line]
    drawn["hconcat"][0]["encoding"]["y"]["scale"]["domain"] = bounds_of(ys, 0.12)
    headroom(drawn, 1, [r["count"] for r in rows])
    alt = "Quality and features by k: " + "; ".join(r["says"] for r in rows)
    return Chart(
        f"{part.id}-quality", "cost", "What k costs", alt + ".", (View("", drawn),),
        ("k", "AUC", "Features"), tuple((r["k"], f"{r['auc']:.3f}", count(r["count"])) for r in rows),
        (("ink", "the candidate in this report"), ("blue", "the best candidate at another k")),
    )  # fmt: skip


def uniqueness(part: BasketsPart) -> Chart | None:
    """Show the rows that fit known presences beside the rows that are unique."""
    rows = [r for r in _basket_rows(part) if r["ac"] is not None and r["unique"] is not None]
    if not rows:
        return None
    alt = "Rows that fit known presences, beside unique rows: " + "; ".join(r["says"] for r in rows)
    drawn = filled("uniqueness", rows=[{**r, "label": percent(r["unique"])} for r in rows])
    headroom(drawn, 0, [r["ac"] for r in rows])
    most = max(r["unique"] for r in rows)
    share = drawn["hconcat"][1]["encoding"]["y"]
    share["scale"]["domain"] = [0, 1.08] if most > 0.4 else [0, max(most * 1.25, 0.01)]
    if most <= 0.4:
        share["axis"] = {"format": "~%", "tickCount": 5}
    return Chart(
        f"{part.id}-uniqueness", "attack", "Presences and absences, side by side", alt + ".",
        (View("", drawn),), ("k", "AC", "Unique rows"),
        tuple((r["k"], count(r["ac"]), percent(r["unique"])) for r in rows),
        (("ink", "the candidate in this report"),),
    )  # fmt: skip


def absences(part: BasketsPart) -> Chart | None:
    """Show how many rows still fit when absences are known too."""
    if len(part.absences) < 2:
        return None
    rows = [{"absences": str(a.absences), "ac": a.ac, "says": f"{a.absences} known absences: {'' if a.exact else 'at least '}{a.ac} rows fit"} for a in part.absences]  # fmt: skip
    alt = "Rows that still fit: " + "; ".join(str(r["says"]) for r in rows)
    return Chart(
        f"{part.id}-absences", "attack", "When absences are known too", alt + ".",
        (View("", filled("absences", rows=rows)),), ("Known absences", "Rows that fit"),
        tuple((str(r["absences"]), count(float(str(r["ac"])))) for r in rows),
    )  # fmt: skip
