"""The starter without a label: T = 10 · leaked name words + harmless words withheld, on corpora left out of its learning.

Each corpus is read by a starter that was learned from the others (the two parts of ACI-BENCH are left out
together), alone and adapted, beside the built-in rules and one plain CRF pass with all labels, out of fold. Names
only, L/C = 10. SFUMATO_STARTER names some corpora; the others keep their figures.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import RESULTS, data_folder
from benchmarks.starter.corpora import SHIPPED, SOURCES, read_corpus
from benchmarks.starter.dictionary import listed_names, told
from benchmarks.starter.learning import Corpora
from benchmarks.starter.without import TOGETHER
from sfumato.data.document import Document
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.learners.folds import deal, out_of_fold
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.rules import built_in, guess_languages
from sfumato.engines.text.starter.adapted import adapt
from sfumato.engines.text.starter.weights import PACKAGED, Starter

RATIO = 10.0
THRESHOLD = -math.log(RATIO)
RULED_WORDS = 30_000  # rules are slow: they are judged on the first documents that hold as many


def cost(
    hidden: np.ndarray, data: TokenData, gold: np.ndarray, part: np.ndarray | None = None
) -> dict[str, Any]:
    words = data.counted if part is None else data.counted & part
    leaks = int((words & (gold > 0) & ~hidden).sum())
    false = int((words & (gold == 0) & hidden).sum())
    names = int((words & (gold > 0)).sum())
    return {
        "T": int(RATIO * leaks + false), "T_per_1000": round(1000 * (RATIO * leaks + false) / max(int(words.sum()), 1), 2),
        "left": round(leaks / max(names, 1), 4), "lost": round(false / max(int(words.sum()) - names, 1), 4),
    }  # fmt: skip


def judged(documents: list[Document], starter: Starter) -> dict[str, Any]:
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    data = TokenData.of(tokens, vocabulary)
    names = [Document(d.id, d.text, [s for s in d.spans if s.label == "NAME"]) for d in documents]
    gold = (labels_from_spans(names, tokens, ["NAME"]) > 0).astype(np.uint8)
    found = adapt(starter, data, ["NAME"])
    first = found.model.readers[0].first_scores(found.model.seen(data))
    many = np.searchsorted(np.cumsum(np.bincount(data.document_of, data.counted)), RULED_WORDS)
    some = documents[: int(many) + 1]
    rules = built_in(guess_languages(d.text for d in some))
    ruled = [Document(d.id, d.text, rules.find(d.text, labels=["NAME"])) for d in some]
    ruled += [Document(d.id, d.text) for d in documents[len(some) :]]
    by_rules = labels_from_spans(ruled, tokens, ["NAME"]) > 0
    part = data.document_of < len(some)
    fold = deal(np.arange(len(documents)), 4, np.random.default_rng(0), of=len(documents))
    pass_ = out_of_fold(CRF(), data, gold, fold)
    return {
        "documents": len(documents), "words": int(data.counted.sum()), "names": int(gold[data.counted].sum()),
        "known_words": round(found.coverage, 3), "speaks": found.speaks,
        "starter": cost(first >= THRESHOLD, data, gold),
        "adapted": cost(found.best() >= THRESHOLD, data, gold),
        "adapted_same_part": cost(found.best() >= THRESHOLD, data, gold, part),
        "rules_same_part": cost(by_rules, data, gold, part),
        "crf_all_labels": cost(pass_ >= THRESHOLD, data, gold),
    }  # fmt: skip


def left_out(folder: Path) -> dict[str, Any]:
    wanted = [n for n in os.environ.get("SFUMATO_STARTER", "").split(",") if n] or list(SOURCES)
    path = RESULTS / "starter.json"
    kept = json.loads(path.read_text(encoding="utf-8")).get("left_out", {}) if path.exists() else {}
    read = {name: read_corpus(folder, name) for name in SOURCES}
    corpora = Corpora(read)
    for name in wanted:
        without = next((group for group in TOGETHER if name in group), {name})
        starter = corpora.learned([n for n in SHIPPED if n not in without], ["NAME"])
        kept[name] = judged(read[name], starter)
        print(f"   {name}: {json.dumps(kept[name])}", flush=True)
    return kept


def run() -> dict[str, Any]:
    folder = data_folder()
    if folder is None:
        return {}
    starter = Starter.load(PACKAGED)
    names = listed_names()
    found = told(starter, names)
    return {
        "bytes": sum(file.stat().st_size for file in PACKAGED.iterdir()),
        "sha256": starter.sha256,
        "learned_from": {name: SOURCES[name].licence for name in SHIPPED},
        "not_learned_from": {n: s.without for n, s in SOURCES.items() if s.without},
        "dictionary": {"names": len(names), "told": len(found), "share": round(len(found) / len(names), 4)},
        "left_out": left_out(folder),
    }  # fmt: skip
