"""E-mail as formats of documents: a message a file, and a mailbox of many."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ....core.errors import FormatError, InputChangedError, LimitError
from ....core.storage.private_key import private_key
from ...document import Document, Edited, by_place
from ...shuffling import write_by_place
from ...sources import Withheld, create_bytes, open_bytes
from ..files import FileFormat, OpenedFile, RefusedFileError
from ..inspection import FileSummary
from ..protocol import CorpusFile, Format, FormatOptions, document_from

__all__ = ["Mail", "Mailbox"]

_MADE = re.compile(r"[\s\-­‐‑]+")
"""What readers of attached files make themselves."""
_FROM = re.compile(rb"^>*From ", re.MULTILINE)
_HEADER = re.compile(rb"(?!From )[A-Za-z][A-Za-z0-9\-]{1,60}:[ \t]?")
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_DIVIDER = b"From mailbox Thu Jan  1 00:00:00 1970\n"
_SHORTEST = 4  # characters of a removed string that is worth a search


class Mail(FileFormat):
    """A message (.eml): listed headers, the text of all its parts, and attached files by their own formats."""

    name = "eml"
    suffixes = (".eml",)
    what = "an e-mail message"
    version = "3"

    def open(self, content: bytes) -> OpenedFile:
        from .message import open_message

        return open_message(content, self.name, self.names)

    def search(self, content: bytes, removed: Iterable[str]) -> int:
        from .second_reader import search_message

        return search_message(content, removed)

    def create(self, text: str) -> bytes:
        from .message import compose

        return compose({}, text)

    def comparable(self, text: str) -> str:
        """Return a text without spaces, breaks and hyphens, which readers of attached files make themselves."""
        return _MADE.sub("", text)

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        """Write a message with its edits; one with a file that cannot be cut is not written."""
        try:
            super().write(part, edited, out)
        except RefusedFileError:
            out.unlink(missing_ok=True)  # it is missed when it is read back, and withheld


class Mailbox(Format[FormatOptions]):
    """A mailbox (.mbox) of many messages, each a document."""

    name = "mbox"
    suffixes = (".mbox",)
    unit = "document"
    is_written_in_order = True

    @property
    def holds_ids(self) -> bool:
        """Messages are numbered; their own ids are keyed."""
        return False

    def new_id(self, document: Document, mark: str) -> str:
        """Return a new id; the name of a mailbox, which often names a person, is one too."""
        return f"{mark}.mbox" if ":" not in document.id else mark

    def publish_fields(self, document: Document, keep: Sequence[str]) -> Mapping[str, object]:  # noqa: ARG002
        """Return nothing: a message has no other fields."""
        return {}

    def comparable(self, text: str) -> str:
        """Return a text as messages are compared."""
        return _MADE.sub("", text)

    # --- reading ---------------------------------------------------------------------------------

    def _messages(self, part: CorpusFile) -> Iterator[bytes | None]:
        """Yield the messages of a mailbox; None for one beyond the limit. What begins with a header is one message."""
        held: list[bytes] = []
        size, limit, is_blank, begun, is_one = 0, self.names.limits.record_bytes, True, False, False
        with open_bytes(part.file, self.names.limits) as stream:
            while line := stream.readline(limit + 1):
                if not begun and _HEADER.match(line):
                    begun = is_one = True
                if is_blank and not is_one and line.startswith(b"From "):
                    if begun:
                        yield b"".join(held) if size <= limit else None
                    held, size, begun = [], 0, True
                elif not begun:
                    break
                else:
                    size += len(line)
                    if size <= limit:
                        held.append(line)
                is_blank = line in (b"\n", b"\r\n")
        if not begun:
            raise FormatError(f"The file {part.name!r} is not a mailbox.", hint="each message begins after a line 'From …'.")  # fmt: skip
        yield b"".join(held) if size <= limit else None

    def _opened(self, part: CorpusFile) -> Iterator[tuple[Document, OpenedFile] | Withheld]:
        from .message import open_message

        names = replace(self.names, id="id")
        for number, raw in enumerate(self._messages(part), 1):
            id = f"{part.name}:{number}"
            if raw is None:
                yield Withheld(id, "is a message beyond the limit of bytes", number, part.name, None, LimitError)  # fmt: skip
                continue
            try:
                opened = open_message(_QUOTED.sub(rb"\1", raw), self.name, self.names)
            except RefusedFileError as error:
                yield Withheld(id, error.reason, number, part.name, error.hint, error.kind)
                continue
            document = document_from(
                names, part, number, raw_id=id, text=opened.text, raw_spans=(), segments=opened.segments
            )  # fmt: skip
            if isinstance(document, Withheld):
                yield document
            else:
                yield replace(document, orders=opened.orders), opened

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        for record in self._opened(part):
            yield record if isinstance(record, Withheld) else record[0]

    def inspect(self, part: CorpusFile) -> FileSummary:
        """Return what a mailbox holds and what would be dropped of it."""
        found = FileSummary(self.name)
        try:
            for record in self._opened(part):
                if isinstance(record, Withheld):
                    found.withhold(record.reason)
                    continue
                found.add(record[0])
                found.places.update(record[1].found.places)
                found.dropped.update(record[1].found.dropped)
        except FormatError as error:
            found.withhold(error.message.replace(f"The file {part.name!r} ", "").rstrip("."))
        return found

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield the messages of a written mailbox; one in which there is something to drop is withheld."""
        if not part.file.exists() or not part.file.stat().st_size:
            return
        for record in self._opened(part):
            if isinstance(record, Withheld):
                yield record
            elif record[1].found.dropped:
                yield Withheld(
                    record[0].id, "holds more than its text", record[0].record, part.name
                )
            else:
                yield record[0]

    # --- writing ---------------------------------------------------------------------------------

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        if part is None or part.path is None:
            out.mkdir(exist_ok=True)
            with create_bytes(out / "messages.mbox") as stream:
                for one in edited:
                    from .message import compose

                    stream.write(_entry(compose({}, one.text)))
            return
        mark = private_key().marker("order of a mailbox")
        entries = (
            (
                _entry(content),
                None if one.id == one.document.id else int(mark(one.document.id)[:16], 16),
            )
            for one, content in self._rewrite(part, edited)
        )
        with create_bytes(out, compress=out.name.endswith(".gz")) as stream:
            write_by_place(entries, stream, out.parent)

    def _rewrite(
        self, part: CorpusFile, edited: Iterable[Edited]
    ) -> Iterator[tuple[Edited, bytes]]:
        """Yield the messages that may be written; one that still holds what was removed is missed, and withheld."""
        from .second_reader import search_message

        records = (one for one in self._opened(part) if not isinstance(one, Withheld))
        for one in edited:
            found = next((r for r in records if r[0].record == one.document.record), None)
            if found is None or found[0].text != one.document.text:
                raise InputChangedError
            text, published = one.document.text, self.comparable(one.text)
            removed = {"".join(text[e.start : e.end].split()) for e in one.edits}
            wanted = [
                s for s in removed if len(s) >= _SHORTEST and self.comparable(s) not in published
            ]
            try:
                content = found[1].save(by_place(found[0], one.edits))
            except RefusedFileError:
                continue
            if not (wanted and search_message(content, wanted)):
                yield one, content


def _entry(content: bytes) -> bytes:
    """Return a message as a mailbox has it, after its divider."""
    return _DIVIDER + _FROM.sub(rb">\g<0>", content) + b"\n"
