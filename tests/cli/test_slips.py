"""Slips of the hand: one sentence that says what is wrong, and a way on."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from sfumato import load, read_documents
from sfumato.cli import build
from sfumato.core.errors import InputError, UnreadFilesWarning


def told(*words):
    """Run a command; return its exit status and all it says."""
    done = CliRunner().invoke(build(), [str(word) for word in words])
    return done.exit_code, " ".join(done.output.split())


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slips")
    samples = folder / "samples"
    for words in (
        ("samples", samples),
        ("tables", "explore", samples / "register.csv", "--schema", samples / "schema.toml", "--budget", "40",
         "--out", folder / "register"),
        ("text", "explore", samples / "notes.jsonl.gz", "--label", "NAME", "--ratios", "10", "--attackers", "none",
         "--folds", "2", "--out", folder / "notes"),
        ("text", "publish", folder / "notes", samples / "more_notes.jsonl.gz", "--ratio", "10", "--out",
         folder / "released"),
        ("report", folder / "released"),
    ):  # fmt: skip
        status, said = told(*words)
        assert status == 0, said
    return folder


def test_a_folder_for_the_result_without_its_option(place):
    status, said = told(
        "text", "start", place / "samples" / "notes.jsonl.gz", place / "project", "--label", "NAME"
    )
    assert status == 2
    assert "unexpected extra argument" in said
    assert "Where the result goes is given by --out." in said
    assert not (place / "project").exists()
    status, said = told("text", "formats", "csv")
    assert status == 2
    assert "--out" not in said


def test_labels_without_commas_are_told(place):
    notes = place / "samples" / "notes.jsonl.gz"
    status, said = told(
        "text", "start", notes, "--label", "NAME DATE", "--no-starter", "--out", place / "joined"
    )
    assert status == 0
    assert (
        "'NAME DATE' is one label. Hint: several are given with commas, --label NAME,DATE." in said
    )


def test_columns_of_a_file_are_listed_where_their_names_are_words_of_headers(tmp_path):
    letters = tmp_path / "briefe.csv"
    letters.write_text("Nr;Brieftext;Fall Nr 2;Anna Q\n1;a;b;c\n", encoding="utf-8")
    status, said = told("text", "start", letters, "--label", "NAME", "--out", tmp_path / "project")
    assert status != 0
    assert "it has 4 columns" in said
    assert "among them 'Nr', 'Brieftext', 'Fall Nr 2'." in said
    assert "Anna" not in said


def test_a_frontier_of_another_engine_is_told_as_such(place):
    status, said = told(
        "text", "publish", place / "register", place / "samples" / "more_notes.jsonl.gz", "--choose", "knee",
        "--out", place / "x",
    )  # fmt: skip
    assert status == 2
    assert "was explored by the engine tables, not by text" in said
    status, said = told(
        "tables", "mapping", place / "notes", "--choose", "knee", "--out", place / "x.csv"
    )
    assert status == 2
    assert "was explored by the engine text, not by tables" in said


def test_arguments_in_the_wrong_order(place):
    samples = place / "samples"
    status, said = told(
        "tables", "publish", samples / "register.csv", place / "register", "--choose", "knee", "--out", place / "x"
    )  # fmt: skip
    assert status == 2
    assert "'register.csv' is a file, not a folder" in said
    status, said = told(
        "text",
        "attack",
        place / "released",
        place / "notes",
        "--labels",
        samples / "more_notes.jsonl.gz",
    )
    assert status == 2
    assert "'released' holds no frontier.json" in said


def test_a_release_with_its_report_inside_is_still_a_release(place):
    """`sfumato report RELEASE` writes into the release unless told otherwise."""
    assert (place / "released" / "report.html").is_file()
    originals = place / "samples" / "more_notes.jsonl.gz"
    count = len(list(read_documents(originals)))
    assert len(list(read_documents(place / "released"))) == count
    status, said = told("text", "audit", place / "released", "--documents", "3")
    assert status == 0, said


def test_a_folder_of_letters_with_its_report_inside_is_still_a_release(place):
    originals = place / "samples" / "more_notes.jsonl.gz"
    for words in (
        ("text", "convert", originals, "--to", "docx", "--out", place / "letters"),
        ("text", "publish", place / "notes", place / "letters", "--ratio", "10", "--out", place / "letters-out"),
        ("report", place / "letters-out", "--charts"),
    ):  # fmt: skip
        status, said = told(*words)
        assert status == 0, said
    assert (place / "letters-out" / "facts.json").is_file()
    found = list(read_documents(place / "letters-out"))
    assert len(found) == len(list(read_documents(originals)))
    assert not any("facts" in document.id or "report" in document.id for document in found)


def test_documents_named_like_a_report_are_documents(tmp_path):
    """Only the report of a release is left out: a corpus may hold a page of that name."""
    for name in ("report.html", "facts.html"):
        (tmp_path / name).write_text("<p>Ann Lee was seen.</p>", encoding="utf-8")
    assert len(list(read_documents(tmp_path))) == 2


@pytest.mark.parametrize(("given", "meant"), [("kne", "'knee'"), ("max-risk", "'max-risk:R'")])
def test_a_way_to_choose_is_suggested(place, given, meant):
    status, said = told(
        "tables", "publish", place / "register", place / "samples" / "register.csv", "--choose", given, "--out",
        place / "x",
    )  # fmt: skip
    assert status == 2
    assert f"did you mean {meant}?" in said


def test_a_decimal_comma_is_told_as_such(place, tmp_path):
    """0,01 is how most of Europe writes it; commas are between limits here."""
    register = place / "samples" / "register.csv"
    status, said = told(
        "tables", "publish", place / "register", register, "--choose", "max-risk:0,01", "--out", tmp_path / "x"
    )  # fmt: skip
    assert status == 2
    assert "'max-risk:0,01' has a comma within a number. Hint: write a decimal point" in said
    status, said = told(
        "tables", "publish", place / "register", register, "--choose", "max-risk:0.5,min-utility:0.1", "--out",
        tmp_path / "x",
    )  # fmt: skip
    assert status == 0, said


def test_choices_in_a_hint_are_not_options(place):
    status, said = told(
        "text", "publish", place / "notes", place / "samples" / "notes.jsonl.gz", "--format", "pdf:picture=keep",
        "--out", place / "x",
    )  # fmt: skip
    assert status == 2
    assert "write pdf:pictures=blank|keep,overlaps=" in said


def test_a_file_is_no_exploration(place):
    with pytest.raises(InputError, match=r"'register\.csv' is a file, not a folder"):
        load(place / "samples" / "register.csv")


def test_files_that_are_no_documents_are_counted_once(place, tmp_path):
    """A letter of the old kind of Word among others is not passed over in silence."""
    letters = tmp_path / "letters"
    letters.mkdir()
    for number, text in enumerate(("Ann Lee was seen.", "John Doe came at noon.", "All is well.")):
        (letters / f"{number}.txt").write_text(text, encoding="utf-8")
    (letters / "Doe.doc").write_bytes(b"\xd0\xcf\x11\xe0")
    status, said = told(
        "text", "publish", place / "notes", letters, "--ratio", "10", "--accept-shift", "--out", tmp_path / "out"
    )  # fmt: skip
    assert status == 0, said
    assert said.count("In the folder 'letters' 1 file is of no format that is read here") == 1
    assert "Doe" not in said
    with pytest.warns(UnreadFilesWarning):
        read_documents(letters)


def test_a_project_leaves_out_files_that_cannot_be_read_and_says_how_many(place, tmp_path):
    letters = tmp_path / "letters"
    letters.mkdir()
    for number, text in enumerate(("Ann Lee was seen.", "John Doe came at noon.", "All is well.")):
        (letters / f"{number}.html").write_text(f"<p>{text}</p>", encoding="utf-8")
    (letters / "Doe.html").write_bytes("<p>Zoë Doe</p>".encode("latin-1"))
    (letters / "Roe.docx").write_bytes(b"")
    status, said = told("text", "start", letters, "--label", "NAME", "--out", tmp_path / "project")
    assert status == 1, said
    assert "Of 5 documents of 'letters' 2 cannot be read and are left out" in said
    assert "is in an unknown character set (1)" in said
    assert "2 records could not be read and were left out." in said
    assert "Doe" not in said
    listed = (tmp_path / "project" / "unread.jsonl").read_text()
    status, said = told("text", "explore", tmp_path / "project", "--label", "all", "--out", tmp_path / "frontier")  # fmt: skip
    assert status == 1, said
    assert "written:" in said
    assert "frontier/unread.jsonl lists them by id" in said
    assert (tmp_path / "frontier" / "unread.jsonl").read_text() == listed
    assert [json.loads(line)["id"] for line in listed.splitlines()] == ["Doe.html", "Roe.docx"]
    status, said = told("text", "publish", tmp_path / "frontier", tmp_path / "project", "--ratio", "10", "--accept-shift", "--out", tmp_path / "release")  # fmt: skip
    assert status == 1, said
    assert "2 records could not be processed and were withheld" in said


def test_a_folder_that_is_not_there_is_not_served(place):
    status, said = told("serve", place / "nots")
    assert status == 2
    assert "There is no folder 'nots'." in said


def test_an_audit_of_another_number_of_documents_is_told(place):
    released = place / "released"
    answers = place / "released.audit-documents.txt"
    status, said = told("text", "audit", released, "--documents", "4", "--force")
    assert status == 0, said
    status, said = told("text", "audit", released, "--documents", "5")
    assert status == 2
    assert "The answers are about 4 documents, and 5 were asked for." in said
    answers.unlink()


@pytest.mark.parametrize("option", ["--port=99999", "--port=-1", "--idle=0"])
def test_a_page_without_a_port_or_time_is_refused(place, option):
    status, said = told("serve", place / "notes", option)
    assert status == 2
    assert "Invalid value" in said


def test_figures_of_a_project_that_nobody_answered_are_none(place, tmp_path):
    """No answer is no measurement: nothing says that 0 words are left."""
    for words in (
        ("text", "start", place / "samples" / "more_notes.jsonl.gz", "--label", "NAME", "--out", tmp_path / "project"),
        ("text", "explore", tmp_path / "project", "--label", "all", "--out", tmp_path / "frontier"),
        ("report", tmp_path / "frontier", "--choose", "text=r10", "--out", tmp_path / "report"),
    ):  # fmt: skip
        status, said = told(*words)
        assert status == 0, said
        if words[1] == "explore":
            assert "What is left is not measured" in said
            assert "100.00%" not in said
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "stay is not measured, because nobody has looked" in page
    assert "a total loss of" not in page


def test_what_a_first_hour_with_tables_meets(place):
    register, samples = place / "register", place / "samples"
    for choice, hint in (
        ("better-than:safe harbor", "did you mean one of these: Safe Harbor?"),
        ("better-than:nothing", "did you mean one of these: Safe Harbor?"),
    ):
        status, said = told(
            "tables", "publish", register, samples / "register.csv", "--choose", choice, "--out", place / "x.csv"
        )  # fmt: skip
        assert status == 2
        assert hint in said
    status, said = told(
        "tables", "publish", register, samples / "register.csv", "--choose", "knee", "--suppress", "0.1",
        "--out", place / "x.csv",
    )  # fmt: skip
    assert status == 2
    assert "Suppressing records needs a minimum group size" in said
    status, said = told(
        "tables", "tabulate", samples / "register.csv", "--by", "sex", "--rule", "supress:5", "--out", place / "x.csv"
    )  # fmt: skip
    assert status == 2
    assert "There is no such rule for counts" in said
    assert "suppress:N" in said
    assert not (place / "x.csv").exists()


def test_a_log_is_attacked_and_audited_as_it_was_explored(place):
    log = place / "log.csv"
    log.write_text(
        "who,what\n" + "".join(f"p{i},a{j}\np{i},b\n" for i in range(12) for j in (i % 2,))
    )
    status, said = told(
        "baskets", "explore", log, "--log", "item=what,person=who", "--k", "3", "--out", place / "log"
    )  # fmt: skip
    assert status == 0, said
    status, said = told("baskets", "attack", place / "log", log, "--people", "5")
    assert status == 0, said
    status, said = told("baskets", "audit", log, "--log", "item=what,person=who")
    assert "at most 1 item " in said
    assert "at most 1 absence " in said
    status, said = told("baskets", "audit", place / "log")
    assert status == 2
    assert "'log' is a folder, not a file" in said
    status, said = told(
        "baskets", "explore", log, "--log", "item=what,person=who", "--k", "3", "--utility", "categories",
        "--out", place / "x",
    )  # fmt: skip
    assert status == 2
    assert "The items have no categories" in said
