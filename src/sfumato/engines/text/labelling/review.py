"""One named release of a project as it is on the disk: what a person reviews is what was written.

Nothing here asks the model. A document is shown from the edits that the release was made by and from the
published file itself; where the two do not fit each other, or the original has changed, it is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from ....core.approval import APPROVAL_FILE, Approval, Look
from ....core.errors import InputError, NoCandidateError
from ....core.files import canonical_json, read_json, sha256_of
from ....core.records import RELEASE_FILE
from ....core.storage.private_folder import private_folder_of, write_private
from ....data.document import Document, Edit, apply
from ....data.documents import Corpus
from ....data.formats.page_views import PageBox, boxes_of_edits
from ....data.formats.protocol import CorpusFile
from ..private_edits import DocumentEdits, has_number_only, match_release, read_edits
from ..read_options import ReadOptions
from ..records import TextRelease

__all__ = ["ReviewedRelease"]


@dataclass(frozen=True)
class ReviewedRelease:
    """A release of a project.

    Parameters
    ----------
    out : Path
        The folder of the release.
    reading : ReadOptions, optional
        How the documents of the project are read, and so those of its releases.

    """

    out: Path
    reading: ReadOptions = field(default_factory=ReadOptions)

    def __post_init__(self) -> None:
        if not (self.out / RELEASE_FILE).is_file():
            raise NoCandidateError("There is no such release.", hint="publish a candidate first.")

    @property
    def mark(self) -> str:
        """The hash of release.json, which names every published file by its own hash."""
        return sha256_of(self.out / RELEASE_FILE)

    @cached_property
    def record(self) -> TextRelease:
        """What release.json says."""
        return TextRelease.read(self.out)

    @cached_property
    def edits(self) -> dict[str, DocumentEdits]:
        """What was done to each document, by its id in the project."""
        return {entry.id: entry for entry in read_edits(self.out)}

    @cached_property
    def published(self) -> dict[str, str]:
        """The published texts, read from the file, by the ids of their documents in the project."""
        documents, entries = list(self._corpus), list(self.edits.values())
        ids = {entry.published_id for entry in entries}
        if len(documents) == len(entries) and ids.isdisjoint(document.id for document in documents):
            # Records without ids are numbered as they are read; the edits have the same order.
            pairs = zip(entries, documents, strict=True)
            return {entry.id: document.text for entry, document in pairs}
        found = match_release(documents, entries, {}, self._corpus.format.comparable)
        return {id: document.text for id, document in found.items()}

    @cached_property
    def _numbered(self) -> dict[str, str]:
        """The published texts of what is known by its place alone, by what of them is compared."""
        same = self._corpus.format.comparable
        return {same(one.text): one.text for one in self._corpus if has_number_only(one)}

    @cached_property
    def _corpus(self) -> Corpus:
        from ..attack.released.releases import release_of

        source, _ = release_of(self.out)
        return self.reading.open(source)

    def edits_of(self, document: Document) -> Sequence[Edit]:
        """Return what was redacted in a document."""
        return self._of(document).edits

    def text(self, document: Document) -> str:
        """Return the document as the published file has it."""
        entry = self._of(document)
        same = self._corpus.format.comparable
        decided, written = same(apply(document.text, entry.edits)), self.published.get(entry.id)
        if written is None or same(written) != decided:
            written = self._numbered.get(decided)
        if written is None:
            raise InputError(
                f"The published text of {document.id!r} is not what was decided for it.",
                hint="publish the release again; do not give this one out.",
            )
        return written

    def pages(self, document: Document) -> list[list[PageBox]]:
        """Return for each page of the published file what was redacted on it; nothing where it has no pages."""
        entry, part = self._of(document), self._part(document)
        if part is None:
            return []
        views = self._corpus.format.page_views(part)
        same = self._corpus.format.comparable
        boxes = boxes_of_edits(views, document.text, entry.edits, same)
        return [[box for box in boxes if box.page == number] for number in range(len(views))]

    def picture(self, document: Document, number: int) -> bytes:
        """Return a page of the published file, from 0, as a picture."""
        self.text(document)  # what is shown is what was decided
        part = self._part(document)
        if part is None:
            raise InputError("The file has no such page.")
        return self._corpus.format.page_picture(part, number)

    def _part(self, document: Document) -> CorpusFile | None:
        """Return the file of a document, where it has one."""
        name = self._of(document).published_id
        return next((part for part in self._corpus.parts if part.name == name), None)

    def _of(self, document: Document) -> DocumentEdits:
        entry = self.edits.get(document.id)
        if entry is None:
            raise InputError(
                f"The document {document.id!r} is not part of the release: it was withheld."
            )
        entry.check(document)
        return entry

    # --- approval -----------------------------------------------------------------------------

    def approval(self) -> Approval | None:
        """Return who approved this very release; None where nobody did, or it has changed since."""
        path = private_folder_of(self.out) / APPROVAL_FILE
        if not path.is_file():
            return None
        found = Approval.from_json(read_json(path), file=path.name)
        return found if found.release == self.mark else None

    def approve(self, by: str, looks: tuple[Look, ...], corrections: int) -> Approval:
        """Keep who approved the release, when, and what they saw of it.

        Parameters
        ----------
        by : str
            The initials of the person.
        looks : tuple of Look
            Which documents were seen, and how.
        corrections : int
            How many corrections earlier reviews of the project made.

        """
        approval = Approval(
            release=self.mark,
            candidate=self.record.candidate,
            by=by,
            at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            documents_seen=len(looks),
            looks=looks,
            corrections=corrections,
        )
        write_private(self.out, APPROVAL_FILE, canonical_json(approval.to_json()).encode())
        return approval
