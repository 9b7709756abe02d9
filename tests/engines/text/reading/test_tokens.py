"""The tokenizer against a slow twin, on any Unicode."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import DataError
from sfumato.data.document import Document, Span
from sfumato.engines.text.reading._unicode_classes import (
    APOSTROPHE,
    BREAK,
    DIGIT,
    EXTEND,
    IDEOGRAPH,
    LETTER,
    SPACE,
    class_table,
)
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize

# Characters of every class come often; the rest of Unicode now and then.
tricky = st.sampled_from(
    list(
        "aZéßİiıñ ’'-._09\r\n\t\u0301\u200b\u200d\ufeff\u00ad\u2028٣山のカー가\U0001f468\U0001f3fd"
    )
)
anything = st.characters(exclude_categories=["Cs"])
texts = st.text(st.one_of(tricky, tricky, anything), max_size=40)


def plain_tokens(text: str) -> list[tuple[int, int, int]]:
    """Start, end and line-break flag of each token, in characters."""
    table = class_table()
    kinds = [int(table[ord(c)]) for c in text]
    found: list[tuple[int, int, int]] = []
    i, broken = 0, 1
    while i < len(text):
        kind = kinds[i]
        if kind in (SPACE, BREAK):
            broken = 1 if kind == BREAK else broken
            i += 1
            continue
        j = i + 1
        while j < len(text):
            joins = kinds[j] == APOSTROPHE and kinds[j + 1 : j + 3] == [LETTER, LETTER]
            if kinds[j] == EXTEND or (kind in (LETTER, DIGIT) and kinds[j] == kind):
                j += 1
            elif kind == LETTER and joins:
                j += 3
            else:
                break
        found.append((i, j, broken))
        i, broken = j, 0
    return found


@settings(max_examples=400)
@given(st.lists(texts, max_size=4))
def test_tokens_are_those_of_the_plain_twin(documents):
    vocabulary = Vocabulary()
    tokens = tokenize(documents, vocabulary)
    start, end = tokens.char_offsets()
    table = class_table()
    seen: dict[str, int] = {}
    for d, text in enumerate(documents):
        own = slice(tokens.doc[d], tokens.doc[d + 1])
        expected = plain_tokens(text)
        got = zip(start[own], end[own], tokens.after_break[own], strict=True)
        assert [tuple(map(int, t)) for t in got] == expected
        words = [text[a:b] for a, b, _ in expected]
        assert [vocabulary.words[t] for t in tokens.type[own]] == words
        for word in words:
            seen.setdefault(word, len(seen))
        assert [int(t) for t in tokens.type[own]] == [seen[w] for w in words]
    assert vocabulary.words == list(seen)
    lettered = [any(table[ord(c)] in (LETTER, DIGIT, IDEOGRAPH) for c in w) for w in seen]
    assert vocabulary.is_word.astype(bool).tolist() == lettered


@settings(max_examples=200)
@given(st.lists(texts, max_size=4))
def test_tokens_and_gaps_give_the_text_back(documents):
    tokens = tokenize(documents, Vocabulary())
    raw = tokens.text.tobytes()
    for d, text in enumerate(documents):
        pieces, at = [], int(tokens.text_bounds[d])
        for i in range(tokens.doc[d], tokens.doc[d + 1]):
            gap = raw[at : tokens.start[i]]
            assert all(class_table()[ord(c)] in (SPACE, BREAK) for c in gap.decode())
            pieces += [gap, raw[tokens.start[i] : tokens.end[i]]]
            at = int(tokens.end[i])
        pieces.append(raw[at : tokens.text_bounds[d + 1]])
        assert b"".join(pieces) == text.encode()


def test_words_people_write():
    cases = {
        "O'Brien's D’Angelo don't": ["O'Brien", "'", "s", "D’Angelo", "don", "'", "t"],
        "Jean-Luc 3rd B12 a_b": ["Jean", "-", "Luc", "3", "rd", "B", "12", "a", "_", "b"],
        "cafe\u0301 Is\u0327tanbul": ["cafe\u0301", "Is\u0327tanbul"],
        "\ufeffAnn\u200bLee co\u00adop": ["Ann", "Lee", "co\u00adop"],
        "👍🏽 👨\u200d👩 ❤\ufe0f": ["👍🏽", "👨\u200d", "👩", "❤\ufe0f"],
        "山田さん 김철수 गर्ग": ["山", "田", "さ", "ん", "김철수", "गर्ग"],
        "a\r\nb\u2028c": ["a", "b", "c"],
        "": [],
        " \t\u200b": [],
    }
    for text, words in cases.items():
        vocabulary = Vocabulary()
        tokens = tokenize([text], vocabulary)
        assert [vocabulary.words[t] for t in tokens.type] == words
    assert tokenize(["a\r\nb c\u2028d"], Vocabulary()).after_break.tolist() == [1, 1, 0, 1]


def test_vocabulary_grows_and_keeps_the_order_of_first_appearance():
    words = [f"{'w' * (i % 50)}{i:x}" for i in range(20_000)]
    vocabulary = Vocabulary()
    first = vocabulary.add(words)
    assert np.array_equal(first, np.arange(20_000))
    assert np.array_equal(vocabulary.add(reversed(words)), np.arange(20_000)[::-1])
    assert vocabulary.words == words
    assert vocabulary.pool.tobytes() == "".join(words).encode()
    assert np.diff(vocabulary.bounds).tolist() == [len(w) for w in words]


def test_a_line_of_ten_megabytes():
    line = "Ann é " * 1_600_000
    vocabulary = Vocabulary()
    tokens = tokenize([line, "x" * 10_000_000, "'" * 1_000_000], vocabulary)
    assert np.diff(tokens.doc).tolist() == [3_200_000, 1, 1_000_000]
    assert len(vocabulary) == 4


def test_half_a_surrogate_pair_is_refused_without_the_text():
    with pytest.raises(DataError, match=r"document 1 .* character 7") as caught:
        tokenize(["fine", "Johnson\ud800"], Vocabulary())
    assert "Johnson" not in str(caught.value)


@settings(max_examples=200)
@given(st.data())
def test_labels_are_those_of_the_plain_rule(data):
    documents = []
    for number in range(data.draw(st.integers(0, 3))):
        text = data.draw(texts)
        spans, at = [], 0
        while at < len(text) and len(spans) < 4:
            begin = data.draw(st.integers(at, len(text) - 1))
            at = data.draw(st.integers(begin + 1, len(text)))
            spans.append(Span(begin, at, data.draw(st.sampled_from(["A", "B", "C"]))))
        documents.append(Document(str(number), text, spans).checked())
    tokens = tokenize([d.text for d in documents], Vocabulary())
    expected = []
    for document in documents:
        for a, b, _ in plain_tokens(document.text):
            over = [s.label for s in document.spans if s.start < b and s.end > a]
            over = [label for label in over if label in ("B", "A")]
            expected.append(["B", "A"].index(over[0]) + 1 if over else 0)
    assert labels_from_spans(documents, tokens, ["B", "A"]).tolist() == expected


def test_labels_need_the_same_documents():
    with pytest.raises(DataError, match="2 documents"):
        labels_from_spans([Document("a", "b")] * 2, tokenize(["b"], Vocabulary()), ["NAME"])
