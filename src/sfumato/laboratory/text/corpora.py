"""What a study is about: its plan, its corpora, and the parts into which its work is cut."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from ...core.errors import DataError, ParameterError
from ...core.randomness import Streams
from ...data.documents import read_documents
from ...engines.text.learners.folds import deal
from ...engines.text.reading.arrays import Mask
from ...engines.text.reading.features import TokenData
from ...engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from .publishers import PUBLISHERS, Training
from .rows import CorpusRow, PlanFields, PublisherRow

__all__ = [
    "COMPARED",
    "Fold",
    "StudyCorpus",
    "StudyPlan",
    "corpus_row",
    "key_of",
    "load_fold",
    "part_of_corpus",
    "path_of_part",
    "read_corpus",
]

COMPARED = (5.0, 10.0)  # the ratios of figures 4, 6 and 7


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """What is studied."""

    labels: tuple[str, ...] = ("NAME",)
    ratios: tuple[float, ...] = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
    folds: int = 4
    publishers: tuple[str, ...] = tuple(PUBLISHERS)
    budgets: tuple[int, ...] = (10, 20, 50, 100, 200, 500, 1000, 2000)
    seed: int = 0

    def __post_init__(self) -> None:
        unknown = sorted(set(self.publishers) - set(PUBLISHERS))
        if unknown:
            raise ParameterError.constraint(
                "publishers", "study", f"some of {', '.join(PUBLISHERS)}", unknown[0]
            )
        if self.folds < 2:
            raise ParameterError.constraint("folds", "study", "an int in [2, inf)", self.folds)
        if not self.ratios or not all(r > 0 and np.isfinite(r) for r in self.ratios):
            raise ParameterError.constraint("ratios", "study", "positive numbers", self.ratios)

    def to_json(self) -> PlanFields:
        """Return the plan as study.json holds it."""
        return {
            "labels": self.labels,
            "ratios": self.ratios,
            "folds": self.folds,
            "publishers": self.publishers,
            "budgets": self.budgets,
            "seed": self.seed,
        }


class StudyFacts(TypedDict):
    """What a part of the publishers holds in addition to its arrays."""

    rows: list[PublisherRow]
    last: dict[str, dict[str, int]]


Fold = tuple[StudyFacts, Mapping[str, npt.NDArray[np.uint8]]]


@dataclass(frozen=True, eq=False)
class StudyCorpus:
    """A labelled corpus, read, with the fold of each document and a mark of what its results depend on."""

    name: str
    texts: Sequence[str]
    sensitive: npt.NDArray[np.uint8]
    data: TokenData
    fold: npt.NDArray[np.int64]
    mark: str


def read_corpus(path: str | os.PathLike[str], plan: StudyPlan, mark: str) -> StudyCorpus:
    """Read a corpus and assign its documents to folds."""
    documents = [d.checked() for d in read_documents(path)]
    name = Path(path).name.split(".")[0]
    if len(documents) < plan.folds:
        raise DataError(
            f"The corpus {name!r} has {len(documents)} documents, fewer than the "
            f"{plan.folds} folds.",
            hint="lower the number of folds or leave it out.",
        )
    vocabulary = Vocabulary()
    texts = [d.text for d in documents]
    tokens = tokenize(texts, vocabulary)
    sensitive = (labels_from_spans(documents, tokens, plan.labels) > 0).astype(np.uint8)
    if not sensitive.any():
        raise DataError(f"No word of the corpus {name!r} carries one of the labels.")
    random = Streams(plan.seed).generator("study folds")
    fold = deal(np.arange(len(documents)), plan.folds, random, of=len(documents))
    return StudyCorpus(name, texts, sensitive, TokenData.of(tokens, vocabulary), fold, mark)


def corpus_row(corpus: StudyCorpus) -> CorpusRow:
    """Return the size of a corpus."""
    words = corpus.data.counted
    return {
        "corpus": corpus.name,
        "documents": corpus.data.documents,
        "words": int(words.sum()),
        "sensitive": int((words & (corpus.sensitive != 0)).sum()),
    }


def part_of_corpus(corpus: StudyCorpus, documents: Mask) -> Training:
    """Return some documents of a corpus alone, so that nothing is known of the others."""
    vocabulary = Vocabulary()
    tokens = tokenize(
        [t for t, use in zip(corpus.texts, documents, strict=True) if use], vocabulary
    )
    sensitive = corpus.sensitive[documents[corpus.data.document_of]]
    return Training(TokenData.of(tokens, vocabulary), sensitive)


def path_of_part(out: Path, corpus: StudyCorpus, name: str, suffix: str) -> Path:
    """Return the file of a part of the work on a corpus."""
    return out / "parts" / f"{corpus.name}.{name}.{corpus.mark}{suffix}"


def load_fold(path: Path) -> Fold:
    """Read what the publishers did to one fold."""
    with np.load(path, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return json.loads(arrays.pop("facts").tobytes()), arrays


def key_of(publisher: str, ratio: float) -> str:
    """Name a publisher at a ratio, as the parts of a study do."""
    return f"{publisher} {ratio:g}"
