"""The starter beside labels: T of the honest search with and without it, each corpus left out of its learning.

`python -m benchmarks.starter.with_labels [CORPUS…]` adds figures to results/starter.json. T is the held-out total of
the search itself, at L/C = 10, names only: every form, weight and threshold is judged on folds that it was not
chosen on; the mean of three deals of the folds counts, because T of one deal differs by chance alone by several
percent. With 20 labelled documents, T is that of all other documents. Of large corpora random documents of
SFUMATO_STARTER_WORDS words (15,000) take part.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np

from benchmarks._common import RESULTS, data_folder
from benchmarks.starter import RATIO, cost
from benchmarks.starter.corpora import SOURCES, read_corpus
from benchmarks.starter.without import starter_without
from sfumato.data.document import Document
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.rules import ChosenRules
from sfumato.engines.text.sanitize.greedy import GreedySanitize
from sfumato.engines.text.starter.adapted import adapt
from sfumato.engines.text.starter.weights import Starter

FEW = 20
DEALS = (0, 1, 2)
WORDS = int(os.environ.get("SFUMATO_STARTER_WORDS", "15000"))


def prepared(documents: list[Document], *, rules: bool) -> tuple[TokenData, np.ndarray]:
    """Return the tokens and labels, as a search with the starter sees them with what rules match."""
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    names = [Document(d.id, d.text, [s for s in d.spans if s.label == "NAME"]) for d in documents]
    data = TokenData.of(tokens, vocabulary)
    if rules:
        chosen = ChosenRules.read(None, labels=["NAME"], texts=(d.text for d in documents))
        data = data.with_places(chosen.applied(chosen.documents(documents), tokens)[0])
    return data, labels_from_spans(names, tokens, ["NAME"])


def some_documents(documents: list[Document]) -> list[Document]:
    """Return documents in random order, of large corpora some."""
    found, words = [], 0
    for i in np.random.default_rng(1).permutation(len(documents)).tolist():
        found.append(documents[i])
        words += len(documents[i].text.split())
        if words >= WORDS:
            break
    return found


def searched(
    documents: list[Document], starter: Starter | None, rest: list[Document], *, seed: int = 0
) -> dict[str, Any]:
    data, labels = prepared([*documents, *rest], rules=starter is not None)
    outsider = None
    count = int(data.tokens.doc[len(documents)])
    if starter is not None:
        adapted = adapt(starter, data, ["NAME"])
        outsider = adapted.model, adapted.best()[:count]
    own = data if not rest else data.first_documents(len(documents))
    labelled = Labelled(own, labels[:count], ("NAME",), np.ones(len(documents), bool))
    publisher = GreedySanitize(mode="honest", starter=outsider, seed=seed)
    found = publisher.fit(labelled, [RATIO])[RATIO]
    row: dict[str, Any] = {"T": found.total_loss, "form": found.rounds[0].form}
    if found.rounds[0].forms:
        row["forms"] = {name: round(total) for name, total in found.rounds[0].forms.items()}
    if rest:
        hidden = found.classifiers.decide(data) > 0
        row["T"] = cost(hidden, data, labels, data.document_of >= len(documents))["T"]
    return row


def dealt(documents: list[Document], starter: Starter | None) -> dict[str, Any]:
    """Return what a search with all labels finds: the mean T of several deals of the folds, and each."""
    first, *others = [searched(documents, starter, [], seed=seed) for seed in DEALS]
    each = [row["T"] for row in (first, *others)]
    return {**first, "T": round(float(np.mean(each)), 1), "T_by_deal": each}


def main(wanted: list[str]) -> int:
    folder = data_folder()
    assert folder is not None
    path = RESULTS / "starter.json"
    for name in wanted or list(SOURCES):
        starter = Starter.load(starter_without(name))
        mixed = some_documents(read_corpus(folder, name))
        row: dict[str, Any] = {
            "documents": len(mixed),
            "all labels": dealt(mixed, None),
            "all labels, starter": dealt(mixed, starter),
        }
        if len(mixed) > FEW + 10:
            row |= {
                f"{FEW} documents": searched(mixed[:FEW], None, mixed[FEW:]),
                f"{FEW} documents, starter": searched(mixed[:FEW], starter, mixed[FEW:]),
            }
        content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        found = content.setdefault("with_labels", {})
        found["corpora"] = {**found.get("corpora", {}), name: row}
        found["words_at_most"], found["deals"] = WORDS, list(DEALS)
        found["over_honest"] = summary(found["corpora"])
        path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(name, json.dumps(row), flush=True)
    return 0


def summary(corpora: dict[str, Any]) -> dict[str, Any]:
    """Return T with the starter over T without, a leak's worth added to both where nothing may be left."""
    found: dict[str, Any] = {}
    for title in ("all labels", f"{FEW} documents"):
        ratios = {
            name: round((row[f"{title}, starter"]["T"] + RATIO) / (row[title]["T"] + RATIO), 3)
            for name, row in corpora.items()
            if title in row
        }
        if ratios:
            values = list(ratios.values())
            found[title] = {"median": round(float(np.median(values)), 3), "most": max(values), "each": ratios}  # fmt: skip
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
