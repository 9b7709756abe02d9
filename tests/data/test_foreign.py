"""Files of other programs are named for what they are; a text is never taken for a path."""

from __future__ import annotations

import json

import pytest

from sfumato.core.errors import FormatError, InputError
from sfumato.data.documents import read_documents

SPAN = {"start": 0, "end": 3, "label": "NAME"}
LABEL_STUDIO = [{"data": {"text": "Ann"}, "annotations": [{"result": []}]}]
PRODIGY = {"text": "Ann", "spans": [SPAN], "_input_hash": 7}
DOCCANO = {"id": 1, "text": "Ann", "label": [[0, 3, "NAME"]]}
DOCCANO_DICTS = {"id": 1, "text": "Ann", "entities": [{"start_offset": 0, "end_offset": 3}]}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.docx", "PK", "is damaged or no Office file"),
        ("a.doc", "PK", "is a Word document"),
        ("a.pdf", "%PDF", "is not a readable PDF"),
        ("a.xls", "PK", "is an Excel workbook. Hint: save it as CSV"),
        ("a.json", json.dumps([{"id": 1, "text": "x"}]), "is a JSON array"),
        ("a.jsonl", " \n[ {}, {}]", "is a JSON array"),
        ("a.json", json.dumps(LABEL_STUDIO), "is an export of Label Studio"),
        ("a.jsonl", json.dumps(PRODIGY), "is an export of Prodigy"),
        ("a.jsonl", json.dumps(DOCCANO), "is an export of doccano"),
        ("a.jsonl", json.dumps(DOCCANO_DICTS), "is an export of doccano"),
        ("a.bin", "x", "cannot be inferred from its name. Hint: give the format by --format"),
    ],
)
def test_foreign_files_are_named(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        list(read_documents(path))


def test_a_lone_bracket_is_a_damaged_line(tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_text('[\n{"id": "d", "text": "Ann"}\n', encoding="utf-8")
    assert len(list(read_documents(path).tolerant())) == 2


def test_a_folder_of_word_documents_is_named(tmp_path):
    (tmp_path / "one.doc").write_text("PK", encoding="utf-8")
    with pytest.raises(FormatError, match="is a Word document"):
        read_documents(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee was\nseen.", "Ann Lee of 4 Elm Street was seen on the ward today.", "x" * 300,
        "Ann Lee", "Ann Lee (4 Elm Street/St.Mary)", "Seen by Dr.Lee",
    ],
)  # fmt: skip
def test_a_text_is_never_repeated(text):
    for source in (text, [text]):
        with pytest.raises(InputError, match="a text was given") as caught:
            read_documents(source)
        assert "Lee" not in str(caught.value)


def test_a_file_that_is_missing_is_named():
    for name in ("missing.jsonl", "my notes.CSV.gz", "folder"):
        with pytest.raises(InputError, match=name):
            read_documents(f"nowhere at all/{name}" if "." in name else name)


def test_a_format_that_is_given_is_believed(tmp_path):
    path = tmp_path / "notes.bin"
    path.write_text(json.dumps({"id": "d", "text": "Ann"}), encoding="utf-8")
    assert [d.id for d in read_documents(path, format="jsonl")] == ["d"]
