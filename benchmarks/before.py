"""The same commands on this tree and at another commit (SFUMATO_BEFORE), in turns, best of several.

Time is the CPU time of the command and its children, so that a busy machine matters less. SFUMATO_COMMANDS names
commands, separated by commas, that alone are measured again; what was found of the others is kept.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks._common import RESULTS, ROOT, data_folder
from benchmarks.same import check_out

TIMES = int(os.environ.get("SFUMATO_TIMES", "4"))  # the first fills the caches of compiled loops
TURNS = int(os.environ.get("SFUMATO_TURNS", "6"))
"""Of the loops alone: shared machines differ by a fifth from one minute to the next."""
ONLY = [name for name in os.environ.get("SFUMATO_COMMANDS", "").split(",") if name]


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


def _commands(out: Path) -> dict[str, list[str]]:
    text = ["text", "explore", "s/notes.jsonl.gz", "--label", "NAME,PHONE", "--attackers", "crf"]
    tables = ["tables", "explore", "s/register.csv", "--schema", "s/schema.toml", "--population",
              "s/population.csv", "--evaluations", "20000"]  # fmt: skip
    baskets = ["baskets", "explore", "log.npz", "--labels", "log.labels.txt", "--k", "5",
               "--selector", "hamdist"]  # fmt: skip
    # The same rows many times over are not the explored table.
    accept = ["--accept-worse"]
    at = lambda name: ["--out", str(out / name), "--quiet"]  # noqa: E731
    return {
        "text explore": [*text, "--threads", "1", *at("text")],
        "text publish": ["text", "publish", str(out / "text"), "notes.jsonl", "--ratio", "10", "--threads", "1", *at("text-r")],
        "tables explore": [*tables, *at("tables")],
        "tables publish": ["tables", "publish", str(out / "tables"), "register.csv", "--knee", "--threads", "1", *accept, *at("tables-r")],
        "baskets explore": [*baskets, "--publish-as", "columns", *at("baskets")],
        "baskets publish": ["baskets", "publish", str(out / "baskets"), "log.npz", "--knee", *at("baskets-r")],
    }  # fmt: skip


def _seconds(tree: Path, folder: Path, words: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode
    done = subprocess.run(
        [sys.executable, "-m", "sfumato", *words], cwd=folder, env=environment, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


# What the benchmarks of speed measure, by each tree's own benchmarks, without what a command adds.
_KERNELS = """
import json, sys
from pathlib import Path
import numpy as np
from scipy import sparse
from benchmarks import tables, text_speed
from benchmarks._common import best_of, data_folder
from benchmarks.baskets import large
folder, real = Path(sys.argv[1]), data_folder()
table = tables.read_table(
    real / "table" / "adult" / "adult_tn_zip_SYNTH.csv.gz", tables.TENNESSEE,
    real / "table" / "population" / "tn_zip_age_sex_adultrace5_2010_MODELLED.csv.gz",
)
problem = tables.Problem.of(table)
tables._warm(problem)
cells, draw = problem.cells, np.random.default_rng(0)
policies = [(draw.random(cells.length) < s).astype(np.uint8) for s in np.linspace(0.05, 0.95, 19)]
order = draw.permutation(cells.length)
cells.walk(order)
found = {"tables: any policy": best_of(7, lambda: [cells.measure(b) for b in policies])[0],
         "tables: chain": best_of(9, lambda: cells.walk(order))[0],
         "tables: maintained greedy": tables._greedy(problem)[0]}
X, y = sparse.load_npz(folder / "log.npz"), np.loadtxt(folder / "log.labels.txt", dtype=int)
for _ in range(4):
    for name, part in large(X, y).items():
        if isinstance(part, dict):
            kept = found.setdefault(f"baskets: {name}", part["seconds"])
            found[f"baskets: {name}"] = min(kept, part["seconds"])
documents = text_speed.corpus("litbank")
def learn():
    words = text_speed.Vocabulary()
    tokens = text_speed.tokenize([d.text for d in documents], words)
    labels = text_speed.labels_from_spans(documents, tokens, ["NAME"]).astype(np.uint8)
    return text_speed.CRF().fit(text_speed.TokenData.of(tokens, words), labels)
learn()
found["text: learning"] = best_of(3, learn)[0]
candidate = text_speed.default_candidate(documents)
bare = [text_speed.Document(d.id, d.text) for d in documents]  # what people marked is new work
rate = text_speed.publishing(bare, candidate, Path("none"))["sfumato_words_per_second"]
found["text: publishing"] = 1e6 / rate
print(json.dumps(found))
"""


def _kernels(tree: Path, folder: Path, data: Path) -> dict[str, float]:
    environment = {
        **os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}", "SFUMATO_DATA": str(data)
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", _KERNELS, str(folder)], cwd=tree, env=environment, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def run() -> dict[str, Any]:
    given = os.environ.get("SFUMATO_BEFORE")
    if given is None:
        print("   SFUMATO_BEFORE names no other commit: nothing to compare with.")
        return {"compared": {}}
    load = [round(os.getloadavg()[1], 2)]
    trees = {"before": check_out(given).parent, "now": ROOT}
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _data(folder)
        for turn in range(TIMES):
            commands = {}
            for side in trees:
                out = folder / side
                shutil.rmtree(out, ignore_errors=True)
                out.mkdir()
                commands[side] = _commands(out)
            # One right after the other, each first in turn: the machine's load changes within minutes.
            sides = sorted(trees, reverse=bool(turn % 2))
            for command, side in product(ONLY or commands["now"], sides):
                seconds = _seconds(trees[side], folder, commands[side][command])
                best = found.setdefault(command, {})
                best[side] = round(min(best.get(side, seconds), seconds), 3)
        real = data_folder()
        loops = TURNS if real and not ONLY else 0
        for _, (side, tree) in product(range(loops), trees.items()):
            assert real is not None
            for name, seconds in _kernels(tree, folder, real).items():
                best = found.setdefault(name, {})
                best[side] = min(best.get(side, seconds), round(seconds, 5))
    for command, best in found.items():
        best["ratio"] = round(best["now"] / best["before"], 3)
        print(
            f"   {command:26} before {best['before']:8.3f} s  now {best['now']:8.3f} s  ratio {best['ratio']:.2f}"
        )
    load.append(round(os.getloadavg()[1], 2))
    if ONLY:
        earlier: dict[str, Any] = json.loads((RESULTS / "before.json").read_text(encoding="utf-8"))
        again = {"commands": ONLY, "best_of": TIMES, "load_of_5_minutes": load}
        return {
            **{k: v for k, v in earlier.items() if k not in ("machine", "versions")},
            "compared": earlier["compared"] | found,
            "measured_again": again,
        }
    return {
        "compared": found,
        "best_of": {"commands": TIMES, "loops": TURNS},
        "clock": "CPU seconds of a command, seconds of a loop",
        "load_of_5_minutes": load,
    }
