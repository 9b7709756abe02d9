"""Facts of the tables engine: the policy in words, beside Safe Harbor, and the risk by group size."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, cast

from ..kinds import (
    column_name,
    column_names,
    flag,
    fraction,
    interval_text,
    items,
    known,
    mapping,
    number,
    whole,
)
from .model import AttributePolicy, GroupSize, Policy, SensitiveColumn, TablesPart
from .shared import common, parameter
from .sources import Source

__all__ = ["tables_part"]

_SHOWN = 24
_EXAMPLES = 5
_RANGE = re.compile(r"[\[(]?\s*(-?\d+(?:\.\d+)?)\s*(?:–|-|\.\.|to|,)\s*(-?\d+(?:\.\d+)?)\s*[\])]?")
_OPEN = re.compile(r"(?:≥\s*)?(-?\d+(?:\.\d+)?)\s*\+|≥\s*(-?\d+(?:\.\d+)?)")


def _intervals(entry: Any) -> list[str]:
    listed = entry.get("intervals") if isinstance(entry, Mapping) else entry
    if isinstance(listed, str):
        listed = [listed]
    return [text for value in items(listed) if (text := interval_text(value)) is not None]


def _ends(text: str) -> tuple[float, float] | None:
    """Read an interval of numbers back; a missing value may stand with the last one.

    >>> _ends("20–39"), _ends("[0, 4]"), _ends("90+"), _ends("7-9|?"), _ends("Female")
    ((20.0, 39.0), (0.0, 4.0), (90.0, inf), (7.0, 9.0), None)
    """
    text = text.removesuffix("|?")
    if match := _RANGE.fullmatch(text):
        return float(match[1]), float(match[2])
    if match := _OPEN.fullmatch(text):
        return float(match[1] or match[2]), float("inf")
    try:
        return float(text), float(text)
    except ValueError:
        return None


def _members(text: str) -> list[str]:
    """List the members of a group of names.

    >>> _members("Black|Other"), _members("Black, Other")
    (['Black', 'Other'], ['Black', 'Other'])
    """
    return [part.strip() for part in text.strip("[]{}").split("|" if "|" in text else ",")]


def _width(text: str) -> float:
    """Say how many values an interval covers, as far as its words tell.

    >>> _width("20-39"), _width("Black|Other"), _width("A|...7 more...|Z"), _width("Male")
    (20.0, 2, 9, 1)
    """
    ends = _ends(text)
    if ends is not None:
        return ends[1] - ends[0] + 1 + text.endswith("|?")
    more = re.search(r"\.\.\.(\d+) more\.\.\.", text)
    return len(_members(text)) + (int(more[1]) - 1 if more else 0)


def _holding(intervals: list[str], imagined: str) -> str | None:
    """Find the interval that a made-up value falls into."""
    at = _ends(imagined)
    for text in intervals:
        ends = _ends(text)
        inside = at is not None and ends is not None and ends[0] <= at[0] <= ends[1]
        if inside or text == imagined or imagined in _members(text):
            return text
    return intervals[0] if len(intervals) == 1 else None


def _imagined(text: str) -> str:
    """Make up a value of an interval: its lower end, or its first member."""
    ends = _ends(text)
    return f"{ends[0]:g}" if ends is not None else _members(text)[0]


def _stride(size: int) -> int:
    """Step through intervals so that a few made-up people spread over all of them."""
    step = max(round(size * 0.382), 1)
    while math.gcd(step, size) > 1:
        step += 1
    return step


def _attribute(name: str, entry: Any, intervals: list[str]) -> AttributePolicy:
    widest = max(intervals, key=_width)
    declared = mapping(entry).get("treatment") if isinstance(entry, Mapping) else None
    if declared in {"unchanged", "generalised", "removed"}:
        treatment = declared
    elif len(intervals) <= 1:
        treatment = "removed"
    elif _width(widest) == 1:
        treatment = "unchanged"
    else:
        treatment = "generalised"
    return AttributePolicy(
        name=name,
        treatment=treatment,
        intervals=len(intervals),
        widest=widest,
        shown=tuple(intervals[:_SHOWN]),
    )


def _policy(
    name: str, described: Any, people: list[list[str]] | None, order: list[str]
) -> tuple[Policy | None, Any]:
    """Read a policy and apply it to made-up people; make these up when there are none yet."""
    place = {column: i for i, column in enumerate(order)}
    listed = sorted(mapping(described).items(), key=lambda pair: place.get(pair[0], len(place)))
    by_name = {
        column: (entry, found)
        for key, entry in listed
        if (column := column_name(key)) is not None and (found := _intervals(entry))
    }
    if not by_name:
        return None, people
    if people is None:
        people = [
            [
                _imagined(found[(i * _stride(len(found)) + j) % len(found)])
                for j, (_, found) in enumerate(by_name.values())
            ]
            for i in range(_EXAMPLES)
        ]
    example = tuple(
        tuple(
            _holding(found, person[j]) or "any" if j < len(person) else "any"
            for j, (_, found) in enumerate(by_name.values())
        )
        for person in people
    )
    attributes = tuple(_attribute(n, entry, found) for n, (entry, found) in by_name.items())
    return Policy(name=name, attributes=attributes, example=example), people


def _groups(listed: Any) -> tuple[GroupSize, ...]:
    found = []
    for entry in items(listed):
        low, records = whole(mapping(entry).get("low")), whole(mapping(entry).get("records"))
        if low is not None and records is not None:
            found.append(
                GroupSize(
                    low=low,
                    high=whole(entry.get("high")),
                    records=records,
                    risk_share=fraction(entry.get("risk_share")),
                )
            )
    return tuple(found)


def _columns(content: Mapping[str, Any], role: str) -> list[str]:
    """List the columns of a role in the schema that the exploration wrote down."""
    attributes = [mapping(a) for a in items(mapping(content.get("schema")).get("attribute"))]
    return [str(a.get("name")) for a in attributes if a.get("role") == role]


def _has_population(source: Source) -> bool | None:
    said, cells = (
        flag(parameter(source, "population")),
        whole(parameter(source, "population_cells")),
    )
    return cells > 0 if said is None and cells is not None else said


def _least(measured: Mapping[str, Any], chosen: Mapping[str, Any], *names: str) -> int | None:
    """Find a number of people, measured on the output or else promised; rounded down."""
    found = [number(place.get(name)) for place in (measured, chosen) for name in names]
    return next((math.floor(n) for n in found if n is not None), None)


def _sensitive(entry: Mapping[str, Any], declared: Any) -> tuple[SensitiveColumn, ...]:
    diversity, closeness = mapping(entry.get("l_diversity")), mapping(entry.get("t_closeness"))
    allowed = {d for d in items(declared) if isinstance(d, str)}
    found = []
    for name in sorted({*diversity, *closeness}):
        least, most = whole(diversity.get(name)), number(closeness.get(name))
        declared_name = column_name(name) is not None and (not allowed or name in allowed)
        if declared_name and (least is not None or most is not None):
            found.append(SensitiveColumn(name=name, l_diversity=least, t_closeness=most))
    return tuple(found)


def tables_part(source: Source, part_id: str, choose: str | None = None) -> TablesPart:
    """Gather the facts of a table's release."""
    fields = common(source, part_id, choose)
    content = source.frontier or {}
    chosen_id = fields["chosen"].id if fields["chosen"] else None
    candidates = [mapping(c) for c in items(content.get("candidates"))]
    chosen = next((c for c in candidates if c.get("id") == chosen_id), {})
    harbor = next(
        (mapping(r) for r in items(content.get("references")) if mapping(r).get("name") == "Safe Harbor"),
        {},
    )  # fmt: skip
    described = chosen.get("policy") or parameter(source, "policy")
    order = list(column_names(parameter(source, "quasi"))) or _columns(content, "quasi")
    policy, people = _policy("This policy", described, None, order)
    safe_harbor, _ = _policy("Safe Harbor", harbor.get("policy"), people, order)
    people_in = number(parameter(source, "population_people"))
    how = mapping((source.release or {}).get("how"))
    axes = mapping(content.get("axes"))
    risk_measure = known(axes.get("risk"), {"prosecutor", "small-groups"}) or "population"
    loss = axes.get("utility")
    loss_measure = (
        known(loss.removeprefix("1 − "), {"class-size", "mutual-information"})
        if isinstance(loss, str)
        else None
    ) or "kl"
    measured = mapping((source.release or {}).get("measured"))
    return TablesPart(
        **fields,
        risk_measure=cast("Any", risk_measure),
        loss_measure=cast("Any", loss_measure),
        rows=whole(parameter(source, "records", "rows"))
        or next((f.rows for f in fields["inputs"] if f.rows), None),
        population=_has_population(source),
        population_people=None if people_in is None else round(people_in),
        quasi=tuple(n for n in order if column_name(n) is not None)
        or tuple(a.name for a in (policy.attributes if policy else ())),
        identifiers_removed=column_names(
            how.get("identifiers_removed") or how.get("identifiers_dropped")
        ),
        columns_kept=tuple(c for c in column_names(how.get("columns_kept")) if c not in order),
        columns_not_in_schema=column_names(how.get("columns_not_in_schema")),
        loss_nats=number(chosen.get("loss_nats")),
        max_risk=number(parameter(source, "expected_reidentified")),
        policy=policy,
        safe_harbor=safe_harbor,
        groups=_groups(measured.get("sizes"))
        or _groups(measured.get("groups"))
        or _groups(chosen.get("groups")),
        groups_before=_groups(content.get("groups_before")),
        smallest_group=_least(measured, chosen, "smallest_population_group"),
        k=_least(measured, chosen, "smallest_sample_group", "k", "smallest_group"),
        sensitive=_sensitive(
            measured if "l_diversity" in measured else chosen, _columns(content, "sensitive")
        ),
    )
