"""Facts of the baskets engine: k, uniqueness and quality side by side, never k alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ..kinds import (
    REFERENCES,
    SELECTORS,
    column_name,
    flag,
    fraction,
    identifier,
    items,
    known,
    mapping,
    number,
    whole,
)
from .model import BasketRow, BasketsPart, KnownAbsences
from .shared import common, parameter
from .sources import Source

__all__ = ["baskets_part"]

_FEATURES = 120


def _row(candidate: Mapping[str, Any]) -> BasketRow | None:
    name, k = identifier(candidate.get("id")), whole(candidate.get("k"))
    if name is None or k is None or k < 1:
        return None
    ends = [
        number(e) for e in items(candidate.get("auc_interval") or candidate.get("utility_interval"))
    ]
    interval = (
        (ends[0], ends[1])
        if len(ends) == 2 and ends[0] is not None and ends[1] is not None
        else None
    )
    return BasketRow(
        id=name,
        k=k,
        count=whole(candidate.get("count")),
        ac=whole(candidate.get("ac")),
        unique_share=fraction(candidate.get("unique_share")),
        auc=fraction(candidate.get("auc")),
        auc_interval=interval,
        selector=known(candidate.get("selector"), SELECTORS, "other"),
    )


def _absences(candidate: Mapping[str, Any]) -> tuple[KnownAbsences, ...]:
    exact = mapping(candidate.get("absences_exact"))
    found = {}
    for absences, ac in mapping(candidate.get("ac_under_absences")).items():
        value = whole(ac)
        if absences.isdigit() and value is not None:
            sure = flag(exact.get(absences)) is not False
            found[int(absences)] = KnownAbsences(absences=int(absences), ac=value, exact=sure)
    none = whole(candidate.get("ac"))
    if found and none is not None:
        found.setdefault(0, KnownAbsences(absences=0, ac=none))
    return tuple(found[m] for m in sorted(found))


def baskets_part(source: Source, part_id: str, choose: str | None = None) -> BasketsPart:
    """Gather the facts of a basket release."""
    fields = common(source, part_id, choose)
    content = source.frontier or {}
    candidates = [mapping(c) for c in items(content.get("candidates"))]
    rows = [row for c in candidates if (row := _row(c)) is not None]
    chosen_id = fields["chosen"].id if fields["chosen"] else None
    chosen = next((c for c in candidates if c.get("id") == chosen_id), {})
    choice = next((row for row in rows if row.id == chosen_id), None)
    features = [n for f in items(chosen.get("features")) if (n := column_name(f)) is not None]
    every = next(
        (
            mapping(r)
            for r in items(content.get("references"))
            if REFERENCES.get(known(mapping(r).get("name"), REFERENCES) or "") == "All features"
        ),
        {},
    )
    measured = mapping((source.release or {}).get("measured"))
    return BasketsPart(
        **fields,
        rows=whole(parameter(source, "rows"))
        or next((f.rows for f in fields["inputs"] if f.rows), None),
        features_in=whole(parameter(source, "features_offered", "columns")),
        candidates=tuple(sorted(rows, key=lambda r: (r.k, r.id))),
        choice=choice,
        features=tuple(features[:_FEATURES]),
        features_total=choice.count if choice else None,
        absences=_absences(chosen),
        all_features_auc=fraction(every.get("utility")),
        all_features_ac=whole(every.get("ac")),
        all_features_unique=fraction(every.get("unique_share")),
        folds=whole(parameter(source, "folds")),
        measured_ac=whole(measured.get("ac")),
        measured_unique=fraction(measured.get("unique_share")),
        selector=(choice.selector if choice else None)
        or known(parameter(source, "selector"), SELECTORS, "other"),
        stop=cast("Any", known(parameter(source, "stop"), {"never", "first"})),
    )
