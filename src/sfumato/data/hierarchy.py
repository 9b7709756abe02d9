"""Generalisation hierarchies: files in ARX's form (a row per value, from itself to the top), or built ones.

Only their groups are taken: the intervals of the ordered domain that a hierarchy would publish as one.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Sequence
from pathlib import Path

from ..core.errors import DataError, FormatError, InputError
from ..core.files import check_plain_file
from .attributes import Hierarchy
from .calendar import name_in

__all__ = [
    "hierarchy_levels",
    "hierarchy_nodes",
    "hierarchy_order",
    "hierarchy_rows",
]

Span = tuple[int, int]
_UNITS = ("month", "quarter", "year", "decade")


def hierarchy_nodes(
    hierarchy: str | Hierarchy, domain: Sequence[str], folder: Path
) -> dict[Span, str]:
    """Return the intervals of two values or more that a hierarchy allows, with its own name of each.

    Parameters
    ----------
    hierarchy : str or Hierarchy
        A file of the folder in ARX's form, or how the hierarchy is built.
    domain : sequence of str
        The values in their order, without the missing one.
    folder : Path
        Where a file is looked for.

    >>> hierarchy_nodes(Hierarchy(prefix=[1, 3]), ["A00.0", "A00.1", "A01.0", "B20.0"], Path())
    {(0, 3): '*', (0, 1): 'A00**', (0, 2): 'A****'}

    """
    names, what = _names_by_level(hierarchy, domain, folder)
    nodes: dict[Span, str] = {}
    if not isinstance(hierarchy, str) and len(domain) > 1:
        nodes[0, len(domain) - 1] = "*"
    for level, of_level in enumerate(names, 1):
        _add_level(nodes, of_level, f"A group of level {level} in {what}")
    return nodes


def hierarchy_levels(
    hierarchy: str | Hierarchy, domain: Sequence[str], folder: Path
) -> tuple[tuple[int, ...], ...]:
    """Return, by level from the values to one single group, the places after which its groups end.

    Parameters are those of `hierarchy_nodes`.

    >>> hierarchy_levels(Hierarchy(prefix=[1, 3]), ["A00.0", "A00.1", "A01.0", "B20.0"], Path())
    ((0, 1, 2, 3), (1, 2, 3), (2, 3), (3,))

    """
    if not domain:
        return ()
    places, last = range(len(domain)), len(domain) - 1
    names = [list(domain), *_names_by_level(hierarchy, domain, folder)[0]]
    levels = [tuple(i for i in places if i == last or of[i] != of[i + 1]) for of in names]
    return tuple(levels) if levels[-1] == (last,) else (*levels, (last,))


def _names_by_level(
    hierarchy: str | Hierarchy, domain: Sequence[str], folder: Path
) -> tuple[list[list[str]], str]:
    """Return the names of the values' groups by level above the values, and what the hierarchy is called."""
    if isinstance(hierarchy, str):
        return _names_in_file(folder / hierarchy, domain)
    levels: list[list[str]] = []
    if hierarchy.prefix is not None:
        lengths = {len(v) for v in domain}
        longest = lengths.pop() if len(lengths) == 1 else 0
        levels += [
            [f"{v[:length]}{'*' * max(longest - length, 1)}" for v in domain]
            for length in sorted(hierarchy.prefix, reverse=True)
        ]
    elif hierarchy.widths is not None:
        levels += [_by_width(domain, width) for width in sorted(hierarchy.widths)]
    else:
        units = sorted(hierarchy.units or [], key=_UNITS.index)
        levels += [[name_in(v, unit) for v in domain] for unit in units]
    return levels, "the hierarchy"


def _by_width(domain: Sequence[str], width: int) -> list[str]:
    """Name the interval of a width that each number falls in."""
    try:
        lows = [math.floor(float(v) / width) * width for v in domain]
    except ValueError:
        raise DataError(
            "A hierarchy by widths is for numbers.", hint="use prefix for codes."
        ) from None
    return [f"{low}-{low + width - 1}" for low in lows]


def _add_level(nodes: dict[Span, str], names: Sequence[str], what: str) -> None:
    groups: dict[str, list[int]] = {}
    for position, label in enumerate(names):
        groups.setdefault(label, []).append(position)
    for label, positions in groups.items():
        low, high = positions[0], positions[-1]
        if high - low + 1 != len(positions):
            raise DataError(
                f"{what} is not an interval of the domain.",
                hint="list the domain's values in the order of the hierarchy.",
            )
        if high > low:
            nodes.setdefault((low, high), label)


def _names_in_file(
    path: str | os.PathLike[str], domain: Sequence[str]
) -> tuple[list[list[str]], str]:
    """Return the names of the values' groups by level in a file, and what the file is called."""
    rows = hierarchy_rows(path)
    known = {row[0]: row for row in rows}
    name = Path(path).name
    lacking = [i for i, value in enumerate(domain) if value not in known]
    if lacking:
        raise DataError(
            f"The hierarchy {name!r} lacks {len(lacking)} values of the domain "
            f"(the first is number {lacking[0] + 1}).",
            hint="each value of the domain needs a row.",
        )
    levels = [[known[value][level] for value in domain] for level in range(1, len(rows[0]))]
    return levels, f"the hierarchy {name!r}"


def hierarchy_order(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the values in an order in which every group of the hierarchy is an interval."""
    rows = hierarchy_rows(path)
    rank: list[dict[str, int]] = [{} for _ in rows[0]]
    for row in rows:
        for level, label in enumerate(row):
            rank[level].setdefault(label, len(rank[level]))
    ordered = sorted(
        rows, key=lambda row: [rank[i][label] for i, label in reversed(list(enumerate(row)))]
    )
    return tuple(row[0] for row in ordered)


def hierarchy_rows(path: str | os.PathLike[str]) -> list[list[str]]:
    """Return the rows of a hierarchy file: each value, then its groups up to the top."""
    path = Path(path)
    check_plain_file(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(
            f"The hierarchy file {path.name!r} does not exist.",
            hint="it is expected in the folder of the schema.",
        ) from None
    except UnicodeDecodeError:
        raise FormatError(f"The hierarchy file {path.name!r} is not UTF-8 text.") from None
    except (OSError, ValueError):  # a folder, a name that no file can have
        raise InputError(f"The hierarchy file {path.name!r} cannot be read.") from None
    first = text.split("\n", 1)[0]
    delimiter = max(";,\t", key=first.count)
    try:
        rows = [
            [c.strip() for c in row]
            for row in csv.reader(text.splitlines(), delimiter=delimiter)
            if row
        ]
    except csv.Error as error:
        raise FormatError(f"The hierarchy file {path.name!r} is not readable as CSV.") from error
    if not rows or len(rows[0]) < 2:
        raise FormatError(f"The hierarchy file {path.name!r} has no level above its values.")
    if any(len(row) != len(rows[0]) for row in rows):
        raise FormatError(f"The rows of the hierarchy file {path.name!r} differ in length.")
    rows = [list(row) for row in dict.fromkeys(map(tuple, rows))]  # a row repeated says nothing new
    if len({row[0] for row in rows}) != len(rows):
        raise FormatError(f"The hierarchy file {path.name!r} holds a value twice.")
    return rows
