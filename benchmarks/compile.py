"""What XLA's compiling costs: the first run of an exploration with an encoder, and the second.

Each run is a process of its own with the same private cache, empty at first. JAX's own monitoring says how long
it traced, lowered and compiled (or read what had been compiled), and CPU seconds are those of the process. The documents are
generated notes; the encoder is the default one, its two upper layers are tuned.

`python -m benchmarks compile` takes some minutes on two cores.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks._common import ROOT

SIZES = {"50 short documents": 50, "6,000 words": 75}  # generated notes have about 80 words
_EVENTS = {
    "/jax/core/compile/jaxpr_trace_duration": "traced",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lowered",
    "/jax/core/compile/backend_compile_duration": "compiled",
}


def explore(documents: int) -> dict[str, Any]:
    """Explore generated notes in this process, and return what JAX reports of its compiling."""
    import jax

    from sfumato import text
    from sfumato.data.samples import clinic_notes

    seconds = dict.fromkeys(_EVENTS.values(), 0.0)
    programs = 0

    def listen(event: str, duration: float, **_: object) -> None:
        nonlocal programs
        if event in _EVENTS:
            seconds[_EVENTS[event]] += duration
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
        "seconds_compiling": round(sum(seconds.values()), 2),
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
    results: dict[str, Any] = {}
    for title, documents in SIZES.items():
        with tempfile.TemporaryDirectory() as cache:
            Path(cache).chmod(0o700)
            first, second = (_in_a_process(documents, cache) for _ in range(2))
        share = second["seconds_compiling"] / max(first["seconds_compiling"], 1e-9)
        results[title] = {"first": first, "second": second, "second_over_first": round(share, 3)}
        print(f"   {title}: {json.dumps(results[title])}", flush=True)
    return results


if __name__ == "__main__":
    print(json.dumps(explore(int(sys.argv[1]))))
