"""Ten million rows of eight columns: exploring with conditions and suppression, each in a process of its own.

What counts is how memory and time grow with the rows and with the distinct cells. SFUMATO_ROWS (10,000,000) makes
it smaller.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import resumed

SCHEMA = {
    "attribute": [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 99]}},
        {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
        {"name": "region", "role": "quasi", "domain": {"range": [1, 12]}},
        {"name": "education", "role": "quasi", "domain": {"range": [1, 6]}},
        {"name": "household", "role": "quasi", "domain": {"range": [1, 4]}},
        {"name": "illness", "role": "sensitive"},
        {"name": "income", "role": "other"},
        {"name": "hours", "role": "other"},
    ]
}
ASKED: dict[str, dict[str, Any]] = {
    "plain": {},
    "k 11, 2 values, 1 % left out": {"min_k": 11, "min_l": 2, "suppress": 0.01},
}
_CHUNK = 500_000
_CHILD = """
import json, resource, sys, time
from benchmarks.rows import SCHEMA
from sfumato import tables
start = time.process_time()
found = tables.explore(sys.argv[1], schema=SCHEMA, evaluations=300, **json.loads(sys.argv[2]))
print(json.dumps({
    "cpu_seconds": round(time.process_time() - start, 2),
    "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    "cells": found.record.cells,
    "candidates": len(found.candidates),
    "best_utility": max(c.utility.value for c in found.candidates),
}))
"""


def run() -> dict[str, Any]:
    rows = int(os.environ.get("SFUMATO_ROWS", "10_000_000"))
    results: dict[str, Any] = {"columns": len(SCHEMA["attribute"]), "evaluations": 300}
    with tempfile.TemporaryDirectory(prefix="sfumato-rows-") as name:
        for many in (rows // 10, rows):
            path = Path(name) / f"people-{many}.parquet"
            results[f"{many:,} rows"] = {
                title: resumed("rows", f"{many}-{n}", partial(_explored, path, many, asked))
                for n, (title, asked) in enumerate(ASKED.items())
            }
            print(f"   {many:,} rows: {json.dumps(results[f'{many:,} rows'])}", flush=True)
    return results


def write(path: Path, rows: int) -> None:
    """Write a table of people in chunks; the same seed for every size."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(0)
    writer = None
    for first in range(0, rows, _CHUNK):
        table = _people(draw, min(_CHUNK, rows - first), pa)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _people(draw: np.random.Generator, rows: int, pa: Any) -> Any:
    age = np.clip(draw.gamma(6.0, 7.0, rows), 0, 99).astype(np.int32)
    return pa.table({
        "age": age,
        "sex": pa.array(np.where(draw.random(rows) < 0.51, "f", "m")),
        "region": np.minimum(draw.geometric(0.2, rows), 12).astype(np.int32),
        "education": 1 + np.minimum(draw.poisson(1 + age / 40), 5).astype(np.int32),
        "household": 1 + np.minimum(draw.poisson(1.2, rows), 3).astype(np.int32),
        "illness": pa.array(np.char.add("i", np.minimum(draw.geometric(0.15, rows), 20).astype(str))),
        "income": np.round(draw.lognormal(7.5, 0.6, rows), 0),
        "hours": draw.integers(0, 61, rows).astype(np.int32),
    })  # fmt: skip


def _explored(path: Path, rows: int, asked: dict[str, Any]) -> dict[str, Any]:
    if not path.exists():
        write(path, rows)
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, str(path), json.dumps(asked)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
