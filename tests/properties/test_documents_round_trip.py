"""Whatever Unicode a corpus holds, reading what was written gives the same documents back."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sfumato.data.document import Document, Span
from sfumato.data.documents import documents_frame, read_documents, write_documents
from sfumato.data.findings import resolve

HARD = [
    "",
    "\r\n",
    "a\r\nb\n\r",
    "e\u0301",
    "👩‍👩‍👧",
    "\u200b",
    "\ufeff",
    "\u2028\x85\x0b",
    '"',
    "'=1",
    '","',
    "\x00",
    "İ",
    "\t",
    " ",
]
text = st.one_of(
    st.sampled_from(HARD),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.lists(st.sampled_from([*HARD, "Ann", "né", ";", "|", ","]), max_size=8).map("".join),
)
label = st.sampled_from(["NAME", "DATE", "É-X", "a_b"])
ids = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)


@st.composite
def spans_of(draw, length: int):
    cuts = draw(st.lists(st.integers(0, length), max_size=6, unique=True).map(sorted))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    scores = st.one_of(st.none(), st.floats(0, 1))
    return tuple(Span(a, b, draw(label), draw(scores)) for a, b in pairs)


@st.composite
def documents(draw, extra=None, score=True):
    result = []
    for key in draw(st.lists(ids, min_size=1, max_size=4, unique=True)):
        content = draw(text)
        spans = draw(spans_of(len(content)))
        if not score:
            spans = tuple(Span(s.start, s.end, s.label) for s in spans)
        result.append(Document(key, content, spans, draw(extra) if extra is not None else {}))
    return result


json_value = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        text,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(text, inner, max_size=3)),
    max_leaves=6,
)
json_fields = st.dictionaries(
    text.filter(lambda k: k not in ("id", "text", "spans")), json_value, max_size=3
)


def again(made, form, name):
    """Write documents, read them, write what was read like it was, read that."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, f"a{name}"), Path(folder, f"b{name}")
        assert write_documents(made, like=form, out=first) == len(made)
        corpus = read_documents(first, format=form)
        read = list(corpus)
        write_documents(read, like=corpus, out=second)
        assert list(read_documents(second, format=form)) == read
        same = first.read_bytes() == second.read_bytes() if first.is_file() else True
        return read, same


@given(documents(json_fields), st.sampled_from([".jsonl", ".jsonl.gz"]))
@settings(max_examples=examples(25, fuzz=60))
def test_json_lines(made, name):
    read, same = again(made, "jsonl", name)
    assert read == made
    assert same


@given(
    documents(st.fixed_dictionaries({"ward, 1": text, "b": text})), st.sampled_from(["csv", "tsv"])
)
@example([Document("a", "\r", (), {}), Document("b", "", (), {})], "csv")
@settings(max_examples=examples(25, fuzz=60))
def test_delimited(made, form):
    read, same = again(made, form, f".{form}.gz")
    assert read == made
    assert same


@given(st.lists(text, min_size=1, max_size=4))
@settings(max_examples=examples(20, fuzz=40))
def test_a_csv_with_one_column_only(texts):
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "a.csv"), Path(folder, "b.csv")
        rows = ['"' + t.replace('"', '""') + '"' for t in ["text", *texts]]
        source.write_bytes("\r\n".join(rows).encode())
        corpus = read_documents(source, id=None)
        write_documents(corpus, like=corpus, out=out)
        assert [d.text for d in read_documents(out, id=None)] == texts


@given(
    documents(
        st.fixed_dictionaries({"n": st.integers(-5, 5), "t": text, "l": st.lists(text, max_size=2)})
    )
)
@settings(max_examples=examples(20, fuzz=40))
def test_parquet(made):
    read, _ = again(made, "parquet", ".parquet")
    assert [(d.id, d.text, d.spans) for d in read] == [(d.id, d.text, d.spans) for d in made]
    assert [{**d.fields, "l": None} for d in read] == [{**d.fields, "l": None} for d in made]


@given(documents(score=False))
@settings(max_examples=examples(20, fuzz=40))
def test_brat(made):
    read, _ = again(sorted(made, key=lambda d: d.id), "brat", "")
    assert read == sorted(made, key=lambda d: d.id)


token = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\r\n"), min_size=1, max_size=6
).filter(lambda t: t != "-DOCSTART-")
sentence = st.lists(
    st.tuples(token, st.sampled_from(["O", "O", "B-NAME", "I-NAME", "B-ID"])),
    min_size=1,
    max_size=6,
)


@given(
    st.lists(st.lists(sentence, min_size=1, max_size=3), min_size=1, max_size=3),
    st.sampled_from("\t "),
)
@settings(max_examples=examples(25, fuzz=60))
def test_conll(content, delimiter):
    lines = []
    for sentences in content:
        lines += [delimiter.join(["-DOCSTART-", "-X-", "O"]), ""]
        for tokens in sentences:
            before = "O"
            for word, tag in tokens:
                tag = f"B{tag[1:]}" if tag[0] == "I" and before[1:] != tag[1:] else tag
                lines.append(delimiter.join([word, word.lower().strip(" \t\r\n") or "_", tag]))
                before = tag
            lines.append("")
    whole = "".join(line + "\n" for line in lines).encode()
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "a.conll"), Path(folder, "b.conll")
        source.write_bytes(whole)
        corpus = read_documents(source, token_column=0, kept_columns=(1,))
        read = list(corpus)
        assert [d.text for d in read] == [
            "\n".join(" ".join(word for word, _ in tokens) for tokens in sentences)
            for sentences in content
        ]
        for document, sentences in zip(read, content, strict=True):
            named = [w for tokens in sentences for w, tag in tokens if tag != "O"]
            assert " ".join(document.text[s.start : s.end] for s in document.spans).split(" ") == (
                named or [""]
            )
        write_documents(read, like=corpus, out=out)
        assert out.read_bytes() == whole


@given(documents(score=False))
@settings(max_examples=30)
def test_any_document_written_as_conll_keeps_its_words_and_labels(made):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "a.conll")
        write_documents(made, like="conll", out=out)
        read = list(read_documents(out))
    squeeze = str.maketrans("", "", " \t\r\n")
    for document, back in zip(made, read, strict=True):
        assert back.text.translate(squeeze) == document.text.translate(squeeze)
        for one, other in ((document, back), (back, document)):
            covered = [one.text[s.start : s.end].translate(squeeze) for s in one.spans]
            assert "".join(covered) == "".join(
                other.text[s.start : s.end].translate(squeeze) for s in other.spans
            )


@pytest.mark.parametrize("kind", ["arrow", "polars", "pandas"])
@given(made=documents(st.fixed_dictionaries({"n": st.integers(-5, 5), "t": text})))
@settings(max_examples=20)
def test_frames(kind, made):
    table = pa.table({
        "t": [d.fields["t"] for d in made], "id": [d.id for d in made],
        "text": [d.text for d in made], "n": [d.fields["n"] for d in made],
    })  # fmt: skip
    frame = {
        "arrow": lambda: table,
        "polars": lambda: pl.from_arrow(table),
        "pandas": table.to_pandas,
    }[kind]()
    corpus = read_documents(frame)
    read = list(corpus)
    assert [(d.id, d.text, dict(d.fields)) for d in read] == [
        (d.id, d.text, d.fields) for d in made
    ]
    back = documents_frame(read, like=corpus)
    assert type(back) is type(frame)
    if kind == "pandas":
        pd.testing.assert_frame_equal(back, frame)
    else:
        assert back.equals(frame)


finding = st.tuples(
    st.integers(0, 30),
    st.integers(1, 8),
    label,
    st.one_of(st.none(), st.sampled_from([0.1, 0.5, 0.9])),
)


@given(st.lists(finding, max_size=12), st.sampled_from(["merge", "best"]))
@settings(max_examples=examples(60, fuzz=200))
def test_resolved_findings_against_a_plain_twin(raw, way):
    spans = [Span(start, start + length, kind, score) for start, length, kind, score in raw]
    found = resolve(spans, way)
    assert resolve(reversed(spans), way) == found
    Document("x", "." * 40, found).checked()
    covered = {i for s in spans for i in range(s.start, s.end)}
    if way == "merge":
        assert {i for s in found for i in range(s.start, s.end)} == covered
        for one in found:
            inside = [s for s in spans if one.start <= s.start and s.end <= one.end]
            best = max((s.score or 0.0, s.end - s.start) for s in inside)
            assert any(
                (s.label, s.score) == (one.label, one.score)
                and math.isclose(s.score or 0.0, best[0])
                for s in inside
            )
    else:
        kept: list[Span] = []
        for s in sorted(
            spans, key=lambda s: (-(s.score or 0.0), s.start - s.end, s.start, s.end, s.label)
        ):
            if all(s.end <= k.start or k.end <= s.start for k in kept):
                kept.append(s)
        assert found == sorted(kept, key=lambda s: s.start)
