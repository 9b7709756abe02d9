"""All samples as files; the bytes are always the same."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.files import whole_directory
from ..document import Document
from ..documents import write_documents
from .notes import clinic_notes
from .purchases import purchase_log
from .register import later_register, patient_register, register_population, register_schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["write_samples"]


def write_samples(folder: str | os.PathLike[str], *, seed: int = 0, force: bool = False) -> Path:
    """Write every sample into a new folder.

    notes.jsonl.gz (labelled), more_notes.jsonl.gz (without labels), register.csv, register_later.csv
    (a quarter later), population.csv, schema.toml, register_with_notes.csv and schema_with_notes.toml (a smaller register with a notes
    column), findings.jsonl (what a rule-based tool would find in the notes), purchases.npz,
    purchases.labels.txt, purchases.features.txt.
    """
    with whole_directory(folder, force=force, private=False) as beside:
        notes = clinic_notes(seed=seed)
        write_documents(notes, like="jsonl", out=beside / "notes.jsonl.gz")
        (beside / "findings.jsonl").write_text(_findings(notes), encoding="utf-8")
        more = (replace(note, id=f"more-{note.id[5:]}", spans=()) for note in clinic_notes(800, seed + 1))  # fmt: skip
        write_documents(more, like="jsonl", out=beside / "more_notes.jsonl.gz")
        _write_csv(beside / "register.csv", patient_register(seed=seed))
        _write_csv(beside / "register_later.csv", later_register(seed=seed))
        _write_csv(beside / "population.csv", register_population(seed))
        (beside / "schema.toml").write_text(register_schema(seed), encoding="utf-8")
        with_notes = patient_register(1000, seed, notes=True)
        _write_csv(beside / "register_with_notes.csv", with_notes)
        schema = register_schema(seed, notes=True)
        (beside / "schema_with_notes.toml").write_text(schema, encoding="utf-8")
        log = purchase_log(seed=seed)
        from ..npz import write_csr

        write_csr(beside / "purchases.npz", log.matrix)
        labels = "".join(f"{label}\n" for label in log.labels.tolist())
        (beside / "purchases.labels.txt").write_text(labels, encoding="utf-8")
        names = "".join(f"{name}\n" for name in log.names)
        (beside / "purchases.features.txt").write_text(names, encoding="utf-8")
    return Path(folder)


def _write_csv(path: Path, table: pa.Table) -> None:
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(table.column_names)
        writer.writerows(rows)


_RULES = {
    "EMAIL_ADDRESS": re.compile(r"[\w.]+@[\w.]+\w"),
    "DATE_TIME": re.compile(r"\b\d{1,4}[./-]\d{1,2}[./-]\d{2,4}\b"),
    "PERSON": re.compile(r"\b(?:Dr|Mr|Mrs|Ms)\.? [A-Z][a-z]+"),
}


def _findings(notes: Sequence[Document]) -> str:
    """Find what a few rules find, in the form in which Presidio gives its results."""
    lines = []
    for note in notes:
        found = [
            {"start": match.start(), "end": match.end(), "entity_type": kind, "score": 0.85}
            for kind, rule in _RULES.items()
            for match in rule.finditer(note.text)
        ]
        found.sort(key=lambda finding: (finding["start"], finding["end"]))
        lines.append(json.dumps({"id": note.id, "findings": found}) + "\n")
    return "".join(lines)
