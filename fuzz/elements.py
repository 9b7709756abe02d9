"""Mutations that leave XML well-formed: elements, texts and attributes change places, also from one part to another.

What stays well-formed is read, and most of what is found beyond the readers is found so.
"""

from __future__ import annotations

import copy
import re
from typing import Any

import numpy as np

from fuzz.files import BETWEEN

__all__ = ["changed_elements"]


def changed_elements(data: bytes, dice: np.random.Generator) -> bytes:
    """Return a changed copy of an XML file, or of the parts of a packed one, each after a line with its name."""
    from lxml import etree

    packed = BETWEEN in data
    blocks = [block.partition(b"\n") for block in data.split(BETWEEN)] if packed else [(b"", b"", data)]  # fmt: skip
    trees = [_parsed(content) for _, _, content in blocks]
    elements = [e for tree in trees if tree is not None for e in tree.iter() if isinstance(e.tag, str)]  # fmt: skip
    for _ in range(int(dice.geometric(0.4))):
        if elements:
            _change(elements, dice)
    written = [
        content if tree is None else etree.tostring(tree)
        for (_, _, content), tree in zip(blocks, trees, strict=True)
    ]
    if not packed:
        return written[0]
    return BETWEEN.join(
        name + b"\n" + content for (name, _, _), content in zip(blocks, written, strict=True)
    )


def _parsed(content: bytes) -> Any:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        return etree.fromstring(re.sub(rb"^\s+", b"", content), parser)
    except etree.XMLSyntaxError:
        return None


def _change(elements: list[Any], dice: np.random.Generator) -> None:
    one, other = (elements[int(dice.integers(len(elements)))] for _ in range(2))
    kind = int(dice.integers(9))
    if kind == 0:  # an element of one place in another
        other.insert(int(dice.integers(len(other) + 1)), copy.deepcopy(one))
    elif kind == 1 and one.getparent() is not None:
        one.getparent().remove(one)
    elif kind == 2:
        one.tag = other.tag
    elif kind == 3:
        one.text, other.text = other.text, one.text
    elif kind == 4:
        texts = [e.text for e in elements if e.text and e.text.strip()]
        if texts:
            one.text = texts[int(dice.integers(len(texts)))]
    elif kind == 5:
        texts = [e.text for e in elements if e.text and e.text.strip()]
        if texts:
            one.tail = texts[int(dice.integers(len(texts)))]
    elif kind == 6 and one.attrib and other.attrib:
        values = list(other.attrib.values())
        keys = list(one.attrib)
        one.set(keys[int(dice.integers(len(keys)))], values[int(dice.integers(len(values)))])
    elif kind == 7 and other.attrib:
        keys = list(other.attrib)
        key = keys[int(dice.integers(len(keys)))]
        one.set(key, other.get(key))
    else:
        parent = one.getparent()
        if parent is not None:
            parent.append(copy.deepcopy(one))
