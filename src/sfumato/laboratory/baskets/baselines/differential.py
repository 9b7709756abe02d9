"""Laplace-DP and Exponential-DP: private feature selection, then a noisy contingency table.

Neighbours replace one row's features; labels and class sizes are public. HamDist of a feature then
moves by at most 1/(rows of the smaller class). The budget ε is split as the paper does, half for the
selection (in equal parts over the N features) and half for the release:

- laplace: one noise Lap(2·N·ΔH/ε_selection) a feature, the N largest are taken (one-shot top-N);
- exponential: N draws without replacement, each with weight exp(ε_selection/N · H / (2·ΔH));
- release: every cell of the 2^N × 2 table gets Lap(2/ε_release), is rounded and cut off at zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....core.errors import LimitError, ParameterError
from ....core.randomness import Streams
from ....engines.baskets.matrix.binary import BinaryMatrix, as_binary, as_classes
from ....engines.baskets.measures.separation import ham_dist_pairs

__all__ = ["MOST_CELLS_LOG2", "DpRelease", "differential_release"]

MOST_CELLS_LOG2 = 20


@dataclass(frozen=True)
class DpRelease:
    """A differentially private table: synthetic rows on N features, their labels, the budget's parts."""

    matrix: BinaryMatrix
    positive: npt.NDArray[np.bool_]
    features: npt.NDArray[np.intp]
    epsilon_selection: float
    epsilon_release: float


def differential_release(
    matrix: object, labels: object, *, count: int, epsilon: float, mechanism: str, seed: int = 0
) -> DpRelease:
    """Choose `count` features privately and release a noisy table on them, ε-DP in all."""
    binary = as_binary(matrix)
    positive = as_classes(labels, binary.n)
    if not epsilon > 0:
        raise ParameterError.constraint("epsilon", "differential_release", "positive", epsilon)
    if mechanism not in {"laplace", "exponential"}:
        raise ParameterError.constraint(
            "mechanism", "differential_release", '"laplace" or "exponential"', mechanism
        )
    count = min(count, binary.d)
    if not 1 <= count < MOST_CELLS_LOG2:
        raise LimitError(
            f"A table on {count} features is out of reach: it has 2^{count} cells a class.",
            hint=f"give a count in [1, {MOST_CELLS_LOG2 - 1}].",
        )
    rng = Streams(seed).generator(f"differential {mechanism} {epsilon!r}")
    half = epsilon / 2
    p = int(positive.sum())
    scores = ham_dist_pairs(binary, positive) / (p * (binary.n - p))
    sensitivity = 1.0 / min(p, binary.n - p)
    if mechanism == "laplace":
        noisy = scores + rng.laplace(scale=2 * count * sensitivity / half, size=binary.d)
        features = np.argsort(-noisy, kind="stable")[:count]
    else:  # Gumbel noise on the log weights draws without replacement
        log_weights = half / count * scores / (2 * sensitivity)
        features = np.argsort(-(log_weights + rng.gumbel(size=binary.d)), kind="stable")[:count]
    features = np.sort(features)
    rows, kept = _noisy_rows(binary.project(features), positive, half, rng)
    return DpRelease(rows, kept, features, half, half)


def _noisy_rows(
    part: BinaryMatrix, positive: npt.NDArray[np.bool_], epsilon: float, rng: np.random.Generator
) -> tuple[BinaryMatrix, npt.NDArray[np.bool_]]:
    bits = np.concatenate(([0], np.cumsum(np.int64(1) << part.indices.astype(np.int64))))
    codes = bits[part.indptr[1:]] - bits[part.indptr[:-1]]
    cells = 1 << part.d
    table = np.bincount(codes + cells * positive, minlength=2 * cells).astype(np.float64)
    table += rng.laplace(scale=2.0 / epsilon, size=2 * cells)  # a replaced row changes two cells
    counts = np.maximum(np.rint(table), 0).astype(np.int64)
    drawn = np.repeat(np.arange(2 * cells), counts)
    dense = ((drawn % cells)[:, None] >> np.arange(part.d)) & 1
    return as_binary(dense.astype(np.uint8)), drawn >= cells
