"""Right labels: of the sensitive words that are redacted, how many carry their true label, by confusion matrix.

`python -m benchmarks desk_labels`: corpora with several labels. From `explore` on half of the documents (with the
starter as background), judged on the other half; and from a project of 150 answers, judged on all its documents, as
its release would label them. Each corpus was left out of the starter's learning.
"""

from __future__ import annotations

import json
import os
import tempfile
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import sfumato as sf
from benchmarks import _desk_player as player
from benchmarks._common import data_folder, resumed
from benchmarks.desk import documents_of
from benchmarks.starter.without import starter_without
from sfumato.data.document import Document
from sfumato.engines.text.labelling.publication import explore_answers
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.request import TextRequest
from sfumato.engines.text.starter.weights import Starter

CORPORA = (
    "letters_de", "medcat_deid_synth", "meddocan_es", "asq_phi", "presidio_synth_v2", "enron_emailcoref",
    "wikigold", "inlegalner_dev", "btc_twitter", "wnut17", "litbank",
)  # fmt: skip
ANSWERS = 150
RATIO = 10.0


def confusion(gold: list[Document], found: list[Document], labels: list[str]) -> dict[str, Any]:
    """Return how many sensitive words that are redacted carry which label: rows are the truth."""
    tokens = tokenize([d.text for d in gold], Vocabulary())
    truth = labels_from_spans(gold, tokens, labels)
    given = labels_from_spans(found, tokens, labels)
    words = np.array([any(c.isalnum() for c in tokens.text[a:b].tobytes().decode()) for a, b in zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)])  # fmt: skip
    both = words & (truth > 0) & (given > 0)
    size = len(labels) + 1
    matrix = np.bincount(truth[both] * size + given[both], minlength=size * size).reshape(size, size)[1:, 1:]  # fmt: skip
    return {
        "words": int(matrix.sum()), "right": round(float(np.trace(matrix) / max(matrix.sum(), 1)), 4),
        "labels": labels, "matrix": matrix.tolist(),
    }  # fmt: skip


def from_explore(name: str) -> dict[str, Any]:
    documents, labels = documents_of(name)
    own = [
        Document(d.id, d.text, tuple(s for s in d.spans if s.label in labels)) for d in documents
    ]
    half = len(own) // 2
    known = {s.label for d in own[:half] for s in d.spans}
    labels = [label for label in labels if label in known]
    own = [Document(d.id, d.text, tuple(s for s in d.spans if s.label in labels)) for d in own]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "known.jsonl"
        lines = ({"id": d.id, "text": d.text, "spans": [{"start": s.start, "end": s.end, "label": s.label} for s in d.spans]} for d in own[:half])  # fmt: skip
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        starter = Starter.load(starter_without(name))
        with mock.patch(
            "sfumato.engines.text.frontier.starter.packaged_starter", return_value=starter
        ):
            explored = sf.text.explore(path, labels=labels, ratios=[RATIO], starter=True)
    found = [
        Document(d.id, d.text, tuple(explored.spans(Document(d.id, d.text), RATIO)))
        for d in own[half:]
    ]
    return confusion(own[half:], found, labels)


def from_answers(name: str) -> dict[str, Any]:
    documents, labels = documents_of(name)
    gold = [
        Document(d.id, d.text, tuple(s for s in d.spans if s.label in labels)) for d in documents
    ]
    player.use_starter(str(starter_without(name)))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        lines = (json.dumps({"id": d.id, "text": d.text}) for d in gold)
        (folder / "texts.jsonl").write_text("\n".join(lines), encoding="utf-8")
        player.start_project(folder / "texts.jsonl", folder / "project", labels=labels)
        session = player.Session(folder / "project", background=False)
        person = player.Person(session, gold, labels, 0.0, 3)
        for number in range(ANSWERS):
            question = session.question()
            if question is None:
                break
            person.answer(question)
            if number % player.BATCH == 0:
                session.refit()
        session.refit()
        request = TextRequest(corpus=session.project.folder, labels=labels, ratios=[RATIO])
        explored = explore_answers(session, request)
        found = [Document(d.id, d.text, tuple(explored.spans(d, RATIO))) for d in session.documents]
        page = [Document(d.id, d.text, tuple(session.spans(i))) for i, d in enumerate(session.documents)]  # fmt: skip
        session.close()
    on_page = confusion(gold, page, labels)["right"]
    return {**confusion(gold, found, labels), "right_on_page": on_page, "minutes": round(person.seconds / 60, 1)}  # fmt: skip


def run() -> dict[str, Any]:
    wanted = [n for n in os.environ.get("SFUMATO_DESK", "").split("; ") if n] or list(CORPORA)
    if data_folder() is None:
        wanted = ["letters_de"]
    found: dict[str, Any] = {"explore": {}, "answers": {}}
    for name in wanted:
        for way, work in (("explore", from_explore), ("answers", from_answers)):
            found[way][name] = resumed("desk_labels", f"{name}, {way}", partial(work, name))
            print(f"   {name}, {way}: {found[way][name]['right']}", flush=True)
    shares = {way: [row["right"] for row in rows.values()] for way, rows in found.items()}
    return {
        **found, "answers_given": ANSWERS,
        "median": {way: round(float(np.median(s)), 4) for way, s in shares.items()},
        "least": {way: min(s) for way, s in shares.items()},
    }  # fmt: skip
