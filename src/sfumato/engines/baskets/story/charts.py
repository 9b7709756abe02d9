"""Charts of the baskets engine: k with uniqueness, known absences, and what k costs."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ....core.story import Chart, View
from ....presentation.drawing import BLUE, INK, ORANGE, Spec, bounds_of, fill_spec, headroom
from ....presentation.language import say
from ....presentation.numbers import count, percent, to_places
from ..records import BasketsCandidate, BasketsFrontier

__all__ = ["absences_chart", "quality_chart", "uniqueness_chart"]


@dataclass(frozen=True)
class _BestPerK:
    """What the charts show of the best candidate at one k."""

    k: str
    auc: float
    low: float
    high: float
    count: int
    ac: int
    unique: float
    fill: str
    warn: str
    says: str


def _best_per_k(
    frontier: BasketsFrontier | None, chosen: BasketsCandidate | None
) -> list[_BestPerK]:
    """Return one row per k: the chosen candidate where it is of that k, else the best one."""
    mine = None if chosen is None else chosen.id
    best: dict[int, BasketsCandidate] = {}
    for c in () if frontier is None else frontier.candidates:
        held = best.get(c.k)
        if (
            held is None
            or c.id == mine
            or (held.id != mine and c.utility.value > held.utility.value)
        ):
            best[c.k] = c
    rows = []
    for k, c in sorted(best.items()):
        ends = c.utility.interval
        rows.append(
            _BestPerK(
                k=str(k),
                auc=c.utility.value,
                low=c.utility.value if ends is None else ends.low,
                high=c.utility.value if ends is None else ends.high,
                count=c.count,
                ac=c.ac,
                unique=c.unique_share,
                fill=INK if c.id == mine else BLUE,
                warn=INK if c.id == mine else ORANGE,
                says=say(
                    "k {k}: utility {utility}, {c} features, AC {ac}, {unique_share} unique",
                    k=k,
                    utility=to_places(c.utility.value),
                    c=count(c.count),
                    ac=c.ac,
                    unique_share=percent(c.unique_share),
                ),
            )
        )
    return rows


def quality_chart(
    part_id: str, frontier: BasketsFrontier | None, chosen: BasketsCandidate | None
) -> Chart | None:
    """Show the utility and the features kept, by k."""
    rows = _best_per_k(frontier, chosen)
    if not rows or frontier is None:
        return None
    line = [
        {
            "auc": r.utility.value,
            "label": say("everything: {utility}", utility=to_places(r.utility.value)),
        }
        for r in frontier.references[:1]
    ]
    drawn = fill_spec("quality", rows=[asdict(r) for r in rows], all=line)
    ys = [v for r in rows for v in (r.low, r.high)]
    ys += [r.utility.value for r in frontier.references[:1]]
    drawn["hconcat"][0]["encoding"]["y"]["scale"]["domain"] = bounds_of(ys, 0.12)
    _set_title(drawn["hconcat"][0], frontier.utility)
    headroom(drawn, 1, [r.count for r in rows])
    alt = say("Quality and features by k: ") + "; ".join(r.says for r in rows)
    return Chart(
        f"{part_id}-quality", "cost", say("What k costs"), f"{alt}.", (View("", drawn),),
        ("k", frontier.utility, say("Features")), tuple((r.k, to_places(r.auc), count(r.count)) for r in rows),
        (("ink", say("the candidate in this report")), ("blue", say("the best candidate at another k"))),
    )  # fmt: skip


def _set_title(panel: Spec, utility: str) -> None:
    """Name the axis after the utility that was chosen."""
    title = "AUC" if utility == "auc" else say("Utility: {utility}", utility=utility)
    panel["encoding"]["y"]["title"] = title
    if isinstance(panel.get("title"), str):
        panel["title"] = title


def uniqueness_chart(
    part_id: str, frontier: BasketsFrontier | None, chosen: BasketsCandidate | None
) -> Chart | None:
    """Show, for each k, the rows that fit known presences and the share of unique rows."""
    rows = _best_per_k(frontier, chosen)
    if not rows:
        return None
    alt = say("Rows that fit known presences, beside unique rows: ") + "; ".join(
        r.says for r in rows
    )
    drawn = fill_spec("uniqueness", rows=[{**asdict(r), "label": percent(r.unique)} for r in rows])
    headroom(drawn, 0, [r.ac for r in rows])
    most = max(r.unique for r in rows)
    share = drawn["hconcat"][1]["encoding"]["y"]
    share["scale"]["domain"] = [0, 1.08] if most > 0.4 else [0, max(most * 1.25, 0.01)]
    if most <= 0.4:
        share["axis"] = {"format": "~%", "tickCount": 5}
    return Chart(
        f"{part_id}-uniqueness", "attack", say("Presences and absences, side by side"), f"{alt}.",
        (View("", drawn),), ("k", "AC", say("Unique rows")),
        tuple((r.k, count(r.ac), percent(r.unique)) for r in rows),
        (("ink", say("the candidate in this report")),),
    )  # fmt: skip


def absences_chart(part_id: str, chosen: BasketsCandidate | None) -> Chart | None:
    """Show how many rows still fit when absences are known too."""
    if chosen is None or not chosen.ac_under_absences:
        return None
    known = [("0", chosen.ac, True)]
    known += [
        (m, left, chosen.absences_exact.get(m, True))
        for m, left in chosen.ac_under_absences.items()
        if m != "0"
    ]
    rows = [
        {
            "absences": m,
            "ac": left,
            "says": say(
                "{m} known absences: {exact}{left} rows fit",
                m=m,
                exact="" if exact else say("at most "),
                left=left,
            ),
        }
        for m, left, exact in known
    ]
    alt = say("Rows that still fit: ") + "; ".join(str(r["says"]) for r in rows)
    return Chart(
        f"{part_id}-absences", "attack", say("When absences are known too"), f"{alt}.",
        (View("", fill_spec("absences", rows=rows)),), (say("Known absences"), say("Rows that fit")),
        tuple((m, count(left)) for m, left, _ in known),
    )  # fmt: skip
