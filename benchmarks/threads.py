"""`text explore` on one and on two threads: wall time side by side, and whether every byte is the same.

Run it on a machine with at least two idle cores; the load of the machine is recorded beside the figures, and
what its second core is worth at all: two processes that share nothing, each with the whole work, against one.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sfumato import text
from sfumato.core.files import sha256_of
from sfumato.data.samples import clinic_notes

DOCUMENTS = int(os.environ.get("SFUMATO_THREADS_DOCUMENTS", "2000"))
TIMES = 3


def once(documents: list[Any], threads: int, attackers: list[str]) -> tuple[float, str]:
    start = time.perf_counter()
    found = text.explore(
        documents, labels=["NAME", "PHONE", "DATE"], attackers=attackers, threads=threads
    )
    seconds = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        found.save(folder)
        digest = hashlib.sha256()
        for file in sorted(Path(folder).rglob("*")):
            if file.is_file():
                digest.update(sha256_of(file).encode())
    return seconds, digest.hexdigest()


ALONE = """
import sys
from benchmarks.threads import DOCUMENTS, clinic_notes, once
documents = clinic_notes(DOCUMENTS, seed=1)
once(documents[:40], 1, ["crf"])
print("ready", flush=True)
sys.stdin.readline()
print(once(documents, 1, ["crf"])[0], flush=True)
"""


def apart(processes: int) -> float:
    """Return the seconds until each of some processes has done the whole work on one thread."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", ALONE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(processes)
    ]
    for process in started:
        assert process.stdout is not None
        process.stdout.readline()
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return max(float(process.communicate()[0]) for process in started)


def run() -> dict[str, Any]:
    documents = clinic_notes(DOCUMENTS, seed=1)
    once(documents[:40], 2, ["crf"])  # compile first
    results: dict[str, Any] = {"documents": DOCUMENTS, "load_average": os.getloadavg()[0]}
    for name, attackers in (("attackers", ["crf"]), ("no attackers", ["none"])):
        times: dict[int, list[float]] = {1: [], 2: []}
        digests = set()
        for _ in range(TIMES):
            for threads, seconds in times.items():
                took, digest = once(documents, threads, attackers)
                seconds.append(took)
                digests.add(digest)
        results[name] = {
            "one": round(min(times[1]), 2),
            "two": round(min(times[2]), 2),
            "ratio": round(min(times[2]) / min(times[1]), 3),
            "same_bytes": len(digests) == 1,
        }
        print(f"   {name}: {results[name]}", flush=True)
    alone = [apart(1) for _ in range(2)]
    both = [apart(2) for _ in range(2)]
    results["two processes that share nothing"] = round(min(both) / (2 * min(alone)), 3)
    print(f"   two processes that share nothing: {results['two processes that share nothing']}")
    return results
