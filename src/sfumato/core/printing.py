"""External texts, made safe to print: no control character reaches a terminal or a report."""

from __future__ import annotations

import re

__all__ = ["has_controls", "printable"]

# Control characters, line and paragraph separators, and marks that turn the direction of a line.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def has_controls(text: str) -> bool:
    """Return whether a text holds a control character or a mark of direction."""
    return _CONTROLS.search(text) is not None


def printable(text: str) -> str:
    r"""Return a text with its control characters written as escapes; line ends stay.

    >>> printable("a\x1b[31m b\u202e")
    'a\\x1b[31m b\\u202e'
    """
    if text.isprintable():
        return text
    return _CONTROLS.sub(lambda m: m[0] if m[0] == "\n" else repr(m[0])[1:-1], text)
