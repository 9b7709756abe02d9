"""Type 1 programs: removes unused charstrings, notices and subroutines."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .encodings import STANDARD
from .refusal import PageRefusedError

__all__ = ["builtin_encoding", "rebuild_type1"]

_EEXEC, _CHARSTRING = 55665, 4330
_ENTRY = re.compile(rb"/([^\s/]+)\s+(\d+)\s+(RD|-\||\S+) ")
_ENTRY_END = re.compile(rb"\s*(ND|\|-|noaccess def|def|\S+)\s*")
_SUBROUTINE = re.compile(rb"dup\s+(\d+)\s+(\d+)\s+(RD|-\||\S+) ")
_SUBROUTINE_END = re.compile(rb"\s*(NP|\||noaccess put|put)\s*")
_NOTICE = re.compile(rb"/(Notice|FullName|FamilyName|version|Copyright)\s*\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)")  # fmt: skip


def builtin_encoding(program: bytes, clear: int) -> dict[int, str]:
    """Return the encoding in the clear part of a program."""
    found = re.findall(rb"dup\s+(\d+)\s*/(\S+)\s+put", program[:clear])
    if found:
        return {int(code): name.decode("latin-1") for code, name in found}
    return {i: n for i, n in enumerate(STANDARD) if n and n != ".notdef"}


def _decrypt(data: bytes, key: int, skipped: int = 4) -> bytes:
    out = bytearray()
    for byte in data:
        out.append(byte ^ (key >> 8))
        key = ((byte + key) * 52845 + 22719) & 0xFFFF
    return bytes(out[skipped:])


def _encrypt(data: bytes, key: int, added: int = 4) -> bytes:
    out = bytearray()
    for byte in b"\0" * added + data:
        new = byte ^ (key >> 8)
        key = ((new + key) * 52845 + 22719) & 0xFFFF
        out.append(new)
    return bytes(out)


def _calls(charstring: bytes) -> tuple[set[int], tuple[int, int] | None]:
    """Return the subroutines that a charstring calls, and the two letters it is made of, if it is."""
    stack: list[int] = []
    called: set[int] = set()
    parts = None
    at = 0
    while at < len(charstring):
        value = charstring[at]
        at += 1
        if value >= 32:
            if value <= 246:
                stack.append(value - 139)
            elif value <= 250:
                stack.append((value - 247) * 256 + charstring[at] + 108)
                at += 1
            elif value <= 254:
                stack.append(-(value - 251) * 256 - charstring[at] - 108)
                at += 1
            else:
                stack.append(int.from_bytes(charstring[at : at + 4], "big", signed=True))
                at += 4
        elif value == 10:
            called |= set(stack[-1:])
        elif value == 12:
            second = charstring[at]
            at += 1
            if second == 6 and len(stack) >= 2:
                parts = stack[-2], stack[-1]
            if second not in (12, 16, 17):
                stack = []
        else:
            stack = []
    return called, parts


def rebuild_type1(
    program: bytes, clear: int, packed: int, names: Iterable[str]
) -> tuple[bytes, int, int]:
    """Return a program with these glyphs, and the lengths of its clear and its encrypted part.

    Parameters
    ----------
    program : bytes
        The font as it was.
    clear, packed : int
        The lengths of its clear and its encrypted part.
    names : iterable of str
        The glyphs that stay.

    """
    if program[:1] == b"\x80":
        raise PageRefusedError("a Type 1 font in segments")
    head, tail = program[:clear], program[clear + packed :]
    plain = _decrypt(program[clear : clear + packed], _EEXEC)
    given = re.search(rb"/lenIV\s+(\d+)", plain)
    random_bytes = int(given[1]) if given else 4
    start = plain.find(b"/CharStrings")
    if start < 0:
        raise PageRefusedError("a Type 1 font without outlines")
    entries, first, end = _charstrings(plain, start)
    wanted = set(names)
    if wanted - set(entries) - {".notdef"}:
        raise PageRefusedError("a glyph that is not in its font")
    needed, called = set[str](), set[int]()
    todo = [".notdef", *wanted]
    while todo:
        name = todo.pop()
        if name in needed or name not in entries:
            continue
        needed.add(name)
        subroutines, parts = _calls(_decrypt(entries[name][0], _CHARSTRING, random_bytes))
        called |= subroutines
        todo += [str(STANDARD[code]) for code in parts or ()]
    count = re.sub(rb"(/CharStrings\s+)\d+", lambda m: m[1] + b"%d" % len(needed), plain[start:first], count=1)  # fmt: skip
    before = _keep_subroutines(plain[:start], called, random_bytes)
    body = b"".join(entries[name][1] for name in sorted(needed))
    new = _encrypt(before + count + body + plain[end:], _EEXEC)
    head = re.sub(
        rb"dup\s+(\d+)\s*/(\S+)\s+put\s*",
        lambda m: m[0] if m[2].decode("latin-1") in needed else b"",
        head,
    )
    head = _NOTICE.sub(lambda m: b"/" + m[1] + b" ()", head)
    head = re.sub(rb"^%(?!!)[^\r\n]*[\r\n]+", b"", head, flags=re.MULTILINE)
    return head + new + tail, len(head), len(new)


def _charstrings(plain: bytes, start: int) -> tuple[dict[str, tuple[bytes, bytes]], int, int]:
    """Return each charstring and its whole entry, and where the entries begin and end."""
    at = plain.index(b"begin", start) + 5
    entries: dict[str, tuple[bytes, bytes]] = {}
    first = end = -1
    while True:
        entry = _ENTRY.search(plain, at)
        if not entry or entry.start() - at > 40:
            break
        last = entry.end() + int(entry[2])
        closing = _ENTRY_END.match(plain, last)
        if closing is None:
            break
        first = entry.start() if first < 0 else first
        at = end = closing.end()
        entries[entry[1].decode("latin-1")] = plain[entry.end() : last], plain[entry.start() : end]
    if not entries:
        raise PageRefusedError("a Type 1 font without outlines")
    return entries, first, end


def _keep_subroutines(before: bytes, called: set[int], random_bytes: int) -> bytes:
    """Return the private part with a stub for each subroutine that nothing calls."""
    start = re.search(rb"/Subrs\s+(\d+)\s+array\s*", before)
    if start is None:
        return before
    found: dict[int, re.Match[bytes]] = {}
    ends: dict[int, tuple[int, re.Match[bytes]]] = {}
    at = start.end()
    while entry := _SUBROUTINE.match(before, at):
        last = entry.end() + int(entry[2])
        closing = _SUBROUTINE_END.match(before, last)
        if closing is None:
            raise PageRefusedError("a Type 1 font with odd subroutines")
        found[int(entry[1])] = entry
        ends[int(entry[1])] = last, closing
        at = closing.end()
    todo, needed = [*called, 0, 1, 2, 3], set[int]()
    while todo:
        number = todo.pop()
        if number in needed or number not in found:
            continue
        needed.add(number)
        own = before[found[number].end() : ends[number][0]]
        todo += list(_calls(_decrypt(own, _CHARSTRING, random_bytes))[0])
    stub = _encrypt(b"\x0b", _CHARSTRING, random_bytes)
    pieces, at = [before[: start.end()]], start.end()
    for number, entry in sorted(found.items(), key=lambda item: item[1].start()):
        closing = ends[number][1]
        pieces.append(before[at : entry.start()])
        if number in needed:
            pieces.append(before[entry.start() : closing.end()])
        else:
            pieces.append(b"dup %d %d %b %b %b\n" % (number, len(stub), entry[3], stub, closing[1]))
        at = closing.end()
    return b"".join([*pieces, before[at:]])
