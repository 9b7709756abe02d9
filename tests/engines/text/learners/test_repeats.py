"""A word that its document is sure of once is hardly less likely where it stands alone."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.core.errors import ModelError
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.learners.registry import model_from_arrays
from sfumato.engines.text.learners.repeats import RepeatsModel, lift_repeats
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize

TEXTS = ["Mr Meier came. Meier went, meier wrote, Berg too.", "Meier alone."]


def read(texts):
    vocabulary = Vocabulary()
    tokens = tokenize(texts, vocabulary)
    words = [tokens.text[a:b].tobytes().decode() for a, b in zip(tokens.start, tokens.end, strict=True)]  # fmt: skip
    return TokenData.of(tokens, vocabulary), words


def test_capitalised_words_follow_their_surest_place_in_the_document():
    data, words = read(TEXTS)
    scores = np.full(len(words), -6.0)
    scores[words.index("Meier")] = 3.0
    lifted = lift_repeats(scores, data, 2.0)
    by_hand = scores.copy()
    first = data.document_of == 0
    for i, word in enumerate(words):
        if word == "Meier" and first[i]:
            by_hand[i] = max(scores[i], 1.0)
    assert lifted.tolist() == by_hand.tolist()  # not "meier", not the other document
    assert (lifted == 1.0).sum() == 1


def test_what_nobody_reads_stays_unread():
    data, words = read(TEXTS)
    scores = np.full(len(words), 2.0)
    scores[data.document_of == 1] = -np.inf
    scores[words.index("Meier")] = -np.inf  # redacted already
    lifted = lift_repeats(scores, data, 2.0)
    assert np.isneginf(lifted).tolist() == np.isneginf(scores).tolist()


def test_the_model_is_stored_and_read_back():
    data, words = read(TEXTS * 5)
    labels = np.array([word == "Meier" for word in words], np.uint8)
    model = RepeatsModel(CRF(memory=False).fit(data, labels), 2.0)
    header, arrays = model.to_arrays()
    again = model_from_arrays(header, arrays)
    assert isinstance(again, RepeatsModel)
    assert again.scores(data).tolist() == model.scores(data).tolist()
    for broken in ({"drop": -1.0}, {"drop": "x"}, {"model": 3}):
        with pytest.raises(ModelError, match="repeated words"):
            model_from_arrays({**header, **broken}, arrays)


def test_no_tokens_are_no_error():
    data, _ = read([])
    assert len(lift_repeats(np.zeros(0), data, 2.0)) == 0
