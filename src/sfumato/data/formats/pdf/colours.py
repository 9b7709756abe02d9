"""Colour spaces and functions are cleaned by what they are used as, and what cleaners of objects share.

A function is a table of samples or a small program, a colour space may have a table: none holds more than it says.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream

from . import keys

__all__ = ["ColourCleaner"]

_TOKEN = re.compile(rb"[^\x00\t\n\x0c\r {}]+|[{}]")
_CALCULATION = re.compile(
    rb"(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[{}]|abs|add|atan|ceiling|cos|cvi|cvr|div|exp|floor|idiv|ln|log|mod|mul|neg|round|"
    rb"sin|sqrt|sub|truncate|and|bitshift|eq|false|ge|gt|le|lt|ne|not|or|true|xor|if|ifelse|copy|dup|exch|index|pop|roll)"
)  # fmt: skip


class ColourCleaner:
    """Cleans each object once in each role; `changed` says whether something was in a wrong place."""

    def __init__(self) -> None:
        self.changed = False
        self._seen: dict[tuple[str, tuple[int, int]], bool] = {}

    def once(self, role: str, found: Object, clean: Callable[[Object], bool]) -> bool:
        """Return whether an object may stay in a role, and clean it on the first time."""
        if not found.is_indirect:
            return clean(found)
        key = role, found.objgen
        if key not in self._seen:
            self._seen[key] = True  # what refers to itself
            self._seen[key] = clean(found)
        return self._seen[key]

    def drop(self, holder: Object, key: str) -> None:
        """Drop a key."""
        if key in holder:
            del holder[key]
            self.changed = True

    def keep(self, found: Object, listed: frozenset[str]) -> None:
        """Drop all keys that are not listed."""
        for key in [key for key in found.keys() if key not in listed]:  # noqa: SIM118 (its iterator gives objects)
            self.drop(found, key)

    def only(self, holder: Object, key: str, fits: Callable[[Object], bool]) -> None:
        """Drop what stands behind a key unless it fits."""
        if key in holder and not (isinstance(holder[key], Object) and fits(holder[key])):
            self.drop(holder, key)

    def rewrite(self, stream: Object, content: bytes) -> None:
        """Replace the content of a stream."""
        stream.write(content)
        self.changed = True

    def unpacked(self, stream: Object) -> bytes:
        """Return the content of a stream; nothing of one that cannot be unpacked, and it is emptied."""
        try:
            return bytes(stream.read_bytes())
        except pikepdf.PdfError:
            self.rewrite(stream, b"")
            return b""

    def stream(self, found: Object, *more: str) -> bool:
        """Clean the keys of a stream that is nothing but its bytes."""
        if not isinstance(found, Stream):
            return False
        self.keep(found, keys.STREAM.union(more))
        return True

    # --- colours ---------------------------------------------------------------------------------

    def colour(self, found: Object) -> bool:
        """Clean a colour space."""
        if isinstance(found, Name):
            return str(found) in keys.COLOURS
        if not isinstance(found, Array) or not len(found) or not isinstance(found[0], Name):
            return False
        return self.once("colour", found, self._family)

    def _family(self, found: Object) -> bool:
        family = str(found[0])
        if family not in keys.COLOURS or len(found) < keys.COLOURS[family]:
            return False
        most = 5 if family == "/DeviceN" else keys.COLOURS[family]
        while len(found) > max(most, 2 if family == "/Pattern" else 1):
            del found[-1]
            self.changed = True
        if family in ("/CalGray", "/CalRGB", "/Lab"):
            if not isinstance(found[1], Dictionary) or isinstance(found[1], Stream):
                return False
            self.keep(found[1], keys.CALIBRATED)
        elif family == "/ICCBased":
            if not isinstance(found[1], Stream):
                return False
            self.keep(found[1], keys.STREAM | keys.PROFILE)
            self.only(found[1], "/Alternate", self.colour)
        elif family in ("/Separation", "/DeviceN"):
            alternate = found[2]
            return isinstance(alternate, Object) and self.colour(alternate) and isinstance(found[3], Object) and self.function(found[3])  # fmt: skip
        elif family in ("/Indexed", "/I"):
            return isinstance(found[1], Object) and self.colour(found[1]) and self._lookup(found)
        elif family == "/Pattern" and len(found) > 1:
            return isinstance(found[1], Object) and self.colour(found[1])
        return True

    def _lookup(self, found: Object) -> bool:
        """Cut a table of colours to those that it is said to have."""
        highest: object = found[2]
        table = found[3]
        if not isinstance(highest, int) or not 0 <= highest <= 255:
            return False
        size = (highest + 1) * _parts(found[1])
        if isinstance(table, pikepdf.String):
            content = bytes(table)
            if len(content) > size:
                found[3] = pikepdf.String(content[:size])
                self.changed = True
            return True
        if not self.stream(table):
            return False
        content = self.unpacked(table)
        if len(content) > size:
            self.rewrite(table, content[:size])
        return True

    # --- functions -------------------------------------------------------------------------------

    def function(self, value: Object) -> bool:
        """Clean a function, or several."""
        if isinstance(value, Array):
            return all(isinstance(one, Object) and self.function(one) for one in value)
        if not isinstance(value, Dictionary | Stream):
            return False
        return self.once("function", value, self._function)

    def _function(self, found: Object) -> bool:
        kind = found.get("/FunctionType")
        if kind not in (0, 2, 3, 4) or isinstance(found, Stream) != (kind in (0, 4)):
            return False
        self.keep(found, keys.FUNCTION)
        if kind == 3:
            self.only(found, "/Functions", self.function)
        elif kind == 4:
            content = self.unpacked(found)
            tokens = _TOKEN.findall(re.sub(rb"%[^\r\n]*", b" ", content))
            if b"%" in content or not all(map(_CALCULATION.fullmatch, tokens)):
                plain = (t if _CALCULATION.fullmatch(t) else b"0" for t in tokens)
                self.rewrite(found, b" ".join(plain))
        elif kind == 0:
            return self._samples(found)
        return True

    def _samples(self, found: Object) -> bool:
        """Cut the samples of a function to those that it is said to have."""
        size, parts = found.get("/Size"), found.get("/Range")
        given: list[object] = list(size) if isinstance(size, Array) else [size]
        sizes = [n for n in given if isinstance(n, int) and n > 0]
        bits: object = found.get("/BitsPerSample")
        if not isinstance(parts, Array) or not isinstance(bits, int) or len(sizes) < len(given):
            return False
        most = math.ceil(math.prod(sizes) * (len(parts) // 2) * bits / 8)
        content = self.unpacked(found)
        if len(content) > most:
            self.rewrite(found, content[:most])
        return True


def _parts(colour: Object) -> int:
    """Return how many numbers make a colour of a space."""
    family = str(colour[0]) if isinstance(colour, Array) else str(colour)
    if family == "/ICCBased":
        return int(colour[1].get("/N", 4))
    if family == "/DeviceN":
        return len(colour[1])
    return {"/DeviceGray": 1, "/CalGray": 1, "/G": 1, "/Separation": 1, "/DeviceCMYK": 4, "/CMYK": 4}.get(family, 3)  # fmt: skip
