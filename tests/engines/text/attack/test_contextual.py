"""Words that give names away: found, labelled or removed, and what an inference attack makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import fisher_exact

from sfumato.core.errors import ParameterError
from sfumato.engines.text.attack.contextual import (
    _fisher,
    _likelihood_ratio,
    benjamini_hochberg,
    contextual_labels,
    contextual_redactions,
    find_associated_words,
    infer_identifiers,
)
from sfumato.engines.text.reading.features import TokenData, lower_keys
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize

COMMON = [f"{a}{b}" for a in "mnpqrstu" for b in ("ol", "ir", "ap", "ed", "uz")]
PEOPLE = {"ann": "asthma", "bob": "chess", "eve": "sailing", "kim": "opera"}


def notes(telling=True, documents=120, seed=0):
    """Each document is about one person; a hobby goes with the person, or with nobody."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(documents):
        person = str(rng.choice(list(PEOPLE)))
        words = [str(w) for w in rng.choice(COMMON, 12)]
        hobby = PEOPLE[person] if telling else str(rng.choice(list(PEOPLE.values())))
        at, other = rng.choice(12, 2, replace=False)
        words[at], words[other] = person.title(), hobby
        texts.append(" ".join(words))
        labels += [int(i == at) for i in range(12)]
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize(texts, vocabulary), vocabulary)
    return data, np.array(labels, np.uint8)


def test_the_telling_words_are_found_and_only_those():
    data, sensitive = notes()
    found = find_associated_words(data, sensitive)
    expected = {
        (int(lower_keys([person])[0]), int(lower_keys([hobby])[0]))
        for person, hobby in PEOPLE.items()
    }
    assert set(zip(found.identifier.tolist(), found.word.tolist(), strict=True)) == expected
    assert (found.adjusted <= 0.05).all()
    assert found.tested == len(PEOPLE) * (len(COMMON) + len(PEOPLE))


def test_without_association_nothing_is_found():
    """The false discovery rate is kept: ten corpora without any association."""
    found = [len(find_associated_words(*notes(telling=False, seed=s))) for s in range(10)]
    assert sum(f > 0 for f in found) <= 2


def test_fisher_is_scipys():
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(10, 60))
        one, other = (int(x) for x in rng.integers(1, n, 2))
        both = int(rng.integers(max(0, one + other - n), min(one, other) + 1))
        table = [[both, one - both], [other - both, n - one - other + both]]
        expected = fisher_exact(table, alternative="greater")[1]
        got = _fisher(np.array([both]), np.array([one]), np.array([other]), n)[0]
        assert got == pytest.approx(expected)
        assert (
            _likelihood_ratio(np.array([both]), np.array([one]), np.array([other]), n)[0] >= -1e-9
        )


def test_benjamini_hochberg_against_its_definition():
    rng = np.random.default_rng(1)
    p = rng.random(30)
    adjusted = benjamini_hochberg(p, 40)
    for level in (0.05, 0.2, 0.6):
        ranked = np.sort(np.r_[p, np.ones(10)])
        passing = np.flatnonzero(ranked <= level * np.arange(1, 41) / 40)
        count = passing[-1] + 1 if len(passing) else 0
        assert int((adjusted <= level).sum()) == min(count, 30)


def test_both_ways_take_the_telling_words_of_the_documents_person():
    data, sensitive = notes()
    found = find_associated_words(data, sensitive)
    more = contextual_redactions(data, sensitive != 0, found)
    hobbies = np.isin(data.words.lower[data.tokens.type + 3], lower_keys(list(PEOPLE.values())))
    assert np.array_equal(more, hobbies)
    labels = contextual_labels(data, sensitive.astype(np.int16), found, kind=2)
    assert np.array_equal(labels == 2, hobbies)
    assert np.array_equal(labels == 1, sensitive != 0)
    nobody = contextual_redactions(data, np.zeros(len(data), bool), found)
    assert not nobody.any()


def infer(data, sensitive, removed):
    known = np.arange(data.documents) < 80
    return infer_identifiers(
        data, sensitive, removed, known=known, attacked=~known,
        generator=np.random.default_rng(0),
    )  # fmt: skip


def test_the_inference_attack_wins_until_the_telling_words_are_gone():
    data, sensitive = notes()
    known = np.arange(data.documents) < 80
    removed = sensitive != 0
    before = infer(data, sensitive, removed)
    assert before.cases == 40
    assert before.candidates == 4
    assert before.share > 0.95
    found = find_associated_words(data, sensitive, documents=known)
    after = infer(data, sensitive, removed | contextual_redactions(data, removed, found))
    assert after.share < 0.6
    assert after.low <= after.share <= after.high
    assert before.by_prior == after.by_prior < 20


def test_a_name_that_is_still_there_is_no_case():
    data, sensitive = notes()
    assert infer(data, sensitive, np.zeros(len(data), bool)).cases == 0
    assert infer(data, np.zeros_like(sensitive), sensitive != 0).to_json()["share"] == 0


@pytest.mark.parametrize("wrong", [{"level": 0}, {"min_documents": 1}])
def test_bad_parameters(wrong):
    with pytest.raises(ParameterError):
        find_associated_words(*notes(documents=5), **wrong)
