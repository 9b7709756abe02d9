"""Lines scanned by compiled loops say what the walk in Python says, wherever they are taken."""

import base64
import json
import random

import pytest

from sfumato.data.document import Document, Edit, by_place
from sfumato.data.formats.health.own_values import repeats_itself
from sfumato.data.formats.health.profile import load_profile
from sfumato.data.formats.health.pseudonyms import Pseudonyms
from sfumato.data.formats.health.resources import ResourceWalk
from sfumato.data.formats.health.rewriting import CollectedTexts, EditedTexts
from sfumato.data.formats.health.scanning import Scanner
from sfumato.data.formats.health.splicing import collect, splice
from sfumato.data.formats.health.streams import decode, encode

from .exports import Planted, bundle, observation, patient, report

NAMES = (
    "id", "text", "div", "code", "coding", "display", "system", "version", "unit", "reference", "subject", "patient",
    "status", "name", "family", "birthDate", "onsetDateTime", "extension", "_birthDate", "identifier", "value", "note",
    "data", "contentType", "contained", "resourceType", "fullUrl", "meta", "lastUpdated", "strange", "linkId", "é",
)  # fmt: skip
STRINGS = (
    "", "final", "Ann Lee", "12345", "g/dL", "a@b", "http://loinc.org", "http://loinc.org Ann", "http://example.org/x", "urn:uuid:ab",
    "Patient/1", "Patient?identifier=x|1", "Location/a1", "Locations/abc", "#p1", "2020", "2020-02", "2020-02-30", "2020-02-29", "0999-01-01",
    "2020-01-01T10:00:00.5Z", "2020-01-01T10:00:00+01:00", "2020-01-01T1:00", "text/plain; charset=utf-8", "text/html", "application/pdf",
    "x" * 70, "x" * 64 + ";y", "w" * 300, 'say "x"', "a\\b", "line\nline", "ü", "\u2028", "mailto:x@y", "\t", "aB:c", "Hemoglobin",
    base64.b64encode(b"Ann Lee called").decode(), "no base64!", "<div>Ann <b>Lee</b></div>", "http://snomed.info/sct/x", "0123-4",
)  # fmt: skip


def made(dice, depth=0):
    """Return some value of JSON, often an object."""
    kind = dice.random()
    if depth < 4 and kind < 0.45:
        return {
            dice.choice(NAMES): made(dice, depth + 1) for _ in range(dice.choice([0, 1, 2, 3, 5]))
        }
    if depth < 4 and kind < 0.6:
        return [made(dice, depth + 1) for _ in range(dice.choice([0, 1, 2]))]
    if kind < 0.93:
        return dice.choice(STRINGS)
    return dice.choice([None, True, False, 0, 7.5, -3, 12345])


def resource(dice):
    own = {dice.choice(NAMES): made(dice) for _ in range(dice.choice([1, 3, 6, 10]))}
    kind = dice.choice(["Patient", "Observation", "DiagnosticReport", "Strange"])
    head = {"resourceType": kind} if dice.random() < 0.9 else {}
    if dice.random() < 0.5:
        return {**own, **head}
    return {**head, **own, **head}


def silent(resource):
    """Return a resource without the names and days of birth that its texts say again."""
    if isinstance(resource.get("text"), dict):
        resource["text"]["status"] = "generated"
    for name in ("name", "birthDate", "contained"):
        resource.pop(name, None)
    for own in resource.values():
        if isinstance(own, dict) and "reference" in own:
            own.pop("display", None)
    return resource


def by_walk(walk, value, texts, *, is_entry):
    return (walk.entry if is_entry else walk.resource)(value, texts)


def compare(profile, scanner, line, *, is_entry=False):
    """Compare the two ways on one line; return whether it was taken."""
    (found,) = scanner.scan([line])
    if found is None:
        return False
    quick, slow, walk = CollectedTexts(), CollectedTexts(), ResourceWalk(profile)
    value = decode(line)
    try:
        collect(found, quick)
    except ValueError:
        return False
    by_walk(walk, value, slow, is_entry=is_entry)
    if repeats_itself(found, quick.whole):  # what is scanned is not used then
        return False
    assert quick.whole == slow.whole
    assert quick.segments == slow.segments
    assert quick.dropped == slow.dropped
    quick.scanned = found
    assert quick.unkeyed == slow.unkeyed
    text = slow.whole
    cuts = [
        Edit(at, at + 3, "[é\n]", "NAME")
        for at in range(0, max(0, len(text) - 3), 7)
        if "\n" not in text[at : at + 3]
    ]
    cuts = [cut for cut in cuts if any(s.start <= cut.start and cut.end <= s.end for s in slow.segments)]  # fmt: skip
    edits = by_place(Document("d", text, segments=slow.segments), cuts)

    def edited():
        texts = EditedTexts(text, slow.segments, edits, Pseudonyms(), lambda *_: "p")
        texts.shift_for("p")
        return texts

    one, other = edited(), edited()
    spliced, walked = splice(found, one), encode(by_walk(walk, value, other, is_entry=is_entry))
    assert one.is_done
    assert other.is_done
    assert json.loads(spliced, parse_float=str) == json.loads(walked, parse_float=str)
    assert b"\n" not in spliced
    return True


@pytest.fixture(scope="module")
def profile():
    return load_profile("fhir")


def test_generated_exports_are_scanned_as_they_are_walked(profile):
    scanner, p = Scanner(profile), Planted("twin")
    assert not compare(
        profile, scanner, json.dumps(observation(p, 1)).encode()
    )  # its note names its patient
    taken = [
        compare(
            profile, scanner, json.dumps(silent(one), ensure_ascii=False, indent=indent).encode()
        )
        for one in (patient(p), observation(p, 1), observation(p, 2))
        for indent in (None, 1)
    ]
    assert all(taken)
    whole = silent(report(p))
    assert not compare(profile, scanner, json.dumps(whole).encode())  # it has a PDF inside
    del whole["presentedForm"][1]
    assert compare(profile, scanner, json.dumps(whole).encode())


def test_entries_are_scanned_as_they_are_walked(profile):
    scanner = Scanner(profile, of_entries=True)
    entries = bundle(Planted("entries"))["entry"]
    entries[1]["response"] = {"status": "200", "lastModified": "2020-01-01T00:00:00Z"}
    for entry in entries:
        silent(entry["resource"])
    taken = [compare(profile, scanner, json.dumps(one).encode(), is_entry=True) for one in entries]
    assert sum(taken) >= len(entries) - 1


def test_any_resource_is_scanned_as_it_is_walked(profile):
    scanner, dice = Scanner(profile), random.Random("scan")
    taken = sum(compare(profile, scanner, json.dumps(resource(dice)).encode()) for _ in range(1500))
    assert taken > 500


@pytest.mark.parametrize(
    "line",
    [
        b'{"resourceType":"Basic","id":"1","id":"2"}', b'{"resourceType":"Basic",}', b'{"resourceType":"Basic"} x', b"[]", b"",
        b'{"resourceType":"Basic","x":01}', b'{"resourceType":"Basic","x":tru}', b'{"resourceType":"Basic","x":"\xff"}',
        b'{"resourceType":"Basic","x":"\x01"}', b'{"resourceType":"Basic","x":"\\ud800"}', b'{"id":"1"}', b'{"resourceType":7}',
        b'{"resourceType":"Basic","x":' + b"[" * 40 + b"]" * 40 + b"}", b'{"resourceType":"Basic","x":[null]}',
        b'{"resourceType":"Basic","x":[1,]}', b'{"resourceType":"Basic" "x":1}', b'{"resourceType":"B-c"}',
    ],
)  # fmt: skip
def test_what_is_odd_is_left_to_the_walk(profile, line):
    good = b'{"resourceType":"Basic","id":"g"}'
    found = Scanner(profile).scan([good, line, good])
    assert [one is None for one in found] == [False, True, False]


def test_names_that_nobody_uses_twice_do_not_fill_the_memory(profile, monkeypatch):
    monkeypatch.setattr("sfumato.data.formats.health.scanning._MOST_NAMES", 50)
    scanner = Scanner(profile)
    for some in range(5):
        line = json.dumps(
            {"resourceType": "Basic", **{f"n{some}x{i}": "Ann Lee" for i in range(30)}}
        )
        (found,) = scanner.scan([line.encode()])
        assert found is not None
        assert found.texts == 30
    assert len(scanner._elements) <= 52
