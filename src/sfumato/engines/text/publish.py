"""Publish documents with a candidate: into a folder, or as a list."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from ...core.engine import Progress, no_progress
from ...core.errors import InputError
from ...core.files import canonical_json
from ...data.document import Document
from ...data.documents import Corpus, read_documents
from ...data.findings import with_findings
from .exploration import TextExploration
from .records import TextCandidate, TextRelease
from .release.registry import REPLACEMENTS
from .release.sanitiser import Sanitiser, batches
from .release.writing import publish as write_release
from .request import TextPublishRequest
from .sanitize.classifiers import ClassifierSet
from .sources import opened

__all__ = ["publish"]


def publish(
    exploration: TextExploration,
    candidate: TextCandidate,
    request: TextPublishRequest,
    *,
    out: Path | None,
    force: bool = False,
    progress: Progress = no_progress,
) -> TextRelease | list[Document]:
    """Publish into the folder `out`, or, without one, return a list of documents.

    In a list, documents that fail are not left out silently: the first of them raises.

    Parameters
    ----------
    exploration : TextExploration
        Whose classifiers redact.
    candidate : TextCandidate
        The candidate to publish.
    request : TextPublishRequest
        What is published, and how.
    out : Path or None
        The folder of the release.
    force : bool, default False
        Whether an existing release may be replaced.
    progress : callable
        Called with the documents that are done.

    """
    if exploration.record.request.get("findings") is not None and request.findings is None:
        raise InputError(
            "What was explored had another tool's findings redacted first; without them the promised "
            "risk does not hold.",
            hint="give the findings of these documents with --findings.",
        )
    classifiers = exploration.classifiers[candidate.id]
    replacer = REPLACEMENTS.named(request.replacement).for_release(
        key=request.key, scope=request.scope
    )
    corpus = opened(request.documents, text=request.text_column, id=request.id_column)
    sanitiser = Sanitiser(
        classifiers,
        replacer=replacer,
        findings=request.findings is not None,
        strict=request.strict or out is None,
    )
    if out is None:
        return _listed(sanitiser, corpus, request)
    if isinstance(request.findings, Mapping):
        raise InputError("Findings must be a file when a folder is published into.")
    progress(0, total=_lines(corpus))
    return write_release(
        corpus,
        out,
        sanitiser=sanitiser,
        candidate=candidate,
        made_from={
            "model": _hash(classifiers), "key": replacer.mark, "candidate": candidate.id
        },
        replacement=request.replacement,
        request=_recorded(request),
        seed=exploration.record.seed,
        findings=request.findings,
        drop=request.drop,
        new_ids=request.new_ids,
        engine=request.engine,
        threads=request.threads,
        force=force,
        progress=progress,
    )  # fmt: skip


def _listed(sanitiser: Sanitiser, corpus: Corpus, request: TextPublishRequest) -> list[Document]:
    documents: Any = read_documents(corpus)
    if request.findings is not None:
        documents = with_findings(documents, request.findings)
    published = []
    for batch in batches(documents):
        texts = sanitiser(batch).texts
        for document, text in zip(batch, texts, strict=True):
            extra = {k: v for k, v in document.extra.items() if k not in request.drop}
            published.append(Document(document.id, text, (), extra))
    return published


def _recorded(request: TextPublishRequest) -> dict[str, JsonValue]:
    """Return the request without what does not change a byte: where the work was done."""
    return {k: v for k, v in request.to_record().items() if k not in {"engine", "threads"}}


def _hash(classifiers: ClassifierSet) -> str:
    header, arrays = classifiers.to_arrays()
    digest = hashlib.sha256(canonical_json(header).encode())
    for name in sorted(arrays):
        digest.update(f"{name}\0{arrays[name].dtype.str}\0{arrays[name].shape}\0".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()


def _lines(corpus: Corpus) -> int | None:
    """Count the records of plain JSON lines, so that the time left can be told."""
    if not all(path.suffix == ".jsonl" and path.is_file() for path in corpus.paths):
        return None
    total = 0
    for path in corpus.paths:
        with path.open("rb") as stream:
            total += sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 20), b""))
    return total or None
