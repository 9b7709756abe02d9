"""The chart of the tables engine: who carries the risk."""

from __future__ import annotations

from ....core.story import Chart, View
from ....presentation.drawing import fill_spec
from ....presentation.language import say
from ....presentation.numbers import count, percent
from ..records import GroupSize

__all__ = ["groups_chart"]


def _short(share: float) -> str:
    """Return a share in the width of a bar.

    >>> _short(0.0043), _short(0.0), _short(0.187)
    ('<1%', '', '19%')
    """
    return "" if share == 0 else f"<{percent(0.01)}" if share < 0.01 else percent(round(share, 2))


def _words(low: int, high: int | None) -> str:
    """Return a range of sizes in words.

    >>> _words(5, 9), _words(1, 1), _words(1000, None)
    ('5–9', '1', '1,000+')
    """
    if high is None:
        return f"{count(low)}+"
    return count(low) if low == high else f"{count(low)}–{count(high)}"


def _common_sizes(*counted: tuple[GroupSize, ...]) -> list[tuple[int, int | None]]:
    """Return ranges of sizes that hold each range of several histograms whole: they may be divided differently.

    >>> a = GroupSize(low=1, high=2, records=5, risk_share=1.0)
    >>> b = GroupSize(low=2, high=2, records=5, risk_share=0.5)
    >>> c = GroupSize(low=3, high=4, records=5, risk_share=0.5)
    >>> _common_sizes((a,), (b, c))
    [(1, 2), (3, 4)]
    """
    found: list[tuple[int, int | None]] = []
    for size in sorted((s for sizes in counted for s in sizes), key=lambda s: s.low):
        if found and (found[-1][1] is None or size.low <= found[-1][1]):
            low, high = found.pop()
            high = None if high is None or size.high is None else max(high, size.high)
            found.append((low, high))
        else:
            found.append((size.low, size.high))
    return found


def _join_sizes(sizes: tuple[GroupSize, ...], low: int, high: int | None) -> GroupSize | None:
    """Return what a histogram counts in a range of sizes; None where it counts nothing."""
    inside = [s for s in sizes if s.low >= low and (high is None or s.low <= high)]
    if not inside:
        return None
    share = min(1.0, sum(s.risk_share for s in inside))
    return GroupSize(low=low, high=high, records=sum(s.records for s in inside), risk_share=share)


def groups_chart(
    part_id: str, groups: tuple[GroupSize, ...], before: tuple[GroupSize, ...]
) -> Chart | None:
    """Show records and risk by the size of the population group, published and unchanged."""
    total, unchanged_total = sum(g.records for g in groups), sum(g.records for g in before)
    if not total:
        return None
    unchanged = before if unchanged_total else ()
    bars: list[tuple[str, str, float]] = []  # size, what, share
    said = []
    for low, high in _common_sizes(groups, unchanged):
        size = _words(low, high)
        g, was = _join_sizes(groups, low, high), _join_sizes(unchanged, low, high)
        shares = [
            (say("of the records, published"), g.records / total if g else 0.0),
            (say("of the risk, published"), g.risk_share if g else 0.0),
        ]
        if unchanged:
            share = was.records / unchanged_total if was else 0.0
            shares.insert(0, (say("of the records, unchanged table"), share))
        bars += [(size, what, share) for what, share in shares]
        if g is not None:
            said.append(
                say(
                    "groups of {size}: {records} of the records and {risk_share} of the risk",
                    size=size,
                    records=percent(g.records / total),
                    risk_share=percent(g.risk_share),
                )
            )
    rows = [
        {
            "size": size,
            "what": what,
            "share": share,
            "label": _short(share),
            "says": say(
                "groups of {size}: {share} {what}", size=size, share=percent(share), what=what
            ),
        }
        for size, what, share in bars
    ]
    drawn = fill_spec("groups", rows=rows)
    present = {what for _, what, _ in bars}
    scale = drawn["layer"][0]["encoding"]["color"]["scale"]
    kept = [i for i, what in enumerate(scale["domain"]) if what in present]
    scale["domain"], scale["range"] = ([scale[k][i] for i in kept] for k in ("domain", "range"))
    return Chart(
        f"{part_id}-groups",
        "attack",
        say("Who carries the risk: records by population group"),
        say(
            "Records and risk by the size of the population group: {groups}.",
            groups="; ".join(said),
        ),
        (View("", drawn),),
        (say("Group size"), say("Share"), ""),
        tuple((size, percent(share), what) for size, what, share in bars),
    )
