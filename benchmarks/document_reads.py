"""How often `text publish` reads each file of its input, in every format that documents can be written in.

Each format is published once on this tree and, with SFUMATO_BEFORE, on another commit where that knows the format. Of
the files of an input the one that is opened most often counts: to be hashed, to tell its format, to be read. JSON
lines are read in columns and are compared in `publish_before`. SFUMATO_DOCUMENTS says how many documents there are.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks._common import ROOT
from benchmarks.publish_before import EXPLORE, run_command
from benchmarks.same import check_out

_DOCUMENTS = "1000"
FORMATS = (
    "csv", "tsv", "parquet", "conll", "brat", "prodigy", "doccano", "labelstudio", "i2b2",
    "plain", "docx", "html", "rtf", "eml",
)  # fmt: skip


def write_sources(folder: Path, count: int) -> dict[str, Path]:
    """Write the same notes in each format."""
    from sfumato.data.documents import write_documents
    from sfumato.data.formats.registry import FORMATS as KINDS
    from sfumato.data.samples import clinic_notes

    notes, found = clinic_notes(count, seed=3), {}
    for name in FORMATS:
        kind = KINDS[name]
        ending = (kind.suffixes or (".json",))[0] if kind.unit == "file" else ""
        found[name] = folder / f"{name}{ending}"
        write_documents(notes, like=name, out=found[name])
    return found


def _published(tree: Path, folder: Path, name: str, source: Path, side: str) -> dict[str, Any] | None:  # fmt: skip
    """Publish an input; return how often it was opened and the CPU seconds, None where the tree cannot."""
    for made in folder.glob(f"*{side}-release*"):
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    counts = folder / "opens.json"
    words = ["text", "publish", f"{side}-frontier", str(source), "--format", name, "--ratio", "10", "--accept-shift", "--ignore-marks", "--out", f"{side}-release", "--quiet"]  # fmt: skip
    before = os.times()
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "_count_opens.py", source, counts, *words],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"},
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    after = os.times()
    if done.returncode not in (0, 1):  # 1: some documents are withheld
        print(f"   {name}, {side}: {done.stderr.strip().splitlines()[-1:]}", flush=True)
        return None
    spent = after.children_user + after.children_system - before.children_user - before.children_system  # fmt: skip
    return {**json.loads(counts.read_text()), "cpu_seconds": round(spent, 2)}


def run() -> dict[str, Any]:
    given = os.environ.get("SFUMATO_BEFORE")
    trees = {"now": ROOT / "src"} | ({} if given is None else {"before": check_out(given)})
    count = int(os.environ.get("SFUMATO_DOCUMENTS", _DOCUMENTS))
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = write_sources(folder, count)
        run_command(trees["now"], folder, ["samples", "s"])
        for side, tree in trees.items():
            run_command(tree, folder, [*EXPLORE, "--out", f"{side}-frontier"])
        for form, source in sources.items():
            sides = {side: _published(tree, folder, form, source, side) for side, tree in trees.items()}  # fmt: skip
            found[form] = {side: own for side, own in sides.items() if own is not None}
            print(f"   {form}: {found[form]}", flush=True)
    return {"documents": count, "opened": found}
