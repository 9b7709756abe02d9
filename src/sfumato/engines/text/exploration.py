"""The frontier of the text engine: candidates that know how to publish, kept as frontier.json and model/."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ...core.errors import FormatError, InputError, ModelError
from ...core.exploration import Candidate, Exploration, InputFile
from ...core.files import canonical_json
from ...data.document import Document
from ...data.documents import read_documents
from ...data.findings import with_findings
from .release.sanitiser import Sanitiser, batches
from .release.writing import Outcome, publish
from .sanitize.classifiers import ClassifierSet
from .sanitize.models import load_candidates, save_candidates

__all__ = ["AXES", "TextExploration"]

AXES = {
    "risk": "share of the sensitive words that is left (an attacker who reads everything)",
    "utility": "share of the words that is published",
}


class TextExploration(Exploration):
    """A frontier whose candidates publish documents.

    `add_with` takes a candidate with its classifiers; `save` writes frontier.json and the folder
    model/ into a folder that exists, and `load` reads both back.
    """

    def __init__(self, *, seed: int = 0, inputs: Sequence[InputFile] = ()) -> None:
        super().__init__("text", seed=seed, axes=AXES, inputs=inputs, keep_dominated=True)
        self.classifiers: dict[str, ClassifierSet] = {}

    def add_with(self, candidate: Candidate, classifiers: ClassifierSet) -> bool:
        """Put a candidate on the frontier; its classifiers do the publishing."""
        self.classifiers[candidate.id] = classifiers
        publisher = partial(_publish, candidate, classifiers, self.seed)
        return self.add(replace(candidate, publisher=publisher))

    def save(self, directory: str | os.PathLike[str]) -> Path:
        """Write frontier.json and model/ into a folder that exists."""
        save_candidates(directory, self.classifiers, force=True)
        return super().save(directory)

    @classmethod
    def load(cls, directory: str | os.PathLike[str]) -> TextExploration:
        """Read a frontier with its classifiers; a damaged or foreign folder is refused."""
        if not Path(directory).is_dir():
            raise InputError(
                f"There is no folder {Path(directory).name!r}.",
                hint="give the folder that `sfumato text explore` wrote.",
            )
        plain = Exploration.load(directory)
        if plain.engine != "text":
            raise FormatError(
                "The frontier is not one of documents.",
                hint="give the folder that `sfumato text explore` wrote.",
            )
        classifiers = load_candidates(directory)
        found = cls(seed=plain.seed, inputs=plain.inputs)
        found.version, found.extra = plain.version, plain.extra
        found.evaluations, found.seconds = plain.evaluations, plain.seconds
        found.references = plain.references
        for candidate in plain.candidates:
            if candidate.id not in classifiers:
                raise ModelError(
                    "The frontier and the model beside it do not belong together.",
                    hint="explore again.",
                )
            found.add_with(candidate, classifiers[candidate.id])
        return found


def _hash(classifiers: ClassifierSet) -> str:
    header, arrays = classifiers.to_arrays()
    digest = hashlib.sha256(canonical_json(header).encode())
    for name in sorted(arrays):
        digest.update(f"{name}\0{arrays[name].dtype.str}\0{arrays[name].shape}\0".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()


def _publish(
    candidate: Candidate,
    classifiers: ClassifierSet,
    seed: int,
    data: Any,
    *,
    out: str | os.PathLike[str] | None = None,
    replacement: str = "placeholder",
    key: str | os.PathLike[str] | None = None,
    scope: str = "document",
    findings: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    drop: Sequence[str] = (),
    engine: str = "local",
    threads: int | None = None,
    strict: bool = False,
    force: bool = False,
    progress: Callable[[int, str], None] | None = None,
) -> Outcome | list[Document]:
    """Publish documents: into the folder `out`, or, without one, as a list.

    In a list, documents that fail are not left out silently: the first of them raises.
    """
    replacer, mark = None, None
    if replacement == "surrogate":
        from .release.surrogates import Surrogates, read_key

        secret = read_key(key)
        replacer = Surrogates(secret, scope=scope)
        # Tells runs with different keys apart in the journal, and nothing about the key.
        mark = secret.number("journal", scope, below=1 << 62)
    sanitiser = Sanitiser(
        classifiers,
        replacement=replacement,
        replacer=replacer,
        findings=findings is not None,
        strict=strict or out is None,
    )
    if out is not None:
        if isinstance(findings, Mapping):
            raise InputError("Findings must be a file when a folder is published into.")
        return publish(
            data,
            out,
            sanitiser=sanitiser,
            candidate=candidate,
            made_from={"model": _hash(classifiers), "key": mark, "candidate": candidate.id},
            seed=seed,
            findings=findings,
            drop=drop,
            engine=engine,
            threads=threads,
            force=force,
            progress=progress,
        )
    documents: Any = read_documents(data)
    if findings is not None:
        documents = with_findings(documents, findings)
    published = []
    for batch in batches(documents):
        texts = sanitiser(batch).texts
        for document, text in zip(batch, texts, strict=True):
            extra = {k: v for k, v in document.extra.items() if k not in drop}
            published.append(Document(document.id, text, (), extra))
    return published
