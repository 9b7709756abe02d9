"""Where rules find nearly all of a kind, what only the starter finds does not count; without any label."""

import numpy as np
import pytest

from sfumato.data.document import Document
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize
from sfumato.engines.text.rules.features import rule_matches, rule_place
from sfumato.engines.text.starter.adapted import AdaptedStarter, adapt, without_lone_words
from sfumato.engines.text.starter.agreement import heed_rules, least_alone
from sfumato.engines.text.starter.weights import packaged_starter

DRUGS = ("Tylenol", "Vicodin", "Motrin", "Demerol", "Cialis")
NAMES = ("Alvarez", "Brandt", "Castillo", "Dubois", "Eriksen", "Falk", "Garner", "Hobbs")


def words(names, matched, others, other_matched):
    """Scores of sure names and of less sure other words, and how many of each rules match."""
    scores = np.repeat([5.0, -1.5, -9.0], [names, others, 500])
    found = np.zeros(len(scores), bool)
    found[:matched] = True
    found[names : names + other_matched] = True
    return scores, found, np.ones(len(scores), bool)


def test_words_that_no_rule_matches_count_unless_rules_find_everything():
    """Names are found by rules in 60, 99 of 100 places, other words never."""
    assert least_alone(*words(100, 60, 50, 0)) == -np.inf
    assert least_alone(*words(100, 100, 50, 0)) > -1.5
    assert least_alone(*words(100, 100, 50, 0)) < 5.0
    # Too few sure words say nothing about the rules.
    assert least_alone(*words(10, 10, 50, 0)) == -np.inf


def test_only_words_without_a_match_below_the_least_are_lowered():
    scores = np.array([-9.0, -1.0, 1.0, 4.0])
    matched = np.array([False, True, False, False])
    assert without_lone_words(scores, matched, 2.0).tolist() == [-9.0, -1.0, -3.5, 4.0]
    assert without_lone_words(scores, matched, -np.inf).tolist() == scores.tolist()


@pytest.fixture(scope="module")
def visits():
    """Notes in which every name follows a title, and drugs are written with a capital."""
    texts = [
        f"Mr. {NAMES[i % 8]} was seen today. He was given {DRUGS[i % 5]} for pain. "
        f"Mr. {NAMES[i % 8]} tolerated {DRUGS[(i + 1) % 5]} well."
        for i in range(40)
    ]
    vocabulary = Vocabulary()
    tokens = tokenize(texts, vocabulary)
    data = TokenData.of(tokens, vocabulary)
    from sfumato.engines.text.rules import built_in

    rules = built_in(["en"])
    found = [Document("", text, rules.find(text, labels=["NAME"])) for text in texts]
    return data, data.with_places(rule_place(found, tokens))


def test_drugs_are_published_where_rules_find_all_names(visits):
    data, with_rules = visits
    adapted = adapt(packaged_starter(), data, ["NAME"])
    heeding = heed_rules(adapted, with_rules)
    matched = rule_matches(with_rules, "NAME")
    assert matched.sum() >= 80
    before, after = (a.best() >= -np.log(10) for a in (adapted, heeding))
    assert not (after & ~before).any()
    assert not (after & ~matched & data.counted).any() or not (before & ~matched).any()
    assert (after & matched).sum() == (before & matched).sum()
    # What is stored decides as what was adapted, with rules and without.
    again = AdaptedStarter.from_arrays(*heeding.model.to_arrays())
    assert np.array_equal(again.scores(with_rules), heeding.model.scores(with_rules))
    assert np.array_equal(again.scores(data), adapted.model.scores(data))
