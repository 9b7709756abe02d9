"""Exploring a million rows by seven quasi-identifiers, beside another checkout: CPU seconds and memory.

`SFUMATO_BEFORE=CHECKOUT python -m benchmarks explore_rows`; each tree explores the same file in a process of its own, in
turns, after a small table has compiled the loops. SFUMATO_ROWS is the number of rows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._common import ROOT

ROWS = 1_000_000
EVALUATIONS = 500
TURNS = 2
RANGES = {
    "age": [0, 99], "sex": [0, 1], "region": [1, 49], "edu": [1, 16], "job": [1, 14], "marital": [1, 7],
    "month": [1, 12],
}  # fmt: skip
_WORK = """
import json, resource, sys, time
import pandas as pd
from sfumato import tables
path, schema, evaluations = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
tables.explore(pd.read_csv(path, nrows=2_000), schema=schema, evaluations=50)
begin = time.process_time()
found = tables.explore(path, schema=schema, evaluations=evaluations)
print(json.dumps({
    "cpu_seconds": round(time.process_time() - begin, 1),
    "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    "candidates": len(found.candidates),
    "area": round(found.area(), 5),
}))
"""


def run() -> dict[str, Any]:
    """Explore the same table by this tree and by the other one."""
    rows = int(os.environ.get("SFUMATO_ROWS", ROWS))
    trees = {"now": ROOT}
    if "SFUMATO_BEFORE" in os.environ:
        trees["before"] = Path(os.environ["SFUMATO_BEFORE"])
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in trees}
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "people.csv"
        frame = _people(rows)
        frame.to_csv(path, index=False)
        for _ in range(TURNS):
            for name, tree in trees.items():
                found[name].append(_explored(tree, path))
                print(f"   {name}: {found[name][-1]}", flush=True)
    best = {name: min(seen, key=lambda r: r["cpu_seconds"]) for name, seen in found.items()}
    results = {
        "rows": rows,
        "distinct": len(frame.drop_duplicates()),
        "quasi_identifiers": len(RANGES),
        "evaluations": EVALUATIONS,
        "turns": TURNS,
        **best,
    }
    if "before" in best:
        ratio = best["now"]["cpu_seconds"] / best["before"]["cpu_seconds"]
        results["cpu_now / before"] = round(ratio, 3)
    return results


def _people(rows: int) -> pd.DataFrame:
    """Draw people, most of whom are alone in their combination of values."""
    dice = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": np.clip(dice.normal(45, 14, rows), 0, 99).astype(int),
            "sex": dice.integers(0, 2, rows),
            "region": np.minimum(dice.geometric(0.15, rows), 49),
            "edu": np.minimum(dice.geometric(0.2, rows), 16),
            "job": np.minimum(dice.geometric(0.3, rows), 14),
            "marital": np.minimum(dice.geometric(0.4, rows), 7),
            "month": dice.integers(1, 13, rows),
        }
    )


def _explored(tree: Path, path: Path) -> dict[str, Any]:
    schema = {
        "attribute": [
            {"name": name, "role": "quasi", "domain": {"range": ends}}
            for name, ends in RANGES.items()
        ]
    }
    done = subprocess.run(
        [sys.executable, "-c", _WORK, str(path), json.dumps(schema), str(EVALUATIONS)],
        env={**os.environ, "PYTHONPATH": str(tree / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result
