"""HL7 version 2 as a format of documents: a message is a document, its free texts are the text of it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from ....core.errors import FormatError, InputChangedError, LimitError
from ...document import Document, Edited, by_place
from ...shuffling import write_by_place
from ...sources import Withheld, create_bytes, open_bytes
from ..files import RefusedFileError
from ..protocol import CorpusFile, document_from
from .messages import MessageWalk, Separators, segments_of
from .records import HealthRecords
from .rewriting import CollectedTexts, EditedTexts
from .second_reader import stands_in

__all__ = ["Hl7"]

_CHUNK = 1 << 18
_BEGIN = re.compile(rb"(?:^|(?<=[\r\n\x0b\x1c]))MSH(?=[^A-Za-z0-9\r\n])")
_BATCH = re.compile(r"^(?:FHS|BHS|BTS|FTS)[^A-Za-z0-9]")


class Hl7(HealthRecords):
    """HL7 version 2 (.hl7): one message or many, with or without the segments of a batch."""

    name = "hl7"
    kind = "hl7"
    suffixes = (".hl7",)
    version = "2"

    _walk: MessageWalk | None = None

    @property
    def walk(self) -> MessageWalk:
        """The walk through messages by the profile."""
        if self._walk is None:
            self._walk = MessageWalk(self.profile)
        return self._walk

    # --- reading ---------------------------------------------------------------------------------

    def _messages(self, part: CorpusFile) -> Iterator[bytes | None]:
        """Yield the messages of a file; None for one beyond the limit."""
        held, limit = b"", self.names.limits.record_bytes
        with open_bytes(part.file, self.names.limits) as stream:
            while more := stream.read(max(_CHUNK, len(held))):
                held += more
                starts = [found.start() for found in _BEGIN.finditer(held)]
                for start, end in pairwise(starts):
                    yield held[start:end] if end - start <= limit else None
                held = held[starts[-1] :] if starts else held[-_CHUNK:]
                if len(held) > limit:
                    raise self.names.limits.error(f"A message of {part.name!r}", "record_bytes")
        if not _BEGIN.match(held):
            raise FormatError(f"The file {part.name!r} holds no HL7 message.", hint="a message begins with MSH.")  # fmt: skip
        yield held

    def _split(self, part: CorpusFile) -> Iterator[tuple[int, list[str], Separators] | Withheld]:
        """Yield the segments of each message, under its number."""
        for number, raw in enumerate(self._messages(part), 1):
            if raw is None:
                yield Withheld(f"record {number}", "is a message beyond the limit of bytes", number, part.name, None, LimitError)  # fmt: skip
                continue
            segments = segments_of(_decode(raw))
            segments = [one for one in segments if not _BATCH.match(one)]
            apart = Separators.of(segments[0]) if segments else None
            if apart is None:
                yield Withheld(f"record {number}", "does not name its separators", number, part.name, None, FormatError)  # fmt: skip
                continue
            yield number, segments, apart

    def read_texts(self, part: CorpusFile) -> Iterator[tuple[Document, CollectedTexts] | Withheld]:
        names = replace(self.names, id="id")
        for message in self._split(part):
            if isinstance(message, Withheld):
                yield message
                continue
            number, segments, apart = message
            texts = CollectedTexts()
            self.walk.message(segments, apart, texts)
            fields = {
                "record": f"MSH/{self.walk.control_id(segments[0], apart)}",
                "patient": self.walk.person(segments, apart),
            }
            document = document_from(
                names, part, number, raw_id=f"{part.name}:{number}", text=texts.whole, raw_spans=(),
                fields=fields, segments=texts.segments,
            )  # fmt: skip
            if isinstance(document, Document) and texts.orders:
                document = replace(document, orders=texts.orders)
            yield (document, texts) if isinstance(document, Document) else document

    # --- writing ---------------------------------------------------------------------------------

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        if part is None or part.path is None:
            out.mkdir(exist_ok=True)
            with create_bytes(out / "messages.hl7") as stream:
                for one in edited:
                    stream.write(_as_message(one).encode())
            return
        messages = (
            (message, self.pseudonyms.place_of(one)) for one, message in self._rewrite(part, edited)
        )
        with create_bytes(out, compress=out.name.endswith(".gz")) as stream:
            write_by_place(messages, stream, out.parent)

    def _rewrite(
        self, part: CorpusFile, edited: Iterable[Edited]
    ) -> Iterator[tuple[Edited, bytes]]:
        """Yield the documents that may be written, each with its message."""
        messages = (one for one in self._split(part) if not isinstance(one, Withheld))
        for one in edited:
            document = one.document
            found = next((own for own in messages if own[0] == document.record), None)
            if found is None:
                raise InputChangedError
            _, segments, apart = found
            texts = EditedTexts(
                document.text, document.segments, by_place(document, one.edits), self.pseudonyms,
                lambda person, _: str(person["id"]),
            )  # fmt: skip
            try:
                message = self.walk.message(segments, apart, texts)
            except RefusedFileError:  # a file in it cannot be cut: it is missed, and withheld
                continue
            if not texts.is_done:
                raise InputChangedError
            if not (
                one.edits and self._holds_leak(one, message, apart, texts)
            ):  # else it is missed, and withheld
                yield one, message.encode()

    def _holds_leak(
        self, edited: Edited, message: str, apart: Separators, texts: EditedTexts
    ) -> bool:
        """Return whether a written message, or a file in it, holds what was removed."""
        removed = self.removed(edited)
        wanted = ["".join(text.split()) for text in removed]
        marks = re.escape(f"{apart.field}{apart.component}{apart.repetition}{apart.subcomponent}\r")
        pieces = {apart.decode(one) for one in re.split(f"[{marks}]", message)} if wanted else set()
        held = "\n".join("".join(one.split()) for one in pieces)  # most messages hold none anywhere
        left = [text for text in wanted if text in held]
        is_left = any(stands_in(text, one) for one in pieces for text in left)
        return is_left or texts.still_holds(removed, edited.text)


def _decode(raw: bytes) -> str:
    """Return the text of a message; what is not UTF-8 is Latin-1, as many senders write."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _as_message(edited: Edited) -> str:
    """Return a document as a message that holds its text."""
    apart = Separators("|", "^", "~", "\\", "&")
    made = io.StringIO()
    made.write(f"MSH|^~\\&|||||||MDM^T02|{apart.encode(edited.id)}|P|2.5\r")
    if edited.fields.get("patient"):
        made.write(f"PID|1||{apart.encode(str(edited.fields['patient']))}\r")
    made.write(f"OBX|1|TX|11488-4^Consultation note^LN||{apart.encode(edited.text)}||||||F\r")
    return made.getvalue()
