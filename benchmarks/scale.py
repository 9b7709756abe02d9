"""Large and safe: threads and Spark side by side, memory as the input grows, kills and resumes.

SFUMATO_SCALE_DOCUMENTS (1,000,000) and SFUMATO_SCALE_KILLS (100) make it smaller.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks._common import ROOT
from benchmarks._publishing import run as publish
from sfumato.core.errors import InputError
from sfumato.data.samples.notes import clinic_notes


def run() -> dict[str, Any]:
    documents = int(os.environ.get("SFUMATO_SCALE_DOCUMENTS", "1_000_000"))
    kills = int(os.environ.get("SFUMATO_SCALE_KILLS", "100"))
    with tempfile.TemporaryDirectory(prefix="sfumato-scale-") as name:
        folder = Path(name)
        model = _model(folder)
        results: dict[str, Any] = {"memory": _memory(model, folder)}
        results["cores"] = _cores(model, folder)
        results["engines"] = _engines(model, folder, documents)
        results["tables"] = _tables(folder, documents)
    results["kills"] = {kind: _kills(kind, kills) for kind in ("text", "run")}
    return results


def _model(folder: Path) -> Path:
    from sfumato.text import explore

    found = explore(clinic_notes(400), labels=["NAME"], ratios=[10], folds=2, attackers=())
    (folder / "model").mkdir()
    found.save(folder / "model")
    return folder / "model"


def _lines() -> Iterator[str]:
    """Give the lines of generated notes, again and again: small documents."""
    lines = [line for note in clinic_notes(3000, seed=5) for line in note.text.splitlines() if line]
    while True:
        yield from lines


def _write_documents(path: Path, documents: int) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for number, line in zip(range(documents), _lines(), strict=False):
            stream.write(json.dumps({"id": str(number), "text": line}) + "\n")


def _write_words(path: Path, words: int) -> None:
    notes = clinic_notes(3000, seed=5)
    number, written = count(), 0
    with path.open("w", encoding="utf-8") as stream:
        while written < words:
            for note in notes:
                stream.write(json.dumps({"id": str(next(number)), "text": note.text}) + "\n")
                written += len(note.text.split())
                if written >= words:
                    break


def _memory(model: Path, folder: Path) -> list[dict[str, Any]]:
    """Publish 1, 4 and 16 million words: time grows with them, memory does not."""
    found = []
    for millions in (1, 4, 16):
        source = folder / "words.jsonl"
        _write_words(source, millions * 1_000_000)
        measured = publish(model, source, folder / "out", "local", 2)
        found.append({"million_words": millions, **measured})
        print(
            f"   {millions} M words: {measured['seconds']} s, {measured['peak_megabytes']} MB",
            flush=True,
        )
        shutil.rmtree(folder / "out")
    source.unlink()
    return found


def _best(model: Path, source: Path, out: Path, engine: str, cores: int, of: int) -> dict[str, Any]:
    """Publish several times and give the quickest: what else the machine did only adds time."""
    runs = []
    for _ in range(of):
        runs.append(publish(model, source, out, engine, cores))
        shutil.rmtree(out)
    return min(runs, key=lambda run: run["seconds"])


def _cores(model: Path, folder: Path) -> dict[str, Any]:
    """Publish notes of some eighty words with one thread and with two."""
    source = folder / "words.jsonl"
    _write_words(source, 12_000_000)
    found: dict[str, Any] = {
        f"threads_{n}": _best(model, source, folder / "out", "local", n, 2) for n in (1, 2)
    }
    source.unlink()
    rates = [found[f"threads_{n}"]["words_per_second"] for n in (1, 2)]
    found["gain"] = round(rates[1] / rates[0], 2)
    found["identical"] = found["threads_1"]["sha256"] == found["threads_2"]["sha256"]
    print(f"   notes: {rates[0]:,} words/s with one thread, × {found['gain']} with two", flush=True)
    return found


def _tables(folder: Path, rows: int) -> dict[str, Any]:
    """Publish a generated table on both engines, as CSV and as Parquet."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    from sfumato import tables
    from sfumato.compute import engine as compute_engine
    from sfumato.core.files import sha256_of
    from sfumato.core.randomness import Streams

    dice = Streams(0).generator("rows")
    table = pa.table(
        {
            "age": dice.integers(0, 100, rows),
            "sex": pa.array(np.array(["f", "m"])[dice.integers(0, 2, rows)]),
            "zip": pa.array(np.char.add("Z", dice.integers(0, 300, rows).astype(str))),
            "note": pa.array(np.char.add("n", dice.integers(0, 10**6, rows).astype(str))),
        }
    )
    quasi = [{"name": name, "role": "quasi", "domain": "observed"} for name in ("sex", "zip")]
    quasi.append({"name": "age", "role": "quasi", "domain": {"range": [0, 99]}})
    pa.csv.write_csv(table, folder / "table.csv")
    pa.parquet.write_table(table, folder / "table.parquet")
    found: dict[str, Any] = {"rows": rows, "identical": True}
    with suppress(InputError):  # where there is no Spark, the first publish says so
        compute_engine("spark", threads=2).session()  # started once, before anything is timed
    for kind in ("csv", "parquet"):
        source = folder / f"table.{kind}"
        explored = tables.explore(source, schema={"attribute": quasi}, evaluations=500)
        candidate = explored.knee()
        hashes = set()
        for engine in ("local", "spark"):
            out = folder / f"{engine}-{kind}.{kind}"
            start = time.monotonic()
            try:
                explored.publish(candidate, source, out=out, engine=engine, threads=2)
            except InputError as error:
                print(f"   {engine} was left out: {error}")
                continue
            seconds = time.monotonic() - start
            found[f"{kind}_{engine}"] = {
                "seconds": round(seconds, 2),
                "rows_per_second": round(rows / seconds),
            }
            hashes.add(sha256_of(out))
            print(f"   {kind} on {engine}: {rows / seconds:,.0f} rows/s", flush=True)
        found["identical"] = found["identical"] and len(hashes) == 1
    return found


def _engines(model: Path, folder: Path, documents: int) -> dict[str, Any]:
    """Publish the same small documents on threads and on Spark, with one core and with two."""
    source = folder / "documents.jsonl"
    _write_documents(source, documents)
    found: dict[str, Any] = {}
    for cores in (2, 1):
        for engine in ("local", "spark"):
            out = folder / "out"
            try:
                measured = _best(model, source, out, engine, cores, 2 if engine == "local" else 1)
            except RuntimeError as error:
                print(f"   {engine} with {cores} cores failed: {str(error).splitlines()[-1]}")
                continue
            found[f"{engine}_{cores}"] = measured
            print(f"   {engine} × {cores}: {measured['words_per_second']:,} words/s", flush=True)
    found["identical"] = len({json.dumps(m["sha256"]) for m in found.values()}) == 1
    return found


def _kills(kind: str, kills: int) -> dict[str, Any]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
    }
    command = [sys.executable, "-m", "benchmarks._kills", kind, str(kills)]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1:]}
    result: dict[str, Any] = json.loads(done.stdout)
    print(f"   {kind}: {result}", flush=True)
    return result
