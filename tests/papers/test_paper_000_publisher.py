"""Paper 000, sections 3–4: Algorithm 1, Theorem 1, Lemma 1 and Theorem 2 on worlds small enough to count.

A world is a handful of instances, which of them are sensitive, and a hypothesis class given as a table;
the learner of such a world is the paper's own: the most accurate hypothesis on what is left.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.engines.text.learners.protocol import Learner, Model
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.labelled import Labelled, total_loss
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize
from sfumato.engines.text.sanitize.greedy import GreedySanitize


@dataclass
class TableModel(Model):
    """h as a row of the table."""

    positive: np.ndarray
    kind = "table"

    def scores(self, data, *, documents=None):
        return np.where(data.redacted, -np.inf, np.where(self.positive, 1.0, -1.0))

    def to_arrays(self):
        return {"kind": self.kind}, {"positive": self.positive}


@dataclass
class TableLearner(Learner):
    """arg min FP + FN over the class (eqs. 2 and 3); of equals the first."""

    hypotheses: np.ndarray
    name = "table"

    def best(self, sensitive, left):
        wrong = (self.hypotheses != sensitive) & left
        return self.hypotheses[wrong.sum(axis=1).argmin()]

    def fit(self, data, labels, *, documents=None, cost_ratio=1.0, seed=0):
        return TableModel(self.best(labels.astype(bool), ~data.redacted))


@st.composite
def worlds(draw):
    n = draw(st.integers(2, 9))
    sensitive = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    sensitive[0], sensitive[1] = True, False
    table = draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=6))
    ratio = draw(st.sampled_from([0.5, 1.0, 2.0, 5.0, 100.0]))
    return np.array(sensitive), np.array(table), ratio


def run(sensitive, table, ratio):
    vocabulary = Vocabulary()
    tokens = tokenize([" ".join(f"w{'abcdefghi'[i]}" for i in range(len(sensitive)))], vocabulary)
    data = TokenData.of(tokens, vocabulary)
    labelled = Labelled(data, sensitive.astype(np.int16), ("NAME",), np.ones(1, bool))
    learner = TableLearner(table)
    publication = GreedySanitize(learner, mode="paper").fit(labelled, [ratio])[ratio]
    return labelled, learner, publication


@settings(max_examples=150)
@given(worlds())
def test_algorithm_1_step_by_step(world):
    """The classifiers are those of the pseudocode, and the one that fails the test is not added."""
    sensitive, _, ratio = world
    _, learner, publication = run(*world)
    left = np.ones(len(sensitive), bool)
    expected = []

    def loss(left):
        return ratio * (sensitive & left).sum() + (~sensitive & ~left).sum()

    while True:
        h = learner.best(sensitive, left)
        after = left & ~h
        if loss(after) - loss(left) >= 0:
            break
        expected.append(h)
        left = after
    chosen = [c.stages[0].model.positive for c in publication.classifiers.classifiers]
    assert len(chosen) == len(expected)
    assert all(np.array_equal(a, b) for a, b in zip(chosen, expected, strict=True))
    assert np.array_equal(publication.redacted, ~left)
    assert publication.total_loss == loss(left)
    assert [r.kept for r in publication.rounds] == [True] * len(expected) + [False]


@settings(max_examples=150)
@given(worlds())
def test_theorem_1_it_ends_within_as_many_rounds_as_instances(world):
    sensitive, _, _ = world
    _, _, publication = run(*world)
    assert len(publication.rounds) <= len(sensitive) + 1  # the last one is the one that fails
    losses = [r.total_loss for r in publication.rounds if r.kept]
    assert losses == sorted(losses, reverse=True)
    assert len(set(losses)) == len(losses)


@settings(max_examples=150)
@given(worlds(), st.data())
def test_lemma_1_what_a_classifier_adds_is_counted_on_what_is_published(world, data):
    """FN(H) = FN(H ∪ h) + TP(h, P(H)) and FP(H ∪ h) = FP(H) + FP(h, P(H)), so T follows."""
    sensitive, table, ratio = world
    picked = data.draw(st.lists(st.sampled_from(range(len(table))), max_size=4))
    h = table[data.draw(st.sampled_from(range(len(table))))]
    removed = np.zeros(len(sensitive), bool)
    for k in picked:
        removed |= table[k]
    published = ~removed
    true_positives = (h & sensitive & published).sum()
    false_positives = (h & ~sensitive & published).sum()
    fn, fn_more = (sensitive & ~removed).sum(), (sensitive & ~removed & ~h).sum()
    fp, fp_more = (~sensitive & removed).sum(), (~sensitive & (removed | h)).sum()
    assert fn == fn_more + true_positives
    assert fp_more == fp + false_positives
    losses = np.where(sensitive, ratio, 0.0)
    everything = np.ones(len(sensitive), bool)
    change = total_loss(losses, everything, removed | h) - total_loss(losses, everything, removed)
    assert change == pytest.approx(false_positives - ratio * true_positives)


@settings(max_examples=150)
@given(worlds())
def test_theorem_2_the_result_is_a_local_optimum(world):
    """No attacker of the class is worth redacting: TP_A = 0 or FP_A / TP_A ≥ L / C."""
    sensitive, _, ratio = world
    labelled, learner, publication = run(*world)
    left = ~publication.redacted
    attacker = learner.best(sensitive, left)
    true_positives = (attacker & sensitive & left).sum()
    false_positives = (attacker & ~sensitive & left).sum()
    optimum = true_positives == 0 or false_positives / true_positives >= ratio
    assert optimum
    # … if and only if: the test of the theorem is the sign of the change of T, for any set H.
    losses = labelled.losses(ratio, {})
    before = total_loss(losses, labelled.instances, ~left)
    after = total_loss(losses, labelled.instances, ~left | attacker)
    assert (after - before >= 0) == optimum
    nothing = np.zeros(len(sensitive), bool)
    h = learner.best(sensitive, ~nothing)
    tp, fp = (h & sensitive).sum(), (h & ~sensitive).sum()
    gains = total_loss(losses, labelled.instances, h) - total_loss(
        losses, labelled.instances, nothing
    )
    assert (gains >= 0) == (tp == 0 or fp / tp >= ratio)


def test_the_loss_of_equation_4():
    losses, everything = np.array([10.0, 10.0, 0.0, 0.0]), np.ones(4, bool)
    assert total_loss(losses, everything, np.array([True, False, True, False])) == 11.0
    assert total_loss(losses, everything, np.zeros(4, bool)) == 20.0
    assert total_loss(losses, everything, everything) == 2.0
