"""Every message of the table of wrong calls in docs/reference/wrong-calls.md is what the command says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sfumato.cli import build
from sfumato.data.samples import clinic_notes

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "wrong-calls.md"
ROW = re.compile(r"^\| `([^`]+)` \| (.+) \| (\d) \|$", re.MULTILINE)


def rows():
    return ROW.findall(PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("wrong")
    notes = clinic_notes(90, seed=4)

    def write(name, documents, *, spans=True):
        lines = [
            {"id": d.id, "text": d.text, "ward": 4, "spans": [
                {"start": s.start, "end": s.end, "label": s.label} for s in d.spans
            ] if spans else []}
            for d in documents
        ]  # fmt: skip
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (place / name).write_text(text, encoding="utf-8")

    write("notes.jsonl", notes[:60])
    write("new.jsonl", notes[60:], spans=False)
    write("capitals.jsonl", [type(d)(d.id, d.text.upper()) for d in notes[60:]])
    for name, content in (
        ("letter.docx", "PK"), ("letter.pdf", "%PDF"), ("sheet.xlsx", "PK"), ("empty.jsonl", ""),
        ("export.json", '[{"data": {"text": "Ann"}, "annotations": [{"result": []}]}]'),
        ("letters/one.docx", "PK"), ("array.json", '[{"id": 1}]'), ("notes.bin", "x"),
        ("doccano.jsonl", '{"id": 1, "text": "Ann", "label": [[0, 3, "NAME"]]}'),
        ("prodigy.jsonl", '{"text": "Ann", "_input_hash": 1, "spans": []}'),
        ("overlap.jsonl", json.dumps({"id": "d", "text": "Ann Lee", "spans": [
            {"start": 0, "end": 5, "label": "NAME"}, {"start": 4, "end": 7, "label": "NAME"}]})),
    ):  # fmt: skip
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(content, encoding="utf-8")
    (place / "latin.csv").write_bytes("id,text,spans\n1,Jürgen,[]\n".encode("latin-1"))
    findings = "".join(json.dumps({"id": d.id, "findings": []}) + "\n" for d in notes)
    (place / "findings.jsonl").write_text(findings, encoding="utf-8")
    for words in (
        "explore notes.jsonl --label NAME --ratios 10 --attackers none --out frontier",
        (
            "explore notes.jsonl --label NAME --ratios 10 --attackers none --findings findings.jsonl "
            "--out with-findings"
        ),
        "publish frontier new.jsonl --ratio 10 --out release",
        "publish frontier notes.jsonl --ratio 10 --ignore-marks --out learned-release",
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(place)
            result = CliRunner().invoke(build(), ["text", *words.split()])
        assert result.exit_code == 0, result.output
    return place


def test_the_page_has_its_table():
    assert len(rows()) >= 20


@pytest.mark.parametrize(("call", "message", "status"), rows())
def test_a_wrong_call_says_what_the_page_says(folder, monkeypatch, call, message, status):
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(build(), call.removeprefix("sfumato ").split())
    said = " ".join(result.stderr.split())
    assert message in said
    assert result.exit_code == int(status)
