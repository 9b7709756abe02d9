"""An output folder holds the data in its own form and release.json, whole or not at all."""

import csv
import gzip
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.core.errors import (
    DataError,
    InputError,
    OutputExistsError,
    ParameterError,
    WorkError,
)
from sfumato.core.measures import Risk, Utility
from sfumato.data.document import apply
from sfumato.data.documents import read_documents
from sfumato.data.formats import lines as lines_module
from sfumato.engines.text.private_edits import edits_of, read_edits
from sfumato.engines.text.records import TextCandidate, WordCounts
from sfumato.engines.text.redaction.sanitiser import Sanitiser
from sfumato.engines.text.release import writing
from sfumato.engines.text.release.writing import publish

CANDIDATE = TextCandidate(
    id="ratio-10", risk=Risk(0.1), utility=Utility(0.9), ratio=10.0, rounds=1, published=0.9,
    leaked=1, false_positives=0, total_loss=10.0, held_out=True, record=(),
)  # fmt: skip


class AfterTitle:
    """Redacts the word after "Dr."; fails on a document that holds "Boom"."""

    labels = ("NAME",)
    knowledge = ()

    def decide(self, data):
        words = data.words.vocabulary.words
        spoken = [words[t] for t in data.tokens.type]
        if "Boom" in spoken:
            raise ValueError("Boom")
        kind = np.zeros(len(data), np.int16)
        for i in range(2, len(data)):
            kind[i] = spoken[i - 2 : i] == ["Dr", "."]
        kind[data.redacted] = 0
        return kind


def records(count=12):
    return [
        {
            "id": f"d{i}",
            "text": f"Note {i}: Dr. Canary é\r\ncame.",
            "ward": i % 3,
            "by": "Canary",
        }
        for i in range(count)
    ]


def write(path, content):
    path.write_text("".join(json.dumps(r) + "\n" for r in content), encoding="utf-8")
    return path


def run(source, out, **options):
    sanitiser = Sanitiser(AfterTitle(), **options.pop("sanitiser", {}))
    given = {"made_from": {"model": "abc"}, "threads": 1, "characters": 100, "keep_ids": True}
    options = given | options
    return publish(source, out, sanitiser=sanitiser, candidate=CANDIDATE, **options)


def lines(path):
    opened = gzip.open if path.name.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def test_jsonl(tmp_path):
    source = write(tmp_path / "notes.jsonl", records())
    outcome = run(source, tmp_path / "out", keep=["ward", "by"])
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["notes.jsonl", "release.json"]
    expected = [
        {**r, "text": f"Note {i}: Dr. [NAME] é\r\ncame.", "spans": []}
        for i, r in enumerate(records())
    ]
    assert lines(tmp_path / "out" / "notes.jsonl") == expected
    record = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert record == outcome.to_public_json()
    assert record["counts"] == {
        "documents": 12,
        "words_published": 12 * 5,
        "spans": {"NAME": 12},
        "surrogates": {},
    }
    assert outcome.words == WordCounts(read=12 * 6, redacted={"NAME": 12})
    assert record["left_out"] == {"withheld": 0}
    assert "rows" not in record["inputs"][0]
    assert outcome.inputs[0].rows == 12
    assert record["candidate"] == "ratio-10"
    assert record["how"]["ratio"] == 10
    assert record["how"]["fields_as_they_are"] == ["by", "ward"]
    assert record["verified"] == {"documents": 12, "edits": 12}
    assert "Canary" not in json.dumps(record)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["notes.jsonl", "out", "out.private"]


@pytest.mark.parametrize("options", [{"threads": 2}, {"characters": 1}, {"characters": 1 << 20}])
def test_the_same_bytes_however_it_is_done(tmp_path, options):
    source = write(tmp_path / "notes.jsonl", records(40))
    run(source, tmp_path / "a")
    run(source, tmp_path / "b", **options)
    for name in ("notes.jsonl", "release.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_other_forms(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    write(folder / "a.jsonl", records(3))
    write(folder / "b.jsonl", [{**r, "id": "x" + r["id"]} for r in records(4)])
    outcome = run(folder, tmp_path / "folder")
    names = sorted(p.name for p in (tmp_path / "folder").iterdir())
    assert names == ["a.jsonl", "b.jsonl", "release.json"]
    assert [r["id"] for r in lines(tmp_path / "folder" / "b.jsonl")] == ["xd0", "xd1", "xd2", "xd3"]
    assert [i.rows for i in outcome.inputs] == [3, 4]

    csv = tmp_path / "notes.csv"
    csv.write_text('id,text,ward\n1,"Dr. Canary, fine",A\n2,none,B\n', encoding="utf-8")
    run(csv, tmp_path / "csv")
    text = (tmp_path / "csv" / "notes.csv").read_text(encoding="utf-8")
    assert text == 'id,text\n1,"Dr. [NAME], fine"\n2,none\n'
    run(csv, folder / "kept", keep=["ward"])
    text = (folder / "kept" / "notes.csv").read_text(encoding="utf-8")
    assert text == 'id,text,ward\n1,"Dr. [NAME], fine",A\n2,none,B\n'
    source = write(tmp_path / "notes.jsonl", records(2))
    run(source, tmp_path / "dropped", keep=["ward"])
    assert [sorted(r) for r in lines(tmp_path / "dropped" / "notes.jsonl")] == [
        ["id", "spans", "text", "ward"]
    ] * 2
    with pytest.raises(ParameterError, match="No document has the field 'war'"):
        run(source, tmp_path / "slip", keep=["war"])
    assert not (tmp_path / "slip").exists()

    parquet = tmp_path / "notes.parquet"
    pq.write_table(pa.Table.from_pylist(records(5)), parquet)
    run(parquet, tmp_path / "parquet", keep=["ward"])
    table = pq.read_table(tmp_path / "parquet" / "notes.parquet").to_pylist()
    assert [r["text"] for r in table] == [r["text"].replace("Canary", "[NAME]") for r in records(5)]
    assert [sorted(r) for r in table] == [["id", "text", "ward"]] * 5
    assert [r["ward"] for r in table] == [i % 3 for i in range(5)]

    brat = tmp_path / "brat"
    brat.mkdir()
    (brat / "one.txt").write_text("Dr. Canary called.", encoding="utf-8")
    (brat / "one.ann").write_text("T1\tNAME 4 10\tCanary\n", encoding="utf-8")
    run(brat, tmp_path / "texts")
    assert (tmp_path / "texts" / "one.txt").read_text(encoding="utf-8") == "Dr. [NAME] called."
    for file in (tmp_path / "texts").iterdir():
        assert "Canary" not in file.read_text(encoding="utf-8")

    zipped = tmp_path / "notes.jsonl.gz"
    with gzip.open(zipped, "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(r) + "\n" for r in records())
    run(zipped, tmp_path / "zipped")
    assert len(lines(tmp_path / "zipped" / "notes.jsonl.gz")) == 12


def test_what_fails_is_withheld_by_id(tmp_path):
    content = records()
    content[3]["text"] = "Dr. Canary went Boom"
    content[5] = {"id": "no text", "name": "Canary"}
    source = write(tmp_path / "notes.jsonl", content)
    outcome = run(source, tmp_path / "out")
    assert {w["id"] for w in outcome.withheld} == {"d3", "no text"}
    assert outcome.counts["documents"] == 10
    assert outcome.inputs[0].rows == 12
    assert "Canary" not in json.dumps(outcome.to_json())
    assert "Boom" not in json.dumps(outcome.to_json())
    assert len(lines(tmp_path / "out" / "notes.jsonl")) == 10
    for broken in (content[:5], content[4:]):
        source = write(tmp_path / "notes.jsonl", broken)
        with pytest.raises(Exception, match=r"d3|no text|Record 2") as caught:
            run(source, tmp_path / "strict", sanitiser={"strict": True})
        assert "Canary" not in str(caught.value)
        assert not (tmp_path / "strict").exists()


def test_findings_are_redacted_too(tmp_path):
    source = write(tmp_path / "notes.jsonl", records(2))
    findings = tmp_path / "findings.jsonl"
    found = [{"start": 0, "end": 4, "entity_type": "KIND", "score": 0.9}]
    entries = [{"id": "d0", "findings": []}, {"id": "d1", "findings": found}]
    findings.write_text("".join(json.dumps(e) + "\n" for e in entries), encoding="utf-8")
    run(source, tmp_path / "out", findings=findings, sanitiser={"findings": True})
    texts = [r["text"] for r in lines(tmp_path / "out" / "notes.jsonl")]
    assert texts[1].startswith("[KIND] 1: Dr. [NAME]")
    assert texts[0].startswith("Note 0")


@pytest.mark.parametrize(
    ("name", "work"), [("notes.jsonl", "line_part"), ("notes.csv", "batch_part")]
)
def test_a_run_that_stopped_goes_on(tmp_path, monkeypatch, name, work):
    source = tmp_path / name
    if name == "notes.csv":
        pd.DataFrame(records(40)).to_csv(source, index=False)
    else:
        write(source, records(40))
    run(source, tmp_path / "whole")
    worked = 0
    real = getattr(writing, work)

    def counting(sanitiser, documents):
        nonlocal worked
        worked += 1
        if worked == 4:
            raise KeyboardInterrupt
        return real(sanitiser, documents)

    monkeypatch.setattr(writing, work, counting)
    with pytest.raises(KeyboardInterrupt):
        run(source, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    run(source, tmp_path / "out")
    first = worked
    found = sorted(p.name for p in tmp_path.iterdir())
    assert found == [name, "out", "out.private", "whole", "whole.private"]
    edits = [(tmp_path / f"{out}.private" / "edits.jsonl").read_bytes() for out in ("out", "whole")]
    assert edits[0] == edits[1]
    for file in (name, "release.json"):
        assert (tmp_path / "out" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
    worked = 100
    run(source, tmp_path / "again")
    assert worked - 100 > first - 4


@pytest.mark.parametrize(
    "given", [{}, {"keep": ("by", "x")}, {"keep_ids": False}, {"keep": ("x",), "keep_ids": False}]
)
def test_lines_in_columns_are_what_they_are_record_by_record(tmp_path, monkeypatch, given):
    rows = [
        *records(30),
        {"id": 8, "text": "Dr. Who", "x": 1},
        {"id": 7, "text": "Dr. Boom", "x": {"y": [1.50, "\u00e9"]}},
        {"id": "d3"},
    ]
    rows += [{"id": "s", "text": "Dr. Ann", "spans": [{"start": 4, "end": 7, "label": "NAME"}]}]
    source = write(tmp_path / "notes.jsonl", rows)
    monkeypatch.setattr(lines_module, "WORTH", 1 << 20)  # as shipped: small files need no kernel
    run(source, tmp_path / "records", **given)
    monkeypatch.setattr(lines_module, "WORTH", 0)
    for threads in (1, 2):
        run(source, tmp_path / f"columns{threads}", **given, threads=threads)
    found = [
        [
            (tmp_path / name).read_bytes()
            for name in (f"{out}/notes.jsonl", f"{out}.private/figures.json")
        ]
        for out in ("columns1", "columns2", "records")
    ]
    assert found[0][0] == found[1][0] == found[2][0]
    recorded = [json.loads(content) for _, content in found]
    for record in recorded:  # record by record, what could not be read is listed first
        record["withheld"].sort(key=lambda entry: entry["id"])
    assert recorded[0] == recorded[1] == recorded[2]
    assert recorded[0]["left_out"]["withheld"] == 2
    private = [
        sorted(
            (tmp_path / f"{out}.private" / "edits.jsonl").read_text(encoding="utf-8").splitlines()
        )
        for out in ("columns1", "columns2", "records")
    ]
    assert private[0] == private[1]
    assert list(map(json.loads, private[0])) == list(map(json.loads, private[2]))


def test_bad_input_writes_nothing(tmp_path):
    source = write(tmp_path / "notes.jsonl", records())
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputExistsError):
        run(source, tmp_path / "out")
    run(source, tmp_path / "out", force=True)
    with pytest.raises(InputError):
        run(tmp_path / "missing.jsonl", tmp_path / "new")
    write(tmp_path / "empty.jsonl", [])
    with pytest.raises(DataError, match="no documents"):
        run(tmp_path / "empty.jsonl", tmp_path / "new")
    found = sorted(p.name for p in tmp_path.iterdir())
    assert found == ["empty.jsonl", "notes.jsonl", "out", "out.private"]


def test_marks_of_a_person_are_redacted_in_columns_and_record_by_record(tmp_path, monkeypatch):
    monkeypatch.setattr(lines_module, "WORTH", 0)
    content = records()
    content[3]["spans"] = [{"start": 0, "end": 4, "label": "NAME"}]
    content[7]["spans"] = [{"start": 0, "end": 4, "label": "MOOD"}]
    source = write(tmp_path / "notes.jsonl", content)
    run(source, tmp_path / "quick")
    quick = lines(tmp_path / "quick" / "notes.jsonl")
    assert [i for i, r in enumerate(quick) if r["text"].startswith("[NAME]")] == [3]
    folder = tmp_path / "table"
    folder.mkdir()
    table = folder / "notes.csv"
    with table.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, ["id", "text", "spans"])
        writer.writeheader()
        for r in content:
            writer.writerow(
                {"id": r["id"], "text": r["text"], "spans": json.dumps(r.get("spans", []))}
            )
    run(table, tmp_path / "slow")
    with (tmp_path / "slow" / "notes.csv").open(newline="", encoding="utf-8") as stream:
        assert [r["text"] for r in csv.DictReader(stream)] == [r["text"] for r in quick]


class Careless:
    """A writer that forgets the edits of one document, the first time or always."""

    def __init__(self, monkeypatch, kind, name, *, always=False):
        real, self.calls = getattr(kind, name), 0

        def lines(this, block, text):
            self.calls += 1
            if not always and self.calls > 1:
                return real(this, block, text)
            own, bad = list(block.text), records()[3]["text"].encode()  # that of d3
            texts = [old if old == bad else new for old, new in zip(own, text, strict=True)]
            return real(this, block, lines_module.Column.of(texts))

        def write(this, part, edited, out):
            self.calls += 1
            for_now = always or self.calls == 1
            bad = (replace(e, edits=()) if for_now and e.document.id == "d3" else e for e in edited)
            return real(this, part, bad, out)

        monkeypatch.setattr(kind, name, lines if name == "lines" else write)


@pytest.mark.parametrize("keep_ids", [True, False])
@pytest.mark.parametrize("name", ["notes.jsonl", "quick.jsonl", "notes.csv", "notes.parquet"])
def test_a_document_that_does_not_read_back_is_withheld(tmp_path, monkeypatch, name, keep_ids):
    source = tmp_path / name
    if name == "notes.csv":
        pd.DataFrame(records(12)).to_csv(source, index=False)
    elif name == "notes.parquet":
        pq.write_table(pa.Table.from_pylist(records(12)), source)
    else:
        write(source, records(12))
    if name == "quick.jsonl":
        monkeypatch.setattr(lines_module, "WORTH", 0)
        careless = Careless(monkeypatch, lines_module.LineWriter, "lines", always=True)
    else:
        monkeypatch.setattr(lines_module, "WORTH", 1 << 20)
        kind = type(read_documents(source).format)
        careless = Careless(monkeypatch, kind, "write", always=True)
    release = run(source, tmp_path / "out", keep_ids=keep_ids, characters=1 << 20)
    assert careless.calls
    assert len(release.withheld) == 1
    assert release.withheld[0]["reason"] == "is not in the written file as it was decided"
    assert release.counts["documents"] == release.verified.documents == 11
    assert release.words.redacted == {"NAME": 11} == release.counts["spans"]
    assert release.outputs[0].rows == 11
    listed = json.loads((tmp_path / "out.quarantine.jsonl").read_text())
    assert listed["id"] == "d3"
    assert b"Canary" not in (tmp_path / "out" / name).read_bytes()
    assert {d.text[:5] for d in read_documents(tmp_path / "out")} == {"Note "}
    edits = [
        json.loads(s) for s in (tmp_path / "out.private" / "edits.jsonl").read_text().splitlines()
    ]
    assert sorted(e["id"] for e in edits) == sorted(f"d{i}" for i in range(12) if i != 3)
    with pytest.raises(DataError, match="not in the written file"):
        run(source, tmp_path / "strict", keep_ids=keep_ids, sanitiser={"strict": True})
    assert not (tmp_path / "strict").exists()


def test_a_file_that_never_reads_back_ends_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(lines_module, "WORTH", 1 << 20)
    source = write(tmp_path / "notes.jsonl", records(12))
    form = type(read_documents(source).format)
    real = form.write

    def leaky(this, part, edited, out):
        real(this, part, edited, out)
        with out.open("a") as stream:
            stream.write('{"id": "x", "text": "Canary", "spans": []}\n')

    monkeypatch.setattr(form, "write", leaky)
    with pytest.raises(WorkError, match="nothing was published"):
        run(source, tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["notes.jsonl"]


def test_private_edits_say_what_was_done(tmp_path, monkeypatch):
    source = write(tmp_path / "notes.jsonl", records(6))
    originals = {d.id: d for d in read_documents(source)}
    for worth in (1 << 20, 0):
        monkeypatch.setattr(lines_module, "WORTH", worth)
        out = tmp_path / str(worth) / "out"
        out.parent.mkdir()
        run(source, out, keep_ids=False)
        path = edits_of(out)
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
        published = {d.id: d.text for d in read_documents(out)}
        found = list(read_edits(out))
        assert len(found) == len(published) == 6
        for entry in found:
            document = entry.check(originals[entry.id])
            assert apply(document.text, entry.edits) == published[entry.published_id]
            assert (entry.format, entry.version) == ("jsonl", "1")
            with pytest.raises(InputError, match="offsets no longer hold"):
                entry.check(replace(document, text=document.text + "."))
