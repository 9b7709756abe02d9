"""What the built-in rules find: precision and recall in words, per rule and corpus.

A word is right if it carries a label of the rule's kind; `any` counts words with any label, because corpora
mark different kinds (an address may be a LOCATION, a name may be left unmarked by design).
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import data_folder
from sfumato.data.document import Document, Span
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.label_kinds import same_kind
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.rules import built_in, guess_languages

CORPORA = (
    "meddocan_es", "asq_phi", "medcat_deid_synth", "presidio_synth_v2", "enron_emailcoref",
    "inlegalner_dev", "gum_ccby", "litbank", "wikigold",
)  # fmt: skip
DOCUMENTS = 150


def read(folder: Path, name: str, most: int = DOCUMENTS) -> list[Document]:
    documents = []
    with gzip.open(folder / "text" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            spans = [Span(s["start"], s["end"], s["label"]) for s in record["spans"]]
            documents.append(Document(record["id"], record["text"], spans))
            if len(documents) == most:
                break
    return documents


def measured(documents: list[Document]) -> dict[str, Any]:
    languages = guess_languages(d.text for d in documents)
    rules = built_in(languages)
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    words = TokenData.of(tokens, vocabulary).counted
    kinds = sorted({s.label for d in documents for s in d.spans})
    truth = labels_from_spans(documents, tokens, kinds)
    names = sorted({(rule.name, rule.label) for rule in rules.rules})
    hits: dict[tuple[str, str], list[list[Span]]] = {name: [] for name in names}
    for document in documents:
        found: dict[tuple[str, str], list[Span]] = {name: [] for name in names}
        for rule, span in rules.by_rule(document.text):
            found[rule.name, rule.label].append(span)
        for name, spans in found.items():
            hits[name].append(sorted(spans, key=lambda s: s.start))
    table: dict[str, Any] = {}
    by_kind: dict[str, np.ndarray] = {}
    for (name, label), spans in hits.items():
        marked = [Document(d.id, d.text, s) for d, s in zip(documents, spans, strict=True)]
        at = (labels_from_spans(marked, tokens, [label]) > 0) & words
        same = [k for k, kind in enumerate(kinds, 1) if same_kind(kind, label)]
        right = np.isin(truth, same)
        by_kind[label] = by_kind.get(label, np.zeros(len(at), bool)) | at
        if at.any():
            table[f"{label}: {name}"] = {
                "words": int(at.sum()),
                "precision": round(float((at & right).sum() / at.sum()), 3),
                "any": round(float((at & (truth > 0)).sum() / at.sum()), 3),
            }
    recall = {}
    for k, kind in enumerate(kinds, 1):
        sensitive = (truth == k) & words
        own = [by_kind[label] for label in by_kind if same_kind(label, kind)]
        if sensitive.any():
            found = np.logical_or.reduce([*own, np.zeros(len(words), bool)])
            every = np.logical_or.reduce([*by_kind.values(), np.zeros(len(words), bool)])
            recall[kind] = {
                "words": int(sensitive.sum()),
                "recall": round(float((found & sensitive).sum() / sensitive.sum()), 3),
                "by_any_rule": round(float((every & sensitive).sum() / sensitive.sum()), 3),
            }
    return {"languages": list(languages), "documents": len(documents), "words": int(words.sum()),
            "rules": table, "labels": recall}  # fmt: skip


def run() -> dict[str, Any]:
    folder = data_folder()
    results: dict[str, Any] = {}
    for name in CORPORA if folder else ():
        results[name] = measured(read(folder, name))
        print(f"   {name}: {results[name]['languages']}", flush=True)
    return {"corpora": results}
