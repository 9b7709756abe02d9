"""The facts that all engines share: files, points, references, the search, the choice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...core.errors import FormatError, NoCandidateError, did_you_mean
from ...core.frontier import Frontier
from ..kinds import (
    COUNT_NAMES,
    PACKAGES,
    REFERENCES,
    STRATEGIES,
    base_name,
    flag,
    identifier,
    items,
    known,
    mapping,
    number,
    whole,
)
from .model import File, Point, ReferencePoint, Search
from .sources import Source

__all__ = ["common", "parameter", "thinned", "version_of"]

_POINTS = 1500
_VISITED = 1200
_TRACE = 400


def thinned(values: Sequence[Any], most: int) -> list[Any]:
    """Keep at most so many, evenly spread, the first and the last among them.

    >>> thinned(list(range(10)), 4)
    [0, 3, 6, 9]
    """
    if len(values) <= most:
        return list(values)
    step = (len(values) - 1) / (most - 1)
    return [values[round(i * step)] for i in range(most)]


def parameter(source: Source, *names: str) -> Any:
    """Find a parameter of the run wherever the engine wrote it down."""
    for content in (source.frontier or {}, source.release or {}, source.attack or {}):
        for place in (content, *(mapping(content.get(k)) for k in ("parameters", "how", "plan"))):
            for name in names:
                if place.get(name) is not None:
                    return place[name]
    return None


def version_of(content: Mapping[str, Any]) -> str:
    """Give the version that wrote a file, or 0 when it does not look like one."""
    version = content.get("version") or mapping(content.get("versions")).get("sfumato")
    return str(version) if _is_version(version) else "0"


def _is_version(value: Any) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(r"[0-9][0-9A-Za-z.+-]{0,39}", value))


def _files(listed: Any) -> tuple[File, ...]:
    found = []
    for entry in items(listed):
        name = base_name(mapping(entry).get("path"))
        if name is not None:
            digest = mapping(entry).get("sha256")
            is_hash = isinstance(digest, str) and re.fullmatch(r"[0-9a-f]{64}", digest)
            found.append(
                File(name=name, sha256=digest if is_hash else None, rows=whole(entry.get("rows")))
            )
    return tuple(found)


def _interval(ends: Any) -> tuple[float, float] | None:
    low_high = [number(e) for e in items(ends)]
    if len(low_high) == 2 and low_high[0] is not None and low_high[1] is not None:
        return low_high[0], low_high[1]
    return None


def _points(source: Source) -> list[Point]:
    found = []
    for entry in items((source.frontier or {}).get("candidates")):
        candidate = mapping(entry)
        name = identifier(candidate.get("id"))
        risk, utility = number(candidate.get("risk")), number(candidate.get("utility"))
        if name is None or risk is None or utility is None:
            raise FormatError(
                "A candidate in 'frontier.json' has no id, risk or utility.",
                hint="was it written by `sfumato … explore`?",
            )
        found.append(
            Point(
                id=name,
                risk=risk,
                utility=utility,
                risk_interval=_interval(candidate.get("risk_interval")),
                utility_interval=_interval(candidate.get("utility_interval")),
                on_frontier=not flag(candidate.get("dominated")),
            )
        )
    return sorted(found, key=lambda p: (p.risk, p.utility, p.id))


def _references(source: Source, points: list[Point]) -> tuple[ReferencePoint, ...]:
    """Place the references; of those with one name (at several ratios) the first stands for all."""
    found = []
    names = set()
    for position, entry in enumerate(items((source.frontier or {}).get("references")), start=1):
        name = known(mapping(entry).get("name"), REFERENCES)
        if name is not None and name in names:
            continue
        names.add(name)
        risk, utility = number(mapping(entry).get("risk")), number(mapping(entry).get("utility"))
        if risk is None or utility is None:
            continue
        told = whole(entry.get("dominated_by"))
        better = sum(
            p.risk <= risk and p.utility >= utility and (p.risk, p.utility) != (risk, utility)
            for p in points
        )
        useful = [p for p in points if p.utility >= utility]
        safe = [p for p in points if p.risk <= risk]
        found.append(
            ReferencePoint(
                name=REFERENCES.get(
                    known(entry.get("name"), REFERENCES) or "", f"Reference {position}"
                ),
                risk=risk,
                utility=utility,
                dominated_by=better if told is None else told,
                same_utility=min(useful, key=lambda p: (p.risk, -p.utility), default=None),
                same_risk=max(safe, key=lambda p: (p.utility, -p.risk), default=None),
            )
        )
    return tuple(found)


def _pairs(listed: Any, first: str, second: str) -> list[tuple[float, float]]:
    """Read pairs given as [[a, …, b], …] or [{first: a, second: b}, …]; what lies between is left out."""
    found = []
    for entry in items(listed):
        pair = (
            [entry.get(first), entry.get(second)]
            if isinstance(entry, Mapping)
            else [*items(entry)[:1], *items(entry)[1:][-1:]]
        )
        numbers = [number(v) for v in pair]
        if len(numbers) == 2 and numbers[0] is not None and numbers[1] is not None:
            found.append((numbers[0], numbers[1]))
    return found


def _listed_pairs(risks: Any, losses: Any) -> list[tuple[float, float]]:
    """Read points kept as two lists, or as two texts of numbers, of risk and loss; give utility."""

    def numbers(given: Any) -> list[float]:
        listed = given.split(",") if isinstance(given, str) else items(given)
        try:
            found = [number(float(v)) for v in listed]
        except (TypeError, ValueError):
            return []
        return [v for v in found if v is not None]

    first, second = numbers(risks), numbers(losses)
    return (
        list(zip(first, (1 - v for v in second), strict=True)) if len(first) == len(second) else []
    )


def _visited(given: Any) -> list[tuple[float, float]]:
    if isinstance(given, Mapping):
        return _listed_pairs(given.get("risk"), given.get("loss"))
    return _pairs(given, "risk", "utility")


def _search(source: Source, points: list[Point]) -> Search:
    content = source.frontier or {}
    visited = _visited(content.get("visited"))
    whole_frontier = mapping(content.get("frontier"))
    stairs = _listed_pairs(whole_frontier.get("risk"), whole_frontier.get("loss"))
    trace = _pairs(content.get("trace") or content.get("area_trace"), "evaluations", "area")
    return Search(
        area=number(content.get("area")),
        evaluations=whole(content.get("evaluations")),
        budget=whole(mapping(content.get("budget")).get("evaluations")),
        strategy=known(parameter(source, "strategy"), STRATEGIES),
        candidates=whole(whole_frontier.get("policies"))
        or whole(content.get("frontier_size"))
        or sum(p.on_frontier for p in points),
        visited=tuple(thinned(sorted(set(visited)), _VISITED)),
        stairs=tuple(thinned(stairs, _POINTS)),
        visited_total=whole(content.get("visited_total")) or len(visited),
        trace=tuple((int(n), area) for n, area in thinned(trace, _TRACE)),
    )


def _chosen(source: Source, points: list[Point], choose: str | None) -> tuple[Point | None, str]:
    by_id = {p.id: p for p in points}
    release = source.release
    if release is not None:
        candidate = identifier(release.get("candidate"))
        if candidate in by_id:
            return by_id[candidate], "release"
        risk = number(mapping(release.get("risk")).get("value"))
        utility = number(mapping(release.get("utility")).get("value"))
        if candidate is not None and risk is not None and utility is not None:
            return Point(
                id=candidate,
                risk=risk,
                utility=utility,
                risk_interval=_interval(mapping(release.get("risk")).get("interval")),
                utility_interval=_interval(mapping(release.get("utility")).get("interval")),
            ), "release"
    if choose is not None:
        if choose not in by_id:
            raise NoCandidateError(
                f"There is no candidate {choose!r} on this frontier.",
                hint=did_you_mean(choose, by_id),
            )
        return by_id[choose], "steward"
    if points:
        return Frontier.of((p.risk, p.utility, p) for p in points).knee(), "knee"
    return None, "knee"


def common(source: Source, part_id: str, choose: str | None) -> dict[str, Any]:
    """Gather the fields of `Part`."""
    release = source.release or {}
    points = _points(source)
    chosen, chosen_by = _chosen(source, points, choose)
    shown = thinned(points, _POINTS)
    if chosen is not None and chosen.id in {p.id for p in points} and chosen not in shown:
        shown = sorted([*shown, chosen], key=lambda p: (p.risk, p.utility, p.id))
    counts = {}
    for name, count in mapping(release.get("counts")).items():
        allowed, value = known(name, COUNT_NAMES), whole(count)
        if allowed is not None and value is not None:
            counts[allowed] = value
    versions = {
        k: v
        for k, v in mapping(release.get("versions")).items()
        if k in PACKAGES and _is_version(v)
    }
    measured = mapping(release.get("measured"))
    withheld = whole(mapping(release.get("counts")).get("withheld"))
    return {
        "id": part_id,
        "seed": whole(source.content.get("seed")) or 0,
        "version": version_of(source.content),
        "inputs": _files(source.content.get("inputs")),
        "published_from": _files(release.get("inputs")),
        "outputs": _files(release.get("outputs")),
        "published": source.release is not None,
        "chosen": chosen,
        "chosen_by": chosen_by,
        "points": tuple(shown),
        "references": _references(source, points),
        "search": _search(source, points),
        "counts": counts,
        "withheld": max(withheld or 0, len(items(release.get("withheld")))),
        "measured_risk": number(measured.get("risk")),
        "measured_utility": number(measured.get("utility")),
        "versions": versions,
    }
