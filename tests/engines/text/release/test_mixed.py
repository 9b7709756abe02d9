"""A folder of mixed kinds, some with many documents a file, is published, reviewed and held beside its originals."""

import json

import pytest

import sfumato as sf
from sfumato.data.document import Document
from sfumato.data.documents import read_documents, write_documents
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.attack.released.releases import _under_old_ids
from sfumato.engines.text.labelling.review import ReviewedRelease
from sfumato.engines.text.private_edits import DocumentEdits, match_release


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with files of many kinds, and a release of them."""
    place = tmp_path_factory.mktemp("mixed")
    notes = clinic_notes(60, seed=5)
    write_documents(notes[:40], like="docx", out=place / "learned")
    sf.text.explore(place / "learned", labels=["NAME"], ratios=[10], folds=2, attackers=["none"]).save(place / "frontier")  # fmt: skip
    texts, mixed = [note.text for note in notes[40:]], place / "mixed"
    mixed.mkdir()
    (mixed / "a.txt").write_text(texts[0])
    (mixed / "box.mbox").write_text("".join(f"From x Thu Jan  1 00:00:00 1970\nSubject: {i}\n\n{t}\n\n" for i, t in enumerate(texts[1:7])))  # fmt: skip
    message = "MSH|^~\\&|A|B|C|D|20200101||ORU^R01|{}|P|2.5\rPID|1||{}\rOBX|1|TX|1^x^L||{}||||||F\r"
    said = [text.replace("\n", "\\.br\\") for text in texts[7:11]]
    (mixed / "lab.hl7").write_text("".join(message.format(i // 2, i, t) for i, t in enumerate(said)), newline="")  # fmt: skip
    reports = [{"resourceType": "DiagnosticReport", "id": f"r{i}", "conclusion": t} for i, t in enumerate(texts[11:])]  # fmt: skip
    (mixed / "lines.ndjson").write_text("".join(json.dumps(one) + "\n" for one in reports[:4]))
    entries = [{"resource": one} for one in reports[4:8]]
    (mixed / "bundle.json").write_text(
        json.dumps({"resourceType": "Bundle", "type": "collection", "entry": entries})
    )
    (mixed / "one.json").write_text(json.dumps(reports[8]))
    sf.text.publish(
        place / "frontier", mixed, choose="r10", ignore_marks=True, accept_shift=True,
        out=place / "release",
    )  # fmt: skip
    return place


def test_each_document_is_found_again(folder):
    review = ReviewedRelease(folder / "release")
    originals = list(read_documents(folder / "mixed"))
    assert len(originals) == 20
    assert sum("[NAME]" in review.text(document) for document in originals) > 10


def test_what_is_attacked_has_the_ids_of_its_originals(folder):
    published, originals = read_documents(folder / "release"), read_documents(folder / "mixed")
    found = _under_old_ids(list(published), folder / "release", list(originals), published.format.comparable)  # fmt: skip
    known = {document.id: document for document in read_documents(folder / "mixed")}
    assert {document.id for document in found} == set(known)
    for document in found:  # most words are those of its original
        words = known[document.id].text.split()
        assert sum(word in words for word in document.text.split()) > 0.5 * len(words)


def test_documents_of_another_release_have_no_place():
    entries = [DocumentEdits(f"a{i}", f"p{i}", "", "mixed", "1", ()) for i in range(3)]
    documents = [Document("p1", ""), Document("x", "", fields={"record": "p0"}), Document("f.mbox:1", "", part="f.mbox", record=1)]  # fmt: skip
    decided = {"a0": "x", "a1": "y", "a2": "z"}
    found = match_release(documents, entries, decided, str)
    assert {id: document.id for id, document in found.items()} == {"a1": "p1", "a0": "x"}
    documents.append(Document("f.mbox:2", "z", part="f.mbox", record=2))
    assert match_release(documents, entries, decided, str)["a2"].id == "f.mbox:2"
    assert match_release([Document("y", "z")], entries, decided, str) == {}
