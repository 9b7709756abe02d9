"""Surrogates on real documents: are dates still dates, and is any number altered that was no identifier?

Learned from one half of each corpus with several labels, published on the other. An invention is a
surrogate in the place of a text that the annotators did not label; a number altered so would be a lie
about medicine. Dates with numbers alone are read in the corpus's own order before and after.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import data_folder, resumed
from sfumato.data.document import Document
from sfumato.data.documents import read_documents
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.labelled import Labelled
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.redaction.rendering import merge_spans
from sfumato.engines.text.redaction.replacer import Place
from sfumato.engines.text.redaction.surrogates import (
    DateReading,
    SecretKey,
    Surrogates,
    kind_of_label,
    language_of,
)
from sfumato.engines.text.sanitize.greedy import GreedySanitize

DOCUMENTS = 400  # of each corpus, half of them published
LEARNED = 25_000  # words that are learned from, so that no corpus takes minutes
RATIO = 10.0
RAREST = 8  # spans of a label that is learned
_NUMERIC = re.compile(r"\s*(\d{1,2})\s*([./-])\s*(\d{1,2})\s*\2\s*(\d{4}|\d{2})\s*")
KEY = SecretKey(b"the key of the benchmarks, no secret")


def _read_date(text: str, reading: DateReading) -> dt.date | None:
    """Read a numeric date in the corpus's order; None where it is no date in that order."""
    match = _NUMERIC.fullmatch(text)
    if match is None:
        return None
    a, b, year = int(match[1]), int(match[3]), int(match[4])
    first_is_day = reading.day_first(match[2])
    if a > 12 or b > 12:
        first_is_day = a > 12
    day, month = (a, b) if first_is_day else (b, a)
    year += 0 if year > 99 else 1900 if year > 40 else 2000
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def _altered(kind: str | None, text: str) -> str | None:
    """Return what kind of number an unlabelled text holds, None where it has none.

    A whole date and a number of eight digits or more are identifiers that annotators overlooked; anything
    else could be a laboratory value, a pressure or a dose.
    """
    digits = sum(c.isdigit() for c in text)
    if not digits:
        return None
    if kind == "date" and re.search(r"[0-9]{4}", text):
        return "dates with a year"
    return "numbers of eight digits or more" if digits >= 8 else "any other"


def corpus(folder: Path, name: str) -> dict[str, Any] | None:
    documents = list(read_documents(folder / "text" / f"{name}.jsonl.gz"))
    order = np.random.default_rng(0).permutation(len(documents))[:DOCUMENTS]
    chosen: list[Document] = [documents[i] for i in order]
    counted = Counter(s.label for d in chosen for s in d.spans)
    labels = tuple(sorted(label for label, n in counted.items() if n >= RAREST))
    if len(labels) < 2:
        return None
    learned, other = chosen[::2], chosen[1::2]
    words = np.cumsum([len(d.text.split()) for d in learned])
    learned = learned[: max(20, int((words <= LEARNED).sum()))]
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in learned], vocabulary)
    labelled = Labelled(
        TokenData.of(tokens, vocabulary), labels_from_spans(learned, tokens, labels), labels,
        np.ones(len(learned), bool),
    )  # fmt: skip
    classifiers = GreedySanitize().fit(labelled, (RATIO,))[RATIO].classifiers
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in other], vocabulary)
    data = TokenData.of(tokens, vocabulary)
    truth = labels_from_spans(other, tokens, sorted(counted)) > 0
    spans = merge_spans(tokens, vocabulary, classifiers.decide(data))
    certainty = np.where(data.counted, classifiers.certainty(data), np.inf)
    reading = DateReading.learned([d.text for d in other])
    surrogates = Surrogates(KEY, reading=reading)
    raw = tokens.text.tobytes()
    owner = np.repeat(np.arange(tokens.documents), np.diff(spans.doc))
    languages = [language_of(d.text, d.fields) for d in other]
    found: Counter[str] = Counter()
    for start, end, kind, o in zip(spans.start, spans.end, spans.kind, owner, strict=True):
        a, b = np.searchsorted(tokens.start, [start, end])
        own = np.arange(a, b)[data.counted[a:b]]
        if not len(own):
            continue
        text, label = raw[start:end].decode(), labels[kind - 1]
        before = raw[max(0, start - 40) : start].decode(errors="ignore")
        place = Place(languages[o], before, float(certainty[own].min()))
        made = surrogates.replace(other[o].id, text, label, place)
        invented, sensitive = made != f"[{label}]", bool(truth[own].any())
        found["spans"] += 1
        found["surrogates"] += invented
        found["false positives"] += not sensitive
        if invented and not sensitive:
            found["inventions"] += 1
            altered = _altered(kind_of_label(label), text)
            if altered is not None:
                found["numbers altered"] += 1
                found[f"numbers altered: {altered}"] += 1
        if kind_of_label(label) == "date" and invented:
            found["dates moved"] += 1
            was = _read_date(text, reading)
            if was is not None:
                then = _read_date(made, reading)
                found["numeric dates moved"] += 1
                found["numeric dates invalid"] += then is None
                moved = dt.timedelta(days=surrogates.days(other[o].id))
                found["numeric dates with another order"] += then != was + moved
    return {
        "documents": len(other),
        "labels": len(labels),
        "day_first": dict(reading.by_separator),
        **{name.replace(": ", "_").replace(" ", "_"): int(n) for name, n in sorted(found.items())},
    }


def run() -> dict[str, Any]:
    folder = data_folder()
    if folder is None:
        return {"skipped": "the folder with real data is not there"}
    names = sorted(path.name.split(".")[0] for path in (folder / "text").glob("*.jsonl.gz"))
    corpora = {}
    for name in names:
        measured = resumed("surrogates", name, lambda name=name: corpus(folder, name))
        if measured is not None:
            corpora[name] = measured
            print(f"   {name}: {measured}", flush=True)
    total: Counter[str] = Counter()
    for measured in corpora.values():
        total.update({name: n for name, n in measured.items() if isinstance(n, int)})
    return {"corpora": corpora, "total": dict(sorted(total.items()))}
