"""A measure of the baskets engine: the share of the ones of the most frequent tenth of the items."""

import numpy as np

from sfumato.engines.baskets.measures.retention import MeasureOf


def _mass(original, _seed):
    top = np.argsort(-original.supports, kind="stable")[: max(1, original.d // 10)]
    return lambda published: float(published.supports[top].sum() / original.supports[top].sum())


MASS = MeasureOf("share of the ones of the most frequent tenth of the items", _mass)
