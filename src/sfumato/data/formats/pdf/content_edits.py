"""Changes of tags and of names in a content stream, made in place: every other byte is written unchanged.

A stream with anything that is not expected here is left to a parser, which puts it into a plainer form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .scan import END, NAME, SPACE, STRING

__all__ = ["OF_OPERATOR", "TAGS", "rename", "with_plain_tags"]

TAGS = frozenset(["/Artifact", "/Span", "/P", "/OC"])
"""Tags of marked content that stay as they are."""
OF_OPERATOR = {
    "Tf": "/Font", "Do": "/XObject", "gs": "/ExtGState", "sh": "/Shading", "cs": "/ColorSpace", "CS": "/ColorSpace",
    "scn": "/Pattern", "SCN": "/Pattern", "BDC": "/Properties", "DP": "/Properties",
}  # fmt: skip
"""Which resources an operator calls by their names."""
_PLAIN = rb"(?:[^()<>%]++|" + STRING + rb")"
_DICTIONARY = rb"<<(?:" + _PLAIN + rb"|<<" + _PLAIN + rb"*+>>)*+>>"
_PIECE = re.compile(
    rb"(?P<string>" + STRING + rb")|(?P<comment>%[^\r\n]*+)"
    rb"|(?P<mark>(?P<tag>" + NAME + rb")" + SPACE + rb"*+(?:(?P<given>" + _DICTIONARY + rb")|(?P<called>" + NAME + rb"))?+"
    + SPACE + rb"*+(?P<op>BDC|BMC|DP|MP)" + END + rb")"
    rb"|(?P<use>(?P<name>" + NAME + rb")(?P<between>" + SPACE + rb"++(?:[-+.\d]++" + SPACE + rb"++)?+)"
    rb"(?P<by>Tf|Do|gs|sh|cs|CS|scn|SCN)" + END + rb")"
    rb"|(?P<other>" + NAME + rb")|(?P<odd>\(|<<|>>|(?<![A-Za-z0-9*'\"])(?:BI|BDC|BMC|DP|MP)" + END + rb")",
    re.DOTALL,
)  # fmt: skip
_ODD_NAME = re.compile(rb"[^!-~]|#")


def _pieces(content: bytes) -> Iterator[tuple[str, re.Match[bytes]]]:
    for match in _PIECE.finditer(content):
        yield match.lastgroup or "", match


def with_plain_tags(content: bytes) -> bytes | None:
    """Return a stream without comments and without the properties of marked content; None where a parser must.

    >>> with_plain_tags(b"/Ann <</ActualText (Lee)>> BDC (x) Tj EMC % for Ann")
    b'/Span << >> BDC (x) Tj EMC  '
    """
    made, at = [], 0
    for kind, match in _pieces(content):
        if kind == "odd":
            return None
        new = b" "
        if kind == "mark":
            if _ODD_NAME.search(match["called"] or b""):
                return None
            tag = match["tag"] if match["tag"].decode("latin-1") in TAGS else b"/Span"
            properties = match["called"] or b"<< >>"
            new = b" ".join([tag, properties, match["op"]] if match["op"] in (b"BDC", b"DP") else [tag, match["op"]])  # fmt: skip
        elif kind != "comment":
            continue
        made += [content[at : match.start()], new]
        at = match.end()
    return b"".join([*made, content[at:]])


def rename(content: bytes, new_names: Mapping[tuple[str, str], str]) -> bytes | None:
    """Return a stream that calls resources by new names; None where a parser must find them.

    Parameters
    ----------
    content : bytes
        The stream.
    new_names : mapping of (str, str) to str
        For the kind of a resource, `/Font` and so on, and its name the new one.

    Examples
    --------
    >>> rename(b"/Ann 9 Tf (/Ann 9 Tf) Tj", {("/Font", "/Ann"): "/N1x"})
    b'/N1x 9 Tf (/Ann 9 Tf) Tj'

    """
    made, at = [], 0
    for kind, match in _pieces(content):
        if kind in ("odd", "other"):
            return None
        if kind not in ("use", "mark"):
            continue
        group, by = ("name", "by") if kind == "use" else ("called", "op")
        name = match[group]
        if name is None or match[by].decode() not in OF_OPERATOR:
            continue
        if _ODD_NAME.search(name):
            return None
        new = new_names.get((OF_OPERATOR[match[by].decode()], name.decode()))
        if new is not None:
            made += [content[at : match.start(group)], new.encode()]
            at = match.end(group)
    return b"".join([*made, content[at:]])
