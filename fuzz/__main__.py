"""`python -m fuzz [target …] [--inputs N] [--seed S]`: each target in a process of its own.

With `--results FILE` the figures are kept there after every slice, and the same command goes on where the
last one stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from fuzz.sending import FOUND, run
from fuzz.targets import TARGETS
from sfumato.core.records import versions

KERNELS = FOUND.with_name(".kernels")  # compiled with bounds checks, apart from the others
SLICE = 10_000  # inputs of one process


class Results:
    """The figures of all targets, kept in a file when there is one."""

    def __init__(self, file: Path | None, seed: int, *, checked: bool) -> None:
        self.file = file
        facts = {"seed": seed, "bounds_checks": checked, "versions": versions()}
        self.content: dict[str, Any] = {**facts, "targets": {}}
        if file is not None and file.exists():
            kept = json.loads(file.read_text())
            if {name: kept.get(name) for name in facts} == facts:
                self.content = kept

    def of(self, name: str) -> dict[str, Any]:
        empty = {
            "inputs": 0,
            "repeated": 0,
            "seconds": 0.0,
            "slowest": 0.0,
            "outcomes": {},
            "findings": {},
        }
        found: dict[str, Any] = self.content["targets"].setdefault(name, empty)
        return found

    def add(self, name: str, slice_: dict[str, Any], seconds: float) -> None:
        kept = self.of(name)
        kept["inputs"] += slice_["inputs"]
        kept["repeated"] += slice_["repeated"]
        kept["seconds"] = round(kept["seconds"] + seconds, 1)
        kept["slowest"] = max(kept["slowest"], slice_["slowest"])
        for outcome, many in slice_["outcomes"].items():
            kept["outcomes"][outcome] = kept["outcomes"].get(outcome, 0) + many
        kept["findings"].update(slice_["findings"])
        self.save()

    def save(self) -> None:
        if self.file is not None:
            text = json.dumps(self.content, indent=1, sort_keys=True) + "\n"
            self.file.write_text(text)


def _slice(
    name: str, first: int, end: int, seconds: float, given: argparse.Namespace
) -> dict[str, Any]:
    """Send some inputs in a process of its own; one that dies is a finding at its last input."""
    command = [sys.executable, "-m", "fuzz", name, "--here", "--inputs", str(end), "--first", str(first),
               "--seed", str(given.seed), "--seconds", str(seconds)]  # fmt: skip
    checks = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(KERNELS)}
    environment = {**os.environ, **({} if given.unchecked else checks)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode == 0:
        result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return result
    lines = done.stderr.strip().splitlines()
    last = max((int(line) for line in lines if line.isdigit()), default=first)
    return {
        "inputs": last + 1 - first, "repeated": 0, "slowest": 0.0, "outcomes": {"crash": 1},
        "findings": {f"the process died ({done.returncode}): {lines[-1:]}": f"input {last}"},
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help=f"any of {', '.join(TARGETS)}")
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="at most, in all")
    parser.add_argument(
        "--results", type=Path, help="a JSON file to keep the figures in and go on from"
    )
    parser.add_argument("--unchecked", action="store_true", help="kernels without bounds checks")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    unknown = set(given.targets) - set(TARGETS)
    if unknown:
        parser.error(f"unknown targets: {', '.join(sorted(unknown))}")
    warnings.simplefilter("ignore")
    if given.here:
        (name,) = given.targets
        print(json.dumps(run(TARGETS[name], given.inputs, given.seed, given.first, given.seconds)))
        return 0
    results = Results(given.results, given.seed, checked=not given.unchecked)
    end = time.monotonic() + given.seconds
    failed = False
    for name in given.targets or TARGETS:
        kept = results.of(name)
        while (first := kept["inputs"]) < given.inputs and time.monotonic() < end:
            start = time.monotonic()
            last = min(first + SLICE, given.inputs)
            results.add(
                name, _slice(name, first, last, end - start, given), time.monotonic() - start
            )
        print(f"{name}: {kept['inputs']:,} inputs in {kept['seconds']:.0f} s, slowest {kept['slowest']} s, "
              f"{kept['outcomes']}", flush=True)  # fmt: skip
        failed |= bool(kept["findings"])
        for kind, where in kept["findings"].items():
            print(f"  FOUND {kind} ({where})", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
