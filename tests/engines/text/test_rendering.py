"""Rendering on bytes against plain string work."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.engines.text.rendering import merge_spans, render
from sfumato.engines.text.tokens import Vocabulary, tokenize

texts = st.text(st.sampled_from(list("aBé ’'-.0\t\r\n\u0301山👍")), max_size=30)
LABELS = ["[NAME]", "", "[Ö]"]


def plain_render(text, pieces, kinds, breaks, replace):
    """Join and replace with Python strings; `pieces` are the tokens' character offsets."""
    out, at, i = "", 0, 0
    while i < len(pieces):
        j = i + 1
        if kinds[i]:
            while j < len(pieces) and kinds[j] == kinds[i] and not breaks[j]:
                j += 1
            begin, end = pieces[i][0], pieces[j - 1][1]
            out += text[at:begin] + replace(text[begin:end], kinds[i])
            at = end
        i = j
    return out + text[at:]


@settings(max_examples=300, deadline=None)
@given(st.lists(texts, max_size=3), st.data())
def test_rendering_is_that_of_the_plain_twin(documents, data):
    tokens = tokenize(documents, Vocabulary())
    n = len(tokens)
    kind = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.int16)
    spans = merge_spans(tokens, kind)
    start, end = tokens.char_offsets()
    masks = np.full(len(spans), -1, np.int32)
    own = [f"<{i}>" for i in range(len(spans))]
    for which, replacements in (
        (None, LABELS),
        (masks, []),
        (np.arange(len(spans), dtype=np.int32), own),
    ):
        out, bounds = render(tokens, spans, replacements, which)
        count = 0

        def replace(old, k, which=which):
            nonlocal count
            count += 1
            if which is None:
                return LABELS[k - 1]
            if which is masks:
                return "".join(c if c in " \t" else "*" for c in old)
            return own[count - 1]

        for d, text in enumerate(documents):
            mine = slice(tokens.doc[d], tokens.doc[d + 1])
            pieces = list(zip(start[mine], end[mine], strict=True))
            expected = plain_render(text, pieces, kind[mine], tokens.after_break[mine], replace)
            assert out[bounds[d] : bounds[d + 1]].tobytes().decode() == expected


def test_nothing_redacted_is_the_text_itself():
    documents = ["Ann é\r\n", "", "👍🏽"]
    tokens = tokenize(documents, Vocabulary())
    spans = merge_spans(tokens, np.zeros(len(tokens), np.int16))
    assert render(tokens, spans, [])[0].tobytes() == "".join(documents).encode()


def test_kinds_and_lines_are_not_joined():
    tokens = tokenize(["Ann Lee\nRoy 1"], Vocabulary())
    spans = merge_spans(tokens, np.array([1, 1, 1, 2], np.int16))
    out, _ = render(tokens, spans, ["[NAME]", "[AGE]"])
    assert out.tobytes() == b"[NAME]\n[NAME] [AGE]"
