"""SVM, AdaBoost, Ensemble, Selection and scikit-learn's own, against plain twins and each other."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sfumato.core.errors import DataError, ModelError, ParameterError
from sfumato.engines.text.learners.adaboost import AdaBoost
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.learners.ensemble import Ensemble, EnsembleModel
from sfumato.engines.text.learners.linear import (
    LinearModel,
    _kernels,
    columns_of,
    platt,
    training_tokens,
)
from sfumato.engines.text.learners.ngrams import CharacterNGrams
from sfumato.engines.text.learners.protocol import Learner, Model, cost_threshold
from sfumato.engines.text.learners.selection import Selection, paper_learners
from sfumato.engines.text.learners.sklearn_adapter import ScikitLearner, ScikitModel
from sfumato.engines.text.learners.svm import SVM
from sfumato.engines.text.reading.features import REDACTED, TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize

NAMES = ["Ann", "Lee", "Bob", "Cruz", "Diaz", "Eve", "Kim", "Rose", "Grant", "May"]
PLAIN = ["went", "home", "rose", "may", "grant", "the", "a", "house", "Monday", "Paris", "we", "."]


def world(seed=0, documents=24, redact=0.0):
    """Sentences in which some words are names after "Dr" and plain words elsewhere."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(documents):
        words, truth = [], []
        for _ in range(12):
            if rng.random() < 0.7:
                words.append("Dr" if rng.random() < 0.8 else "the")
                truth.append(0)
                words += [str(w) for w in rng.choice(NAMES, 2)]
                truth += [1, 1]
            for w in rng.choice(PLAIN, 5):
                words.append(str(w))
                truth.append(0)
        texts.append(" ".join(words))
        labels += truth
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize(texts, vocabulary), vocabulary)
    assert len(data) == len(labels)
    data = data.redact(rng.random(len(data)) < redact)
    return data, np.array(labels, np.uint8)


LEARNERS = [SVM(), SVM(history=False), AdaBoost(rounds=60), Ensemble(), CharacterNGrams(), Selection(),
            ScikitLearner(SGDClassifier(max_iter=5, tol=None), bits=14)]  # fmt: skip


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda x: x.name)
def test_each_learner_keeps_the_protocol_and_learns(learner):
    data, labels = world(1, redact=0.05)
    train = np.arange(data.documents) < 16
    assert isinstance(learner, Learner)
    model = learner.fit(data, labels, documents=train, seed=3)
    assert isinstance(model, Model)
    scores = model.scores(data, documents=~train)
    held = (~train)[data.document_of]
    assert np.isneginf(scores[data.redacted | ~held]).all()
    judged = held & data.counted
    assert np.isfinite(scores[judged]).all()
    wrong = (scores[judged] >= 0) != (labels[judged] != 0)
    assert wrong.mean() < 0.12
    again = learner.fit(data, labels, documents=train, seed=3).scores(data, documents=~train)
    assert np.array_equal(scores, again)


@pytest.mark.parametrize("learner", LEARNERS[:5], ids=lambda x: x.name)
def test_a_higher_ratio_redacts_no_less(learner):
    data, labels = world(2)
    redacted = []
    for ratio in (1.0, 20.0):
        model = learner.fit(data, labels, cost_ratio=ratio)
        redacted.append(int((model.scores(data)[data.counted] >= cost_threshold(ratio)).sum()))
    assert redacted[1] >= redacted[0]


def test_nothing_of_a_redacted_word_is_learned():
    """Two texts that differ only in redacted words give the same model."""
    rng = np.random.default_rng(5)
    hide = None
    models = []
    for other in ("Ann", "Zoe"):
        words = [str(w) for w in rng.choice(PLAIN, 300)]
        rng = np.random.default_rng(5)
        words = [str(w) for w in rng.choice(PLAIN, 300)]
        for i in range(0, 300, 10):
            words[i] = other
        for i in range(5, 300, 50):
            words[i] = "Bob"
        vocabulary = Vocabulary(["Ann", "Zoe", "Bob", *PLAIN])
        data = TokenData.of(tokenize([" ".join(words)] * 2, vocabulary), vocabulary)
        hide = np.tile(np.arange(300) % 10 == 0, 2)
        labels = np.tile(np.arange(300) % 50 == 5, 2).astype(np.uint8)
        models.append([
            learner.fit(data.redact(hide), labels).scores(data.redact(hide)) for learner in LEARNERS[:5]
        ])  # fmt: skip
    for one, two in zip(*models, strict=True):
        assert np.array_equal(one, two)


@pytest.mark.parametrize("learner", [SVM(), AdaBoost(rounds=60), Ensemble()], ids=lambda x: x.name)
def test_stored_models_answer_as_before_also_on_new_text(learner):
    data, labels = world(3)
    model = learner.fit(data, labels, seed=1)
    header, arrays = model.to_arrays()
    back = (EnsembleModel if learner.name == "ensemble" else LinearModel).from_arrays(
        header, arrays
    )
    for other in (data, world(4)[0], world(5, redact=0.2)[0]):
        one, two = model.scores(other), back.scores(other)
        live = ~other.redacted
        assert np.allclose(one[live], two[live], atol=2e-3)
        assert np.isneginf(two[~live]).all()


def test_damaged_models_are_refused():
    data, labels = world(3, documents=6)
    header, arrays = SVM().fit(data, labels).to_arrays()
    for change in (
        {"row_weights": arrays["row_weights"][:-1]},
        {"history": np.array([np.nan] * 5)},
        {"calibration": np.array([-1.0, 0.0])},
        {"calibration": np.zeros(3)},
        {"place_weights": np.zeros(1)},
    ):
        with pytest.raises(ModelError):
            LinearModel.from_arrays(header, {**arrays, **change})
    with pytest.raises(ModelError):
        LinearModel.from_arrays({**header, "kind": "other"}, arrays)
    with pytest.raises(ModelError):
        LinearModel.from_arrays(header, {})
    with pytest.raises(ModelError):
        EnsembleModel.from_arrays({"kind": "ensemble"}, {})


def dense(columns, size):
    matrix = np.zeros((len(columns), size))
    for i, row in enumerate(columns):
        matrix[i, row[row >= 0]] = 1
    return matrix


def test_rows_of_feature_numbers_are_the_matrix_of_features():
    """As many distinct features, shared by the same tokens, as the hashed matrix has.

    A conjunction that occurs once is not numbered: it shows on the diagonal alone.
    """
    data, _ = world(6, documents=3)
    columns = columns_of(data)
    ours = dense(columns.numbers, columns.size)
    hashed = data.matrix(bits=24)
    once = (data.index().joint < 0).sum(axis=1)
    assert np.array_equal(ours @ ours.T + np.diag(once), (hashed @ hashed.T).toarray())


def test_svm_descent_reaches_liblinear():
    data, labels = world(7, documents=8)
    svm = SVM(penalty=0.05, passes=400, tolerance=1e-6, history=False)
    documents = np.ones(data.documents, np.bool_)
    model = svm.learn(data, labels, documents, cost_ratio=1.0, seed=0)
    columns = columns_of(data)
    # Our bias and the constant history weight are two constant features.
    X = np.hstack([dense(columns.numbers, columns.size), np.ones((len(data), 2))])
    y = np.where(labels != 0, 1.0, -1.0)
    reference = LinearSVC(C=0.05, fit_intercept=False, tol=1e-8, max_iter=100_000).fit(X, y)

    def objective(margins, norm):
        return 0.5 * norm + 0.05 * np.sum(np.maximum(0, 1 - y * margins) ** 2)

    weights = model._fitted[1]
    bias = model.history[4] / 2  # the two constant features share it
    ours = objective(model.margins(data), weights @ weights + 2 * bias * bias)
    theirs = objective(X @ reference.coef_[0], float(np.sum(reference.coef_**2)))
    assert ours == pytest.approx(theirs, rel=1e-4)


def plain_boost(X, positive, weight, rounds, least, smooth):
    """The same boosting, with all sums taken anew in each round."""
    w = np.zeros(X.shape[1])
    weight = weight.copy()
    enough = X.sum(0) >= least
    for _ in range(rounds):
        good, bad = X.T @ (weight * positive), X.T @ (weight * ~positive)
        gain = np.where(enough, (np.sqrt(good) - np.sqrt(bad)) ** 2, 0)
        best = int(np.argmax(gain))
        if gain[best] <= smooth:
            break
        step = 0.5 * np.log((good[best] + smooth) / (bad[best] + smooth))
        w[best] += step
        weight *= np.exp(np.where(positive, -step, step) * X[:, best])
    return w


def test_boosting_against_plain_sums():
    data, labels = world(8, documents=5)
    columns, tokens = columns_of(data), training_tokens(data, None)
    positive = labels != 0
    weight = np.where(positive, 3.0, 1.0)
    bounds = np.zeros(columns.size + 1, np.int64)
    members = np.empty(int((columns.numbers >= 0).sum()), np.int32)
    _kernels.invert(tokens, columns.numbers, bounds, members)
    for f in (0, 7, columns.size - 1):
        holders = np.flatnonzero((columns.numbers == f).any(1))
        assert members[bounds[f] : bounds[f + 1]].tolist() == holders.tolist()
    w = np.zeros(columns.size)
    changed = weight.copy()
    _kernels.boost(
        tokens, columns.numbers, bounds, members, positive, changed, 25, 3, 0.5, w
    )  # fmt: skip
    X = dense(columns.numbers, columns.size)
    expected = plain_boost(X, positive, weight, 25, 3, 0.5)
    # Equal features may swap places; what they add to every token is the same.
    assert np.allclose(X @ w, X @ expected, atol=1e-8)


def test_history_numbers_the_two_labels_before():
    labels = np.array([1, 1, 0, 1, 0, 1], np.uint8)
    rows = np.array([5, 5, 5, REDACTED, 5, 5], np.int32)
    out = np.empty(6, np.int8)
    _kernels.history(labels, rows, np.array([0, 4, 6]), REDACTED, out)
    assert out.tolist() == [0, 1, 3, 2, 0, 0]


def test_platt_is_the_minimum():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    y = (rng.random(500) < 1 / (1 + np.exp(-(2 * x - 1)))).astype(np.uint8)
    slope, offset = platt(x, y)
    assert slope == pytest.approx(2, abs=0.5)
    assert offset == pytest.approx(-1, abs=0.4)
    assert platt(-x, y)[0] > 0  # never turns a ranking around
    assert np.isfinite(platt(np.zeros(5), np.zeros(5, np.uint8))).all()


def test_scores_are_calibrated():
    """Where a learner says one half, about one half is sensitive."""
    data, labels = world(9, documents=200)
    train = np.arange(data.documents) < 100
    for learner in (SVM(), AdaBoost(rounds=60), Ensemble(), CRF()):
        scores = learner.fit(data, labels, documents=train).scores(data, documents=~train)
        judged = np.isfinite(scores) & data.counted
        expected = (1 / (1 + np.exp(-scores[judged]))).sum()
        assert expected == pytest.approx((labels[judged] != 0).sum(), rel=0.1)


def test_selection_takes_the_one_that_errs_least():
    class Constant(Learner):
        name = "constant"

        def fit(self, data, labels, *, documents=None, cost_ratio=1.0, seed=0):
            return self

        def scores(self, data, *, documents=None):
            scores = np.full(len(data), -1.0)
            if documents is not None:
                scores[~documents[data.document_of]] = -np.inf
            return scores

    data, labels = world(10)
    assert Selection((Constant(), SVM())).choose(data, labels).name == "svm"
    part = np.arange(data.documents) < 10
    assert Selection((Constant(), SVM())).choose(data, labels, documents=part).name == "svm"
    assert Selection((Constant(), Constant())).choose(data, labels).name == "constant"
    assert [x.name for x in paper_learners()] == ["crf", "svm", "adaboost", "ensemble"]
    with pytest.raises(ParameterError, match="learners"):
        Selection(()).choose(data, labels)


def test_scikit_models_are_stored_when_linear():
    data, labels = world(11)
    learner = ScikitLearner(SGDClassifier(max_iter=5, tol=None), bits=14)
    model = learner.fit(data, labels)
    header, arrays = model.to_arrays()
    back = ScikitModel.from_arrays(header, arrays)
    assert np.allclose(model.scores(data), back.scores(data))
    with pytest.raises(ModelError):
        ScikitModel.from_arrays({**header, "bits": 3}, arrays)
    with pytest.raises(ModelError):
        ScikitModel.from_arrays(header, {})
    tree = ScikitLearner(DecisionTreeClassifier(max_depth=3), bits=10).fit(
        data, labels, cost_ratio=5.0
    )
    with pytest.raises(ModelError, match="pickle"):
        tree.to_arrays()


@pytest.mark.parametrize("learner", [SVM(), AdaBoost(), Ensemble(), CharacterNGrams(),
                                     ScikitLearner(SGDClassifier())], ids=lambda x: x.name)  # fmt: skip
def test_odd_data(learner):
    data, labels = world(12, documents=2)
    with pytest.raises(DataError, match="labels"):
        learner.fit(data, labels[:-1])
    for truth in (np.zeros_like(labels), np.ones_like(labels)):
        assert not np.isnan(learner.fit(data, truth).scores(data)).any()
    one = np.array([True, False])
    assert not np.isnan(learner.fit(data, labels, documents=one).scores(data)).any()
