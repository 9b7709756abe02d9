"""A look at what is about to be published: how many documents, which fields, and a fair sample of them.

The whole input is read once. Each document draws a number, and those with the smallest are the sample,
so that a large input needs no more memory than a small one.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ....data.document import Document
from ....data.documents import Corpus, Withheld
from ....data.formats.jsonl import Jsonl
from ....data.formats.lines import SeenMarks, read_blocks, takes

__all__ = ["Look", "look_at"]

_BLOCK = 1 << 19


@dataclass(frozen=True)
class Look:
    """What was seen: the number of documents, the names of their other fields, a sample in order."""

    documents: int
    fields: frozenset[str]
    sample: tuple[Document, ...]


def look_at(corpus: Corpus, *, most: int, random: np.random.Generator) -> Look:
    """Read documents once and keep a sample.

    Parameters
    ----------
    corpus
        What is about to be published; records that cannot be read are passed over.
    most
        The largest sample.
    random
        Source of the draws.

    """
    kept: list[tuple[float, int, Document]] = []
    fields: set[str] = set()
    total = 0
    for count, names, draw_from in _pieces(corpus):
        fields.update(names)
        draws = random.random(count)
        limit = -kept[0][0] if len(kept) == most else 1.0
        for i in np.flatnonzero(draws <= limit).tolist():
            entry = (-float(draws[i]), -(total + i), draw_from(i))
            if len(kept) < most:
                heapq.heappush(kept, entry)
            elif entry > kept[0]:
                heapq.heapreplace(kept, entry)
        total += count
    ordered = sorted(kept, key=lambda entry: -entry[1])
    return Look(total, frozenset(fields), tuple(document for _, _, document in ordered))


def _pieces(corpus: Corpus) -> Iterator[tuple[int, frozenset[str], Callable[[int], Document]]]:
    """Yield pieces of the corpus: how many documents, their fields, and how to get one of them."""
    form = corpus.format
    if isinstance(form, Jsonl) and takes(form, paths=corpus.paths):
        seen = SeenMarks()
        for part in corpus.parts:
            for block in read_blocks(form, part, seen, size=_BLOCK):
                yield len(block), frozenset(block.fields), block.document
        return
    for record in corpus.tolerant():
        if not isinstance(record, Withheld):
            yield 1, frozenset(record.fields), _one(record)


def _one(document: Document) -> Callable[[int], Document]:
    return lambda _place: document
