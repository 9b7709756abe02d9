"""`sfumato inspect` says what files hold, in counts, and nothing of what they say."""

from __future__ import annotations

import json

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
    (place / "broken-Quixadelmo.docx").write_bytes(b"PK")
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
    for words in ((folder,), (folder, "--json"), (folder / "broken-Quixadelmo.docx",)):
        assert "Quixadelmo" not in call(*words)
    table = call(folder).splitlines()
    assert table[0].split() == ["kind", "files", "read", "withheld", "words"]
    assert any(line.split() == ["docx", "3", "2", "1", "6"] for line in table)
    assert call(folder, "--quiet") == ""


def test_a_table_without_the_column_is_withheld(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (found,) = inspect_files(tmp_path / "a.csv")
    assert list(found.withheld) == ["There is no text column 'text' in the file"]


def test_nothing_is_refused():
    with pytest.raises(InputError, match="No file"):
        inspect_files([])
