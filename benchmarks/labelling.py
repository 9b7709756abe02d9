"""A simulated steward who has no labels: what questions, answered from gold labels, reach for how many keys.

Half of each corpus is the pool, the other half the test; NAME is sensitive, L/C = 10. Keys: yes or no 1, a
boundary 2 more, a span marked by hand 4, a wrong proposal taken away 1, "window done" 1; "all like this"
goes with the answer. T is 10·FN + FP per 1,000 test words.
"""

from __future__ import annotations

import json
import math
import os
import time
from itertools import product
from typing import Any

import numpy as np

from benchmarks._common import RESULTS, data_folder
from benchmarks.text import read
from sfumato.core.randomness import Streams
from sfumato.data.document import Document
from sfumato.engines.text.labelling.estimate import estimated, out_of_fold
from sfumato.engines.text.labelling.partial import UNKNOWN, PartialCRF, Pool
from sfumato.engines.text.labelling.questions import EVERY, Asker, Question
from sfumato.engines.text.learners.crf import CRF, CRFModel
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.rules import RuleSet, built_in, guess_languages, rule_place

CORPORA = (
    "aci_bench_dialogues", "aci_bench_notes", "asq_phi", "btc_twitter", "enron_emailcoref", "gum_ccby",
    "inlegalner_dev", "litbank", "medcat_deid_synth", "meddocan_es", "presidio_synth_v2", "wikigold", "wnut17",
)  # fmt: skip
ONLY = os.environ.get("SFUMATO_LABELLING", "")  # some of them; the others keep their figures
SPLITS = (1, 2)
STOPS = (0, 50, 100, 160, 200, 400)
POOL_WORDS = 10_000
RATIO = 10.0
THRESHOLD = -math.log(RATIO)
BATCH = 6


def prepared(
    documents: list[Document], rules: RuleSet | None, cache: dict[str, Any]
) -> tuple[TokenData, np.ndarray]:
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    data = TokenData.of(tokens, vocabulary)
    if rules is not None:
        found = [
            Document(d.id, d.text, cache.setdefault(d.id, rules.find(d.text, labels=["NAME"])))
            for d in documents
        ]
        data = data.with_places(rule_place(found, tokens))
    return data, (labels_from_spans(documents, tokens, ["NAME"]) > 0).astype(np.int8)


def trimmed(documents: list[Document], words: int) -> list[Document]:
    kept, total = [], 0
    for document in documents:
        kept.append(document)
        total += len(document.text.split())
        if total >= words:
            break
    return kept


class Steward:
    """Answers from gold labels and counts keys."""

    def __init__(self, asker: Asker, gold: np.ndarray) -> None:
        self.asker, self.gold = asker, gold
        self.known = np.full(len(gold), UNKNOWN, np.int8)
        self.keys = self.answers = self.read = self.like = self.wrong = 0
        self.done = np.zeros(len(asker.windows) - 1, bool)
        self.drawn: list[int] = []

    def runs(self, mask: np.ndarray, first: int, last: int) -> list[tuple[int, int]]:
        """Runs of a mask, over punctuation inside a name too."""
        found, i = [], first
        while i < last:
            if mask[i]:
                j = i
                while j < last and mask[j]:
                    j += 1
                found.append((i, j))
                i = j
            else:
                i += 1
        return found

    def window(self, q: Question, scores: np.ndarray, *, proposals: bool = True) -> None:
        a, b = q.first, q.last
        gold = self.runs(self.gold > 0, a, b)
        shown = (
            self.runs((scores >= THRESHOLD) & self.asker.data.counted, a, b) if proposals else []
        )
        for run in gold:
            if run not in shown:
                overlaps = any(s < run[1] and run[0] < e for s, e in shown)
                self.keys += 2 if overlaps else 4
        self.keys += sum(not any(s < e2 and s2 < e for s2, e2 in gold) for s, e in shown)
        self.keys += 1
        self.answers += 1
        self.known[a:b] = self.gold[a:b]
        self.read += int(self.asker.data.counted[a:b].sum())
        self.done[q.window] = True
        if q.random:
            self.drawn.append(q.window)

    def word(self, q: Question, scores: np.ndarray, *, spread: bool = True) -> None:
        a, b = q.first, q.last
        truth = self.gold[a:b]
        self.answers += 1
        self.read += 15
        if truth.all() or not truth.any():
            edges = [i for i in (a - 1, b) if 0 <= i < len(self.gold)]
            exact = not truth.all() or not any(self.gold[i] for i in edges)
            self.keys += 1 if exact else 3
            sensitive = bool(truth.all())
            like = self.asker.like(a, b, scores, self.known, sensitive=sensitive) if spread else []
            self.known[a:b] = truth
            if truth.all():
                for i in edges:
                    if self.known[i] == UNKNOWN:
                        self.known[i] = self.gold[i]
            for s in like:
                self.like += b - a
                self.wrong += int((self.gold[s : s + b - a] != truth).sum())
                self.known[s : s + b - a] = truth
        else:
            self.keys += 3
            self.known[a:b] = truth


def measure(model: CRFModel, data: TokenData, gold: np.ndarray) -> dict[str, float]:
    scores = model.scores(data)
    words, hidden = data.counted, scores >= THRESHOLD
    leaks = int((words & (gold > 0) & ~hidden).sum())
    false = int((words & (gold == 0) & hidden).sum())
    total = 1000 * (RATIO * leaks + false) / int(words.sum())
    return {"T": total, "left": leaks / max(int((words & (gold > 0)).sum()), 1)}


def simulated(
    way: str,
    pool_documents: list[Document],
    test_documents: list[Document],
    start: CRFModel | None,
    rules: RuleSet | None,
    cache: dict[str, Any],
    *,
    seed: int,
    learner: dict[str, Any] | None = None,
    crowd: float = 0.05,
) -> list[dict[str, Any]]:
    data, gold = prepared(pool_documents, rules, cache)
    unseen, truth = prepared(test_documents, rules, cache)
    pool = Pool(data)
    asker = Asker(pool, ratio=RATIO, seed=seed, crowd=crowd)
    steward = Steward(asker, gold)
    crf = PartialCRF(start=start, **(learner or {}))
    rows = []
    documents = Streams(seed).generator("documents").permutation(data.documents).tolist()
    fitted = crf.fit(pool, steward.known, seed=seed)
    scores = fitted.scores()
    stops = list(STOPS)
    pending, exhausted = 0, False
    while stops:
        if steward.keys >= stops[0] or exhausted:
            fitted = crf.fit(pool, steward.known, seed=seed)
            scores, pending = fitted.scores(), 0
            row = {"keys": steward.keys, "stop": stops.pop(0), "answers": steward.answers,
                   "read": steward.read, "like": steward.like, "like_wrong": steward.wrong,
                   **measure(fitted.model(), unseen, truth)}  # fmt: skip
            if steward.drawn and not exhausted:
                drawn = np.array(steward.drawn)
                where = data.document_of[asker.windows[drawn]]
                oof = out_of_fold(crf, pool, steward.known, where, seed=seed)
                est = estimated(pool, oof, steward.known, asker.windows, drawn, THRESHOLD)
                row |= {"low": est.low, "high": est.high, "windows": est.windows}
                row["held"] = est.low <= row["left"] <= est.high
            rows.append(row)
            continue
        if way == "documents":
            if not documents:
                exhausted = True  # everything is marked: more keys would change nothing
                continue
            d = documents.pop()
            first, last = data.tokens.doc[d : d + 2].tolist()
            number = asker.window_of(first) if first < last else 0
            steward.window(Question("window", first, last, number), scores, proposals=False)
        elif way == "uncertainty":
            q = asker.next(np.abs(scores) * -1 + THRESHOLD, steward.known, asking="plain")
            if q is None:
                exhausted = True
                continue
            token = q.first
            steward.word(Question("word", token, token + 1, q.window), scores, spread=False)
            pending += 1
            if pending < 10:
                continue
        else:
            number = steward.answers
            q = asker.random_window(steward.done) if number % EVERY == 0 else None
            q = q or asker.next(scores, steward.known)
            if q is None:
                exhausted = True
                continue
            (steward.window if q.kind == "window" else steward.word)(q, scores)
            pending += 1
            if pending < BATCH:
                continue
        fitted = crf.fit(pool, steward.known, seed=seed)
        scores, pending = fitted.scores(), 0
    return rows


def background_of(others: list[Document], rules: RuleSet | None, cache: dict[str, Any]) -> CRFModel:
    data, gold = prepared(others, rules, cache)
    return CRF(memory=False).fit(data, gold.astype(np.uint8))


WAYS: dict[str, tuple[str, bool, bool]] = {
    "whole random documents": ("documents", False, False),
    "uncertainty in batches of ten": ("uncertainty", False, False),
    "ours, from nothing": ("ours", False, False),
    "ours, rules": ("ours", True, False),
    "ours, background": ("ours", False, True),
    "ours, rules and background": ("ours", True, True),
}


def run() -> dict[str, Any]:
    folder = data_folder()
    before = RESULTS / "labelling.json"
    results: dict[str, Any] = {}
    if ONLY and before.is_file():
        results = json.loads(before.read_text())["corpora"]
    corpora = {name: read(folder, name) for name in CORPORA} if folder else {}
    for split, (name, documents) in product(SPLITS, corpora.items()):
        if ONLY and name not in ONLY.split(","):
            continue
        started = time.perf_counter()
        order = Streams(split).generator("halves").permutation(len(documents))
        half = len(documents) // 2
        pool = trimmed([documents[i] for i in order[:half]], POOL_WORDS)
        test = trimmed([documents[i] for i in order[half:]], POOL_WORDS)
        others = [d for other, ds in corpora.items() if other != name for d in trimmed(ds, 20_000)]
        rules = built_in(guess_languages(d.text for d in pool))
        cache: dict[str, Any] = {}
        starts = {r: background_of(others, rules if r else None, {}) for r in (False, True)}
        found = results[f"{name}, split {split}"] = {}
        for title, (way, with_rules, with_background) in WAYS.items():
            found[title] = simulated(
                way, pool, test, starts[with_rules] if with_background else None,
                rules if with_rules else None, cache, seed=split,
            )  # fmt: skip
            line = " ".join(f"{r['T']:.0f}" for r in found[title])
            print(f"   {name}, {title}: T {line}", flush=True)
        print(f"   {name}: {time.perf_counter() - started:.0f} s", flush=True)
    return {"corpora": results, "summary": summary(results)}


def summary(results: dict[str, Any]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for title in WAYS:
        by_stop: dict[str, Any] = {}
        for stop in STOPS:
            rows = [r for c in results.values() for r in c.get(title, []) if r["stop"] == stop]
            if rows:
                by_stop[str(stop)] = {
                    "T": round(math.exp(sum(math.log(max(r["T"], 0.1)) for r in rows) / len(rows)), 1),
                    "T_median": round(float(np.median([r["T"] for r in rows])), 1),
                    "left": round(float(np.mean([r["left"] for r in rows])), 4),
                    "read": round(float(np.mean([r["read"] for r in rows]))),
                    "corpora": len(rows),
                }  # fmt: skip
        table[title] = by_stop
    held = [r["held"] for c in results.values() for rows in c.values() for r in rows if "held" in r]
    return {
        "ways": table,
        "range_held": round(sum(held) / max(len(held), 1), 4),
        "ranges": len(held),
    }
