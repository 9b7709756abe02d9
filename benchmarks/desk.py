"""The desk simulated: what is left after 10, 20 and 40 minutes of a person, then and now, and by whole documents.

`python -m benchmarks desk` plays eight corpora in three languages with all their labels (at most nine): the page of
commit 0b85474, the page of this tree, and whole documents in random order, by a reader without errors and by one who
misses 5 % of what is sensitive, under one seed or more (of windows, order of documents and misses), whose means
count. The starter was learned without the corpus. What is judged is what a release of the
project's own documents at L/C 10 would leave. The seconds of a person are modelled; see `_desk_player`.
SFUMATO_DESK names some corpora ("letters_de; wikigold"); pieces that were played are kept until the run ends.

The German letters are generated, so that one session of them is one draw: without errors they are also played with
SFUMATO_DESK_DRAWS (10) draws of letters and windows, whose shares of time, their median and what each minute leaves are
in "draws". What is left is one word of some 3,000, or none, when the last words go: only many draws tell when that is.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import ROOT, data_folder, resumed
from benchmarks._desk_letters import LABELS, german_letters
from benchmarks.starter.without import starter_without
from sfumato.data.document import Document, Span
from sfumato.data.findings import resolve

THEN = "0b85474"
CORPORA = (
    "letters_de", "meddocan_es", "asq_phi", "btc_twitter", "enron_emailcoref", "presidio_synth_v2",
    "wikigold", "inlegalner_dev",
)  # fmt: skip
WORDS = 10_000
MINUTES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40)
TOLD = (10, 20, 40)
READERS = {"without errors": 0.0, "misses 5 %": 0.05}
WAYS = ("then", "ours", "documents")
SEEDS = (0,)
DRAWN, LETTERS = "letters_de", 7
MOST_LABELS = 9


def documents_of(
    name: str, most: int = WORDS, *, draw: int = 0
) -> tuple[list[Document], list[str]]:
    """Return documents of a corpus, of about so many words, and its labels, the nine commonest where there are more.

    Of generated ones each draw gives others.
    """
    if name == DRAWN:
        return [joined(d) for d in german_letters(most // 200, seed=LETTERS + draw)], list(LABELS)
    folder = data_folder()
    assert folder is not None
    with gzip.open(folder / "text" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = [_document(json.loads(line)) for line in lines]
    order = np.random.default_rng(5).permutation(len(documents))
    kept, words = [], 0
    for i in order.tolist():
        kept.append(documents[i])
        words += len(documents[i].text.split())
        if words >= most:
            break
    counts = Counter(s.label for d in kept for s in d.spans)
    labels = [label for label, _ in counts.most_common(MOST_LABELS)]
    return kept, sorted(labels)


def _document(record: dict[str, Any]) -> Document:
    spans = (Span(s["start"], s["end"], s["label"]) for s in record["spans"])
    return joined(Document(str(record["id"]), record["text"], tuple(resolve(list(spans), "merge"))))


def joined(document: Document) -> Document:
    """Return a document in which spans of one label with only blanks between them are one, as a person marks them."""
    joined: list[Span] = []
    for span in sorted(document.spans, key=lambda s: s.start):
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.label == span.label
            and not document.text[last.end : span.start].strip(" ")
        ):
            joined[-1] = Span(last.start, span.end, span.label)
        else:
            joined.append(span)
    return Document(document.id, document.text, tuple(joined))


def play(tree: Path, job: dict[str, Any]) -> dict[str, Any]:
    """Play a session with the code of a tree."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(job, file)
        file.flush()
        player = Path(__file__).with_name("_desk_player.py")
        done = subprocess.run(
            [sys.executable, str(player), file.name], check=True, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(tree / "src"), "SFUMATO_ENCODER": "none"},
        )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def tree_of(commit: str, folder: Path) -> Path:
    """Write the sources of a commit into a folder."""
    out = folder / commit
    if not out.exists():
        packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, check=True, capture_output=True)  # fmt: skip
        with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
            archive.extractall(out, filter="data")
    return out


def session_of(
    name: str, way: str, misses: float, seed: int, work: Path, *, draw: int = 0
) -> dict[str, Any]:
    documents, labels = documents_of(name, draw=draw)
    job: dict[str, Any] = {
        "documents": [
            {"id": d.id, "text": d.text, "spans": [[s.start, s.end, s.label] for s in d.spans if s.label in labels]}
            for d in documents
        ],
        "labels": labels, "way": "documents" if way == "documents" else "questions",
        "misses": misses, "seed": 3 + seed, "project_seed": seed, "minutes": list(MINUTES),
    }  # fmt: skip
    if way == "ours":
        job["starter"] = str(starter_without(name))
    found = play(ROOT if way == "ours" else tree_of(THEN, work), job)
    found["words"] = sum(len(d.text.split()) for d in documents)
    rows = [(r["minutes"], r["left"], r["T"]) for r in found["rows"] if r["minutes"] in TOLD]
    print(f"   {name}, {way}, {misses}, seed {seed}, draw {draw}: {rows}", flush=True)
    return found


def minutes_to(rows: list[dict[str, Any]], left: float, *, stays: bool = False) -> float | None:
    """Return after how many minutes a session leaves no more than this, between stops linearly; None for never.

    With `stays`, from when on it never leaves more again.
    """
    good = [row["left"] <= left + 1e-9 for row in rows]
    if not any(good) or (stays and not good[-1]):
        return None
    first = good.index(True)
    if stays:
        first = max((i for i, fine in enumerate(good) if not fine), default=-1) + 1
    if first == 0:
        return float(rows[0]["minutes"])
    before, after = rows[first - 1], rows[first]
    share = (before["left"] - left) / max(before["left"] - after["left"], 1e-9)
    return float(before["minutes"] + share * (after["minutes"] - before["minutes"]))


def averaged(sessions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean of some sessions; of their ranges how many held, stop by stop."""
    rows = []
    for same in zip(*(found["rows"] for found in sessions), strict=True):
        row = {"minutes": same[0]["minutes"], "T": round(_mean(r["T"] for r in same))}
        row |= {
            key: round(_mean(r[key] for r in same), 5) for key in ("seconds", "left", "right_label")
        }
        labels = sorted({label for r in same for label in r["by_label"]})
        row["by_label"] = {
            label: round(_mean(r["by_label"][label] for r in same if label in r["by_label"]), 4)
            for label in labels
        }
        row["held"] = [r["low"] <= r["left"] <= r["high"] for r in same if "low" in r]
        rows.append(row)
    counts = ("word_questions", "word_no", "asked_twice", "words")
    kinds = sorted({kind for found in sessions for kind in found["questions"]})
    return {
        "rows": rows, **{key: round(_mean(found[key] for found in sessions), 1) for key in counts},
        "questions": {kind: _mean(found["questions"].get(kind, 0) for found in sessions) for kind in kinds},
    }  # fmt: skip


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def told(found: dict[str, Any]) -> dict[str, Any]:
    rows = [row for row in found["rows"] if row["minutes"] in TOLD]
    keys = ("T", "left", "seconds", "right_label", "by_label", "held")
    return {
        **{key: value for key, value in found.items() if key != "rows"},
        **{key: [row[key] for row in rows] for key in keys},
        "left_by_minute": {f"{row['minutes']:g}": row["left"] for row in found["rows"]},
    }


def run() -> dict[str, Any]:
    wanted = [n for n in os.environ.get("SFUMATO_DESK", "").split("; ") if n] or list(CORPORA)
    if data_folder() is None:
        wanted = [n for n in wanted if n == "letters_de"]
    work = Path(os.environ.get("SFUMATO_DESK_WORK", tempfile.gettempdir() + "/sfumato-desk"))
    work.mkdir(parents=True, exist_ok=True)
    played: dict[str, Any] = {}
    for reader, misses in READERS.items():
        for name in wanted:
            for way in WAYS:
                sessions = []
                for seed in SEEDS:
                    play_it = partial(session_of, name, way, misses, seed, work)
                    sessions.append(resumed("desk", f"{name}, {way}, {reader}, {seed}", play_it))
                played.setdefault(reader, {}).setdefault(name, {})[way] = averaged(sessions)
    drawn = drawn_letters(work) if DRAWN in wanted else {}
    return summary(played) | drawn


def drawn_letters(work: Path) -> dict[str, Any]:
    """Play several draws of the letters and of their windows, then and now, by a reader without errors."""
    by_draw = {}
    for draw in range(int(os.environ.get("SFUMATO_DESK_DRAWS", "10"))):
        ways = {}
        for way in ("then", "ours"):
            play_it = partial(session_of, DRAWN, way, 0.0, draw, work, draw=draw)
            ways[way] = averaged([resumed("desk", f"draw {draw}, {way}", play_it)])
        by_draw[str(draw)] = ways
    return {"draws": summary_of_draws(by_draw)} if by_draw else {}


def summary_of_draws(by_draw: dict[str, Any]) -> dict[str, Any]:
    """Return the shares of time draw by draw, and over the draws their median, largest and what each minute leaves."""
    left = {
        way: {
            f"{minutes:g}": [ways[way]["rows"][stop]["left"] for ways in by_draw.values()]
            for stop, minutes in enumerate(MINUTES)
        }
        for way in ("then", "ours")
    }
    return {
        "time": {draw: compared(ways) for draw, ways in by_draw.items()},
        "time_to_stay": {draw: compared(ways, stays=True) for draw, ways in by_draw.items()},
        "median_of_time": median_share(by_draw),
        "median_of_time_to_stay": median_share(by_draw, stays=True),
        "largest_time": {str(stop): _largest(by_draw, str(stop)) for stop in TOLD},
        "left_by_minute": left,
        "mean_left_by_minute": {
            way: {minute: round(_mean(shares), 5) for minute, shares in rows.items()}
            for way, rows in left.items()
        },
    }


def _largest(by_draw: dict[str, Any], stop: str) -> float | None:
    shares = [compared(ways)[stop] for ways in by_draw.values()]
    known = [share for share in shares if share is not None]
    return max(known) if len(known) == len(shares) else None


def summary(played: dict[str, Any]) -> dict[str, Any]:
    """Return what the sessions of each reader show."""
    return {
        "then": THEN, "minutes": list(TOLD), "seeds": len(SEEDS),
        "sessions": {r: {n: {w: told(f) for w, f in ways.items()} for n, ways in by.items()} for r, by in played.items()},
        "time": {r: {n: compared(ways) for n, ways in by.items()} for r, by in played.items()},
        "time_to_stay": {r: {n: compared(ways, stays=True) for n, ways in by.items()} for r, by in played.items()},
        "median_of_time": {r: median_share(by) for r, by in played.items()},
        "median_of_time_to_stay": {r: median_share(by, stays=True) for r, by in played.items()},
    }  # fmt: skip


def compared(ways: dict[str, Any], *, stays: bool = False) -> dict[str, float | None]:
    """Return the share of then's time that ours takes to leave what then's page leaves after 10, 20 and 40 minutes.

    The first stop is after a minute: what is left there already counts as reached then.
    """
    found = {}
    for stop in TOLD:
        left = next(row["left"] for row in ways["then"]["rows"] if row["minutes"] == stop)
        took = minutes_to(ways["ours"]["rows"], left, stays=stays)
        found[str(stop)] = None if took is None else round(took / stop, 3)
    return found


def median_share(by: dict[str, Any], *, stays: bool = False) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for stop in TOLD:
        took = [compared(ways, stays=stays)[str(stop)] for ways in by.values()]
        middle = float(np.median([np.inf if share is None else share for share in took]))
        found[str(stop)] = round(middle, 3) if np.isfinite(middle) else None
    return found
