"""What XLA's compiling costs: the first run of an exploration with an encoder, and the second.

Each run is a process of its own with the same private cache, empty at first. JAX's own monitoring says when and how long
it traced, lowered and compiled (or read what had been compiled). These are seconds of the clock; what the process spent of
its CPU in them is counted beside, because a busy machine stretches the clock. The documents are generated notes; the
encoder is the default one, its two upper layers are tuned. 6,000 words are explored last, with the same cache.

`python -m benchmarks compile` takes some minutes on two cores.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from bisect import bisect_left
from pathlib import Path
from typing import Any

from benchmarks._common import ROOT

FEW, MORE = 50, 80  # generated notes have about 75 words
_EVENTS = {
    "/jax/core/compile/jaxpr_trace_duration": "traced",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lowered",
    "/jax/core/compile/backend_compile_duration": "compiled",
}


class _CpuClock:
    """What the process has spent of its CPU, noted every few milliseconds."""

    def __init__(self) -> None:
        self.at, self.spent = [time.perf_counter()], [time.process_time()]
        threading.Thread(target=self._note, daemon=True).start()

    def _note(self) -> None:
        while True:
            self.at.append(time.perf_counter())
            self.spent.append(time.process_time())
            time.sleep(0.01)

    def spent_in_the_last(self, seconds: float) -> float:
        place = bisect_left(self.at, time.perf_counter() - seconds)
        return time.process_time() - self.spent[min(place, len(self.spent) - 1)]


def explore(documents: int) -> dict[str, Any]:
    """Explore generated notes in this process, and return what JAX reports of its compiling."""
    import jax

    from sfumato import text
    from sfumato.data.samples import clinic_notes

    seconds, spent = dict.fromkeys(_EVENTS.values(), 0.0), dict.fromkeys(_EVENTS.values(), 0.0)
    programs, clock = 0, _CpuClock()

    def listen(event: str, duration: float, **_: object) -> None:
        nonlocal programs
        if event in _EVENTS:
            seconds[_EVENTS[event]] += duration
            spent[_EVENTS[event]] += clock.spent_in_the_last(duration)
            programs += _EVENTS[event] == "compiled"

    jax.monitoring.register_event_duration_secs_listener(listen)
    notes = list(clinic_notes(documents, seed=0))
    start, cpu = time.perf_counter(), time.process_time()
    text.explore(notes, labels=["NAME"], encoder="default")
    return {
        "documents": documents,
        "words": sum(len(d.text.split()) for d in notes),
        "device": jax.default_backend(),
        "programs": programs,
        "seconds_of_jax": {name: round(value, 2) for name, value in seconds.items()},
        "cpu_seconds_of_jax": {name: round(value, 2) for name, value in spent.items()},
        "wall_seconds": round(time.perf_counter() - start, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def _in_a_process(documents: int, cache: str) -> dict[str, Any]:
    environment = {**os.environ, "XDG_CACHE_HOME": cache, "PYTHONPATH": f"{ROOT}/src:{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.compile", str(documents)],
        env=environment, cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def run() -> dict[str, Any]:
    from sfumato.engines.text.learners.encoder.folder import default_folder, missing_packages

    if missing_packages() or default_folder() is None:
        return {"skipped": "the extra `encoder` or its weights are not installed"}
    with tempfile.TemporaryDirectory() as cache:
        Path(cache).chmod(0o700)
        runs = []
        for documents in (FEW, FEW, MORE):
            runs.append(_in_a_process(documents, cache))
            print(f"   {json.dumps(runs[-1])}", flush=True)
    first, second, more = runs
    return {
        "50 short documents": {
            "first": first,
            "second": second,
            "compiled_second_over_first": {
                name: round(second[name]["compiled"] / first[name]["compiled"], 3)
                for name in ("seconds_of_jax", "cpu_seconds_of_jax")
            },
            "all_second_over_first": {
                name: round(sum(second[name].values()) / sum(first[name].values()), 3)
                for name in ("seconds_of_jax", "cpu_seconds_of_jax")
            },
        },
        "6,000 words, with what was compiled for 50 documents": more,
        "load": os.getloadavg()[1],
    }


if __name__ == "__main__":
    print(json.dumps(explore(int(sys.argv[1]))))
