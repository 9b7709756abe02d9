"""A scanned resource: its texts in order, and its bytes with other ones where something is rewritten."""

from __future__ import annotations

import base64

from pydantic_core import to_json

from . import _kernels as kernels
from .pages import rewrite_page
from .rewriting import CollectedTexts, EditedTexts, Rewriting
from .scanning import ScannedResource, unescape

__all__ = ["collect", "splice"]

_TEXT, _XHTML, _BASE64, _IDENTIFIER = kernels.TEXT, kernels.XHTML, kernels.BASE64, kernels.IDENTIFIER  # fmt: skip
_REFERENCE, _DATE, _DROP, _PAGE64 = kernels.REFERENCE, kernels.DATE, kernels.DROP, kernels.PAGE64


def collect(found: ScannedResource, to: CollectedTexts) -> None:
    """Collect the texts of a resource, and what is dropped of it; raise ValueError for a broken attachment."""
    if found.texts:
        content = found.content
        for code, first, last in found.places():
            if code == _TEXT:
                to.text(unescape(content[first:last]))
            elif code in (_XHTML, _BASE64, _PAGE64):
                _rewrite_words(code, unescape(content[first:last]), to)
    if found.dropped:
        to.dropped["an element"] = found.dropped
    if found.generated:
        to.dropped["a generated narrative"] = found.generated
    if found.extensions:
        to.dropped["an extension"] = found.extensions


def splice(found: ScannedResource, to: EditedTexts) -> bytes:
    """Return a resource with its texts, ids, references and dates replaced."""
    content, at = found.content, found.start
    made: list[bytes] = []
    for code, first, last in found.places():
        made.append(content[at:first])
        at = last
        if code == _DROP:
            continue
        piece = content[first:last]
        if code == _DATE:
            made.append(to.date_bytes(piece))
            continue
        if code == _REFERENCE:
            made.append(to.reference_bytes(piece))
            continue
        text = unescape(piece)
        if code == _IDENTIFIER:
            made.append(to.identifier(text).encode())
        else:
            new = to.text(text) if code == _TEXT else _rewrite_words(code, text, to)
            made.append(piece if new == text else to_json(new)[1:-1])
    made.append(content[at : found.end])
    return b"".join(made)


def _rewrite_words(code: int, value: str, to: Rewriting) -> str:
    """Return a page or an attachment with its words rewritten."""
    if code == _XHTML:
        return rewrite_page(value, to.text)
    text = base64.b64decode("".join(value.split()), validate=True).decode()
    written = rewrite_page(text, to.text) if code == _PAGE64 else to.text(text)
    return base64.b64encode(written.encode()).decode()
