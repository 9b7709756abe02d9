"""Hostile inputs sent to one target in this process: what came of each, how much CPU the slowest took."""

from __future__ import annotations

import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from types import FrameType

from fuzz.mutations import mutated
from fuzz.onward import PLANTED, stands_in
from fuzz.quick import LONG_WAY, in_memory, shortcuts
from fuzz.targets import Target
from sfumato.core.randomness import Streams

LONGEST = (
    5.0  # CPU seconds for one input: a machine that is busy with other work makes nothing hang
)
COMPILING = 300.0  # CPU seconds for one that compiles kernels on its way
WAITING = 20  # times as long by the clock, for what waits and uses no CPU
MEMORY = 8 << 30
FOUND = Path(__file__).resolve().parent / "found"


class HangError(BaseException):
    """One input took too long; not an Exception, so that no reader can swallow it."""


def _hang(_signal: int, _frame: FrameType | None) -> None:
    raise HangError


def _tried(
    target: Target, data: bytes, outcomes: Counter[str], seconds: float, *, long_way: bool = True
) -> Exception | HangError | None:
    """Send one input through; return what should not have come of it, None when all went well."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * WAITING)
    try:
        with shortcuts(long_way=long_way):
            refused = target.check(data, onward=True)
    except (Exception, HangError) as error:
        return error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    outcomes[refused or "taken"] += 1
    return None


def run(
    target: Target, inputs: int, seed: int, first: int = 0, seconds: float = float("inf")
) -> dict[str, object]:
    """Send so many hostile inputs through the readers and the kernels in this process."""
    streams = Streams(seed).child(target.name)
    memory = in_memory()
    tempfile.tempdir = None if memory is None else str(memory)  # a disk would only slow it down
    seeds = list(target.seeds())
    outcomes: Counter[str] = Counter()
    findings: dict[str, str] = {}
    slowest = 0.0
    signal.signal(signal.SIGPROF, _hang)
    signal.signal(signal.SIGALRM, _hang)
    stands_in(PLANTED.encode())  # compiled before anything is timed
    for data in seeds:  # a good file is taken, and compiles what it needs
        with shortcuts():
            refused = target.check(data, onward=True)
        if refused is not None:
            raise AssertionError(f"A good file of {target.name} is refused ({refused}).")
    started, done, repeated = time.monotonic(), 0, 0
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    seen: set[bytes] = set()
    for number in range(first, inputs):
        if time.monotonic() - started > seconds:
            break
        done += 1
        dice = streams.generator(str(number))
        data = mutated(seeds, dice)
        for _ in range(9):  # a small file has few changes: change it more
            if data not in seen:
                break
            data = mutated([data], dice)
        if data in seen:
            repeated += 1
            continue
        seen.add(data)
        print(number, file=sys.stderr, flush=True)
        start = time.process_time()
        error = _tried(target, data, outcomes, LONGEST, long_way=number % LONG_WAY == 0)
        if error is not None and time.process_time() - start >= LONGEST:
            # A kernel that is compiled for the first time takes longer: compile it, then try again.
            _tried(target, data, Counter(), COMPILING)
            start = time.process_time()
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
                (FOUND / f"{target.name}-{number}.bin").write_bytes(data)
                findings[kind] = f"input {number}"
        slowest = max(slowest, time.process_time() - start)
    return {
        "inputs": done, "repeated": repeated, "outcomes": dict(outcomes), "findings": findings,
        "slowest": round(slowest, 3),
    }  # fmt: skip
