"""The demo on embedded data: a register with notes and a purchase log in one release, a letter, and the register a quarter later."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
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
    result = run(Path(plan), force=force, say=say)
    _publish_letter(folder, result, say)
    _publish_quarters(folder, say)
    return result


def _publish_letter(folder: Path, result: RunResult, say: Callable[[str], None]) -> None:
    """Publish one letter, as a Word document and as a PDF, by what the plan's text section learned."""
    from .data.formats.office.formats import Docx
    from .data.formats.pdf.format import Pdf
    from .data.samples import clinic_notes
    from .text import publish

    note = max(clinic_notes(20, seed=7), key=lambda own: len(own.text))
    letters = folder / "letter"
    letters.mkdir(exist_ok=True)
    for form, extra, package in ((Docx(), "office", "lxml"), (Pdf(), "pdf", "pikepdf")):
        if find_spec(package) is None:
            say(f"a letter as {form.name} is left out: it needs pip install 'sfumato[{extra}]'")
            continue
        letter = form.create(f"Discharge letter\n\n{note.text}\n")
        (letters / f"letter.{form.name}").write_bytes(letter)
    if not any(letters.iterdir()):
        return
    publish(
        result.out / "private" / "text", letters, choose="ratio:10", accept_shift=True,
        out=folder / "letter-released", force=True,
    )  # fmt: skip
    say(f"letter:  {folder / 'letter-released'}")


def _publish_quarters(folder: Path, say: Callable[[str], None]) -> None:
    """Publish the register and, by the same policy, that of the next quarter; report on both together."""
    from .reports import report
    from .tables import attack, explore, publish

    samples, quarters = folder / "samples", folder / "quarters"
    quarters.mkdir(exist_ok=True)
    found = explore(
        samples / "register.csv", schema=samples / "schema.toml",
        population=samples / "population.csv", min_k=11, budget=500,
    )  # fmt: skip
    found.save(quarters / "frontier")
    for name, quarter in (("register", "first"), ("register_later", "second")):
        publish(
            found, samples / f"{name}.csv", choose="knee", accept_worse=True, accept_shift=True,
            out=quarters / quarter, force=True,
        )  # fmt: skip
    attacked = quarters / "attack"
    attacked.mkdir(exist_ok=True)
    attack(
        quarters / "second", earlier=quarters / "first", out=attacked / "attack.json", force=True
    )
    folders = quarters / "frontier", quarters / "second", attacked
    written = report(*folders, out=quarters / "report", force=True)
    say(f"a quarter later: {written.private or written.html}")
