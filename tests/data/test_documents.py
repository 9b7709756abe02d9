"""Reading and writing documents: JSON lines, several files, and what holds for every format."""

from __future__ import annotations

import gzip
import json
import tracemalloc

import pytest

from sfumato.core.errors import (
    DataError,
    FormatError,
    InputError,
    LimitError,
    OutputExistsError,
    ParameterError,
)
from sfumato.data.document import Document, Span
from sfumato.data.documents import Corpus, Withheld, read_documents, write_documents
from sfumato.data.limits import Limits
from sfumato.data.sources import SeenIds

from .document_files import CANARY, jsonl, refused


def test_fields_are_kept_as_they_are(tmp_path):
    source = jsonl(
        tmp_path / "a.jsonl",
        {"id": 7, "text": "Ann é", "spans": [{"start": 0, "end": 3, "label": "NAME"}], "n": 10**30},
        {"id": "x", "text": "", "ward": {"deep": [1, None, 0.1]}},
    )
    corpus = read_documents(source)
    first, second = corpus
    assert (first.id, first.fields["id"], first.fields["n"]) == ("7", 7, 10**30)
    assert second.fields == {"ward": {"deep": [1, None, 0.1]}}
    write_documents(corpus, like=corpus, out=tmp_path / "b.jsonl")
    back = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert back[0]["id"] == 7
    assert back[0]["n"] == 10**30
    assert back[1] == {"id": "x", "text": "", "spans": [], "ward": {"deep": [1, None, 0.1]}}


def test_other_field_names_and_numbered_records(tmp_path):
    source = jsonl(tmp_path / "a.jsonl", {"body": "a", "key": "k"}, {"body": "b", "key": "k"})
    corpus = read_documents(source, text="body", id=None)
    assert [d.id for d in corpus] == ["1", "2"]
    write_documents(corpus, like=corpus, out=tmp_path / "b.jsonl")
    assert "spans" in (tmp_path / "b.jsonl").read_text()
    assert [d.fields for d in read_documents(tmp_path / "b.jsonl", text="body", id=None)] == [
        {"key": "k"}
    ] * 2


def test_spans_are_sorted_and_overlaps_resolved_on_request(tmp_path):
    spans = [{"start": 4, "end": 8, "label": "B"}, {"start": 0, "end": 3, "label": "A"}]
    source = jsonl(tmp_path / "a.jsonl", {"id": "1", "text": "abc defgh", "spans": spans})
    assert [s.label for s in next(iter(read_documents(source))).spans] == ["A", "B"]
    spans.append({"start": 2, "end": 5, "label": "C"})
    jsonl(source, {"id": "1", "text": "abc defgh", "spans": spans})
    refused(DataError, source, "overlaps", "Record 1", "'1'")
    (merged,) = read_documents(source, overlaps="merge")
    assert [(s.start, s.end) for s in merged.spans] == [(0, 8)]


def test_bad_records_are_refused_or_withheld_in_order(tmp_path):
    half = '{"id": "half", "text": "\\ud800"}'
    records = [
        {"id": "good", "text": "fine"},
        f'{{"id": "x", "text": "{CANARY}',
        {"id": "none", "text": None},
        {"id": "nan", "txt": CANARY},
        {"id": "good", "text": "again"},
        {"text": CANARY},
        {"id": "range", "text": CANARY, "spans": [{"start": 0, "end": 99, "label": "NAME"}]},
        {"id": "empty", "text": CANARY, "spans": [{"start": 3, "end": 3, "label": "NAME"}]},
        {"id": "float", "text": CANARY, "spans": [{"start": 0.0, "end": 3, "label": "NAME"}]},
        {"id": "label", "text": CANARY, "spans": [{"start": 0, "end": 3}]},
        {"id": "list", "text": CANARY, "spans": {CANARY: 1}},
        half,
        f'{{"id": "inf", "text": "", "x": NaN, "{CANARY}": 1}}',
        f'["{CANARY}"]',
        '{"id": "big", "text": "", "x": 1e999}',
        "[" * 100_000,
        {"id": True, "text": CANARY},
        {"id": "number", "text": 12},
        {"id": "last", "text": "fine"},
    ]
    source = jsonl(tmp_path / "a.jsonl", *records)
    found = list(read_documents(source).tolerant())
    assert len(found) == len(records)
    good = [d.id for d in found if isinstance(d, Document)]
    assert good == ["good", "last"]
    withheld = [w for w in found if isinstance(w, Withheld)]
    assert CANARY not in repr(withheld)
    assert CANARY not in "".join(str(w.error()) for w in withheld)
    assert [w.record for w in withheld] == list(range(2, len(records)))
    assert withheld[0].id == "record 2"
    assert withheld[0].to_json() == {"id": "record 2", "reason": "is not valid JSON"}
    reasons = {w.id: w.reason for w in withheld}
    assert reasons["none"] == "holds nothing where its text should be"
    assert reasons["nan"] == "has no field 'text'"
    assert reasons["good"] == "repeats the id of an earlier record"
    assert "is empty or outside its text of 9 characters" in reasons["range"]
    error = refused(FormatError, source, "Record 2 of 'a.jsonl'", "not valid JSON")
    assert error.hint


def test_a_missing_field_is_hinted(tmp_path):
    source = jsonl(tmp_path / "a.jsonl", {"id": "1", "txt": CANARY})
    refused(FormatError, source, "has no field 'text'", "it has 2 fields", "'1'")


def test_mixed_encodings(tmp_path):
    source = tmp_path / "a.jsonl"
    lines = [
        '{"id": "1", "text": "é"}'.encode(),
        f'{{"id": "2", "text": "{CANARY}é"}}'.encode("latin-1"),
    ]
    source.write_bytes(b"\n".join(lines))
    refused(FormatError, source, "Record 2", "not UTF-8", "iconv")
    assert [type(r) for r in read_documents(source).tolerant()] == [Document, Withheld]
    source.write_bytes(b"\xef\xbb\xbf" + lines[0])
    assert next(iter(read_documents(source))).id == "1"
    source.write_bytes('{"id": "1"}'.encode("utf-16"))
    refused(FormatError, source, "UTF-16")


def test_sources_that_are_not_there_or_empty(tmp_path):
    refused(InputError, tmp_path / "none.jsonl", "There is no file or folder 'none.jsonl'")
    refused(InputError, [], "No file")
    source = tmp_path / "a.jsonl"
    source.write_text("\n\n")
    refused(DataError, source, "holds no documents")
    with pytest.raises(DataError):
        list(read_documents(source).tolerant())
    (tmp_path / "b.xyz").write_text("x")
    refused(FormatError, tmp_path / "b.xyz", "cannot be inferred from its name", "jsonl")
    refused(ParameterError, source, "no document format", format="jsonlines")
    refused(ParameterError, source, "does not take the options", delimiter=",")
    refused(ParameterError, source, "overlaps", overlaps="no")
    refused(ParameterError, source, "three different fields", text="id")
    refused(ParameterError, 3.5, "cannot be read from a float")


def test_damaged_and_disguised_gzip(tmp_path):
    whole = gzip.compress(b'{"id": "1", "text": "abc"}\n' * 1000)
    source = tmp_path / "a.jsonl.gz"
    source.write_bytes(whole[: len(whole) // 2])
    refused(FormatError, source, "damaged or cut off", id=None)
    source.write_bytes(b'{"id": "1", "text": "abc"}\n')
    refused(FormatError, source, "not a gzip file")
    (tmp_path / "b.jsonl").write_bytes(gzip.compress(b'{"id": "1", "text": "abc"}\n'))
    assert len(list(read_documents(tmp_path / "b.jsonl"))) == 1


def test_limits(tmp_path):
    source = tmp_path / "bomb.jsonl.gz"
    source.write_bytes(gzip.compress(b'{"text": "' + b"a" * 2**22 + b'"}\n'))
    small = Limits(expansion_from=2**20)
    refused(LimitError, source, "expansion", "raise it", id=None, limits=small)
    assert len(list(read_documents(source, id=None))) == 1
    lines = jsonl(tmp_path / "a.jsonl", {"id": "1", "text": CANARY * 9}, {"id": "2", "text": "a"})
    refused(LimitError, lines, "81 characters", limits=Limits(document_characters=80))
    records = list(read_documents(lines, limits=Limits(record_bytes=80)).tolerant())
    assert [type(r) for r in records] == [Withheld, Document]
    refused(LimitError, lines, "record_bytes", limits=Limits(record_bytes=80))
    jsonl(lines, {"id": CANARY * 200, "text": "a"})
    refused(LimitError, lines, "id of 1,800 characters")
    with pytest.raises(ParameterError, match="did you mean"):
        Limits().with_overrides(["column=5"])
    with pytest.raises(ParameterError, match="whole number"):
        Limits().with_overrides(["columns=many"])
    with pytest.raises(ParameterError, match=r"\[1, inf\)"):
        Limits(columns=0)


def test_several_files_are_written_back_as_they_were(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    jsonl(folder / "b.jsonl", {"id": "3", "text": "c"})
    (folder / "a.jsonl.gz").write_bytes(
        gzip.compress(b'{"id": "1", "text": "a"}\n{"id": "2", "text": "b"}\n')
    )
    jsonl(folder / "c.jsonl", {"id": "4", "text": "d"})
    corpus = read_documents(folder)
    assert [d.id for d in corpus] == ["1", "2", "3", "4"]
    kept = [d for d in corpus if d.id != "3"]
    write_documents(kept, like=corpus, out=tmp_path / "out")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "a.jsonl.gz",
        "b.jsonl",
        "c.jsonl",
    ]
    assert [d.id for d in read_documents(tmp_path / "out")] == ["1", "2", "4"]
    jsonl(folder / "c.jsonl", {"id": "1", "text": "d"})
    refused(DataError, folder, "repeats the id", "c.jsonl")
    with pytest.raises(DataError, match="which part"):
        write_documents([Document("1", "a")], like=corpus, out=tmp_path / "other")
    assert not (tmp_path / "other").exists()
    (folder / "d.csv").write_text("id,text\n9,a\n")
    refused(FormatError, folder, "several formats (csv, jsonl)")
    assert [d.id for d in read_documents(folder, format="csv")] == ["9"]
    two = [folder / "b.jsonl", tmp_path / "out" / "b.jsonl"]
    refused(InputError, two, "same name")
    refused(FormatError, [folder / "b.jsonl", folder / "d.csv"], "not all of one format")


def test_numbered_records_of_several_files_do_not_meet(tmp_path):
    files = [
        jsonl(tmp_path / name, {"text": "a"}, {"text": "b"}) for name in ("a.jsonl", "b.jsonl")
    ]
    expected = ["a.jsonl:1", "a.jsonl:2", "b.jsonl:1", "b.jsonl:2"]
    assert [d.id for d in read_documents(files, id=None)] == expected
    assert [d.id for d in read_documents(tmp_path, id=None)] == expected


@pytest.mark.parametrize("form", ["jsonl", "csv", "brat", "conll"])
def test_a_release_is_read_as_the_data_in_it(tmp_path, form):
    made = [Document("d-1", "Ann", (Span(0, 3, "NAME"),))]
    release = tmp_path / "out"
    release.mkdir()
    (release / "release.json").write_text("{}")
    (release / "quarantine.jsonl").write_text("{}")
    write_documents(made, like=form, out=release / ("d" if form == "brat" else f"d.{form}"))
    assert list(read_documents(release)) == made


def test_outputs_are_whole_or_not_at_all(tmp_path):
    source = jsonl(tmp_path / "a.jsonl", {"id": "1", "text": "a"}, f"{CANARY}")
    corpus = read_documents(source)
    with pytest.raises(FormatError):
        write_documents(corpus, like=corpus, out=tmp_path / "out.jsonl")
    assert [p.name for p in tmp_path.iterdir()] == ["a.jsonl"]
    with pytest.raises(OutputExistsError):
        write_documents([], like=corpus, out=source)
    with pytest.raises(DataError, match="JSON cannot hold"):
        write_documents([Document("1", "a", (), {"x": {1, 2}})], like="jsonl", out=tmp_path / "b")
    assert [p.name for p in tmp_path.iterdir()] == ["a.jsonl"]


def test_documents_in_memory_and_a_corpus_are_sources_too(tmp_path):
    made = [Document("a", "Ann", [Span(0, 3, "NAME")], {"n": 1})]
    corpus = read_documents(made)
    assert isinstance(corpus, Corpus)
    assert read_documents(corpus) is corpus
    assert next(iter(corpus)).fields == {"n": 1}
    refused(DataError, [Document("a", "b"), Document("a", "b")], "repeats")
    refused(DataError, [Document("a", "b", [Span(0, 9, "X")])], "outside")


def test_seen_ids_survive_merging():
    seen = SeenIds()
    count = (1 << 16) + 5000
    assert all(seen.add(str(i)) for i in range(count))
    assert len(seen) == count
    assert not any(seen.add(str(i)) for i in range(0, count, 997))


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.csv"])
def test_memory_does_not_grow_with_the_file(tmp_path, name):
    made = (Document(f"d{i}", f"{i} " * 2500) for i in range(2000))  # about 20 MB
    form = "csv" if name == "a.csv" else "jsonl"
    write_documents(made, like=form, out=tmp_path / name)
    corpus = read_documents(tmp_path / name)
    tracemalloc.start()
    try:
        assert sum(1 for _ in corpus) == 2000
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()
