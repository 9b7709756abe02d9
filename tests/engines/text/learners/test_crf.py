"""The CRF against plain twins: enumeration, finite differences, dictionaries."""

from dataclasses import fields
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import DataError, ModelError
from sfumato.engines.text.attack.bounds import vc_deviation
from sfumato.engines.text.learners import _crf_kernels, _memory_kernels, _weight_kernels
from sfumato.engines.text.learners.crf import CRF, CRFModel, sentence_ends
from sfumato.engines.text.learners.folds import out_of_fold
from sfumato.engines.text.learners.memory import Memory
from sfumato.engines.text.learners.protocol import Learner, Model
from sfumato.engines.text.reading.features import (
    BEGIN,
    END,
    REDACTED,
    RESERVED,
    PlaceFeature,
    TokenData,
)
from sfumato.engines.text.reading.features._kernels import pair
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize

WORDS = ["Ann", "Lee", "ann", "saw", "the", "cat", "Dr", ",", "2019", "O'Brien", "ward-3", "É", "."]
texts = st.lists(st.sampled_from(WORDS), min_size=0, max_size=9).map(" ".join)


def data_of(*documents):
    vocabulary = Vocabulary()
    return TokenData.of(tokenize(documents, vocabulary), vocabulary)


def random_world(documents, seed):
    data = data_of(*documents)
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, len(data)).astype(np.uint8)
    data = data.redact(random.random(len(data)) < 0.15)
    return data, labels, random


def marginals_by_enumeration(emissions, transitions, before=0):
    """P(y_i = 1) of every token, by summing over all label sequences."""
    total, ones = 0.0, np.zeros(len(emissions))
    for labels in product((0, 1), repeat=len(emissions)):
        score = sum(e * y for e, y in zip(emissions, labels, strict=True))
        score += sum(transitions[p, q] for p, q in zip((before, *labels), labels, strict=False))
        weight = np.exp(score)
        total += weight
        ones += weight * np.array(labels)
    return ones / total, np.log(total)


def emissions_by_dictionary(data, model):
    """Sum each token's weights from a dictionary, one feature at a time."""
    weights = {int(k): float(w) for k, w in zip(model.row_keys, model.row_weights, strict=True)}
    joint = {int(k): float(w) for k, w in zip(model.joint_keys, model.joint_weights, strict=True)}
    words, rows = data.words, data.rows
    record = {}
    if model.memory is not None:
        record = dict(zip(model.memory.keys.tolist(), model.memory.bins.tolist(), strict=True))

    def sealed(key, template):
        out = np.empty(1, np.uint64)
        _weight_kernels.seal_all(np.array([key], np.uint64), template, out)
        return int(out[0])

    def bins(row):
        return (0, 0) if row < RESERVED else record.get(int(words.lower[row]), (0, 0))

    sums = np.zeros(len(data))
    for d in range(data.documents):
        first, last = data.tokens.doc[d : d + 2]
        for i in range(first, last):

            def row(offset, i=i, first=first, last=last):
                at = i + offset
                return BEGIN if at < first else (END if at >= last else int(rows[at]))

            here = row(0)
            for key in words.own[words.own_bounds[here] : words.own_bounds[here + 1]]:
                sums[i] += weights.get(int(key), 0.0)
            for offset, template, table in (
                (-1, 61, words.near), (1, 62, words.near), (-2, 63, words.far), (2, 64, words.far),
            ):  # fmt: skip
                for key in table[row(offset)]:
                    if key:
                        sums[i] += weights.get(sealed(key, template), 0.0)
            low, shape = words.lower, words.shape
            keys = (
                np.uint64(pair(low[row(-1)], shape[here], 33)),
                pair(shape[here], low[row(1)], 34),
                pair(np.uint64(pair(shape[row(-1)], shape[here], 35)), shape[row(1)], 36),
            )
            sums[i] += sum(joint.get(int(key), 0.0) for key in keys)
            start = 0
            for place, size in zip(data.places, model.place_sizes, strict=True):
                sums[i] += model.place_weights[start + place.values[i]]
                start += size
            if model.memory is not None:
                m = model.memory_weights
                sums[i] += m[bins(here)[0]] + m[11 + bins(here)[1]]
                sums[i] += m[27 + bins(row(-1))[0]] + m[38 + bins(row(1))[0]]
    return sums


@settings(max_examples=30)
@given(st.lists(texts, min_size=1, max_size=4), st.integers(0, 99), st.booleans())
def test_scores_are_the_marginals_of_a_plain_model(documents, seed, memory):
    data, labels, _ = random_world(documents, seed)
    if not len(data):
        return
    model = CRF(epochs=3, memory=memory).fit(data, labels, seed=seed)
    scores = model.scores(data)
    sums = emissions_by_dictionary(data, model)
    for d in range(data.documents):
        first, last = data.tokens.doc[d : d + 2]
        chains, chain = [], []
        for i in range(first, last):
            if data.redacted[i]:
                chains.append(chain)
                chain = []
                assert scores[i] == -np.inf
            else:
                chain.append(i)
        for part in filter(None, [*chains, chain]):
            p, _ = marginals_by_enumeration(sums[part], model.transitions)
            assert np.allclose(1 / (1 + np.exp(-scores[part])), p, atol=1e-5)


@settings(max_examples=20)
@given(st.lists(st.sampled_from(WORDS[:-1]), min_size=1, max_size=8), st.integers(0, 99))
def test_the_gradient_agrees_with_finite_differences(words, seed):
    data = data_of(" ".join(words))
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, len(data)).astype(np.uint8)
    index = data.index()
    own, near, far, joint = index.sizes
    base = np.cumsum([own, near, near, far, far, joint])
    places = np.empty((len(data), 0), np.int32)
    weights = np.zeros((int(base[-1]), 2), np.float32)
    weights[:, 0] = random.normal(0, 0.5, len(weights))
    transitions = np.zeros((2, 2, 2))
    transitions[:, :, 0] = random.normal(0, 0.5, (2, 2))
    emission_arguments = (
        index.own_bounds,
        index.own,
        index.near,
        index.far,
        index.joint,
        places,
        base,
    )

    def likelihood(w, t):
        e = np.array([
            _crf_kernels.emission(i, data.rows, 0, len(data), *emission_arguments, w)
            for i in range(len(data))
        ])  # fmt: skip
        _, log_z = marginals_by_enumeration(e, t[:, :, 0])
        path = zip((0, *labels), labels, strict=False)
        return (e * labels).sum() + sum(t[p, q, 0] for p, q in path) - log_z

    # With these sums of squares an AdaGrad step of rate 10⁶ is the gradient itself.
    moved, moved_t = weights.copy(), transitions.copy()
    moved[:, 1], moved_t[:, :, 1] = 1e12, 1e12
    before = moved[:, 0].astype(float), moved_t[:, :, 0].copy()
    _crf_kernels.train(
        np.arange(1), data.rows, data.tokens.doc, labels, REDACTED, sentence_ends(data.words),
        *emission_arguments, moved, moved_t, 1e6, 0.0, 0, np.zeros(len(data), np.int8),
    )  # fmt: skip
    step = 1e-2  # single precision weights: a small step would be lost in rounding
    for f in random.choice(len(weights), min(12, len(weights)), replace=False):
        up, down = weights.copy(), weights.copy()
        up[f, 0] += step
        down[f, 0] -= step
        slope = (likelihood(up, transitions) - likelihood(down, transitions)) / (2 * step)
        assert moved[f, 0] - before[0][f] == pytest.approx(slope, abs=2e-3)
    for p, q in product((0, 1), repeat=2):
        up, down = transitions.copy(), transitions.copy()
        up[p, q, 0] += 1e-5
        down[p, q, 0] -= 1e-5
        slope = (likelihood(weights, up) - likelihood(weights, down)) / 2e-5
        assert moved_t[p, q, 0] - before[1][p, q] == pytest.approx(slope, abs=1e-4)


@settings(max_examples=30)
@given(st.lists(texts, min_size=1, max_size=5), st.integers(0, 99))
def test_the_memory_knows_the_other_documents_only(documents, seed):
    data, labels, random = random_world(documents, seed)
    chosen = np.flatnonzero(random.random(data.documents) < 0.7)
    if not len(chosen) or not len(data):
        return
    memory = Memory.of(data, labels, chosen)
    recalled = memory.recalled(data, labels, chosen) - np.array([0, 11, 27, 38])
    lower = data.words.lower[data.tokens.type + RESERVED]
    capital = data.words.capital[data.tokens.type + RESERVED]
    document = data.document_of
    expected = np.zeros((len(data), 4), int)
    for i in range(len(data)):
        if document[i] in chosen and not data.redacted[i]:
            same = (lower == lower[i]) & np.isin(document, chosen) & (document != document[i])
            n = int(same.sum())
            expected[i, 0] = _memory_kernels.label_bin(n, int(labels[same].sum()))
            expected[i, 1] = _memory_kernels.case_bin(n, int((~capital[same]).sum()))
    for i in range(len(data)):
        if document[i] in chosen:
            first, last = data.tokens.doc[document[i] : document[i] + 2]
            expected[i, 2] = expected[i - 1, 0] if i > first else 0
            expected[i, 3] = expected[i + 1, 0] if i + 1 < last else 0
    assert np.array_equal(recalled, expected)
    for key, (label, case) in zip(memory.keys, memory.bins.tolist(), strict=True):
        same = (lower == key) & np.isin(document, chosen)
        assert label == _memory_kernels.label_bin(int(same.sum()), int(labels[same].sum()))
        assert case == _memory_kernels.case_bin(int(same.sum()), int((~capital[same]).sum()))


@pytest.fixture(scope="module")
def small():
    names, rest = ["Ann", "Bob", "Cleo", "Dan"], ["went", "home", "with", "the", "dog", "."]
    random = np.random.default_rng(3)
    documents = [
        " ".join("Dr " + str(random.choice(names)) if random.random() < 0.2 else str(w)
                 for w in random.choice(rest, 30))
        for _ in range(12)
    ]  # fmt: skip
    data = data_of(*documents)
    known = {i for i, w in enumerate(data_words(documents)) if w in names}
    labels = np.isin(data.tokens.type, list(known)).astype(np.uint8)
    return data, labels


def data_words(documents):
    vocabulary = Vocabulary()
    tokenize(documents, vocabulary)
    return vocabulary.words


def test_it_learns(small):
    data, labels = small
    fold = np.arange(data.documents) % 3
    scores = out_of_fold(CRF(), data, labels, fold)
    assert np.mean((scores >= 0) == labels) > 0.99
    assert isinstance(CRF(), Learner)
    assert isinstance(CRF().fit(data, labels), Model)


def test_the_same_seed_gives_the_same_model_and_another_seed_another(small):
    data, labels = small
    one, two, other = (CRF().fit(data, labels, seed=s).to_arrays()[1] for s in (5, 5, 6))
    assert one.keys() == two.keys()
    assert all(np.array_equal(one[k], two[k]) for k in one)
    assert any(not np.array_equal(one[k], other[k]) for k in one)


def test_documents_that_are_left_out_change_nothing(small):
    data, labels = small
    inside = np.arange(data.documents) < 8
    flipped = np.where(np.repeat(inside, np.diff(data.tokens.doc)), labels, 1 - labels)
    one = CRF().fit(data, labels, documents=inside).scores(data)
    two = CRF().fit(data, flipped.astype(np.uint8), documents=inside).scores(data)
    assert np.array_equal(one, two)
    only = CRF().fit(data, labels, documents=inside).scores(data, documents=~inside)
    assert np.array_equal(only, np.where(np.repeat(inside, np.diff(data.tokens.doc)), -np.inf, one))


def test_learning_goes_on_from_another_model(small):
    data, labels = small
    first = CRF(memory=False).fit(data, labels)
    still = CRF(epochs=0, average=1, memory=False)
    assert not np.allclose(first.scores(data), 0)
    with pytest.raises(DataError):
        still.fit(data, labels[:-1])
    started = CRF(epochs=1, rate=1e-9, average=1, memory=False).warm_start(first)
    again = started.fit(data, labels)
    bare = CRFModel(
        first.row_keys, first.row_weights, first.joint_keys, first.joint_weights,
        np.zeros_like(first.place_weights), first.place_sizes, first.transitions,
    )  # fmt: skip
    assert np.allclose(again.scores(data), bare.scores(data), atol=1e-4)


def test_a_stored_model_answers_the_same(small):
    data, labels = small
    for memory in (True, False):
        model = CRF(memory=memory).fit(data, labels)
        back = CRFModel.from_arrays(*model.to_arrays())
        assert np.array_equal(model.scores(data), back.scores(data))


@pytest.mark.parametrize(
    "part", ["row_keys", "row_weights", "transitions", "memory_bins", "memory_keys"]
)
def test_a_model_with_a_wrong_part_is_refused(small, part):
    data, labels = small
    header, arrays = CRF().fit(data, labels).to_arrays()
    with pytest.raises(ModelError):
        CRFModel.from_arrays(header, {k: v for k, v in arrays.items() if k != part})
    with pytest.raises(ModelError):
        CRFModel.from_arrays(header, {**arrays, part: arrays[part][:-1]})
    if arrays[part].dtype.kind == "f":
        with pytest.raises(ModelError):
            CRFModel.from_arrays(header, {**arrays, part: arrays[part] * np.nan})


def test_tokens_without_the_right_places_are_refused(small):
    data, labels = small
    more = data.with_places(PlaceFeature("extra", np.zeros(len(data), np.int32), 2))
    with pytest.raises(DataError, match="place features"):
        CRF().fit(more, labels).scores(data)


def test_a_bound_does_not_depend_on_what_a_model_calls_its_arrays(small):
    """The dimension is declared; a model that stores its weights under other names keeps it."""

    class Renamed(CRFModel):
        def to_arrays(self):
            header, arrays = super().to_arrays()
            return header, {f"part{i}": array for i, array in enumerate(arrays.values())}

    data, labels = small
    model = CRF().fit(data, labels)
    parts = {f.name: getattr(model, f.name) for f in fields(model)}
    weights = sum(a.size for name, a in model.to_arrays()[1].items() if "weights" in name)
    assert Renamed(**parts).dimension == model.dimension == weights + 1


def test_a_model_that_declares_no_dimension_has_an_infinite_one():
    class Silent(Model):
        kind = "silent"

        def scores(self, data, *, documents=None):
            return np.zeros(len(data))

        def to_arrays(self):
            return {"kind": self.kind}, {"weights": np.zeros(3)}

    assert Silent().dimension == np.inf
    assert np.isinf(vc_deviation(0.05, 1000, Silent().dimension))


def test_a_model_of_documents_without_a_word_scores_others():
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize(["", "we met Ann"], vocabulary), vocabulary)
    labels = np.array([0, 0, 1], np.uint8)
    model = CRF(epochs=2).fit(data, labels, documents=np.array([True, False]))
    assert model.memory is not None
    assert len(model.memory.keys) == 0
    assert np.isfinite(model.scores(data)).all()
