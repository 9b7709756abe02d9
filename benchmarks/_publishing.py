"""One publish in a process of its own: `python -m benchmarks._publishing MODEL SOURCE OUT ENGINE THREADS`."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks._common import ROOT


def run(model: Path, source: Path, out: Path, engine: str, threads: int) -> dict[str, Any]:
    """Publish in a new process; give seconds (the start of Python and Spark apart), memory, counts."""
    command = [sys.executable, "-m", "benchmarks._publishing", model, source, out, engine, threads]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
    }
    done = subprocess.run(
        [str(part) for part in command], cwd=ROOT, env=environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def main(model: str, source: str, out: str, engine: str, threads: str) -> None:
    from sfumato.core.files import sha256_of
    from sfumato.text import load

    found = load(model)
    candidate = found.candidates[0]
    options: dict[str, Any] = {"engine": engine, "threads": int(threads), "force": True}
    few = Path(out).with_name("warm.jsonl")
    with open(source, encoding="utf-8") as stream:
        few.write_text("".join(line for line, _ in zip(stream, range(50), strict=False)))
    found.publish(
        candidate, few, out=Path(out).with_name("warm"), **options
    )  # compiles, starts Spark
    start, processor = time.monotonic(), time.process_time()
    release = found.publish(candidate, source, out=out, **options)
    seconds = time.monotonic() - start
    counts, words = release.counts, release.words.read
    print(
        json.dumps(
            {
                "seconds": round(seconds, 2),
                "processor_seconds": round(time.process_time() - processor, 2),
                "documents": counts["documents"],
                "words": words,
                "words_per_second": round(words / seconds),
                "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
                "sha256": {file.name: sha256_of(file) for file in sorted(Path(out).iterdir())},
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
