"""Paper 002: definitions 3.1 to 3.10 and figures 1 to 4, on the paper's own examples."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import FormatError, ParameterError
from sfumato.core.frontier import Frontier
from sfumato.engines.tables.space.policy import Lattice

AGES = tuple(str(v) for v in range(1, 11))
ZIPS = tuple(str(v) for v in range(37201, 37230))


def figure_1():
    return Lattice(("Age", "Gender", "ZIP"), (AGES, ("male", "female"), ZIPS))


def test_figure_1_a_policy_in_words_and_bits():
    lattice = figure_1()
    policy = lattice.policy(
        {
            "Age": ["1-2", "3-6", "7-10"],
            "Gender": ["male", "female"],
            "ZIP": ["37201-37228", "37229"],
        }
    )
    assert policy.bits[:9].tolist() == [0, 1, 0, 0, 0, 1, 0, 0, 0]
    assert policy.bits[9:10].tolist() == [1]
    assert policy.bits[10:].tolist() == [0] * 27 + [1]
    assert lattice.from_bits(policy.bits) == policy
    assert lattice.policy(policy.intervals()) == policy
    assert policy.intervals()["ZIP"] == ["37201-37228", "37229"]


def test_figure_1_overlapping_intervals_are_no_policy():
    with pytest.raises(FormatError, match="partition"):
        figure_1().policy({"Age": ["1-5", "3-10"]})
    with pytest.raises(FormatError, match="cover"):
        figure_1().policy({"Age": ["1-5"]})
    with pytest.raises(FormatError, match="does not have"):
        figure_1().policy({"Height": ["1"]})


def generalisations(policy):
    """Return the policies with one cut less (Definition 3.4): those that `policy` is just above."""
    at = np.flatnonzero(policy.bits)
    return [
        policy.lattice.from_bits(np.where(np.arange(len(policy.bits)) == i, 0, policy.bits))
        for i in at
    ]


def is_glb(alpha, beta):
    return alpha in generalisations(beta)


def test_figure_2_order_and_glb():
    """γ ages 1-4, 5-6, 7-10; α without the cut between 4 and 5; β without the one between 6 and 7."""
    lattice = Lattice(("Age",), (AGES,))
    gamma = lattice.policy({"Age": ["1-2", "3-4", "5-6", "7-10"]})
    alpha = lattice.policy({"Age": ["1-2", "3-6", "7-10"]})
    beta = lattice.policy({"Age": ["1-2", "3-10"]})
    assert beta < alpha < gamma
    assert gamma > beta
    assert is_glb(alpha, gamma)
    assert is_glb(beta, alpha)
    assert not is_glb(beta, gamma)
    assert not is_glb(gamma, alpha)


def four_bits():
    return Lattice(("a",), (("1", "2", "3", "4", "5"),))


def test_figure_3_chain_and_sublattice():
    lattice = four_bits()
    chain = [lattice.from_bits([1] * cuts + [0] * (4 - cuts)) for cuts in (4, 3, 2, 1, 0)]
    assert chain[0] == lattice.bottom
    assert chain[-1] == lattice.top
    assert all(b < a for a, b in pairwise(chain))
    assert all(is_glb(b, a) for a, b in pairwise(chain))
    upper, lower = lattice.from_bits([0, 0, 0, 1]), lattice.from_bits([1, 0, 1, 1])
    every = [lattice.from_bits([(m >> i) & 1 for i in range(4)]) for m in range(16)]
    inside = {tuple(p.bits.tolist()) for p in every if upper <= p <= lower}
    assert inside == {(0, 0, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (1, 0, 1, 1)}


def test_figure_4_a_policy_updates_the_frontier():
    """The square dominates two policies: it comes in, they go out."""
    frontier = Frontier()
    for risk, loss, name in (
        (0.0, 1.0, "top"),
        (0.4, 0.6, "1100"),
        (0.6, 0.5, "1110"),
        (1.0, 0.0, "1111"),
    ):
        frontier.insert(risk, 1 - loss, name)
    assert frontier.insert(0.3, 1 - 0.4, "square")
    assert list(frontier) == ["top", "square", "1111"]


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 1), min_size=4, max_size=4),
    st.lists(st.integers(0, 1), min_size=4, max_size=4),
)
def test_definition_3_3_is_a_partial_order(first, second):
    lattice = four_bits()
    a, b = lattice.from_bits(first), lattice.from_bits(second)
    by_definition = all(x <= y for x, y in zip(first, second, strict=True)) and first != second
    assert (a < b) == by_definition
    assert not (a < b and b < a)
    assert lattice.top <= a <= lattice.bottom
    assert hash(a) == hash(lattice.from_bits(first))
    assert a.id == lattice.from_bits(first).id


def test_bits_of_another_length_are_refused():
    with pytest.raises(ParameterError, match="4 bits"):
        four_bits().from_bits([1, 0])


def test_words_for_names_missing_values_and_long_lists():
    lattice = Lattice(
        ("race", "age", "c"),
        (("White", "Black", "Other"), ("1", "2", "?"), tuple(f"v{i}" for i in range(12))),
    )
    policy = lattice.policy({"race": ["White", "Black|Other"], "age": ["1", "2|?"]})
    assert policy.intervals()["race"] == ["White", "Black|Other"]
    top = lattice.top.intervals()
    assert top["age"] == ["*"]
    assert top["c"] == ["*"]
    assert lattice.policy(top) == lattice.top
    assert policy.summary()["c"] == "as it is"
    assert np.array_equal(lattice.policy({"age": [["1", "2"], ["?", "?"]]}).bits[2:4], [0, 1])
