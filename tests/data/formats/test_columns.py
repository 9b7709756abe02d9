"""Parquet and frames: types as they came, each mistake with its message."""

from __future__ import annotations

import decimal
import pickle

import pyarrow as pa
import pytest
from pyarrow import parquet

from sfumato.core.errors import DataError, FormatError, LimitError, ParameterError
from sfumato.data.document import Document
from sfumato.data.documents import documents_frame, read_documents, write_documents
from sfumato.data.limits import Limits

from ..document_files import CANARY, refused


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
    assert documents[0].fields["cost"] == decimal.Decimal("1.10")
    assert documents == list(corpus)
    write_documents(documents, like=corpus, out=tmp_path / "b.parquet")
    written = parquet.read_table(tmp_path / "b.parquet")
    assert written.schema.equals(table.schema)
    assert written.equals(table)
    meta = parquet.read_metadata(tmp_path / "b.parquet")
    assert meta.row_group(0).column(0).compression == "ZSTD"
    changed = [Document(d.id, "new", (), d.fields) for d in corpus if d.id != "1"]
    write_documents(changed, like=corpus, out=tmp_path / "c.parquet")
    written = parquet.read_table(tmp_path / "c.parquet").drop_columns("text")
    kept = pa.concat_tables([table.slice(0, 1), table.slice(2, 1)]).drop_columns("text")
    assert written.schema.equals(kept.schema)
    assert written.to_pylist() == kept.to_pylist()
    assert written.column("kind").chunk(0).dictionary.to_pylist() == ["a"]  # not what is left out
    assert write_documents([], like=corpus, out=tmp_path / "d.parquet") == 0
    assert parquet.read_schema(tmp_path / "d.parquet").names == ["id", "text"]  # none else was kept


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
    assert [d.fields["n"] for d in corpus] == [0, 0, 1, 1, 2, 2]
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
