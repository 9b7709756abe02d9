"""Generalisation hierarchies in the form of ARX: a CSV with a row for each value, from itself to the top.

Only their groups are taken: the intervals of the ordered domain that a hierarchy would publish as one.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path

from ..core.errors import DataError, FormatError, InputError

__all__ = ["hierarchy_names", "hierarchy_order", "read_hierarchy"]


def read_hierarchy(
    path: str | os.PathLike[str], domain: Sequence[str]
) -> tuple[tuple[int, int], ...]:
    """Return the intervals (first and last position) of two values or more that the hierarchy allows.

    A group whose values do not stand side by side in the domain's order is an error: order the domain
    by the hierarchy (`hierarchy_order`) instead.
    """
    return tuple(sorted(hierarchy_names(path, domain)))


def hierarchy_names(
    path: str | os.PathLike[str], domain: Sequence[str]
) -> dict[tuple[int, int], str]:
    """Return the intervals of `read_hierarchy` with the hierarchy's own name of each; the lowest level's."""
    rows = _rows(path)
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
        groups: dict[str, list[int]] = {}
        for position, value in enumerate(domain):
            groups.setdefault(known[value][level], []).append(position)
        for label, positions in groups.items():
            low, high = positions[0], positions[-1]
            if high - low + 1 != len(positions):
                raise DataError(
                    f"A group of level {level} in the hierarchy {name!r} is not an interval of the domain.",
                    hint="list the domain's values in the order of the hierarchy file.",
                )
            if high > low:
                nodes.setdefault((low, high), label)
    return nodes


def hierarchy_order(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the values in an order in which every group of the hierarchy is an interval."""
    rows = _rows(path)
    rank: list[dict[str, int]] = [{} for _ in rows[0]]
    for row in rows:
        for level, label in enumerate(row):
            rank[level].setdefault(label, len(rank[level]))
    ordered = sorted(
        rows, key=lambda row: [rank[i][label] for i, label in reversed(list(enumerate(row)))]
    )
    return tuple(row[0] for row in ordered)


def _rows(path: str | os.PathLike[str]) -> list[list[str]]:
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(
            f"The hierarchy file {path.name!r} does not exist.",
            hint="it is looked for beside the schema.",
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
