"""Reading and writing documents: each format by example, each bad input with its message."""

from __future__ import annotations

import decimal
import gzip
import json
import os
import pickle
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from sfumato.core.errors import (
    DataError,
    FormatError,
    InputError,
    LimitError,
    OutputExistsError,
    ParameterError,
)
from sfumato.data.document import Document, Span
from sfumato.data.documents import (
    Corpus,
    Withheld,
    documents_frame,
    read_documents,
    write_documents,
)
from sfumato.data.limits import Limits
from sfumato.data.sources import SeenIds

CANARY = "Zaphyrine"


def jsonl(path: Path, *records: object) -> Path:
    lines = [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in records]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def refused(kind: type[InputError], source, *words: str, **options) -> InputError:
    """Read strictly, expect one clear sentence of that kind without a word of the data."""
    with pytest.raises(kind) as caught:
        list(read_documents(source, **options))
    message = str(caught.value)
    assert caught.value.exit_status == 2
    assert CANARY not in message
    for word in words:
        assert word in message
    return caught.value


# ---------------------------------------------------------------- JSON lines


def test_fields_are_kept_as_they_are(tmp_path):
    source = jsonl(
        tmp_path / "a.jsonl",
        {"id": 7, "text": "Ann é", "spans": [{"start": 0, "end": 3, "label": "NAME"}], "n": 10**30},
        {"id": "x", "text": "", "ward": {"deep": [1, None, 0.1]}},
    )
    corpus = read_documents(source)
    first, second = corpus
    assert (first.id, first.extra["id"], first.extra["n"]) == ("7", 7, 10**30)
    assert second.extra == {"ward": {"deep": [1, None, 0.1]}}
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
    assert [d.extra for d in read_documents(tmp_path / "b.jsonl", text="body", id=None)] == [
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
    assert "lies outside its text of 9 characters" in reasons["range"]
    error = refused(FormatError, source, "Record 2 of 'a.jsonl'", "not valid JSON")
    assert error.hint


def test_a_missing_field_is_hinted(tmp_path):
    source = jsonl(tmp_path / "a.jsonl", {"id": "1", "txt": CANARY})
    refused(FormatError, source, "has no field 'text'", "did you mean", "txt", "'1'")


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
    refused(FormatError, tmp_path / "b.xyz", "does not tell its format", "jsonl")
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
        Limits().raised(["column=5"])
    with pytest.raises(ParameterError, match="whole number"):
        Limits().raised(["columns=many"])
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
    assert [[d.id for d in part] for part in corpus.by_part()] == [["1", "2"], ["3"], ["4"]]
    jsonl(folder / "c.jsonl", {"id": "1", "text": "d"})
    refused(DataError, folder, "repeats the id", "c.jsonl")
    with pytest.raises(DataError, match="repeats the id"):
        [list(part) for part in corpus.by_part()]
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
    assert next(iter(corpus)).extra == {"n": 1}
    refused(DataError, [Document("a", "b"), Document("a", "b")], "repeats")
    refused(DataError, [Document("a", "b", [Span(0, 9, "X")])], "outside")


# ---------------------------------------------------------------- CSV and TSV


def test_csv_keeps_cells_and_columns(tmp_path):
    source = tmp_path / "a.csv"
    source.write_bytes(b'n;text;id\r\n007;"say ""hi"";\r\nthere";1e5\r\n;x;b\r\n')
    corpus = read_documents(source)
    first, second = corpus
    assert (first.id, first.text, first.extra) == ("1e5", 'say "hi";\r\nthere', {"n": "007"})
    assert second.extra == {"n": ""}
    write_documents(corpus, like=corpus, out=tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_bytes() == b'n;text;id\n007;"say ""hi"";\r\nthere";1e5\n;x;b\n'


def test_csv_with_an_unnamed_column_and_a_delimiter_in_a_name(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text(';text;"a, b, c"\n0;x;y\n')
    corpus = read_documents(source, id=None)
    (document,) = corpus
    assert (document.id, document.text, document.extra) == ("1", "x", {"": "0", "a, b, c": "y"})
    write_documents(corpus, like=corpus, out=tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == ";text;a, b, c\n0;x;y\n"


def test_csv_mistakes(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text(f"id,txt\n1,{CANARY}\n")
    refused(DataError, source, "no text column 'text'", "did you mean", "txt")
    refused(DataError, source, "no id column 'nr'", "id=None", text="txt", id="nr")
    refused(DataError, source, "no spans column 'found'", text="txt", spans="found")
    source.write_text(f"{CANARY} Q,1984-01-02\nb,c\n")
    error = refused(DataError, source, "no text column")
    assert "must be named" in str(error)
    source.write_text("id,text,id\n1,a,b\n")
    refused(FormatError, source, "same name")
    source.write_text("")
    refused(DataError, source, "no header")
    source.write_text("id,text\n")
    refused(DataError, source, "no documents")
    source.write_text(f'id,text\n1,"{CANARY}"x"\n2,b\n')
    refused(FormatError, source, "quotes", "doubled")
    source.write_text(f'id,text\n1,"{CANARY}\n2,b\n')
    refused(FormatError, source, "quotes")
    source.write_text(f"id,text\n1,{CANARY},x\n2,b\n3\n4,d\n")
    refused(FormatError, source, "Record 1", "has 3 cells where the header names 2")
    assert [type(r).__name__ for r in read_documents(source).tolerant()] == [
        "Withheld",
        "Document",
    ] * 2
    source.write_bytes(f"id,text\n1,{CANARY}é\n2,b\n".encode("latin-1"))
    refused(FormatError, source, "Record 1", "not UTF-8")
    assert [type(r).__name__ for r in read_documents(source).tolerant()] == ["Withheld", "Document"]
    source.write_bytes("ïd,text\n".encode("latin-1"))
    refused(FormatError, source, "first line", "not UTF-8")
    source.write_text(f"id,text,spans\n1,a,{CANARY}\n")
    refused(FormatError, source, "spans that are not JSON")
    source.write_text("id,text\n1," + "a" * 200_000 + "\n")
    assert len(next(iter(read_documents(source))).text) == 200_000
    refused(LimitError, source, "200,000", limits=Limits(document_characters=199_999))
    refused(LimitError, source, "line of 'a.csv'", limits=Limits(record_bytes=1000))
    refused(LimitError, source, "columns", limits=Limits(columns=1))
    refused(ParameterError, source, "delimiter", delimiter='"')


def test_formulas_are_neutralised_for_spreadsheets_only_on_request(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text('id,text,n\n=1,"@SUM(A1,2)",-5\nb,+a,=b\n')
    corpus = read_documents(source)
    write_documents(corpus, like=corpus, out=tmp_path / "same.csv")
    assert list(read_documents(tmp_path / "same.csv")) == list(corpus)
    write_documents(corpus, like=corpus, out=tmp_path / "safe.csv", spreadsheet=True)
    assert (tmp_path / "safe.csv").read_text() == "id,text,n\n'=1,\"'@SUM(A1,2)\",-5\nb,'+a,'=b\n"
    with pytest.raises(ParameterError, match="Only CSV"):
        write_documents([], like="jsonl", out=tmp_path / "x", spreadsheet=True)


def test_new_documents_in_a_csv_share_their_columns(tmp_path):
    made = [Document("a", "x", (), {"n": 1}), Document("b", "y", (), {"m": 1})]
    with pytest.raises(DataError, match="has a column that the first has not"):
        write_documents(made, like="csv", out=tmp_path / "a.csv")
    assert not list(tmp_path.iterdir())


def test_a_csv_from_which_all_was_withheld_keeps_its_header(tmp_path):
    source = tmp_path / "a.tsv"
    source.write_text("id\ttext\tward\n1\ta\tb\n")
    corpus = read_documents(source)
    assert write_documents([], like=corpus, out=tmp_path / "b.tsv") == 0
    assert (tmp_path / "b.tsv").read_text() == "id\ttext\tward\n"


# ---------------------------------------------------------------- Parquet and frames


def table_of(**columns) -> pa.Table:
    rows = len(next(iter(columns.values())))
    return pa.table(
        {"id": pa.array(range(rows)), "text": [f"text {i}" for i in range(rows)], **columns}
    )


def test_parquet_keeps_types_that_python_has_not(tmp_path):
    table = table_of(
        at=pa.array([1, 2, 3], pa.timestamp("ns", "UTC")),
        cost=pa.array([decimal.Decimal("1.10")] * 3, pa.decimal128(9, 2)),
        kind=pa.array(["a", "b", "a"]).dictionary_encode(),
        deep=pa.array([[{"x": 1}], None, []], pa.list_(pa.struct([("x", pa.int8())]))),
    )
    parquet.write_table(table, tmp_path / "a.parquet", compression="zstd", row_group_size=2)
    corpus = read_documents(tmp_path / "a.parquet")
    documents = [pickle.loads(pickle.dumps(d)) for d in corpus]
    assert documents[1].id == "1"
    assert documents[0].extra["cost"] == decimal.Decimal("1.10")
    assert documents == list(corpus)
    write_documents(documents, like=corpus, out=tmp_path / "b.parquet")
    written = parquet.read_table(tmp_path / "b.parquet")
    assert written.schema.equals(table.schema)
    assert written.equals(table)
    meta = parquet.read_metadata(tmp_path / "b.parquet")
    assert meta.row_group(0).column(0).compression == "ZSTD"
    changed = [Document(d.id, "new", (), d.extra) for d in corpus if d.id != "1"]
    write_documents(changed, like=corpus, out=tmp_path / "c.parquet")
    assert (
        parquet.read_table(tmp_path / "c.parquet")
        .drop_columns("text")
        .equals(pa.concat_tables([table.slice(0, 1), table.slice(2, 1)]).drop_columns("text"))
    )
    assert write_documents([], like=corpus, out=tmp_path / "d.parquet") == 0
    assert parquet.read_schema(tmp_path / "d.parquet").equals(table.schema)


def test_parquet_metadata_does_not_travel(tmp_path):
    table = table_of(n=[1]).replace_schema_metadata({"note": CANARY})
    parquet.write_table(table, tmp_path / "a.parquet")
    corpus = read_documents(tmp_path / "a.parquet")
    write_documents(corpus, like=corpus, out=tmp_path / "b.parquet")
    assert CANARY.encode() not in (tmp_path / "b.parquet").read_bytes()


def test_a_folder_of_parquet_parts(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for part in range(3):
        table = table_of(n=[part, part])
        table = table.set_column(0, "id", pa.array([2 * part, 2 * part + 1]))
        parquet.write_table(table, folder / f"part-{part}.parquet")
    corpus = read_documents(folder)
    assert [d.extra["n"] for d in corpus] == [0, 0, 1, 1, 2, 2]
    write_documents(corpus, like=corpus, out=tmp_path / "out")
    assert list(read_documents(tmp_path / "out")) == list(corpus)


def test_parquet_spans_column_as_structs_and_as_json(tmp_path):
    for spans in (
        [[{"start": 0, "end": 4, "label": "X"}], []],
        ['[{"start":0,"end":4,"label":"X"}]', ""],
    ):
        parquet.write_table(table_of(spans=spans), tmp_path / "a.parquet")
        corpus = read_documents(tmp_path / "a.parquet")
        assert [len(d.spans) for d in corpus] == [1, 0]
        write_documents(corpus, like=corpus, out=tmp_path / "b.parquet", force=True)
        assert list(read_documents(tmp_path / "b.parquet")) == list(corpus)


def test_parquet_and_frame_mistakes(tmp_path):
    bad = tmp_path / "a.parquet"
    bad.write_bytes(b"PAR1" + CANARY.encode() * 100)
    refused(FormatError, bad, "not readable as Parquet")
    refused(DataError, table_of(n=[1]), "no text column 'txt'", "text", text="txt")
    refused(DataError, table_of(n=[1]), "does not hold texts but int64", text="n")
    refused(DataError, table_of(n=[1.5]), "holds double", id="n")
    refused(
        DataError, pa.table({"id": [1], "text": pa.array([None], pa.string())}), "holds nothing"
    )
    refused(
        DataError, pa.table({"id": pa.array([None], pa.string()), "text": [CANARY]}), "no usable id"
    )
    refused(DataError, pa.table({"id": [1, 1], "text": ["a", "b"]}), "repeats the id")
    refused(DataError, table_of(n=[1]).slice(0, 0), "no documents")
    refused(LimitError, table_of(n=[1]), "columns", limits=Limits(columns=2))
    raw = pa.array([b"ok", CANARY.encode() + b"\xff"]).view(pa.string())
    frame = pa.table({"id": [1, 2], "text": raw})
    assert [type(r).__name__ for r in read_documents(frame).tolerant()] == ["Document", "Withheld"]
    with pytest.raises(ParameterError, match="not read from a frame"):
        documents_frame([], like=read_documents([Document("a", "b")]))


def test_pandas_with_missing_text_and_polars_lazy():
    import pandas as pd
    import polars as pl

    refused(
        DataError, pd.DataFrame({"id": [1, 2], "text": ["a", float("nan")]}), "holds nothing where"
    )
    twice = pd.DataFrame([[1, "a", "b"]], columns=["id", "text", "text"])
    refused(DataError, twice, "same name")
    indexed = pd.DataFrame(
        {"id": ["a", "b"], "text": ["x", "y"]}, index=pd.Index([5, 7], name="nr")
    )
    corpus = read_documents(indexed)
    pd.testing.assert_frame_equal(documents_frame(corpus, like=corpus), indexed)
    lazy = pl.LazyFrame({"id": [1], "text": ["a"]})
    corpus = read_documents(lazy)
    assert isinstance(documents_frame(corpus, like=corpus), pl.DataFrame)


def test_a_frame_is_written_to_a_file_as_parquet(tmp_path):
    corpus = read_documents(table_of(n=[1, 2]))
    write_documents(corpus, like=corpus, out=tmp_path / "a.parquet")
    assert parquet.read_table(tmp_path / "a.parquet").equals(table_of(n=[1, 2]))


# ---------------------------------------------------------------- brat


def brat(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        stem, _, suffix = name.rpartition("_")
        (folder / f"{stem}.{suffix}").write_bytes(content.encode())
    return folder


def test_brat_reads_text_bound_annotations(tmp_path):
    ann = "T2\tNAME 4 7;8 11\tBob Lee\nT1\tID 0 1\tA\n#1\tAnnotatorNotes T1\tsecret\nR1\tRel Arg1:T1 Arg2:T2\n"
    folder = brat(tmp_path / "in", d_txt="A\r\n Bob Lee", d_ann=ann, plain_txt="no labels")
    corpus = read_documents(folder)
    first, second = corpus
    assert [(s.start, s.end, s.label) for s in first.spans] == [
        (0, 1, "ID"),
        (4, 7, "NAME"),
        (8, 11, "NAME"),
    ]
    assert (second.id, second.spans) == ("plain", ())
    write_documents(corpus, like=corpus, out=tmp_path / "out")
    names = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert names == ["d.ann", "d.txt", "plain.txt"]
    assert (tmp_path / "out" / "d.txt").read_bytes() == b"A\r\n Bob Lee"
    assert "secret" not in (tmp_path / "out" / "d.ann").read_text()
    assert list(read_documents(tmp_path / "out")) == list(corpus)
    (alone,) = read_documents(folder / "d.txt")
    assert alone == first


def test_brat_mistakes(tmp_path):
    folder = brat(tmp_path / "in", a_txt=CANARY, a_ann="T1\tNAME 0 3\tXyz\n")
    refused(DataError, folder, "quotes other words than its offsets", "'a'")
    brat(folder, a_ann=f"T1\tNAME {CANARY}\n")
    refused(FormatError, folder, "line 1", "not in brat's form")
    brat(folder, a_ann=f"T1\tNAME 0 99\t{CANARY}\n")
    refused(DataError, folder, "outside its text")
    brat(folder, a_ann="T1\tNAME 0 5\nT2\tNAME 2 9\n")
    refused(DataError, folder, "overlaps")
    assert len(next(iter(read_documents(folder, overlaps="merge"))).spans) == 1
    brat(folder, a_ann="", b_ann="T1\tNAME 0 5\n")
    refused(FormatError, folder, "'b'", "no .txt")
    (folder / "b.txt").write_bytes(b"\xff\xfe\xff")
    refused(FormatError, folder, "'b'", "not UTF-8")
    assert [type(r).__name__ for r in read_documents(folder).tolerant()] == ["Document", "Withheld"]
    refused(LimitError, folder, "limit of bytes", limits=Limits(record_bytes=2))
    refused(FormatError, brat(tmp_path / "empty"), "no documents")
    refused(LimitError, folder, "number of files", limits=Limits(files=1))


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    (tmp_path / "secret.txt").write_text(CANARY)
    folder = brat(tmp_path / "in", a_txt="a")
    os.symlink(tmp_path / "secret.txt", folder / "b.txt")
    refused(FormatError, folder, "'b'", "leads out of the folder")


@pytest.mark.parametrize(
    "trick",
    [
        "../x",
        "/etc/x",
        "a/../../x",
        "..",
        ".",
        "",
        "a//b",
        "a\\..\\b",
        "a\x00b",
        "a\nb",
        "C:x",
        " a",
        "é" * 200,
        "/".join("a" * 40),
    ],
)
def test_ids_cannot_write_outside_the_output(tmp_path, trick):
    (tmp_path / "work").mkdir()
    with pytest.raises(DataError, match="cannot be a file name"):
        write_documents([Document(trick, "t")], like="brat", out=tmp_path / "work" / "out")
    assert list(tmp_path.rglob("*")) == [tmp_path / "work"]


def test_ids_with_folders_are_fine_and_may_not_meet(tmp_path):
    made = [Document("a/b", "1", [Span(0, 1, "X")]), Document("a.b", "2")]
    write_documents(made, like="brat", out=tmp_path / "out")
    assert [d.id for d in read_documents(tmp_path / "out")] == ["a.b", "a/b"]
    with pytest.raises(DataError, match="Two documents"):
        write_documents([made[0], made[0]], like="brat", out=tmp_path / "twice")
    with pytest.raises(DataError, match="space"):
        write_documents(
            [Document("a", "b", [Span(0, 1, "X Y")])], like="brat", out=tmp_path / "label"
        )


# ---------------------------------------------------------------- CoNLL


CONLL = """-DOCSTART- -X- O

Ann NNP B-NAME
Lee NNP I-NAME
sleeps VBZ O

Bob NNP B-NAME
Al NNP B-NAME

-DOCSTART- -X- O

Nothing NN O

"""


def test_conll_text_offsets_and_back(tmp_path):
    source = tmp_path / "n.conll"
    source.write_text(CONLL)
    corpus = read_documents(source)
    first, second = corpus
    assert (first.id, first.text) == ("n-1", "Ann Lee sleeps\nBob Al")
    assert [(first.text[s.start : s.end], s.label) for s in first.spans] == [
        ("Ann Lee", "NAME"), ("Bob", "NAME"), ("Al", "NAME"),
    ]  # fmt: skip
    assert second.text == "Nothing"
    write_documents(corpus, like=corpus, out=tmp_path / "o.conll")
    assert (tmp_path / "o.conll").read_text() == CONLL


def test_conll_other_columns_do_not_give_a_redacted_token_away(tmp_path):
    source = tmp_path / "n.conll"
    source.write_text(
        f"# text = {CANARY} sleeps\n"
        f"The\tthe\tO\n{CANARY}\t{CANARY.lower()}\tB-NAME\nX\tx\tI-NAME\nsleeps\tsleep\tO\n"
    )
    corpus = read_documents(source)
    (document,) = corpus
    redacted = Document(document.id, "The [NAME] sleeps", [Span(4, 10, "NAME")], document.extra)
    write_documents([redacted], like=corpus, out=tmp_path / "o.conll")
    assert (
        tmp_path / "o.conll"
    ).read_text() == "The\tthe\tO\n[NAME]\t_\tB-NAME\nsleeps\tsleep\tO\n\n"
    joined = Document(document.id, "The [NAME]\nsleeps", [Span(4, 10, "NAME")], document.extra)
    write_documents([joined], like=corpus, out=tmp_path / "p.conll")
    assert (
        tmp_path / "p.conll"
    ).read_text() == "The\tthe\tO\n[NAME]\t_\tB-NAME\n\nsleeps\tsleep\tO\n\n"


@pytest.mark.parametrize(
    "tags",
    [
        "B-X I-X O B-X B-Y",
        "I-X I-X O I-X B-X I-Y",
        "B-X E-X S-X O S-Y",
        "B-X L-X U-X O U-Y B-X I-X L-X",
    ],
)
def test_conll_schemes_are_written_as_read(tmp_path, tags):
    source = tmp_path / "n.iob"
    whole = "".join(f"w{i}\t{tag}\n" for i, tag in enumerate(tags.split())) + "\n"
    source.write_text(whole)
    corpus = read_documents(source)
    write_documents(corpus, like=corpus, out=tmp_path / "o.iob")
    assert (tmp_path / "o.iob").read_text() == whole


def test_conll_without_docstart_has_a_document_a_block(tmp_path):
    source = tmp_path / "n.conll"
    source.write_text("\n\na\tO\nb\tO\n\n\n# a comment\nc\tO\n")
    corpus = read_documents(source)
    assert [(d.id, d.text) for d in corpus] == [("n-1", "a b"), ("n-2", "c")]
    assert [d.text for d in read_documents(source, tag_column=None)] == ["a b", "c"]
    source.write_text("# O\na O\n# O\n")
    assert [d.text for d in read_documents(source)] == ["# a #"]
    source.write_text("# O\n\n# B-X\n")
    assert [d.text for d in read_documents(source)] == ["#", "#"]
    source.write_text("# made by hand\n\n# sent 1\na\tO\n")
    assert [d.text for d in read_documents(source)] == ["a"]


def test_conll_titles_and_comments_do_not_travel(tmp_path):
    source = tmp_path / "n.conll"
    source.write_text(f"-DOCSTART- (1 {CANARY})\n\na\tO\n# text = {CANARY}\nb\tO\n\n")
    corpus = read_documents(source)
    write_documents(corpus, like=corpus, out=tmp_path / "o.conll")
    assert (tmp_path / "o.conll").read_text() == "-DOCSTART-\n\na\tO\nb\tO\n\n"


def test_conll_mistakes(tmp_path):
    source = tmp_path / "n.conll"
    source.write_text(f"a\tO\n\n{CANARY}\n\nb\tO\n")
    refused(FormatError, source, "'n-2'", "too few columns on line 3", "tag_column")
    assert [type(r).__name__ for r in read_documents(source).tolerant()] == [
        "Document",
        "Withheld",
        "Document",
    ]
    source.write_text(f"{CANARY}\tPER\n")
    refused(FormatError, source, "tag that is not of the form")
    source.write_text(f"a {CANARY}\tO\n")
    refused(DataError, source, "token or one with a space on line 1")
    source.write_bytes(f"{CANARY}é\tO\n".encode("latin-1"))
    refused(FormatError, source, "not UTF-8 text on line 1")
    source.write_text(f"{CANARY}\tO\n" * 3)
    refused(LimitError, source, "beyond the limit", limits=Limits(document_characters=20))
    refused(LimitError, source, "beyond the limit", limits=Limits(record_bytes=5))
    source.write_text("\n")
    refused(DataError, source, "no documents")
    with pytest.raises(DataError, match="keeps for itself"):
        write_documents([Document("a", "-DOCSTART-")], like="conll", out=tmp_path / "o.conll")


# ---------------------------------------------------------------- memory


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
