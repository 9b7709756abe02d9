"""Drafts a plan from data, for the steward to edit."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from .core.errors import InputError
from .core.files import check_output, whole_file

__all__ = ["draft_plan"]


def draft_plan(
    files: Sequence[str | os.PathLike[str]],
    *,
    out: str | os.PathLike[str],
    schema: str | os.PathLike[str] | None = None,
    population: str | os.PathLike[str] | None = None,
    labels: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> list[Path]:
    """Write a plan for the given data files; for a table without a schema, draft that too.

    Documents (.jsonl, brat, CoNLL) become a [text] part, tables (.csv, .tsv, .parquet) a [tables] part,
    matrices (.npz, .svm) a [baskets] part.
    """
    if not files:
        raise InputError("A plan is drafted from data.", hint="name one or more data files.")
    target = check_output(out, force=force)
    folder = target.absolute().parent
    written: list[Path] = []

    def beside(path: str | os.PathLike[str]) -> str:
        return json.dumps(Path(os.path.relpath(os.path.abspath(path), folder)).as_posix())

    lines = ['title = "Release"', "seed = 0", 'out = "release"', ""]
    for given in files:
        path = Path(given)
        if not path.exists():
            raise InputError(f"There is no file {path.name!r}.", hint="check the path.")
        suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
        if suffix in {".csv", ".tsv", ".parquet"}:
            if schema is None:
                from .data.table_schema import draft_schema

                schema = folder / "schema.toml"
                text = draft_schema(path)
                with whole_file(schema, force=force) as partial:
                    partial.write_text(text, encoding="utf-8")
                written.append(Path(schema))
            lines += ["[tables]", f"table = {beside(path)}", f"schema = {beside(schema)}"]
            if population is not None:
                lines.append(f"population = {beside(population)}")
            lines += [
                "evaluations = 4000",
                "choose = { knee = true }   # or { max_risk = 0.01 }",
                "",
            ]
        elif suffix in {".npz", ".svm", ".libsvm"}:
            if labels is None:
                raise InputError(
                    f"The matrix {path.name!r} needs its labels.", hint="give --labels FILE."
                )
            lines += ["[baskets]", f"matrix = {beside(path)}", f"labels = {beside(labels)}"]
            lines += ["k = [5, 8, 11]", "choose = { knee = true }   # or { max_risk = 0.2 }", ""]
        else:
            lines += ["[text]", f"corpus = {beside(path)}", f"labels = {json.dumps(_labels(path))}"]
            lines += ["choose = { ratio = 10 }", 'replace = "placeholder"', ""]
    with whole_file(target, force=force) as partial:
        partial.write_text("\n".join(lines), encoding="utf-8")
    return [target, *written]


def _labels(path: Path) -> list[str]:
    """List the labels that the documents carry."""
    from .data.documents import read_documents

    found = sorted({span.label for document in read_documents(path) for span in document.spans})
    if not found:
        raise InputError(
            f"No document of {path.name!r} carries a label.",
            hint="the text engine learns from labelled documents.",
        )
    return found
