"""What travels between machines comes back as it was, and errors without a word of the data."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.compute._packing import Failure, pack, unpack
from sfumato.core.errors import DataError, ParameterError, WorkError
from sfumato.data.document import Document, Segment, Span

texts = st.text(st.characters(exclude_categories=()), max_size=20)  # broken surrogates included
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
documents = st.builds(
    Document, texts, texts,
    st.lists(st.builds(Span, st.integers(), st.integers(), texts, st.none() | st.floats(0, 1)),
             max_size=2).map(tuple),
    st.dictionaries(texts, plain, max_size=2),
)  # fmt: skip
values = st.recursive(
    plain | st.binary(max_size=30) | st.lists(documents, min_size=1, max_size=3),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)


@given(values)
@settings(max_examples=100)
def test_what_is_packed_comes_back(value):
    assert unpack(pack(value)) == value


def test_spans_by_place_come_back():
    marks = [(3, (Span(0, 4, "NAME", None), Span(6, 9, "DATE", 0.5))), (7, ())]
    assert unpack(pack(("a.jsonl", ["x"], marks))) == ("a.jsonl", ["x"], marks)


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_arrow_comes_back(rows):
    table = pa.table({"a": pa.array(range(rows), pa.uint8()), "b": ["é"] * rows})
    assert unpack(pack(table)).equals(table)
    batch = pa.RecordBatch.from_pylist(table.to_pylist(), schema=table.schema)
    again = unpack(pack(batch))
    assert isinstance(again, pa.RecordBatch)
    assert again.equals(batch)


def test_a_document_keeps_its_place():
    sent = Document(
        "d", "text", (), {"year": 1999}, [Segment(0, 4, "x")], [[3, 2, -1]], "a/b.jsonl", 7
    )
    (back,) = unpack(pack([sent]))
    assert back == sent
    assert (back.part, back.record) == ("a/b.jsonl", 7)
    assert (back.segments, back.orders) == (sent.segments, sent.orders)


def test_what_cannot_travel_says_so():
    with pytest.raises(ParameterError, match="A set cannot travel"):
        pack({1, 2})


def test_errors_come_home_without_foreign_messages():
    ours = unpack(pack(Failure.of(DataError("The span 3–4 is empty.", hint="sort them.")))).error()
    assert isinstance(ours, DataError)
    assert str(ours) == "The span 3–4 is empty. Hint: sort them."
    foreign = unpack(pack(Failure.of(ValueError("Perez")))).error()
    assert isinstance(foreign, WorkError)
    assert str(foreign) == "A batch failed with an internal error (ValueError)."
    sly = Failure("did_you_mean", "x").error()
    assert isinstance(sly, WorkError)
