"""Items under a hierarchy: the categories of a person's items become items, too.

A row that holds an item then holds its categories, too. A release may publish a category where it cannot
publish the item, and whatever is promised covers someone who knows items, categories, or both.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..core.errors import DataError
from .baskets import Baskets, check_names
from .hierarchy import hierarchy_rows

__all__ = ["with_categories"]

_TOP = {"*", ""}


def with_categories(baskets: Baskets, path: str | os.PathLike[str]) -> Baskets:
    """Return the baskets with a further column per category of the hierarchy.

    Parameters
    ----------
    baskets : Baskets
        The rows.
    path : path
        A hierarchy in ARX's form: a line per item, from the item to the top. Items that it lacks have
        no category; a category that everything is under ("*") tells nothing and is skipped.

    """
    place = {name: i for i, name in enumerate(baskets.feature_names)}
    number: dict[str, int] = {}
    items: list[int] = []
    groups: list[int] = []
    for item, *over in hierarchy_rows(path):
        if item not in place:
            continue
        for name in dict.fromkeys(over):
            if name in _TOP or name == item:
                continue
            items.append(place[item])
            groups.append(number.setdefault(name, len(number)))
    if not number:
        raise DataError(
            "The hierarchy gives no item of the data a category.",
            hint="its first column holds the items' names, the next ones their categories.",
        )
    clashing = len(set(number) & set(place))
    if clashing:
        raise DataError(
            f"{clashing:,} {'category' if clashing == 1 else 'categories'} of the hierarchy {'has' if clashing == 1 else 'have'} the name of an item.",
            hint="give the categories different names.",
        )
    above_items = sp.csr_matrix(
        (np.ones(len(items), dtype=np.int32), (items, groups)),
        shape=(len(place), len(number)),
    )
    held = (baskets.matrix.astype(np.int32) @ above_items).tocsr()
    held.data[:] = 1
    matrix = sp.hstack([baskets.matrix, held.astype(np.uint8)], format="csr")
    matrix.sort_indices()
    names = (*baskets.feature_names, *number)
    check_names(names)
    above = sp.csr_matrix(
        (np.ones(len(items), dtype=np.int32), (items, len(place) + np.asarray(groups))),
        shape=(len(names), len(names)),
    )
    files = (*baskets.files, Path(path))
    return replace(baskets, matrix=matrix, feature_names=names, files=files, above=above)
