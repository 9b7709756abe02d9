"""Reads a written resource by the standard library alone, and looks for what was removed."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["stands_in", "still_holds"]

_CODE = re.compile(r"[a-z]+(?:-[a-z]+)*")  # no name of a person is in lower case
_ELEMENT = re.compile(r"_?[a-z][A-Za-z0-9]*")
_PACKED = re.compile(r'"([A-Za-z0-9+/=]{17,})"')
_KEYED = re.compile(r"[A-Z][A-Za-z]{1,63}(?=/[0-9a-f]{32}$)")


def still_holds(line: bytes, removed: Iterable[str], public: Sequence[str]) -> bool:
    """Return whether a resource holds what was removed from it, in any of its strings.

    Parameters
    ----------
    line : bytes
        The resource, as it is written.
    removed : iterable of str
        What was removed.
    public : sequence of str
        How the names of public code systems begin: a word of theirs is nobody's.

    """
    wanted = {"".join(text.split()) for text in removed}
    if not wanted or (b"\\" not in line and not _may_hold(line.decode(), wanted)):
        return False
    return any(stands_in(text, one) for one in _strings(json.loads(line), tuple(public)) for text in wanted)  # fmt: skip


def _may_hold(line: str, wanted: Iterable[str]) -> bool:
    """Return whether a line without escapes, or what is packed in it, holds a text anywhere; most hold none."""
    packed = (_unpack(one) for one in _PACKED.findall(line))
    held = "\n".join("".join(one.split()) for one in (line, *packed))
    return any(text in held for text in wanted)


def stands_in(wanted: str, value: str) -> bool:
    """Return whether a removed string, without white space, occurs in a value: in a code or an address as a whole word.

    >>> stands_in("AnnMeyer", "seen by Ann Meyer"), stands_in("Study", "ResearchStudy"), stands_in("severe", "severe")
    (True, False, False)
    """
    if any(map(str.isspace, value)):
        return wanted in "".join(value.split())
    if wanted not in value or (_CODE.fullmatch(value) and _CODE.fullmatch(wanted)):
        return False
    return re.search(rf"(?<![^\W_]){re.escape(wanted)}(?![^\W_])", value) is not None


def _strings(value: object, public: tuple[str, ...]) -> Iterator[str]:
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            system = one.get("system")
            if not (isinstance(system, str) and system.startswith(public)):
                left += [own for name, own in one.items() if name != "resourceType"]
                yield from (name for name in one if not _ELEMENT.fullmatch(name))
        elif isinstance(one, list):
            left += one
        elif isinstance(one, str) and not (one.startswith(public) and " " not in one):
            yield _KEYED.sub("", one)
            if len(one) > 16 and " " not in one:
                yield _unpack(one)


def _unpack(value: str) -> str:
    """Return the text of a string in base64; none where it is no such string."""
    try:
        return base64.b64decode(value, validate=True).decode("utf-8", "ignore")
    except (binascii.Error, ValueError):
        return ""
