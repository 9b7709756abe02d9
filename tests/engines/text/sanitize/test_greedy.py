"""The publisher: what it decides, what it shares, what it refuses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import DataError, ModelError, ParameterError
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.labelled import Labelled, total_loss
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.reading.word_lists import WordList
from sfumato.engines.text.sanitize.classifiers import ClassifierSet
from sfumato.engines.text.sanitize.greedy import GreedySanitize
from sfumato.engines.text.sanitize.thresholds import _EDGES, NEVER, GainCurves


def labelled_of(notes, labels=("NAME",), background=()):
    documents = [*notes, *background]
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    return Labelled(
        TokenData.of(tokens, vocabulary),
        labels_from_spans(documents, tokens, labels),
        labels,
        np.arange(len(documents)) < len(notes),
    )


@pytest.fixture(scope="module")
def small(notes):
    return labelled_of(notes[:60])


@pytest.fixture(scope="module")
def swept(small):
    return GreedySanitize().fit(small, [1.0, 10.0, 50.0])


def test_it_gains_out_of_fold(small, swept):
    nothing = np.zeros(len(small.data), bool)
    for ratio, publication in swept.items():
        losses = small.losses(ratio, {})
        assert publication.held_out
        assert publication.total_loss == total_loss(losses, small.instances, publication.redacted)
        assert publication.total_loss < total_loss(losses, small.instances, nothing)
        assert publication.rounds[0].kept
        kept = [r for r in publication.rounds if r.kept]
        assert len(publication.classifiers.classifiers) == len(kept)
        assert len(publication.rounds) - len(kept) in {0, 1}  # the one that failed is the last
        assert kept[-1].total_loss == publication.total_loss


def test_a_higher_ratio_leaves_less(small, swept):
    left = [
        np.count_nonzero(small.instances & (small.labels > 0) & ~p.redacted) for p in swept.values()
    ]
    assert left[0] >= left[1] >= left[2]


def test_the_shared_sweep_is_what_separate_runs_give(small, swept):
    for ratio in (10.0, 50.0):
        alone = GreedySanitize().fit(small, [ratio])[ratio]
        assert np.array_equal(alone.redacted, swept[ratio].redacted)
        assert alone.rounds == swept[ratio].rounds
        one, two = alone.classifiers.to_arrays(), swept[ratio].classifiers.to_arrays()
        assert one[0] == two[0]
        assert all(np.array_equal(one[1][k], two[1][k]) for k in one[1])


def test_the_shared_literal_sweep_is_what_separate_runs_give(small):
    swept = GreedySanitize(mode="paper").fit(small, [0.2, 1.0, 20.0])
    for ratio, publication in swept.items():
        alone = GreedySanitize(mode="paper").fit(small, [ratio])[ratio]
        assert not publication.held_out
        assert alone.rounds == publication.rounds
        assert np.array_equal(alone.redacted, publication.redacted)
        losses = small.losses(ratio, {})
        assert publication.total_loss == total_loss(losses, small.instances, publication.redacted)


def test_the_classifiers_of_the_literal_mode_give_its_own_redactions(small):
    """In sample, applying H to the training data is what the algorithm did."""
    publication = GreedySanitize(mode="paper").fit(small, [10.0])[10.0]
    assert np.array_equal(publication.classifiers.redactions(small.data) > 0, publication.redacted)


def test_the_same_seed_gives_the_same_and_another_seed_another(small, swept):
    again = GreedySanitize().fit(small, [10.0])[10.0]
    other = GreedySanitize(seed=1).fit(small, [10.0])[10.0]
    assert np.array_equal(again.redacted, swept[10.0].redacted)
    assert not np.array_equal(other.redacted, swept[10.0].redacted)


def test_a_stored_set_decides_the_same(small, swept):
    chosen = swept[10.0].classifiers
    back = ClassifierSet.from_arrays(*chosen.to_arrays())
    assert np.array_equal(back.redactions(small.data), chosen.redactions(small.data))
    assert back.labels == ("NAME",)


def test_sets_of_earlier_versions_are_read_where_their_labels_need_no_model(small, swept, notes):
    """They held a model per label: none where there is one label, as today; several cannot be read any more."""
    header, arrays = swept[10.0].classifiers.to_arrays()
    assert header["typing"] == []
    several = GreedySanitize().fit(labelled_of(notes[:50], ("NAME", "DATE")), [10.0])[10.0]
    header, arrays = several.classifiers.to_arrays()
    header["typing"] = [{"kind": "crf"}, {"kind": "crf"}]
    with pytest.raises(ModelError, match="The model of the labels lacks a part"):
        ClassifierSet.from_arrays(header, arrays)


def test_several_kinds_are_decided_once_and_typed_after(notes):
    labelled = labelled_of(notes[:50], ("NAME", "DATE"))
    publication = GreedySanitize().fit(labelled, [10.0])[10.0]
    kinds = publication.classifiers.decide(labelled.data)
    redacted = publication.classifiers.redactions(labelled.data) > 0
    words = labelled.data.counted
    assert np.array_equal((kinds > 0)[words], redacted[words])
    assert not (
        (kinds > 0) & ~redacted
    ).any()  # of punctuation less: what stands alone is published
    right = redacted & (labelled.labels > 0)
    assert np.mean(kinds[right] == labelled.labels[right]) > 0.97
    back = ClassifierSet.from_arrays(*publication.classifiers.to_arrays())
    assert np.array_equal(back.decide(labelled.data), kinds)


def test_a_kind_may_weigh_more(notes):
    labelled = labelled_of(notes[:50], ("NAME", "DATE"))
    plain = GreedySanitize().fit(labelled, [2.0])[2.0]
    heavy = GreedySanitize(weights={"NAME": 25.0}).fit(labelled, [2.0])[2.0]
    name = labelled.instances & (labelled.labels == 1)
    assert np.count_nonzero(name & ~heavy.redacted) <= np.count_nonzero(name & ~plain.redacted)
    losses = labelled.losses(2.0, {"NAME": 25.0})
    assert set(np.unique(losses)) == {0.0, 2.0, 50.0}
    assert heavy.total_loss == total_loss(losses, labelled.instances, heavy.redacted)


def test_denied_words_go_and_allowed_words_stay(notes):
    labelled = labelled_of(notes[:40])
    words = labelled.data.words.lower[labelled.data.tokens.type + 3]
    names = np.unique(words[labelled.instances & (labelled.labels > 0)])
    deny, allow = WordList.of(["patient"]), WordList(names[:3], np.arange(4))
    publication = GreedySanitize(deny=deny, allow=allow).fit(labelled, [10.0])[10.0]
    redacted = publication.classifiers.redactions(labelled.data) > 0
    assert redacted[deny.matches(labelled.data)].all()
    assert not redacted[allow.matches(labelled.data)].any()
    assert publication.redacted[deny.matches(labelled.data)].all()
    back = ClassifierSet.from_arrays(*publication.classifiers.to_arrays())
    assert np.array_equal(back.redactions(labelled.data) > 0, redacted)


def test_background_competes_and_is_never_redacted(notes):
    labelled = labelled_of(notes[:30], background=notes[30:110])
    publication = GreedySanitize().fit(labelled, [10.0])[10.0]
    assert {"background", "background + start"} <= publication.rounds[0].forms.keys()
    assert len(publication.redacted) == len(labelled.data)
    assert not publication.redacted[~labelled.own[labelled.data.document_of]].any()
    alone = GreedySanitize().fit(labelled.alone(), [10.0])[10.0]
    assert publication.total_loss <= 1.1 * alone.total_loss
    assert len(publication.classifiers.redactions(labelled.data)) == len(labelled.data)
    shuffled = Labelled(labelled.data, labelled.labels, labelled.names, labelled.own[::-1])
    with pytest.raises(DataError, match="after"):
        GreedySanitize().fit(shuffled, [10.0])


def test_bad_input_is_named(notes):
    small = labelled_of(notes[:6])
    with pytest.raises(DataError, match="No word"):
        GreedySanitize().fit(labelled_of(notes[:6], ("UNKNOWN",)), [10.0])
    with pytest.raises(DataError, match="only one"):
        GreedySanitize().fit(labelled_of(notes[:1]), [10.0])
    everything = Labelled(small.data, np.ones(len(small.data), np.int16), ("NAME",), small.own)
    with pytest.raises(DataError, match="Every word"):
        GreedySanitize().fit(everything, [10.0])
    for ratio in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ParameterError, match="ratios"):
            GreedySanitize().fit(small, [ratio])
    with pytest.raises(ParameterError, match="mode"):
        GreedySanitize(mode="kind")
    with pytest.raises(ParameterError, match="folds"):
        GreedySanitize(folds=1)


def test_one_document_is_enough_for_the_literal_algorithm(notes):
    assert GreedySanitize(mode="paper").fit(labelled_of(notes[:1]), [10.0])


def test_a_fold_without_a_sensitive_word_and_an_empty_document_do_no_harm(notes):
    vocabulary = Vocabulary()
    texts = ["Ann Lee came home", "the cat sat", "", "the dog ran", "a cat ran home"]
    data = TokenData.of(tokenize(texts, vocabulary), vocabulary)
    labels = np.zeros(len(data), np.int16)
    labels[:2] = 1
    labelled = Labelled(data, labels, ("NAME",), np.ones(5, bool))
    publication = GreedySanitize().fit(labelled, [10.0])[10.0]
    assert len(publication.classifiers.decide(data)) == len(data)
    nothing = TokenData.of(tokenize([""], Vocabulary()), Vocabulary())
    assert len(publication.classifiers.decide(nothing)) == 0


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(2, 4))
def test_thresholds_are_chosen_on_the_other_folds(seed, n, folds):
    random = np.random.default_rng(seed)
    scores = np.round(random.normal(0, 3, n), 2)
    value = np.where(random.random(n) < 0.3, 5.0, -1.0)
    fold = random.integers(0, folds, n)
    curves = GainCurves(scores, value, fold, folds, smooth=0.0)
    every = np.ones(folds, bool)
    threshold, gain = curves.best(every)
    brute = max(value[scores >= edge].sum() for edge in _EDGES)
    assert gain == pytest.approx(max(brute, 0.0))
    if threshold != NEVER:
        assert value[scores >= threshold].sum() == pytest.approx(gain)
    fit = curves.cross_fit()
    for j in range(folds):
        assert fit.by_fold[j] == curves.best(np.arange(folds) != j)[0]
    # The judged gain of a fold does not depend on its own labels' threshold.
    expected = sum(value[(fold == j) & (scores >= fit.by_fold[j])].sum() for j in range(folds))
    assert fit.gain == pytest.approx(expected)


def test_the_literal_learner_is_the_plain_one():
    assert GreedySanitize(mode="paper").learner == CRF.literal()
    assert GreedySanitize().learner == CRF()
