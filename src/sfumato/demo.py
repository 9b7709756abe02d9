"""The main job on embedded data: a register with a notes column, and a purchase log, in one release."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from .core.files import check_output
from .workbench import RunResult, run

__all__ = ["PLAN", "demo"]

PLAN = """\
title = "sfumato demo"
seed = 0
out = "run"

# A patient register: its quasi-identifiers are generalised, then the notes column is sanitised.
[tables]
table = "samples/register_with_notes.csv"
schema = "samples/schema_with_notes.toml"
population = "samples/population.csv"
evaluations = 4000
choose = { max_risk = 0.01 }

[text]
corpus = "samples/notes.jsonl.gz"
publish = "tables"
text_column = "notes"
labels = ["NAME", "DATE", "PHONE", "ID", "ADDRESS", "EMAIL"]
ratios = [1, 5, 10, 50]
choose = { ratio = 10 }

# A purchase log: the columns that are safe to share, by what people have bought.
[baskets]
matrix = "samples/purchases.npz"
labels = "samples/purchases.labels.txt"
k = [5, 11]
selector = "hamdist"
choose = { max_risk = 0.2 }
"""


def demo(
    out: str | os.PathLike[str], *, force: bool = False, say: Callable[[str], None] = lambda _: None
) -> RunResult:
    """Write the samples and a plan into a folder, and run the plan."""
    from .data.samples import write_samples

    folder = check_output(out, force=force)
    folder.mkdir(exist_ok=True)
    say("writing samples …")
    write_samples(folder / "samples", force=True)
    plan = folder / "plan.toml"
    plan.write_text(PLAN, encoding="utf-8")
    return run(Path(plan), force=force, say=say)
