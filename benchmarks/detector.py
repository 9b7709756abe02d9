"""A detector of one's own in the frontier: what it leaves alone, what we leave, and what both leave.

The detector is a token classifier as others publish them: the default encoder with a head that was learned from two corpora,
written as config.json, model.safetensors and tokenizer.json. It has seen nothing of the corpora that it is tried on. Each of
these is explored without it, with it in the competition (`text explore --detector FOLDER`), and with what it finds redacted
first (`--findings FOLDER`), person names sensitive, L/C = 10; T is ten times the names left plus the harmless words lost,
out of fold.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import data_folder
from benchmarks.text import prepared, read
from sfumato import text
from sfumato.core.randomness import Streams

LEARNED_FROM = ("wikigold", "litbank")
TRIED_ON = ("enron_emailcoref", "aci_bench_notes")
WORDS = 12_000  # of each corpus
RATIO = 10.0


def documents_of(name: str) -> list[Any]:
    """Return documents of a corpus, in random order, up to a number of words."""
    folder = data_folder()
    assert folder is not None
    documents = read(folder, name)
    order = Streams(0).generator(f"detector {name}").permutation(len(documents))
    words = np.cumsum([len(documents[i].text.split()) for i in order])
    return [documents[i] for i in order[: int(np.searchsorted(words, WORDS)) + 1]]


def make_detector(folder: Path) -> Path:
    """Learn a head for the default encoder, and write a detector as others publish it."""
    from safetensors.numpy import save_file
    from sklearn.linear_model import LogisticRegression

    from sfumato.engines.text.learners.encoder.detector import TokenClassifier
    from sfumato.engines.text.learners.encoder.folder import default_folder, open_encoder
    from sfumato.engines.text.learners.encoder.pieces import Pieces, piece_table
    from sfumato.engines.text.learners.encoder.windowed import WindowedCorpus

    encoder, place = open_encoder("default"), default_folder()
    assert place is not None
    data, labels = prepared([d for name in LEARNED_FROM for d in documents_of(name)])
    table = piece_table(encoder.tokenizer, encoder.config.vocabulary)
    reader = TokenClassifier(encoder, ("O", "PER"), {})
    states = WindowedCorpus(Pieces.of(data, table), table).states(len(data), reader._states)  # noqa: SLF001
    # A name that is missed counts ten times, as it does where the detector is tried.
    head = LogisticRegression(C=0.3, max_iter=300, class_weight={False: 1, True: RATIO})
    head.fit(states, labels > 0)
    config = json.loads((place / "config.json").read_text())
    config |= {"architectures": ["BertForTokenClassification"], "id2label": {"0": "O", "1": "PER"}}
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_bytes(encoder.tokenizer)
    weight = np.stack([np.zeros_like(head.coef_[0]), head.coef_[0]]).astype(np.float32)
    bias = np.array([0.0, head.intercept_[0]], np.float32)
    tensors = {f"bert.{name}": np.ascontiguousarray(a) for name, a in encoder.tensors.items()}
    save_file(
        {**tensors, "classifier.weight": weight, "classifier.bias": bias},
        folder / "model.safetensors",
    )
    return folder


def _counted(entry: Any) -> dict[str, Any]:
    return {
        "T": round(RATIO * entry.leaked + entry.false_positives),
        "names_left": entry.leaked,
        "harmless_words_lost": entry.false_positives,
    }


def tried(name: str, detector: Path) -> dict[str, Any]:
    """Explore one corpus with the detector, and without."""
    documents = documents_of(name)
    given = {"labels": ["NAME"], "ratios": [RATIO], "attackers": ["none"]}
    both = text.explore(documents, detector=detector, **given)
    first = text.explore(documents, findings=f"{detector}:PER=NAME", **given)
    ours = text.explore(documents, **given)
    alone = next(r for r in both.record.references if r.name == "The detector alone")
    return {
        "words": both.record.words,
        "names": both.record.sensitive_words,
        "detector alone": _counted(alone),
        "ours": _counted(ours.candidates[0]),
        "both": {**_counted(both.candidates[0]), "form": both.candidates[0].record[0].form},
        "both, findings first": _counted(first.candidates[0]),
    }


def run() -> dict[str, Any]:
    from sfumato.engines.text.learners.encoder.folder import default_folder, missing_packages

    if data_folder() is None:
        return {"skipped": "the folder with real data is not there"}
    if missing_packages() or default_folder() is None:
        return {"skipped": "the extra `encoder` or its weights are not installed"}
    found: dict[str, Any] = {"ratio": RATIO, "learned_from": LEARNED_FROM}
    with tempfile.TemporaryDirectory() as place:
        detector = make_detector(Path(place) / "detector")
        content = (detector / "model.safetensors").read_bytes()
        found["sha256"] = hashlib.sha256(content).hexdigest()
        for name in TRIED_ON:
            found[name] = tried(name, detector)
            print(f"   {name}: {json.dumps(found[name])}", flush=True)
    return found
