"""The selectors behave as scikit-learn estimators: its own checks, pipelines, cloning, errors."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import estimator_checks_generator

from sfumato.core import DataError, LimitError, ParameterError
from sfumato.engines.baskets import (
    BestSelector,
    ExactSelector,
    GreedyDistCnt,
    GreedyHamDist,
    GreedyInformation,
    MaximalSelector,
)
from sfumato.engines.baskets.containment.audit import audit
from sfumato.laboratory.baskets.baselines import CmGreedy

SELECTORS = [
    GreedyHamDist,
    GreedyDistCnt,
    GreedyInformation,
    ExactSelector,
    MaximalSelector,
    CmGreedy,
]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.4
    X = rng.random((300, 15)) < np.where(y[:, None], 0.35, 0.2)
    return X.astype(np.uint8), y.astype(int)


CHECKED = [
    GreedyHamDist(k=2, binarize=0.5),
    GreedyDistCnt(k=2, binarize=0.5),
    GreedyInformation(k=2, binarize=0.5),
]
CHECKS = [
    pytest.param(estimator, check, id=f"{type(estimator).__name__}-{check.func.__name__}")
    for selector in CHECKED
    for estimator, check in estimator_checks_generator(selector, legacy=True)
    if check.func.__name__ != "check_array_api_input"  # needs an array library we do not use
]


@pytest.mark.filterwarnings("ignore:No features were selected")  # some checks feed constant columns
@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_scikit_learn_checks(estimator, check):
    # the checks feed real numbers, of which `binarize` makes zeros and ones
    check(estimator)


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("k", [2, 6])
def test_selection_passes_an_independent_audit(selector, k, rows):
    X, y = rows
    fitted = selector(k=k).fit(X, y)
    assert fitted.get_support().sum() == len(fitted.selected_) == len(set(fitted.selected_))
    assert len(fitted.selected_) > 0
    assert audit(X[:, fitted.selected_]).ac >= k
    assert fitted.transform(X).shape == (300, len(fitted.selected_))


@pytest.mark.parametrize("selector", SELECTORS)
def test_sparse_frame_and_array_agree(selector, rows):
    import pandas as pd

    X, y = rows
    names = [f"item{i}" for i in range(X.shape[1])]
    from_array = selector(k=4).fit(X, y)
    from_sparse = selector(k=4).fit(sp.csr_matrix(X), y)
    from_frame = selector(k=4).fit(pd.DataFrame(X, columns=names), y)
    assert from_array.selected_.tolist() == from_sparse.selected_.tolist()
    assert from_array.selected_.tolist() == from_frame.selected_.tolist()
    assert from_frame.get_feature_names_out().tolist() == [
        names[i] for i in sorted(from_frame.selected_)
    ]


def test_in_a_pipeline_selection_is_inside_the_folds(rows):
    X, y = rows
    model = make_pipeline(GreedyHamDist(k=3), LinearSVC(dual=False))
    scores = cross_val_score(model, X, y, cv=3, scoring="roc_auc")
    assert scores.mean() > 0.6


def test_best_takes_the_higher_k_when_it_is_worth_more(rows):
    X, y = rows
    best = BestSelector(k=3, folds=2).fit(X, y)
    assert best.best_selector_.k >= 3
    assert audit(X[:, best.selected_]).ac >= 3
    assert clone(best).get_params()["k"] == 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GreedyHamDist(k=0), "'k' parameter of GreedyHamDist must be an int in"),
        (lambda: GreedyHamDist(k=2.5), "'k' parameter of GreedyHamDist must be an int in"),
        (lambda: GreedyDistCnt(k=2, stop="soon"), "'stop' parameter of GreedyDistCnt"),
        (lambda: GreedyDistCnt(k=2, privacy="hope"), "'privacy' parameter"),
        (lambda: GreedyHamDist(k=2, absence_risky="some"), "'absence_risky' parameter"),
        (lambda: GreedyInformation(k=2, criterion="luck"), "'criterion' parameter"),
        (lambda: ExactSelector(k=2, criterion="luck"), "'criterion' parameter"),
        (lambda: MaximalSelector(k=2, family="none"), "'family' parameter"),
        (lambda: MaximalSelector(k=2, rank="none"), "'rank' parameter"),
        (lambda: MaximalSelector(k=2, r=0), "'r' parameter"),
        (lambda: BestSelector(k=2, factors=(0.5,)), "'factors' parameter"),
    ],
)
def test_parameters_are_checked(make, message, rows):
    with pytest.raises(ParameterError, match=message):
        make().fit(*rows)


def test_k_larger_than_the_number_of_rows(rows):
    X, y = rows
    with pytest.raises(DataError, match="k = 301 is larger than the number of rows"):
        GreedyHamDist(k=301).fit(X, y)


def test_exact_says_where_it_ends():
    X = np.eye(23, dtype=int)
    with pytest.raises(LimitError, match="up to 22 features"):
        ExactSelector(k=2).fit(X, np.arange(23) % 2)


def test_an_empty_selection_is_an_answer():
    X = np.eye(8, dtype=int)  # every feature is held by one row
    fitted = GreedyHamDist(k=2).fit(X, np.arange(8) % 2)
    assert fitted.selected_.tolist() == []
    with pytest.warns(UserWarning, match="No features were selected"):
        assert fitted.transform(X).shape == (8, 0)
