"""What exploring reads: the steward's documents, background corpora, other texts."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ....core.errors import DataError, PrivacyWarning
from ....core.records import InputFile
from ....data.document import Document
from ....data.documents import Corpus, read_documents
from ....data.limits import current_limits
from ..reading.background import read_background
from ..records import Background
from ..request import EVERY_LABEL, TextRequest

__all__ = ["ReadSources", "read_sources"]


@dataclass(frozen=True)
class ReadSources:
    """What was read: own documents, matching background, other texts, and where they came from.

    `labels` are the chosen ones, `left` counts the spans of the others. `unread` lists the records that could not be
    read, by id, with the reason: nothing is learned from them, and publishing withholds them.
    """

    labels: Sequence[str]
    left: Mapping[str, int]
    documents: Sequence[Document]
    others: Sequence[Document]
    background: Sequence[Background]
    texts: Sequence[str]
    inputs: tuple[InputFile, ...]
    reader: str
    unread: Sequence[Mapping[str, str]] = ()


def read_sources(request: TextRequest) -> ReadSources:
    """Read everything that a request names; labels that no document carries are refused."""
    own = request.open(request.corpus)
    documents, unread = own.readable(warns=True, with_labels=True)
    known = Counter(span.label for document in documents for span in document.spans)
    limits = current_limits()
    if len(known) > limits.labels:  # each has its own model
        raise limits.error("The number of different labels in the corpus", "labels")
    labels = list(request.labels)
    if labels == [EVERY_LABEL] and EVERY_LABEL not in known:
        labels = sorted(known)
    missing = [name for name in labels or [EVERY_LABEL] if name not in known]
    if missing and not (request.rules is not None and not known):
        raise DataError(
            f"No document of the corpus carries the label {', '.join(map(repr, missing))}.",
            hint=f"its labels are: {', '.join(sorted(known))}."
            if known
            else "it has no labels at all: `sfumato text start` begins without any.",
        )
    _warn_of_kinds_without_labels(own, documents)
    left = {label: count for label, count in known.items() if label not in labels}
    inputs = _inputs(own, len(documents))
    background = [read_documents(source) for source in request.background]
    others, described = read_background(background, labels)
    for corpus, about in zip(background, described, strict=True):
        inputs += _inputs(corpus, about.documents)
    texts: list[str] = []
    for source in request.unlabelled:
        corpus = read_documents(source)
        more, left_out = corpus.readable(warns=True)
        texts += [document.text for document in more]
        unread += left_out
        inputs += _inputs(corpus, len(more))
    return ReadSources(
        labels, left, documents, others, described, texts, tuple(inputs), own.format.reader,
        [record.to_json() for record in unread],
    )  # fmt: skip


def _warn_of_kinds_without_labels(corpus: Corpus, documents: Sequence[Document]) -> None:
    """Warn where some kinds of files carry labels and others none at all: nobody may have looked at those.

    A single document without labels says nothing: it may hold nothing sensitive.
    """
    if corpus.format.unit != "document":
        return
    kinds = Counter(Path(document.part).suffix.lower() for document in documents)
    labelled = {Path(d.part).suffix.lower() for d in documents if d.spans}
    silent = [f"{kind} ({kinds[kind]:,})" for kind in sorted(set(kinds) - labelled)]
    if silent and labelled:
        warnings.warn(
            f"No file of {corpus.name!r} that ends in {' or '.join(silent)} carries a label: all words in these files are "
            "learned, and counted, as harmless. Hint: label them, or give them with --unlabelled instead.",
            PrivacyWarning,
            stacklevel=2,
        )


def _inputs(corpus: Corpus, rows: int) -> list[InputFile]:
    return [InputFile.of(path, rows) for path in corpus.paths if path.is_file()]
