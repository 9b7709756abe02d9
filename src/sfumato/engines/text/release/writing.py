"""From an input to an output folder: the data in the form it came in, release.json, nothing else.

Finished batches are parts of a journal, so that a killed run goes on where it stopped; the output
appears whole, at the end (`parts.py`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from ....compute import engine as compute_engine
from ....compute.journal import Journal, fingerprint
from ....core.engine import Progress, no_progress
from ....core.errors import DataError, ReleaseRefusedError
from ....core.files import sha256_of
from ....core.ownership import paths_in
from ....core.private_key import private_key
from ....core.quarantine import check_quarantine, write_quarantine
from ....core.records import InputFile
from ....core.release import warn_if_composed
from ....data.document import Document
from ....data.documents import Corpus, read_documents, write_documents
from ....data.findings import with_findings
from ....data.formats.lines import takes
from ..records import TextCandidate, TextHow, TextRelease
from ..sources import Source
from .new_ids import NewIds
from .parts import (
    Shared,
    batch_part,
    blocks,
    column_part,
    cut,
    join_lines,
    lines_of,
    published,
    readable,
)
from .sanitiser import Counts, Sanitiser

__all__ = ["publish"]

# Characters of a part (bytes of JSON lines): with larger ones the system takes memory back and forth.
_PART_SIZE = 1 << 19
Measure = Callable[[Mapping[str, Any]], Mapping[str, Any]]
# Of what was measured to be redacted: less than this share of it, where so many words are expected, is
# no release of the same kind.
_FAR_BELOW, _MIN_EXPECTED = 0.1, 30


def publish(
    source: Source,
    out: str | os.PathLike[str],
    *,
    sanitiser: Sanitiser,
    candidate: TextCandidate,
    made_from: Mapping[str, JsonValue],
    replacement: str = "placeholder",
    request: Mapping[str, JsonValue] | None = None,
    seed: int = 0,
    findings: str | os.PathLike[str] | None = None,
    min_score: float = 0.0,
    findings_labels: Mapping[str, str] | None = None,
    drop: Sequence[str] = (),
    new_ids: bool = False,
    engine: str = "local",
    threads: int | None = None,
    force: bool = False,
    characters: int = _PART_SIZE,
    accept_shift: bool = False,
    measure: Measure | None = None,
    progress: Progress = no_progress,
) -> TextRelease:
    """Publish documents into a folder, whole or not at all.

    Spans of the input are not published; its other fields are, as they are, except for those in
    `drop`. Records that cannot be read or sanitised are withheld and listed by id; with the
    sanitiser's `strict`, the first of them ends the work.

    Parameters
    ----------
    source : path, Corpus, frame or list of Document
        The documents.
    out : path
        The folder of the release.
    sanitiser : Sanitiser
        Redacts and replaces.
    candidate : TextCandidate
        What the release promises.
    made_from : mapping
        In plain values, what else the output depends on (the model's hash, the mark of the secret
        key): an interrupted run resumes only when all of it is the same.
    replacement : str, default "placeholder"
        The name of what replaces, for the record.
    request : mapping, default None
        The recorded request.
    seed : int, default 0
        The seed of the exploration, for the record.
    findings : path, default None
        Another tool's findings, redacted first.
    min_score : float, default 0
        Findings below this score are left out.
    findings_labels : mapping, default None
        Other names of the findings' labels.
    drop : sequence of str
        Fields to leave out.
    new_ids : bool, default False
        Whether documents get new ids and an order of their own; the mapping lies beside the output.
    engine, threads : str, int
        Where the work is done, and by how many threads.
    force : bool, default False
        Whether an existing release may be replaced.
    characters : int
        The size of a part.
    accept_shift : bool, default False
        Whether the steward accepted that the documents are not like those learned from.
    measure : callable, optional
        Returns what the record says beyond the counts, from the counts: the promise for a release of
        this size and what was measured.
    progress : callable
        Called with the documents that are done.

    """
    corpus = read_documents(source)
    inputs = [(os.fspath(path), sha256_of(path)) for path in corpus.paths]
    how = {
        "replacement": replacement,
        "findings": None if findings is None else private_key().mark("input", sha256_of(findings)),
        "dropped_fields": sorted(drop),
        "new_ids": new_ids,
        "min_score": min_score,
        "findings_labels": dict(findings_labels or {}),
    }
    # Surrogates look at the language that a record names: they need its other fields.
    in_columns = (
        findings is None and sanitiser.replacer.by_label_alone and takes(corpus.format, drop)
    )
    key = fingerprint(
        in_columns=in_columns,
        inputs=[sha256 for _, sha256 in inputs],
        strict=sanitiser.strict,
        characters=characters,
        how=how,
        made_from=made_from,
    )
    compute = compute_engine(engine, threads=threads)
    read = [*corpus.paths, *paths_in(source, findings)]
    with Journal(out, key, force=force, inputs=read, folder=True) as journal:
        if not (journal.resumed or journal.finished):  # else the list may be ours already
            check_quarantine(out, force=force)
        if not journal.finished:
            work = _Work(corpus, sanitiser, drop, findings, characters, in_columns=in_columns)
            work.min_score, work.findings_labels = min_score, dict(findings_labels or {})
            if new_ids:
                hashes = [sha256 for _, sha256 in inputs]
                layout = getattr(corpus.format, "layout", None)
                work.new_ids = NewIds(candidate.id, hashes, getattr(layout, "id", None))
            work.run(journal, compute, progress)
            if not accept_shift:
                _refuse_far_from_promise(work.counts, candidate)

            def build(built: Path) -> None:
                written = work.write(journal, built)
                work.record(
                    candidate,
                    written,
                    inputs,
                    replacement,
                    request=dict(request or {}),
                    seed=seed,
                    accept_shift=accept_shift,
                    measure=measure,
                ).save(built)
                write_quarantine(out, work.withheld, force=force)
                if work.new_ids is not None:
                    work.new_ids.write(out, force=force)

            journal.finish(build)
    release = TextRelease.read(out)
    warn_if_composed(out, release.to_json())
    return release


def _refuse_far_from_promise(counts: Counts, candidate: TextCandidate) -> None:
    """Refuse a release in which far less is redacted than the candidate was measured to redact.

    The model may be another one than was judged, or the documents of another kind: then the promised
    risk says nothing about them.
    """
    redacted = sum(counts.redacted.values())
    expected = (1.0 - candidate.utility.value) * counts.words
    if expected >= _MIN_EXPECTED and redacted < expected * _FAR_BELOW:
        raise ReleaseRefusedError(
            f"{redacted:,} of {counts.words:,} words are redacted, but about {expected:,.0f} were "
            "expected by what was measured; nothing was published.",
            hint="explore documents of this kind, then publish them.",
        )


def _printable(name: str) -> str:
    """Return the name of a field as a record may hold it."""
    return name.encode("unicode_escape").decode()[:128] if not name.isprintable() else name[:128]


class _Work:
    """One publication: what is read, what was counted, and how the parts become the output."""

    def __init__(
        self,
        corpus: Corpus,
        sanitiser: Sanitiser,
        drop: Sequence[str],
        findings: str | os.PathLike[str] | None,
        characters: int,
        *,
        in_columns: bool,
    ) -> None:
        self.corpus, self.sanitiser, self.drop = corpus, sanitiser, drop
        self.findings, self.characters, self.in_columns = findings, characters, in_columns
        self.shared = Shared(sanitiser, lines_of(corpus), tuple(drop))
        self.unread: list[dict[str, str]] = []
        self.failed: list[dict[str, str]] = []
        self.rows: dict[str, int] = {}
        self.counts = Counts()
        self.fields: set[str] = set()
        self.absent: set[str] = set()
        self.new_ids: NewIds | None = None
        self.min_score = 0.0
        self.findings_labels: dict[str, str] = {}

    def told(self) -> list[dict[str, str]]:
        """Return what the release says of the records that are withheld: their ids as published."""
        if self.new_ids is None:
            return self.withheld
        return [{**entry, "id": self.new_ids.of(entry["id"])} for entry in self.withheld]

    @property
    def withheld(self) -> list[dict[str, str]]:
        return [*self.unread, *self.failed]

    def run(self, journal: Journal, compute: Any, progress: Progress) -> None:
        """Sanitise all parts that the journal does not hold yet."""
        began = time.perf_counter()
        part: Callable[..., tuple[bytes, Mapping[str, Any]]] = (
            column_part if self.in_columns else batch_part
        )
        for facts in journal.run(compute, part, self._cut(), shared=self.shared):
            self.counts += Counts(**facts["counts"])
            self.failed += facts["withheld"]
            self.fields.update(facts["fields"])
            rate = self.counts.words / max(time.perf_counter() - began, 1e-9)
            note = f"{self.counts.words:,} words, {rate:,.0f} words/s"
            progress(facts["counts"]["documents"], note=note)

    def _cut(self) -> Iterable[Any]:
        strict = self.sanitiser.strict
        if self.in_columns:
            return blocks(
                self.corpus, self.unread, self.rows, self.characters, self.drop, strict=strict
            )
        documents: Iterable[Document] = readable(self.corpus, self.unread, self.rows, strict=strict)
        if self.findings is not None:
            documents = with_findings(
                documents, self.findings, keep=self.sanitiser.candidate.labels,
                absent=self._unlooked, min_score=self.min_score, labels=self.findings_labels,
            )  # fmt: skip
        return cut(documents, self.characters, bare=self.shared.form is None)

    def _unlooked(self, document: Document) -> None:
        """Withhold a document that the findings say nothing of: nobody looked at it."""
        entry = {"id": document.id, "reason": "has no entry in the findings"}
        if self.sanitiser.strict:
            raise DataError(f"The document {document.id!r} {entry['reason']}.")
        self.unread.append(entry)
        self.absent.add(document.id)

    def write(self, journal: Journal, built: Path) -> Path:
        """Write the data of the release; return where it lies."""
        if self.corpus.is_folder:
            written = built
        else:
            built.mkdir()
            written = built / self.corpus.name
        if self.shared.form is not None:
            join_lines(journal, self.corpus, written, self.new_ids)
        else:
            parts = map(journal.content, journal.names)
            unpublished = {entry["id"] for entry in self.failed} | self.absent
            documents = published(self.corpus, parts, unpublished, self.drop, self.fields)
            if self.new_ids is not None:
                documents = self.new_ids.documents(documents)
            write_documents(documents, like=self.corpus, out=written)
        return written

    def record(
        self,
        candidate: TextCandidate,
        written: Path,
        inputs: Sequence[tuple[str, str]],
        replacement: str,
        *,
        request: dict[str, JsonValue],
        seed: int,
        accept_shift: bool,
        measure: Measure | None,
    ) -> TextRelease:
        """Return release.json."""
        counts = self.counts.to_json()
        left, marked = counts.pop("left_as_they_are"), counts.pop("marked")
        counts["withheld"] = len(self.withheld)
        told = {"risk": candidate.risk, **({} if measure is None else measure(counts))}
        name = "." if self.corpus.is_folder else self.corpus.name
        rows = self.counts.documents
        return TextRelease(
            engine="text",
            candidate=candidate.id,
            inputs=_named_inputs(self.corpus, inputs, self.rows),
            outputs=(InputFile(path=name, sha256=sha256_of(written), rows=rows),),
            seed=seed,
            request=request,
            how=TextHow(
                ratio=candidate.ratio,
                encoder_device=_device(candidate),
                replacement=replacement,
                findings=self.findings is not None,
                rules=getattr(self.sanitiser.candidate, "rules", None) is not None,
                order="kept" if self.new_ids is None else "shuffled",
                ids="kept" if self.new_ids is None else "new",
                dropped_fields=tuple(sorted(self.drop)),
                fields_as_they_are=tuple(sorted(map(_printable, self.fields))),
                left_as_they_are=left,
                accept_shift=accept_shift,
                marked=marked,
                ignore_marks=not self.sanitiser.marks,
            ),
            counts=counts,
            utility=candidate.utility,
            withheld=tuple(self.told()),
            **told,
        )


def _named_inputs(
    corpus: Corpus, inputs: Sequence[tuple[str, str]], rows: Mapping[str, int]
) -> tuple[InputFile, ...]:
    total = sum(rows.values())
    by_path = {os.fspath(part.file): rows.get(part.name, 0) for part in corpus.parts if part.path}
    # Names, not places: the record says the same wherever the input lies.
    return tuple(
        InputFile(
            path=Path(path).name,
            sha256=sha256,
            rows=total if len(inputs) == 1 else by_path.get(path, 0),
        )
        for path, sha256 in inputs
    )


def _device(candidate: TextCandidate) -> str | None:
    """Return what an encoder reads the documents on; None where none does."""
    if not candidate.encoder_reads:
        return None
    from ..learners.encoder.learner import device_kind

    return device_kind()
