"""The tables of the baskets engine's part of a report."""

from __future__ import annotations

from ....core.story import Grid
from ....presentation.language import say
from ....presentation.numbers import count, percent, plural, to_places
from ..records import BasketsCandidate, BasketsFrontier, Finding

__all__ = ["attack_grid", "candidates_grid", "kept_grid", "knowledge_grid"]


def _in_order(
    frontier: BasketsFrontier, chosen: BasketsCandidate | None
) -> tuple[list[BasketsCandidate], int | None]:
    ordered = sorted(frontier.candidates, key=lambda c: (c.k, c.id))
    ids = [c.id for c in ordered]
    return ordered, ids.index(chosen.id) if chosen is not None and chosen.id in ids else None


def candidates_grid(frontier: BasketsFrontier, chosen: BasketsCandidate | None) -> Grid:
    """Show every candidate, the chosen one marked."""
    heads = (
        ("k", "baskets.k"), (say("Rows left"), "baskets.left"), ("AC", "baskets.ac"),
        (say("Unique rows"), "baskets.unique"), (say("Features"), "baskets.count"), (say("Ones"), "baskets.ones"),
        (say(frontier.utility), "baskets.kept"), (say("Candidate"), None),
    )  # fmt: skip
    ordered, marked = _in_order(frontier, chosen)
    rows = tuple(
        (
            count(c.k), count(c.promised), count(c.ac), percent(c.unique_share), count(c.count),
            percent(c.ones / max(frontier.ones, 1)), to_places(c.utility.value), c.selector or c.id,
        )
        for c in ordered
    )  # fmt: skip
    return Grid("tradeoff", say("Every candidate"), heads, rows, marked)


def kept_grid(frontier: BasketsFrontier, chosen: BasketsCandidate | None) -> Grid:
    """Show every measure of what is kept, for every candidate."""
    ordered, marked = _in_order(frontier, chosen)
    names = list(dict.fromkeys(name for c in ordered for name in c.kept))
    heads = ((say("Candidate"), None), *((say(name), "baskets.kept") for name in names))
    rows = tuple(
        (c.id, *(to_places(c.kept[name]) if name in c.kept else "–" for name in names))
        for c in ordered
    )
    return Grid("cost", say("What each candidate keeps"), heads, rows, marked)


def knowledge_grid(chosen: BasketsCandidate) -> Grid:
    """Show how many rows are left, by what is known, whatever the promise was about."""
    rows = [
        (
            say("at most {m} {int}", m=m, int=plural(int(m), "item")),
            _left(left, chosen.items_exact.get(m, True)),
        )
        for m, left in chosen.left_by_items.items()
    ]
    rows.append((say("any items"), count(chosen.ac)))
    rows += [
        (
            say("any items and at most {m} {int}", m=m, int=plural(int(m), "absence")),
            _left(left, chosen.absences_exact.get(m, True)),
        )
        for m, left in chosen.ac_under_absences.items()
    ]
    rows.append((say("everything, absences included"), count(chosen.smallest_group)))
    return Grid(
        "attack", say("Rows left at least, by what is known of a person"),
        ((say("Known"), None), (say("Rows left"), "baskets.left")), tuple(rows), words=True,
    )  # fmt: skip


def attack_grid(chosen: BasketsCandidate) -> Grid:
    """Show how often attackers point at the right row, before and after."""

    def known(f: Finding) -> str:
        words = (
            say("all items")
            if f.items is None
            else f"{count(f.items)} {plural(f.items, 'item')}, {say(f.attacker)}"
        )
        return words + (
            f", {count(f.absences)} {plural(f.absences, 'absence')}" if f.absences else ""
        )

    rows = tuple(
        (
            known(f), percent(f.before), percent(f.after),
            f"{percent(f.after_interval[0])}–{percent(f.after_interval[1])}", percent(f.highest),
            count(f.rows_after),
        )
        for f in chosen.attack
    )  # fmt: skip
    heads = (
        (say("Known"), None), (say("Right before"), "baskets.attack"), (say("Right after"), "baskets.attack"),
        (say("Range"), "interval"), (say("For one person at most"), "baskets.attack"), (say("Rows left"), None),
    )  # fmt: skip
    return Grid(
        "attack", say("Attacks: the chance to point at the right row"), heads, rows,
        note=say("{people} people were drawn; the attacker guesses among the rows that hold most of what is known.", people=count(chosen.attack[0].people)),
    )  # fmt: skip


def _left(value: int, exact: bool) -> str:
    return count(value) if exact else say("{value} or fewer", value=count(value))
