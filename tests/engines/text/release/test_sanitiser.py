"""Publishing gives the same bytes however it is cut up, and withholds what fails."""

import pickle
import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import DataError, WithheldError
from sfumato.core.randomness import Streams
from sfumato.data.document import Document, Segment, Span, apply
from sfumato.data.samples import clinic_notes, discharge_letters
from sfumato.engines.text.learners.crf import CRF
from sfumato.engines.text.reading.features import TokenData, WordTable
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.reading.word_cache import GrowingWords
from sfumato.engines.text.redaction.replacer import MASK, Mask, Placeholder, Replacer
from sfumato.engines.text.redaction.sanitiser import NOTHING, Sanitiser, batches
from sfumato.engines.text.redaction.surrogates import SecretKey, Surrogates

NAMES = ["Ann", "Lee", "O'Brien", "Zoë", "Şule", "Garcia"]


def corpus(count, *, seed=3):
    """Notes in which names follow a title, and made-up words keep the vocabulary growing."""
    random = Streams(seed).generator("notes")
    documents = []
    for number in range(count):
        text, spans = "", []
        for _ in range(int(random.integers(0, 12))):
            name = " ".join(random.choice(NAMES, size=int(random.integers(1, 3))))
            word = "".join(random.choice(list("aeioubcdfg"), size=6))
            text += random.choice(["Seen by Dr. ", "Call ", "\r\nsigned, Dr. "])
            if text.endswith("Dr. "):
                spans.append(Span(len(text), len(text) + len(name), "NAME"))
                text += f"{name}, {word}. "
            else:
                text += f"{word} at {random.integers(24)}:30, it is fine. "
        extra = {"ward": number % 3, "nurse": "Garcia"}
        documents.append(Document(f"d{number}", text, spans, extra))
    return documents


class OneClassifier:
    """The smallest candidate: one model, one threshold."""

    labels = ("NAME",)
    knowledge = ()

    def __init__(self, model, threshold):
        self.model, self.threshold = model, threshold

    def decide(self, data):
        return ((self.model.scores(data) >= self.threshold) & data.counted).astype(np.int16)


@pytest.fixture(scope="module")
def candidate():
    documents = corpus(60)
    vocabulary = Vocabulary()
    tokens = tokenize([d.text for d in documents], vocabulary)
    labels = labels_from_spans(documents, tokens, ["NAME"]).astype(np.uint8)
    model = CRF(epochs=3).fit(TokenData.of(tokens, vocabulary), labels)
    return OneClassifier(model, -1.0)


def published(sanitiser, documents, characters=1 << 20, threads=1):
    parts = list(batches(documents, characters))
    if threads == 1:
        done = [sanitiser(part) for part in parts]
    else:
        with ThreadPoolExecutor(threads) as pool:
            done = list(pool.map(sanitiser, parts))
    out = sum(done, NOTHING)
    texts = [Document(i, text) for i, text in zip(out.ids, out.texts, strict=True)]
    return texts, list(out.withheld), out.counts


def test_it_redacts(candidate):
    documents = corpus(40, seed=8)
    out, withheld, counts = published(Sanitiser(candidate), documents)
    assert withheld == []
    assert [d.id for d in out] == [d.id for d in documents]
    hidden = sum(len(d.spans) for d in documents)
    assert abs(counts.spans["NAME"] - hidden) < 0.1 * hidden
    assert "Seen by Dr. [NAME], " in out[1].text + out[2].text + out[3].text
    tokens = tokenize([d.text for d in documents], vocabulary := Vocabulary())
    assert counts.words == int(vocabulary.is_word[tokens.type].sum())
    assert counts.documents == 40


@pytest.mark.parametrize(
    ("characters", "threads", "limit"),
    [(1, 1, 1 << 18), (500, 1, 50), (500, 2, 1 << 18), (3_000, 2, 50)],
)
def test_the_same_bytes_however_it_is_cut(candidate, characters, threads, limit):
    documents = corpus(120, seed=9)
    expected = published(Sanitiser(candidate), documents)
    sanitiser = Sanitiser(candidate)
    sanitiser.word_limit = limit
    got = published(sanitiser, documents, characters, threads)
    assert got == expected


def test_a_copy_sent_elsewhere_gives_the_same(candidate):
    sanitiser = Sanitiser(candidate)
    documents = corpus(10)
    expected = published(sanitiser, documents)
    assert published(pickle.loads(pickle.dumps(sanitiser)), documents) == expected


def test_masks_say_nothing_of_the_kind(candidate):
    documents = corpus(20, seed=8)
    out, _, _ = published(Sanitiser(candidate, replacer=Mask()), documents)
    plain, _, _ = published(Sanitiser(candidate), documents)
    assert [d.text for d in out] == [d.text.replace("[NAME]", MASK) for d in plain]
    assert any(MASK in d.text for d in out)


class Numbering(Replacer):
    def __init__(self):
        self.seen = []

    def replace(self, document, text, label, place=None):
        self.seen.append((document, text, label))
        return f"<{len(self.seen)}é>"


def test_surrogates_come_span_by_span(candidate):
    documents = corpus(20, seed=8)
    replacer = Numbering()
    out, _, counts = published(Sanitiser(candidate, replacer=replacer), documents)
    plain, _, _ = published(Sanitiser(candidate), documents)
    assert len(replacer.seen) == counts.spans["NAME"]
    text = "".join(d.text for d in plain)
    for number, (_, _, label) in enumerate(replacer.seen, 1):
        text = text.replace(f"[{label}]", f"<{number}é>", 1)
    assert "".join(d.text for d in out) == text
    assert all(any(d.id == i and t in d.text for d in documents) for i, t, _ in replacer.seen)


def test_findings_of_another_tool_come_first(candidate):
    text = "Seen by Dr. Lee, fine.\nHobart, 4 pm. Call Dr. Ann, ok."
    found = [Span(23, 29, "PLACE"), Span(42, 44, "NAME")]
    document = Document("d", text, found)
    out = Sanitiser(candidate, findings=True)([document])
    assert out.texts == ["Seen by Dr. [NAME], fine.\n[PLACE], 4 pm. Call [NAME]. [NAME], ok."]
    assert out.counts.redacted == {"NAME": 3, "PLACE": 1}
    assert "[PLACE]" not in Sanitiser(candidate)([document]).texts[0]


def test_what_a_person_marked_is_redacted_whatever_the_classifiers_think(candidate):
    text = "Seen by Dr. Lee, fine. Call Hobart, ok."
    marked = Document("d", text, [Span(28, 34, "NAME"), Span(17, 21, "MOOD")])
    plain = Sanitiser(candidate)([Document("d", text)]).texts
    assert plain == ["Seen by Dr. [NAME], fine. Call Hobart, ok."]
    # Labels that were not chosen are left as they are.
    out = Sanitiser(candidate)([marked])
    assert out.texts == ["Seen by Dr. [NAME], fine. Call [NAME], ok."]
    assert out.counts.redacted == {"NAME": 2}


@settings(max_examples=30)
@given(seed=st.integers(0, 99), data=st.data())
def test_no_marked_word_is_ever_published(candidate, seed, data):
    documents = []
    for document in corpus(4, seed=seed):
        words = [m.span() for m in re.finditer(r"\w+", document.text)]
        chosen = data.draw(st.sets(st.sampled_from(words), max_size=4)) if words else set()
        spans = [Span(a, b, "NAME") for a, b in sorted(chosen)]
        documents.append(Document(document.id, document.text, spans))
    bare = [Document(d.id, d.text) for d in documents]
    for text, document, without in zip(
        Sanitiser(candidate)(documents).texts, documents, Sanitiser(candidate)(bare).texts,
        strict=True,
    ):  # fmt: skip
        if not document.spans:
            assert text == without
        kept = re.sub(r"\[NAME\]", "", text)
        for span in document.spans:
            word = document.text[span.start : span.end]
            before = len(re.findall(rf"\b{re.escape(word)}\b", document.text))
            after = len(re.findall(rf"\b{re.escape(word)}\b", kept))
            same = sum(document.text[s.start : s.end] == word for s in document.spans)
            assert after <= before - same


class Failing(OneClassifier):
    def decide(self, data):
        bad = {t for t, w in enumerate(data.words.vocabulary.words) if w == "Canary"}
        if any(int(t) in bad for t in data.tokens.type):
            raise ValueError("a message that quotes Canary")
        return super().decide(data)


def test_what_fails_is_withheld_and_the_rest_goes_on(candidate):
    documents = corpus(30, seed=8)
    documents[7] = Document("bad", "Dr. Canary sang.")
    documents[11] = Document("half", "Canary \ud800")
    sanitiser = Sanitiser(Failing(candidate.model, candidate.threshold))
    out, withheld, counts = published(sanitiser, documents, 2_000)
    others = [d for d in documents if d.id not in ("bad", "half")]
    assert (out, [], counts) == published(Sanitiser(candidate), others)
    assert [w["id"] for w in withheld] == ["bad", "half"]
    assert "ValueError" in withheld[0]["reason"]
    assert "Unicode" in withheld[1]["reason"]
    assert "Canary" not in str(withheld)


def test_strict_stops_at_the_first_without_a_word_of_it(candidate):
    strict = Sanitiser(Failing(candidate.model, candidate.threshold), strict=True)
    with pytest.raises(WithheldError, match="'bad'") as caught:
        strict([*corpus(3), Document("bad", "Dr. Canary sang.")])
    assert "Canary" not in str(caught.value)
    assert caught.value.__suppress_context__
    with pytest.raises(DataError, match="'half'"):
        strict([Document("half", "\udfff")])


def test_odd_documents(candidate):
    odd = ["", " ", "\n", "...", "👍🏽", "x", "Dr. " * 3, "\x00"]
    documents = [Document(str(i), text) for i, text in enumerate(odd)]
    out, withheld, _ = published(Sanitiser(candidate), documents)
    assert len(out) == len(odd)
    assert [d.text for d in out[:5]] == odd[:5]
    assert withheld == []
    assert Sanitiser(candidate)([]).texts == []


word_lists = st.lists(st.text("abcAÉé1-", min_size=1, max_size=4), max_size=8)


@settings(max_examples=50)
@given(st.lists(word_lists, max_size=4))
def test_a_table_that_grew_is_the_table_of_all_words(steps):
    growing = GrowingWords()
    for words in steps:
        growing.vocabulary.add(words)
        growing.catch_up()
    whole = WordTable(Vocabulary(dict.fromkeys(w for words in steps for w in words)))
    assert len(growing) == len(whole)
    for name in ("own", "own_bounds", "near", "far", "lower", "shape", "counted", "capital"):
        assert np.array_equal(getattr(growing, name), getattr(whole, name))
    ranks = {key: rank for rank, key in enumerate(dict.fromkeys(whole.lower.tolist()))}
    assert growing.groups().tolist() == [ranks[key] for key in whole.lower.tolist()]


def test_groups_of_many_words_go_on_when_their_table_grows():
    growing = GrowingWords()
    for first in range(0, 6_000, 1_500):
        growing.vocabulary.add(f"W{i % 4_000}{'x' * (i % 2)}" for i in range(first, first + 1_500))
        growing.catch_up()
        growing.groups()
    lower = growing.lower.tolist()
    ranks = {key: rank for rank, key in enumerate(dict.fromkeys(lower))}
    assert growing.groups().tolist() == [ranks[key] for key in lower]


def test_word_scores_that_grew_are_those_of_all_words(candidate):
    words = [f"{w}{i}" for i in range(50) for w in NAMES]
    growing = GrowingWords()
    for first in range(0, 300, 60):
        growing.vocabulary.add(words[first : first + 60])
        growing.catch_up()
        grown = growing.scores_of(candidate.model)
    whole = candidate.model.word_scores(WordTable(Vocabulary(words)))
    assert np.array_equal(grown, whole)


def test_a_second_reading_order_finds_what_two_columns_tear_apart(candidate):
    """Of a page in two columns, the name stands together in the order of its columns only."""
    lines = [("Seen by Dr.", "all is"), ("Garcia, who", "well now")]
    text = "\n".join(f"{left}   {right}" for left, right in lines)
    columns = [text.index(piece) + i for half in zip(*lines, strict=True)
               for piece in half for i in range(len(piece) + 1)]  # fmt: skip
    order = [i if i < len(text) and not text[i].isspace() else -1 for i in columns]
    sanitiser = Sanitiser(candidate)
    (plain,) = sanitiser([Document("d", text)]).edits
    (both,) = sanitiser([Document("d", text, orders=[order])]).edits
    read = "".join(" " if i < 0 else text[i] for i in order)
    (alone,) = sanitiser([Document("d", read)]).edits
    covered = {i for e in both for i in range(e.start, e.end)}
    assert covered == {i for e in plain for i in range(e.start, e.end)} | {
        order[k] for e in alone for k in range(e.start, e.end) if order[k] >= 0
    }
    assert alone


def test_what_a_reader_made_itself_is_not_redacted(candidate):
    """The name of a header is no part of the message, whatever it looks like."""
    text = "Garcia: x\nSeen by Dr. Garcia, who is well."
    at = text.rindex("Garcia")
    document = Document("d", text, segments=[Segment(8, 9, "header"), Segment(10, len(text), "body")])  # fmt: skip
    assert [(e.start, e.end) for e in Sanitiser(candidate)([document]).edits[0]] == [(at, at + 6)]


def test_what_a_review_took_back_is_not_redacted_in_any_reading_order(candidate):
    text = "Seen by Dr. Garcia, who is well. Seen by Dr. Garcia, who left."
    first, second = (m.span() for m in re.finditer("Garcia", text))
    order = [*range(33, len(text)), -1, *range(33)]  # the second sentence first
    document = Document("d", text, orders=[order])
    (before,) = Sanitiser(candidate)([document]).edits
    assert [(e.start, e.end) for e in before] == [first, second]
    taken_back = Sanitiser(candidate, cleared={"d": [first]})
    assert [(e.start, e.end) for e in taken_back([document]).edits[0]] == [second]
    assert taken_back([document]).counts.redacted == {"NAME": 1}
    other = [Document("e", text)]
    assert taken_back(other).edits == Sanitiser(candidate)(other).edits
    # A mark is law: what somebody marked is redacted, whatever was taken back before.
    marked = [Document("d", text, [Span(*first, "NAME")])]
    assert [(e.start, e.end) for e in taken_back(marked).edits[0]] == [first, second]


@pytest.mark.parametrize("replacer", [Placeholder(), Mask(), Surrogates(SecretKey(b"k" * 32))])
def test_edits_applied_are_the_bytes_that_are_rendered(candidate, replacer):
    documents = [*corpus(80), *clinic_notes(60, seed=1), *discharge_letters(30, seed=1)]
    sanitiser = Sanitiser(candidate, replacer=replacer, marks=False)
    column = [d.text.encode() for d in documents]
    bounds = np.cumsum([0, *map(len, column)])
    text = np.frombuffer(b"".join(column), np.uint8)
    if replacer.by_label_alone:
        rendered, ends = sanitiser.texts(text, bounds, lambda i: documents[i].id)[0].render()
        expected = [rendered[a:b].tobytes().decode() for a, b in zip(ends, ends[1:], strict=False)]
        assert sanitiser(documents).texts == expected
    done = sanitiser(documents)
    for document, edits, published_text in zip(documents, done.edits, done.texts, strict=True):
        assert apply(document.text, edits) == published_text
        assert all(document.text[e.start : e.end] for e in edits)
    assert sum(map(len, done.edits)) == sum(done.counts.spans.values()) > 100
