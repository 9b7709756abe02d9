"""JSON lines read for publishing: our compiled scanner against `duckdb.read_ndjson_objects`.

Both give the same columns, block by block: the id as JSON, the text, and the other fields as JSON. Speed is
measured in one process, best of several, memory in a process of its own, and the results of lines that are
hostile or only unusual are compared with those of the reader in Python.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from sfumato.data.documents import Withheld, read_documents
from sfumato.data.formats.lines import SeenMarks, read_blocks
from sfumato.data.samples import clinic_notes

SIZE = 300_000_000
TIMES = 5
BLOCK = 1 << 21
_QUERY = """
SELECT json->'$.id' AS head, json->>'$.text' AS text,
       json_merge_patch(json, '{"id": null, "text": null, "spans": null}') AS tail
FROM read_ndjson_objects(?, ignore_errors = true)
"""
_ALONE = """
import re, sys
from pathlib import Path
from benchmarks import json_lines
reader = {"kernels": json_lines.kernels, "duckdb": json_lines.in_duckdb}[sys.argv[2]]
for _ in reader(Path(sys.argv[1])):
    pass
print(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
"""
LINES = {
    "plain": '{"id": "a", "text": "Ann called.", "ward": 4}',
    "escapes": r'{"id": "a", "text": "tab\t é \u00e9 \ud83d\ude00 \/"}',
    "control character by its escape": r'{"id": "a", "text": "nul \u0000 one \u0001"}',
    "id that is a number": '{"id": 17, "text": ""}',
    "long whole number": '{"id": "a", "text": "x", "n": 123456789012345678901234567890}',
    "fraction with many digits": '{"id": "a", "text": "x", "n": 0.1000000000000000055511151231257827}',
    "trailing zero": '{"id": "a", "text": "x", "n": 1.50}',
    "exponent": '{"id": "a", "text": "x", "n": 1e5}',
    "number out of range": '{"id": "a", "text": "x", "n": 1e999}',
    "text twice": '{"id": "a", "text": "x", "text": "y"}',
    "id twice": '{"id": "a", "text": "x", "id": "b"}',
    "field twice": '{"id": "a", "text": "x", "k": 1, "k": 2}',
    "NaN": '{"id": "a", "text": "x", "n": NaN}',
    "half a surrogate pair in the text": r'{"id": "a", "text": "\ud800"}',
    "half a surrogate pair in a field": r'{"id": "a", "text": "x", "k": "\udc00"}',
    "not JSON": '{"id": "a", "text": "x"',
    "two objects": '{"id": "a", "text": "x"} {}',
    "comma at the end": '{"id": "a", "text": "x",}',
    "a list": "[]",
    "a number": "7",
    "no text": '{"id": "a"}',
    "text that is a number": '{"id": "a", "text": 5}',
    "tab as it is": '{"id": "a", "text": "a\tb"}',
    "deeply nested": '{"id": "a", "text": "x", "n": ' + "[" * 40 + "]" * 40 + "}",
    "nested 5,000 deep": '{"id": "a", "text": "x", "n": ' + "[" * 5000 + "]" * 5000 + "}",
    "text of 17 MB": '{"id": "a", "text": "' + "x" * 17_000_000 + '"}',
    "space before the object": ' \r {"id": "a", "text": "x"}',
    "not UTF-8": b'{"id": "a", "text": "\xff"}',
    "blank": "",
}


def kernels(path: Path) -> Iterator[pa.RecordBatch]:
    """Read as `text publish` does."""
    corpus = read_documents(path)
    seen = SeenMarks()
    for part in corpus.parts:
        for block in read_blocks(corpus.format, part, seen, size=BLOCK):
            yield block.to_arrow()


def in_duckdb(path: Path, threads: int = 1) -> Iterator[pa.RecordBatch]:
    """Read the same columns with DuckDB, without a check of repeated ids, UTF-8 or limits."""
    with duckdb.connect(config={"threads": threads}) as connection:
        connection.execute("SET enable_progress_bar = false")
        yield from connection.sql(_QUERY, params=[str(path)]).to_arrow_reader(4096)


def run() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "notes.jsonl")
        size = generate(path, SIZE)
        print(f"   {size / 1e6:.0f} MB of JSON lines generated", flush=True)
        speed = _speed(path, size)
        print(f"   speed: {speed}", flush=True)
        memory = {name: _peak(path, name) for name in ("kernels", "duckdb")}
        print(f"   memory: {memory}", flush=True)
        order = _ids(in_duckdb(path, 2)) == _ids(kernels(path))
    differ = _differences()
    for name, found in differ.items():
        print(f"   {name}: {found}", flush=True)
    return {
        "size_bytes": size,
        "best_of": TIMES,
        "speed": speed,
        "peak_resident_mb": memory,
        "duckdb_keeps_the_order": order,
        "lines_tried": len(LINES),
        "lines_that_duckdb_reads_differently": differ,
    }


def generate(path: Path, size: int) -> int:
    """Write clinic notes as JSON lines until there are so many characters; return the bytes written."""
    notes = clinic_notes(2000, seed=1)
    written = number = 0
    with path.open("w", encoding="utf-8") as stream:
        while written < size:
            for note in notes:
                number += 1
                fields = {
                    "id": f"n{number}",
                    "text": note.text,
                    "ward": number % 40,
                    "score": number / 8,
                }
                written += stream.write(json.dumps(fields, ensure_ascii=False) + "\n")
    return path.stat().st_size


def _speed(path: Path, size: int) -> dict[str, dict[str, float]]:
    readers = {
        "kernels": lambda: kernels(path),
        "duckdb, one thread": lambda: in_duckdb(path),
        "duckdb, two threads": lambda: in_duckdb(path, 2),
    }
    best = {name: [float("inf"), float("inf")] for name in readers}
    for _ in range(TIMES):  # in turns, so that all meet the same load
        for name, reader in readers.items():
            start, cpu = time.perf_counter(), time.process_time()
            sum(batch.num_rows for batch in reader())
            spent = (time.process_time() - cpu, time.perf_counter() - start)
            best[name] = [min(a, b) for a, b in zip(best[name], spent, strict=True)]
    return {
        name: {
            "cpu_seconds": round(cpu, 3),
            "seconds": round(seconds, 3),
            "mb_per_cpu_second": round(size / 1e6 / cpu, 1),
        }
        for name, (cpu, seconds) in best.items()
    }


def _peak(path: Path, name: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _ALONE, str(path), name], capture_output=True, text=True, check=True
    )
    return round(int(done.stdout) / 1024, 1)


def _ids(batches: Iterator[pa.RecordBatch]) -> list[bytes]:
    found: list[bytes] = []
    for batch in batches:
        found += batch.column("head").cast(pa.binary()).to_pylist()
    return found


def _differences() -> dict[str, str]:
    """Return how DuckDB reads each of the lines between two plain ones, where it is not as we do."""
    differ = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "line.jsonl")
        for name, line in LINES.items():
            plain = b'{"id": "%b", "text": "plain"}\n'
            raw = line if isinstance(line, bytes) else line.encode()
            path.write_bytes(plain % b"first" + raw + b"\n" + plain % b"last")
            ours, theirs = _ours(path), _theirs(path)
            if ours != theirs:
                differ[name] = f"ours {_words(ours)}; duckdb {_words(theirs)}"
    return differ


def _ours(path: Path) -> list[Any] | str:
    found: list[Any] = []
    for record in read_documents(path).tolerant():
        if isinstance(record, Withheld):
            found.append("withheld")
        else:
            # `tail` is what is written; a number is compared by its digits
            found.append((record.extra.get("id", record.id), record.text,
                          json.dumps({k: v for k, v in record.extra.items() if k != "id"})))  # fmt: skip
    return found


def _theirs(path: Path) -> list[Any] | str:
    try:
        with duckdb.connect() as connection:
            rows = connection.execute(_QUERY, [str(path)]).fetchall()
    except duckdb.Error as error:
        return type(error).__name__
    except UnicodeDecodeError as error:
        return type(error).__name__
    found: list[Any] = []
    for head, text, tail in rows:
        if head is None or text is None:
            found.append("withheld")
        else:
            found.append((json.loads(head), text, re.sub(r"([:,])(?! )", r"\1 ", tail)))
    return found


def _words(found: list[Any] | str) -> str:
    if isinstance(found, str):
        return f"stops the file ({found})"
    middle = [r for r in found if r == "withheld" or r[0] not in ("first", "last")]
    ends = len(found) - len(middle)
    words = "; ".join(r if isinstance(r, str) else ascii(r)[:90] for r in middle) or "skips it"
    return words if ends == 2 else f"{words}, {2 - ends} of its neighbours lost"
