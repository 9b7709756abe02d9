"""FHIR by paths: nothing that names a person is left, references hold, and dates move by one shift for each patient."""

import base64
import datetime as dt
import gzip
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import InputError
from sfumato.data.document import Edit, Edited
from sfumato.data.documents import read_documents, write_documents
from sfumato.data.formats.health.pages import rewrite_page
from sfumato.data.formats.health.profile import load_profile
from sfumato.data.formats.health.pseudonyms import Pseudonyms
from sfumato.data.formats.health.streams import BundleReader, decode, encode
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.verification import Digests
from sfumato.data.limits import Limits

from .exports import FIRST, LAST, Planted, bundle, observation, patient, report

NAME = re.compile(rf"(?:{'|'.join(FIRST)})\s+(?:{'|'.join(LAST)})[a-z]*")


def cut(document):
    found = NAME.finditer(document.text)
    return Edited(
        document, [Edit(m.start(), m.end(), "[NAME]", "NAME") for m in found], document.id
    )


def redact(path, out, **options):
    """Write a file without its names and verify it; return the corpus and what was found."""
    corpus = read_documents(path, format="fhir", **options)
    form, expected = corpus.format, Digests()
    edited = [cut(document) for document in corpus]
    for one in edited:
        expected.add(form.digest_of(one))
    form.write(corpus.parts[0], edited, out)
    return corpus, form.verify(CorpusFile(out.name, out), expected)


def all_strings(value):
    """Return every string of a value, the base64 ones decoded too: a reader of its own."""
    found, left = [], [value]
    while left:
        one = left.pop()
        left += (
            list(one.values()) if isinstance(one, dict) else one if isinstance(one, list) else []
        )
        if isinstance(one, str):
            found.append(one)
            if re.fullmatch(r"(?:[A-Za-z0-9+/]{4}){2,}[A-Za-z0-9+/]*=*", one) and len(one) % 4 == 0:
                found.append(base64.b64decode(one).decode("utf-8", "ignore"))
    return "\n".join(found)


@pytest.mark.parametrize("seed", range(6))
def test_nothing_planted_is_left_in_a_bundle(tmp_path, seed):
    p = Planted(f"test {seed}")
    path, out = tmp_path / "someone.json", tmp_path / "out.json"
    path.write_text(json.dumps(bundle(p)), encoding="utf-8")
    before = all_strings(json.loads(path.read_text()))
    assert [text for text in p.gone if text not in before and text not in path.read_text()] == []
    corpus, verified = redact(path, out)
    assert verified
    after = all_strings(json.loads(out.read_text()))
    assert [text for text in p.gone if text in after or text in out.read_text()] == []
    assert p.first not in after
    assert corpus.format.inspect(corpus.parts[0]).dropped["an attachment"] == 1
    assert "unknown words about [NAME]" in after  # an element that no rule knows is text
    assert "Hemoglobin [Mass/volume] in Blood" in after


@pytest.mark.parametrize("own", ["pat_7", "größmann-1", "A:7", "7.1-b"])
def test_ids_that_the_standard_does_not_allow_hold_together_too(tmp_path, own):
    """Many servers write an underscore: the references hold, and all dates of the patient move by one shift."""
    subject = {"reference": f"https://host/fhir/Patient/{own}"}
    resources = [
        {"resourceType": "Patient", "id": own, "birthDate": "1970-05-01"},
        {"resourceType": "Observation", "id": "o1", "status": "final", "subject": subject, "effectiveDateTime": "2020-05-01"},
    ]  # fmt: skip
    (tmp_path / "in.ndjson").write_text("".join(json.dumps(one) + "\n" for one in resources))
    corpus = read_documents(tmp_path / "in.ndjson")
    write_documents(corpus, like=corpus, out=tmp_path / "out.ndjson")
    patient, seen = map(json.loads, (tmp_path / "out.ndjson").read_text().splitlines())
    assert seen["subject"]["reference"] == f"Patient/{patient['id']}"
    moved = [
        dt.date.fromisoformat(day) - dt.date(year, 5, 1)
        for day, year in ((patient["birthDate"], 1970), (seen["effectiveDateTime"], 2020))
    ]
    assert moved[0] == moved[1]
    assert own not in (tmp_path / "out.ndjson").read_text()


def test_references_hold_and_dates_of_a_patient_move_together(tmp_path):
    one, other = Planted("a"), Planted("b")
    (tmp_path / "in").mkdir()
    for kind, made in (
        ("Patient", [patient(one), patient(other)]), ("Observation", [observation(one, 1), observation(other, 2)]),
        ("DiagnosticReport", [report(one)]),
    ):  # fmt: skip
        lines = "".join(json.dumps(resource) + "\n" for resource in made)
        (tmp_path / "in" / f"{kind}.ndjson").write_text(lines, encoding="utf-8")
    corpus = read_documents(tmp_path / "in")
    assert corpus.format.name == "fhir"
    write_documents(corpus, like=corpus, out=tmp_path / "out")
    read = {
        path.stem: [json.loads(line) for line in path.read_text().splitlines()]
        for path in (tmp_path / "out").iterdir()
    }
    assert {k: len(v) for k, v in read.items()} == {
        "Patient": 2,
        "Observation": 2,
        "DiagnosticReport": 1,
    }
    ids = [f"Patient/{resource['id']}" for resource in read["Patient"]]
    assert [resource["subject"]["reference"] for resource in read["Observation"]] == ids
    assert read["DiagnosticReport"][0]["subject"]["reference"] == ids[0]
    inner = read["DiagnosticReport"][0]["contained"][0]["id"]
    assert read["DiagnosticReport"][0]["performer"] == [{"reference": f"#{inner}"}]

    def days(text, before):
        return (dt.date.fromisoformat(text[:10]) - dt.date.fromisoformat(before)).days

    shift = days(read["Patient"][0]["birthDate"], "1970-05-01")
    assert abs(shift) > 365
    assert shift % 7 == 0
    assert days(read["Observation"][0]["effectiveDateTime"], "2020-01-02") == shift
    assert read["Observation"][0]["effectiveDateTime"].endswith("T10:00:00+01:00")
    assert days(read["DiagnosticReport"][0]["effectivePeriod"]["start"], "2020-01-01") == shift
    assert days(read["DiagnosticReport"][0]["strange"]["when"], "2020-01-09") == shift
    assert days(read["Patient"][1]["birthDate"], "1970-05-01") == days(
        read["Observation"][1]["effectiveDateTime"], "2020-01-03"
    )


def test_a_patient_of_a_bundle_may_have_two_names(tmp_path):
    made = {
        "resourceType": "Bundle", "type": "collection",
        "entry": [
            {"fullUrl": "urn:uuid:aaaa", "resource": {"resourceType": "Patient", "id": "7", "birthDate": "1970-05-01"}},
            {"resource": {"resourceType": "Condition", "id": "c", "subject": {"reference": "Patient/7"}, "onsetDateTime": "1970-05-01"}},
            {"resource": {"resourceType": "Condition", "id": "d", "subject": {"reference": "urn:uuid:aaaa"}, "onsetDateTime": "1970-05-01"}},
        ],
    }  # fmt: skip
    (tmp_path / "b.json").write_text(json.dumps(made), encoding="utf-8")
    redact(tmp_path / "b.json", tmp_path / "out.json")
    entries = json.loads((tmp_path / "out.json").read_text())["entry"]
    dates = {e["resource"].get("birthDate") or e["resource"]["onsetDateTime"] for e in entries}
    assert len(dates) == 1
    assert dates != {"1970-05-01"}


def test_lines_are_written_in_another_order_under_new_ids(tmp_path):
    lines = [
        json.dumps({"resourceType": "Basic", "id": f"b{i:03d}", "code": {"text": "x"}})
        for i in range(60)
    ]
    (tmp_path / "Basic.ndjson.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    corpus = read_documents(tmp_path / "Basic.ndjson.gz")
    form = corpus.format
    edited = [Edited(d, (), form.new_id(d, "0" * 16)) for d in corpus]
    form.write(corpus.parts[0], edited, tmp_path / "out.ndjson")
    written = [
        json.loads(line)["id"] for line in (tmp_path / "out.ndjson").read_text().splitlines()
    ]
    own = Pseudonyms()
    assert set(written) == {own.id(f"b{i:03d}") for i in range(60)}
    assert written != [own.id(f"b{i:03d}") for i in range(60)]


@pytest.mark.parametrize(
    ("fault", "value"),
    [("id", "pat-1"), ("extension", [{"valueString": "x"}]), ("note", [{"text": "other"}])],
)
def test_a_fault_of_the_writer_is_seen(tmp_path, fault, value):
    p = Planted("fault")
    path, out = tmp_path / "Observation.ndjson", tmp_path / "out.ndjson"
    path.write_text(json.dumps(observation(p, 1)) + "\n", encoding="utf-8")
    corpus, verified = redact(path, out)
    assert verified
    out.write_text(
        json.dumps({**json.loads(out.read_text()), fault: value}) + "\n", encoding="utf-8"
    )
    expected = Digests()
    for document in corpus:
        expected.add(corpus.format.digest_of(cut(document)))
    assert not corpus.format.verify(CorpusFile(out.name, out), expected)


def test_a_resource_that_still_holds_what_was_removed_is_not_written(tmp_path):
    made = {
        "resourceType": "Observation",
        "id": "1",
        "status": "Quixadelmo",
        "note": [{"text": "Quixadelmo came"}],
    }
    (tmp_path / "o.ndjson").write_text(json.dumps(made) + "\n", encoding="utf-8")
    corpus = read_documents(tmp_path / "o.ndjson")
    (document,) = corpus
    assert document.text == "Quixadelmo came"
    edited = Edited(document, [Edit(0, 10, "[NAME]", "NAME")], document.id)
    corpus.format.write(corpus.parts[0], [edited], tmp_path / "out.ndjson")
    assert (tmp_path / "out.ndjson").read_bytes() == b""


def test_a_profile_of_ones_own_is_laid_over_the_default(tmp_path):
    p = Planted("own")
    (tmp_path / "Patient.ndjson").write_text(json.dumps(patient(p)) + "\n", encoding="utf-8")
    (tmp_path / "own.toml").write_text(
        'drop = ["maritalStatus"]\nkeep = ["Patient.id"]\n', encoding="utf-8"
    )
    redact(tmp_path / "Patient.ndjson", tmp_path / "out.ndjson", profile=str(tmp_path / "own.toml"))
    written = json.loads((tmp_path / "out.ndjson").read_text())
    assert "maritalStatus" not in written
    assert written["gender"] == "female"
    assert "family" not in written["name"][0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("not toml", "is not TOML"),
        ('erase = ["id"]', "erase"),
        ('drop = ["a..b"]', "not the path"),
        ('drop = ["id"]\nkeep = ["id"]', "two things"),
    ],
)
def test_a_profile_is_checked_when_it_is_loaded(tmp_path, content, words):
    (tmp_path / "own.toml").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        load_profile("fhir", tmp_path / "own.toml")
    with pytest.raises(InputError, match="cannot be read"):
        load_profile("fhir", tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[1, 2]", "not valid JSON"),
        ('{"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Basic"', "not valid JSON"),
        ('{"resourceType": "Basic"} {}', "not valid JSON"),
        ('{"resourceType": "Bundle", "entry": ' + "[" * 3000, "not valid JSON"),
        ('{"a": 1}', "no FHIR resource"),
        ('{"resourceType": "Bundle", "entry": [5, {"resource": {"id": "x"}}]}', "no FHIR resource"),
        ('{"resourceType": ["Basic"]}', "no FHIR resource"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_a_reason(tmp_path, content, words):
    (tmp_path / "a.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        list(read_documents(tmp_path / "a.json", format="fhir"))


def test_lines_that_cannot_be_read_are_withheld_one_by_one(tmp_path):
    good = json.dumps({"resourceType": "Basic", "id": "1"})
    lines = [good, "{", "[]", '{"id": "2"}', '{"resourceType": "Basic", "id": "\\ud800"}', good]
    (tmp_path / "a.ndjson").write_text("\n".join(lines), encoding="utf-8")
    found = list(read_documents(tmp_path / "a.ndjson", format="fhir").tolerant())
    assert [getattr(one, "reason", "") for one in found] == [
        "", "is not a JSON object", "is not a JSON object", "is no FHIR resource", "is not a JSON object",
        "repeats the id of an earlier record",
    ]  # fmt: skip


@settings(max_examples=40)
@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8")),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), inner, max_size=4)))  # fmt: skip
def test_json_comes_back_as_it_was(value):
    content = json.dumps({"a": value}).encode()
    assert json.loads(encode(decode(content))) == {"a": value}


@pytest.mark.parametrize("size", [1, 7, 1 << 18])
def test_a_bundle_is_read_the_same_in_any_pieces(tmp_path, size, monkeypatch):
    monkeypatch.setattr("sfumato.data.formats.health.streams._CHUNK", size)
    made = bundle(Planted("pieces"))
    made["total"] = 12.50
    (tmp_path / "b.json").write_text(json.dumps(made, indent=1), encoding="utf-8")
    reader = BundleReader(tmp_path / "b.json", Limits())
    entries = [json.loads(entry) for entry in reader.entries()]
    assert entries == made["entry"]
    assert reader.is_bundle
    assert set(reader.head) == set(made) - {"entry"}


@pytest.mark.parametrize("content", ['{"resourceType": "Basic", "id": "1", "x": 1e999}', '{"entry": [{"resource": {"resourceType": "Basic", "x": 1.50}}]}'])  # fmt: skip
def test_numbers_and_heads_that_are_odd_are_written_as_they_are(tmp_path, content):
    (tmp_path / "a.json").write_text(content, encoding="utf-8")
    _, verified = redact(tmp_path / "a.json", tmp_path / "out.json")
    assert verified
    written = (tmp_path / "out.json").read_text()
    assert "1e999" in written or ("1.50" in written and '"resourceType":"Bundle"' in written)


@pytest.mark.parametrize("data", ["QW5u\u200b", "QW5", "/w=="])
def test_an_attachment_that_cannot_be_decoded_is_dropped(tmp_path, data):
    made = {"resourceType": "Binary", "id": "1", "contentType": "text/plain", "data": data}
    (tmp_path / "a.json").write_text(json.dumps(made), encoding="utf-8")
    corpus, verified = redact(tmp_path / "a.json", tmp_path / "out.json")
    assert verified
    assert [document.text for document in corpus] == [""]
    assert data not in (tmp_path / "out.json").read_text(encoding="utf-8")


def test_decimals_keep_their_digits():
    assert (
        encode(decode(b'{"value":7.20,"low":0.000,"e":1e-7}'))
        == b'{"value":7.20,"low":0.000,"e":1e-7}'
    )


def test_a_page_keeps_its_tags_and_loses_the_rest():
    page = '<div class="Ann"><p>A<b>nn</b> &lt;3<br/>x</p><script>Ann</script><img src="Ann"/><!-- Ann --><![CDATA[y&]]></div>'
    words = []

    def say(text, is_new):
        words.append((text, is_new))
        return text

    made = rewrite_page(page, say)
    assert (
        made
        == '<div xmlns="http://www.w3.org/1999/xhtml"><p>A<b>nn</b> &lt;3<br/>x</p>y&amp;</div>'
    )
    assert words == [("A", True), ("nn", False), (" <3", False), ("x", True), ("y&", True)]
    assert rewrite_page(made, lambda text, _: text) == made
