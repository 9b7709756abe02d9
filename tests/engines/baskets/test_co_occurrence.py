"""A hierarchy learned from co-occurrence: planted groups come back, levels nest, and it says it was learned."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.engines.baskets.matrix.co_occurrence import learn_groups, learn_hierarchy


def planted(rng, blocks=6, size=8, rows=600):
    """Make rows of people who each draw most items from one or two blocks, in a shuffled order."""
    block = rng.permutation(np.repeat(np.arange(blocks), size))
    likes = rng.integers(blocks, size=(rows, 2))
    rate = np.where((block == likes[:, :1]) | (block == likes[:, 1:]), 0.45, 0.03)
    return (rng.random(rate.shape) < rate).astype(np.uint8), block


def test_planted_groups_come_back():
    for seed in range(3):
        matrix, block = planted(np.random.default_rng(seed))
        group, section = learn_groups(matrix, size=8)
        together = [(a, b) for a, b in itertools.combinations(range(48), 2) if group[a] == group[b]]
        right = np.mean([block[a] == block[b] for a, b in together])
        assert right >= 0.95
        assert len(together) >= 0.6 * 6 * 28  # most pairs of a block share their group
        assert len(set(section)) == 1  # 48 items fit into one section of up to 64


@settings(max_examples=40)
@given(
    st.integers(0, 2**20), st.integers(1, 40), st.integers(1, 60), st.integers(2, 6), st.integers(1, 4)
)  # fmt: skip
def test_groups_nest_in_sections_and_hold_no_more_than_asked(seed, n, d, size, min_rows):
    matrix = (np.random.default_rng(seed).random((n, d)) < 0.3).astype(np.uint8)
    group, section = learn_groups(matrix, size=size, min_rows=min_rows)
    grouped = matrix.sum(axis=0) >= min_rows
    assert ((group >= 0) == grouped).all()
    assert ((section >= 0) == grouped).all()
    for number in set(group[grouped]):
        assert (group == number).sum() <= size
        assert len(set(section[group == number])) == 1
    for number in set(section[grouped]):
        assert (section == number).sum() <= size * size
    again = learn_groups(matrix, size=size, min_rows=min_rows)
    assert (again[0] == group).all()


def test_lines_name_the_most_common_item_and_say_learned():
    matrix = np.zeros((12, 4), dtype=np.uint8)
    matrix[:6, :2] = matrix[6:, 2:] = 1
    matrix[0, 0] = matrix[6, 3] = 0
    lines = learn_hierarchy(matrix, ("a", "b", "c", "d"), size=2)
    assert lines == [
        ["a", "learned group of b", "learned section of b", "*"],
        ["b", "learned group of b", "learned section of b", "*"],
        ["c", "learned group of c", "learned section of b", "*"],
        ["d", "learned group of c", "learned section of b", "*"],
    ]
