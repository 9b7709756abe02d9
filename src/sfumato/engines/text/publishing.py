"""From an input to an output folder: the data in the form it came in, release.json, nothing else.

Finished batches are parts of a journal, so that a killed run goes on where it stopped; the output
appears whole, at the end. A part holds ids and sanitised texts only; all other fields are read again
from the input when the output is built.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...compute import engine as compute_engine
from ...compute.journal import Journal, fingerprint
from ...core.errors import WorkError
from ...core.exploration import Candidate, InputFile
from ...core.files import read_json, sha256_of
from ...core.release import RELEASE_FILE, Release, warn_if_composed
from ...data.document import Document
from ...data.documents import Corpus, Withheld, read_documents, write_documents
from ...data.findings import with_findings
from ...data.sources import Extra
from .pipeline import Counts, Sanitiser, batches

__all__ = ["Outcome", "publish"]

Progress = Callable[[int, str], None]


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
    characters: int = 1 << 20,
    progress: Progress | None = None,
) -> Outcome:
    """Publish documents into a folder, whole or not at all.

    `made_from` says, in plain values, what else the output depends on (the model's hash, the mark of
    the secret key): a run that was killed goes on only when all of it is the same. Spans of the
    input are not published; its other fields are, as they are, except for those in `drop`. Records
    that cannot be read or sanitised are withheld and listed by id; with the sanitiser's `strict`,
    the first of them ends the work.
    """
    corpus = read_documents(source)
    inputs = [(os.fspath(path), sha256_of(path)) for path in corpus.paths]
    how = {
        "replacement": sanitiser.replacement,
        "findings": None if findings is None else sha256_of(findings),
        "dropped_fields": sorted(drop),
    }
    key = fingerprint(
        inputs=[sha256 for _, sha256 in inputs],
        strict=sanitiser.strict,
        characters=characters,
        how=how,
        made_from=made_from,
    )
    compute = compute_engine(engine, **({} if threads is None else {"threads": threads}))
    with Journal(out, key, force=force) as journal:
        if not journal.finished:
            unread: list[dict[str, str]] = []
            rows: dict[str, int] = {}
            documents: Iterable[Document] = _readable(corpus, unread, rows, strict=sanitiser.strict)
            if findings is not None:
                documents = with_findings(documents, findings)
            cut = batches((_bare(d) for d in documents), characters)
            counts, failed = Counts(), []
            for facts in journal.run(compute, _part, cut, shared=sanitiser):
                counts += Counts(**facts["counts"])
                failed += facts["withheld"]
                if progress is not None:
                    progress(facts["counts"]["documents"], f"{counts.words:,} words")
            named = _named_inputs(corpus, inputs, rows)
            fields: set[str] = set()

            def build(built: Path) -> None:
                parts = (journal.path(name).read_bytes() for name in journal.names)
                withheld_ids = {entry["id"] for entry in failed}
                published = _published(corpus, parts, withheld_ids, drop, fields)
                if corpus.is_folder:
                    written = built
                else:
                    built.mkdir()
                    written = built / corpus.name
                write_documents(published, like=corpus, out=written)
                name = "." if corpus.is_folder else corpus.name
                Release(
                    engine="text",
                    candidate=candidate.id,
                    inputs=named,
                    outputs=[InputFile(name, sha256_of(written), counts.documents)],
                    seed=seed,
                    how={**how, "fields_as_they_are": sorted(fields), **_plain(candidate)},
                    counts={**counts.to_json(), "withheld": len(unread) + len(failed)},
                    risk=candidate.risk,
                    utility=candidate.utility,
                    withheld=[*unread, *failed],
                ).save(built)

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


def _bare(document: Document) -> Document:
    """Leave out what the sanitiser does not need, and what need not travel to another machine."""
    return Document(document.id, document.text, document.spans)


def _named_inputs(
    corpus: Corpus, inputs: Sequence[tuple[str, str]], rows: Mapping[str, int]
) -> list[InputFile]:
    total = sum(rows.values())
    by_path = {os.fspath(part.file): rows.get(part.name, 0) for part in corpus.parts if part.path}
    return [
        InputFile(path, sha256, total if len(inputs) == 1 else by_path.get(path, 0))
        for path, sha256 in inputs
    ]


# --- parts: a line of JSON with ids and bounds, then the texts as they are -----------------------


def _part(sanitiser: Sanitiser, documents: Sequence[Document]) -> tuple[bytes, dict[str, Any]]:
    done = sanitiser(documents)
    head = json.dumps({"ids": list(done.ids), "bounds": list(done.bounds)}).encode()
    facts = {"counts": done.counts.to_json(), "withheld": [dict(w) for w in done.withheld]}
    return head + b"\n" + done.text, facts


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
