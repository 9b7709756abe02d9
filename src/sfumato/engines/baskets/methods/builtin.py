"""The methods of suppression: whole columns, single cells, whole rows, and columns combined with each of them.

Each method takes the rows, a k and what an adversary is assumed to know, and returns what it would publish;
the promise is checked again on the written file, whatever a method returns.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sfumato.engines.baskets.methods.protocol import Method, MethodRequest, Proposal

from ..cells._pair_kernels import columns_without_rare_pairs
from ..cells.cores import only_columns, suppress_cells, suppress_cells_and_columns, suppress_rows
from ..cells.itemsets import suppress_rare_itemsets
from ..disclosure.knowledge import AttackerKnowledge
from ..matrix.binary import BinaryMatrix
from ..measures.separation import information_per_one
from ..selectors.base import ContainmentSelector
from ..selectors.greedy import GreedyDistCnt, GreedyHamDist, GreedyInformation, GreedySupport
from ..selectors.maximal import MaximalSelector
from .rows import largest_row_set

__all__ = []


def _all_rows(matrix: BinaryMatrix) -> npt.NDArray[np.bool_]:
    return np.ones(matrix.n, dtype=bool)


def _select(matrix: BinaryMatrix, spec: MethodRequest) -> npt.NDArray[np.intp]:
    """Return columns that keep the promise."""
    assert spec.selector is not None
    knowledge = spec.knowledge
    if knowledge.items is not None and knowledge.items <= 2 and not knowledge.absences:
        return _columns_for_few_items(matrix, spec)
    classes = spec.positive
    if classes is None or not 0 < int(classes.sum()) < matrix.n:
        classes = np.arange(matrix.n) % 2 == 0  # a selector without labels does not look at them
    if knowledge.protects_rows and "absence_risky" in spec.selector.get_params():
        spec.selector.set_params(absence_risky="all")
    return np.sort(spec.selector.fit(matrix, classes).selected_)


def _columns_for_few_items(matrix: BinaryMatrix, spec: MethodRequest) -> npt.NDArray[np.intp]:
    held = matrix.supports >= spec.k
    if spec.knowledge.items == 2:
        order = np.argsort(-matrix.supports, kind="stable").astype(np.int32)
        held = columns_without_rare_pairs(
            matrix.indptr, matrix.indices, *matrix.columns, order, spec.k
        )
    return np.flatnonzero(held)


def _columns(matrix: BinaryMatrix, spec: MethodRequest) -> Proposal:
    chosen = _select(matrix, spec)
    return Proposal(only_columns(matrix, chosen), _all_rows(matrix), chosen)


def _weights(matrix: BinaryMatrix, spec: MethodRequest) -> npt.NDArray[np.int64] | None:
    """Weigh a one by what its item says about the class, in addition to the one itself, where that counts."""
    if not (spec.for_class and _two_classes(matrix, spec)):
        return None
    assert spec.positive is not None
    informative = information_per_one(matrix, spec.positive)
    mean = float(np.average(informative, weights=np.maximum(matrix.supports, 1e-9)))
    if mean <= 0:
        return None
    return np.minimum(1 + np.round(_EMPHASIS * informative / mean), 100).astype(np.int64)


_EMPHASIS = 16.0
_SEARCHED = 2_000_000  # ones up to which the largest frequent sets are searched, too


def _two_classes(matrix: BinaryMatrix, spec: MethodRequest) -> bool:
    return spec.positive is not None and 0 < int(spec.positive.sum()) < matrix.n


def _cells(matrix: BinaryMatrix, spec: MethodRequest) -> Proposal:
    knowledge = spec.knowledge
    if knowledge.protects_rows:
        found = suppress_rows(matrix, spec.k, effort=spec.effort, seed=spec.seed)
        return Proposal(found, _all_rows(matrix))
    weights = _weights(matrix, spec)
    contained = None
    if knowledge.items is None or knowledge.items >= 3:
        contained = suppress_cells(
            matrix, spec.k, columns=_best_columns(matrix, spec), weights=weights,
            effort=spec.effort, seed=spec.seed, progress=spec.progress,
        )  # fmt: skip
    if knowledge.items is None:
        assert contained is not None
        return Proposal(contained, _all_rows(matrix))
    found = suppress_rare_itemsets(matrix, spec.k, knowledge.items, otherwise=contained)
    if knowledge.items == 2:
        columns = only_columns(matrix, _columns_for_few_items(matrix, spec))
        found = max((found, columns), key=lambda m: len(m.indices))
    return Proposal(found, _all_rows(matrix))


def _best_columns(matrix: BinaryMatrix, spec: MethodRequest) -> npt.NDArray[np.intp]:
    """Return the columns of the most ones that a quick selector finds: the start of the cells."""
    selectors: list[ContainmentSelector] = [GreedySupport(spec.k)]
    if spec.positive is not None:
        selectors += [GreedyHamDist(spec.k), GreedyDistCnt(spec.k)]
    if len(matrix.indices) <= _SEARCHED:
        selectors.append(MaximalSelector(spec.k, family="frequent", work=5_000_000))
    plain = replace(spec, knowledge=AttackerKnowledge())
    found = [_select(matrix, replace(plain, selector=s)) for s in selectors]
    return max(found, key=lambda columns: int(matrix.supports[columns].sum()))


def _rows(matrix: BinaryMatrix, spec: MethodRequest) -> Proposal:
    kept = largest_row_set(matrix, spec.k, spec.knowledge)
    return Proposal(_without(matrix, kept), kept)


def _without(matrix: BinaryMatrix, kept: npt.NDArray[np.bool_]) -> BinaryMatrix:
    """Return the matrix with nothing in the rows that are suppressed."""
    lengths = np.where(kept, np.diff(matrix.indptr), 0)
    ones = np.repeat(kept, np.diff(matrix.indptr))
    return BinaryMatrix(np.concatenate(([0], np.cumsum(lengths))), matrix.indices[ones], matrix.d)


def _columns_and_cells(matrix: BinaryMatrix, spec: MethodRequest) -> Proposal:
    """Keep good columns whole, and single ones of the others; for a class, columns that predict it."""
    if spec.knowledge.protects_rows:
        return _columns(matrix, replace(spec, selector=GreedySupport(spec.k)))
    if spec.for_class and _two_classes(matrix, spec):
        plain = replace(spec, knowledge=AttackerKnowledge(), selector=GreedyInformation(spec.k))
        columns = _select(matrix, plain)
    else:
        columns = _best_columns(matrix, spec)
    found = suppress_cells_and_columns(
        matrix, spec.k, columns, weights=_weights(matrix, spec), effort=spec.effort,
        seed=spec.seed, progress=spec.progress,
    )  # fmt: skip
    return Proposal(found, _all_rows(matrix))


def _columns_and_rows(matrix: BinaryMatrix, spec: MethodRequest) -> Proposal:
    """Choose columns for smaller k, then suppress the rows that prevent k."""
    best = _columns(matrix, replace(spec, selector=GreedySupport(spec.k)))
    for k in sorted({max(1, spec.k // 4), max(1, spec.k // 2), max(1, 3 * spec.k // 4)}):
        tried = _columns(matrix, replace(spec, k=k, selector=GreedySupport(k)))
        kept = largest_row_set(tried.matrix, spec.k, spec.knowledge)
        found = Proposal(_without(tried.matrix, kept), kept, tried.columns)
        if np.count_nonzero(~kept) <= spec.max_rows_out * matrix.n and len(
            found.matrix.indices
        ) > len(best.matrix.indices):
            best = found
    return best


COLUMNS = Method("whole columns; every row stays", _columns, selects=True)
CELLS = Method("single ones are left out; every row and most columns stay", _cells)
ROWS = Method("whole rows are left out; what is published is as it was", _rows)
COLUMNS_AND_CELLS = Method(
    "whole columns, and single ones of the others; every row stays", _columns_and_cells
)
COLUMNS_AND_ROWS = Method("whole columns, with a few rows left out", _columns_and_rows)
