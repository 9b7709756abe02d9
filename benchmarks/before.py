"""The same commands on this tree and on another checkout (SFUMATO_BEFORE), in turns, best of several.

Time is the CPU time of the command and its children, so that a busy machine matters less.
"""

from __future__ import annotations

import gzip
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks._common import ROOT

TIMES = 3


def _data(folder: Path) -> None:
    """Write inputs that are large enough for start-up to matter little."""
    import numpy as np
    from scipy import sparse

    from sfumato.data.samples import write_samples
    from sfumato.data.samples.purchases import purchase_log

    write_samples(folder / "s")
    with gzip.open(folder / "s" / "more_notes.jsonl.gz", "rt", encoding="utf-8") as stream:
        lines = stream.readlines()
    with (folder / "notes.jsonl").open("w", encoding="utf-8") as out:
        for copy in range(160):
            out.writelines(line.replace('"id": "', f'"id": "c{copy}-', 1) for line in lines)
    rows = (folder / "s" / "register.csv").read_text(encoding="utf-8").splitlines()
    with (folder / "register.csv").open("w", encoding="utf-8") as out:
        out.write(rows[0] + "\n")
        for _ in range(900):
            out.write("\n".join(rows[1:]) + "\n")
    log = purchase_log(8_000, 4_000)
    sparse.save_npz(folder / "log.npz", log.matrix)
    np.savetxt(folder / "log.labels.txt", log.labels, fmt="%d")


def _commands(out: Path, *, now: bool) -> dict[str, list[str]]:
    text = ["text", "explore", "s/notes.jsonl.gz", "--label", "NAME,PHONE", "--attackers", "crf"]
    tables = ["tables", "explore", "s/register.csv", "--schema", "s/schema.toml", "--population",
              "s/population.csv", "--evaluations", "20000"]  # fmt: skip
    baskets = ["baskets", "explore", "log.npz", "--labels", "log.labels.txt", "--k", "5",
               "--selector", "hamdist"]  # fmt: skip
    columns = ["--publish-as", "columns"] if now else []  # columns alone, as before: cells are new
    accept = (
        ["--accept-worse"] if now else []
    )  # the same rows many times over are not the explored table
    at = lambda name: ["--out", str(out / name), "--quiet"]  # noqa: E731
    return {
        "text explore": [*text, *at("text")],
        "text publish": ["text", "publish", str(out / "text"), "notes.jsonl", "--ratio", "10", "--threads", "1", *at("text-r")],
        "tables explore": [*tables, *at("tables")],
        "tables publish": ["tables", "publish", str(out / "tables"), "register.csv", "--knee", "--threads", "1", *accept, *at("tables-r")],
        "baskets explore": [*baskets, *columns, *at("baskets")],
        "baskets publish": ["baskets", "publish", str(out / "baskets"), "log.npz", "--knee", *at("baskets-r")],
    }  # fmt: skip


def _seconds(tree: Path, folder: Path, words: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", *words], cwd=folder, env=environment, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def run() -> dict[str, Any]:
    given = os.environ.get("SFUMATO_BEFORE")
    if given is None:
        print("   SFUMATO_BEFORE names no other checkout: nothing to compare with.")
        return {"compared": {}}
    trees = {"before": Path(given), "now": ROOT}
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _data(folder)
        for turn in range(TIMES + 1):  # the first turn fills the caches of compiled loops
            for side, tree in trees.items():
                out = folder / side
                shutil.rmtree(out, ignore_errors=True)
                out.mkdir()
                for command, words in _commands(out, now=side == "now").items():
                    seconds = _seconds(tree, folder, words)
                    if turn:
                        best = found.setdefault(command, {})
                        best[side] = min(best.get(side, seconds), round(seconds, 3))
    for command, best in found.items():
        best["ratio"] = round(best["now"] / best["before"], 3)
        print(
            f"   {command:16} before {best['before']:7.2f} s  now {best['now']:7.2f} s  ratio {best['ratio']:.2f}"
        )
    return {"compared": found, "best_of": TIMES, "clock": "CPU seconds of the command"}
