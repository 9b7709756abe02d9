"""Word features and what surrounds them, against plain twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.engines.text.reading.features import (
    BEGIN,
    END,
    RESERVED,
    TokenData,
    WordKnowledge,
    WordTable,
    lower_keys,
)
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize
from sfumato.engines.text.reading.word_lists import WordList, list_knowledge
from sfumato.engines.text.sanitize.stacking.stack import stack_places

words = st.lists(
    st.text(st.sampled_from("aAbBzZéÉßçıΣσ019-.'’漢ىक"), min_size=1, max_size=9),
    min_size=1, max_size=30, unique=True,
)  # fmt: skip


def kind(c):
    if c.isdigit():
        return "d"
    if not c.isalpha():
        return c
    return "X" if c.isupper() or c.istitle() else ("x" if c.islower() else "a")


def plain_features(word):
    """What the kernel hashes, as plain values, in the same order."""
    low = "".join(c.lower()[0] for c in word)
    shape = brief = ""
    run = 0
    for k in map(kind, word):
        run = run + 1 if brief and brief[-1] == k else 1
        brief += k if run == 1 else ""
        shape += k if run <= 3 else ""
    kinds = [kind(c) for c in word]
    letters = sum(k in "Xxa" for k in kinds)
    marks = [c for c, k in zip(word, kinds, strict=True) if k not in "Xxad"]
    flags = (
        kinds[0] == "X", "X" in kinds and "x" not in kinds, "d" in kinds, "-" in marks, "." in marks,
        any(m not in "-." for m in marks), letters == 0, kinds.count("X") > 1 and "x" in kinds,
    )  # fmt: skip
    affixes = [low[:k] if len(low) >= k else None for k in (1, 2, 3, 4)]
    affixes += [low[-k:] if len(low) >= k else None for k in (1, 2, 3, 4)]
    return [word, low, shape, brief, min(len(word), 12), flags, *affixes]


@settings(max_examples=60)
@given(words)
def test_two_words_share_a_feature_exactly_when_the_plain_ones_do(some):
    table = WordTable(Vocabulary(some))
    plain = [plain_features(w) for w in some]
    hashed = []
    for row in range(RESERVED, len(table)):
        own = table.own[table.own_bounds[row] : table.own_bounds[row + 1]].tolist()
        features = plain[row - RESERVED]
        own = iter(own)
        hashed.append([None if f is None else next(own) for f in features])
        assert next(own, None) is None
    flat = {}
    for features, hashes in zip(plain, hashed, strict=True):
        for column, (f, h) in enumerate(zip(features, hashes, strict=True)):
            if f is not None:
                assert flat.setdefault(("plain", column, f), h) == h
                assert flat.setdefault(("hash", h), (column, f)) == (column, f)
    for row, word in enumerate(some, RESERVED):
        low = plain[row - RESERVED][1]
        for other, word2 in enumerate(some, RESERVED):
            assert (table.lower[row] == table.lower[other]) == (low == plain[other - RESERVED][1])
            assert (table.shape[row] == table.shape[other]) == (
                plain[row - RESERVED][2] == plain[other - RESERVED][2]
            )
            _ = word2
        assert table.counted[row] == any(c.isalpha() or c.isdigit() for c in word)
        assert table.capital[row] == (kind(word[0]) == "X")


def test_features_do_not_depend_on_the_other_words():
    one, two = (
        WordTable(Vocabulary(["Ann", "Lee"])),
        WordTable(Vocabulary(["x", "É", "Lee", "Ann"])),
    )
    assert one.lower[RESERVED] == two.lower[RESERVED + 3]
    assert one.near[RESERVED].tolist() == two.near[RESERVED + 3].tolist()


def test_the_matrix_holds_a_one_for_each_feature():
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize(["Ann saw Lee", "", "Ann"], vocabulary), vocabulary)
    matrix = data.matrix()
    assert matrix.shape[0] == 4
    assert set(matrix.data) == {1.0}
    # Ann after a document's start is one thing, what follows her another.
    assert (matrix[0] != matrix[3]).nnz > 0
    rows = data.rows_at(1).tolist()
    assert rows == [data.rows[1], data.rows[2], END, END]
    assert data.rows_at(-2).tolist() == [BEGIN, BEGIN, data.rows[0], BEGIN]


def test_a_redacted_token_is_no_instance_and_leaves_a_placeholder():
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize(["Ann saw Lee"], vocabulary), vocabulary)
    hidden = data.redact(np.array([True, False, False]))
    assert hidden.counted.tolist() == [False, True, True]
    other = TokenData.of(tokenize(["Bob saw Lee"], vocabulary), vocabulary)
    same = other.redact(np.array([True, False, False]))
    assert np.array_equal(hidden.joint_keys()[1], same.joint_keys()[1])
    assert not np.array_equal(data.joint_keys()[1], hidden.joint_keys()[1])


def bin_of(score):
    return sum(score >= edge for edge in (-6, -4, -3, -2, -1, 0, 1, 2, 4, 6))


@settings(max_examples=40)
@given(st.lists(st.lists(st.sampled_from(["Ann", "ANN", "cat", "x"]), max_size=8), min_size=1, max_size=4),
       st.integers(0, 99), st.booleans())  # fmt: skip
def test_the_stack_sees_the_same_word_elsewhere_in_the_document(documents, seed, with_own):
    vocabulary = Vocabulary()
    data = TokenData.of(tokenize([" ".join(d) for d in documents], vocabulary), vocabulary)
    random = np.random.default_rng(seed)
    scores = random.normal(0, 4, len(data))
    scores[random.random(len(data)) < 0.2] = -np.inf
    places = stack_places(data, scores, with_own=with_own)
    words = [w.lower() for d in documents for w in d]
    document = data.document_of
    for i in range(len(data)):
        same = [j for j in range(len(data)) if document[j] == document[i]
                and words[j] == words[i] and scores[j] > -np.inf]  # fmt: skip

        def highest(j, i=i):
            if not 0 <= j < len(data) or document[j] != document[i] or scores[j] == -np.inf:
                return 0
            return 1 + bin_of(max(scores[k] for k in range(len(data))
                                  if document[k] == document[j] and words[k] == words[j]))  # fmt: skip

        others = [scores[j] for j in same if j != i]
        live = scores[i] > -np.inf
        expected = [
            1 + bin_of(max(others)) if live and others else 0,
            1 + bin_of(np.mean(others)) if live and others else 0,
            highest(i - 1),
            highest(i + 1),
        ]
        if with_own:
            expected.insert(0, bin_of(scores[i]) if live else 0)
        assert [int(p.values[i]) for p in places] == expected


def test_knowledge_of_words_adds_features_to_them_and_their_neighbours():
    known = list_knowledge("surnames", ["Lee", "LEE", "Smith", ""])
    vocabulary = Vocabulary(["lee", "cat"])
    plain, more = WordTable(vocabulary), WordTable(vocabulary, [known])
    assert len(more.own) == len(plain.own) + 1
    assert (more.near[:, -1] != 0).tolist() == [False, False, False, True, False]
    nothing = WordKnowledge(np.zeros(0, np.uint64), *(np.zeros((0, 1), np.uint64),) * 2)
    assert len(WordTable(vocabulary, [nothing]).own) == len(plain.own)
    with pytest.raises(ValueError):
        WordKnowledge.checked(known.keys[::-1], known.own, known.near)


def test_word_lists_match_words_and_phrases_within_a_document():
    vocabulary = Vocabulary()
    texts = ["the OLD mill, old", "mill House old mill", ""]
    data = TokenData.of(tokenize(texts, vocabulary), vocabulary)
    found = WordList.of(["old mill", "house", "", "  "]).matches(data)
    assert found.tolist() == [False, True, True, False, False, False, True, True, True]
    assert not WordList().matches(data).any()
    assert len(WordList.of(["a b", "c"])) == 2


def test_lower_keys_ignore_case():
    assert lower_keys(["Ann"])[0] == lower_keys(["aNN"])[0] != lower_keys(["Anna"])[0]
