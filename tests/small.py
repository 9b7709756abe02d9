"""Small versions of the embedded samples, under the same names: what is run on them shows the same faults, sooner."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
from itertools import islice
from pathlib import Path

NOTES, MORE_NOTES = 330, 100  # the docs learn from the first 300 notes
CHARACTERS = 170  # of a note
PEOPLE, PEOPLE_WITH_NOTES = 1_500, 200
CUSTOMERS, ARTICLES = 400, 300


def shrink(samples: Path, folder: Path) -> Path:
    """Write all samples anew into a folder, with fewer and shorter records.

    Parameters
    ----------
    samples : Path
        What `sfumato samples` wrote.
    folder : Path
        A new folder.

    """
    folder.mkdir()
    for name, count in (("notes.jsonl.gz", NOTES), ("more_notes.jsonl.gz", MORE_NOTES)):
        with (
            gzip.open(samples / name, "rt", encoding="utf-8") as long,
            gzip.open(folder / name, "wt", encoding="utf-8") as short,
        ):
            short.writelines(_shorter(json.loads(line)) for line in islice(long, count))
    _shorten_findings(samples, folder)
    tables = {
        "register": PEOPLE,
        "register_later": PEOPLE,
        "register_with_notes": PEOPLE_WITH_NOTES,
    }
    for name, count in ((f"{stem}.csv", count) for stem, count in tables.items()):
        with (
            (samples / name).open(encoding="utf-8", newline="") as long,
            (folder / name).open("w", encoding="utf-8", newline="") as short,
        ):
            rows = islice(csv.reader(long), count + 1)
            writer = csv.writer(short, lineterminator="\n")
            writer.writerows([cell[: text_end(cell, [])] for cell in row] for row in rows)
    for name in ("population.csv", "schema.toml", "schema_with_notes.toml"):
        shutil.copy(samples / name, folder / name)
    write_purchases(folder)
    return folder


def write_purchases(folder: Path) -> None:
    """Write a small purchase log with its labels and the names of its articles."""
    from sfumato.data.npz import write_csr
    from sfumato.data.samples import purchase_log

    log = purchase_log(CUSTOMERS, ARTICLES)
    write_csr(folder / "purchases.npz", log.matrix)
    for name, values in (("labels", log.labels.tolist()), ("features", log.names)):
        lines = "".join(f"{value}\n" for value in values)
        (folder / f"purchases.{name}.txt").write_text(lines, encoding="utf-8")


def _shorter(note: dict[str, object]) -> str:
    """Return the beginning of a note as a line of JSON; a span that crosses its end is kept whole."""
    spans = note.get("spans", [])
    end = text_end(note["text"], spans)
    note["text"] = note["text"][:end]
    if spans:
        note["spans"] = [span for span in spans if span["end"] <= end]
    return json.dumps(note, ensure_ascii=False) + "\n"


def text_end(text: str, spans: list[dict[str, int]]) -> int:
    """Return where a text is cut: between words, and outside every span."""
    end = text.find(" ", CHARACTERS)
    if end < 0:
        return len(text)
    return max([end, *(s["end"] for s in spans if s["start"] < end < s["end"])])


def _shorten_findings(samples: Path, folder: Path) -> None:
    with gzip.open(folder / "notes.jsonl.gz", "rt", encoding="utf-8") as stream:
        ends = {note["id"]: len(note["text"]) for note in map(json.loads, stream)}
    lines = []
    for line in (samples / "findings.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["id"] in ends:
            end = ends[record["id"]]
            record["findings"] = [f for f in record["findings"] if f["end"] <= end]
            lines.append(json.dumps(record) + "\n")
    (folder / "findings.jsonl").write_text("".join(lines), encoding="utf-8")
