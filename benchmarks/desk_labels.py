"""Right labels: of the sensitive words that are redacted, how many carry their true label, by confusion matrix.

`python -m benchmarks desk_labels`: corpora with several labels. From `explore` on half of the documents (with the
starter as background), judged on the other half, for corpora cut at 10,000 and at 60,000 words; and from a project of
150 answers on 10,000 words, judged on all its documents, as its release labels them (`right_unanswered`: the words that
nobody answered about). "told" is what the same model reaches that is told which words are sensitive, learned from
an eighth, a quarter, half and all of the documents of one half, with what each doubling of the words gains, and how
many doublings are missing to the goal at this rate. Beside it what was published of finding and naming the entities of
these corpora. Tried, with a loss of "told" in the mean of seven corpora of 20,000 words each: what the same word's other
places in the document say, three models instead of one, fewer and smaller steps. Tried
on 12,000 words each, without a gain or with a loss on some: stronger rules (ten corpora), the mean over the same word or
run in a document or in the corpus (six), the length of the run, the place in it, the words around it and at its edges
(one: Wikipedia). "held" says whether
the share that is left lies in the range that the frontier promised. Each corpus was left out of the starter's learning.
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
from benchmarks.desk import WORDS, documents_of
from benchmarks.starter.without import starter_without
from sfumato.data.document import Document
from sfumato.engines.text.labelling.publication import explore_answers
from sfumato.engines.text.learners.labels import LabelCRF, with_scores
from sfumato.engines.text.learners.partial import Pool
from sfumato.engines.text.reading.arrays import Mask
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.request import TextRequest
from sfumato.engines.text.rules import ChosenRules
from sfumato.engines.text.rules.features import rule_place
from sfumato.engines.text.starter.adapted import adapt, kinds_of
from sfumato.engines.text.starter.weights import Starter

CORPORA = (
    "letters_de", "medcat_deid_synth", "meddocan_es", "asq_phi", "presidio_synth_v2", "enron_emailcoref",
    "wikigold", "inlegalner_dev", "btc_twitter", "wnut17", "litbank",
)  # fmt: skip
LARGE = 60_000
SHARES = (0.125, 0.25, 0.5, 1.0)
ANSWERS = 150
RATIO = 10.0
GOAL = 0.95
PUBLISHED = {
    "wnut17": "best of the shared task: F1 .419 (aclanthology.org/W17-4419); hard even among annotators (W17-4418); "
    "DeBERTa large, learned from the whole training part: F1 .511, .594 of spans without their types, so that .86 of the "
    "spans it finds have their type (T-NER, deberta-large-wnut2017)",
    "btc_twitter": "RoBERTa large, learned from the whole training part: F1 .837, .911 of spans without their types, so "
    "that .92 of the spans it finds have their type (T-NER, roberta-large-btc)",
    "litbank": "F1 .683, learned on the corpus itself (Bamman et al., NAACL 2019)",
    "inlegalner_dev": "F1 .911, RoBERTa, learned from the whole training part (en_legal_ner_trf, arxiv.org/abs/2211.03442)",
}
TOO_LARGE = ("btc_twitter", "wnut17", "litbank")
"""Corpora that `explore` was not run on at 60,000 words: "told" tells what their labels gain."""


def confusion(
    gold: list[Document], found: list[Document], labels: list[str], among: Mask | None = None
) -> dict[str, Any]:
    """Return how many sensitive words that are redacted carry which label: rows are the truth."""
    tokens = tokenize([d.text for d in gold], Vocabulary())
    truth = labels_from_spans(gold, tokens, labels)
    given = labels_from_spans(found, tokens, labels)
    words = np.array([any(c.isalnum() for c in tokens.text[a:b].tobytes().decode()) for a, b in zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)])  # fmt: skip
    both = words & (truth > 0) & (given > 0)
    if among is not None:
        both &= among
    size = len(labels) + 1
    matrix = np.bincount(truth[both] * size + given[both], minlength=size * size).reshape(size, size)[1:, 1:]  # fmt: skip
    return {
        "words": int(matrix.sum()), "right": round(float(np.trace(matrix) / max(matrix.sum(), 1)), 4),
        "labels": labels, "matrix": matrix.tolist(),
    }  # fmt: skip


def left_of(gold: list[Document], found: list[Document], labels: list[str]) -> float:
    """Return the share of the sensitive words that is left."""
    tokens = tokenize([d.text for d in gold], vocabulary := Vocabulary())
    data = TokenData.of(tokens, vocabulary)
    sensitive = data.counted & (labels_from_spans(gold, tokens, labels) > 0)
    left = sensitive & (labels_from_spans(found, tokens, labels) == 0)
    return round(int(left.sum()) / max(int(sensitive.sum()), 1), 4)


def from_explore(name: str, most: int) -> dict[str, Any]:
    own, labels = halves_of(name, most)
    half = len(own) // 2
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "known.jsonl"
        lines = ({"id": d.id, "text": d.text, "spans": [{"start": s.start, "end": s.end, "label": s.label} for s in d.spans]} for d in own[:half])  # fmt: skip
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        starter = Starter.load(starter_without(name))
        with mock.patch(
            "sfumato.engines.text.frontier.starter.packaged_starter", return_value=starter
        ):
            explored = sf.text.explore(path, labels=labels, ratios=[RATIO], background="starter")
    found = [
        Document(d.id, d.text, tuple(explored.spans(Document(d.id, d.text), RATIO)))
        for d in own[half:]
    ]
    (candidate,) = (c for c in explored.candidates if c.ratio == RATIO)
    left, around = left_of(own[half:], found, labels), candidate.risk.interval
    assert around is not None
    return {
        **confusion(own[half:], found, labels),
        "words_learned_from": sum(len(d.text.split()) for d in own[:half]),
        "left": left, "promised": [round(around.low, 4), round(around.high, 4)],
        "held": around.low <= left <= around.high,
    }  # fmt: skip


def halves_of(name: str, most: int) -> tuple[list[Document], list[str]]:
    """Return documents of a corpus and the labels that stand in their first half."""
    documents, labels = documents_of(name, most)
    known = {s.label for d in documents[: len(documents) // 2] for s in d.spans}
    labels = [label for label in labels if label in known]
    return [
        Document(d.id, d.text, tuple(s for s in d.spans if s.label in labels)) for d in documents
    ], labels


def told_spans(name: str) -> dict[str, Any]:
    """Return how many labels are right where all sensitive words of the other half are known to be sensitive."""
    own, labels = halves_of(name, LARGE)
    half = len(own) // 2
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in own], vocabulary)
    rules = ChosenRules.read(None, labels=labels, texts=(d.text for d in own))
    matched = rules.documents([Document(d.id, d.text) for d in own])
    data = TokenData.of(tokens, vocabulary).with_places(rule_place(matched, tokens))
    starter = Starter.load(starter_without(name))
    kinds = sorted({k for found in kinds_of(starter, labels).values() for k in found})
    scorers = adapt(starter, data, kinds).model.label_scorers(labels) if kinds else ()
    pool = Pool(with_scores(data, [scorer.scores(data) for scorer, _ in scorers]))
    truth = labels_from_spans(own, tokens, labels)
    judged = data.counted & (truth > 0) & (data.document_of >= half)
    size, rows = len(labels) + 1, {}
    for share in SHARES:
        last = max(1, round(half * share))
        codes = np.where(data.document_of < last, truth, 0)
        model = LabelCRF().fit(pool, codes, labels, scorers=scorers).model
        given = model.labels(data, truth > 0)
        rows[str(share)] = {
            "words": sum(len(d.text.split()) for d in own[:last]),
            "right": round(float((given == truth)[judged].mean()), 4),
        }
    matrix = np.bincount(truth[judged] * size + given[judged], minlength=size * size)
    return {
        "shares": rows, "right": rows[str(SHARES[-1])]["right"], "labels": labels,
        "matrix": matrix.reshape(size, size)[1:, 1:].tolist(),
    }  # fmt: skip


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
        marked = session.known_spans()  # a release holds what was answered
        found = [Document(d.id, d.text, tuple(explored.spans(d, RATIO))) for d in marked]
        page = [Document(d.id, d.text, tuple(session.spans(i))) for i, d in enumerate(session.documents)]  # fmt: skip
        unanswered = session.answers.known <= 0
        session.close()
    return {
        **confusion(gold, found, labels),
        "right_on_page": confusion(gold, page, labels)["right"],
        "right_unanswered": confusion(gold, found, labels, unanswered)["right"],
        "minutes": round(person.seconds / 60, 1),
    }  # fmt: skip


def doublings(told: dict[str, Any]) -> dict[str, Any]:
    """Return what each doubling of the labelled words gains, and how many more the goal would take."""
    found = {}
    for name, row in told.items():
        first, last = row["shares"][str(SHARES[0])], row["shares"][str(SHARES[-1])]
        gained = (last["right"] - first["right"]) / np.log2(last["words"] / first["words"])
        missing = max(GOAL - last["right"], 0.0)
        more = 0.0 if not missing else missing / gained if gained > 0 else None
        found[name] = {"gained": round(float(gained), 4), "more": None if more is None else round(float(more), 1)}  # fmt: skip
    return found


def run() -> dict[str, Any]:
    wanted = [n for n in os.environ.get("SFUMATO_DESK", "").split("; ") if n] or list(CORPORA)
    if data_folder() is None:
        wanted = ["letters_de"]
    ways = {
        "explore": partial(from_explore, most=WORDS), "explore_large": partial(from_explore, most=LARGE),
        "answers": from_answers, "told": told_spans,
    }  # fmt: skip
    found: dict[str, Any] = {way: {} for way in ways}
    for way, work in ways.items():
        for name in wanted:
            if way == "explore_large" and name in TOO_LARGE:
                continue
            found[way][name] = resumed("desk_labels", f"{name}, {way}", partial(work, name))
            print(f"   {name}, {way}: {found[way][name]['right']}", flush=True)
    held = [row["held"] for row in found["explore"].values()]
    shares = {way: [row["right"] for row in rows.values()] for way, rows in found.items()}
    return {
        **found, "told_doublings": doublings(found["told"]), "published": PUBLISHED, "answers_given": ANSWERS, "ranges_held": [sum(held), len(held)],
        "median": {way: round(float(np.median(s)), 4) for way, s in shares.items()},
        "least": {way: min(s) for way, s in shares.items()},
    }  # fmt: skip
