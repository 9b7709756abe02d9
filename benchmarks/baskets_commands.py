"""The whole command line on generated baskets of 10⁴ to 10⁶ rows: CPU time and peak memory of each command.

SFUMATO_COMMANDS_ROWS (1,000,000) makes the largest size smaller.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from benchmarks._common import resumed
from benchmarks.baskets import generated

SIZES = ((10_000, 1_000), (100_000, 10_000), (1_000_000, 100_000))
ONES_PER_ROW = 9
MEMORY_LIMIT_GB = 1.5
COLUMNS, CELLS = "support-k5", "cells-k5"


def run() -> dict[str, Any]:
    most = int(os.environ.get("SFUMATO_COMMANDS_ROWS", "1_000_000"))
    found = [_at(rows, items) for rows, items in SIZES if rows <= most]
    peak = max(c["peak_gb"] for size in found for c in size["commands"].values())
    return {
        "sizes": found,
        "growth": {
            name: [
                round(large["commands"][name]["cpu_seconds"] / small["commands"][name]["cpu_seconds"], 1)
                for small, large in itertools.pairwise(found)
            ]
            for name in found[0]["commands"]
        },
        "met": {"memory": peak <= MEMORY_LIMIT_GB},
    }  # fmt: skip


def _at(rows: int, items: int) -> dict[str, Any]:
    """Run every command in a process of its own; finished ones are kept if the run is cut short."""
    folder = Path(tempfile.gettempdir(), f"sfumato-commands-{rows}")
    folder.mkdir(mode=0o700, exist_ok=True)
    source = folder / "baskets.npz"
    if not source.exists():
        made = generated(rows, items, ONES_PER_ROW * rows, templates=20_000)[0]
        sp.save_npz(folder / "beside.npz", made)
        (folder / "beside.npz").rename(source)
    explored, release = folder / "explored", folder / "release.npz"
    commands = {
        "explore": ["explore", source, "--k", "5", "--selector", "support", "--out", explored],
        "publish columns": ["publish", explored, source, "--choose", COLUMNS,
                            "--out", folder / "columns.npz"],
        "publish cells": ["publish", explored, source, "--choose", CELLS, "--out", release],
        "audit": ["audit", release],
        "attack": ["attack", explored, source, "--choose", CELLS, "--out", folder / "attack.json"],
        "report": ["report", explored, "--out", folder / "report"],
    }  # fmt: skip
    out = {}
    for name, command in commands.items():
        key = f"{rows}-{name.replace(' ', '-')}"
        out[name] = resumed("baskets_commands", key, lambda c=command: _timed(c))
        print(f"   {rows:,} {name}: {out[name]}", flush=True)
    return {"rows": rows, "items": items, "ones": ONES_PER_ROW * rows, "commands": out}


def _timed(command: list[Any]) -> dict[str, float]:
    part = [] if command[0] == "report" else ["baskets"]
    words = [sys.executable, "-m", "sfumato", *part, *map(str, command), "--quiet", "--force"]
    if command[0] == "audit":
        words.remove("--force")
    start = time.perf_counter()
    child = os.posix_spawn(sys.executable, words, {**os.environ, "NUMBA_NUM_THREADS": "1"})
    _, status, used = os.wait4(child, 0)
    assert status == 0, (command[0], status)
    return {
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        "seconds": round(time.perf_counter() - start, 2),
        "peak_gb": round(used.ru_maxrss / 1e6, 2),
    }
