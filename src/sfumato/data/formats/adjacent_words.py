"""Words that touch: `<span>Ann</span><span>Perez</span>` is drawn as two words where a style sheet says so.

Styles are dropped, and an element may as well end inside a word. So the text joins what touches, and a further
order reads it apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["PARTING", "read_apart"]

_PARTING = "a abbr bdi cite code data img input kbd label nobr q samp span sub sup time tt var wbr"
PARTING = frozenset(_PARTING.split())
"""Elements inside a line of HTML at whose ends a word may end; bold letters and the like do not part words."""
_AROUND = 60  # characters of the line that are read again on both sides


def read_apart(text: str, places: Iterable[int]) -> list[Sequence[int]]:
    """Return orders of stretches of a text in which the words that touch at some places are read apart.

    >>> read_apart("AnnPerez", [3])
    [[0, 1, 2, -1, 3, 4, 5, 6, 7]]
    """
    orders: list[list[int]] = []
    last = 0
    for place in sorted({*places}):
        if not text[max(0, place - 1) : place].isalnum() or not text[place : place + 1].isalnum():
            continue
        start = max(text.rfind("\n", 0, place) + 1, place - _AROUND)
        end = text.find("\n", place, place + _AROUND)
        end = min(place + _AROUND, len(text)) if end < 0 else end
        if not orders or start > last:
            orders.append([])
            last = start
        order = orders[-1]
        if place < last:  # the stretch before reaches beyond this place
            del order[order.index(place) :]
            last = place
        order += [*range(last, place), -1, *range(place, end)]
        last = end
    return [*orders]
