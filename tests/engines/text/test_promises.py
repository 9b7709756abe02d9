"""The table of broken promises, row by row: what once was said quietly is now refused, measured or told."""

from __future__ import annotations

import datetime as dt
import json
import re

import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli import build
from sfumato.core.coarse import two_digits
from sfumato.core.errors import ReleaseRefusedError
from sfumato.data.document import Document
from sfumato.data.samples import clinic_notes, discharge_letters

app = build()


def write(path, documents):
    lines = [
        {"id": d.id, "text": d.text,
         "spans": [{"start": s.start, "end": s.end, "label": s.label} for s in d.spans], **d.fields}
        for d in documents
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("promises")
    notes, letters = clinic_notes(140, seed=8), discharge_letters(90, seed=8)
    write(place / "learned.jsonl", notes[:80])
    write(place / "held_out.jsonl", notes[80:])
    write(place / "plain.jsonl", [Document(d.id, d.text, (), {"ward": 3}) for d in notes[80:]])
    write(place / "letters.jsonl", [Document(d.id, d.text, (), d.fields) for d in letters])
    result = run(
        "text", "explore", place / "learned.jsonl", "--label", "NAME", "--ratios", "10",
        "--attackers", "none", "--out", place / "frontier",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "left as they are: " in result.output
    return place


def publish(folder, source, out, *more):
    return run(
        "text",
        "publish",
        folder / "frontier",
        folder / source,
        "--ratio",
        "10",
        "--out",
        out,
        *more,
    )


def test_another_language_is_refused_with_status_3(folder, tmp_path):
    result = publish(folder, "letters.jsonl", tmp_path / "out")
    assert result.exit_code == 3
    assert "differ from those learned from" in result.output
    assert not (tmp_path / "out").exists()
    accepted = publish(folder, "letters.jsonl", tmp_path / "out", "--accept-shift")
    assert accepted.exit_code == 0, accepted.output
    said = " ".join(accepted.output.split())
    assert "would be left if these documents were like those learned from" in said
    assert "are expected to be left" not in said
    record = json.loads((tmp_path / "out.private" / "figures.json").read_text(encoding="utf-8"))
    assert record["how"]["accept_shift"] is True
    assert record["measured"]["shift"]["verdict"].startswith("different")
    # The edition that is given out holds no comparison, and claims nothing that depends on it.
    told = run("report", folder / "frontier", tmp_path / "out", "--out", tmp_path / "report")
    assert told.exit_code == 0, told.output
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "whether or not they are like those learned from" in page
    assert "If they were like the documents learned from: In 90 documents expect" in page


def test_the_release_says_what_was_published_and_what_was_expected(folder, tmp_path):
    result = publish(folder, "plain.jsonl", tmp_path / "out")
    assert result.exit_code == 0, result.output
    record = json.loads((tmp_path / "out.private" / "figures.json").read_text(encoding="utf-8"))
    share, words = record["measured"]["published"], record["words"]
    assert share["value"] == 1 - sum(words["redacted"].values()) / words["read"]
    assert share["low"] < share["high"]
    assert record["risk"]["interval"][1] > record["risk"]["interval"][0]
    assert record["risk"]["method"]
    public = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert not {"measured", "words"} & public.keys()
    assert public["counts"]["words_published"] == words["read"] - sum(words["redacted"].values())
    assert public["risk"]["value"] == two_digits(record["risk"]["value"], up=True)
    assert "candidate r10" in result.output


def test_an_attack_on_what_was_learned_from_is_refused(folder, tmp_path):
    assert publish(folder, "learned.jsonl", tmp_path / "out", "--ignore-marks").exit_code == 0
    result = run(
        "text", "attack", folder / "frontier", tmp_path / "out", "--labels",
        folder / "learned.jsonl", "--attackers", "none",
    )  # fmt: skip
    assert result.exit_code == 2
    assert "are training documents" in result.output


def test_an_attack_without_labels_is_refused(folder, tmp_path):
    assert publish(folder, "plain.jsonl", tmp_path / "out").exit_code == 0
    result = run(
        "text", "attack", folder / "frontier", tmp_path / "out", "--labels",
        folder / "plain.jsonl", "--attackers", "none",
    )  # fmt: skip
    assert result.exit_code == 2
    assert "no label at all" in result.output


def test_findings_of_explore_are_required_at_publish(folder, tmp_path):
    findings = tmp_path / "findings.jsonl"
    notes = clinic_notes(140, seed=8)
    findings.write_text("".join(
        json.dumps({"id": d.id, "findings": [
            {"start": 0, "end": 4, "entity_type": "PERSON", "score": 0.9},
            {"start": 6, "end": 9, "entity_type": "LICENSE", "score": 0.01},
        ]}) + "\n"
        for d in notes
    ), encoding="utf-8")  # fmt: skip
    options = ("--findings", f"{findings}:min-score=0.5,PERSON=NAME")
    result = run(
        "text", "explore", folder / "learned.jsonl", "--label", "NAME", "--ratios", "10",
        "--attackers", "none", "--out", tmp_path / "frontier", *options,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    publish = ("text", "publish", tmp_path / "frontier", folder / "plain.jsonl", "--ratio", "10")
    without = run(*publish, "--out", tmp_path / "out")
    assert without.exit_code == 2
    assert "explored with another tool's findings" in without.output
    assert not (tmp_path / "out").exists()
    given = run(*publish, "--out", tmp_path / "out", *options)
    assert given.exit_code == 0, given.output
    lines = (tmp_path / "out" / "plain.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(json.loads(line)["text"].startswith("[NAME]") for line in lines)
    assert not any("[LICENSE]" in line or "[PERSON]" in line for line in lines)


def test_fields_that_are_not_kept_by_name_are_all_dropped(folder, tmp_path):
    documents = [
        Document(d.id, d.text, (), {"ward": 3, "patient": "p", "case": "c"})
        for d in clinic_notes(140, seed=8)[80:]
    ]
    write(folder / "fields.jsonl", documents)
    words = ("--keep", "ward")
    result = publish(folder, "fields.jsonl", tmp_path / "out", *words)
    assert result.exit_code == 0, result.output
    record = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert record["how"]["fields_as_they_are"] == ["ward"]
    assert "patient" not in json.dumps(record)
    lines = (tmp_path / "out" / "fields.jsonl").read_text(encoding="utf-8").splitlines()
    assert not any({"patient", "case"} & set(json.loads(line)) for line in lines)
    assert all(json.loads(line)["ward"] == 3 for line in lines)


@pytest.mark.parametrize(
    ("keep", "status"), [(["wardd"], 2), (["ward"], 0), (["ward", "text"], 2), (["id"], 2)]
)
def test_a_slip_in_what_is_kept_is_refused(folder, tmp_path, keep, status):
    words = [word for name in keep for word in ("--keep", name)]
    result = publish(folder, "plain.jsonl", tmp_path / "out", *words)
    assert result.exit_code == status, result.output
    assert (tmp_path / "out").exists() == (status == 0)
    if status == 0:
        assert '"ward"' in (tmp_path / "out" / "plain.jsonl").read_text(encoding="utf-8")


def test_an_audit_from_the_command_line(folder, tmp_path):
    assert publish(folder, "plain.jsonl", tmp_path / "out").exit_code == 0
    first = run("text", "audit", tmp_path / "out", "--documents", "20")
    assert first.exit_code == 0, first.output
    assert "none found in 20 documents: at most 13.9 % of documents leak (95 %)" in first.output
    second = run("text", "audit", tmp_path / "out", "--documents", "20", "--json")
    assert json.loads(second.stdout)["measured"]["high"] == pytest.approx(0.168, abs=1e-3)
    words = run(
        "text", "audit", tmp_path / "out", "--words", "30", "--frontier", folder / "frontier"
    )
    assert words.exit_code == 0, words.output
    assert run("text", "audit", tmp_path / "out").exit_code == 2
    assert run("text", "audit", tmp_path / "out", "--words", "5").exit_code == 2


@pytest.fixture(scope="module")
def letters():
    return discharge_letters(120, seed=2)


@pytest.fixture(scope="module")
def german(letters):
    return sf.text.explore(letters[:70], labels="all", ratios=[10], attackers=())


def test_surrogates_of_letters_keep_dates_and_clinical_values(
    german, letters, tmp_path, monkeypatch
):
    monkeypatch.setenv("SFUMATO_KEY", "a key of the tests, long enough")
    source = write(tmp_path / "letters.jsonl", [
        Document(d.id, d.text, (), d.fields) for d in letters[70:]
    ])  # fmt: skip
    release = german.publish(
        "r10", source, out=tmp_path / "out", replacement="surrogate", keep_ids=True
    )
    assert release.counts["surrogates"]["NAME"] > 0
    lines = (tmp_path / "out" / "letters.jsonl").read_text(encoding="utf-8").splitlines()
    clinical = re.compile(r"(?:Leukozyten|Kreatinin|INR|bei|Ramipril) ([\d,/]+)")
    changed = dates = 0
    for document, line in zip(letters[70:], lines, strict=True):
        text = json.loads(line)["text"]
        before, after = clinical.findall(document.text), clinical.findall(text)
        changed += len(set(after) - set(before))
        for day, month, year in re.findall(r"\b(\d\d)\.(\d\d)\.(\d{4})\b", text):
            dt.date(int(year), int(month), int(day))  # every date that is shown is one
            dates += 1
    assert changed == 0
    assert dates > 50


def test_learned_from_notes_the_letters_are_refused_in_python_too(folder, letters):
    explored = sf.text.load(folder / "frontier")
    with pytest.raises(ReleaseRefusedError):
        explored.publish("r10", [Document(d.id, d.text) for d in letters])
