"""The starter beside labels: T of the honest search with and without it, each corpus left out of its learning.

`python -m benchmarks.starter.with_labels CORPUS…` adds figures to results/starter.json. T is the held-out total of
the search itself, at L/C = 10, names only: every form, weight and threshold is judged on folds that it was not
chosen on. With 20 labelled documents, T is that of all other documents.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from benchmarks._common import RESULTS, data_folder
from benchmarks.starter import RATIO, TOGETHER, cost
from benchmarks.starter.corpora import SHIPPED, SOURCES, read_corpus
from benchmarks.starter.learning import Corpora
from sfumato.data.document import Document
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.sanitize.greedy import GreedySanitize
from sfumato.engines.text.starter.adapted import adapt
from sfumato.engines.text.starter.weights import Starter

FEW = 20


def prepared(documents: list[Document]) -> tuple[TokenData, np.ndarray]:
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    names = [Document(d.id, d.text, [s for s in d.spans if s.label == "NAME"]) for d in documents]
    return TokenData.of(tokens, vocabulary), labels_from_spans(names, tokens, ["NAME"])


def searched(
    documents: list[Document], starter: Starter | None, rest: list[Document]
) -> dict[str, Any]:
    data, labels = prepared([*documents, *rest])
    voice = None
    count = int(data.tokens.doc[len(documents)])
    if starter is not None:
        adapted = adapt(starter, data, ["NAME"])
        voice = adapted.model, adapted.best()[:count]
    own = data if not rest else data.first_documents(len(documents))
    labelled = Labelled(own, labels[:count], ("NAME",), np.ones(len(documents), bool))
    publisher = GreedySanitize(mode="honest", starter=voice)
    found = publisher.fit(labelled, [RATIO])[RATIO]
    row: dict[str, Any] = {"T": found.total_loss, "form": found.rounds[0].form}
    if rest:
        hidden = found.classifiers.decide(data) > 0
        row["T"] = cost(hidden, data, labels, data.document_of >= len(documents))["T"]
    return row


def main(wanted: list[str]) -> int:
    folder = data_folder()
    assert folder is not None
    path = RESULTS / "starter.json"
    read = {name: read_corpus(folder, name) for name in SOURCES}
    corpora = Corpora(read)
    for name in wanted:
        without = next((group for group in TOGETHER if name in group), {name})
        starter = corpora.learned([n for n in SHIPPED if n not in without], ["NAME"])
        order = np.random.default_rng(1).permutation(len(read[name]))
        mixed = [read[name][i] for i in order]
        row = {
            "all labels": searched(mixed, None, []),
            "all labels, starter": searched(mixed, starter, []),
        }
        if len(mixed) > 3 * FEW:
            row |= {
                f"{FEW} documents": searched(mixed[:FEW], None, mixed[FEW:]),
                f"{FEW} documents, starter": searched(mixed[:FEW], starter, mixed[FEW:]),
            }
        content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        content.setdefault("with_labels", {})[name] = row
        path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(name, json.dumps(row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
