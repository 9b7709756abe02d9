"""Tables of counts: protection of random tables by linear programmes, cells hidden beside the fewest, and time.

`python -m benchmarks tabulation`.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd

from sfumato.core.errors import ReleaseRefusedError
from sfumato.engines.tables.tabulation.audit import derived_ranges, narrowest_range
from sfumato.engines.tables.tabulation.cube import Cube
from sfumato.engines.tables.tabulation.exact import hide_fewest, prune
from sfumato.engines.tables.tabulation.hypercubes import hide_by_hypercubes
from sfumato.engines.tables.tabulation.protection import EXACT, protect
from sfumato.engines.tables.tabulation.steps import tabulate

SHAPES = ((3, 3), (4, 4), (5, 4), (2, 3, 3), (3, 3, 2), (6, 6))
TABLES = 1_000
COMPARED = 100
HIGH = 5
NODES = 1_000_000  # of the programme that the published cells are compared with
ROWS = 1_000_000


def run() -> dict[str, Any]:
    """Measure protection, the number of cells hidden, and the time of a large table."""
    dice = np.random.default_rng(0)
    narrow = refused = small_cells = hidden_cells = 0
    narrowest = float("inf")
    compared: list[tuple[int, ...]] = []
    begin = time.process_time()
    for number in range(TABLES):
        cube = _random(dice, SHAPES[number % len(SHAPES)])
        primary = (cube.counts >= 1) & (cube.counts <= HIGH)
        try:
            found = protect(cube, 1, HIGH)
        except ReleaseRefusedError:
            refused += 1
            continue
        small = np.flatnonzero(primary.ravel()).tolist()
        small_cells += len(small)
        hidden_cells += int(found.hidden.sum())
        if small:
            range_ = narrowest_range(derived_ranges(cube, found.hidden, small))
            narrow += range_ < HIGH - 1e-6
            narrowest = min(narrowest, range_)
        if small and len(compared) < COMPARED and cube.counts.size * len(small) <= EXACT:
            fewest = hide_fewest(cube, primary, HIGH, nodes=NODES)
            boxes = hide_by_hypercubes(cube, primary, HIGH)
            if fewest is not None and not boxes.unprotected:
                # the solver's tolerance now and then hides a cell that no small one needs
                fewest = prune(cube, primary, fewest, HIGH)
                pruned = prune(cube, primary, boxes.hidden, HIGH)
                kinds = (fewest, found.hidden, pruned, boxes.hidden)
                compared.append(tuple(int(hidden.sum()) for hidden in kinds))
        if number % 100 == 99:
            print(f"   {number + 1} tables, {time.process_time() - begin:.0f} s", flush=True)
    return {
        "tables": TABLES,
        "shapes": [list(shape) for shape in SHAPES],
        "must_be_as_wide_as": HIGH,
        "narrowest_range": narrowest,
        "tables_with_a_small_count_in_a_range_too_narrow": narrow,
        "tables_refused": refused,
        "small_cells": small_cells,
        "hidden_cells": hidden_cells,
        "seconds": round(time.process_time() - begin, 1),
        "beside_the_fewest": _beside(compared),
        "large": _large(dice),
    }


def _beside(compared: list[tuple[int, ...]]) -> dict[str, Any]:
    """Add up the cells hidden beside the fewest that a mixed-integer programme proves.

    Boxes that are pruned are what larger tables get.
    """
    kinds = np.array(compared, dtype=np.int64).reshape(-1, 4).T
    fewest = kinds[0]
    found: dict[str, Any] = {"tables": len(compared), "fewest": int(fewest.sum())}
    for name, hidden in zip(("published", "boxes_pruned", "boxes"), kinds[1:], strict=True):
        found[name] = {
            "hidden": int(hidden.sum()),
            "tables_with_the_fewest": int((hidden == fewest).sum()),
            "hidden / fewest": round(float(hidden.sum()) / max(int(fewest.sum()), 1), 4),
        }
    return found


def _random(dice: np.random.Generator, shape: tuple[int, ...]) -> Cube:
    inner = dice.negative_binomial(1, 0.06, shape) * (dice.random(shape) < 0.9)
    return Cube.of_inner(
        [f"c{a}" for a in range(len(shape))], [[str(i) for i in range(n)] for n in shape], inner
    )


def _large(dice: np.random.Generator) -> dict[str, Any]:
    """Time a million rows by four columns."""
    frame = pd.DataFrame(
        {
            "age": dice.integers(0, 18, ROWS) * 5,
            "sex": dice.integers(0, 2, ROWS),
            "region": dice.integers(0, 16, ROWS),
            "kind": dice.choice(
                12, ROWS, p=np.geomspace(1, 0.001, 12) / np.geomspace(1, 0.001, 12).sum()
            ),
        }
    )
    begin = time.process_time()
    made = tabulate(frame, list(frame.columns), "cms")
    assert made.protection is not None
    return {
        "rows": ROWS,
        "cells": int(made.shown.size),
        "small": int(made.protection.primary.sum()),
        "hidden": made.hidden,
        "proof": made.protection.proof,
        "seconds": round(time.process_time() - begin, 1),
    }
