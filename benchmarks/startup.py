"""How long sfumato takes to start: CPU seconds of short commands beside those of bare Python, in turns.

The commands run as the console script runs them.
With a commit in SFUMATO_BEFORE that tree is measured too, in the same turns.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks._common import ROOT
from benchmarks.same import check_out

TURNS = 7
HELP = {
    "sfumato --version": ["--version"],
    "sfumato --help": ["--help"],
    "sfumato text --help": ["text", "--help"],
    "sfumato tables explore --help": ["tables", "explore", "--help"],
    "sfumato baskets publish --help": ["baskets", "publish", "--help"],
}
ONE = "sfumato text publish, one document"
NUMBA = "one cached kernel of numba"
KERNEL = """
import numba, numpy

@numba.njit("int64(int64[::1])", cache=True)
def first(numbers):
    return numbers[0]

first(numpy.arange(1))
"""
SCRIPT = """
import sys
try:
    from sfumato.__main__ import main
except ImportError:  # before the script had a module of its own
    from sfumato.cli import main
main()
"""


def _seconds(words: list[str], folder: Path, tree: Path | None = None) -> float:
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode
    if tree is not None:
        environment["PYTHONPATH"] = str(tree / "src")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def _commands(folder: Path, name: str, tree: Path) -> dict[str, list[str]]:
    """Return the commands of a tree, after an exploration by it that publishing needs."""
    (folder / name).mkdir()  # a release beside others is judged together with them
    explore = ["text", "explore", "samples/notes.jsonl.gz", "--label", "NAME", "--ratios", "10",
               "--folds", "2", "--attackers", "none", "--quiet", "--out", f"{name}/explored"]  # fmt: skip
    publish = ["text", "publish", f"{name}/explored", "one.jsonl", "--ratio", "10", "--force", "--quiet",
               "--out", f"{name}/released"]  # fmt: skip
    for words in (explore, publish):  # the second compiles what is not compiled yet
        _seconds(["-c", SCRIPT, *words], folder, tree)
    return {**HELP, ONE: publish}


def run() -> dict[str, Any]:
    """Measure this tree and, where SFUMATO_BEFORE names a commit, that one."""
    import gzip

    from sfumato.data.samples import write_samples

    old = os.environ.get("SFUMATO_BEFORE")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_samples(folder / "samples")
        with gzip.open(folder / "samples/more_notes.jsonl.gz", "rt", encoding="utf-8") as stream:
            (folder / "one.jsonl").write_text(stream.readline(), encoding="utf-8")
        trees = {"now": ROOT}
        if old:
            trees["before"] = check_out(old).parent
        return _measure(folder, trees)


def _measure(folder: Path, trees: dict[str, Path]) -> dict[str, Any]:
    commands = {name: _commands(folder, name, tree) for name, tree in trees.items()}
    python = numba = float("inf")
    (folder / "kernel.py").write_text(KERNEL, encoding="utf-8")  # what all kernels cost at least
    best: dict[str, dict[str, float]] = {what: {} for what in [*HELP, ONE]}
    for _ in range(TURNS):
        python = min(python, _seconds(["-c", "pass"], folder))
        numba = min(numba, _seconds(["kernel.py"], folder))
        for name, tree in trees.items():
            for what, words in commands[name].items():
                taken = _seconds(["-c", SCRIPT, *words], folder, tree)
                best[what][name] = min(best[what].get(name, taken), taken)
    print(f"   {NUMBA}: {numba:.3f} s ({numba / python:.1f} ×)")
    for what, times in best.items():
        print(f"   {what}: " + ", ".join(f"{n} {t:.3f} s ({t / python:.1f} ×)" for n, t in times.items()))  # fmt: skip
    return {
        "cpu_seconds": {"python": round(python, 4), NUMBA: round(numba, 4)}
        | {what: {n: round(t, 4) for n, t in times.items()} for what, times in best.items()},
        "times_bare_python": {
            what: {n: round(t / python, 1) for n, t in times.items()}
            for what, times in best.items()
        },
        "turns": TURNS,
    }
