"""Rendering on bytes against plain string work."""

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.document import apply
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize
from sfumato.engines.text.redaction.rendering import Edits, merge_spans, render

texts = st.text(st.sampled_from(list("aBé ’'-.0\t\r\n\u0301山👍")), max_size=30)
LABELS = ["[NAME]", "", "[Ö]"]


def plain_render(text, pieces, kinds, breaks, replace):
    """Join and replace with Python strings; `pieces` are the tokens' character offsets."""
    words = [text[a:b] for a, b in pieces]

    def joins(i, j):
        """Whether token j continues the span whose last redacted token is i."""
        between = words[i + 1 : j]
        if any(breaks[i + 1 : j + 1]) or any(re.search(r"[^\W_]", w) for w in between):
            return False
        touching = all(pieces[k][1] == pieces[k + 1][0] for k in range(i, j))
        initial = len(words[i]) == 1 and len(between) == 1 and between[0][0] == "."
        return j == i + 1 or touching or (initial and pieces[i][1] == pieces[i + 1][0])

    spans = []
    before = None
    for j, kind in enumerate(kinds):
        if kind:
            if before is not None and kinds[before] == kind and joins(before, j):
                spans[-1][1] = pieces[j][1]
            else:
                spans.append([*pieces[j], kind])
            before = j
    out, at = "", 0
    for begin, end, kind in spans:
        out += text[at:begin] + replace(text[begin:end], kind)
        at = end
    return out + text[at:]


@settings(max_examples=300)
@given(st.lists(texts, max_size=3), st.data())
def test_rendering_is_that_of_the_plain_twin(documents, data):
    vocabulary = Vocabulary()
    tokens = tokenize(documents, vocabulary)
    n = len(tokens)
    kind = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.int16)
    spans = merge_spans(tokens, vocabulary, kind)
    start, end = tokens.char_offsets()
    own = [f"<{i}>" for i in range(len(spans))]
    for which, replacements in (
        (None, LABELS),
        (np.arange(len(spans), dtype=np.int32), own),
    ):
        out, bounds = render(tokens, spans, replacements, which)
        count = 0

        def replace(old, k, which=which):
            nonlocal count
            count += 1
            if which is None:
                return LABELS[k - 1]
            return own[count - 1]

        for d, text in enumerate(documents):
            mine = slice(tokens.doc[d], tokens.doc[d + 1])
            pieces = list(zip(start[mine], end[mine], strict=True))
            expected = plain_render(text, pieces, kind[mine], tokens.after_break[mine], replace)
            assert out[bounds[d] : bounds[d + 1]].tobytes().decode() == expected


@settings(max_examples=200)
@given(st.lists(texts, max_size=3), st.data())
def test_edits_in_characters_say_what_the_bytes_say(documents, data):
    vocabulary = Vocabulary()
    tokens = tokenize(documents, vocabulary)
    n = len(tokens)
    kind = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.int16)
    spans = merge_spans(tokens, vocabulary, kind)
    edits = Edits(tokens, spans, ["A", "B", "C"], LABELS, spans.kind.astype(np.int32) - 1)
    out, bounds = edits.render()
    for d, own in enumerate(edits.by_document()):
        assert apply(documents[d], own) == out[bounds[d] : bounds[d + 1]].tobytes().decode()
        assert [e.label for e in own] == [
            "ABC"[k - 1] for k in spans.kind[slice(*spans.doc[d : d + 2])]
        ]


def test_nothing_redacted_is_the_text_itself():
    documents = ["Ann é\r\n", "", "👍🏽"]
    vocabulary = Vocabulary()
    tokens = tokenize(documents, vocabulary)
    spans = merge_spans(tokens, vocabulary, np.zeros(len(tokens), np.int16))
    assert render(tokens, spans, [])[0].tobytes() == "".join(documents).encode()


def redacted(text, kinds):
    vocabulary = Vocabulary()
    tokens = tokenize([text], vocabulary)
    spans = merge_spans(tokens, vocabulary, np.array(kinds, np.int16))
    return render(tokens, spans, ["[NAME]", "[DATE]"])[0].tobytes().decode()


def test_kinds_and_lines_are_not_joined():
    assert redacted("Ann Lee\nRoy 1", [1, 1, 1, 2]) == "[NAME]\n[NAME] [DATE]"


def test_punctuation_inside_is_taken_in():
    assert redacted("on 12/03/2020.", [0, 2, 0, 2, 0, 2, 0]) == "on [DATE]."
    assert redacted("J. R. Lee-Roy, MD", [1, 0, 1, 0, 1, 0, 1, 0, 0]) == "[NAME], MD"
    assert redacted("Lee, Roy", [1, 0, 1]) == "[NAME], [NAME]"
    assert redacted("Lee. Roy", [1, 0, 1]) == "[NAME]. [NAME]"
    assert redacted("J.\nRoy", [1, 0, 1]) == "[NAME].\n[NAME]"
