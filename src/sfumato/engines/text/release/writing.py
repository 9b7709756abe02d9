"""From an input to an output folder: the data in the form it came in, release.json, nothing else.

Finished batches are parts of a journal (`parts.py`), so that a killed run resumes where it stopped; the data is
written from them and read back (`output.py`), and the output appears whole, at the end.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from ....compute import engine as compute_engine
from ....compute.journal import Journal, fingerprint
from ....core.composition.releases import earlier_releases, judge_together
from ....core.errors import DataError, ParameterError, ReleaseRefusedError
from ....core.files import ReadFiles, sha256_of
from ....core.records import InputFile, OutputFile
from ....core.release import warn_if_composed
from ....core.storage.ownership import paths_in
from ....core.storage.quarantine import check_quarantine, write_quarantine
from ....data.document import Document
from ....data.documents import Corpus, read_documents
from ....data.findings import with_findings
from ....data.formats.protocol import EVERY_FIELD
from ....data.formats.scans.registry import picture_reader
from ....data.inputs import DocumentsInput
from ..attack.together import KnownDocuments, measure_composition
from ..private_edits import EDITS_FILE, publish_private
from ..records import ScanRecord, TextCandidate, TextHow, TextRelease, Verification, WordCounts
from ..redaction.counts import RedactionCounts
from ..redaction.sanitiser import Sanitiser
from .key_on_driver import KeyOnDriver
from .new_ids import IDS_FILE, NewIds, ids_of
from .options import Measures, WriteOptions
from .output import FAILED, LOST, Output
from .parts import ReadDocuments, Shared, batch_part, cut, cut_blocks, line_part, readable
from .sample import Sampler

__all__ = ["publish"]

# A release in which less than this share of the expected words is redacted, where at least 30 are expected,
# is not of the same kind.
_FAR_BELOW, _MIN_EXPECTED = 0.1, 30


def publish(
    source: DocumentsInput,
    out: str | os.PathLike[str],
    *,
    sanitiser: Sanitiser,
    candidate: TextCandidate,
    made_from: Mapping[str, JsonValue],
    **options: Any,
) -> TextRelease:
    """Publish documents into a folder, whole or not at all.

    Spans of the input are not published, nor are its other fields unless they are kept by name. Records
    that cannot be read or sanitised are withheld and listed by id; with the
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
        The fields of `WriteOptions`.

    """
    given = WriteOptions(**options)
    corpus = read_documents(source)
    work = _TextPublication(corpus, sanitiser, candidate, given)
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
    release = TextRelease.read_full(out)
    if not _warn_together(out):  # else it was measured, and said
        warn_if_composed(out, release.to_json())
    return release


def _warn_together(out: str | os.PathLike[str]) -> bool:
    """Measure a release with those next to it; warn of what adds up."""
    earlier = earlier_releases(out, EDITS_FILE)
    if not earlier:
        return False
    later = KnownDocuments.of(out)
    measured = (measure_composition(KnownDocuments.of(path), later) for path in earlier)
    return bool(judge_together(measured, engine="text"))


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


class _TextPublication:
    """One publication: what is read, what was counted, and how the parts become the output."""

    def __init__(
        self, corpus: Corpus, sanitiser: Sanitiser, candidate: TextCandidate, options: WriteOptions
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
            and corpus.blocks(size=options.characters, keep=options.keep) is not None
        )
        form = corpus.format
        self.shared = Shared(sanitiser, form.names, (form.name, form.version))
        self.read_documents = ReadDocuments()
        self.unread: list[dict[str, str]] = []
        self.broken: set[str] = set()
        self.failed: list[dict[str, str]] = []
        self.rows: dict[str, int] = {}
        self.counts = RedactionCounts()
        self.fields: set[str] = set()
        self.verified = 0
        self.new_ids: NewIds | None = None
        if not options.keep_ids:
            # Not by the content of the inputs: a word that is redacted must not move what is published.
            self.new_ids = NewIds(candidate.id, [path.name for path in corpus.paths])

    def public_withheld(self) -> list[dict[str, str]]:
        """Return what the release says of the records that are withheld: their ids as published."""
        if self.new_ids is None:
            return self.withheld
        return [{**entry, "id": self.new_ids.mark(entry["id"])} for entry in self.withheld]

    @property
    def withheld(self) -> list[dict[str, str]]:
        return [*self.unread, *self.failed]

    def run(self, journal: Journal) -> None:
        """Sanitise all parts that the journal does not hold yet."""
        began = time.perf_counter()
        engine = compute_engine(self.options.engine, threads=self.options.threads)
        keyed = engine.name != "local" and not self.sanitiser.replacer.by_label_alone
        compute = KeyOnDriver(engine) if keyed else engine
        part = line_part if self.in_columns else batch_part
        for facts in journal.run(compute, part, self._cut(), shared=self.shared):
            self.counts += RedactionCounts(**facts["counts"])
            self.failed += facts["withheld"]
            self.fields.update(facts["fields"])
            rate = self.counts.words / max(time.perf_counter() - began, 1e-9)
            note = f"{self.counts.words:,} words, {rate:,.0f} words/s"
            self.options.progress(facts["counts"]["documents"], note=note)
        person = self.sanitiser.person
        if person is not None and person.field is not None and person.field not in self.fields:
            raise ParameterError(
                f"No document has the field {person.field!r} that names its person."
            )
        for name in self.options.keep:
            if name != EVERY_FIELD and name not in self.fields:
                raise ParameterError(
                    f"No document has the field {name!r} that is to be kept.",
                    hint="check its name; all other fields are left out.",
                )
        if self.options.sampler is not None and self.options.check is not None:
            self.options.check(self.options.sampler.result())
        if not self.options.accept_shift:
            _refuse_far_from_promise(self.counts, self.candidate)

    def _cut(self) -> Iterator[object]:
        strict, given, sampler = self.sanitiser.strict, self.options, self.options.sampler
        if self.in_columns:
            for block, batch in cut_blocks(
                self.corpus, self.unread, self.rows, given, self.new_ids, strict=strict
            ):
                if sampler is not None:
                    sampler.add_block(len(block), block.document)
                yield batch
            return
        documents: Iterable[Document] = self.read_documents.keep(
            readable(self.corpus, self.unread, self.rows, self.broken, strict=strict)
        )
        if sampler is not None:
            documents = _shown(documents, sampler)
        yield from cut(self._with_findings(documents, self._unlooked), given.characters)

    def _with_findings(
        self, documents: Iterable[Document], absent: Callable[[Document], None]
    ) -> Iterable[Document]:
        given = self.options
        if given.findings is None:
            return documents
        return with_findings(
            documents, given.findings, keep=self.sanitiser.candidate.labels, absent=absent,
            min_score=given.min_score, labels=dict(given.findings_labels or {}),
        )  # fmt: skip

    def _unlooked(self, document: Document) -> None:
        """Withhold a document that the findings say nothing of: nobody looked at it."""
        entry = {"id": document.id, "reason": "has no entry in the findings"}
        if self.sanitiser.strict:
            raise DataError(f"The document {document.id!r} {entry['reason']}.")
        self.unread.append(entry)

    def build(self, journal: Journal, built: Path, out: str | os.PathLike[str]) -> None:
        """Put the release together in a folder that nobody sees yet."""
        built.mkdir()
        written = built if self.corpus.is_published_as_folder else built / self.corpus.name
        kept = self.read_documents
        output = Output(
            self.corpus, journal, self.options.keep, self.new_ids, built.parent, kept, self.broken
        )
        output.write(written, in_columns=self.in_columns)
        self._withhold(output.failed, FAILED)
        self._withhold(output.lost, LOST)
        output.write_ids(entry["id"] for entry in self.withheld)
        self.verified = output.verified
        release = self.record(written)
        release.save(built)
        release.save_private(out)
        self.read.check()
        write_quarantine(out, self.withheld, force=self.options.force)
        force = self.options.force or journal.resumed
        publish_private(built.with_name(EDITS_FILE), out, force=force)
        if self.new_ids is not None:
            publish_private(built.with_name(IDS_FILE), out, force=force)
        elif self.options.force:  # those of the release that this one replaces
            ids_of(out).unlink(missing_ok=True)

    def _withhold(self, failed: Sequence[str], reason: str) -> None:
        """List documents that were not written, and take what was counted of them out again."""
        if not failed:
            return
        if self.sanitiser.strict:
            raise DataError(f"The document {failed[0]!r} {reason}.")
        self.failed += [{"id": name, "reason": reason} for name in failed]
        left = set(failed)
        documents = self.read_documents.all_of(self.corpus)
        for document in self._with_findings(documents, lambda _: None):
            if document.id in left:
                self.counts -= self.sanitiser([document]).counts

    def _kept(self) -> set[str]:
        """Return what was published as it was: fields that are kept, and columns of CoNLL."""
        columns = getattr(self.corpus.format.options, "kept_columns", ())
        kept = self.fields
        if EVERY_FIELD not in self.options.keep:
            kept = kept.intersection(self.options.keep)
        return kept | {f"column {n}" for n in columns}

    def record(self, written: Path) -> TextRelease:
        """Return release.json."""
        candidate, given = self.candidate, self.options
        measures: Measures = {"risk": candidate.risk}
        if given.measure is not None:
            measures |= given.measure(self.counts)
        name = "." if self.corpus.is_published_as_folder else self.corpus.name
        rows = self.counts.documents
        return TextRelease(
            engine="text",
            candidate=candidate.id,
            inputs=_named_inputs(self.corpus, self.inputs, self.rows),
            outputs=(OutputFile(path=name, sha256=sha256_of(written), rows=rows),),
            seed=given.seed,
            frontier=given.frontier,
            request=_public_request(self.corpus, given.request),
            how=TextHow(
                ratio=candidate.ratio,
                encoder_device=_device(candidate),
                replacement=given.replacement,
                findings=given.findings is not None,
                rules=getattr(self.sanitiser.candidate, "rules", None) is not None,
                order="kept" if self.new_ids is None else "shuffled",
                ids="kept" if self.new_ids is None else "new",
                fields_as_they_are=tuple(sorted(map(_printable, self._kept()))),
                left_as_they_are=dict(self.counts.left_as_they_are),
                accept_shift=given.accept_shift,
                marked=self.counts.marked,
                ignore_marks=not self.sanitiser.marks,
                scans=_scans(self.counts.scanned, accepted_unseen=given.accept_scans),
            ),
            counts=self.counts.published(),
            left_out={"withheld": len(self.withheld)},
            words=WordCounts(read=self.counts.words, redacted=dict(self.counts.redacted)),
            utility=candidate.utility,
            withheld=tuple(self.public_withheld()),
            verified=Verification(documents=self.verified, edits=sum(self.counts.spans.values())),
            **measures,
        )


def _scans(pages: int, *, accepted_unseen: bool) -> ScanRecord | None:
    """Return what the record says of scanned pages; None where there are none."""
    reader = picture_reader() if pages else None
    if reader is None:
        return None
    own = reader.recogniser
    return ScanRecord(
        pages=pages, recogniser=own.version, word_recall=own.word_recall, accepted_unseen=accepted_unseen
    )  # fmt: skip


def _shown(documents: Iterable[Document], sampler: Sampler) -> Iterator[Document]:
    for document in documents:
        sampler.add(document)
        yield document


def _named_inputs(
    corpus: Corpus, inputs: Sequence[tuple[str, str]], rows: Mapping[str, int]
) -> tuple[InputFile, ...]:
    total = sum(rows.values())
    by_path = {os.fspath(part.file): rows.get(part.name, 0) for part in corpus.parts if part.path}
    # Names, not places: the record is the same wherever the input is.
    return tuple(
        InputFile(
            path=_public_name(corpus, Path(path)),
            sha256=sha256,
            rows=total if len(inputs) == 1 else by_path.get(path, 0),
        )
        for path, sha256 in inputs
    )


def _public_request(corpus: Corpus, request: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the request without the names of letters."""
    names = {path.name: _public_name(corpus, path) for path in corpus.paths}

    def public(value: JsonValue) -> JsonValue:
        if isinstance(value, list):
            return [public(one) for one in value]
        return names.get(value, value) if isinstance(value, str) else value

    return {name: public(value) for name, value in request.items()}


def _public_name(corpus: Corpus, path: Path) -> str:
    """Return the name of an input; that of a letter may name a person."""
    is_one = corpus.folder is None and corpus.format.unit == "document"
    return f"document{path.suffix}" if is_one else path.name


def _device(candidate: TextCandidate) -> str | None:
    """Return what an encoder reads the documents on; None where none does."""
    if not candidate.encoder_reads:
        return None
    from ..learners.registry import encoders

    return encoders().device()
