"""The CRF of half answers against brute force, and its twin for texts outside the pool."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.document import Document, Span
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.learners import _partial_kernels as kernels
from sfumato.engines.text.learners.partial import UNKNOWN, PartialCRF, Pool
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.rules import ChosenRules


def brute_force(e, before, T, known):
    """Marginals and expected transitions of all labellings that agree with what is known."""
    n, total = len(e), 0.0
    p, pairs = np.zeros(n), np.zeros((2, 2))
    for y in itertools.product((0, 1), repeat=n):
        if any(k != UNKNOWN and k != v for k, v in zip(known, y, strict=True)):
            continue
        chain = (before, *y)
        weight = math.exp(
            sum(x * v for x, v in zip(e, y, strict=True))
            + sum(T[a, b] for a, b in itertools.pairwise(chain))
        )
        total += weight
        p += weight * np.array(y)
        for a, b in itertools.pairwise(chain):
            pairs[a, b] += weight
    return p / total, pairs / total


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.floats(-4, 4), st.sampled_from([-1, 0, 1])), min_size=1, max_size=7),
    st.lists(st.floats(-2, 2), min_size=4, max_size=4),
    st.integers(0, 1),
)
def test_posteriors_with_known_words_held_fixed_are_those_of_all_labellings(words, moves, before):
    e = np.array([x for x, _ in words])
    known = [k for _, k in words]
    T = np.array(moves).reshape(2, 2)
    fixed = np.where(np.array(known) < 0, e, np.where(np.array(known) == 1, 50.0, -50.0))
    n = len(e)
    p, grad = np.empty(n), np.zeros((2, 2))
    kernels._pairs(fixed, n, before, np.exp(T), np.empty(n), np.empty(n), 1.0, p, grad)
    wanted, pairs = brute_force(e, before, T, known)
    assert p == pytest.approx(wanted, abs=1e-6)
    assert grad == pytest.approx(pairs, abs=1e-6)


def prepared(documents, rules=None):
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    data = TokenData.of(tokens, vocabulary)
    if rules is not None:
        data = data.with_places(rules.applied(rules.documents(documents), tokens)[0])
    return data, (labels_from_spans(documents, tokens, ["NAME"]) > 0).astype(np.int8)


@pytest.fixture(scope="module")
def notes():
    return clinic_notes(40, seed=2)


def test_what_nobody_has_said_teaches_nothing(notes):
    data, _ = prepared(notes)
    pool = Pool(data)
    nothing = np.full(len(data), UNKNOWN, np.int8)
    fitted = PartialCRF().fit(pool, nothing)
    assert not fitted.weights.any()
    assert np.all(fitted.scores() < math.log(0.1))


def test_rules_alone_score_before_the_first_answer_and_fade(notes):
    rules = ChosenRules.read(None, labels=["NAME"], texts=[d.text for d in notes])
    data, _ = prepared(notes, rules)
    pool = Pool(data)
    fitted = PartialCRF().fit(pool, np.full(len(data), UNKNOWN, np.int8))
    proposed = data.places[1].values > 0
    assert proposed.any()
    assert fitted.scores()[proposed].min() > fitted.scores()[~proposed & data.counted].mean()
    contrary = np.where(proposed & data.counted, 0, UNKNOWN).astype(np.int8)
    assert PartialCRF().fit(pool, contrary).scores()[proposed].max() < fitted.scores()[proposed].max()  # fmt: skip


def test_half_the_words_known_find_most_of_the_others(notes):
    data, gold = prepared(notes)
    half = np.random.default_rng(0).random(len(gold)) < 0.5
    known = np.where(half, gold, UNKNOWN).astype(np.int8)
    scores = PartialCRF().fit(Pool(data), known).scores()
    hidden, names = scores >= math.log(0.1), (gold > 0) & ~half & data.counted
    assert (hidden & names).sum() > 0.85 * names.sum()
    assert (hidden & (gold == 0) & data.counted).sum() < 0.1 * data.counted.sum()


def test_the_model_for_other_texts_scores_the_pool_alike(notes):
    data, gold = prepared(notes)
    known = np.where(np.arange(len(gold)) % 3 == 0, gold, UNKNOWN).astype(np.int8)
    fitted = PartialCRF().fit(Pool(data), known, seed=4)
    assert fitted.model().scores(data) == pytest.approx(fitted.scores(), abs=1e-3)
    again = PartialCRF().fit(Pool(data), known, seed=4)
    assert np.array_equal(again.weights, fitted.weights)


def test_documents_left_out_teach_nothing(notes):
    data, gold = prepared(notes)
    outside = data.document_of >= 20
    use = np.arange(data.documents) < 20
    only = np.where(outside, UNKNOWN, gold).astype(np.int8)
    a = PartialCRF().fit(Pool(data), gold, documents=use)
    b = PartialCRF().fit(Pool(data), only)
    assert np.array_equal(a.weights, b.weights)


def test_chains_cover_every_token_once_and_stay_inside_documents():
    texts = ["One. Two! " + "word " * 200, "", "Last"]
    data, _ = prepared([Document(str(i), t, [Span(0, 1, "X")] if t else []) for i, t in enumerate(texts)])  # fmt: skip
    first, last, document = Pool(data).chains
    covered = np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)])
    assert covered.tolist() == list(range(len(data)))
    assert (last - first).max() <= kernels.LONGEST
    assert all(data.document_of[b - 1] == d for b, d in zip(last, document, strict=True))


def test_a_name_that_was_overlooked_once_is_found_all_the_same(notes):
    """A reader who misses something is outvoted by what the same reader said elsewhere; a plain no is believed."""
    data, gold = prepared(notes)
    known = gold.copy()
    names = np.flatnonzero((gold > 0) & data.counted)
    overlooked = names[::12]
    known[overlooked] = 0
    believed = PartialCRF().fit(Pool(data), known).scores()
    outvoted = PartialCRF(missed=0.02).fit(Pool(data), known).scores()
    least = math.log(0.1)
    assert (outvoted[overlooked] >= least).mean() > 0.8
    assert outvoted[overlooked].mean() > believed[overlooked].mean() + 0.03
    harmless = (gold == 0) & data.counted
    assert (outvoted >= least)[harmless].mean() < (believed >= least)[harmless].mean() + 0.01
