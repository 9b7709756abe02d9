"""What happens after reading: hostile files that were taken go on through explore and publish.

Budgets are tiny, kernels check their bounds (the runner sets NUMBA_BOUNDSCHECK), and a word that was
planted where it must not come out (a redacted name, an identifier, a rare item) is looked for in
everything that was written.
"""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

PLANTED = "Quetzalcanary"


class LeakError(AssertionError):
    """A planted word stands in an output or a message."""


def stands_in(content: bytes) -> bool:
    """Return whether the planted word stands in a text as a word of its own."""
    from sfumato.engines.text.reading.tokens import Vocabulary, tokenize

    if PLANTED.encode() not in content:
        return False
    vocabulary = Vocabulary()
    tokenize([content.decode("utf-8", "replace")], vocabulary)
    return PLANTED in vocabulary.words


def search(folder: Path) -> None:
    """Refuse a folder in which some file holds the planted word."""
    for path in folder.rglob("*"):
        if path.is_file() and stands_in(path.read_bytes()):
            raise LeakError(path.suffix)


# --- documents -----------------------------------------------------------------------------------


@cache
def _candidate() -> Any:
    """Learn from a few generated notes, with the planted word on the list of what is always redacted."""
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.engines.text.sanitize.models import load_candidates
    from sfumato.text import explore

    with tempfile.TemporaryDirectory() as name:
        found = explore(
            clinic_notes(6), labels=["NAME"], ratios=[10], folds=2, attackers=(), deny=[PLANTED]
        )
        found.save(name)
        return next(iter(load_candidates(Path(name)).values()))


@cache
def sanitiser(*, findings: bool = False) -> Any:
    from sfumato.engines.text.redaction.sanitiser import Sanitiser

    return Sanitiser(_candidate(), findings=findings)


def sanitised(documents: Sequence[Any], *, findings: bool = False) -> list[Any]:
    """Sanitise documents; the planted word must be gone from their texts."""
    from sfumato.data.document import Edited

    published = sanitiser(findings=findings)(documents)
    for text in published.texts:
        if stands_in(text.encode()):
            raise LeakError("text")
    return [
        Edited(document, edits, document.id)
        for document, edits in zip(published.documents, published.edits, strict=True)
    ]


def publish_documents(path: Path, folder: Path) -> None:
    """Sanitise a corpus, write it in its own form, and look at the texts that were written."""
    from sfumato.data.documents import Withheld, read_documents, write_corpus

    corpus = read_documents(path)
    good = [record for record in corpus.tolerant() if not isinstance(record, Withheld)]
    out = folder / f"released{''.join(path.suffixes)}"
    write_corpus(sanitised(good), like=corpus, out=out)
    for document in read_documents(out).tolerant() if good else ():
        if not isinstance(document, Withheld) and stands_in(document.text.encode()):
            raise LeakError("text")
    if path.suffix == ".conll" and stands_in(out.read_bytes()):
        raise LeakError("column")


def publish_lines(path: Path) -> None:
    """Sanitise JSON lines by the compiled loops, block by block."""
    from sfumato.data.documents import read_documents
    from sfumato.data.formats.lines import Column, LineWriter, SeenMarks, read_blocks

    corpus = read_documents(path)
    for block in read_blocks(corpus.format, corpus.parts[0], SeenMarks(), size=100):
        edits, _ = sanitiser().texts(block.text.data, block.text.bounds, block.id)
        text, bounds = edits.render()
        if stands_in(text.tobytes()):
            raise LeakError("text")
        LineWriter(corpus.format.names).lines(block, Column(text, bounds))


# --- tables --------------------------------------------------------------------------------------


def publish_table(folder: Path, table: str = "table.csv") -> None:
    """Explore a table and publish it; no identifier may come out."""
    from sfumato import tables

    found = tables.explore(
        folder / table,
        schema=folder / "schema.toml",
        population=folder / "population.csv",
        evaluations=4,
    )
    found.publish(found.knee(), folder / table, out=folder / "released")
    if not _is_published(folder, table):
        search(folder / "released")


def _is_published(folder: Path, table: str) -> bool:
    """Return whether the changed files themselves put the planted word where it goes out."""
    from sfumato.data.table_schema import TableSchema

    roles = {a.name: a.role for a in TableSchema.load(folder / "schema.toml").attributes}
    hidden = {name for name, role in roles.items() if role == "identifier"}
    if table.endswith(
        ".parquet"
    ):  # a changed footer may say that pages of one column are another's
        return ("name" in roles and "name" not in hidden) or _holds(
            folder / table, set(roles) - hidden
        )
    content = (folder / table).read_text(errors="replace").removeprefix("\ufeff")
    first = content.split("\n", 1)[0]
    try:
        rows = list(csv.reader(io.StringIO(content), delimiter=max(",;\t|", key=first.count)))
    except csv.Error:
        return True
    names = [name.strip() for name in rows[0]]
    return any(
        PLANTED in cell and (i >= len(names) or names[i] in roles) and names[i : i + 1] != ["name"]
        for row in rows
        for i, cell in enumerate(row)
    ) or ("name" in roles and "name" not in hidden)


def _holds(path: Path, columns: set[str]) -> bool:
    """Return whether some of the columns of a Parquet file hold the planted word, as it is read."""
    from sfumato.data.table_source import TableSource

    opened = TableSource.open(path)
    listed = [f'CAST("{name}" AS VARCHAR)' for name in columns.intersection(opened.columns)]
    if not listed:
        return False
    found = opened.query(f"SELECT {', '.join(listed)} FROM {opened.raw}")
    return any(PLANTED in (cell or "") for column in found.columns for cell in column.to_pylist())


# --- baskets -------------------------------------------------------------------------------------


def publish_baskets(path: Path, folder: Path) -> None:
    """Explore baskets at k = 2 and publish; an item that one row holds may not come out."""
    from sfumato import baskets
    from sfumato.data.baskets import read_baskets

    read = read_baskets(path)
    labels = None
    if read.labels is None or len(set(read.labels)) != 2:
        if len(read) < 4:
            return
        labels = folder / "labels.txt"
        labels.write_text("".join(f"{'pq'[i % 2]}\n" for i in range(len(read))))
    found = baskets.explore(path, labels=labels, k=2, folds=2, selector="hamdist")
    found.publish(found.candidates[0], path, labels=labels, out=folder / "released")
    held = dict(zip(read.feature_names, read.matrix.sum(axis=0).A1.tolist(), strict=True))
    elsewhere = any(PLANTED in n and n != PLANTED for n in read.feature_names) or (
        read.labels is not None and any(PLANTED in label for label in read.labels)
    )
    if held.get(PLANTED, 0) < 2 and not elsewhere and read.label_column != PLANTED:
        search(folder / "released")
