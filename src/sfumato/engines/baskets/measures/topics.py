"""Name disambiguation: how widely a row's features spread over topics (equation 5).

A name of one person uses words of few topics; one that several people share uses words of
many. The entropy of a row's topic distribution is the score, and its AUC the worth of the features.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.metrics import roc_auc_score

from ....core.errors import ParameterError
from ....core.randomness import Streams
from ..matrix.binary import as_binary, as_classes

__all__ = ["topic_entropy", "topic_entropy_auc"]


def topic_entropy(
    matrix: object, *, topics: int = 10, iterations: int = 20, seed: int = 0
) -> npt.NDArray[np.float64]:
    """Return E(u) of every row, in nats, under an LDA of the matrix; labels are not used.

    >>> import numpy as np
    >>> pure = np.kron(np.eye(2, dtype=int), np.ones((20, 6), dtype=int))
    >>> mixed = np.ones((2, 12), dtype=int)
    >>> scores = topic_entropy(np.vstack([pure, mixed]), topics=2)
    >>> bool(scores[-2:].min() > scores[:-2].max())
    True
    """
    if topics < 2:
        raise ParameterError.constraint("topics", "topic_entropy", "an int in [2, inf)", topics)
    binary = as_binary(matrix)
    if binary.d == 0:
        return np.zeros(binary.n)
    model = LatentDirichletAllocation(
        n_components=topics, max_iter=iterations, learning_method="batch",
        random_state=Streams(seed).seed_of("topics") % (2**32), n_jobs=1,
    )  # fmt: skip
    share = model.fit_transform(binary.to_csr().astype(np.float64))
    share = np.maximum(share / share.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(-(share * np.log(share)).sum(axis=1), dtype=np.float64)


def topic_entropy_auc(
    matrix: object, labels: object, *, topics: int = 10, iterations: int = 20, seed: int = 0
) -> float:
    """Rank rows by their topic entropy; the greater label is the name that several people share."""
    binary = as_binary(matrix)
    positive = as_classes(labels, binary.n)
    scores = topic_entropy(binary, topics=topics, iterations=iterations, seed=seed)
    return float(roc_auc_score(positive, scores))
