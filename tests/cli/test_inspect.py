"""`sfumato inspect` says what files hold, in counts, which ones cannot be handled, and nothing of what they say."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sfumato.cli._app import build
from sfumato.core.errors import InputError
from sfumato.data.documents import Document, write_documents
from sfumato.data.inspecting import inspect_files


@pytest.fixture
def folder(tmp_path):
    notes = [Document("a", "Dear Quixadelmo"), Document("b", "Seen by Quixadelmo today")]
    write_documents(notes, like="docx", out=tmp_path / "letters")
    place = tmp_path / "letters"
    (place / "broken.docx").write_bytes(b"PK")
    (place / "page.html").write_text("<script>Quixadelmo</script><p>One two three</p>")
    (place / "memo.txt").write_text("Four words in here")
    (place / "rows.csv").write_text("id,text,ward\n1,Two words,4\n")
    (place / "tape.bin").write_bytes(b"Quixadelmo")
    return place


def call(*words):
    result = CliRunner().invoke(build(), ["inspect", *map(str, words)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_kinds_counts_and_reasons_are_listed(folder):
    found = {own["kind"]: own for own in json.loads(call(folder, "--json"))["kinds"]}
    assert {kind: (own["files"], own["documents"], own["words"]) for kind, own in found.items()} == {
        "docx": (3, 2, 6), "html": (1, 1, 3), "plain": (1, 1, 4), "csv": (1, 1, 2), "unknown": (1, 0, 0),
    }  # fmt: skip
    assert found["docx"]["withheld"] == {"is damaged or no Office file": 1}
    assert found["docx"]["places"] == {"body": 39}
    assert found["html"]["dropped"] == {"script": 1}
    assert found["csv"]["dropped"] == {"other fields": 1}
    assert found["unknown"]["withheld"] == {"is of no format that is read here": 1}


def test_no_word_of_the_content_is_said(folder):
    for words in ((folder,), (folder, "--json"), (folder / "broken.docx",)):
        assert "Quixadelmo" not in call(*words)
    table = call(folder).splitlines()
    assert table[0].split() == ["kind", "files", "read", "withheld", "words"]
    assert any(line.split() == ["docx", "3", "2", "1", "6"] for line in table)
    assert call(folder, "--quiet") == ""


def test_files_that_cannot_be_handled_are_named_with_the_reason(folder):
    (folder / "inner").mkdir()
    (folder / "inner" / "two.xml").write_text("<a>Quixadelmo")
    found = {own["kind"]: own for own in json.loads(call(folder, "--json"))["kinds"]}
    assert found["docx"]["files_withheld"] == [
        {"file": str(folder / "broken.docx"), "reason": "is damaged or no Office file", "documents": 1}
    ]  # fmt: skip
    (two,) = found["xml"]["files_withheld"]
    assert two["file"] == str(folder / "inner" / "two.xml")
    assert two["reason"] in found["xml"]["withheld"]
    assert found["html"]["files_withheld"] == []
    lines = call(folder).splitlines()
    after = lines[lines.index("docx, cannot be handled: is damaged or no Office file 1") + 1]
    assert after == f"  {folder / 'broken.docx'}: is damaged or no Office file"
    assert f"  {folder / 'tape.bin'}: is of no format that is read here" in lines


def test_a_file_of_many_documents_is_named_once_a_reason(tmp_path):
    lines = [{"id": "a", "text": "One"}, {"id": "b", "text": 5}, {"id": "c", "text": 6}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    (own,) = json.loads(call(tmp_path / "a.jsonl", "--json"))["kinds"]
    ((reason, count),) = own["withheld"].items()
    assert count == 2
    named = {"file": str(tmp_path / "a.jsonl"), "reason": reason, "documents": 2}
    assert own["files_withheld"] == [named]
    assert f"  {tmp_path / 'a.jsonl'}: {reason} (2 times)" in call(tmp_path / "a.jsonl").splitlines()  # fmt: skip


def test_the_table_names_a_readable_number_of_files_and_json_all(tmp_path):
    for number in range(25):
        (tmp_path / f"{number:02d}.docx").write_bytes(b"PK")
    named = [line for line in call(tmp_path).splitlines() if line.startswith("  ")]
    assert len(named) == 11
    assert named[-1] == "  and 15 more; --json lists all"
    (own,) = json.loads(call(tmp_path, "--json"))["kinds"]
    assert len(own["files_withheld"]) == 25


def test_names_of_files_can_be_printed_whatever_they_are(tmp_path):
    for name in (b"red\x1b[31m.docx", b"two\nlines.docx", b"not-utf-8-\xff.docx"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"PK")
    said = call(tmp_path)
    assert "\x1b" not in said
    for name in (r"red\x1b[31m.docx", r"two\nlines.docx", r"not-utf-8-\udcff.docx"):
        assert f"  {tmp_path}/{name}: is damaged or no Office file" in said.splitlines()
    (own,) = json.loads(call(tmp_path, "--json"))["kinds"]
    assert len(own["files_withheld"]) == 3


def test_a_table_without_the_column_is_withheld(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (found,) = inspect_files(tmp_path / "a.csv")
    assert list(found.withheld) == ["There is no text column 'text' in the file"]


def test_nothing_is_refused():
    with pytest.raises(InputError, match="No file"):
        inspect_files([])
