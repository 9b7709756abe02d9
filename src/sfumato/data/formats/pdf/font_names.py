"""Names of fonts, which their makers and users choose: in the objects of a file and inside of the programs.

A program keeps its size and its glyphs: names and notices are overwritten in place, nothing moves.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from itertools import pairwise

from pikepdf import Name, Object, PdfError, Stream

from . import keys

__all__ = ["FontNames", "without_names"]

_NAMED = ("/BaseFont", "/FontName")
_PROGRAMS = ("/FontFile", "/FontFile2", "/FontFile3")
_TAG = re.compile(r"[A-Z]{6}\+")
_WORD = re.compile(r"[^\W\d_]{4,}")
_STYLE = re.compile(r"Bold|Italic|Oblique|Narrow|Condensed|Light|Black", re.IGNORECASE)
_SFNT = (b"\0\1\0\0", b"true", b"OTTO")
_TABLES = (b"name", b"meta", b"DSIG")
_CLEAR = re.compile(
    rb"(?P<text>/(?:Notice|FullName|FamilyName|version|Copyright)\s*\()(?P<words>(?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*)"
    rb"|(?P<name>/FontName\s*/)(?P<own>[^\s/]+)|(?P<comment>%)(?P<rest>[^\r\n]*)",
    re.DOTALL,
)
_FIRST_LINE = re.compile(rb"!(?:PS-AdobeFont|FontType1)-\d\.\d")
_STANDARD_STRINGS = 391
_TEXTS = {0, 1, 2, 3, (12, 0), (12, 21), (12, 22), (12, 38)}
"""Operators of a dictionary of CFF that are given a name or a notice."""
_FONT_DICTIONARIES = (12, 36)


class FontNames:
    """Replaces the names of fonts by ones that tell nothing; those of known families stay: viewers know their letters."""

    def __init__(self) -> None:
        self._new: dict[str, str] = {}
        self._done: set[tuple[int, int]] = set()

    def clean(self, found: Object) -> None:
        """Clean a font or the descriptor of one."""
        for key in _NAMED:
            if isinstance(found.get(key), Name):
                found[key] = Name("/" + self.new_name(_read_name(found[key])))
        for key in _PROGRAMS:
            program = found.get(key)
            if isinstance(program, Stream) and program.objgen not in self._done:
                self._done.add(program.objgen)
                _clean_program(program)

    def new_name(self, name: str) -> str:
        """Return what a font is called.

        >>> names = FontNames()
        >>> names.new_name("ABCDEF+Times-Roman"), names.new_name("AnnLee-Bold"), names.new_name("AnnLee-Bold")
        ('ABCDEF+Times-Roman', 'Font1-Bold', 'Font1-Bold')
        """
        tag = _TAG.match(name)
        start = tag.end() if tag else 0
        own = name[start:]
        plain = own if own.isascii() else "xxxx"
        if not _WORD.search(keys.FAMILIES.sub(" ", plain)):
            return name
        if own not in self._new:
            style = "".join(dict.fromkeys(s.capitalize() for s in _STYLE.findall(own)))
            number = len(self._new) + 1
            self._new[own] = f"Font{number}-{style}" if style else f"Font{number}"
        return name[:start] + self._new[own]


def _read_name(name: Object) -> str:
    """Return a name without its slash; programs of many countries write one in a character set of their own."""
    try:
        return str(name)[1:]
    except UnicodeDecodeError:
        return name.unparse()[1:].decode("latin-1").replace("#", "\u00a4")


def _clean_program(stream: Object) -> None:
    try:
        program = bytes(stream.read_bytes())
    except PdfError:
        return  # no reader can use it, and a page that does becomes a picture
    made = without_names(program)
    if made != program:
        kept = {key: stream[key] for key in ("/Length1", "/Length2", "/Length3") if key in stream}
        stream.write(made)
        for key, value in kept.items():
            stream[key] = value


def without_names(program: bytes) -> bytes:
    """Return a font's program without its names and notices, as long as it was."""
    kept = bytearray(program)
    try:
        if program[:4] in _SFNT:
            _clean_tables(kept)
        elif program[:2] in (b"%!", b"\x80\1"):
            _clean_clear_text(kept)
        elif program[:1] == b"\1":
            _clean_compact(kept, 0)
    except (struct.error, IndexError):
        return program  # what is not as it should be is not read by that rule
    return bytes(kept)


def _clean_tables(program: bytearray) -> None:
    """Empty the tables of TrueType and OpenType that hold texts."""
    (count,) = struct.unpack_from(">H", program, 4)
    for number in range(count):
        entry = 12 + 16 * number
        tag, _, start, size = struct.unpack_from(">4sIII", program, entry)
        if start + size > len(program):
            continue
        if tag in _TABLES:
            empty = struct.pack(">HHH", 0, 0, 6) if tag == b"name" and size >= 6 else b""
            program[start : start + size] = empty.ljust(size, b"\0")
            struct.pack_into(
                ">I", program, entry + 4, 6 << 16 if empty else 0
            )  # the sum of its words
        elif tag == b"CFF ":
            _clean_compact(program, start)


def _clean_clear_text(program: bytearray) -> None:
    """Overwrite the names of a Type 1 program, in the part that is not encrypted."""
    end = program.find(b"eexec")
    for match in _CLEAR.finditer(bytes(program[: max(0, end)])):
        kind = match.lastgroup
        start, last = match.span(kind or 0)
        if kind == "rest":
            known = _FIRST_LINE.match(match["rest"])
            start += known.end() if known else 0
        program[start:last] = (b"A" if kind == "own" else b"").ljust(last - start, b" ")


def _clean_compact(program: bytearray, base: int) -> None:
    """Overwrite the names of a CFF program that begins at a place."""
    names, at = _index(program, base + program[base + 2])
    dictionaries, at = _index(program, at)
    strings, _ = _index(program, at)
    for start, end in names:
        program[start:end] = b"A" * (end - start)
    todo = list(dictionaries)
    while todo:
        for operator, operands in _operators(bytes(program[slice(*todo.pop())])):
            number = operands[-1] if operands else -1
            if operator == _FONT_DICTIONARIES and number > 0:
                todo += _index(program, base + number)[0]
            elif operator in _TEXTS and 0 <= number - _STANDARD_STRINGS < len(strings):
                start, end = strings[number - _STANDARD_STRINGS]
                program[start:end] = b" " * (end - start)


def _index(program: bytearray, at: int) -> tuple[list[tuple[int, int]], int]:
    """Return where the objects of an index of CFF are, and where it ends."""
    (count,) = struct.unpack_from(">H", program, at)
    if not count:
        return [], at + 2
    size = program[at + 2]
    places = [
        int.from_bytes(program[at + 3 + i * size : at + 3 + (i + 1) * size], "big")
        for i in range(count + 1)
    ]
    base = at + 2 + (count + 1) * size
    if base + places[-1] > len(program) or places != sorted(places):
        raise IndexError
    return [(base + a, base + b) for a, b in pairwise(places)], base + places[-1]


def _operators(dictionary: bytes) -> Iterator[tuple[int | tuple[int, int], list[int]]]:
    """Yield the operators of a dictionary of CFF, each with its whole numbers."""
    operands: list[int] = []
    at = 0
    while at < len(dictionary):
        value = dictionary[at]
        at += 1
        if value <= 21:
            if value == 12:
                yield (12, dictionary[at]), operands
                at += 1
            else:
                yield value, operands
            operands = []
        elif value == 28:
            operands.append(struct.unpack_from(">h", dictionary, at)[0])
            at += 2
        elif value == 29:
            operands.append(struct.unpack_from(">i", dictionary, at)[0])
            at += 4
        elif value == 30:  # a fraction, in halves of bytes up to one that is 15
            while dictionary[at] & 15 != 15 and dictionary[at] >> 4 != 15:
                at += 1
            at += 1
            operands.append(0)
        elif value <= 246:
            operands.append(value - 139)
        elif value <= 250:
            operands.append((value - 247) * 256 + dictionary[at] + 108)
            at += 1
        else:
            operands.append(-(value - 251) * 256 - dictionary[at] - 108)
            at += 1
