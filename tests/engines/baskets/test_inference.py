"""Sensitive items: confidences against plain counting, and releases that keep to the limit."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.baskets import explore
from sfumato.core import InputError, ReleaseRefusedError
from sfumato.engines.baskets.disclosure.inference import highest_confidence, without_telling_items
from sfumato.engines.baskets.matrix.binary import as_binary
from sfumato.engines.baskets.release.steps import publish_in_memory
from sfumato.engines.baskets.request import BasketsPublishRequest

from .test_cells import matrices
from .test_engine import purchases


def by_hand(X, sensitive):
    best = 0.0
    for s in sensitive:
        others = [j for j in range(X.shape[1]) if j != s]
        for size in (1, 2):
            for known in itertools.combinations(others, size):
                rows = X[:, list(known)].all(axis=1)
                if rows.any():
                    best = max(best, X[rows, s].mean())
    return best


@settings(max_examples=60)
@given(matrices(30, 7), st.data())
def test_confidences_are_those_of_plain_counting(matrix, data):
    d = matrix.shape[1]
    some = data.draw(st.lists(st.integers(0, d - 1), min_size=1, unique=True))
    sensitive = np.array(sorted(some))
    assert highest_confidence(as_binary(matrix), sensitive) == pytest.approx(
        by_hand(matrix, sensitive)
    )
    safe = without_telling_items(as_binary(matrix), sensitive, 0.6).to_array()
    assert (safe <= matrix).all()
    assert by_hand(safe, sensitive) <= 0.6


def test_a_release_keeps_to_the_limit_and_is_refused_above_it():
    X, _ = purchases(n=300, d=14, seed=6)
    free = explore(X, k=3, sensitive=["f1", "f2"])
    bound = explore(X, k=3, sensitive=["f1", "f2"], max_confidence=0.5)
    assert max(c.confidence for c in free.candidates) > 0.5
    for candidate in bound.candidates:
        assert candidate.confidence <= 0.5
        assert candidate.promised >= 3
        out = bound.publish(candidate, X)
        place = [i for i, n in enumerate(out.feature_names) if n in {"f1", "f2"}]
        assert by_hand(out.matrix.toarray(), place) <= 0.5
    (columns,) = [c for c in free.candidates if c.publish_as == "columns"]
    with pytest.raises(ReleaseRefusedError, match="lets a sensitive item be inferred"):
        publish_in_memory(
            columns.model_copy(update={"max_confidence": columns.confidence - 0.01}),
            BasketsPublishRequest(matrix=X),
        )
    with pytest.raises(InputError, match="1 of the 1 sensitive items are not in the data"):
        explore(X, k=3, sensitive=["nothing like it"])
