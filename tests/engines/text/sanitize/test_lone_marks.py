"""Punctuation that a classifier finds is published where no word next to it is redacted."""

from __future__ import annotations

import unicodedata

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

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


def plainly(words, breaks, decided, before):
    """Walk over the runs of one label in a line."""
    kept, i = list(decided), 0
    while i < len(words):
        j = i + 1
        while j < len(words) and decided[j] == decided[i] and not breaks[j]:
            j += 1
        if not any(word[0].isalnum() for word in words[i:j]):
            for k in range(i, j):
                if unicodedata.category(words[k]).startswith("P") and not before[k]:
                    kept[k] = 0
        i = j
    return kept


@given(
    st.lists(
        st.tuples(st.sampled_from(["Berg", ",", ".", "9", "\u2620"]), st.booleans(), st.integers(0, 2), st.booleans()),
        min_size=1, max_size=20,
    )
)  # fmt: skip
@settings(deadline=None)
def test_marks_are_published_as_by_a_walk_over_the_runs(drawn):
    words, breaks, decided, before = (list(column) for column in zip(*drawn, strict=True))
    text = "".join(
        ("\n" if new_line else " ") + word for word, new_line in zip(words, breaks, strict=True)
    )
    breaks[0] = True
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize([text], vocabulary), vocabulary).redact(np.array(before))
    found = without_lone_marks(np.array(decided, np.int16), data)
    assert found.tolist() == plainly(words, breaks, decided, before)
