"""A method of the baskets engine: publishes the columns that the greedy test by support accepts."""

import numpy as np

from sfumato.engines.baskets.cells.cores import only_columns
from sfumato.engines.baskets.methods.protocol import Method, Proposal
from sfumato.engines.baskets.registry import SELECTORS


def _frequent(matrix, spec):
    selector = SELECTORS["support"].make(spec.k, "never", spec.seed)
    chosen = np.sort(selector.fit(matrix, np.arange(matrix.n) % 2 == 0).selected_)
    return Proposal(only_columns(matrix, chosen), np.ones(matrix.n, dtype=bool), chosen)


FREQUENT = Method("columns by their support alone", _frequent)
