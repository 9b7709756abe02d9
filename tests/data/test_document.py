"""Documents, segments and edits against plain string work."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.errors import DataError
from sfumato.data.document import (
    Document,
    Edit,
    Edited,
    Segment,
    Span,
    apply,
    by_place,
    place_edits,
    unite,
)

texts = st.text(st.sampled_from(list("aBé ’.\n\u0301山👍")), max_size=40)


@st.composite
def edited_texts(draw):
    """Draw a text and sorted, non-overlapping edits of it."""
    text = draw(texts)
    ends = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pairs = [(a, b) for a, b in zip(ends[::2], ends[1::2], strict=False)]
    new = st.text(st.sampled_from("[NAME]█x"), max_size=6)
    return text, [Edit(a, b, draw(new), "NAME") for a, b in pairs]


def by_characters(text, edits):
    """Replace character by character: a twin of `apply` that joins nothing."""
    first = {edit.start: edit.replacement for edit in edits}
    gone = {i for edit in edits for i in range(edit.start, edit.end)}
    kept = [first.get(i, "") + ("" if i in gone else c) for i, c in enumerate(text)]
    return "".join(kept) + first.get(len(text), "")


@given(edited_texts())
def test_edits_are_applied_as_character_by_character(case):
    text, edits = case
    assert apply(text, edits) == by_characters(text, edits)
    assert Edited(Document("d", text), edits, "d").text == apply(text, edits)


@given(edited_texts(), st.data())
def test_edits_by_place_write_what_the_whole_text_says(case, data):
    text, edits = case
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)) | {0, len(text)})
    segments = [Segment(a, b, f"p{a}") for a, b in zip(cuts, cuts[1:], strict=False)]
    document = Document("d", text, segments=segments)
    edits = [e for e in edits if e.end > e.start]
    places = by_place(document, edits)
    written = [apply(text[s.start : s.end], places.get(s.place, ())) for s in segments]
    assert "".join(written) == apply(text, edits)


def test_what_the_reader_made_is_deleted_with_the_rest_and_never_alone():
    document = Document("d", "Ann Lee", segments=[Segment(0, 3, "1"), Segment(4, 7, "2")])
    assert by_place(document, [Edit(0, 7, "[NAME]", "NAME")]) == {
        "1": [Edit(0, 3, "[NAME]", "NAME")], "2": [Edit(0, 3, "", "NAME")]
    }  # fmt: skip
    with pytest.raises(DataError, match="no place"):
        by_place(document, [Edit(3, 4, "[NAME]", "NAME")])


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(0, 3, "", "A"), Edit(2, 4, "", "A")],
        [Edit(3, 4, "", "A"), Edit(0, 1, "", "A")],
        [Edit(0, 9, "", "A")],
        [Edit(-1, 2, "", "A")],
    ],
)
def test_edits_that_overlap_or_lie_outside_are_refused(edits):
    with pytest.raises(DataError, match="overlaps the one before it or is outside its text"):
        apply("Ann Lee", edits)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), max_size=8))
def test_united_edits_cover_what_any_covers_and_do_not_overlap(pairs):
    edits = [Edit(a, a + n, f"[{i}]", "NAME") for i, (a, n) in enumerate(pairs)]
    united = unite(edits)
    covered = {i for e in edits for i in range(e.start, e.end)}
    assert {i for e in united for i in range(e.start, e.end)} == covered
    assert apply("x" * 40, united).count("x") == 40 - len(covered)
    assert {e.replacement for e in united} <= {e.replacement for e in edits}


def test_the_hash_is_that_of_the_text_alone():
    one = Document("a", "Zoë 👍", [Span(0, 3, "NAME")], {"n": 1})
    assert one.text_sha256 == Document("b", "Zoë 👍").text_sha256
    assert one.text_sha256 == hashlib.sha256("Zoë 👍".encode()).hexdigest()


@given(edited_texts(), st.data())
def test_edits_begin_and_end_where_something_lives(given_text, data):
    text, edits = given_text
    bounds = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    segments = [Segment(a, b, str(a)) for a, b in zip(bounds[::2], bounds[1::2], strict=False)]
    alive = {i for own in segments for i in range(own.start, own.end)} or set(range(len(text)))
    wanted = []
    for edit in edits:
        touched = [i for i in range(edit.start, edit.end) if i in alive]
        if touched:
            wanted.append(Edit(touched[0], touched[-1] + 1, edit.replacement, "NAME"))
    document = Document("d", text, segments=segments)
    found = place_edits(document, [edit for edit in edits if edit.end > edit.start])
    assert list(found) == wanted
    by_place(document, found)
