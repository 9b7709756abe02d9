"""Writing the data of a release, and reading it back before anybody sees it.

What is on the disk is read again by code that shares nothing with the writing, and held against the edits. A
document that does not stand there as it was decided is withheld, and its file is written again without it; a
file that still differs ends the work, and nothing is published.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import numpy as np

from ....compute.journal import Journal
from ....core.errors import InputError, WorkError
from ....core.storage.disk import remove
from ....data.document import Document, Edited
from ....data.documents import Corpus
from ....data.formats.line_edits import Hashes, LineHashes, read_lines_back
from ....data.formats.lines import Column, LineWriter
from ....data.formats.protocol import CorpusFile
from ....data.formats.verification import Digests
from ....data.shuffling import ShuffledLines
from ....data.sources import create_bytes
from ..private_edits import DocumentEdits, id_of_line, with_published_id
from .new_ids import NewIds
from .parts import PartContent

__all__ = ["FAILED", "Output"]

FAILED = "is not in the written file as it was decided"
_ALL = frozenset[str]()
_QUOTE = 0x22
_AT_ONCE = 4096  # lines that are written at once


@dataclass
class Output:
    """The data of one release: how it is written, how much was read back, and which documents failed.

    Parameters
    ----------
    corpus : Corpus
        What is published; the output has its form.
    journal : Journal
        The finished parts.
    keep : sequence of str
        The other fields that are published.
    new_ids : NewIds or None
        The new ids, unless the documents keep theirs.
    edits : Path
        Where the lines of the private edits are put.

    """

    corpus: Corpus
    journal: Journal
    keep: Sequence[str]
    new_ids: NewIds | None
    edits: Path
    verified: int = 0
    failed: list[str] = field(default_factory=list)
    fields: set[str] = field(default_factory=set)

    def write(self, out: Path, *, in_columns: bool) -> None:
        """Write each file of the corpus, and read it back."""
        names: dict[str, list[str]] = {part.name: [] for part in self.corpus.parts}
        for name in self.journal.names:
            names[self.journal.facts(name)["file"]].append(name)
        write = self._write_lines if in_columns else self._write_documents
        with self.edits.open("wb") as private:
            for part in self.corpus.parts:
                path = self._place_of(part, out)
                path.parent.mkdir(parents=True, exist_ok=True)
                start = private.tell()
                failed = write(part, names[part.name], path, private.write, _ALL)
                if failed:
                    remove(path)
                    private.seek(start)
                    private.truncate()
                    if write(part, names[part.name], path, private.write, failed):
                        raise WorkError(
                            f"What was written of {part.name!r} does not read back as it was decided; "
                            "nothing was published.",
                            hint="the disk may be failing: run the same command again.",
                        )
                    self.failed += sorted(failed - {""})

    def _place_of(self, part: CorpusFile, out: Path) -> Path:
        """Return where a part is written; a file that is one document gets the name of its new id."""
        form = self.corpus.format
        if not form.is_document(part):
            return self.corpus.place_of(part, out)
        if self.new_ids is None:
            return out / part.name
        document = Document(part.name, "", part=part.name)
        return out / form.new_id(document, self.new_ids.mark(part.name))

    # --- JSON lines in columns -------------------------------------------------------------------

    def _write_lines(
        self, _part: CorpusFile, names: Sequence[str], path: Path,
        note: Callable[[bytes], object], without: frozenset[str],
    ) -> frozenset[str]:  # fmt: skip
        """Write the lines that the parts hold; return the documents that failed."""
        expected: list[Hashes] = []
        with create_bytes(path, compress=path.name.endswith(".gz")) as stream:
            if self.new_ids is None and not without:
                for content in self._contents(names):
                    stream.write(content.lines)
                    assert content.hashes is not None
                    expected.append(content.hashes)
                    note(content.edits)
            else:
                expected = [self._write_changed(names, path.parent, stream.write, note, without)]
        want = np.concatenate(expected) if expected else np.empty((0, 3), np.uint64)
        form = self.corpus.format
        have = read_lines_back(path, form.names, form.names.limits, self.keep)
        if np.array_equal(want, have):
            self.verified += len(want)
            return _ALL
        return self._failed_lines(names, have, without) or frozenset({""})

    def _contents(self, names: Sequence[str]) -> Iterator[PartContent]:
        for name in names:
            yield PartContent.of_bytes(self.journal.content(name))

    def _write_changed(
        self, names: Sequence[str], folder: Path, write: Callable[[bytes], object],
        note: Callable[[bytes], object], without: frozenset[str],
    ) -> Hashes:  # fmt: skip
        """Write lines with new ids, in the order of these, or without some of them."""
        before = len(LineWriter(self.corpus.format.names).pieces[0])
        rows, every = [np.empty((0, 3), np.uint64)], [np.empty(0, np.uint64)]
        with ShuffledLines[bytes](folder) as shuffled:
            for content in self._contents(names):
                assert content.hashes is not None
                lines, heads, chosen, places, noted = [], [], [], [], []
                edits = content.edits.splitlines(keepends=True)
                for i, (line, own) in enumerate(zip(bytes(content.lines).splitlines(keepends=True), edits, strict=True)):  # fmt: skip
                    old = id_of_line(own)
                    if without and str(json.loads(old)) in without:
                        continue
                    is_text = line[before] == _QUOTE
                    new, place = (old, 0) if self.new_ids is None else self.new_ids.head(old, is_text=is_text)  # fmt: skip
                    rest = line[before + len(old) - (0 if is_text else 2) :]
                    lines.append(line[:before] + (new if is_text else new[1:-1]) + rest)
                    heads.append(new)
                    chosen.append(i)
                    places.append(place)
                    noted.append(with_published_id(own, new))
                note(b"".join(noted))
                rows.append(LineHashes(content.hashes[chosen]).with_ids(Column.of(heads)).rows)
                every.append(np.array(places, np.uint64))
                if self.new_ids is None:
                    write(b"".join(lines))
                else:
                    shuffled.add(lines, every[-1])
            in_order = (line for line, _ in shuffled)
            while some := list(islice(in_order, _AT_ONCE)):
                write(b"".join(some))
        order = np.argsort(np.concatenate(every), kind="stable")
        return np.concatenate(rows)[order] if self.new_ids is not None else np.concatenate(rows)

    def _failed_lines(
        self, names: Sequence[str], have: Hashes, without: frozenset[str]
    ) -> frozenset[str]:
        """Return the documents whose lines were not found, or not once."""
        before = len(LineWriter(self.corpus.format.names).pieces[0])
        found = Counter(map(bytes, have))
        failed = set()
        for content in self._contents(names):
            assert content.hashes is not None
            olds = [id_of_line(line) for line in content.edits.splitlines()]
            heads = olds
            if self.new_ids is not None:
                lines = bytes(content.lines).splitlines()
                heads = [
                    self.new_ids.head(old, is_text=line[before] == _QUOTE)[0]
                    for old, line in zip(olds, lines, strict=True)
                ]
            rows = LineHashes(content.hashes).with_ids(Column.of(heads)).rows
            failed |= {
                str(json.loads(old)) for old, row in zip(olds, rows, strict=True) if found[bytes(row)] != 1
            }  # fmt: skip
        return frozenset(failed - without)

    # --- all other forms -------------------------------------------------------------------------

    def _write_documents(
        self, part: CorpusFile, names: Sequence[str], path: Path,
        note: Callable[[bytes], object], without: frozenset[str],
    ) -> frozenset[str]:  # fmt: skip
        """Write a part from the input, read again, and the edits; return the documents that failed."""
        form, expected, removed = self.corpus.format, Digests(), set[str]()

        def noted() -> Iterator[Edited]:
            for edited in self._edited(part, names, note, without):
                expected.add(self._digest(edited))
                if form.is_container:
                    text, published = edited.document.text, edited.text
                    removed.update(s for e in edited.edits if (s := text[e.start : e.end]) not in published)  # fmt: skip
                yield edited

        form.write(part, noted(), path)
        try:
            written = CorpusFile(part.name, path, part.many)
            if form.is_document(part):  # its name is its id
                written = replace(written, name=path.name if self.new_ids else part.name)
            verified = form.verify(written, expected, removed)
        except InputError as error:
            raise WorkError(
                f"What was written of {part.name!r} cannot be read back; nothing was published."
            ) from error
        if verified:
            self.verified += verified.documents
            return _ALL
        missing = verified.missing
        failed = {
            edited.document.id
            for edited in self._edited(part, names, lambda _: None, without)
            if verified.leaks or self._digest(edited) in missing
        }
        return frozenset(failed) or frozenset({""})

    def _digest(self, edited: Edited) -> bytes:
        return self.corpus.format.digest_of(edited)

    def _edited(
        self, part: CorpusFile, names: Sequence[str], note: Callable[[bytes], object],
        without: frozenset[str],
    ) -> Iterator[Edited]:  # fmt: skip
        """Yield the documents of a part with their edits, under the ids that are published."""
        found = self._paired(part, names, without)
        form = self.corpus.format
        new, documents = self.new_ids, found
        if new is not None and form.is_written_in_order:
            documents = (new.rename(edited, form) for edited in found)
        elif new is not None:
            documents = iter(new.renamed(found, form))
        for edited in documents:
            note(self._line(edited))
            yield edited

    def _line(self, edited: Edited) -> bytes:
        """Return the private line of a document."""
        form, document = self.corpus.format, edited.document
        line = {
            "id": document.id, "published_id": edited.id, "text_sha256": document.text_sha256,
            "format": form.name, "version": form.version,
            "edits": [[e.start, e.end, e.replacement, e.label] for e in edited.edits],
        }  # fmt: skip
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"

    def _paired(
        self, part: CorpusFile, names: Sequence[str], without: frozenset[str]
    ) -> Iterator[Edited]:
        """Yield each document of the input that is published; those between them were withheld."""
        form = self.corpus.format
        lines = (line for content in self._contents(names) for line in content.edits.splitlines())
        entry = _next(lines)
        for document in form.read(part):
            if entry is None or not isinstance(document, Document) or document.id != entry.id:
                continue
            if document.text_sha256 != entry.text_sha256:
                break
            if document.id not in without:
                fields = form.publish_fields(document, self.keep)
                self.fields.update(fields)
                own = form.names.id
                if own in document.fields:  # an id that is not a text
                    fields = {**fields, str(own): document.fields[str(own)]}
                yield Edited(document, entry.edits, document.id, fields)
            entry = _next(lines)
        if entry is not None:
            raise WorkError("The input changed while it was published.", hint="start again.")


def _next(lines: Iterator[bytes]) -> DocumentEdits | None:
    line = next(lines, None)
    return None if line is None else DocumentEdits.of_line(line)
