"""The content of a message, and a new message with that content and its edits.

Listed headers and the texts of all parts are read, those of forwarded messages included. Where a part is given in
several forms (multipart/alternative), the plain text is read and the others are dropped; a lone HTML form is read
as text. Attached files are read and written by their own formats. The ids of messages are keyed, so that threads hold.
Files of other kinds, pictures, other headers and what a server or a program left are dropped and counted.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.errors import HeaderParseError
from email.header import Header, decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from html.parser import HTMLParser

from ...document import Edit, Segment, apply
from ..adjacent_words import PARTING, read_apart
from ..files import OpenedFile, RefusedFileError
from ..inspection import FileSummary
from ..protocol import FieldNames
from .attachments import Attachment, open_attachment
from .threads import THREADS, key_threads, read_threads

__all__ = ["HEADERS", "MailFile", "compose", "open_message"]

HEADERS = ("From", "To", "Cc", "Date", "Subject")
"""The headers that are read and written, in this order."""
_MOST_PARTS = 500
_DEEPEST = 20
_LINE = 76
_FOLD = re.compile(r"\r?\n[ \t]*|[\r\n\x00]+")
_PLAIN_WORDS = re.compile(r"[\x20-\x7e]*")
_GROUP = "multipart/alternative"
_BLOCK_NAMES = (
    "address article aside blockquote body br button caption center dd details div dl dt fieldset figcaption figure footer "
    "form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section select summary table textarea tr ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_CELLS = frozenset({"td", "th"})
_PARTED = "\ufdd0"  # a mark that no text holds: words touch here that may be two
_UNSEEN = frozenset({"script", "style", "head", "template", "noscript"})


@dataclass
class MailFile(OpenedFile):
    """A message that was opened; it is written anew from its text and its files.

    `threads` holds the ids of the message and of those that it answers, `attachments` its files.
    """

    threads: Mapping[str, Sequence[str]] = field(default_factory=dict)
    attachments: Sequence[Attachment] = ()

    def save(self, edits: Mapping[str, Sequence[Edit]]) -> bytes:
        """Return a new message of the edited headers and body, with the edited files."""
        said: dict[str, str] = {}
        inside: dict[str, dict[str, Sequence[Edit]]] = {}
        for place, own in edits.items():
            number, slash, inner = place.partition("/")
            if slash:
                inside.setdefault(number, {})[inner] = own
        for segment in self.segments:
            if "/" not in segment.place:
                text = self.text[segment.start : segment.end]
                said[segment.place] = apply(text, edits.get(segment.place, ()))
        headers = key_threads(self.threads)
        headers |= {name: said[name] for name in HEADERS if name in said}
        files = [
            (f"attachment-{number}{one.suffix}", one.type, one.save(inside.get(str(number), {})))
            for number, one in enumerate(self.attachments, 1)
        ]
        return compose(headers, said.get("body", ""), files)


def open_message(content: bytes, kind: str, names: FieldNames | None = None) -> MailFile:
    """Read a message.

    Parameters
    ----------
    content : bytes
        The file.
    kind : str
        What the format is called.
    names : FieldNames, optional
        With the limits of attached files.

    """
    message = BytesParser(policy=compat32).parsebytes(content)
    if not any(name in message for name in (*HEADERS, "MIME-Version", "Content-Type")):
        raise RefusedFileError("has none of the headers of a message")
    found = FileSummary(kind)
    text, segments = "", []
    for name in HEADERS:
        value = _value(message, name)
        if value:
            start = len(text) + len(name) + 2
            text += f"{name}: {value}\n"
            segments.append(Segment(start, start + len(value), name))
            found.places["header"] += len(value)
    files = list[Message]()
    bodies = _bodies(message, found.dropped, _DEEPEST, Counter(), files)
    body, parted = _take_marks_out("\n".join(bodies).removesuffix("\n"))
    if segments and body:
        text += "\n"
    parted = [len(text) + place for place in parted]
    if body:
        segments.append(Segment(len(text), len(text) + len(body), "body"))
        found.places["body"] = len(body)
        text += body
    opened = [open_attachment(part, names or FieldNames(), found.dropped) for part in files]
    attachments = [one for one in opened if one is not None]
    orders = read_apart(text, parted)
    for number, own in enumerate(attachments, 1):
        text += "\n\n"
        start = len(text)
        text += own.opened.text
        segments += [Segment(start + s.start, start + s.end, f"{number}/{s.place}") for s in own.opened.segments]  # fmt: skip
        orders += [[i if i < 0 else start + i for i in order] for order in own.opened.orders]
        found.places["attachment"] += len(own.opened.text)
    _count_headers(message, found.dropped)
    threads = read_threads(message, found.dropped)
    return MailFile(text, segments, found, orders, threads, attachments)


def _count_headers(message: Message, dropped: Counter[str]) -> None:
    """Count what the headers hold beyond those that are listed."""
    form = {"mime-version", "content-type", "content-transfer-encoding"}
    listed = {name.lower() for name in (*HEADERS, *THREADS)}
    seen: Counter[str] = Counter(name.lower() for name, _ in message.raw_items())
    other = sum(count for name, count in seen.items() if name not in form | listed)
    other += sum(count - 1 for name, count in seen.items() if name in listed and count > 1)
    if other:
        dropped["header"] += other
    if message.get("MIME-Version") not in (None, "1.0") or message.get("Content-Type") not in (None, _TEXT, _FILES):  # fmt: skip
        dropped["form of the message"] += 1


_TEXT = "text/plain; charset=utf-8"
_BOUNDARY = "=_sfumato"  # it occurs in no base64
_FILES = f'multipart/mixed; boundary="{_BOUNDARY}"'


def _value(message: Message, name: str) -> str:
    """Return a header as text; of several of one name the first."""
    raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
    text = str(raw).encode("ascii", "surrogateescape").decode("utf-8", "replace")
    text = _FOLD.sub(" ", text)
    try:
        parts = decode_header(text)
    except (HeaderParseError, binascii.Error, ValueError):
        return text.strip()
    return _FOLD.sub(" ", "".join(_word(*part) for part in parts)).strip()


def _word(part: bytes | str, charset: str | None) -> str:
    if isinstance(part, str):
        return part
    try:
        return part.decode(charset or "latin-1", "replace")
    except LookupError:
        return part.decode("latin-1")


def _bodies(
    message: Message, dropped: Counter[str], depth: int, seen: Counter[str], files: list[Message]
) -> Iterator[str]:
    """Yield the texts of a message, part by part; files that are attached are put into a list."""
    seen["parts"] += 1
    if depth == 0 or seen["parts"] > _MOST_PARTS:
        raise RefusedFileError("has more parts inside each other than the limit")
    kind = message.get_content_type()
    payload = message.get_payload()
    if isinstance(payload, list):
        parts = [part for part in payload if isinstance(part, Message)]
        if (
            f"{message.preamble or ''}{message.epilogue or ''}".strip()
        ):  # a mailbox ends a message by an empty line
            dropped["text around the parts"] += 1
        if kind == _GROUP:
            parts = _best(parts, dropped)
        if kind == "message/rfc822":
            for part in parts:
                yield from _read_inner(part, dropped, depth, seen, files)
            return
        for part in parts:
            yield from _bodies(part, dropped, depth - 1, seen, files)
        return
    if message.get_content_disposition() == "attachment" or message.get_filename():
        files.append(message)
    elif kind == "text/plain":
        yield _text(message)
    elif kind == "text/html":
        dropped["layout of a page"] += 1
        yield _text_of_page(_text(message))
    else:
        dropped["part of another kind"] += 1


def _best(parts: Sequence[Message], dropped: Counter[str]) -> list[Message]:
    """Return the plain text among forms of the same content, else the last that holds text."""
    ranked = sorted(parts, key=lambda part: part.get_content_type() != "text/plain")
    if len(ranked) > 1:
        dropped["other form of the text"] += len(ranked) - 1
    return ranked[:1]


def _read_inner(
    message: Message, dropped: Counter[str], depth: int, seen: Counter[str], files: list[Message]
) -> Iterator[str]:
    """Yield a message inside another: its listed headers as lines, and its texts."""
    lines = [f"{name}: {value}" for name in HEADERS if (value := _value(message, name))]
    _count_headers(message, dropped)
    read_threads(message, dropped)  # counted: a message inside another is text
    yield "\n".join(lines) + "\n"
    yield from _bodies(message, dropped, depth - 1, seen, files)


def _text(message: Message) -> str:
    """Return the text of a part; bytes that are not of its charset refuse the message."""
    raw = message.get_payload(decode=True)
    assert isinstance(raw, bytes)
    charset = message.get_content_charset() or "utf-8"
    try:
        text = raw.decode(charset)
    except (LookupError, ValueError):  # ValueError: also a name with a null character
        if charset not in {"utf-8", "us-ascii"}:
            raise RefusedFileError("has a text that is not of the charset that it names") from None
        text = raw.decode("cp1252", "replace")  # programs say us-ascii and mean this
    return text.replace("\r\n", "\n")


class _HtmlWords(HTMLParser):
    """Collects the words of an HTML form."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in _UNSEEN:
            self._unseen += 1
        if tag in _CELLS:
            self.pieces.append("\t")
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        self._part(tag)

    def _part(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.pieces.append("\n")
        elif tag in PARTING and self.pieces and self.pieces[-1][-1:].isalnum():
            self.pieces.append(_PARTED)

    def handle_data(self, data: str) -> None:
        if self._unseen or not data:
            return
        if self.pieces and self.pieces[-1] == _PARTED and not data[0].isalnum():
            self.pieces.pop()
        self.pieces.append(re.sub(r"\s+", " ", data))


def _take_marks_out(text: str) -> tuple[str, list[int]]:
    """Return a text without the marks of words that touch, and where these were."""
    pieces, at = text.split(_PARTED), 0
    return "".join(pieces), [at := at + len(piece) for piece in pieces[:-1]]


def _text_of_page(page: str) -> str:
    reader = _HtmlWords()
    reader.feed(page)
    reader.close()
    lines = (line.strip() for line in "".join(reader.pieces).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def compose(
    headers: Mapping[str, str], body: str, files: Sequence[tuple[str, str, bytes]] = ()
) -> bytes:
    """Return a message of some headers, a text and files, the same bytes each time.

    Parameters
    ----------
    headers : mapping of str to str
        The value of each header.
    body : str
        The text.
    files : sequence of (str, str, bytes)
        The name, type and content of each file that is attached.

    """
    lines = [f"{name}: {_encode(name, value)}" for name, value in headers.items()]
    lines.append("MIME-Version: 1.0")
    if not files:
        return ("\n".join([*lines, _compose_text(body)])).encode("ascii")
    made = ["\n".join([*lines, f"Content-Type: {_FILES}", "", ""]), _compose_text(body)]
    for name, kind, content in files:
        head = (f"Content-Type: {kind}", "Content-Transfer-Encoding: base64", f'Content-Disposition: attachment; filename="{name}"')  # fmt: skip
        made.append("\n".join([*head, "", _pack(content)]))
    return (f"--{_BOUNDARY}\n".join(made) + f"--{_BOUNDARY}--\n").encode("ascii")


def _compose_text(body: str) -> str:
    """Return a text as a part of a message, with its headers."""
    body += "\n"
    is_plain = body.isascii() and "\r" not in body and _BOUNDARY not in body
    if is_plain and all(len(line) < 900 for line in body.split("\n")):
        return f"Content-Type: {_TEXT}\nContent-Transfer-Encoding: 7bit\n\n{body}"
    packed = _pack(body.encode())
    return f"Content-Type: {_TEXT}\nContent-Transfer-Encoding: base64\n\n{packed}"


def _pack(content: bytes) -> str:
    packed = base64.b64encode(content).decode()
    return "\n".join(packed[i : i + _LINE] for i in range(0, len(packed), _LINE)) + "\n"


def _encode(name: str, value: str) -> str:
    value = _FOLD.sub(" ", value)
    if _PLAIN_WORDS.fullmatch(value) and len(value) < 900 and "=?" not in value:
        return value
    return Header(value, "utf-8", header_name=name, maxlinelen=_LINE).encode(linesep="\n")
