"""Rich text (RTF): built anew from listed control words; everything that is text is read, other destinations are dropped.

A reader that withholds what it does not understand: bytes of unknown character sets, groups that do not close.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...document import Edit, Segment, apply
from ..files import OpenedFile, RefusedFileError
from ..inspection import FileSummary
from .rich_text_looks import (
    HEAD,
    KEPT,
    LARGEST,
    RichTextFonts,
    find_colours,
    find_styles,
    write_head,
)

__all__ = ["new_rich_text", "open_rich_text"]

_TOKEN = re.compile(
    rb"([{}])|\\([A-Za-z]{1,32})(-?[0-9]{1,10})? ?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z'])|([\r\n\0]+)|([^\\{}\r\n\0]+)",
    re.DOTALL,
)
_BREAKS = {"par": "\n", "line": "\n", "tab": "\t", "cell": "\t", "row": "\n", "nestcell": "\t", "nestrow": "\n", "page": "\n", "sect": "\n", "column": "\n"}  # fmt: skip
_SPELLED = {
    "emdash": "\u2014", "endash": "\u2013", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c", "rdblquote": "\u201d",
    "bullet": "\u2022", "emspace": "\u2003", "enspace": "\u2002", "zwj": "", "zwnj": "",
}  # fmt: skip
_TEXT_GROUPS = frozenset(
    {
        "header",
        "headerl",
        "headerr",
        "headerf",
        "footer",
        "footerl",
        "footerr",
        "footerf",
        "footnote",
    }
)
_GONE = {
    "fonttbl": "", "colortbl": "", "stylesheet": "", "info": "properties of the file", "pict": "picture",
    "object": "embedded object", "filetbl": "names of files", "listtable": "lists", "revtbl": "authors", "nonshppict": "picture",
    "listoverridetable": "lists", "rsidtbl": "", "xmlnstbl": "", "themedata": "theme", "datastore": "custom data", "mmath": "formula",
    "do": "drawing", "shp": "drawing", "shppict": "picture", "tc": "index entry", "xe": "index entry", "rxe": "index entry",
    "fldinst": "instruction of a field", "atnid": "author", "atnauthor": "author", "annotation": "comment",
}  # fmt: skip
_CHARSETS = {0: "cp1252", 1: "", 2: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "big5",
             161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
             238: "cp1250", 254: "cp437", 255: "cp850"}  # fmt: skip
_MAC_PAGES = {
    10000: "mac_roman",
    10006: "mac_greek",
    10007: "mac_cyrillic",
    10029: "mac_latin2",
    10081: "mac_turkish",
}
_UNKNOWN = "unknown"
_BINARY = re.compile(rb"\\(?:bin([0-9]{1,10})(?![0-9]) ?|[^A-Za-z])")
_MARKS = {"~": "\u00a0", "_": "\u2011", "{": "{", "}": "}", "\\": "\\"}
_DEEPEST = 128


@dataclass(frozen=True, slots=True)
class _State:
    """What holds inside a group."""

    font: int = 0
    skip: int = 1
    is_gone: bool = False
    is_deleted: bool = False
    is_apart: bool = False


@dataclass
class RichTextFile(OpenedFile):
    """A file whose pieces are control words and texts; the place of a text is the number of its piece."""

    pieces: Sequence[str | None] = ()
    head: str = HEAD

    def save(self, edits: Mapping[str, Sequence[Edit]]) -> bytes:
        texts = {s.place: self.text[s.start : s.end] for s in self.segments}
        made = [
            _spell(apply(texts[str(number)], edits.get(str(number), ())))
            if piece is None
            else piece
            for number, piece in enumerate(self.pieces)
        ]
        return "".join([self.head, *made, "}\n"]).encode("ascii")


@dataclass
class _Reading:
    """The pieces of a file while it is read."""

    codepage: str
    charsets: Mapping[int, str]
    fonts: RichTextFonts = field(default_factory=RichTextFonts)
    dropped: Counter[str] = field(default_factory=Counter)
    pieces: list[str | None] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    length: int = 0
    held: str = ""
    raw: bytes = b""

    def add_bytes(self, raw: bytes, font: int) -> None:
        """Take a byte of the character set that holds for a font; some are halves of a character."""
        name = self.charsets.get(font) or self.codepage
        self.raw += raw
        if name == _UNKNOWN:
            name = "ascii"
            if not raw.isascii():
                raise RefusedFileError("is in an unknown character set")
        try:
            self.held += self.raw.decode(name)
        except UnicodeDecodeError:
            if len(self.raw) > 1:
                raise RefusedFileError("holds bytes that are not of its character set") from None
            return
        self.raw = b""

    def add_text(self, text: str) -> None:
        if self.raw:
            raise RefusedFileError("holds bytes that are not of its character set")
        self.held += text

    def end_text(self) -> None:
        """Put what was read so far down as a piece."""
        if self.raw:
            raise RefusedFileError("holds bytes that are not of its character set")
        text = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\u00ad\u200b\u2060\ufeff]", "", self.held)
        self.dropped["invisible character"] += len(self.held) - len(text)
        self.held = ""
        if text:
            try:
                text = text.encode("utf-16", "surrogatepass").decode("utf-16")
            except UnicodeDecodeError:
                raise RefusedFileError("holds half a character") from None
            self.segments.append(Segment(self.length, self.length + len(text), str(len(self.pieces))))  # fmt: skip
            self.pieces.append(None)
            self._put(text)

    def add_word(self, word: str, made: str = "") -> None:
        self.end_text()
        self.pieces.append(word)
        self._put(made)

    def forget_group(self) -> None:
        """Take back the beginning of a group that is dropped: nothing of it was put down."""
        self.end_text()
        self.pieces.pop()
        self.texts.pop()

    def _put(self, text: str) -> None:
        self.texts.append(text)
        self.length += len(text)


def open_rich_text(content: bytes) -> RichTextFile:
    """Open an RTF file."""
    if not content.startswith(b"{\\rtf"):
        raise RefusedFileError("is not rich text")
    content, left_out = _without_binary(content)
    fonts, colours = RichTextFonts.of(content), find_colours(content)
    reading = _Reading(_codepage(content), _charsets(content), fonts)
    styles, is_new = find_styles(content, fonts)
    reading.dropped["binary data"] += left_out
    reading.dropped["style sheet"] += is_new
    _read(content, reading)
    found = FileSummary("rtf")
    found.places["body"] = reading.length
    found.dropped.update(+reading.dropped)
    text = "".join(reading.texts)
    head = write_head(fonts.names, colours, styles)
    return RichTextFile(text, reading.segments, found, pieces=reading.pieces, head=head)


def _without_binary(content: bytes) -> tuple[bytes, int]:
    r"""Return a file without the bytes that follow each \bin, and how many such stretches there were."""
    if b"\\bin" not in content:
        return content, 0
    made, at, count = [], 0, 0
    while (found := _BINARY.search(content, at)) is not None:
        made.append(content[at : found.start() if found[1] else found.end()])
        at = found.end() + int(found[1] or 0)
        if at > len(content):
            raise RefusedFileError("is damaged: its binary data ends before it should")
        count += found[1] is not None
    return b"".join([*made, content[at:]]), count


def _codepage(content: bytes) -> str:
    said = re.search(rb"\\ansicpg([0-9]{1,5})", content[:2000])
    number = int(said[1]) if said else 0  # which is that of the system
    name = _MAC_PAGES.get(number, f"cp{number or 1252}")
    if re.search(rb"\\(?:mac|pca?)(?![a-z])", content[:200]):
        name = (
            "mac_roman"
            if b"\\mac" in content[:200]
            else "cp850"
            if b"\\pca" in content[:200]
            else "cp437"
        )
    try:
        codecs.lookup(name)
    except LookupError:
        raise RefusedFileError("is in an unknown character set") from None
    return name


def _charsets(content: bytes) -> dict[int, str]:
    """Return the character sets of the fonts that name one; an unknown one is refused where it is needed."""
    named = re.findall(rb"\\f([0-9]{1,5})(?:\\(?!f[0-9])[a-z]+-?[0-9]*|\s)*?\\fcharset([0-9]+)", content)  # fmt: skip
    return {int(number): _CHARSETS.get(int(charset[:9]), _UNKNOWN) for number, charset in named}


def _read(content: bytes, reading: _Reading) -> None:
    stack: list[_State] = []
    state, at, skip, is_first, is_optional = _State(reading.fonts.default), 0, 0, False, False
    while at < len(content):
        found = _TOKEN.match(content, at)
        if found is None:
            raise RefusedFileError("is damaged: it ends with a single backslash")
        at = found.end()
        brace, word, number, code, symbol, _, plain = found.groups()
        if brace == b"{":
            stack.append(state)
            if len(stack) > _DEEPEST:
                raise RefusedFileError("has more groups inside each other than the limit")
            is_first, is_optional, skip = True, False, 0
            if not state.is_gone and len(stack) > 1:
                reading.add_word("{")
            continue
        if brace == b"}":
            if not stack:
                raise RefusedFileError("is damaged: its groups do not match")
            inner, state, skip = state, stack.pop(), 0
            if not stack:
                break
            if inner.is_gone and not state.is_gone:
                reading.forget_group()
            elif not state.is_gone:
                reading.add_word("}", "\n" if inner.is_apart and not state.is_apart else "")
            is_first = False
            continue
        if symbol == b"*" and is_first:
            is_optional = True
            continue
        if word is not None:
            name = word.decode()
            value = None if number is None else int(number)
            if (is_first or is_optional) and not state.is_gone:
                state = _destination(name, state, reading, is_optional=is_optional)
            if not state.is_gone:
                state, skip = _apply_word(name, value, state, reading)
            is_first = is_optional = False
            continue
        is_first = is_optional = False
        if state.is_gone:
            continue
        skip = _add(reading, state, skip, code, symbol, plain)
    if stack:
        raise RefusedFileError("is damaged: its groups do not match")
    if content[at:].strip(b"\r\n\0 }"):
        reading.dropped["text after the end"] += 1
    reading.end_text()


def _destination(name: str, state: _State, reading: _Reading, *, is_optional: bool) -> _State:
    """Return the state inside a group that begins with a word: that of one that is dropped, perhaps."""
    if name in _GONE or (is_optional and name not in _TEXT_GROUPS):
        what = _GONE.get(name, "other destination")
        if what:
            reading.dropped[what] += 1
        return replace(state, is_gone=True)
    return state


def _apply_word(
    name: str, value: int | None, state: _State, reading: _Reading
) -> tuple[_State, int]:
    """Return the state after a control word, and how many characters after it are skipped."""
    if name == "u" and value is not None:
        if not state.is_deleted:
            reading.add_text(chr(value & 0xFFFF))
        return state, state.skip
    if name == "uc" and value is not None:
        return replace(state, skip=min(max(value, 0), 8)), 0
    if name == "f" and value is not None:
        if not reading.raw:
            reading.add_word(f"\\f{reading.fonts.numbers.get(value, 0)} ")
        return replace(state, font=value), 0
    if name == "deleted":
        if value != 0:
            reading.dropped["deleted text"] += 1
        return replace(state, is_deleted=value != 0), 0
    if name in _SPELLED:
        reading.add_text(_SPELLED[name])
    elif name in _BREAKS:
        reading.add_word(f"\\{name} ", _BREAKS[name])
    elif name == "plain":
        reading.add_word("\\plain ")
        return replace(state, is_deleted=False, font=reading.fonts.default), 0
    elif name in KEPT and abs(value or 0) <= LARGEST:
        reading.add_word(f"\\{name}{'' if value is None else value} ")
    elif name in _TEXT_GROUPS:
        reading.add_word(f"\\{name} ", "\n" if reading.length else "")
        return replace(state, is_apart=True), 0
    return state, 0


def _add(
    reading: _Reading, state: _State, skip: int, code: bytes | None, symbol: bytes | None, plain: bytes | None
) -> int:  # fmt: skip
    """Take characters, less those that repeat one that was read already; return how many are left of these."""
    if code is not None:
        if skip:
            return skip - 1
        if not state.is_deleted:
            reading.add_bytes(bytes.fromhex(code.decode()), state.font)
    elif symbol is not None:
        if skip:
            return skip - 1
        mark = symbol.decode("latin-1")
        if mark in "\r\n":
            reading.add_word("\\par ", "\n")
        elif mark == "\t":
            reading.add_word("\\tab ", "\t")
        elif mark != "-" and not state.is_deleted:
            reading.add_text(_MARKS.get(mark, ""))
    elif plain is not None and not state.is_deleted:
        rest = plain[skip:]
        if rest.isascii() and not reading.raw:
            reading.add_text(rest.decode("ascii"))
        else:
            for at in range(len(rest)):
                reading.add_bytes(rest[at : at + 1], state.font)
        return max(0, skip - len(plain))
    return skip if plain is None and code is None and symbol is None else 0


def _spell(text: str) -> str:
    """Return a text as it is written in RTF.

    >>> _spell("a{é")
    'a\\\\{\\\\u233?'
    """
    made = []
    for letter in text:
        if letter in "\\{}":
            made.append(f"\\{letter}")
        elif letter == "\n":
            made.append("\\line ")
        elif letter == "\t":
            made.append("\\tab ")
        elif " " <= letter <= "~":
            made.append(letter)
        else:
            halves = letter.encode("utf-16-le")
            for at in range(0, len(halves), 2):
                number = int.from_bytes(halves[at : at + 2], "little")
                made.append(f"\\u{number - 65536 if number > 32767 else number}?")
    return "".join(made)


def new_rich_text(text: str) -> bytes:
    """Return a new file that holds a text."""
    lines = "".join(f"{_spell(line)}\\par " for line in text.removesuffix("\n").split("\n"))
    return f"{HEAD}\\pard {lines}}}\n".encode("ascii")
