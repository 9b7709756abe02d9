"""The starter without a label beside rules alone, kind by kind, on corpora left out of its learning.

`python -m benchmarks.starter.beside_rules` adds `beside_rules` to results/starter.json: T = 10 · leaked words + harmless
words withheld of random documents of 25,000 words, by rules alone, by the starter as it was, and by what a release
without a label withholds: the starter where it knows the language, heeding rules that find all names, firm rules, and
for dates all rules. `any` takes the kinds of a corpus together, `by_language` the corpora of a language.
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np

from benchmarks._common import RESULTS, data_folder
from benchmarks._desk_letters import german_letters
from benchmarks.starter import cost
from benchmarks.starter.corpora import KINDS, SOURCES, read_corpus
from benchmarks.starter.without import starter_without
from sfumato.data.document import Document
from sfumato.data.findings import resolve
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.rules import FIRM, built_in, guess_languages, rule_place
from sfumato.engines.text.starter.adapted import adapt
from sfumato.engines.text.starter.agreement import heed_rules
from sfumato.engines.text.starter.weights import Starter

THRESHOLD = -math.log(10.0)
WORDS = 25_000
FEWEST = 20
LANGUAGES = {"letters_de": "de", "meddocan_es": "es"}
"""Corpora in other languages than English."""


def some(name: str) -> list[Document]:
    if name == "letters_de":
        return german_letters(60, seed=5)
    folder = data_folder()
    assert folder is not None
    documents, found, words = read_corpus(folder, name), [], 0
    for i in np.random.default_rng(1).permutation(len(documents)).tolist():
        found.append(documents[i])
        words += len(documents[i].text.split())
        if words > WORDS:
            break
    return found


def judged(name: str) -> dict[str, Any]:
    documents = some(name)
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    data = TokenData.of(tokens, vocabulary)
    rules = built_in(guess_languages(d.text for d in documents))
    ruled = [Document(d.id, d.text, rules.find(d.text, labels=list(KINDS))) for d in documents]
    starter = Starter.load(starter_without(name))
    before = adapt(starter, data, [k for k in KINDS if k in starter.models])
    after = heed_rules(before, data.with_places(rule_place(ruled, tokens)))
    row: dict[str, Any] = {"known_words": round(before.coverage, 3)}
    every = {key: np.zeros(len(data), bool) for key in ("gold", "rules", "starter", "release")}
    for kind in before.scores:
        own = [Document(d.id, d.text, resolve([s for s in d.spans if s.label == kind], "merge")) for d in documents]  # fmt: skip
        gold = labels_from_spans(own, tokens, [kind]) > 0
        if np.count_nonzero(gold & data.counted) < FEWEST:
            continue

        def matched(least: float, kind: str = kind) -> np.ndarray:
            spans = [Document(d.id, d.text, [s for s in d.spans if s.label == kind and (s.score or 0) >= least]) for d in ruled]  # fmt: skip
            return labels_from_spans(spans, tokens, [kind]) > 0

        weak = matched(1 / 11)
        release = weak
        if after.speaks:
            firm = weak if kind == "DATE" else matched(FIRM)
            release = (after.scores[kind] >= THRESHOLD) | firm
        found = {"rules": weak, "starter": before.scores[kind] >= THRESHOLD, "release": release}
        row[kind] = {key: cost(hidden, data, gold)["T"] for key, hidden in found.items()}
        for key, mask in {"gold": gold, **found}.items():
            every[key] |= mask
    row["any"] = {key: cost(every[key], data, every["gold"])["T"] for key in ("rules", "starter", "release")}  # fmt: skip
    return row


def by_language(corpora: dict[str, Any]) -> dict[str, Any]:
    """Return T of each kind and of all by language, corpora added up."""
    found: dict[str, Any] = {}
    for name, row in corpora.items():
        own = found.setdefault(LANGUAGES.get(name, "en"), {})
        for kind in (*KINDS, "any"):
            for way, total in row.get(kind, {}).items():
                sums = own.setdefault(kind, {})
                sums[way] = sums.get(way, 0) + total
    return found


def main() -> int:
    path = RESULTS / "starter.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    corpora = {}
    for name in (*SOURCES, "letters_de"):
        corpora[name] = judged(name)
        print(name, json.dumps(corpora[name]), flush=True)
    worse = [
        f"{name}, {kind}: {row[kind]['release']} instead of {row[kind]['rules']}"
        for name, row in corpora.items()
        for kind in (*KINDS, "any")
        if kind in row and row[kind]["release"] > row[kind]["rules"] + 10
    ]
    content = json.loads(path.read_text(encoding="utf-8"))
    content["beside_rules"] = {
        "words_at_most": WORDS,
        "corpora": corpora,
        "by_language": by_language(corpora),
        "worse_than_rules": worse,
    }
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print("worse than rules:", worse)
    return 0


if __name__ == "__main__":
    sys.exit(main())
