"""Presidio's patterns beside the built-in rules, on the same words.

SFUMATO_PRESIDIO names the Python of an environment with presidio-analyzer. Neither side has learned anything, and names
and places are left out: Presidio finds them with a model, which no package registry has.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import data_folder
from benchmarks.rules import read
from sfumato.data.document import Document, Span
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.rules import built_in, guess_languages

CORPORA = ("asq_phi", "presidio_synth_v2", "enron_emailcoref")
DOCUMENTS = 400
BY_MODEL = {
    "ADDRESS", "GEOGRAPHIC_LOCATION", "GPE", "LOC", "LOCATION", "NAME", "NRP", "ORG", "ORGANIZATION",
    "STREET_ADDRESS", "TITLE",
}  # fmt: skip
LEAST_SCORE = 0.35


def presidio(documents: list[Document], python: str) -> tuple[dict[str, str], list[list[Any]]]:
    """Return Presidio's version and its findings in each document."""
    done = subprocess.run(
        [python, str(Path(__file__).with_name("_presidio.py"))],
        input="".join(json.dumps(d.text) + "\n" for d in documents),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    head, *lines = done.stdout.splitlines()
    return json.loads(head), [json.loads(line) for line in lines]


def covered(documents: list[Document], spans: list[list[Span]], tokens: Any) -> np.ndarray:
    """Return which words lie in one of the spans of their document."""
    marked = []
    for document, own in zip(documents, spans, strict=True):
        joined: list[Span] = []
        for span in sorted(own, key=lambda s: (s.start, -s.end)):
            if not joined or span.start >= joined[-1].end:
                joined.append(Span(span.start, span.end, "X"))
            elif span.end > joined[-1].end:
                joined[-1] = Span(joined[-1].start, span.end, "X")
        marked.append(Document(document.id, document.text, joined))
    return labels_from_spans(marked, tokens, ["X"]) > 0


def compare(documents: list[Document], python: str) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the versions, and what each side covers of each label and of the harmless words."""
    versions, findings = presidio(documents, python)
    rules = built_in(guess_languages(d.text for d in documents))
    labels = {rule.label for rule in rules.rules} - BY_MODEL
    sides = {
        "sfumato, rules": [
            [span for rule, span in rules.by_rule(d.text) if rule.label in labels]
            for d in documents
        ],
        "Presidio, patterns": [[Span(a, b, "X") for a, b, *_ in own] for own in findings],
        f"Presidio, patterns, score {LEAST_SCORE:g} or more": [
            [Span(a, b, "X") for a, b, _, score in own if score >= LEAST_SCORE] for own in findings
        ],
    }
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    words = TokenData.of(tokens, vocabulary).counted
    kinds = sorted({s.label for d in documents for s in d.spans})
    truth = labels_from_spans(documents, tokens, kinds)
    table: dict[str, Any] = {}
    at = {side: covered(documents, spans, tokens) & words for side, spans in sides.items()}
    for k, kind in enumerate(kinds, 1):
        own = (truth == k) & words
        if own.any() and kind not in BY_MODEL:
            table[kind] = {"words": int(own.sum())} | {
                side: round(float((own & hit).sum() / own.sum()), 3) for side, hit in at.items()
            }
    harmless = (truth == 0) & words
    cost = {
        side: round(float((harmless & hit).sum() / harmless.sum()), 4) for side, hit in at.items()
    }
    return versions, {
        "documents": len(documents), "words": int(words.sum()), "found": table, "harmless_covered": cost,
    }  # fmt: skip


def run() -> dict[str, Any]:
    folder, python = data_folder(), os.environ.get("SFUMATO_PRESIDIO")
    if folder is None or python is None:
        return {"left_out": "SFUMATO_PRESIDIO or the folder with real data is not set"}
    results: dict[str, Any] = {}
    theirs: dict[str, str] = {}
    for name in CORPORA:
        theirs, results[name] = compare(read(folder, name, DOCUMENTS), python)
        print(f"   {name}: {results[name]['harmless_covered']}", flush=True)
    return {"corpora": results, "presidio": theirs}
