"""`python -m fuzz [target …] [--inputs N] [--seed S]`: each target in a process of its own."""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from types import FrameType

from fuzz.mutations import mutated
from fuzz.onward import PLANTED, stands_in
from fuzz.targets import TARGETS, Target
from sfumato.core.randomness import Streams

LONGEST = 5.0  # seconds for one input
COMPILING = 300.0  # seconds for one that compiles kernels on its way
MEMORY = 8 << 30
FOUND = Path(__file__).resolve().parent / "found"
KERNELS = FOUND.with_name(".kernels")  # compiled with bounds checks, apart from the others


class HangError(BaseException):
    """One input took too long; not an Exception, so that no reader can swallow it."""


def _hang(_signal: int, _frame: FrameType | None) -> None:
    raise HangError


def _connect_quickly() -> None:
    """Open databases with one thread: starting threads takes longer than reading a small file."""
    import duckdb

    connect = duckdb.connect
    duckdb.connect = lambda config: connect(config={**config, "threads": 1})


def _tried(
    target: Target, data: bytes, outcomes: Counter[str], seconds: float
) -> Exception | HangError | None:
    """Send one input through; return what should not have come of it, None when all went well."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        refused = target.check(data, onward=True)
    except (Exception, HangError) as error:
        return error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    outcomes[refused or "taken"] += 1
    return None


def run(
    target: Target, inputs: int, seed: int, first: int = 0, seconds: float = float("inf")
) -> dict[str, object]:
    """Send so many hostile inputs through the readers and the kernels in this process."""
    streams = Streams(seed).child(target.name)
    memory = Path("/dev/shm")
    tempfile.tempdir = str(memory) if memory.is_dir() else None  # a disk would only slow it down
    _connect_quickly()
    seeds = list(target.seeds())
    outcomes: Counter[str] = Counter()
    findings: dict[str, str] = {}
    slowest = 0.0
    signal.signal(signal.SIGALRM, _hang)
    stands_in(PLANTED.encode())  # compiled before anything is timed
    for data in seeds:  # a good file is taken, and compiles what it needs
        target.check(data, onward=True)
    started, done = time.monotonic(), 0
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    for number in range(first, inputs):
        if time.monotonic() - started > seconds:
            break
        done += 1
        data = mutated(seeds, streams.generator(str(number)))
        print(number, file=sys.stderr, flush=True)
        start = time.perf_counter()
        error = _tried(target, data, outcomes, LONGEST)
        if error is not None and time.perf_counter() - start >= LONGEST:
            # A kernel that is compiled for the first time takes longer: compile it, then try again.
            _tried(target, data, Counter(), COMPILING)
            start = time.perf_counter()
            error = _tried(target, data, outcomes, LONGEST)
        if error is not None:
            frames = [
                f for f in traceback.extract_tb(error.__traceback__) if "sfumato" in f.filename
            ]
            where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
            kind = f"{type(error).__name__} at {where}"
            outcomes["found"] += 1
            if kind not in findings:
                FOUND.mkdir(exist_ok=True)
                file = FOUND / f"{target.name}-{number}.bin"
                file.write_bytes(data)
                findings[kind] = f"input {number}"
        slowest = max(slowest, time.perf_counter() - start)
    return {"inputs": done, "outcomes": dict(outcomes), "findings": findings,
            "slowest": round(slowest, 3)}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help=f"any of {', '.join(TARGETS)}")
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="at most, for each target"
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
    failed = False
    for name in given.targets or TARGETS:
        start = time.monotonic()
        command = [sys.executable, "-m", "fuzz", name, "--here", "--inputs", str(given.inputs),
                   "--seed", str(given.seed), "--first", str(given.first),
                   "--seconds", str(given.seconds)]  # fmt: skip
        checks = (
            {} if given.unchecked else {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(KERNELS)}
        )
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, **checks}
        )
        if done.returncode:
            failed = True
            last = done.stderr.strip().splitlines()[-3:]
            print(f"{name}: the process died ({done.returncode}); last lines: {last}", flush=True)
            continue
        result = json.loads(done.stdout.splitlines()[-1])
        failed |= bool(result["findings"])
        seconds = time.monotonic() - start
        print(f"{name}: {result['inputs']:,} inputs in {seconds:.0f} s, slowest {result['slowest']} s, "
              f"{result['outcomes']}", flush=True)  # fmt: skip
        for kind, where in result["findings"].items():
            print(f"  FOUND {kind} ({where})", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
