"""A FHIR export from explore to release: texts are redacted, ids keyed, and dates move with those in the texts."""

from __future__ import annotations

import base64
import datetime as dt
import json

import pytest
from tests.conftest import sfumato

from sfumato.data.documents import write_documents
from sfumato.data.samples import clinic_notes

SEEN = "Seen on 2020-03-04 by the ward."


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return a folder with an export of three patients, and a frontier that was learned from notes."""
    folder = tmp_path_factory.mktemp("export")
    notes = clinic_notes(40, seed=5)
    write_documents(notes[:28], like="jsonl", out=folder / "notes.jsonl")
    export = folder / "export"
    export.mkdir()
    patients, letters = [], []
    for i, note in enumerate(notes[28:]):
        data = base64.b64encode(f"{note.text}\n{SEEN}\n".encode()).decode()
        if i < 3:
            patients.append({"resourceType": "Patient", "id": f"quix{i}", "birthDate": "1970-05-01", "name": [{"family": "Quixadelmo"}]})  # fmt: skip
        letters.append({
            "resourceType": "DocumentReference", "id": f"letter-{i}", "subject": {"reference": f"Patient/quix{i % 3}"},
            "date": "2020-03-04T10:00:00Z", "content": [{"attachment": {"contentType": "text/plain", "data": data}}],
        })  # fmt: skip
    for name, made in (("Patient", patients), ("DocumentReference", letters)):
        lines = "".join(json.dumps(one) + "\n" for one in made)
        (export / f"{name}.ndjson").write_text(lines, encoding="utf-8")
    bundle = {"resourceType": "Bundle", "type": "collection", "entry": [{"resource": patients[0]}, {"resource": letters[0]}]}  # fmt: skip
    (export / "Quixadelmo_0.json").write_text(json.dumps(bundle), encoding="utf-8")
    sfumato("text", "explore", folder / "notes.jsonl", "--label", "NAME,DATE", "--ratios", "10", "--folds", "2",
            "--attackers", "none", "--out", folder / "frontier")  # fmt: skip
    return folder


def publish(place, out, *options):
    sfumato("text", "publish", place / "frontier", place / "export", "--ratio", "10", "--accept-shift",
            *options, "--out", out)  # fmt: skip
    return {
        path.stem: path.read_text(encoding="utf-8")
        for path in out.iterdir()
        if path.suffix in {".ndjson", ".json"} and path.name != "release.json"
    }


def resources(written):
    return [json.loads(line) for line in written.splitlines()]


def text_of(letter):
    return base64.b64decode(letter["content"][0]["attachment"]["data"]).decode()


def test_an_export_is_published_under_pseudonyms(place):
    written = publish(place, place / "release")
    whole = "".join(written.values()) + (place / "release" / "release.json").read_text()
    assert "uix" not in whole
    assert "letter-" not in whole
    assert set(written) > {"Patient", "DocumentReference"}
    letters = resources(written["DocumentReference"])
    ids = {f"Patient/{one['id']}" for one in resources(written["Patient"])}
    assert {one["subject"]["reference"] for one in letters} == ids
    assert sum(text_of(one).count("[NAME]") for one in letters) > 12
    (bundle,) = (json.loads(own) for name, own in written.items() if len(name) == 16)
    assert {e["resource"]["id"] for e in bundle["entry"]} <= {one["id"] for one in letters} | {
        i[8:] for i in ids
    }
    figures = json.loads((place / "release.private" / "figures.json").read_text())
    assert figures["verified"]["documents"] == figures["counts"]["documents"] == 17
    marks = (place / "release.private" / "ids.jsonl").read_text().splitlines()
    published = {json.loads(line)["id"]: json.loads(line)["published_as"] for line in marks}
    assert published["DocumentReference/letter-3"] in {
        f"DocumentReference/{one['id']}" for one in letters
    }


def test_dates_move_with_those_in_the_texts(place, monkeypatch):
    monkeypatch.setenv("SFUMATO_KEY", "0123456789abcdef0123456789abcdef")
    written = publish(
        place,
        place / "moved",
        "--replace",
        "surrogate",
        "--person",
        "patient",
        "--rules",
        "built-in",
    )
    together = 0
    for letter in resources(written["DocumentReference"]):
        day = dt.date.fromisoformat(letter["date"][:10])
        assert (day - dt.date(2020, 3, 4)).days % 7 == 0
        together += f"Seen on {day} by" in text_of(letter)
    assert together == 12
