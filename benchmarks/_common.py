"""Shared by all benchmarks: where the data is, how a figure is timed, how results are written."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sfumato.core.records import versions

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
_UNFINISHED = ROOT / "benchmarks" / ".unfinished"


def data_folder() -> Path | None:
    """Find the folder with real data; None where it does not exist."""
    folder = Path(os.environ.get("SFUMATO_DATA", ROOT.parent / "shared" / "data"))
    return folder if folder.is_dir() else None


def best_of(times: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """Time a function several times by this thread's CPU clock; give the best time and the last result."""
    best, result = float("inf"), None
    for _ in range(times):
        start = time.thread_time()
        result = work()
        best = min(best, time.thread_time() - start)
    return best, result


def resumed(part: str, key: str, work: Callable[[], Any]) -> Any:
    """Return what a piece of a long benchmark found, from an earlier run that was cut short if there was one.

    Pieces are plain JSON and are forgotten when the results of the part are written.
    """
    path = unfinished_path(part, f"{key}.json")
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    found = work()
    beside = path.with_suffix(".tmp")
    beside.write_text(json.dumps(found), encoding="utf-8")
    beside.rename(path)
    return found


def unfinished_path(part: str, name: str) -> Path:
    """Return the path of a file that a long benchmark keeps until its results are written."""
    path = _UNFINISHED / part / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def write_results(part: str, results: dict[str, Any], *, unfinished: bool = False) -> Path:
    """Write benchmarks/results/<part>.json with the versions and the machine's size; what is unfinished can go on."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{part}.json"
    machine = {"cores": os.cpu_count(), "system": platform.system(), "machine": platform.machine()}
    content = {"versions": versions(), "machine": machine, **results}
    text = json.dumps(content, indent=1, sort_keys=True, allow_nan=False)
    flat = re.sub(
        r"\[([^][{}]*)\]", lambda m: f"[{' '.join(m[1].split())}]", text
    )  # a list per line
    path.write_text(flat + "\n", encoding="utf-8")
    if not unfinished:
        shutil.rmtree(_UNFINISHED / part, ignore_errors=True)
    return path
