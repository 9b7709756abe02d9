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
    "hierarchy_names",
    "hierarchy_nodes",
    "hierarchy_order",
    "hierarchy_rows",
]

Span = tuple[int, int]


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
    if isinstance(hierarchy, str):
        return hierarchy_names(folder / hierarchy, domain)
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
        levels += [[name_in(v, unit) for v in domain] for unit in hierarchy.units or []]
    nodes: dict[Span, str] = {(0, len(domain) - 1): "*"} if len(domain) > 1 else {}
    for level, names in enumerate(levels, 1):
        _add_level(nodes, names, f"A group of level {level} in the hierarchy")
    return nodes


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


def hierarchy_names(
    path: str | os.PathLike[str], domain: Sequence[str]
) -> dict[tuple[int, int], str]:
    """Return the name of each interval (first and last position) of two values or more that the hierarchy allows.

    The name is the hierarchy's own, of the lowest level. A group whose values are not side by side in
    the domain's order is an error: order the domain by the hierarchy (`hierarchy_order`) instead.
    """
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
    nodes: dict[tuple[int, int], str] = {}
    for level in range(1, len(rows[0])):
        names = [known[value][level] for value in domain]
        _add_level(nodes, names, f"A group of level {level} in the hierarchy {name!r}")
    return nodes


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
