"""What formats of health records share: a profile, keyed ids, and one shift of dates for each patient."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import ClassVar

from ....core.errors import InputError
from ...document import Document, Edited, Span
from ...sources import Withheld
from ..inspection import FileSummary
from ..protocol import CorpusFile, Format, FormatOptions
from .profile import Profile, load_profile
from .pseudonyms import Pseudonyms
from .rewriting import CollectedTexts

__all__ = ["HealthOptions", "HealthRecords"]

_MADE = re.compile(r"[\s\-\u00ad\u2010\u2011]+")
_SHORTEST = 4  # characters of a removed string that is worth a search


class HealthOptions(FormatOptions):
    """What can be said about records of health care."""

    profile: str | None = None


class HealthRecords(Format[HealthOptions]):
    """What formats of health records share: a profile, keyed ids, and one shift of dates for each patient."""

    unit = "document"
    is_written_in_order = True
    person_field = "patient"
    Options = HealthOptions
    kind: ClassVar[str]

    _profile: Profile | None = None
    _pseudonyms: Pseudonyms | None = None
    _days: Callable[[str], int] | None = None

    def __getstate__(self) -> dict[str, object]:
        return {n: v for n, v in vars(self).items() if not n.startswith("_")}

    @property
    def profile(self) -> Profile:
        """The rules."""
        if self._profile is None:
            own = self.options.profile
            self._profile = load_profile(self.kind, None if own is None else Path(own))
        return self._profile

    @property
    def pseudonyms(self) -> Pseudonyms:
        """The ids and shifts of the steward."""
        if self._pseudonyms is None:
            self._pseudonyms = Pseudonyms(self._days)
        return self._pseudonyms

    def shift_by(self, days: Callable[[str], int]) -> None:
        """Shift the dates of each patient as the dates of their texts are."""
        self._days, self._pseudonyms = days, None

    @property
    def holds_ids(self) -> bool:
        """The id of a record is keyed and written."""
        return True

    def publish_fields(self, document: Document, keep: Sequence[str]) -> Mapping[str, object]:  # noqa: ARG002
        """Return nothing: the profile says what is published."""
        return {}

    def comparable(self, text: str) -> str:
        """Return a text without spaces, breaks and hyphens, which readers of attached files make themselves."""
        return _MADE.sub("", text) if "-" in text or not text.isascii() else "".join(text.split())

    def digest(
        self,
        id: str,
        text: str,
        fields: Mapping[str, object],
        spans: Sequence[Span],  # noqa: ARG002
    ) -> bytes:
        """Return the digest of a record: its own id and its text; its place in a file is none of it."""
        own = str(fields.get("record", id))
        digest = blake2b(f"{len(own)}:{own}".encode("utf-8", "surrogatepass"), digest_size=16)
        digest.update(self.comparable(text).encode("utf-8", "surrogatepass"))
        return digest.digest()

    def digest_of(self, edited: Edited) -> bytes:
        """Return the digest of a record with its edits, under the id that is published."""
        return self.digest("", edited.text, {"record": self._key_id(edited.document)}, ())

    def _key_id(self, document: Document) -> str:
        kind, _, own = str(document.fields.get("record", "")).partition("/")
        return f"{kind}/{self.pseudonyms.id(own)}" if own else f"{kind}/"

    def new_id(self, document: Document, mark: str) -> str:
        """Return the id that a record is published under; of a file, its name."""
        if "record" in document.fields:
            return self._key_id(document)
        name = document.id.lower()
        own = next((s for s in (f"{x}{z}" for x in self.suffixes for z in (".gz", "")) if name.endswith(s)), "")  # fmt: skip
        return f"{mark}{own}"

    def removed(self, edited: Edited) -> list[str]:
        """Return what was removed from the text of a record and is worth a search in what was written."""
        published, text = "".join(edited.text.split()), edited.document.text
        removed = {text[e.start : e.end] for e in edited.edits}
        return [one for one in removed if len(one) >= _SHORTEST and "".join(one.split()) not in published]  # fmt: skip

    @abstractmethod
    def read_texts(self, part: CorpusFile) -> Iterator[tuple[Document, CollectedTexts] | Withheld]:
        """Yield each record as a document, with what was found in it."""

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        for record in self.read_texts(part):
            yield record if isinstance(record, Withheld) else record[0]

    def inspect(self, part: CorpusFile) -> FileSummary:
        """Return what a file holds and what would be dropped of it."""
        found = FileSummary(self.name)
        try:
            for record in self.read_texts(part):
                if isinstance(record, Withheld):
                    found.withhold(record.reason)
                else:
                    found.add(replace(record[0], fields={}))
                    found.places["free text"] += len(record[0].text)
                    found.dropped.update(record[1].dropped)
        except InputError as error:
            found.withhold(error.message.replace(f"The file {part.name!r} ", "").rstrip("."))
        return found

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield what a written file holds; a record with more than may be published is withheld."""
        if not part.file.exists():
            return
        for record in self.read_texts(part):
            if isinstance(record, Withheld):
                yield record
            elif record[1].dropped or record[1].unkeyed:
                yield Withheld(record[0].id, "holds more than may be published", record[0].record, part.name)  # fmt: skip
            else:
                yield record[0]
