"""A simulated steward who has no labels: what questions, answered from gold labels, reach for how many keys.

Half of each corpus is the pool, the other half the test; NAME is sensitive, L/C = 10. Keys: yes or no 1, a
boundary 2 more, a span marked by hand 4, a wrong proposal taken away 1, "window done" 1; "all like this"
goes with the answer. T is 10·FN + FP per 1,000 test words. With an encoder, its head learns from the answers
after every second fit of the CRF, as on a page whose encoder is never late; that costs minutes a half, so
only the halves that SFUMATO_LABELLING names get new figures, and the others keep theirs.
"""

from __future__ import annotations

import json
import math
import os
import time
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks._common import RESULTS, data_folder, resumed
from benchmarks.text import read
from sfumato.core.randomness import Streams
from sfumato.data.document import Document
from sfumato.engines.text.labelling.encoder_trainer import EncoderTrainer
from sfumato.engines.text.labelling.estimate import estimate_risk
from sfumato.engines.text.labelling.questions import EVERY, ProjectQuestion, QuestionPolicy
from sfumato.engines.text.labelling.scorers import (
    EncoderUpdate,
    ScoredPool,
    Scorers,
    ensemble_scores,
)
from sfumato.engines.text.learners.crf import CRF, CRFModel
from sfumato.engines.text.learners.encoder.learner import Encoder
from sfumato.engines.text.learners.partial import UNKNOWN, PartialCRF, Pool
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.rules import RuleSet, built_in, guess_languages, rule_place

CORPORA = (
    "aci_bench_dialogues", "aci_bench_notes", "asq_phi", "btc_twitter", "enron_emailcoref", "gum_ccby",
    "inlegalner_dev", "litbank", "medcat_deid_synth", "meddocan_es", "presidio_synth_v2", "wikigold", "wnut17",
)  # fmt: skip
# Some halves ("wikigold, split 1; wnut17, split 2"), and some ways of asking; the others keep their figures.
ONLY = os.environ.get("SFUMATO_LABELLING", "")
ONLY_WAYS = os.environ.get("SFUMATO_LABELLING_WAYS", "")
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

    def __init__(self, policy: QuestionPolicy, gold: np.ndarray) -> None:
        self.policy, self.gold = policy, gold
        self.known = np.full(len(gold), UNKNOWN, np.int8)
        self.keys = self.answers = self.read = self.like = self.wrong = 0
        self.done = np.zeros(len(policy.windows) - 1, bool)
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

    def window(self, q: ProjectQuestion, scores: np.ndarray, *, proposals: bool = True) -> None:
        a, b = q.first, q.last
        gold = self.runs(self.gold > 0, a, b)
        shown = (
            self.runs((scores >= THRESHOLD) & self.policy.data.counted, a, b) if proposals else []
        )
        for run in gold:
            if run not in shown:
                overlaps = any(s < run[1] and run[0] < e for s, e in shown)
                self.keys += 2 if overlaps else 4
        self.keys += sum(not any(s < e2 and s2 < e for s2, e2 in gold) for s, e in shown)
        self.keys += 1
        self.answers += 1
        self.known[a:b] = self.gold[a:b]
        self.read += int(self.policy.data.counted[a:b].sum())
        self.done[q.window] = True
        if q.random:
            self.drawn.append(q.window)

    def word(self, q: ProjectQuestion, scores: np.ndarray, *, spread: bool = True) -> None:
        a, b = q.first, q.last
        truth = self.gold[a:b]
        self.answers += 1
        self.read += 15
        if truth.all() or not truth.any():
            edges = [i for i in (a - 1, b) if 0 <= i < len(self.gold)]
            exact = not truth.all() or not any(self.gold[i] for i in edges)
            self.keys += 1 if exact else 3
            sensitive = bool(truth.all())
            like = self.policy.like(a, b, scores, self.known, sensitive=sensitive) if spread else []
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


def measure(scores: np.ndarray, data: TokenData, gold: np.ndarray) -> dict[str, float]:
    words, hidden = data.counted, scores >= THRESHOLD
    leaks = int((words & (gold > 0) & ~hidden).sum())
    false = int((words & (gold == 0) & hidden).sum())
    total = 1000 * (RATIO * leaks + false) / int(words.sum())
    return {"T": total, "left": leaks / max(int((words & (gold > 0)).sum()), 1)}


class Studio:
    """The CRF and, where there is an encoder, its updates: what a session does, without threads."""

    def __init__(self, scorers: Scorers, unseen: TokenData, encoder: Encoder | None) -> None:
        self.scorers, self.unseen = scorers, unseen
        self.trainer = None if encoder is None else EncoderTrainer(encoder, seed=scorers.seed)
        self.update: EncoderUpdate | None = None
        self.fits = 0
        if self.trainer is not None:
            self.trainer.encoder.prepare(scorers.pool.data)
            self.trainer.encoder.prepare(unseen)

    def read(self, known: np.ndarray, *, now: bool = False) -> ScoredPool:
        if self.trainer is not None and (now or self.fits % 2 == 0):
            taught = self.trainer.scores(self.scorers.pool, known, lambda: None)
            self.update = None if taught is None else EncoderUpdate(0, taught)
        self.fits += 1
        return self.scorers.score(known, self.update)

    def published(self, reading: ScoredPool) -> np.ndarray:
        """Score the texts that nobody has answered for as a release would."""
        scores = reading.fitted.model().scores(self.unseen)
        if self.trainer is None or reading.update is None:
            return scores
        taught = self.trainer.model(self.scorers.pool, reading.known)
        return ensemble_scores(scores, taught.scores(self.unseen))


def simulated(
    way: str,
    pool_documents: list[Document],
    test_documents: list[Document],
    start: CRFModel | None,
    rules: RuleSet | None,
    cache: dict[str, Any],
    *,
    seed: int,
    encoder: Encoder | None = None,
) -> list[dict[str, Any]]:
    data, gold = prepared(pool_documents, rules, cache)
    unseen, truth = prepared(test_documents, rules, cache)
    pool = Pool(data)
    policy = QuestionPolicy(pool, ratio=RATIO, seed=seed)
    steward = Steward(policy, gold)
    studio = Studio(Scorers(pool, PartialCRF(start=start), seed), unseen, encoder)
    rows = []
    documents = Streams(seed).generator("documents").permutation(data.documents).tolist()
    scores = studio.read(steward.known).scores
    stops = list(STOPS)
    pending, exhausted = 0, False
    while stops:
        if steward.keys >= stops[0] or exhausted:
            reading = studio.read(steward.known.copy(), now=True)
            scores, pending = reading.scores, 0
            row = {"keys": steward.keys, "stop": stops.pop(0), "answers": steward.answers,
                   "read": steward.read, "like": steward.like, "like_wrong": steward.wrong,
                   **measure(studio.published(reading), unseen, truth)}  # fmt: skip
            if steward.drawn and not exhausted:
                drawn = np.array(steward.drawn)
                where = data.document_of[policy.windows[drawn]]
                held_out = reading.held_out(where)
                est = estimate_risk(pool, held_out, steward.known, policy.windows, drawn, THRESHOLD)
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
            number = policy.window_of(first) if first < last else 0
            steward.window(ProjectQuestion("window", first, last, number), scores, proposals=False)
        elif way == "uncertainty":
            q = policy.next(np.abs(scores) * -1 + THRESHOLD, steward.known, asking="plain")
            if q is None:
                exhausted = True
                continue
            token = q.first
            steward.word(ProjectQuestion("word", token, token + 1, q.window), scores, spread=False)
            pending += 1
            if pending < 10:
                continue
        else:
            number = steward.answers
            q = policy.random_window(steward.done) if number % EVERY == 0 else None
            q = q or policy.next(scores, steward.known)
            if q is None:
                exhausted = True
                continue
            (steward.window if q.kind == "window" else steward.word)(q, scores)
            pending += 1
            if pending < BATCH:
                continue
        scores, pending = studio.read(steward.known).scores, 0
    return rows


def background_of(others: list[Document], rules: RuleSet | None, cache: dict[str, Any]) -> CRFModel:
    data, gold = prepared(others, rules, cache)
    return CRF(memory=False).fit(data, gold.astype(np.uint8))


class Way(NamedTuple):
    """How is asked, and what is known before the first answer."""

    asking: str
    rules: bool = False
    background: bool = False
    encoder: bool = False


WAYS = {
    "whole random documents": Way("documents"),
    "uncertainty in batches of ten": Way("uncertainty"),
    "ours, from nothing": Way("ours"),
    "ours, rules": Way("ours", rules=True),
    "ours, background": Way("ours", background=True),
    "ours, rules and background": Way("ours", rules=True, background=True),
    "ours, rules and encoder": Way("ours", rules=True, encoder=True),
    "ours, rules, background and encoder": Way("ours", True, True, True),
}


def run() -> dict[str, Any]:
    before = RESULTS / "labelling.json"
    halves: dict[str, Any] = {}
    if before.is_file():
        halves = json.loads(before.read_text())["halves"]
    wanted = ONLY_WAYS.split("; ") if ONLY_WAYS else [t for t in WAYS if not WAYS[t].encoder]
    for split in SPLITS:
        for name in CORPORA if data_folder() else ():
            title = f"{name}, split {split}"
            for way in wanted if not ONLY or title in ONLY.split("; ") else ():
                found = resumed("labelling", f"{title}, {way}", partial(asked, name, split, way))
                halves.setdefault(title, {})[way] = found
    return {"halves": halves, "stops": list(STOPS), "summary": summary(halves)}


class Half:
    """One half of a corpus to answer about, the other to judge by, and what can be known before."""

    def __init__(self, name: str, split: int) -> None:
        self.name, self.folder = name, data_folder()
        documents = read(self.folder, name)
        order = Streams(split).generator("halves").permutation(len(documents))
        half = len(documents) // 2
        self.pool = trimmed([documents[i] for i in order[:half]], POOL_WORDS)
        self.test = trimmed([documents[i] for i in order[half:]], POOL_WORDS)
        self.rules = built_in(guess_languages(d.text for d in self.pool))
        self.matches: dict[str, Any] = {}
        self._starts: dict[bool, CRFModel] = {}

    def start(self, *, rules: bool) -> CRFModel:
        """Return the model of all other corpora."""
        if rules not in self._starts:
            others = [
                document
                for corpus in CORPORA
                if corpus != self.name
                for document in trimmed(read(self.folder, corpus), 20_000)
            ]
            self._starts[rules] = background_of(others, self.rules if rules else None, {})
        return self._starts[rules]


half_of = lru_cache(maxsize=1)(Half)


def asked(name: str, split: int, title: str) -> dict[str, Any]:
    """Return what a way of asking reaches on one half of a corpus."""
    started = time.perf_counter()
    half, way = half_of(name, split), WAYS[title]
    rows = simulated(
        way.asking, half.pool, half.test, half.start(rules=way.rules) if way.background else None,
        half.rules if way.rules else None, half.matches, seed=split,
        encoder=Encoder.named("default") if way.encoder else None,
    )  # fmt: skip
    found = kept(rows)
    seconds = time.perf_counter() - started
    print(f"   {name}, {split}, {title}: T {found['T']}, {seconds:.0f} s", flush=True)
    return found


def kept(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the documentation cites of the rows at each stop."""
    held = [bool(r["held"]) for r in rows if "held" in r]
    return {
        "T": [round(r["T"], 1) for r in rows],
        "read": [r["read"] for r in rows],
        "held": [sum(held), len(held)],
    }


def summary(halves: dict[str, Any]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for title, way in WAYS.items():
        rows = {half: ways[title] for half, ways in halves.items() if title in ways}
        if not rows:
            continue
        found = table[title] = {"halves": len(rows)}
        for place, stop in enumerate(STOPS):
            T = losses(rows, place)
            found[str(stop)] = {
                "T": round(geometric(T), 1),
                "T_median": round(float(np.median(T)), 1),
                "read": round(float(np.mean([row["read"][place] for row in rows.values()]))),
            }
            if way.encoder:  # beside the same questions without it, on the same halves
                plain = next(t for t, w in WAYS.items() if w == way._replace(encoder=False))
                without = losses({half: halves[half][plain] for half in rows}, place)
                # Under 1 there is less than one leak in 10,000 words: equally good.
                ratio = np.maximum(T, 1) / np.maximum(without, 1)
                found[str(stop)]["over_without"] = round(geometric(ratio), 3)
                found[str(stop)]["over_without_most"] = round(float(ratio.max()), 3)
        held = np.array([row["held"] for row in rows.values()]).sum(axis=0)
        found["range_held"] = [int(n) for n in held]
    counts = np.array([way["range_held"] for way in table.values()]).sum(axis=0)
    return {"ways": table, "range_held": round(counts[0] / max(counts[1], 1), 4), "ranges": int(counts[1])}  # fmt: skip


def losses(rows: dict[str, Any], place: int) -> np.ndarray:
    """Return T of some halves at a stop; where nothing is lost, as if it were a tenth of a word in 1,000."""
    return np.maximum([row["T"][place] for row in rows.values()], 0.1)


def geometric(values: np.ndarray) -> float:
    return math.exp(float(np.log(values).mean()))
