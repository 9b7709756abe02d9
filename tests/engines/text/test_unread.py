"""Exploring documents of which some cannot be read: they are left out and listed; mistaken labels are not."""

from __future__ import annotations

import json
import warnings

import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli import build
from sfumato.core.errors import (
    DataError,
    InputError,
    ModelError,
    PrivacyWarning,
    UnreadFilesWarning,
)
from sfumato.data.documents import Corpus, read_documents, write_documents
from sfumato.data.samples import clinic_notes

QUICK = {"labels": "NAME", "ratios": 10, "attackers": "none", "folds": 2}
OPTIONS = ("--label", "NAME", "--ratios", "10", "--attackers", "none", "--folds", "2")
SECRET = "Zaphyrine"
OVERLAPPING = [{"start": 0, "end": 5, "label": "NAME"}, {"start": 3, "end": 9, "label": "NAME"}]


def told(*words):
    done = CliRunner().invoke(build(), [str(word) for word in words])
    return done.exit_code, " ".join(done.output.split())


@pytest.fixture
def letters(tmp_path):
    """Web pages with labels beside them."""
    folder = tmp_path / "letters"
    write_documents(clinic_notes(24), like="html", out=folder)
    return folder


def damage(folder):
    (folder / f"{SECRET}.html").write_bytes(f"<p>Zoë {SECRET}</p>".encode("latin-1"))
    (folder / "empty.docx").write_bytes(b"")


def test_what_cannot_be_read_is_left_out_and_listed(letters, tmp_path):
    """The frontier is that of the other documents, byte for byte; publishing withholds what explore left out."""
    status, said = told("text", "explore", letters, *OPTIONS, "--out", tmp_path / "whole")
    assert status == 0, said
    assert not (tmp_path / "whole" / "unread.jsonl").exists()
    damage(letters)
    status, said = told("text", "explore", letters, *OPTIONS, "--out", tmp_path / "frontier")
    assert status == 1, said
    assert "Of 26 documents of 'letters' 2 cannot be read and are left out" in said
    assert "2 records could not be read and were left out." in said
    assert "frontier/unread.jsonl lists them by id, with the reason" in said
    assert SECRET not in said
    listed = [
        json.loads(x) for x in (tmp_path / "frontier" / "unread.jsonl").read_text().splitlines()
    ]
    assert {entry["id"]: entry["reason"] for entry in listed} == {
        f"{SECRET}.html": "is in an unknown character set",
        "empty.docx": "is damaged or no Office file",
    }
    before, after = (
        json.loads((tmp_path / f / "frontier.json").read_bytes()) for f in ("whole", "frontier")
    )
    assert after["documents"] == 24
    assert after["candidates"] == before["candidates"]

    status, said = told(
        "text",
        "publish",
        tmp_path / "frontier",
        letters,
        "--ratio",
        "10",
        "--out",
        tmp_path / "out",
    )
    assert status == 1, said
    withheld = (tmp_path / "out.quarantine.jsonl").read_text()
    assert sorted(withheld.splitlines()) == sorted(
        (tmp_path / "frontier" / "unread.jsonl").read_text().splitlines()
    )

    status, said = told(
        "text", "explore", letters, *OPTIONS, "--force", "--out", tmp_path / "frontier"
    )
    assert status == 1, said  # the folder with the list in it is known as ours


def test_a_frontier_remembers_what_was_not_read(letters, tmp_path):
    damage(letters)
    with pytest.warns(UnreadFilesWarning, match="2 cannot be read"):
        found = sf.text.explore(letters, **QUICK)
    assert [entry["id"] for entry in found.unread] == [f"{SECRET}.html", "empty.docx"]
    found.save(tmp_path / "frontier")
    assert sf.text.load(tmp_path / "frontier").unread == found.unread
    (tmp_path / "frontier" / "unread.jsonl").write_text("{}\n")
    with pytest.raises(ModelError, match=r"'unread\.jsonl'"):
        sf.text.load(tmp_path / "frontier")


def test_records_of_a_file_that_cannot_be_read_are_left_out(tmp_path):
    notes = tmp_path / "notes.jsonl"
    write_documents(clinic_notes(24), like="jsonl", out=notes)
    lines = notes.read_text().splitlines()
    notes.write_text("\n".join([*lines, lines[0], "{" + SECRET]) + "\n")
    with pytest.warns(UnreadFilesWarning, match="2 cannot be read"):
        found = sf.text.explore(notes, **QUICK)
    assert found.record.documents == 24
    assert [entry["reason"] for entry in found.unread] == [
        "repeats the id of an earlier record", "is not valid JSON",
    ]  # fmt: skip


def test_texts_without_labels_that_cannot_be_read_are_left_out(letters, tmp_path):
    others = tmp_path / "others"
    write_documents(clinic_notes(5, seed=3), like="html", out=others)
    damage(others)
    with pytest.warns(UnreadFilesWarning, match="Of 7 documents of 'others' 2"):
        found = sf.text.explore(letters, **QUICK, unlabelled=[str(others)])
    assert found.record.unlabelled_documents == 5
    assert len(found.unread) == 2


def test_where_nothing_can_be_read_nothing_is_explored(tmp_path):
    (tmp_path / "letters").mkdir()
    damage(tmp_path / "letters")
    status, said = told(
        "text", "explore", tmp_path / "letters", *OPTIONS, "--out", tmp_path / "frontier"
    )
    assert status == 2, said
    assert "is in an unknown character set" in said
    assert not (tmp_path / "frontier").exists()


def test_a_plan_ends_with_the_status_that_tells(letters, tmp_path):
    """Also where everything that it publishes can be read."""
    write_documents(clinic_notes(12, seed=5), like="html", out=tmp_path / "others")
    damage(letters)
    status, said = told("run", "--init", letters, "--out", tmp_path / "plan.toml")
    assert status == 0, said
    plan = (tmp_path / "plan.toml").read_text()
    quick = '\nratios = [10]\nattackers = ["none"]\nfolds = 2\npublish = "others"\n'
    (tmp_path / "plan.toml").write_text(plan.replace("[text]\n", f"[text]{quick}", 1))
    status, said = told("run", tmp_path / "plan.toml", "--out", tmp_path / "run")
    assert status == 1, said
    assert "2 records could not be read and were left out." in said
    assert (tmp_path / "run" / "report.html").is_file()
    assert (
        len((tmp_path / "run" / "private" / "text" / "unread.jsonl").read_text().splitlines()) == 2
    )


# --- mistakes in labels ---------------------------------------------------------------------------

TEXT = "Ann Lee met Bob Ray."


def _jsonl(folder, spans=OVERLAPPING):
    file = folder / "notes.jsonl"
    records = [{"id": "a", "text": TEXT, "spans": []}, {"id": "b", "text": TEXT, "spans": spans}]
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file, {}


def _span_outside(folder):
    return _jsonl(folder, [{"start": 0, "end": 500, "label": "NAME"}])


def _span_without_label(folder):
    return _jsonl(folder, [{"start": 0, "end": 3}])


def _csv(folder):
    (folder / "notes.csv").write_text(f"id,text,spans\na,{TEXT},[]\nb,{TEXT},[oops\n")
    return folder / "notes.csv", {}


def _parquet(folder):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    columns = {"id": ["a", "b"], "text": [TEXT, TEXT], "spans": ["[]", "[oops"]}
    pq.write_table(pa.table(columns), folder / "notes.parquet")
    return folder / "notes.parquet", {}


def _conll(folder):
    (folder / "notes.conll").write_text("Ann B-NAME\nmet O\n\nBob ?NAME\nran O\n")
    return folder / "notes.conll", {}


def _conll_without_a_tag(folder):
    (folder / "notes.conll").write_text("Ann B-NAME\nmet O\n\n-DOCSTART- O\n\nBob\nran O\n")
    return folder / "notes.conll", {}


def _brat(folder):
    for name, marks in (("a", ""), ("b", "T1\tNAME 0 999\tAnn\n")):
        (folder / f"{name}.txt").write_text(TEXT)
        (folder / f"{name}.ann").write_text(marks)
    return folder, {"format": "brat"}


def _page(folder):
    for name, marks in (("a", ""), ("b", "T1\tNAME 0 999\tAnn\n")):
        (folder / f"{name}.html").write_text(f"<p>{TEXT}</p>")
        (folder / f"{name}.html.ann").write_text(marks)
    return folder, {}


def _i2b2(folder):
    for name, tag in (("a", ""), ("b", '<NAME start="x" end="3"/>')):
        content = f"<deIdi2b2><TEXT>{TEXT}</TEXT><TAGS>{tag}</TAGS></deIdi2b2>"
        (folder / f"{name}.xml").write_text(content)
    return folder, {"format": "i2b2"}


def _prodigy(folder):
    records = [{"text": TEXT, "answer": "accept"}, {"text": TEXT, "answer": "ignore"}]
    (folder / "notes.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    return folder / "notes.jsonl", {"format": "prodigy"}


def _label_studio(folder):
    tasks = [{"data": {"text": TEXT}, "annotations": [{"result": []}] * n} for n in (1, 2)]
    (folder / "notes.json").write_text(json.dumps(tasks))
    return folder / "notes.json", {"format": "labelstudio"}


MISTAKES = [
    _jsonl, _span_outside, _span_without_label, _csv, _parquet, _conll, _conll_without_a_tag, _brat, _page, _i2b2,
    _prodigy, _label_studio,
]  # fmt: skip


@pytest.mark.parametrize("made", MISTAKES, ids=lambda made: made.__name__.strip("_"))
def test_a_mistake_in_labels_still_ends_exploring(made, tmp_path):
    """A mistaken label is not passed over: what it meant would be learned as harmless."""
    (tmp_path / "in").mkdir()
    source, options = made(tmp_path / "in")
    corpus = read_documents(source, **options)
    with pytest.raises(InputError) as strict:
        list(corpus)
    with pytest.raises(type(strict.value)) as caught:
        corpus.readable(with_labels=True)
    assert str(caught.value) == str(strict.value)
    assert len(corpus.readable()[0]) == 1  # publishing withholds that record alone
    with pytest.raises(InputError):
        sf.text.explore(source, **QUICK, **options)


def test_labels_of_documents_in_memory_are_checked():
    from sfumato.data.document import Document, Span

    document = Document("b", TEXT, (Span(0, 5, "NAME"), Span(3, 9, "NAME")))
    corpus = read_documents([document])
    assert isinstance(corpus, Corpus)
    with pytest.raises(DataError, match="overlaps"):
        corpus.readable(with_labels=True)


def test_kinds_of_files_of_which_none_is_labelled_are_told(letters):
    """One letter without labels may hold nothing sensitive; that no mail holds anything is not likely."""
    (letters / "plain.html").write_text("<p>All is well.</p>")
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        sf.text.explore(letters, **QUICK)
    for number in range(2):
        (letters / f"{number}.eml").write_text(f"From: a@b.example\n\nAnn Lee {SECRET} called.\n")
    with pytest.warns(
        PrivacyWarning, match=r"No file of 'letters' that ends in \.eml \(2\) carries"
    ) as told:
        sf.text.explore(letters, **QUICK)
    assert SECRET not in str(told[0].message)
