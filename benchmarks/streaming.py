"""A 1 GB corpus read in constant memory, and how quickly the command line starts."""

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

SIZE = 10**9
RESIDENT_LIMIT_MB, START_LIMIT = 300, 8

_READ = """
import json, re, sys, time
from pathlib import Path
from sfumato.data.documents import read_documents, write_documents
corpus = read_documents(sys.argv[1])
start = time.perf_counter()
cpu = time.process_time()
if sys.argv[2]:
    count = write_documents(corpus, like=corpus, out=sys.argv[2])
else:
    count = sum(1 for _ in corpus)
print(json.dumps({
    "documents": count, "seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu,
    # getrusage would count what the parent had before this process became its own.
    "peak_resident_mb": int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024,
}))
"""
_PARSE = """
import json, sys, time
start = time.process_time()
with open(sys.argv[1], "rb") as stream:
    for line in stream:
        json.loads(line)
print(json.dumps({"cpu_seconds": time.process_time() - start}))
"""


def run() -> dict[str, Any]:
    results: dict[str, Any] = {
        "limits": {"resident_mb": RESIDENT_LIMIT_MB, "start_ratio": START_LIMIT}
    }
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "notes.jsonl")
        size = _generate(source)
        print(f"   {size / 1e9:.2f} GB of JSON lines generated", flush=True)
        for what, out in (("read", ""), ("read_and_write", str(Path(folder, "copy.jsonl")))):
            results[what] = _rates(size, _child(_READ, str(source), out))
            print(f"   {what}: {results[what]}", flush=True)
        plain = _child(_PARSE, str(source))["cpu_seconds"]
        results["json_loads_alone_mb_per_cpu_second"] = round(size / 1e6 / plain, 1)
        results["size_bytes"] = size
        results["parquet"] = _parquet(source, Path(folder, "notes.parquet"))
        print(f"   parquet: {results['parquet']}", flush=True)
    results["start"] = _start()
    print(f"   start: {results['start']}", flush=True)
    peak = max(results[what]["peak_resident_mb"] for what in ("read", "read_and_write", "parquet"))
    results["met"] = {
        "resident": peak < RESIDENT_LIMIT_MB,
        "start": results["start"]["ratio"] <= START_LIMIT,
    }
    return results


def _rates(size: int, found: dict[str, float]) -> dict[str, float]:
    return {
        "documents": found["documents"],
        "mb_per_second": round(size / 1e6 / found["seconds"], 1),
        "mb_per_cpu_second": round(size / 1e6 / found["cpu_seconds"], 1),
        "peak_resident_mb": round(found["peak_resident_mb"], 1),
    }


def _generate(path: Path) -> int:
    """Repeat generated notes under ever new ids until the file holds a gigabyte."""
    from sfumato.data.samples import clinic_notes

    notes = clinic_notes(4000)
    records = [
        json.dumps({"text": n.text, "spans": [{"start": s.start, "end": s.end, "label": s.label} for s in n.spans]}, ensure_ascii=False)[1:]
        for n in notes
    ]  # fmt: skip
    size, number = 0, 0
    with path.open("wb", buffering=1 << 20) as stream:
        while size < SIZE:
            for record in records:
                number += 1
                size += stream.write(f'{{"id": "d{number}", {record}\n'.encode())
    return size


def _parquet(source: Path, target: Path) -> dict[str, float]:
    """Stream the same notes from one Parquet file with large row groups."""
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([("id", pa.string()), ("text", pa.string())])
    with source.open("rb") as stream, parquet.ParquetWriter(target, schema) as writer:
        rows: list[dict[str, str]] = []
        for line in stream:
            record = json.loads(line)
            rows.append({"id": record["id"], "text": record["text"]})
            if len(rows) == 200_000:
                writer.write_table(pa.Table.from_pylist(rows, schema=schema))
                rows.clear()
        writer.write_table(pa.Table.from_pylist(rows, schema=schema))
    meta = parquet.read_metadata(target)
    groups = [meta.row_group(i).total_byte_size for i in range(meta.num_row_groups)]
    found = _rates(sum(groups), _child(_READ, str(target), ""))
    return {**found, "largest_row_group_mb": round(max(groups) / 1e6, 1)}


def _child(code: str, *arguments: str) -> dict[str, float]:
    done = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True, env=_environment())  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _start(times: int = 20) -> dict[str, float]:
    """Start `python -c pass` and `sfumato --help` in turn; the best of each, by clock and by CPU."""
    commands = {
        "python": [sys.executable, "-c", "pass"],
        "help": [sys.executable, "-c", "from sfumato.cli import main; main()", "--help"],
    }
    clock, cpu = (dict.fromkeys(commands, float("inf")) for _ in range(2))
    for _ in range(times):
        for name, command in commands.items():
            before, start = _children(), time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=_environment())
            clock[name] = min(clock[name], time.perf_counter() - start)
            cpu[name] = min(cpu[name], _children() - before)
    return {
        "python_ms": round(1000 * clock["python"], 1),
        "help_ms": round(1000 * clock["help"], 1),
        "ratio": round(clock["help"] / clock["python"], 2),
        "cpu_ratio": round(cpu["help"] / cpu["python"], 2),
    }


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _environment() -> dict[str, str]:
    source = str(Path(__file__).resolve().parent.parent / "src")
    known = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{known}" if known else source}
