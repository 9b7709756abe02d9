"""Writing the data of a release, and reading it back before anybody sees it.

What is on the disk is read again by code that shares nothing with the writing, and held against the edits. A
document that is not there as it was decided is withheld, and its file is written again without it; a
file that still differs ends the work, and nothing is published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ....compute.journal import Journal
from ....core.errors import InputChangedError, InputError, WorkError
from ....core.storage.disk import remove
from ....data.byte_columns import Column
from ....data.document import Document, Edited
from ....data.documents import Corpus
from ....data.formats.line_edits import Hashes, read_lines_back
from ....data.formats.protocol import CorpusFile
from ....data.formats.verification import Digests
from ....data.shuffling import ShuffledLines
from ....data.sources import create_bytes
from ..private_edits import EDITS_FILE, DocumentEdits
from .new_ids import IDS_FILE, NewIds, id_line
from .parts import PartContent, ReadDocuments

__all__ = ["FAILED", "LOST", "Output"]

FAILED = "is not in the written file as it was decided"
LOST = "is in a file that cannot be read to its end"
_ALL = frozenset[str]()


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
    private : Path
        The folder in which the private lines are staged: the edits, and the new ids.
    read : ReadDocuments
        The documents as they were read.
    broken : set of str
        The parts that cannot be read to their end: nothing of them is published.

    """

    corpus: Corpus
    journal: Journal
    keep: Sequence[str]
    new_ids: NewIds | None
    private: Path
    read: ReadDocuments
    broken: Collection[str] = ()
    verified: int = 0
    failed: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    _edits: BinaryIO = field(init=False, repr=False)
    _ids: BinaryIO = field(init=False, repr=False)

    def write(self, out: Path, *, in_columns: bool) -> None:
        """Write each file of the corpus, and read it back."""
        names: dict[str, list[str]] = {part.name: [] for part in self.corpus.parts}
        for name in self.journal.names:
            names[self.journal.facts(name)["file"]].append(name)
        write = self._write_lines if in_columns else self._write_documents
        edits, ids = self.private / EDITS_FILE, self.private / IDS_FILE
        with edits.open("wb") as self._edits, ids.open("wb") as self._ids:
            for part in self.corpus.parts:
                if part.name in self.broken:
                    self.lost += [entry.id for entry in self._entries(names[part.name])]
                    continue
                path = self._place_of(part, out)
                path.parent.mkdir(parents=True, exist_ok=True)
                starts = [(stream, stream.tell()) for stream in (self._edits, self._ids)]
                failed = write(part, names[part.name], path, _ALL)
                if failed:
                    remove(path)
                    for stream, start in starts:
                        stream.seek(start)
                        stream.truncate()
                    if write(part, names[part.name], path, failed):
                        raise WorkError(
                            f"What was written of {part.name!r} does not read back as it was decided; "
                            "nothing was published.",
                            hint="the disk may be failing: run the same command again.",
                        )
                    self.failed += sorted(failed - {""})

    def write_ids(self, withheld: Iterable[str]) -> None:
        """Add the new ids under which the release lists what was withheld."""
        if self.new_ids is not None:
            with (self.private / IDS_FILE).open("ab") as stream:
                stream.writelines(id_line(name, self.new_ids.mark(name)) for name in withheld)

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
        self, _part: CorpusFile, names: Sequence[str], path: Path, without: frozenset[str]
    ) -> frozenset[str]:
        """Write the lines that the parts hold, in their new order; return the documents that failed."""
        hashes, places = [np.empty((0, 3), np.uint64)], [np.empty(0, np.uint64)]
        compress = path.name.endswith(".gz")
        with create_bytes(path, compress=compress) as stream, ShuffledLines(path.parent) as lines:
            for content in self._contents(names):
                own = content.without(without) if without else content
                hashes.append(own.hashes)
                self._edits.write(own.edits)
                if self.new_ids is None:
                    stream.write(own.lines)
                else:
                    self._ids.write(own.ids)
                    places.append(own.places)
                    lines.add(Column.of_lines(own.lines), own.places)
            for some in lines:
                stream.write(some.data.data)
        want = np.concatenate(hashes)
        if self.new_ids is not None:
            want = want[np.argsort(np.concatenate(places), kind="stable")]
        form = self.corpus.format
        have = read_lines_back(path, form.names, form.names.limits)
        if np.array_equal(want, have):
            self.verified += len(want)
            return _ALL
        return self._failed_lines(names, have) - without or frozenset({""})

    def _contents(self, names: Sequence[str]) -> Iterator[PartContent]:
        for name in names:
            yield PartContent.of_bytes(self.journal.content(name))

    def _failed_lines(self, names: Sequence[str], have: Hashes) -> frozenset[str]:
        """Return the documents whose lines were not found, or not once."""
        found = Counter(map(bytes, have))
        return frozenset(
            DocumentEdits.of_line(line).id
            for content in self._contents(names)
            for line, row in zip(content.edit_lines(), content.hashes, strict=True)
            if found[bytes(row)] != 1
        )

    # --- all other forms -------------------------------------------------------------------------

    def _write_documents(
        self, part: CorpusFile, names: Sequence[str], path: Path, without: frozenset[str]
    ) -> frozenset[str]:
        """Write a part from its documents and the edits; return the documents that failed.

        Of a file among others of which nothing is published there is no file.
        """
        form, expected, removed = self.corpus.format, Digests(), set[str]()
        found = iter(self._edited(part, names, without))
        first = next(found, None)
        if first is None and form.unit == "document" and len(self.corpus.parts) > 1:
            return _ALL

        def noted() -> Iterator[Edited]:
            for edited in chain([] if first is None else [first], found):
                self._note(edited)
                expected.add(form.digest_of(edited))
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
            for edited in self._edited(part, names, without)
            if verified.leaks or form.digest_of(edited) in missing
        }
        return frozenset(failed) or frozenset({""})

    def _edited(
        self, part: CorpusFile, names: Sequence[str], without: frozenset[str]
    ) -> Iterable[Edited]:
        """Return the documents of a part with their edits, under the ids that are published."""
        found = self._paired(part, names, without)
        new, form = self.new_ids, self.corpus.format
        if new is None:
            return found
        if form.is_written_in_order:
            return (new.rename(edited, form) for edited in found)
        return new.renamed(found, form)

    def _note(self, edited: Edited) -> None:
        """Write the private lines of a document."""
        form, document = self.corpus.format, edited.document
        about = (document.id, edited.id, document.text_sha256, form.name, form.version)
        self._edits.write(DocumentEdits(*about, edited.edits).to_line())
        if self.new_ids is not None:
            self._ids.write(id_line(document.id, edited.id))

    def _paired(
        self, part: CorpusFile, names: Sequence[str], without: frozenset[str]
    ) -> Iterator[Edited]:
        """Yield each document of the input that is published; those between them were withheld."""
        form = self.corpus.format
        entries = self._entries(names)
        entry = next(entries, None)
        for document in self.read.of(part, self.corpus):
            if entry is None or not isinstance(document, Document) or document.id != entry.id:
                continue
            if document.text_sha256 != entry.text_sha256:
                break
            if document.id not in without:
                fields = form.publish_fields(document, self.keep)
                own = form.names.id
                if own in document.fields:  # an id that is not a text
                    fields = {**fields, str(own): document.fields[str(own)]}
                yield Edited(document, entry.edits, document.id, fields)
            entry = next(entries, None)
        if entry is not None:
            raise InputChangedError

    def _entries(self, names: Sequence[str]) -> Iterator[DocumentEdits]:
        """Yield the edits of each document of some parts of the work."""
        lines = (line for content in self._contents(names) for line in content.edit_lines())
        return map(DocumentEdits.of_line, lines)
