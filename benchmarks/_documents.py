"""What the benchmarks of files share: marking names, redacting a file, and looking for what is left by other readers."""

from __future__ import annotations

import base64
import email
import email.policy
import io
import json
import mailbox
import re
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

from sfumato.data.document import Document, Edit, Edited, unite
from sfumato.data.documents import read_documents
from sfumato.data.formats.files import FileFormat
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.registry import FORMATS
from sfumato.data.formats.verification import Digests
from sfumato.engines.text.redaction.rendering import stretches

__all__ = ["Redacted", "opens", "redact", "redact_many", "text_by_others"]


@dataclass
class Redacted:
    """A file with what was done to it, and how long that took (CPU seconds)."""

    document: Document | None = None
    withheld: str | None = None
    edits: list[Edit] = field(default_factory=list)
    content: bytes = b""
    verified: bool = False
    text: str = ""
    read: float = 0.0
    write: float = 0.0
    verify: float = 0.0


def redact(kind: str, content: bytes, mark: Callable[[str], list[Edit]], folder: Path) -> Redacted:
    """Read a file, mark its text, write it and verify what was written, as publishing does."""
    form = FORMATS[kind]()
    assert isinstance(form, FileFormat)
    path, out = folder / f"in.{kind}", folder / f"out.{kind}"
    path.write_bytes(content)
    part, found = CorpusFile(path.name, path), Redacted()
    begin = time.process_time()
    (record,) = form.read(part)
    found.read = time.process_time() - begin
    if not isinstance(record, Document):
        found.withheld = record.reason
        return found
    found.document = record
    found.edits = unite([*(edits := mark(record.text)), *_in_other_orders(record, edits)])
    edited = Edited(record, found.edits, path.name)
    begin = time.process_time()
    form.write(part, [edited], out)
    found.write = time.process_time() - begin
    expected = Digests()
    expected.add(form.digest_of(edited))
    gone = {s for e in found.edits if (s := record.text[e.start : e.end]) not in edited.text}
    begin = time.process_time()
    found.verified = bool(form.verify(CorpusFile(path.name, out), expected, gone))
    found.verify = time.process_time() - begin
    found.content = out.read_bytes()
    (again,) = form.read(CorpusFile(path.name, out))
    found.text = again.text if isinstance(again, Document) else ""
    if not found.verified:
        found.withheld = "is not in the written file as it was decided"
    return found


def redact_many(
    name: str, content: bytes, mark: Callable[[str], list[Edit]], folder: Path, **options: str
) -> Redacted:
    """Do the same with a file of many documents, under a name that says its kind."""
    path, out, found = folder / name, folder / f"out-{name}", Redacted()
    path.write_bytes(content)
    corpus = read_documents(path, **options)  # type: ignore[arg-type]
    form, part, expected = corpus.format, corpus.parts[0], Digests()
    begin = time.process_time()
    documents = list(form.read(part))
    found.read = time.process_time() - begin
    refused = [one.reason for one in documents if not isinstance(one, Document)]
    if refused:
        found.withheld = refused[0]
        return found
    edited = []
    for number, document in enumerate(documents):
        assert isinstance(document, Document)
        one = Edited(
            document, unite([*(edits := mark(document.text)), *_in_other_orders(document, edits)]), form.new_id(document, f"{number:016x}"), form.publish_fields(document, ())
        )  # fmt: skip
        expected.add(form.digest_of(one))
        edited.append(one)
    begin = time.process_time()
    form.write(part, edited, out)
    found.write = time.process_time() - begin
    begin = time.process_time()
    found.verified = bool(form.verify(CorpusFile(out.name, out), expected))
    found.verify = time.process_time() - begin
    found.content = out.read_bytes()
    again = form.read(CorpusFile(out.name, out))
    found.text = "\n".join(one.text for one in again if isinstance(one, Document))
    found.withheld = None if found.verified else "is not in the written file as it was decided"
    return found


def _in_other_orders(document: Document, edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield what marking the same words does where a document is read in another order."""
    words = {document.text[edit.start : edit.end] for edit in edits}
    if not words:
        return
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    pattern = re.compile(rf"(?<![^\W\d_])(?:{either})(?![^\W\d_])", re.IGNORECASE)
    for order in document.orders:
        read = "".join(" " if i < 0 else document.text[i] for i in order)
        for match in pattern.finditer(read):
            for start, end in stretches(order[match.start() : match.end()]):
                yield Edit(start, end, "[X]", "X")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def text_by_others(kind: str, content: bytes) -> str:
    """Return what another reader finds in a file: python-docx, openpyxl, python-pptx, striprtf, the standard library."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return "\n".join(_READERS[kind](content))


def opens(kind: str, content: bytes) -> bool:
    """Return whether another reader opens a file."""
    try:
        text_by_others(kind, content)
    except Exception:
        return False
    return True


def _word(content: bytes) -> Iterable[str]:
    import docx

    found = docx.Document(io.BytesIO(content))
    for section in found.sections:
        for part in (section.header, section.footer):
            yield from (paragraph.text for paragraph in part.paragraphs)
    for paragraph in found.element.body.iter("{*}p"):
        yield "".join(text.text or "" for text in paragraph.iter("{*}t"))
    yield from (comment.text for comment in getattr(found, "comments", ()))


def _message(content: bytes) -> Iterable[str]:
    message = email.message_from_bytes(content, policy=email.policy.default)
    for part in message.walk():
        yield from (str(value) for value in part.values())
        if part.get_content_maintype() == "text":
            yield part.get_content()
        elif (part.get_filename() or "").endswith(".docx"):
            yield from _word(part.get_content())


def _sheet(content: bytes) -> Iterable[str]:
    import openpyxl

    for data_only in (False, True):
        book = openpyxl.load_workbook(io.BytesIO(content), data_only=data_only)
        yield from book.sheetnames
        for sheet in book.worksheets:
            for cell in list(sheet._cells.values()):  # noqa: SLF001 (a sheet may have more rows than fit into memory)
                yield str(getattr(cell.value, "text", cell.value))
                if cell.comment is not None:
                    yield cell.comment.text


def _slides(content: bytes) -> Iterable[str]:
    import pptx

    for slide in pptx.Presentation(io.BytesIO(content)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                yield shape.text_frame.text
            if shape.has_table:
                yield from (cell.text for row in shape.table.rows for cell in row.cells)
        if slide.has_notes_slide:
            yield slide.notes_slide.notes_text_frame.text


def _page(content: bytes) -> Iterable[str]:
    page = _Page()
    page.feed(content.decode("utf-8", "replace"))
    return page.found


def _record(content: bytes) -> Iterable[str]:
    root = ET.fromstring(content)
    values = (
        v
        for own in root.iter()
        for k, v in own.attrib.items()
        if not (own.tag.startswith("{urn:hl7-org:") and k in _CODES)
    )
    return [*root.itertext(), *values]


def _text(content: bytes) -> Iterable[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return list(ET.fromstring(packed.read("content.xml")).itertext())


def _rich_text(content: bytes) -> Iterable[str]:
    from striprtf.striprtf import rtf_to_text

    if not content.startswith(b"{\\rt"):  # by which programs tell RTF; the library takes any bytes
        raise ValueError("no rich text")
    return [rtf_to_text(content.decode("latin-1"))]


def _mailbox(content: bytes) -> Iterable[str]:
    with tempfile.NamedTemporaryFile(suffix=".mbox") as file:
        file.write(content)
        file.flush()
        with closing(mailbox.mbox(file.name)) as box:
            for message in box:
                yield from _message(message.as_bytes())


def _resource(content: bytes) -> Iterable[str]:
    left = [json.loads(content)]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            yield from one
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif isinstance(one, str):
            yield one
            with suppress(ValueError):
                yield base64.b64decode(one, validate=True).decode()


def _health_message(content: bytes) -> Iterable[str]:
    import hl7

    for message in content.decode().split("\rMSH|"):
        head = "" if message.startswith("MSH|") else "MSH|"
        for segment in hl7.parse(head + message):
            for one in segment[1:]:
                yield str(one)
                yield hl7.parse(head + message).unescape(str(one))


_CODES = ("type", "code", "use", "unit", "codeSystem", "classCode", "moodCode", "typeCode")
"""Attributes of records that hold codes, which stay as they are."""
_READERS: dict[str, Callable[[bytes], Iterable[str]]] = {
    "docx": _word, "xlsx": _sheet, "pptx": _slides, "html": _page, "xml": _record, "odt": _text,
    "eml": _message, "rtf": _rich_text, "mbox": _mailbox, "fhir": _resource, "hl7": _health_message, "sheet": _sheet,
}  # fmt: skip
