"""CSV and TSV: cells and columns as they came, each mistake with its message."""

from __future__ import annotations

import pytest

from sfumato.core.errors import DataError, FormatError, LimitError, ParameterError
from sfumato.data.document import Document
from sfumato.data.documents import read_documents, write_documents
from sfumato.data.limits import Limits

from ..document_files import CANARY, refused


def test_csv_keeps_cells_and_columns(tmp_path):
    source = tmp_path / "a.csv"
    source.write_bytes(b'n;text;id\r\n007;"say ""hi"";\r\nthere";1e5\r\n;x;b\r\n')
    corpus = read_documents(source)
    first, second = corpus
    assert (first.id, first.text, first.fields) == ("1e5", 'say "hi";\r\nthere', {"n": "007"})
    assert second.fields == {"n": ""}
    write_documents(corpus, like=corpus, out=tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_bytes() == b'n;text;id\n007;"say ""hi"";\r\nthere";1e5\n;x;b\n'


def test_csv_with_an_unnamed_column_and_a_delimiter_in_a_name(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text(';text;"a, b, c"\n0;x;y\n')
    corpus = read_documents(source, id=None)
    (document,) = corpus
    assert (document.id, document.text, document.fields) == ("1", "x", {"": "0", "a, b, c": "y"})
    write_documents(corpus, like=corpus, out=tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == ";text;a, b, c\n0;x;y\n"


def test_csv_mistakes(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text(f"id,txt\n1,{CANARY}\n")
    refused(DataError, source, "no text column 'text'", "it has 2 columns")
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
    with pytest.raises(ParameterError, match="does not take the options spreadsheet"):
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
    assert (tmp_path / "b.tsv").read_text() == "id\ttext\n"  # no other column was kept
