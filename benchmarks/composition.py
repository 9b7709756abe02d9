"""Two releases of a million rows together, next to one group-by of the same rows in the same run.

`python -m benchmarks composition` writes benchmarks/results/composition.json.
"""

from __future__ import annotations

import time

import numpy as np

from sfumato.core.composition.joint import (
    ReleaseCodes,
    bound_without_link,
    combine_codes,
    group_sizes,
    join_groups,
)

ROWS = 1_000_000


def run(rows: int = ROWS) -> dict[str, object]:
    """Time linked groups and the bound without a link; the best of three."""
    draw = np.random.default_rng(0)
    age, area = draw.integers(0, 96, rows), draw.integers(0, 480, rows)
    sex, shown = draw.integers(0, 2, rows), draw.integers(0, 200, rows)
    columns = [[age // 5, area // 10, sex], [(age + 2) // 5, area // 12, sex]]
    here = np.arange(rows)
    small = [column[:1000] for column in columns[0]]
    bound_without_link(
        *[ReleaseCodes(combine_codes(small), shown[:1000])] * 2, here[:1000], here[:1000]
    )
    join_groups(combine_codes(small), combine_codes(small))
    times: dict[str, list[float]] = {"codes": [], "linked": [], "unlinked": [], "group_by": []}
    for _ in range(3):
        began = time.perf_counter()
        first, second = (combine_codes(c) for c in columns)
        times["codes"].append(time.perf_counter() - began)
        began = time.perf_counter()
        linked = join_groups(first, second)
        times["linked"].append(time.perf_counter() - began)
        began = time.perf_counter()
        bound = bound_without_link(
            ReleaseCodes(first, shown), ReleaseCodes(second, shown), here, here
        )
        times["unlinked"].append(time.perf_counter() - began)
        began = time.perf_counter()
        key = np.zeros(rows, np.int64)
        for column in (*columns[0], *columns[1]):
            key = key * 512 + column
        np.unique(key, return_inverse=True, return_counts=True)
        times["group_by"].append(time.perf_counter() - began)
    best = {name: round(min(found), 4) for name, found in times.items()}
    return {
        "rows": rows,
        "seconds": best,
        "linked_with_codes": round(best["codes"] + best["linked"], 4),
        "unlinked_with_codes": round(best["codes"] + best["unlinked"], 4),
        "ratio_linked_to_group_by": round((best["codes"] + best["linked"]) / best["group_by"], 3),
        "group_by": "numpy.unique of one number for the six columns, with places and counts",
        "k": {
            "first": int(group_sizes(first).min()),
            "second": int(group_sizes(second).min()),
            "linked": int(linked.min()),
            "unlinked": int(bound.min()),
        },
    }
