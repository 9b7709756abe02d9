"""The model that tells labels apart: against brute force, learned from few words, and stored."""

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import ModelError
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.learners import _label_kernels as kernels
from sfumato.engines.text.learners.labels import (
    LabelCRF,
    LabelModel,
    _runs,
    likeliest_labels,
    with_scores,
)
from sfumato.engines.text.learners.partial import Pool
from sfumato.engines.text.reading.features import PlaceFeature, TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.starter.adapted import adapt
from sfumato.engines.text.starter.weights import packaged_starter

NAMES = ["NAME", "DATE", "PHONE", "MRN"]


def data_of(texts):
    vocabulary = Vocabulary()
    return TokenData.of(tokenize(texts, vocabulary), vocabulary)


def sums(emissions, moves):
    """The weight of each labelling of one run."""
    labels, words = emissions.shape
    for y in itertools.product(range(labels), repeat=words):
        yield y, sum(emissions[q, i] for i, q in enumerate(y)) + sum(moves[a, b] for a, b in itertools.pairwise(y))  # fmt: skip


numbers = st.lists(st.floats(-4, 4), min_size=27, max_size=27)


@settings(max_examples=40)
@given(numbers, st.lists(st.booleans(), min_size=6, max_size=6), st.lists(st.booleans(), min_size=6, max_size=6))  # fmt: skip
def test_each_run_gets_its_likeliest_labels(drawn, redacted, line):
    emissions, moves = np.array(drawn[:18]).reshape(3, 6), np.array(drawn[18:]).reshape(3, 3)
    found = likeliest_labels(emissions, moves, np.array(redacted), np.array(line))
    runs, run = [], []
    for i in range(6):
        if run and (not redacted[i] or line[i]):
            runs, run = [*runs, run], []
        run = [*run, i] if redacted[i] else []
    for places in [*runs, *([run] if run else [])]:
        weights = dict(sums(emissions[:, places], moves))
        assert weights[tuple((found[places] - 1).tolist())] == pytest.approx(max(weights.values()), abs=1e-9)  # fmt: skip
    assert not found[~np.array(redacted)].any()


@settings(max_examples=25)
@given(st.lists(st.floats(-2, 2), min_size=21, max_size=21), st.lists(st.integers(1, 3), min_size=4, max_size=4))  # fmt: skip
def test_a_step_of_learning_is_that_of_all_labellings(drawn, labels):
    data = data_of(["alpha beta gamma delta"])
    own = PlaceFeature("own", np.arange(4, dtype=np.int32), 4)
    pool = Pool(replace(data, places=(own,)))
    index, (places, _) = pool.data.index(), pool.places
    weights, moves = np.zeros((3, pool.size, 2), np.float32), np.zeros((3, 3, 2))
    emissions = np.array(drawn[:12]).reshape(3, 4).astype(np.float32)
    weights[:, pool.base[-1] :, 0], moves[:, :, 0] = emissions, np.array(drawn[12:]).reshape(3, 3)
    weigh = [(y, math.exp(w)) for y, w in sums(emissions, moves[:, :, 0].copy())]
    total = sum(w for _, w in weigh)
    kernels.train(
        np.zeros(1, np.int64), np.zeros(1, np.int64), np.full(1, 4), np.zeros(1, np.int64),
        data.tokens.doc, data.rows, np.array(labels), index.own_bounds, index.own, index.near,
        index.far, index.joint, places, pool.base, weights, moves, 0.1, 0.0,
    )  # fmt: skip
    for q, i in itertools.product(range(3), range(4)):
        wanted = (labels[i] == q + 1) - sum(w for y, w in weigh if y[i] == q) / total
        assert math.sqrt(weights[q, pool.base[-1] + i, 1]) == pytest.approx(abs(wanted), abs=1e-4)
    for p, q in itertools.product(range(3), repeat=2):
        steps = [
            (labels[i - 1] == p + 1 and labels[i] == q + 1)
            - sum(w for y, w in weigh if y[i - 1] == p and y[i] == q) / total
            for i in range(1, 4)
        ]
        assert moves[p, q, 1] == pytest.approx(sum(steps) ** 2, abs=1e-4)


@pytest.fixture(scope="module")
def told():
    notes = clinic_notes(40, seed=2)
    data = data_of([d.text for d in notes])
    truth = labels_from_spans(notes, data.tokens, NAMES)
    scorers = adapt(packaged_starter(), data, ["NAME", "DATE"]).model.label_scorers(NAMES)
    pool = Pool(with_scores(data, [scorer.scores(data) for scorer, _ in scorers]))
    codes = np.where(data.document_of < 12, truth, 0)
    return data, truth, LabelCRF().fit(pool, codes, NAMES, scorers=scorers)


def test_a_few_documents_tell_the_labels_of_the_others(told):
    data, truth, fitted = told
    others = (data.document_of >= 12) & (truth > 0)
    given_labels = fitted.model.labels(data, truth > 0)
    assert (given_labels == truth)[others].mean() > 0.97
    assert np.array_equal(given_labels > 0, truth > 0)


def test_before_the_first_label_the_starter_speaks(told):
    data, truth, fitted = told
    nothing = LabelCRF().fit(fitted.by_label[0].pool, np.zeros(len(data), np.int16), NAMES, scorers=tuple(zip(fitted.scorers, ((0,), (1,)), strict=True)))  # fmt: skip
    known = np.isin(truth, (1, 2))
    assert (nothing.model.labels(data, truth > 0) == truth)[known].mean() > 0.75


def test_one_document_of_the_pool_is_read_as_any_text(told):
    data, _, fitted = told
    low, high = data.tokens.doc[5:7]
    np.testing.assert_allclose(
        fitted.emissions(5), fitted.model.emissions(data)[:, low:high], atol=1e-3
    )


def test_the_model_is_stored_and_read_back(told):
    data, truth, fitted = told
    header, arrays = fitted.model.to_arrays()
    again = LabelModel.from_arrays(json.loads(json.dumps(header)), arrays)
    np.testing.assert_array_equal(
        again.labels(data, truth > 0), fitted.model.labels(data, truth > 0)
    )
    for lost in ("moves", "models0/row_keys"):
        with pytest.raises(ModelError):
            LabelModel.from_arrays(header, {k: v for k, v in arrays.items() if k != lost})
    with pytest.raises(ModelError):
        LabelModel.from_arrays(header, {**arrays, "moves": np.zeros((2, 2))})


def test_a_run_ends_with_its_line():
    data = data_of(["Kiel\nAnna"])
    assert data.tokens.line_starts.tolist() == [True, True]
    emissions = np.array([[2.0, 0.0], [0.0, 0.5]])
    moves = np.array([[0.0, -9.0], [-9.0, 0.0]])
    redacted = np.ones(2, np.bool_)
    assert likeliest_labels(emissions, moves, redacted, data.tokens.line_starts).tolist() == [1, 2]
    assert likeliest_labels(emissions, moves, redacted, np.zeros(2, np.bool_)).tolist() == [1, 1]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40), st.integers(1, 9))
@settings(deadline=None)
def test_runs_end_with_a_line_and_are_cut_where_they_are_too_long(tokens, longest):
    inside, line = np.array(tokens, np.bool_).reshape(-1, 2).T
    line = line | (np.arange(len(line)) == 0)  # a document begins a line
    plain = []
    for i, (is_inside, begins) in enumerate(zip(inside, line, strict=True)):
        if is_inside:
            if begins or not inside[i - 1] or i - plain[-1][0] == longest:
                plain.append([i, i])
            plain[-1][1] = i + 1
    found = np.stack(_runs(inside, line, longest), axis=1)
    assert found.dtype == np.int64
    assert found.tolist() == plain
