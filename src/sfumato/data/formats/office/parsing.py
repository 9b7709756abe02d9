"""The XML parser of all office formats: no entities, no network, only elements and their text."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from lxml import etree

from ..files import RefusedFileError

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["has_document_type", "parse"]

_DECLARATION = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"'][^>]*?\?>")
_ESCAPES = frozenset(
    {"utf-7", "idna", "punycode", "unicode-escape", "raw-unicode-escape", "unicode_escape", "raw_unicode_escape"}
)  # fmt: skip
"""Character sets of Python in which ASCII is not ASCII."""


def parse(content: bytes, *, tolerant: bool = False) -> _Element:
    """Return the root of a part; comments and processing instructions are left out.

    What a tolerant reading leaves out (the conditions of old drawings, which are no XML) is not written either.

    A document type that declares nothing is left out, too; one that declares something, and references to entities
    from elsewhere, refuse the file: nobody has read what they mean.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True,
        load_dtd=False, huge_tree=False, strip_cdata=True, recover=tolerant,
    )  # fmt: skip
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError, LookupError):
        again = _as_unicode(content)
        if again is None:
            raise RefusedFileError("has a part that is not well-formed XML") from None
        try:
            root = etree.fromstring(again, parser)
        except (etree.XMLSyntaxError, ValueError, LookupError):
            raise RefusedFileError("has a part that is not well-formed XML") from None
    if root is None:
        raise RefusedFileError("has a part that is not well-formed XML")
    if has_document_type(root):
        _check_declarations(root)
    return root


def has_document_type(root: _Element) -> bool:
    """Return whether a part began with a document type."""
    return root.getroottree().docinfo.internalDTD is not None


def _check_declarations(root: _Element) -> None:
    dtd = root.getroottree().docinfo.internalDTD
    declares = dtd is not None and (any(dtd.iterentities()) or any(dtd.iterelements()))  # type: ignore[attr-defined]
    if declares or any(not isinstance(node.tag, str) for node in root.iter()):
        raise RefusedFileError("has a part with a document type that is needed to read it")


def _as_unicode(content: bytes) -> bytes | None:
    """Return a part in UTF-8 without its declaration, where Python knows its character set and libxml2 does not."""
    said = _DECLARATION.match(content)
    if said is None:
        return None
    name = said[1].decode().lower()
    try:
        if name in _ESCAPES or codecs.lookup(name).name in _ESCAPES or codecs.lookup(name).name == "utf-8":  # fmt: skip
            return None
        return content[said.end() :].decode(name).encode()
    except (LookupError, ValueError):
        return None
