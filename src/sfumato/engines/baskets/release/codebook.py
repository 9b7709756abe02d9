"""The codebook of a release under a hierarchy: which names are items and which are categories, and of what."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path

from ....core.files import spreadsheet_safe
from ....data.hierarchy import hierarchy_rows

__all__ = ["write_categories"]


def write_categories(
    hierarchy: str | os.PathLike[str], published: Sequence[str], folder: Path, record: str
) -> Path:
    """Write a line per published name: whether it is an item or a category, and the published names above it.

    A person with an item has its categories, too, so rows of both must not be counted together.

    Parameters
    ----------
    hierarchy : path
        The hierarchy; what is above what is read from all its lines, whichever items the data holds.
    published : sequence of str
        The names in the release; no others are written.
    folder : Path
        Where the release is written.
    record : str
        The name of its record.

    """
    shown = set(published)
    above: dict[str, set[str]] = {}
    categories: set[str] = set()
    for names in hierarchy_rows(hierarchy):
        categories.update(name for name in names[1:] if name != names[0])
        for i, name in enumerate(names):
            above.setdefault(name, set()).update(n for n in names[i + 1 :] if n != name)
    path = folder / f"{record.removesuffix('release.json')}codebook.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("name", "kind", "categories"))
        for name in published:
            kind = "category" if name in categories else "item"
            listed = "|".join(sorted(above.get(name, set()) & shown))
            writer.writerow([spreadsheet_safe(name), kind, spreadsheet_safe(listed)])
    return path
