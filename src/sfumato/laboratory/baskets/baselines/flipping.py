"""RF: k-anonymity by clustering and random flipping (Byun et al., as the paper uses it).

Rows are clustered so that each cluster has at least k rows; then every feature takes, in the whole
cluster, the value of one of its members drawn at random. (Taking the majority flips far fewer cells
than the paper reports; the random member comes close.) On more than `block` rows the clustering is done
block by block, because it compares all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ....core.errors import DataError
from ....core.randomness import Streams
from ....engines.baskets.matrix.binary import BinaryMatrix, as_binary
from . import _kernels as kernels

__all__ = ["Flipped", "flip_into_clusters"]


@dataclass(frozen=True)
class Flipped:
    """A k-anonymous matrix on all features, and the share of cells that were changed."""

    matrix: BinaryMatrix
    flipped_share: float


def flip_into_clusters(matrix: object, *, k: int, seed: int = 0, block: int = 4000) -> Flipped:
    """Cluster rows and give every cluster one common row."""
    binary = as_binary(matrix)
    if binary.n < k:
        raise DataError(f"k = {k} is larger than the number of rows ({binary.n}).")
    rng = Streams(seed).generator("flipping")
    rows = binary.to_csr()
    out: list[sp.csr_matrix] = []
    order = rng.permutation(binary.n)
    blocks = np.array_split(order, max(1, min(-(-binary.n // block), binary.n // k)))
    for members in blocks:
        part = binary.take_rows(members)
        cluster = kernels.k_member_clusters(
            part.indptr, part.indices, part.d, k, int(rng.integers(part.n))
        )
        out.append(_common_rows(part, cluster, rng))
    back = np.empty(binary.n, dtype=np.int64)
    back[np.concatenate(blocks)] = np.arange(binary.n)
    flipped = sp.vstack(out, format="csr")[back]
    changed = int((flipped.astype(np.int8) != rows.astype(np.int8)).nnz)
    return Flipped(as_binary(flipped), changed / max(binary.n * binary.d, 1))


def _common_rows(
    part: BinaryMatrix, cluster: npt.NDArray[np.int32], rng: np.random.Generator
) -> sp.csr_matrix:
    """Draw a member for each cluster and feature; all rows of the cluster take its value."""
    clusters = int(cluster.max()) + 1
    sizes = np.bincount(cluster, minlength=clusters)
    member = sp.csr_matrix(
        (np.ones(part.n, dtype=np.float64), (cluster, np.arange(part.n))), shape=(clusters, part.n)
    )
    held = sp.csr_matrix(member @ part.to_csr().astype(np.float64))
    held.sort_indices()
    owner = np.repeat(np.arange(clusters), np.diff(held.indptr))
    keep = rng.random(len(held.data)) * sizes[owner] < held.data
    common = sp.csr_matrix(
        (np.ones(int(keep.sum()), dtype=np.uint8), (owner[keep], held.indices[keep])),
        shape=(clusters, part.d),
    )
    return common[cluster]
