"""What fails is withheld and listed without content; canary names stay out of everything but the data."""

import io
import json
import os
import shutil
import warnings
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from sfumato.core.errors import OutputExistsError, PrivacyWarning, SfumatoError, WithheldError
from sfumato.core.release import warn_if_composed
from sfumato.core.storage.quarantine import quarantine_of
from sfumato.data.document import Document
from sfumato.data.documents import read_documents, write_documents
from sfumato.engines.text.redaction.replacer import Mask
from sfumato.engines.text.redaction.sanitiser import Sanitiser

CANARY = "Quixadelmo"


class Breaks(Sanitiser):
    """A sanitiser that meets a bug in some documents, and whose error quotes the text."""

    def edits(self, tokens, *rest):
        text = tokens.text.tobytes().decode()
        if "BREAK" in text:
            raise ValueError(text)
        return super().edits(tokens, *rest)


def texts_of(out):
    return {d.id: d.text for file in out.iterdir() if file.name != "release.json"
            for d in read_documents(file)}  # fmt: skip


def test_a_document_that_fails_is_withheld(tmp_path, learned, notes, publish):
    broken = [
        replace(n, text=f"{CANARY} BREAK", spans=()) if i % 50 == 7 else n
        for i, n in enumerate(notes)
    ]
    ids = [n.id for n in broken if "BREAK" in n.text]
    source = tmp_path / "notes.jsonl"
    write_documents(broken, like="jsonl", out=source)
    outcome = publish(source, tmp_path / "out", sanitiser=Breaks(learned[1]))
    assert len(outcome.withheld) == len(ids) == 10
    record = json.loads((tmp_path / "out.private" / "figures.json").read_text())
    assert [w["id"] for w in record["withheld"]] == ids
    assert {w["reason"] for w in record["withheld"]} == {"an internal error (ValueError)"}
    assert CANARY not in json.dumps(record)
    public = json.loads((tmp_path / "out" / "release.json").read_text())
    assert public["left_out"] == {"withheld": 10}
    assert "withheld" not in public
    published = texts_of(tmp_path / "out")
    assert set(published) == {n.id for n in notes} - set(ids)
    with pytest.raises(WithheldError) as caught:
        publish(source, tmp_path / "strict", sanitiser=Breaks(learned[1], strict=True))
    assert CANARY not in str(caught.value)
    assert not (tmp_path / "strict").exists()
    assert not (tmp_path / ".strict.work").exists()


def quarantined(out):
    lines = out.with_name(f"{out.name}.quarantine.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_what_is_withheld_is_listed_beside_the_output(tmp_path, notes, publish):
    source, out = tmp_path / "notes.jsonl", tmp_path / "out"
    write_documents(notes, like="jsonl", out=source)
    good = source.read_bytes()
    lines = good.splitlines(keepends=True)
    lines[3] = b'{"id": "../../x", "text": ["%s"]}\n' % CANARY.encode()
    lines[5] = b'{"id": "%s", "text": 1}\n' % (b"y" * 900)
    source.write_bytes(b"".join(lines))
    outcome = publish(source, out)
    listed = quarantined(out)
    assert outcome.withheld
    quarantine = quarantine_of(out)
    assert [entry["id"] for entry in listed] == ["../../x", "y" * 900]
    record = json.loads((tmp_path / "out.private" / "figures.json").read_text())
    assert listed == record["withheld"]
    public = json.loads((out / "release.json").read_text())
    assert (public["left_out"], public["multiples_of"]) == (
        {"withheld": 5},
        5,
    )  # not that it was two
    assert CANARY not in quarantine.read_text()
    assert quarantine.stat().st_mode & 0o777 == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "notes.jsonl", "out", "out.private", "out.quarantine.jsonl",
    ]  # fmt: skip
    # The list of an earlier release is not replaced in silence, not even when its output is gone.
    shutil.rmtree(out)
    with pytest.raises(OutputExistsError, match=r"out\.quarantine\.jsonl"):
        publish(source, out)
    left = sorted(p.name for p in tmp_path.iterdir())
    assert left == ["notes.jsonl", "out.private", "out.quarantine.jsonl"]
    publish(source, out, force=True)
    assert quarantined(out) == listed
    # A release from which nothing was withheld has no list.
    source.write_bytes(good)
    assert not publish(source, out, force=True).withheld
    assert not quarantine.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["notes.jsonl", "out", "out.private"]


def test_the_list_survives_a_kill_at_any_step(tmp_path, notes, publish, kills):
    source = tmp_path / "notes.jsonl"
    write_documents(notes[:60], like="jsonl", out=source)
    with source.open("a") as stream:
        stream.write('{"id": "z"}\n')
    publish(source, tmp_path / "plain")
    wanted = [(tmp_path / "plain" / "release.json").read_bytes(), quarantined(tmp_path / "plain")]
    for fatal in range(1, 99):
        folder = tmp_path / str(fatal)
        folder.mkdir()
        with kills(fatal, KeyboardInterrupt) as counted, suppress(KeyboardInterrupt):
            publish(source, folder / "out")
        if counted.calls >= fatal:
            with suppress(OutputExistsError):  # the kill came after the end
                publish(source, folder / "out")
        assert [(folder / "out/release.json").read_bytes(), quarantined(folder / "out")] == wanted
        found = sorted(p.name for p in folder.iterdir())
        assert found == ["out", "out.private", "out.quarantine.jsonl"]
        if counted.calls < fatal:
            break
    assert fatal > 4


def test_rows_that_are_left_out_are_listed_by_number(tmp_path):
    from sfumato import tables

    cells = [("" if i in (4, 9) else i % 3, CANARY if i == 4 else "") for i in range(30)]
    lines = ["age,note", *(f"{age},{note}" for age, note in cells)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    schema = {
        "missing": "drop",
        "undeclared": "drop",
        "attribute": [{"name": "age", "role": "quasi", "domain": "observed"}],
    }
    found = tables.explore(tmp_path / "t.csv", schema=schema, evaluations=9)
    reason = "has no value for a quasi-identifier"
    for out in (tmp_path / "out.csv", tmp_path / "out"):
        found.publish(found.knee(), tmp_path / "t.csv", out=out)
        assert quarantined(out) == [{"id": f"row {n}", "reason": reason} for n in (5, 10)]
    assert CANARY not in (tmp_path / "out.quarantine.jsonl").read_text()


def test_what_cannot_be_read_is_withheld(tmp_path, notes, publish):
    source = tmp_path / "notes.jsonl"
    write_documents(notes, like="jsonl", out=source)
    lines = source.read_bytes().splitlines(keepends=True)
    lines[3] = b'{"id": "x", "text": "%s\xff"}\n' % CANARY.encode()
    lines[9] = b'{"id": "y", "text": ["%s"]}\n' % CANARY.encode()
    lines[20] = lines[21]  # the same id twice
    source.write_bytes(b"".join(lines))
    outcome = publish(source, tmp_path / "out")
    assert len(outcome.withheld) == 3
    assert CANARY not in (tmp_path / "out" / "release.json").read_text()
    assert CANARY not in "".join(texts_of(tmp_path / "out").values())


@pytest.mark.parametrize(
    "fault", [None, OSError(28, "No space left on device"), KeyboardInterrupt()]
)
def test_names_of_files_hold_no_data(tmp_path, learned, notes, publish, monkeypatch, fault):
    """Look at every name in the folder while a publish works, and at what an interruption leaves."""
    named = [replace(n, text=f"{CANARY} {n.text}") for n in notes[:60]]
    source = tmp_path / "notes.jsonl"
    write_documents(named, like="jsonl", out=source)
    seen, replaced, told = set(), [], io.StringIO()
    real = os.replace

    def watched(old, new):
        seen.update(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*"))
        replaced.append(new)
        if fault is not None and len(replaced) == 2:
            raise fault
        real(old, new)

    monkeypatch.setattr(os, "replace", watched)
    progress = lambda *told_of, **more: told.write(repr((told_of, more)))  # noqa: E731
    try:
        publish(source, tmp_path / "out", progress=progress)
    except (SfumatoError, KeyboardInterrupt) as error:
        told.write(str(error))
    assert any("part-" in name for name in seen)
    assert CANARY not in "".join(seen) + told.getvalue()
    journal = tmp_path / ".out.work" / "journal.jsonl"
    assert (fault is None) != journal.exists()
    if fault is not None:
        assert CANARY not in journal.read_text()


SLY = ["../../sly", "/tmp/sfumato-sly", "a/../../../sly", "..", ".", "x\0y", "con", "a" * 900]


@pytest.mark.parametrize("name", SLY)
def test_ids_cannot_write_elsewhere(tmp_path, publish, name):
    place = tmp_path / "a" / "b"
    place.mkdir(parents=True)
    source = place / "notes.jsonl"
    lines = [{"id": name, "text": "One."}, {"id": "plain", "text": "Two."}]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    publish(source, place / "out")
    assert sorted(p.name for p in (place / "out").iterdir()) == ["notes.jsonl", "release.json"]
    assert sorted(p.name for p in place.iterdir()) == ["notes.jsonl", "out", "out.private"]
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert not Path("/tmp/sfumato-sly").exists()
    # A folder of files takes its names from the input's own files, never from ids.
    documents = [Document(name, "One."), Document("plain", "Two.")]
    try:
        write_documents(documents, like="brat", out=place / "folder")
    except SfumatoError:
        assert not (place / "folder").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert {p.name for p in place.iterdir()} <= {"notes.jsonl", "out", "out.private", "folder"}


def test_releases_from_one_input_compose(tmp_path, learned, notes, publish):
    source = tmp_path / "notes.jsonl"
    write_documents(notes[:20], like="jsonl", out=source)
    publish(source, tmp_path / "first")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        publish(source, tmp_path / "again")  # the same release twice adds nothing
    masked = Sanitiser(learned[1], replacer=Mask())
    with pytest.warns(PrivacyWarning, match="2 other releases next to 'masked' come from the same"):
        publish(source, tmp_path / "masked", sanitiser=masked)
    record = json.loads((tmp_path / "masked" / "release.json").read_text())
    (tmp_path / "again" / "release.json").write_text("{")  # not a record: passed over
    (tmp_path / "first" / "release.json").rename(tmp_path / "table.release.json")
    with pytest.warns(PrivacyWarning, match="1 other release next to 'masked' comes from"):
        assert warn_if_composed(tmp_path / "masked", record) == 1
    record["inputs"][0]["hmac"] = "another"
    assert warn_if_composed(tmp_path / "masked", record) == 0


def test_two_policies_of_one_table_compose(tmp_path):
    from sfumato import tables

    columns = "age,sex\n" + "".join(f"{i % 7},{'fm'[i % 2]}\n" for i in range(40))
    (tmp_path / "t.csv").write_text(columns)
    schema = {
        "attribute": [
            {"name": "age", "role": "quasi", "domain": {"range": [0, 6]}},
            {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
        ]
    }
    found = tables.explore(tmp_path / "t.csv", schema=schema, evaluations=30)
    first, second, *_ = found.candidates
    found.publish(first, tmp_path / "t.csv", out=tmp_path / "a.csv")
    with pytest.warns(PrivacyWarning, match="1 other release next to 'b.csv' comes from the same"):
        found.publish(second, tmp_path / "t.csv", out=tmp_path / "b.csv")
