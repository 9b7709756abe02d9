"""From an input to an output folder: the data in the form it came in, release.json, nothing else.

Finished batches are parts of a journal, so that a killed run goes on where it stopped; the output
appears whole, at the end. For JSON lines a part holds lines of the output. For the other forms it
holds ids and sanitised texts, and all other fields are read again from the input at the end.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from ....compute import engine as compute_engine
from ....compute.journal import Journal, fingerprint
from ....core.errors import WorkError
from ....core.exploration import Candidate, InputFile
from ....core.files import read_json, sha256_of
from ....core.quarantine import check_quarantine, quarantine_of, write_quarantine
from ....core.release import RELEASE_FILE, Release, warn_if_composed
from ....data.document import Document
from ....data.documents import Corpus, Withheld, read_documents, write_documents
from ....data.findings import with_findings
from ....data.formats.jsonl import Jsonl
from ....data.formats.lines import Column, LineBlock, SeenMarks, Written, read_blocks, takes
from ....data.sources import Extra, create_bytes
from .sanitiser import Counts, Sanitiser, batches

__all__ = ["Outcome", "publish"]

Progress = Callable[[int, str], None]
# Characters of a part (bytes of JSON lines): with larger ones the system takes memory back and forth.
_PART_SIZE = 1 << 19


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a publish gives back: the content of release.json, and where the output lies."""

    out: Path
    record: Mapping[str, Any]
    fields_as_they_are: Sequence[str] = ()

    @property
    def withheld(self) -> int:
        """How many records were withheld."""
        return len(self.record["withheld"])

    @property
    def quarantine(self) -> Path | None:
        """The list of what was withheld; None when nothing was."""
        return quarantine_of(self.out) if self.withheld else None


def publish(
    source: Any,
    out: str | os.PathLike[str],
    *,
    sanitiser: Sanitiser,
    candidate: Candidate,
    made_from: Mapping[str, Any],
    seed: int = 0,
    findings: str | os.PathLike[str] | None = None,
    drop: Sequence[str] = (),
    engine: str = "local",
    threads: int | None = None,
    force: bool = False,
    characters: int = _PART_SIZE,
    progress: Progress | None = None,
) -> Outcome:
    """Publish documents into a folder, whole or not at all.

    `made_from` says, in plain values, what else the output depends on (the model's hash, the mark of
    the secret key): a run that was killed goes on only when all of it is the same. Spans of the
    input are not published; its other fields are, as they are, except for those in `drop`. Records
    that cannot be read or sanitised are withheld and listed by id; with the sanitiser's `strict`,
    the first of them ends the work.
    """
    began = time.perf_counter()
    corpus = read_documents(source)
    inputs = [(os.fspath(path), sha256_of(path)) for path in corpus.paths]
    how = {
        "replacement": sanitiser.replacement,
        "findings": None if findings is None else sha256_of(findings),
        "dropped_fields": sorted(drop),
    }
    in_columns = findings is None and takes(corpus.format, drop)
    key = fingerprint(
        in_columns=in_columns,
        inputs=[sha256 for _, sha256 in inputs],
        strict=sanitiser.strict,
        characters=characters,
        how=how,
        made_from=made_from,
    )
    compute = compute_engine(engine, threads=threads)
    with Journal(out, key, force=force) as journal:
        if not (journal.resumed or journal.finished):  # else the list may be ours already
            check_quarantine(out, force=force)
        if not journal.finished:
            unread: list[dict[str, str]] = []
            rows: dict[str, int] = {}
            shared = _Shared(sanitiser, _lines_of(corpus), tuple(drop))
            counts, failed = Counts(), []
            fields: set[str] = set()
            work: Callable[..., tuple[bytes, Mapping[str, Any]]] = _part
            cut: Iterable[Any]
            if in_columns:
                work = _part_in_columns
                cut = _blocks(corpus, unread, rows, characters, drop, strict=sanitiser.strict)
            else:
                documents: Iterable[Document] = _readable(
                    corpus, unread, rows, strict=sanitiser.strict
                )
                if findings is not None:
                    documents = with_findings(documents, findings)
                cut = _cut(documents, characters, bare=shared.form is None)
            for facts in journal.run(compute, work, cut, shared=shared):
                counts += Counts(**facts["counts"])
                failed += facts["withheld"]
                fields.update(facts["fields"])
                if progress is not None:
                    rate = counts.words / max(time.perf_counter() - began, 1e-9)
                    note = f"{counts.words:,} words, {rate:,.0f} words/s"
                    progress(facts["counts"]["documents"], note)
            named = _named_inputs(corpus, inputs, rows)
            withheld = [*unread, *failed]

            def build(built: Path) -> None:
                if corpus.is_folder:
                    written = built
                else:
                    built.mkdir()
                    written = built / corpus.name
                if shared.form is not None:
                    _join_lines(journal, corpus, written)
                else:
                    parts = map(journal.content, journal.names)
                    unpublished = {entry["id"] for entry in failed}
                    write_documents(
                        _published(corpus, parts, unpublished, drop, fields),
                        like=corpus,
                        out=written,
                    )
                name = "." if corpus.is_folder else corpus.name
                Release(
                    engine="text",
                    candidate=candidate.id,
                    inputs=named,
                    outputs=[InputFile(name, sha256_of(written), counts.documents)],
                    seed=seed,
                    how={**how, "fields_as_they_are": sorted(fields), **_plain(candidate)},
                    counts={**counts.to_json(), "withheld": len(withheld)},
                    risk=candidate.risk,
                    utility=candidate.utility,
                    withheld=withheld,
                ).save(built)
                write_quarantine(out, withheld, force=force)

            journal.finish(build)
    record = read_json(Path(out) / RELEASE_FILE)
    warn_if_composed(out, record)
    return Outcome(Path(out), record, record["how"]["fields_as_they_are"])


def _plain(candidate: Candidate) -> dict[str, Any]:
    return {k: candidate.details[k] for k in ("ratio", "mode", "learner") if k in candidate.details}


def _readable(
    corpus: Corpus, unread: list[dict[str, str]], rows: dict[str, int], *, strict: bool
) -> Iterator[Document]:
    """Give the documents that can be read, list the others, and count the records of each part."""
    for record in corpus.tolerant():
        part = record.part if isinstance(record, Withheld) else getattr(record.extra, "part", "")
        rows[part] = rows.get(part, 0) + 1
        if isinstance(record, Withheld):
            if strict:
                raise record.error()
            unread.append(record.to_json())
        else:
            yield record


def _named_inputs(
    corpus: Corpus, inputs: Sequence[tuple[str, str]], rows: Mapping[str, int]
) -> list[InputFile]:
    total = sum(rows.values())
    by_path = {os.fspath(part.file): rows.get(part.name, 0) for part in corpus.parts if part.path}
    # Names, not places: the record says the same wherever the input lies.
    return [
        InputFile(Path(path).name, sha256, total if len(inputs) == 1 else by_path.get(path, 0))
        for path, sha256 in inputs
    ]


# --- parts ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shared:
    """What every batch needs: the sanitiser and, for JSON lines, how a line is written."""

    sanitiser: Sanitiser
    form: Jsonl | None
    drop: tuple[str, ...]


def _lines_of(corpus: Corpus) -> Jsonl | None:
    return corpus.format if type(corpus.format) is Jsonl else None


def _cut(
    documents: Iterable[Document], characters: int, *, bare: bool
) -> Iterator[tuple[str, list[Document]]]:
    """Cut documents into batches, each of one file; `bare` leaves out what need not travel."""
    for file, own in groupby(documents, key=lambda d: getattr(d.extra, "part", "")):
        for batch in batches(own, characters):
            yield file, [Document(d.id, d.text, d.spans) for d in batch] if bare else batch


def _blocks(
    corpus: Corpus,
    unread: list[dict[str, str]],
    rows: dict[str, int],
    size: int,
    drop: Sequence[str],
    *,
    strict: bool,
) -> Iterator[tuple[str, list[str], Any]]:
    """Read JSON lines in columns, block by block; list what cannot be read, and count the records."""
    seen = SeenMarks()
    assert type(corpus.format) is Jsonl
    for part in corpus.parts:
        for block in read_blocks(corpus.format, part, seen, size=size, drop=drop):
            rows[part.name] = rows.get(part.name, 0) + block.records
            if strict and block.withheld:
                raise block.withheld[0].error()
            unread.extend(record.to_json() for record in block.withheld)
            if len(block):
                yield part.name, list(block.fields), block.to_arrow()
    if not any(rows.values()):
        raise corpus.empty()


def _part_in_columns(
    shared: _Shared, batch: tuple[str, list[str], Any]
) -> tuple[bytes, dict[str, Any]]:
    """Sanitise a block of JSON lines that was read in columns."""
    file, fields, columns = batch
    block, withheld = LineBlock.of_arrow(columns), []
    sanitiser = shared.sanitiser
    assert shared.form is not None
    try:
        text, bounds, counts = sanitiser.texts(block.text.data, block.text.bounds, block.id)
        texts = Column(text, bounds)
    except Exception:  # one by one in Python, to find which document it is
        documents = [block.document(i) for i in range(len(block))]
        done = sanitiser(documents)
        counts, withheld = done.counts, [dict(w) for w in done.withheld]
        published = set(done.ids)
        block = block.only(np.array([d.id in published for d in documents], np.bool_))
        texts = Column.of([text.encode() for text in done.texts])
    facts = {
        "file": file, "fields": fields, "counts": counts.to_json(), "withheld": withheld,
    }  # fmt: skip
    return Written(shared.form.layout).lines(block, texts), facts


def _part(shared: _Shared, batch: tuple[str, Sequence[Document]]) -> tuple[bytes, dict[str, Any]]:
    """Sanitise a batch: lines of the output, or a line of ids and bounds, then the texts."""
    file, documents = batch
    done = shared.sanitiser(documents)
    fields = {name for document in documents for name in document.extra}.difference(shared.drop)
    facts = {
        "file": file,
        "fields": sorted(fields),
        "counts": done.counts.to_json(),
        "withheld": [dict(w) for w in done.withheld],
    }
    if shared.form is None:
        head = json.dumps({"ids": list(done.ids), "bounds": list(done.bounds)}).encode()
        return head + b"\n" + done.text, facts
    extras = {document.id: document.extra for document in documents}
    lines = [
        shared.form.line(Document(name, text, (), _without(extras[name], shared.drop, "jsonl")))
        for name, text in zip(done.ids, done.texts, strict=True)
    ]
    return b"".join(lines), facts


def _join_lines(journal: Journal, corpus: Corpus, written: Path) -> None:
    """Write each file of the corpus from the parts that hold its lines."""
    by_file: dict[str, list[str]] = {part.name: [] for part in corpus.parts}
    for name in journal.names:
        by_file[journal.facts(name)["file"]].append(name)
    for file, parts in by_file.items():
        path = written / file if corpus.is_folder else written
        path.parent.mkdir(parents=True, exist_ok=True)
        with create_bytes(path, compress=path.name.endswith(".gz")) as stream:
            for name in parts:
                stream.write(journal.content(name))


def _unpacked(part: bytes) -> Iterator[tuple[str, str]]:
    head, _, text = part.partition(b"\n")
    content = json.loads(head)
    bounds = content["bounds"]
    for id_, start, end in zip(content["ids"], bounds, bounds[1:], strict=False):
        yield id_, text[start:end].decode()


def _published(
    corpus: Corpus,
    parts: Iterable[bytes],
    withheld: set[str],
    drop: Sequence[str],
    fields: set[str],
) -> Iterator[Document]:
    """Give each document of the input with its sanitised text and the fields that are kept."""
    texts = (entry for part in parts for entry in _unpacked(part))
    for document in corpus.tolerant():
        if isinstance(document, Withheld) or document.id in withheld:
            continue
        published_id, text = next(texts, (None, ""))
        if published_id != document.id:
            raise WorkError("The input changed while it was published.", hint="start again.")
        extra = _without(document.extra, drop, corpus.format.name)
        fields.update(name for name in extra if name not in drop)
        yield Document(document.id, text, (), extra)


def _without(extra: Mapping[str, Any], drop: Sequence[str], form: str) -> Mapping[str, Any]:
    """Leave fields out; in a table the column stays, empty."""
    if not any(name in extra for name in drop):
        return extra
    empty = "" if form in ("csv", "tsv") else None
    kept = {
        name: empty if name in drop else value
        for name, value in extra.items()
        if form != "jsonl" or name not in drop
    }
    return Extra(kept, getattr(extra, "part", ""))
