"""The operators of a content stream that place or show text, with where they are in its bytes.

Runs of path and colour operators are swallowed by one match. A cut splices single operators; every other byte of
a stream is written as it was.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = [
    "END",
    "NAME",
    "SPACE",
    "STRING",
    "OddContentError",
    "StreamOperator",
    "decode_string",
    "scan",
]

_BLANK = b"\x00\t\n\x0c\r "
SPACE = rb"[\x00\t\n\x0c\r ]"
END = rb"(?![A-Za-z0-9*'\"])"
NAME = rb"/[^\x00\t\n\x0c\r ()<>\[\]{}/%]*+"
STRING = rb"\((?:[^()\\]++|\\.)*+\)|<[0-9A-Fa-f\x00\t\n\x0c\r ]*+>"
_SKIPPED = (
    rb"(?:(?:[-+.\d]++" + SPACE + rb"++)*+(?:re|rg|RG|ri|m|l|c|v|y|h|f\*|f|F|S|s|n|b\*|b|B\*|B|w|J|j|M|i|g|G|k|K|W\*|W|EMC)"
    + SPACE + rb"++)++"
)  # fmt: skip
_TOKEN = re.compile(
    SPACE + rb"*+(?:"
    rb"(?P<TJ>\[(?:[^\[\]()<>%/A-Za-z]++|" + STRING + rb")*+\])" + SPACE + rb"*+TJ(?![A-Za-z0-9*])"
    rb"|(?P<Tj>" + STRING + rb")" + SPACE + rb"*+Tj(?![A-Za-z0-9*])"
    rb"|(?P<skipped>" + _SKIPPED + rb")"
    rb"|(?P<placing>(?P<numbers>(?:[-+.\d]++" + SPACE + rb"++)++)(?P<by>T[dDmcwzLsr]|cm)" + END + rb")"
    rb"|(?P<setting>(?P<font>" + NAME + rb")" + SPACE + rb"++(?P<size>[-+.\d]++)" + SPACE + rb"++Tf" + END + rb")"
    rb"|(?P<plain>(?:BT|ET|T\*|q|Q)" + END + rb")"
    rb"|(?P<comment>%[^\r\n]*+)"
    rb"|(?P<string>" + STRING + rb")|(?P<nested>\()|(?P<dictionary><<|>>)|(?P<bracket>[\[\]{}])"
    rb"|(?P<name>" + NAME + rb")"
    rb"|(?P<number>[-+.\d]++(?=[\x00\t\n\x0c\r ()<>\[\]{}/%]|\Z|[A-Za-z'\"]))"
    rb"|(?P<operator>[A-Za-z'\"*][A-Za-z0-9'\"*]*+))",
    re.DOTALL,
)  # fmt: skip
"""The forms that most streams are made of come first, each one match: an operator with its numbers, or with its font."""
_ITEM = re.compile(STRING + rb"|[-+.\d]++", re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|\r\n|.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_END_OF_PICTURE = re.compile(rb"[\x00\t\n\x0c\r ]EI(?=[\x00\t\n\x0c\r ]|\Z)")
_WANTED = frozenset(
    ["q", "Q", "cm", "BT", "ET", "Tf", "gs", "Tc", "Tw", "Tz", "TL", "Ts", "Td", "TD", "Tm", "T*", "'", '"', "Do", "Tr"]
)  # fmt: skip
_KNOWN = frozenset(
    [
        "b",
        "B",
        "b*",
        "B*",
        "BDC",
        "BMC",
        "BX",
        "c",
        "cs",
        "CS",
        "d",
        "d0",
        "d1",
        "DP",
        "EMC",
        "EX",
        "f",
        "F",
        "f*",
        "g",
        "G",
        "h",
        "i",
        "j",
        "J",
        "k",
        "K",
        "l",
        "m",
        "M",
        "MP",
        "n",
        "re",
        "RG",
        "rg",
        "ri",
        "s",
        "S",
        "sc",
        "SC",
        "scn",
        "SCN",
        "sh",
        "v",
        "w",
        "W",
        "W*",
        "y",
    ]
)
_STRINGS = frozenset(["'", '"', "BDC", "DP", "scn", "SCN"])

Operand = float | bytes | None


class OddContentError(Exception):
    """The scanner does not understand these bytes; a parser may put them into a plainer form."""


class StreamOperator(NamedTuple):
    """An operator, its operands, and the bytes from the first operand to its end."""

    name: str
    operands: list[Operand]
    start: int
    end: int


def decode_string(token: bytes) -> bytes:
    """Return what a string of a content stream says.

    >>> decode_string(b"(a\\\\051)"), decode_string(b"<61 2>")
    (b'a)', b'a ')
    """
    if token[:1] == b"(":
        inner = token[1:-1]
        if b"\\" in inner:
            return _ESCAPE.sub(_unescape, inner)
        return re.sub(rb"\r\n?", b"\n", inner) if b"\r" in inner else inner
    digits = re.sub(SPACE, b"", token[1:-1])
    return bytes.fromhex((digits + b"0" * (len(digits) & 1)).decode())


def _unescape(match: re.Match[bytes]) -> bytes:
    found = match[1]
    if found in _ESCAPED:
        return _ESCAPED[found]
    if found[:1] in b"01234567":
        return bytes([int(found, 8) & 255])
    return b"" if found in (b"\n", b"\r", b"\r\n") else found


def _number(token: bytes) -> float:
    try:
        return float(token)
    except ValueError:
        raise OddContentError("a number") from None


def scan(content: bytes) -> list[StreamOperator]:
    """Return the operators of a content stream that place or show something, in order.

    >>> [(o.name, o.operands) for o in scan(b"BT /F1 12 Tf 0 0 1 rg (a) Tj ET")]
    [('BT', []), ('Tf', [b'/F1', 12.0]), ('Tj', [b'a']), ('ET', [])]
    """
    found: list[StreamOperator] = []
    operands: list[Operand] = []
    at, size, start = 0, len(content.rstrip(_BLANK)), -1
    has_string = False
    match, add = _TOKEN.match, found.append
    while at < size:
        token = match(content, at)
        if token is None:
            raise OddContentError("a byte")
        kind = token.lastgroup or ""
        at = token.end()
        if kind == "comment":
            continue
        if kind in ("TJ", "Tj"):
            if has_string:
                raise OddContentError("a text that no operator shows")
            add(StreamOperator(kind, _items(token.group(kind), kind), token.start(kind), at))
        elif kind == "skipped":
            if has_string:
                raise OddContentError("a text that no operator shows")
        elif kind in ("placing", "setting", "plain"):
            name, given = _whole(token, kind)
            if has_string:
                raise OddContentError("a text that no operator shows")
            first = token.start(kind) if start < 0 else start
            add(StreamOperator(name, operands + given, first, at))
        elif kind == "operator":
            name = token.group(kind).decode()
            if name in ("true", "false", "null"):
                operands.append(None)
                continue
            start = token.start(kind) if start < 0 else start
            if name == "BI":
                data = content.find(b"ID", at)
                last = _END_OF_PICTURE.search(content, data + 2)
                if data < 0 or last is None:
                    raise OddContentError("an inline picture")
                at = last.end()
                add(StreamOperator("BI", [], start, at))
            elif name in _WANTED:
                add(StreamOperator(name, operands, start, at))
            elif name not in _KNOWN:
                raise OddContentError("an operator")
            if has_string and name not in _STRINGS:
                raise OddContentError("a text that no operator shows")
        else:
            start = token.start(kind) if start < 0 else start
            has_string = has_string or kind == "string"
            operands.append(_operand(token.group(kind), kind))
            continue
        operands, start, has_string = [], -1, False
    return found


def _items(text: bytes, kind: str) -> list[Operand]:
    """Return the strings and the numbers of what is shown."""
    if kind == "Tj":
        return [decode_string(text)]
    return [
        decode_string(item) if item[0] in b"(<" else _number(item) for item in _ITEM.findall(text)
    ]


def _whole(token: re.Match[bytes], kind: str) -> tuple[str, list[Operand]]:
    """Return an operator that was matched with its operands."""
    if kind == "plain":
        return token.group(kind).decode(), []
    if kind == "setting":
        return "Tf", [token["font"], _number(token["size"])]
    return token["by"].decode(), [_number(each) for each in token["numbers"].split()]


def _operand(token: bytes, kind: str) -> Operand:
    if kind == "number":
        return _number(token)
    if kind == "nested":
        raise OddContentError("brackets inside a string")
    return decode_string(token) if kind == "string" else token
