"""XHTML of narratives and HTML of attachments: its words in order, and the page with other words.

Tags of a list stay, without their attributes; comments, scripts and everything else go. A name that is written
over several inline tags is one stretch of text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape

__all__ = ["rewrite_page"]

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[?!][^>]*(?:>|\Z)|<(/?)([A-Za-z][A-Za-z0-9]*)((?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*)>|[^<]+|<",
    re.DOTALL,
)
_BLOCKS = frozenset(
    [
        "address",
        "blockquote",
        "body",
        "br",
        "caption",
        "col",
        "colgroup",
        "dd",
        "div",
        "dl",
        "dt",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "html",
        "li",
        "ol",
        "p",
        "pre",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_INLINE = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "b",
        "big",
        "cite",
        "code",
        "dfn",
        "em",
        "i",
        "kbd",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "tt",
        "var",
    ]
)
_UNSEEN = frozenset("script style head template noscript title".split())  # noqa: SIM905
_XHTML = ' xmlns="http://www.w3.org/1999/xhtml"'


def rewrite_page(page: str, text: Callable[[str, bool], str]) -> str:
    """Return a page with its words replaced.

    Parameters
    ----------
    page : str
        The page.
    text : callable
        Takes a stretch of words, and whether a line ends before it; returns what is written for it.

    >>> rewrite_page('<div><p id="Ann">An<b>n</b></p></div>', lambda words, is_new: words.upper())
    '<div xmlns="http://www.w3.org/1999/xhtml"><p>AN<b>N</b></p></div>'

    """
    made: list[str] = []
    unseen, is_new = 0, True
    for found in _TOKEN.finditer(page):
        token, name = found[0], (found[2] or "").lower()
        if not name:
            if token.startswith("<![CDATA["):
                words = token[9:].removesuffix("]]>")
            elif token[0] == "<" and len(token) > 1:
                continue
            else:
                words = unescape(token)
            if not unseen and words:
                if words.strip():
                    words, is_new = text(words, is_new), False
                made.append(escape(words, quote=False))
        elif name in _UNSEEN:
            unseen = (
                max(0, unseen - 1) if found[1] else unseen + (not found[3].rstrip().endswith("/"))
            )
        elif not unseen and (name in _BLOCKS or name in _INLINE):
            is_new = is_new or name in _BLOCKS
            closed = (
                "/"
                if found[3].rstrip().endswith("/") or (name in {"br", "hr", "col"} and not found[1])
                else ""
            )
            space = _XHTML if name == "div" and not found[1] and not made else ""
            made.append(f"<{found[1]}{name}{space}{closed}>")
    return "".join(made)
