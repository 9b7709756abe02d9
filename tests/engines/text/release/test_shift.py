"""The shift check of documents: like stays quiet, another kind is refused, stored and read back alike."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.core.errors import ModelError
from sfumato.core.randomness import Streams
from sfumato.core.statistics.shift import DIFFERENT, LIKE, TOO_FEW
from sfumato.data.samples.notes import clinic_notes
from sfumato.engines.text import shift
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.reading.features import TokenData, lower_keys
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.shift import MEASURES, ShiftReference, _HashedWords


def learned(documents, seed=0):
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    data = TokenData.of(tokens, vocabulary)
    labels = (labels_from_spans(documents, tokens, ["NAME"]) > 0).astype(np.uint8)
    reference = ShiftReference.learn(data, labels, vocabulary.words, streams=Streams(seed))
    return reference, data, labels, vocabulary


@pytest.fixture(scope="module")
def halves():
    documents = clinic_notes(160, seed=5)
    return documents[::2], documents[1::2]


@pytest.fixture(scope="module")
def reference(halves):
    return learned(halves[0])[0]


def test_the_same_kind_is_like(reference, halves):
    check = reference.check([d.text for d in halves[1]], streams=Streams(1))[0]
    assert check.verdict == LIKE
    assert [m.name for m in check.measures] == list(MEASURES)


@pytest.mark.parametrize(
    "change", [str.upper, str.lower, lambda t: t.replace("e", "c").replace("l", "1")]
)
def test_another_kind_is_different(reference, halves, change):
    check = reference.check([change(d.text) for d in halves[1]], streams=Streams(1))[0]
    assert check.verdict == DIFFERENT
    assert check.cause in MEASURES


def test_two_documents_are_too_few(reference, halves):
    texts = [d.text.upper() for d in halves[1][:2]]
    assert reference.check(texts, streams=Streams(1))[0].verdict == TOO_FEW


def test_one_document_is_no_reference(halves):
    assert learned(halves[0][:1])[0] is None


def test_stored_and_read_back_alike(reference, halves):
    again = ShiftReference.from_arrays(*reference.to_arrays())
    texts = [d.text for d in halves[1]]
    assert (
        again.check(texts, streams=Streams(3))[0].to_json()
        == reference.check(texts, streams=Streams(3))[0].to_json()
    )


@pytest.mark.parametrize("name", ["measures", "words/keys", "pairs/by_fold"])
def test_a_damaged_reference_is_refused(reference, name):
    header, arrays = reference.to_arrays()
    with pytest.raises(ModelError):
        ShiftReference.from_arrays(header, {**arrays, name: arrays[name][:0]})


def test_measures_against_plain(halves, monkeypatch):
    """Each learned document, measured by loops, with a model and counts of the other folds."""
    monkeypatch.setattr(shift, "_AT_ONCE", 5)  # trigrams of a few documents at a time
    documents = halves[0][:12]
    reference, data, labels, vocabulary = learned(documents)
    streams = Streams(0)
    from sfumato.engines.text.learners.folds import deal

    fold = deal(np.arange(12), 5, streams.generator("folds"), of=12)
    for d in (0, 5, 11):
        model = CRF().fit(data, labels, documents=fold != fold[d], seed=streams.seed_of("models"))
        scores = model.scores(data)
        own = [i for i in np.flatnonzero(data.counted) if data.document_of[i] == d]
        words = [vocabulary.words[data.tokens.type[i]] for i in own]
        seen = {
            vocabulary.words[data.tokens.type[i]].lower()
            for i in np.flatnonzero(data.counted)
            if fold[data.document_of[i]] != fold[d]
        }
        grams, pairs = {}, {}
        for other in range(12):
            if fold[other] != fold[d]:
                raw = documents[other].text.encode()
                for i in range(len(raw) - 2):
                    grams[raw[i : i + 3]] = grams.get(raw[i : i + 3], 0) + 1
                    pairs[raw[i : i + 2]] = pairs.get(raw[i : i + 2], 0) + 1
        raw = documents[d].text.encode()
        likelihood = [
            np.log(
                (grams.get(raw[i : i + 3], 0) + 0.5) / (pairs.get(raw[i : i + 2], 0) + 0.5 * 256)
            )
            for i in range(len(raw) - 2)
        ]
        expected = [
            np.mean([scores[i] >= 0 for i in own]),
            np.mean([w.lower() not in seen for w in words]),
            np.mean([np.log(0.01 / 0.99) < scores[i] < 0 for i in own]),
            np.mean([w[0].isupper() for w in words]),
            np.mean(likelihood),
        ]
        assert reference.measures[d].tolist() == pytest.approx(expected)


def test_no_word_is_kept_as_it_is(reference, halves):
    """The stored hashes are not those of the features: they depend on the salt."""
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize([halves[0][0].text], vocabulary), vocabulary)
    plain = set(lower_keys(list(vocabulary.words)).tolist())
    assert not plain & set(reference.words.keys.tolist())
    one, two = (_HashedWords.of(data, vocabulary.words, salt).keys for salt in (1, 2))
    assert not set(one.tolist()) & set(two.tolist())
