"""`text publish` of JSON lines on this tree and at another commit (SFUMATO_BEFORE), in turns.

Every turn runs the same command once with each tree, the order alternating; the best and the median of the turns
are kept, as CPU seconds of the command and its children (which a busy machine changes little) and as wall-clock seconds. Sizes are
megabytes, by default 60 and 300; SFUMATO_MEGABYTES names others, separated by commas, and SFUMATO_TURNS how many
turns there are. A small file is published with each tree first, which fills caches and is not counted.

Three commands are compared: with each tree's own defaults; with new ids on both sides; and with ids, order and
fields kept on both sides, which gives the same file. This tree does more in all of them: it reads back what it
wrote, and keeps the edits for the steward.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks._common import ROOT
from benchmarks.json_lines import generate
from benchmarks.same import check_out

_TURNS = "3"
_MEGABYTES = "60,300"
EXPLORE = ["text", "explore", "s/notes.jsonl.gz", "--label", "NAME,PHONE", "--ratios", "10", "--attackers", "none"]  # fmt: skip
_OPTIONS: dict[str, dict[str, list[str]]] = {
    "defaults": {"before": [], "now": []},
    "new ids": {"before": ["--new-ids"], "now": []},
    "the same file": {"before": [], "now": ["--keep-ids", "--keep", "ward", "--keep", "score"]},
}


def run_command(source: Path, folder: Path, words: list[str]) -> dict[str, float]:
    """Run a command of a tree; return its seconds and its peak memory."""
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONHASHSEED": "0"}
    begun = time.monotonic()
    with tempfile.TemporaryFile("w+") as told:
        process = subprocess.Popen(
            [sys.executable, "-m", "sfumato", *words, "--quiet"], cwd=folder, env=environment,
            stdout=subprocess.DEVNULL, stderr=told,
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            told.seek(0)
            raise RuntimeError(f"{' '.join(words)}: {told.read()}")
    return {
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        "wall_seconds": round(time.monotonic() - begun, 2),
        "peak_megabytes": used.ru_maxrss >> 10,
    }


def _in_turns(trees: dict[str, Path], folder: Path, options: dict[str, list[str]]) -> dict[str, Any]:  # fmt: skip
    """Publish with each tree in turns."""
    turns = int(os.environ.get("SFUMATO_TURNS", _TURNS))
    seen: dict[str, list[dict[str, float]]] = {side: [] for side in trees}
    for turn in range(turns):
        for side in sorted(trees, reverse=bool(turn % 2)):
            out = folder / f"{side}-release"
            for made in folder.glob(
                f"*{out.name}*"
            ):  # with its private folder, or the list beside it
                shutil.rmtree(made) if made.is_dir() else made.unlink()
            words = ["text", "publish", f"{side}-frontier", "notes.jsonl", "--ratio", "10", *options[side], "--out", out.name]  # fmt: skip
            seen[side].append(run_command(trees[side], folder, words))
    found: dict[str, Any] = {"turns": turns}
    for clock in ("cpu_seconds", "wall_seconds", "peak_megabytes"):
        of = {side: [spent[clock] for spent in turns] for side, turns in seen.items()}
        for name, summary in (("best", min), ("median", statistics.median)):
            best = {side: summary(values) for side, values in of.items()}
            ratio = round(best["now"] / best["before"], 3)
            found[f"{clock}_{name}"] = {**best, "ratio": ratio}
    return found


def run() -> dict[str, Any]:
    given = os.environ.get("SFUMATO_BEFORE")
    if given is None:
        print("   SFUMATO_BEFORE names no other commit: nothing to compare with.")
        return {"compared": {}}
    trees = {"before": check_out(given), "now": ROOT / "src"}
    sizes = [int(n) for n in os.environ.get("SFUMATO_MEGABYTES", _MEGABYTES).split(",")]
    compared: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run_command(ROOT / "src", folder, ["samples", "s"])
        for side, tree in trees.items():
            run_command(tree, folder, [*EXPLORE, "--out", f"{side}-frontier"])
        generate(folder / "notes.jsonl", 2_000_000)
        _in_turns(trees, folder, _OPTIONS["new ids"])
        for size in sizes:
            written = generate(folder / "notes.jsonl", size * 1_000_000)
            for what, options in _OPTIONS.items():
                found = _in_turns(trees, folder, options)
                compared[f"{size} MB, {what}"] = {"bytes": written, **found}
                for clock, figures in found.items():
                    print(f"   {size} MB, {what}: {clock} {figures}", flush=True)
    return {"compared": compared, "command": "text publish, JSON lines, all cores"}
