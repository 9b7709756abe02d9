"""Reads a written resource by the standard library alone, and looks for what was removed."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["still_holds"]


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
    bare = line.translate(None, b" \t\r\n")
    is_plain = b'"data"' not in line and b"\\" not in line
    if not wanted or (is_plain and not any(text.encode() in bare for text in wanted)):
        return False
    squeezed = ["".join(text.split()) for text in _strings(json.loads(line), tuple(public))]
    return any(text in one for one in squeezed for text in wanted)


def _strings(value: object, public: tuple[str, ...]) -> Iterator[str]:
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            system = one.get("system")
            if not (isinstance(system, str) and system.startswith(public)):
                left += one.values()
                yield from one
        elif isinstance(one, list):
            left += one
        elif isinstance(one, str):
            yield one
            if len(one) > 16 and " " not in one:
                try:
                    yield base64.b64decode(one, validate=True).decode("utf-8", "ignore")
                except (binascii.Error, ValueError):
                    continue
