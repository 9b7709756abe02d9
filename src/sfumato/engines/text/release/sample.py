"""A look at what is published: how many documents, and a fair sample of them.

Each document draws a number, and those with the smallest are the sample, so that a large input needs no more
memory than a small one. Where what is redacted does not depend on the sample, it is drawn while the documents
are read for publishing, and they are not read for it alone.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....data.document import Document
from ....data.documents import Corpus, Withheld

__all__ = ["CorpusSample", "Sampler", "sample_corpus"]

_BLOCK = 1 << 19


@dataclass(frozen=True)
class CorpusSample:
    """What was seen: the number of documents, and some of them in order."""

    documents: int
    sample: tuple[Document, ...]


class Sampler:
    """Draws a sample from documents that are shown to it in order.

    Parameters
    ----------
    most : int
        The largest sample.
    random : Generator
        Source of the draws.

    """

    def __init__(self, *, most: int, random: np.random.Generator) -> None:
        self._most, self._random = most, random
        self._kept: list[tuple[float, int, Document]] = []
        self._total = 0

    def add(self, document: Document) -> None:
        """Show one document."""
        self.add_block(1, lambda _: document)

    def add_block(self, count: int, document: Callable[[int], Document]) -> None:
        """Show a block of documents, each of which is made only if it is drawn."""
        draws = self._random.random(count)
        limit = -self._kept[0][0] if len(self._kept) == self._most else 1.0
        for i in np.flatnonzero(draws <= limit).tolist():
            draw, place = -float(draws[i]), -(self._total + i)
            if len(self._kept) < self._most:
                heapq.heappush(self._kept, (draw, place, document(i)))
            elif (draw, place) > self._kept[0][:2]:
                heapq.heapreplace(self._kept, (draw, place, document(i)))
        self._total += count

    def result(self) -> CorpusSample:
        """Return what was seen."""
        ordered = sorted(self._kept, key=lambda entry: -entry[1])
        return CorpusSample(self._total, tuple(document for _, _, document in ordered))


def sample_corpus(corpus: Corpus, sampler: Sampler) -> CorpusSample:
    """Read documents for their sample alone; records that cannot be read are passed over."""
    blocks = corpus.blocks(size=_BLOCK, keep=())
    if blocks is not None:
        for _, block in blocks:
            sampler.add_block(len(block), block.document)
        return sampler.result()
    for record in corpus.tolerant():
        if not isinstance(record, Withheld):
            sampler.add(record)
    return sampler.result()
