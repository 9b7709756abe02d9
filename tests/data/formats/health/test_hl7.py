"""HL7 version 2 by paths: nothing that names a person is left, separators and escapes are the message's own."""

import datetime as dt
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.errors import InputError
from sfumato.data.document import Edit, Edited
from sfumato.data.documents import read_documents, write_documents
from sfumato.data.formats.health.messages import MessageWalk, Separators
from sfumato.data.formats.health.profile import load_profile
from sfumato.data.formats.health.pseudonyms import Pseudonyms
from sfumato.data.formats.health.rewriting import CollectedTexts
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.verification import Digests

from .exports import Planted, message

USUAL = Separators("|", "^", "~", "\\", "&")


def redact(path, out, planted):
    """Write a file without the names of its people and verify it; return what was found and the fields written."""
    corpus = read_documents(path)
    form, expected, edited = corpus.format, Digests(), []
    names = re.compile("|".join(re.escape(word) for p in planted for word in (p.name, p.last)))
    for document in corpus:
        edits = [Edit(m.start(), m.end(), "[NAME]", "NAME") for m in names.finditer(document.text)]
        edited.append(Edited(document, edits, form.new_id(document, "0" * 16)))
        expected.add(form.digest_of(edited[-1]))
    form.write(corpus.parts[0], edited, out)
    return corpus, form.verify(CorpusFile(out.name, out), expected)


@pytest.mark.parametrize("separators", ["|^~\\&", "#*!$;"])
@pytest.mark.parametrize("seed", range(4))
def test_nothing_planted_is_left(tmp_path, seed, separators):
    p = Planted(f"message {seed}")
    content = message(p, separators)
    assert [text for text in p.gone if text not in content] == []
    (tmp_path / "a.hl7").write_text(content, encoding="utf-8", newline="")
    corpus, verified = redact(tmp_path / "a.hl7", tmp_path / "out.hl7", [p])
    assert verified
    written = (tmp_path / "out.hl7").read_bytes().decode()
    assert [text for text in p.gone if text in written] == []
    assert p.first not in written
    assert (
        corpus.format.inspect(corpus.parts[0]).dropped["a segment that the profile does not list"]
        == 1
    )
    segments = [segment.split(separators[0]) for segment in written.split("\r")]
    by_name = {segment[0]: segment for segment in segments}
    assert by_name["MSH"][1] == separators[1:]
    c, _, e, _ = separators[1:]
    observed = [segment for segment in segments if segment[0] == "OBX"]
    assert observed[0][5:8] == ["7.2", f"g/dL{c}gram per deciliter{c}UCUM", "12-16"]
    assert observed[1][5].startswith(
        f"seen [NAME] {e}T{e} again{e}.br{e}then [NAME]{separators[2]}second"
    )
    assert observed[2][5] == f"44054006{c}Diabetes mellitus type 2{c}SCT"
    assert observed[3][5] == ""
    assert by_name["PID"][8] == "F"
    assert by_name["PID"][11] == c.join(["", "", "", "NY", "", "US"])


def test_ids_and_dates_are_those_of_the_other_records_of_a_patient(tmp_path):
    p = Planted("both")
    (tmp_path / "a.hl7").write_text(message(p), encoding="utf-8", newline="")
    redact(tmp_path / "a.hl7", tmp_path / "out.hl7", [p])
    own = Pseudonyms()
    by_name = {
        s[:3]: s.split("|") for s in (tmp_path / "out.hl7").read_bytes().decode().split("\r")
    }
    assert by_name["PID"][3].split("~")[0] == f"{own.id(p.id)}^^^^MR"
    shift = dt.timedelta(days=own.days(p.id))
    assert by_name["PID"][7] == f"{dt.date(1970, 5, 1) + shift:%Y%m%d}"
    assert by_name["MSH"][6] == f"{dt.date(2020, 1, 1) + shift:%Y%m%d}120000+0100"
    assert by_name["EVN"][2] == f"{dt.date(2020, 1, 2) + shift:%Y%m%d}"
    assert by_name["DG1"][5] != "2020"
    assert by_name["OBX"][5] == f"{dt.date(2019, 12, 24) + shift:%Y%m%d}"


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_a_batch_is_read_message_by_message(tmp_path, end, monkeypatch):
    monkeypatch.setattr("sfumato.data.formats.health.hl7._CHUNK", 97)
    people = [Planted(f"batch {i}") for i in range(12)]
    content = "FHS|^~\\&|x\rBHS|^~\\&|x\r" + "\x0b".join(map(message, people)) + "BTS|12\rFTS|1\r"
    (tmp_path / "b.hl7").write_bytes(content.replace("\r", end).encode())
    corpus, verified = redact(tmp_path / "b.hl7", tmp_path / "out.hl7", people)
    assert verified
    assert [document.fields["patient"] for document in corpus] == [p.id for p in people]
    written = (tmp_path / "out.hl7").read_bytes().decode()
    assert written.count("MSH|") == 12
    assert "BTS" not in written
    assert [text for p in people for text in p.gone if text in written] == []
    own = Pseudonyms()
    order = re.findall(r"PID\|1\|[0-9a-f]*\|([0-9a-f]{32})", written)
    assert set(order) == {own.id(p.id) for p in people}
    assert order != [own.id(p.id) for p in people]


def test_a_value_one_field_off_is_text(tmp_path):
    content = (
        b"MSH|^~\\&|a\rPID|1||7||||||||||||||||||||||Quixadelmostadt\rPV1|1|Quixadelmo Zoltan\r"
    )
    (tmp_path / "a.hl7").write_bytes(content)
    (document,) = read_documents(tmp_path / "a.hl7")
    assert document.text == "Quixadelmostadt\nQuixadelmo Zoltan"


def test_bytes_that_are_not_utf8_are_latin1(tmp_path):
    (tmp_path / "a.hl7").write_bytes(b"MSH|^~\\&|a\rNTE|1||Zo\xeb came\r")
    (document,) = read_documents(tmp_path / "a.hl7")
    assert document.text == "Zoë came"


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=60))
def test_what_is_encoded_is_decoded(text):
    assert USUAL.decode(USUAL.encode(text)) == text


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a\\F\\b", "a|b"),
        ("\\X4A\\x", "Jx"),
        ("a\\b", "a\\b"),
        ("\\H\\bold\\N\\", "bold"),
        ("a\\.sp3\\b", "a\nb"),
    ],
)
def test_escapes_mean_what_the_standard_says(written, meant):
    assert USUAL.decode(written) == meant


@pytest.mark.parametrize("content", [b"", b"PID|1", b"MSHX", b"MSH|1234|"])
def test_what_is_no_message_is_refused(tmp_path, content):
    (tmp_path / "a.hl7").write_bytes(content)
    with pytest.raises(InputError):
        list(read_documents(tmp_path / "a.hl7"))


def test_documents_become_messages(tmp_path):
    (tmp_path / "a.hl7").write_text(message(Planted("x")), encoding="utf-8", newline="")
    documents = list(read_documents(tmp_path / "a.hl7"))
    write_documents(documents, like="hl7", out=tmp_path / "made")
    (again,) = read_documents(tmp_path / "made" / "messages.hl7")
    assert again.text.split() == documents[0].text.split()
    assert again.fields["patient"] == documents[0].fields["patient"]


FIELDS = st.sampled_from(["", '""', "R", "718-7^Hemoglobin^LN", "718-7^Hemoglobin^L", "2020", "20200102", "Ann^Lee", "a\\T\\b", "A&B^C", "A~B^^", "12345678", "M", "^^^X^MR", "I10^Hypertension^L~x", "TX", "NM", "seen Ann"])  # fmt: skip
SEGMENTS = st.tuples(st.sampled_from(["PID", "PV1", "OBX", "OBR", "NTE", "DG1", "ZPI"]), st.lists(FIELDS, max_size=12))  # fmt: skip


@given(
    st.lists(st.lists(SEGMENTS, max_size=5), min_size=2, max_size=4),
    st.sampled_from(["|^~\\&", "|^~\\$"]),
)
def test_what_is_remembered_of_fields_that_stay_changes_nothing(messages, marks):
    profile = load_profile("hl7")
    remembering = MessageWalk(profile)
    for segments in messages:
        lines = [f"MSH{marks}|a|b", *("|".join([name, *fields]) for name, fields in segments)]
        for apart in (Separators.of(lines[0]), USUAL):
            for own in (CollectedTexts(), CollectedTexts()):  # the second time what stays is known
                fresh, found = CollectedTexts(), remembering.message(lines, apart, own)
                assert found == MessageWalk(profile).message(lines, apart, fresh)
                assert (own.whole, own.dropped, own.unkeyed) == (
                    fresh.whole,
                    fresh.dropped,
                    fresh.unkeyed,
                )
