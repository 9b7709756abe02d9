"""Where the tests' time goes: CPU seconds by item, by file and by room, children included.

    python -m benchmarks.suite [--log FILE.jsonl] [--top 20] [pytest arguments …]
    python -m benchmarks.suite --against COMMIT [--seconds 540]

Wall-clock time says nothing on a busy machine; CPU seconds differ by about a tenth from run to run. With `--log`
the seconds of single items are kept, and items that stand there already are not run again: a long measurement
goes on where it stopped.

With `--against` the suite of an older commit and today's run in turns, each in one process, each with the tests and
the source of its own tree and the packages of this environment. After `--seconds` the command stops; called again it
goes on. What was measured so far is in benchmarks/results/suite.json, with the suites that are not through. A test that stands in both is
found by its file and name, in a file that moved by the file's last name and its own, and else by its own name alone
where no other test is called so; an example of a docstring also by the name of what it documents. `_suite_moved` says
of all others which tests hold their check today.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import site
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._common import ROOT, write_results
from benchmarks._cpu_log import COLLECTION
from benchmarks._suite_moved import account
from benchmarks.same import check_out

_LOGS = ROOT / "benchmarks" / ".unfinished" / "suite"
_THROUGH = {0, 1, 5}  # pytest's status of a run in which all passed, some failed, or none were left
_STOPPED = 2
_TURN = 540.0  # seconds of one tree, then of the other: what fixtures share is made once in a turn


class Tree(NamedTuple):
    """A checkout, and the Python in which its own sfumato is installed."""

    root: Path
    python: str


class Item(NamedTuple):
    """What an item took, compiling told apart, and how it ended."""

    seconds: float
    compiling: float
    outcome: str


def measure(log: Path, arguments: list[str], tree: Tree, until: float = float("inf")) -> int:
    """Run pytest in one process with the plugin that logs; return its status."""
    environment = {**os.environ, "SFUMATO_CPU_LOG": str(log.resolve()), "PYTHONHASHSEED": "0"}
    # Beside nothing else: a path with the benchmarks on it would be one on which tests find modules.
    plugin = ROOT / "build" / "suite" / "plugin"
    plugin.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "benchmarks" / "_cpu_log.py", plugin)
    environment |= {"SFUMATO_CPU_UNTIL": str(until), "PYTHONPATH": str(plugin)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as in make: processes share their bytecode
    command = [tree.python, "-m", "pytest", "-q", "-p", "_cpu_log", *arguments]
    return subprocess.run(command, cwd=tree.root, env=environment, check=False).returncode


def read(log: Path) -> dict[str, Item]:
    """Return what each item took; of an item that was run twice, the last."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return {
        e["item"]: Item(e["seconds"], e["compiling"], e.get("outcome", "passed"))
        for e in map(json.loads, lines)
    }


def describe(found: dict[str, Item], top: int) -> str:
    """Return the sums and the slowest items as a table."""
    seconds = {name: item.seconds for name, item in found.items()}
    rooms, files = Counter[str](), Counter[str]()
    for item, used in seconds.items():
        file = item.partition("::")[0]
        files[file] += used
        rooms["/".join(file.split("/")[:2])] += used
    lines = [f"{sum(seconds.values()):.1f} CPU seconds, {len(seconds):,} items", "by room"]
    lines += [f"{used:8.1f}  {room}" for room, used in rooms.most_common()]
    lines += ["by file", *(f"{used:8.1f}  {file}" for file, used in files.most_common(top))]
    lines += ["by item", *(f"{used:8.1f}  {i}" for i, used in Counter(seconds).most_common(top))]
    return "\n".join(lines)


# --- beside an older commit ----------------------------------------------------------------------


def _older(commit: str) -> Tree:
    """Clone this repository at a commit, with an environment in which that tree is what is installed."""
    source = check_out(commit)
    root = ROOT / "build" / "suite" / source.parent.name
    python = root / ".venv" / "bin" / "python"
    if not (root / ".ready").exists():
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", str(ROOT), str(root)], check=True)  # fmt: skip
        subprocess.run(["git", "checkout", "--quiet", "--detach", commit], cwd=root, check=True)
        # Kernels that the comparison of bytes has compiled are used: numba knows them by size and time of the source.
        shutil.copytree(source, root / "src", dirs_exist_ok=True, ignore=shutil.ignore_patterns("sfumato-0.dist-info"))  # fmt: skip
        venv.create(root / ".venv", with_pip=True)
        own = Path(_output(python, "import site; print(site.getsitepackages()[0])"))
        packages = [p for p in sys.path if Path(p).name == "site-packages"]
        (own / "shared.pth").write_text(
            "\n".join({*packages, *site.getsitepackages()}) + "\n", "utf-8"
        )
        install = ["-m", "pip", "install", "--quiet", "--no-deps", "-e", "."]  # fmt: skip
        subprocess.run([python, *install], cwd=root, check=True)
        (root / ".ready").touch()
    return Tree(root, str(python))


def _output(python: Path, code: str) -> str:
    done = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def paired(before: list[str], now: list[str]) -> dict[str, list[tuple[str, str]]]:
    """Pair the items of two suites, by how they were found; each stands in one pair at the most."""
    keys: dict[str, Callable[[str], str]] = {
        "the same file": lambda item: item,
        "a file that moved": lambda item: item[item.partition("::")[0].rfind("/") + 1 :],
        "a name that is alone": lambda item: item.partition("::")[2],
        "an example whose module moved": _example,
    }
    pairs = {}
    for how, key in keys.items():
        left, right = _alone(before, key), _alone(now, key)
        pairs[how] = [(left[k], right[k]) for k in left if k in right]
        taken = {item for pair in pairs[how] for item in pair}
        before, now = ([i for i in side if i not in taken] for side in (before, now))
    return pairs


def _example(item: str) -> str:
    """Return the name that an example of a docstring has in its module; of other items their own."""
    file, _, name = item.partition("::")
    module = (
        file.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    )
    return name.removeprefix(module + ".") if file.startswith("src/") else item


def _alone(items: list[str], key: Callable[[str], str]) -> dict[str, str]:
    """Return the items whose key no other has, by it."""
    times = Counter(map(key, items))
    return {key(item): item for item in items if times[key(item)] == 1}


def _sums(found: dict[str, Item]) -> dict[str, Any]:
    items = [item for name, item in found.items() if name != COLLECTION]
    seconds = sum(item.seconds for item in found.values())
    return {
        "items": len(items),
        "seconds": round(seconds, 1),
        "seconds_per_item": round(seconds / len(items), 3),
        "collection": round(found[COLLECTION].seconds, 1),
        "compiling": round(sum(item.compiling for item in found.values()), 1),
        "outcomes": dict(Counter(item.outcome for item in items)),
    }


def against(commit: str, seconds: float, arguments: list[str]) -> int:
    """Run both suites in turns until the time is over; write what they took once both are through."""
    _LOGS.mkdir(parents=True, exist_ok=True)
    end = time.time() + seconds
    trees = {"before": _older(commit), "now": Tree(ROOT, sys.executable)}
    logs = {side: _LOGS / f"{side}.jsonl" for side in trees}
    through = {side: log.with_suffix(".through") for side, log in logs.items()}
    left = [side for side in trees if not through[side].exists()]
    while left and time.time() < end - 5:
        # The one that has used less so far: both are measured at the same times of day.
        side = min(left, key=lambda s: sum(item.seconds for item in read(logs[s]).values()))
        status = measure(logs[side], ["--continue-on-collection-errors", *arguments], trees[side], min(end, time.time() + _TURN))  # fmt: skip
        if status not in {*_THROUGH, _STOPPED}:
            return status
        if status in _THROUGH:
            left.remove(side)
            if not arguments:  # which may name a part of the suite
                through[side].touch()
    found = {side: read(log) for side, log in logs.items()}
    left = [side for side in trees if not through[side].exists()]
    if all(found.values()):
        path = write_results("suite", _compared(commit, found, left), unfinished=bool(left))
        print(f"   written: {path.relative_to(ROOT)}")
    for side in left:
        print(f"   {side} is not through: {len(found[side]):,} items so far")
    return 0


def _compared(commit: str, found: dict[str, dict[str, Item]], left: list[str]) -> dict[str, Any]:
    before, now = (found[side] for side in ("before", "now"))
    pairs = paired(*([i for i in side if i != COLLECTION] for side in (before, now)))
    both = [pair for several in pairs.values() for pair in several]
    alone = set(before) - {a for a, _ in both} - {COLLECTION}
    common = sum(before[a].seconds for a, _ in both), sum(now[b].seconds for _, b in both)
    slowest = sorted(now, key=lambda i: -now[i].seconds)[:30]
    return {
        "commit": commit,
        "not_through": left,
        "clock": "CPU seconds, children included, without compiling kernels that are kept",
        "before": _sums(before),
        "now": _sums(now),
        "in_both": {
            "items": len(both),
            "found_by": {how: len(several) for how, several in pairs.items()},
            "before": round(common[0], 1),
            "now": round(common[1], 1),
            "ratio": round(common[1] / common[0], 3),
        },
        # Before both are through, what was not run yet would count as gone.
        "elsewhere": {} if left else account([i for i in before if i in alone], list(now)),
        "slowest_now": {item: round(now[item].seconds, 1) for item in slowest},
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suite", description=__doc__.split("\n")[0])  # fmt: skip
    parser.add_argument("--log", type=Path, help="file of JSON lines to keep the seconds in")
    parser.add_argument("--top", type=int, default=20, help="how many files and items to list")
    parser.add_argument("--against", help="commit whose suite is measured too, in turns")
    parser.add_argument("--seconds", type=float, default=540, help="when to stop, with --against")
    asked, arguments = parser.parse_known_args()
    if asked.against:
        return against(asked.against, asked.seconds, arguments)
    with tempfile.TemporaryDirectory() as folder:
        log = asked.log or Path(folder, "cpu.jsonl")
        status = measure(log, arguments, Tree(ROOT, sys.executable))
        print(describe(read(log), asked.top))
    return status


if __name__ == "__main__":
    sys.exit(main())
