"""From an input to an output folder: the data in the form it came in, release.json, nothing else.

Finished batches are parts of a journal, so that a killed run goes on where it stopped; the output
appears whole, at the end (`parts.py`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from pydantic import JsonValue

from ....compute import engine as compute_engine
from ....compute.journal import Journal, fingerprint
from ....core.engine import Progress, no_progress
from ....core.errors import DataError, ReleaseRefusedError
from ....core.files import ReadFiles, sha256_of
from ....core.measures import Risk
from ....core.records import InputFile
from ....core.release import warn_if_composed
from ....core.storage.ownership import paths_in
from ....core.storage.private_key import private_key
from ....core.storage.quarantine import check_quarantine, write_quarantine
from ....data.document import Document
from ....data.documents import Corpus, read_documents, write_documents
from ....data.findings import with_findings
from ....data.formats.lines import takes
from ..attack_records import RangedShare
from ..records import TextCandidate, TextHow, TextMeasured, TextRelease
from ..redaction.sanitiser import RedactionCounts, Sanitiser
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

__all__ = ["Options", "publish"]

# Characters of a part (bytes of JSON lines): with larger ones the system takes memory back and forth.
_PART_SIZE = 1 << 19
# Of what was measured to be redacted: less than this share of it, where so many words are expected, is
# no release of the same kind.
_FAR_BELOW, _MIN_EXPECTED = 0.1, 30


class Measures(TypedDict, total=False):
    """What the record of a release says beyond the counts."""

    risk: Risk
    measured: TextMeasured
    documents_with_leak: RangedShare
    sentences: tuple[str, ...]


Measure = Callable[[Mapping[str, int | Mapping[str, int]]], Measures]


@dataclass(frozen=True, kw_only=True)
class Options:
    """How documents are written.

    Parameters
    ----------
    replacement : str, default "placeholder"
        The name of what replaces, for the record.
    request : mapping
        The recorded request.
    seed : int, default 0
        The seed of the exploration, for the record.
    frontier : str, optional
        The mark of the frontier, for the record.
    findings : path, default None
        Another tool's findings, redacted first.
    min_score : float, default 0
        Findings below this score are left out.
    findings_labels : mapping
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
    measure : callable, default None
        Returns what the record says beyond the counts, from the counts: the promise for a release of
        this size and what was measured.
    progress : callable
        Called with the documents that are done.

    """

    replacement: str = "placeholder"
    request: Mapping[str, JsonValue] = field(default_factory=dict)
    seed: int = 0
    frontier: str | None = None
    findings: str | os.PathLike[str] | None = None
    min_score: float = 0.0
    findings_labels: Mapping[str, str] | None = None
    drop: Sequence[str] = ()
    new_ids: bool = False
    engine: str = "local"
    threads: int | None = None
    force: bool = False
    characters: int = _PART_SIZE
    accept_shift: bool = False
    measure: Measure | None = None
    progress: Progress = no_progress

    def changing(self) -> dict[str, object]:
        """Return what an output depends on, in plain values; findings by a keyed mark."""
        findings = self.findings
        return {
            "replacement": self.replacement,
            "findings": None
            if findings is None
            else private_key().mark("input", sha256_of(findings)),
            "dropped_fields": sorted(self.drop),
            "new_ids": self.new_ids,
            "min_score": self.min_score,
            "findings_labels": dict(self.findings_labels or {}),
        }


def publish(
    source: Source,
    out: str | os.PathLike[str],
    *,
    sanitiser: Sanitiser,
    candidate: TextCandidate,
    made_from: Mapping[str, JsonValue],
    **options: Any,
) -> TextRelease:
    """Publish documents into a folder, whole or not at all.

    Spans of the input are not published; its other fields are, as they are, except for those that are
    dropped. Records that cannot be read or sanitised are withheld and listed by id; with the
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
    **options
        The fields of `Options`.

    """
    given = Options(**options)
    corpus = read_documents(source)
    work = _Work(corpus, sanitiser, candidate, given)
    key = fingerprint(
        in_columns=work.in_columns,
        inputs=[sha256 for _, sha256 in work.inputs],
        strict=sanitiser.strict,
        characters=given.characters,
        how=given.changing(),
        made_from=made_from,
    )
    read = [*corpus.paths, *paths_in(source, given.findings)]
    with Journal(out, key, force=given.force, inputs=read, folder=True) as journal:
        if not (journal.resumed or journal.finished):  # else the list may be ours already
            check_quarantine(out, force=given.force)
        if not journal.finished:
            work.run(journal)
            journal.finish(lambda built: work.build(journal, built, out))
    release = TextRelease.read(out)
    warn_if_composed(out, release.to_json())
    return release


def _refuse_far_from_promise(counts: RedactionCounts, candidate: TextCandidate) -> None:
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
        self, corpus: Corpus, sanitiser: Sanitiser, candidate: TextCandidate, options: Options
    ) -> None:
        self.corpus, self.sanitiser = corpus, sanitiser
        self.candidate, self.options = candidate, options
        self.read = ReadFiles(corpus.paths)
        names = map(os.fspath, corpus.paths)
        self.inputs = list(zip(names, self.read.hashes(), strict=True))
        # Surrogates look at the language that a record names: they need its other fields.
        self.in_columns = (
            options.findings is None
            and sanitiser.replacer.by_label_alone
            and takes(corpus.format, options.drop, paths=corpus.paths)
        )
        self.shared = Shared(sanitiser, lines_of(corpus), tuple(options.drop))
        self.unread: list[dict[str, str]] = []
        self.failed: list[dict[str, str]] = []
        self.rows: dict[str, int] = {}
        self.counts = RedactionCounts()
        kept: Sequence[int] = getattr(corpus.format, "kept", ())
        self.fields = {f"column {number}" for number in kept}
        self.absent: set[str] = set()
        self.new_ids: NewIds | None = None
        if options.new_ids:
            hashes = [sha256 for _, sha256 in self.inputs]
            layout = getattr(corpus.format, "layout", None)
            self.new_ids = NewIds(candidate.id, hashes, getattr(layout, "id", None))

    def told(self) -> list[dict[str, str]]:
        """Return what the release says of the records that are withheld: their ids as published."""
        if self.new_ids is None:
            return self.withheld
        return [{**entry, "id": self.new_ids.of(entry["id"])} for entry in self.withheld]

    @property
    def withheld(self) -> list[dict[str, str]]:
        return [*self.unread, *self.failed]

    def run(self, journal: Journal) -> None:
        """Sanitise all parts that the journal does not hold yet."""
        began = time.perf_counter()
        compute = compute_engine(self.options.engine, threads=self.options.threads)
        part: Callable[..., tuple[bytes, Mapping[str, object]]] = (
            column_part if self.in_columns else batch_part
        )
        for facts in journal.run(compute, part, self._cut(), shared=self.shared):
            self.counts += RedactionCounts(**facts["counts"])
            self.failed += facts["withheld"]
            self.fields.update(facts["fields"])
            rate = self.counts.words / max(time.perf_counter() - began, 1e-9)
            note = f"{self.counts.words:,} words, {rate:,.0f} words/s"
            self.options.progress(facts["counts"]["documents"], note=note)
        if not self.options.accept_shift:
            _refuse_far_from_promise(self.counts, self.candidate)

    def build(self, journal: Journal, built: Path, out: str | os.PathLike[str]) -> None:
        """Put the release together in a folder that nobody sees yet."""
        self.record(self.write(journal, built)).save(built)
        self.read.check()
        write_quarantine(out, self.withheld, force=self.options.force)
        if self.new_ids is not None:
            self.new_ids.write(out, force=self.options.force)

    def _cut(self) -> Iterable[object]:
        strict, given = self.sanitiser.strict, self.options
        if self.in_columns:
            return blocks(
                self.corpus, self.unread, self.rows, given.characters, given.drop, strict=strict
            )
        documents: Iterable[Document] = readable(self.corpus, self.unread, self.rows, strict=strict)
        if given.findings is not None:
            documents = with_findings(
                documents, given.findings, keep=self.sanitiser.candidate.labels,
                absent=self._unlooked, min_score=given.min_score,
                labels=dict(given.findings_labels or {}),
            )  # fmt: skip
        return cut(documents, given.characters, bare=self.shared.form is None)

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
            documents = published(self.corpus, parts, unpublished, self.options.drop, self.fields)
            if self.new_ids is not None:
                documents = self.new_ids.documents(documents)
            write_documents(documents, like=self.corpus, out=written)
        return written

    def record(self, written: Path) -> TextRelease:
        """Return release.json."""
        candidate, given = self.candidate, self.options
        counts = self.counts.to_json()
        for name in ("left_as_they_are", "marked"):  # these are part of `how`
            del counts[name]
        counts["withheld"] = len(self.withheld)
        told: Measures = {"risk": candidate.risk}
        if given.measure is not None:
            told |= given.measure(counts)
        name = "." if self.corpus.is_folder else self.corpus.name
        rows = self.counts.documents
        return TextRelease(
            engine="text",
            candidate=candidate.id,
            frontier=given.frontier,
            inputs=_named_inputs(self.corpus, self.inputs, self.rows),
            outputs=(InputFile(path=name, sha256=sha256_of(written), rows=rows),),
            seed=given.seed,
            request=dict(given.request),
            how=TextHow(
                ratio=candidate.ratio,
                encoder_device=_device(candidate),
                replacement=given.replacement,
                findings=given.findings is not None,
                rules=getattr(self.sanitiser.candidate, "rules", None) is not None,
                order="kept" if self.new_ids is None else "shuffled",
                ids="kept" if self.new_ids is None else "new",
                dropped_fields=tuple(sorted(given.drop)),
                fields_as_they_are=tuple(sorted(map(_printable, self.fields))),
                left_as_they_are=dict(self.counts.left_as_they_are),
                accept_shift=given.accept_shift,
                marked=self.counts.marked,
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
    from ..learners.registry import encoders

    return encoders().device()
