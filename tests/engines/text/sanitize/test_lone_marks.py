"""Punctuation that a classifier finds is published where no word next to it is redacted."""

from __future__ import annotations

import numpy as np

from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize
from sfumato.engines.text.sanitize.lone_marks import without_lone_marks


def kept(texts, redacted, before=()):
    """Redact tokens by what they are, some of them before, and return those that still are."""
    vocabulary = Vocabulary()
    tokens = tokenize(texts, vocabulary)
    words = [tokens.text[a:b].tobytes().decode() for a, b in zip(tokens.start, tokens.end, strict=True)]  # fmt: skip
    decided = np.array([2 * (word in redacted) for word in words], np.int16)
    data = TokenData.of(tokens, vocabulary).redact(np.array([w in before for w in words], np.bool_))
    found = without_lone_marks(decided, data)
    assert ((found == decided) | (found == 0)).all()
    return [word for word, kind in zip(words, found, strict=True) if kind]


def test_a_full_stop_after_a_published_word_is_published():
    assert kept(["mit Fieber. Herr Berg, geht."], {".", "Berg", ","}) == ["Berg", ","]


def test_a_mark_of_another_line_or_document_stands_alone():
    assert kept(["Berg\n, und", ", und"], {"Berg", ","}) == ["Berg"]


def test_words_that_rules_redacted_before_keep_their_marks():
    assert kept(["am 17, 1932."], {"17", ",", "1932"}, before={"17", "1932"}) == ["17", ",", "1932"]


def test_what_is_no_punctuation_goes_as_it_was_decided():
    assert kept(["es kam \u2620 vor"], {"\u2620"}) == ["\u2620"]


def test_nothing_redacted_is_nothing_changed():
    assert kept(["mit Fieber."], set()) == []
    assert kept([], {"."}) == []


def test_what_was_redacted_before_stays_so():
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize(["mit Fieber."], vocabulary), vocabulary)
    last = np.array([False, False, True])
    decided = without_lone_marks(last.astype(np.int16), data.redact(last))
    assert decided.tolist() == [0, 0, 1]
