"""The operators of a content stream that place or show text, with where they are in its bytes.

Runs of path and colour operators are swallowed by one match. A cut splices single operators; every other byte of
a stream is written as it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["OddContentError", "StreamOperator", "decode_string", "scan"]

_WS = rb"[\x00\t\n\x0c\r ]"
_STRING = rb"\((?:[^()\\]++|\\.)*+\)|<[0-9A-Fa-f\x00\t\n\x0c\r ]*+>"
_SKIPPED = (
    rb"(?:(?:[-+.\d]++" + _WS + rb"++)*+(?:re|rg|RG|ri|m|l|c|v|y|h|f\*|f|F|S|s|n|b\*|b|B\*|B|w|J|j|M|i|g|G|k|K|W\*|W|EMC)"
    + _WS + rb"++)++"
)  # fmt: skip
_TOKEN = re.compile(
    rb"(?P<skipped>" + _SKIPPED + rb")|(?P<space>" + _WS + rb"++|%[^\r\n]*+)"
    rb"|(?P<TJ>\[(?:[^\[\]()<>%/A-Za-z]++|" + _STRING + rb")*+\])" + _WS + rb"*+TJ(?![A-Za-z0-9*])"
    rb"|(?P<Tj>" + _STRING + rb")" + _WS + rb"*+Tj(?![A-Za-z0-9*])"
    rb"|(?P<string>" + _STRING + rb")|(?P<nested>\()|(?P<dictionary><<|>>)|(?P<bracket>[\[\]{}])"
    rb"|(?P<name>/[^\x00\t\n\x0c\r ()<>\[\]{}/%]*+)"
    rb"|(?P<number>[-+.\d]++(?=[\x00\t\n\x0c\r ()<>\[\]{}/%]|\Z|[A-Za-z'\"]))"
    rb"|(?P<operator>[A-Za-z'\"*][A-Za-z0-9'\"*]*+)",
    re.DOTALL,
)  # fmt: skip
_ITEM = re.compile(_STRING + rb"|[-+.\d]++", re.DOTALL)
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


@dataclass(frozen=True, slots=True)
class StreamOperator:
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
    digits = re.sub(_WS, b"", token[1:-1])
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
    at, size, start = 0, len(content), -1
    has_string = False
    match = _TOKEN.match
    while at < size:
        token = match(content, at)
        if token is None:
            raise OddContentError("a byte")
        kind, end = token.lastgroup, token.end()
        if kind == "space":
            at = end
            continue
        if kind == "skipped":
            if has_string:
                raise OddContentError("a text that no operator shows")
            operands, start = [], -1
        elif kind in ("TJ", "Tj"):
            text = token.group(kind)
            items: list[Operand] = [
                decode_string(item) if item[0] in b"(<" else _number(item)
                for item in (_ITEM.findall(text) if kind == "TJ" else [text])
            ]
            found.append(StreamOperator(kind, items, token.start(kind), end))
            operands, start = [], -1
        elif kind == "operator":
            name = token.group().decode()
            if name in ("true", "false", "null"):
                operands.append(None)
                at = end
                continue
            start = at if start < 0 else start
            if name == "BI":
                data = content.find(b"ID", end)
                last = _END_OF_PICTURE.search(content, data + 2)
                if data < 0 or last is None:
                    raise OddContentError("an inline picture")
                end = last.end()
                found.append(StreamOperator("BI", [], start, end))
            elif name in _WANTED:
                found.append(StreamOperator(name, operands, start, end))
            elif name not in _KNOWN:
                raise OddContentError("an operator")
            if has_string and name not in _STRINGS:
                raise OddContentError("a text that no operator shows")
            operands, start, has_string = [], -1, False
        else:
            start = at if start < 0 else start
            if kind == "number":
                operands.append(_number(token.group()))
            elif kind == "string":
                operands.append(decode_string(token.group()))
                has_string = True
            elif kind == "nested":
                raise OddContentError("brackets inside a string")
            else:
                operands.append(token.group())
        at = end
    return found
