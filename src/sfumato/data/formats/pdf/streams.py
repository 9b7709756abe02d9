"""The streams of a PDF, unpacked within a limit: a bomb is refused before a library unpacks it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream

from ...limits import Limits
from .refusal import FileRefusedError

__all__ = ["SHOWS", "Unpacking", "content_of", "parse", "unparse", "walk", "without_text"]

_FIRST, _PIECE = 1 << 13, 1 << 18  # bytes that are unpacked at once: most streams are short
_STREAM = re.compile(rb"(?<!end)stream\r?\n")
# How many times larger an unpacked stream can be at most.
_GROWTH = {
    "/LZWDecode": 2800, "/LZW": 2800, "/RunLengthDecode": 64, "/RL": 64,
    "/ASCII85Decode": 5, "/A85": 5, "/ASCIIHexDecode": 1, "/AHx": 1,
}  # fmt: skip
_CALLS = re.compile(rb"/([^\x00\t\n\x0c\r ()<>\[\]{}/%]+)[\x00\t\n\x0c\r ]+Do(?![A-Za-z0-9*])")

SHOWS = ("Tj", "TJ", "'", '"')
"""The operators that show text."""
Operation = tuple[list[Object] | pikepdf.ContentStreamInlineImage, str]


def walk(root: Object) -> Iterator[Object]:
    """Yield every dictionary and stream that can be reached, once."""
    seen: set[tuple[int, int]] = set()
    todo: list[Object] = [root]
    while todo:
        found = todo.pop()
        if found.is_indirect:
            if found.objgen in seen:
                continue
            seen.add(found.objgen)
        if isinstance(found, Dictionary | Stream):
            yield found
            inner = [value for key, value in found.items() if key != "/Parent"]
        else:
            inner = list(found) if isinstance(found, Array) else []
        todo += [value for value in inner if isinstance(value, Dictionary | Stream | Array)]


class Unpacking:
    """Counts what the streams of a file hold when they are unpacked, and refuses too much.

    Parameters
    ----------
    size : int
        The bytes of the file.
    limits : Limits
        How large a file may become.

    """

    def __init__(self, size: int, limits: Limits) -> None:
        self.most = max(
            limits.expansion_from, min(limits.expansion * size, 4 * limits.record_bytes)
        )
        self.left = self.most

    def _take(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise FileRefusedError(
                "holds streams that grow beyond the limit when they are unpacked"
            )

    def check_bytes(self, data: bytes) -> None:
        """Unpack, piece by piece, whatever in a file may be a packed stream, also what is packed twice."""
        self._take(len(data))
        for start in _STREAM.finditer(data):
            todo = [memoryview(data)[start.end() :]]
            while todo:
                inner = self._unpack(todo.pop())
                if inner[:1] == b"\x78" and len(inner) > 2:
                    todo.append(memoryview(inner))

    def _unpack(self, data: memoryview) -> bytes:
        packed = zlib.decompressobj()
        pieces: list[bytes] = []
        try:
            piece = packed.decompress(bytes(data[:_FIRST]), _PIECE)
            at = _FIRST
            while piece:
                self._take(len(piece))
                if not pieces or pieces[0][:1] == b"\x78":  # what may be packed once more
                    pieces.append(piece)
                rest = packed.unconsumed_tail
                if not rest and not packed.eof:
                    rest, at = bytes(data[at : at + _PIECE]), at + _PIECE
                piece = packed.decompress(rest, _PIECE) if rest else b""
        except zlib.error:
            pass  # what reads the stream decides whether it can be used
        return b"".join(pieces)

    def check(self, stream: Object) -> None:
        """Count what a stream in one of the other codes can grow to; pictures are not unpacked."""
        given = stream.get("/Filter")
        names = [str(n) for n in given] if isinstance(given, Array) else [str(given)]
        growth = 1
        for name in names:
            growth *= _GROWTH.get(name, 1)
        if growth > 5:
            self._take(min(int(stream.get("/Length", 0)) * growth, self.most) // 8)

    def check_calls(self, pages: Iterator[tuple[Object, Object | None, bytes]]) -> None:
        """Refuse forms that draw forms so often that reading them would never end."""
        known: dict[tuple[int, int], int] = {}
        total = 0
        for _, resources, content in pages:
            total += self._cost(content, resources, known, ())
            if total > self.most:
                raise FileRefusedError("draws its forms more often than the limit allows")

    def _cost(
        self,
        content: bytes,
        resources: Object | None,
        known: dict[tuple[int, int], int],
        above: tuple[tuple[int, int], ...],
    ) -> int:
        forms = resources.get("/XObject") if isinstance(resources, Dictionary) else None
        cost = len(content)
        if not isinstance(forms, Dictionary) or b"Do" not in content:
            return cost
        for called in _CALLS.findall(content):
            name = "/" + re.sub(r"#([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), called.decode("latin-1"))  # fmt: skip
            form = forms.get(name)
            if not isinstance(form, Stream) or form.get("/Subtype") != Name.Form:
                continue
            key = form.objgen
            if key in above or len(above) > 24:
                raise FileRefusedError("has a form that draws itself")
            if key not in known:
                inner = form.get("/Resources", resources)
                known[key] = self._cost(bytes(form.read_bytes()), inner, known, (*above, key))
            cost += known[key]
            if cost > self.most:
                raise FileRefusedError("draws its forms more often than the limit allows")
        return cost


def content_of(page: Object) -> bytes:
    """Return the content of a page, its streams joined."""
    found = page.get("/Contents")
    if isinstance(found, Array):
        return b"\n".join(bytes(s.read_bytes()) for s in found if isinstance(s, Stream))
    return bytes(found.read_bytes()) if isinstance(found, Stream) else b""


def parse(content: Object | pikepdf.Page) -> list[Operation]:
    """Return the operations of a content stream; an inline picture is one of them, named INLINE."""
    found: list[Operation] = []
    for each in pikepdf.parse_content_stream(content):
        if isinstance(each, pikepdf.ContentStreamInlineImage):
            found.append((each, "INLINE"))
        else:
            found.append((list(each.operands), str(each.operator)))
    return found


def unparse(operations: list[Operation]) -> bytes:
    """Return the bytes of operations."""
    return pikepdf.unparse_content_stream([
        given if isinstance(given, pikepdf.ContentStreamInlineImage) else (given, pikepdf.Operator(name))
        for given, name in operations
    ])  # fmt: skip


def without_text(stream: Object) -> bytes:
    """Return the content of a stream without the operators that show a text or are given one."""
    kept: list[Operation] = []
    for given, name in parse(stream):
        has_text = isinstance(given, list) and any(isinstance(v, pikepdf.String) for v in given)
        if name not in SHOWS and not has_text:
            kept.append((given, name))
    return unparse(kept)
