"""All samples as files, the same bytes each time."""

from __future__ import annotations

import io
import os
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...core.files import whole_directory
from ..documents import write_documents
from .notes import clinic_notes
from .purchases import purchase_log
from .register import patient_register, register_population, register_schema

__all__ = ["write_samples"]


def write_samples(folder: str | os.PathLike[str], *, seed: int = 0, force: bool = False) -> Path:
    """Write every sample into a new folder.

    notes.jsonl.gz (labelled), more_notes.jsonl.gz (without labels), register.csv, population.csv,
    schema.toml, purchases.npz, purchases.labels.txt, purchases.features.txt.
    """
    with whole_directory(folder, force=force) as beside:
        write_documents(clinic_notes(seed=seed), like="jsonl", out=beside / "notes.jsonl.gz")
        more = (replace(note, id=f"more-{note.id[5:]}", spans=()) for note in clinic_notes(800, seed + 1))  # fmt: skip
        write_documents(more, like="jsonl", out=beside / "more_notes.jsonl.gz")
        _write_csv(beside / "register.csv", patient_register(seed=seed))
        _write_csv(beside / "population.csv", register_population(seed))
        (beside / "schema.toml").write_text(register_schema(seed), encoding="utf-8")
        log = purchase_log(seed=seed)
        _write_npz(beside / "purchases.npz", log.matrix)
        labels = "".join(f"{label}\n" for label in log.labels.tolist())
        (beside / "purchases.labels.txt").write_text(labels, encoding="utf-8")
        names = "".join(f"{name}\n" for name in log.names)
        (beside / "purchases.features.txt").write_text(names, encoding="utf-8")
    return Path(folder)


def _write_csv(path: Path, table: Any) -> None:
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    lines = [table.column_names, *rows]  # no cell of the samples needs a quote
    path.write_text("".join(",".join(map(str, line)) + "\n" for line in lines), encoding="utf-8")


def _write_npz(path: Path, matrix: Any) -> None:
    """Write a CSR matrix as scipy does, with fixed dates in the archive."""
    import numpy as np

    arrays = {"indices": matrix.indices, "indptr": matrix.indptr, "format": np.array(b"csr"),
              "shape": np.array(matrix.shape), "data": matrix.data}  # fmt: skip
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asanyarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content.getvalue())
