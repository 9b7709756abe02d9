"""Word clusters from unlabelled text: words with the same neighbours share a feature.

Each word is described by the frequent words before and after it (positive pointwise mutual
information), the description is reduced to a few dimensions, and words are grouped at several
granularities. Nothing in it depends on the language.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse
from threadpoolctl import threadpool_limits

from ....core.randomness import Streams
from .features import RESERVED, WordKnowledge, WordTable
from .features._kernels import pair
from .tokens import Tokens, Vocabulary, tokenize

__all__ = ["learn_clusters"]

_COMPANY = 1000  # the most frequent words, which describe the others
_DIMENSIONS = 40
_TEMPLATE = 81


def learn_clusters(
    texts: Sequence[str],
    *,
    sizes: Sequence[int] = (24, 96, 384),
    min_count: int = 3,
    seed: int = 0,
) -> WordKnowledge:
    """Group the words that occur at least `min_count` times; their groups become features.

    >>> texts = ["the cat sat", "the dog sat", "a cat ran", "a dog ran"] * 5
    >>> known = learn_clusters(texts, sizes=(3,))
    >>> len(known.keys)
    6
    """
    vocabulary = Vocabulary()
    tokens = tokenize(texts, vocabulary)
    words = WordTable(vocabulary)
    group = words.groups()[RESERVED:]
    of_token = group[tokens.type] if len(tokens) else np.zeros(0, np.int32)
    count = np.bincount(of_token, minlength=int(words.groups().max(initial=0)) + 1)
    # By falling frequency, and by key where that is equal, so that the order of words is no matter.
    key_of = np.zeros(len(count), np.uint64)
    key_of[words.groups()] = words.lower
    kept = np.flatnonzero(count >= min_count)
    kept = kept[np.lexsort((key_of[kept], -count[kept]))]
    if len(kept) < 4:
        return WordKnowledge(
            np.zeros(0, np.uint64),
            np.zeros((0, len(sizes)), np.uint64),
            np.zeros((0, 1), np.uint64),
        )
    described = _company(tokens, of_token, kept, len(count))
    own = np.zeros((len(kept), len(sizes)), np.uint64)
    # One thread: sums do not depend on the number of cores, and small work does not wait for them.
    with threadpool_limits(limits=1):
        vectors = _reduce(described, seed)
        for column, size in enumerate(sizes):
            clusters = _group(vectors, min(size, max(2, len(kept) // 3)), seed)
            for row, cluster in enumerate(clusters):
                own[row, column] = pair(np.uint64(cluster + 1), np.uint64(column + 1), _TEMPLATE)
    keys = key_of[kept]
    order = np.argsort(keys)
    middle = own[order][:, [len(sizes) // 2]]
    return WordKnowledge(keys[order], own[order], middle)


def _company(
    tokens: Tokens, of_token: npt.NDArray[np.int32], kept: npt.NDArray[np.int64], groups: int
) -> sparse.csr_matrix:
    """Count which frequent words come before and after each word; weigh by mutual information."""
    place = np.full(groups, -1)
    place[kept] = np.arange(len(kept))
    here = place[of_token]
    width = min(_COMPANY, len(kept)) + 1  # the last column is the edge of a document
    seen = np.where(here < width - 1, here, -1)
    starts = tokens.doc[:-1][np.diff(tokens.doc) > 0]
    blocks = []
    for side in (0, 1):
        near = np.full(len(here), -1)
        if side == 0:
            near[1:] = seen[:-1]
            near[starts] = width - 1
        else:
            near[:-1] = seen[1:]
            near[np.append(starts[1:], len(here)) - 1] = width - 1
        both = (here >= 0) & (near >= 0)
        blocks.append(
            sparse.csr_matrix(
                (np.ones(int(both.sum())), (here[both], near[both])), shape=(len(kept), width)
            )
        )
    counts = sparse.hstack(blocks).tocsr()
    counts.sum_duplicates()
    total = counts.sum()
    rows = np.asarray(counts.sum(axis=1)).reshape(-1)
    columns = np.asarray(counts.sum(axis=0)).reshape(-1) ** 0.75
    columns *= total / max(columns.sum(), 1.0)
    coo = counts.tocoo()
    information = np.log(coo.data * total / (rows[coo.row] * columns[coo.col]))
    positive = information > 0
    return sparse.csr_matrix(
        (information[positive], (coo.row[positive], coo.col[positive])), shape=counts.shape
    )


def _reduce(described: sparse.csr_matrix, seed: int) -> npt.NDArray[np.float64]:
    from sklearn.utils.extmath import randomized_svd

    size = min(_DIMENSIONS, min(described.shape) - 1)
    state = Streams(seed).seed_of("clusters") % (1 << 32)
    u, s, _ = randomized_svd(described, size, random_state=state)
    vectors = u * np.sqrt(s)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12))


def _group(vectors: npt.NDArray[np.float64], size: int, seed: int) -> list[int]:
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    state = Streams(seed).seed_of(f"clusters {size}") % (1 << 32)
    with warnings.catch_warnings():
        # Fewer distinct words than groups is no mistake of the caller.
        warnings.simplefilter("ignore", ConvergenceWarning)
        means = MiniBatchKMeans(size, random_state=state, n_init=1, batch_size=2048, max_iter=60)
        return [int(c) for c in means.fit_predict(vectors)]
