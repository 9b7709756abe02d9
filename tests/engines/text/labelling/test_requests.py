"""A project is a request: the page and the command line make the same frontier and the same release of it."""

import html
import json
import re
import shlex
import shutil

import pytest
from tests.conftest import sfumato

from sfumato import text
from sfumato.core.engine import no_progress
from sfumato.core.errors import InputError, ParameterError
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.engine import TextEngine
from sfumato.engines.text.labelling.desk import TextDesk
from sfumato.engines.text.labelling.project import start_project
from sfumato.engines.text.private_edits import read_edits
from sfumato.reports.parts import find_parts

from .answering import LABELS, answer

NOTES = clinic_notes(24, seed=6)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A project with twenty answers, the frontier that the page made of them, and a release."""
    folder = tmp_path_factory.mktemp("requests")
    lines = [json.dumps({"id": d.id, "text": d.text, "ward": 4}) for d in NOTES]
    (folder / "notes.jsonl").write_text("\n".join(lines))
    start_project(folder / "notes.jsonl", folder / "project", labels=LABELS)
    desk = TextDesk(folder / "project")
    try:
        answer(desk.session, NOTES, 20)
        desk.explore()
        desk.publish("r5", no_progress)
    finally:
        desk.close()
    return folder


@pytest.fixture
def project(made, tmp_path):
    """A copy of it that a test may change."""
    shutil.copytree(made, tmp_path / "own")
    return tmp_path / "own" / "project"


def files(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}  # fmt: skip


def test_the_commands_of_the_report_run_as_printed_and_give_the_same_bytes(made, tmp_path, monkeypatch):  # fmt: skip
    sfumato("report", made / "project", "--out", tmp_path / "page", "--quiet")
    page = html.unescape((tmp_path / "page.private" / "report.html").read_text("utf-8"))
    printed = re.findall(r"^(?:.*>)?(sfumato (?:text|report|serve).*?)(?:<.*)?$", page, re.MULTILINE)  # fmt: skip
    assert [line.split()[1:3] for line in printed] == [
        ["text", "explore"],
        ["text", "publish"],
        ["report", "text-explored"],
    ]
    monkeypatch.chdir(made)
    try:
        for line in printed:
            sfumato(*shlex.split(line)[1:], "--quiet")
        assert files(made / "text-explored") == files(made / "project" / "frontier")
        assert files(made / "text-release") == files(made / "project" / "releases" / "r5")
        assert "report.html" in files(made / "report")
    finally:
        for name in ("text-explored", "text-release", "report"):
            for folder in (made / name, made / f"{name}.private"):
                shutil.rmtree(folder, ignore_errors=True)


def corrected(project):
    """Mark a published word in a review, and take another redaction back; return what was said of them."""
    desk = TextDesk(project)
    try:
        number = next(n for n in range(len(NOTES)) if len(desk.released(n)["spans"]) > 1)
        shown = desk.released(number)
        hidden = [
            word for word in shown["words"]
            if any(a <= word[0] and word[1] <= b for a, b, *_ in shown["spans"])
        ]  # fmt: skip
        open_words = [
            word for word in shown["words"]
            if not any(a < word[1] and word[0] < b for a, b, *_ in shown["spans"])
        ]  # fmt: skip
        missed, wrong = open_words[0], hidden[-1]
        for (first, last), label in ((missed, "NAME"), (wrong, "")):
            desk.answer({"do": "mark", "doc": number, "first": first, "last": last, "label": label, "by": "review"})  # fmt: skip
        return NOTES[number].id, missed, wrong
    finally:
        desk.close()


@pytest.mark.filterwarnings("ignore::sfumato.core.errors.PrivacyWarning")
def test_what_the_command_line_publishes_holds_every_correction_since_the_frontier(project, tmp_path):  # fmt: skip
    before = {e.id: e for e in read_edits(project / "releases" / "r5")}
    name, missed, wrong = corrected(project)

    def covers(edits, place):
        return any(e.start < place[1] and place[0] < e.end for e in edits[name].edits)

    assert not covers(before, missed)
    assert covers(before, wrong)
    out = tmp_path / "out"
    sfumato("text", "publish", project / "frontier", project, "--ratio", "5", "--out", out, "--quiet")  # fmt: skip
    after = {e.id: e for e in read_edits(out)}
    assert covers(after, missed)
    assert not covers(after, wrong)
    written = {json.loads(line)["id"]: json.loads(line)["text"] for line in (out / "notes.jsonl").read_text().splitlines()}  # fmt: skip
    original = next(d.text for d in NOTES if d.id == name)
    assert original[wrong[0] : wrong[1]] in written[after[name].published_id]
    # The page makes the same release of them, byte by byte.
    desk = TextDesk(project)
    try:
        desk.publish("r5", no_progress)
    finally:
        desk.close()
    assert files(project / "releases" / "r5") == files(out)
    # An answer after it wins: who marks the word again has it redacted again.
    desk = TextDesk(project)
    try:
        number = next(n for n, d in enumerate(NOTES) if d.id == name)
        desk.answer({"do": "mark", "doc": number, "first": wrong[0], "last": wrong[1], "label": "NAME"})  # fmt: skip
    finally:
        desk.close()
    sfumato("text", "publish", project / "frontier", project, "--ratio", "5", "--out", tmp_path / "third", "--quiet")  # fmt: skip
    assert covers({e.id: e for e in read_edits(tmp_path / "third")}, wrong)


def test_the_documents_without_their_answers_are_refused(made, tmp_path):
    out, frontier = tmp_path / "out", made / "project" / "frontier"
    marks = ["--findings", made / "project" / "marks.jsonl"]
    for more in ([], marks):
        told = sfumato("text", "publish", frontier, made / "notes.jsonl", "--ratio", "5", *more, "--out", out, status=2)  # fmt: skip
        assert "24 of the documents are those of the project" in told
        assert "publish the folder of the project" in told
    some = tmp_path / "some.jsonl"
    others = [*clinic_notes(30, seed=9), NOTES[3]]
    some.write_text("".join(json.dumps({"id": f"n{i}", "text": d.text}) + "\n" for i, d in enumerate(others)))  # fmt: skip
    told = sfumato("text", "publish", frontier, some, "--ratio", "5", "--out", out, status=2)
    assert "1 of the documents are those" in told
    with pytest.raises(InputError, match="would be missing"):
        text.load(frontier).publish("r5", made / "notes.jsonl")
    assert not out.exists()
    some.write_text("".join(some.read_text().splitlines(keepends=True)[:-1]))
    sfumato("text", "publish", frontier, some, "--ratio", "5", "--out", out, "--quiet")


def test_a_project_that_the_page_has_open_is_refused(project, tmp_path):
    desk = TextDesk(project)
    try:
        for words in (("explore", project, "--label", "all"), ("publish", project / "frontier", project, "--ratio", "5")):  # fmt: skip
            told = sfumato("text", *words, "--out", tmp_path / "out", status=1)
            assert "Another program has this project open" in told
            assert not (tmp_path / "out").exists()
    finally:
        desk.close()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"labels": ["NAME"]}, "The labels of the project are NAME, PHONE"),
        ({"labels": "all", "attackers": ["crf", "svm"]}, r"takes no --attackers \(attackers\)"),
        ({"labels": "all", "encoder": "default"}, "takes no --encoder"),
        ({"labels": "all", "format": "csv"}, "takes no --format"),
        ({"labels": "all", "seed": 7}, "The seed of the project is 0"),
    ],
)
def test_what_a_project_has_the_answer_to_is_not_a_choice(made, given, message):
    with pytest.raises(ParameterError, match=message):
        text.explore(made / "project", **given)


def test_marks_of_a_project_cannot_be_left_out(made):
    found = text.load(made / "project" / "frontier")
    for given in ({"ignore_marks": True}, {"findings": made / "project" / "marks.jsonl"}):
        with pytest.raises(ParameterError, match="knows how its documents are read"):
            found.publish("r5", made / "project", **given)
    assert len(found.publish("r5", made / "project")) == len(NOTES)  # in memory


def test_a_plan_whose_corpus_is_a_project_gives_the_release_of_the_page(made, tmp_path):
    plan = tmp_path / "plan.toml"
    sfumato("run", "--init", made / "project", "--out", plan, "--quiet")
    plan.write_text(plan.read_text("utf-8").replace("ratio = 10", "ratio = 5"), encoding="utf-8")
    sfumato("run", plan, "--out", tmp_path / "released", "--quiet")
    assert files(tmp_path / "released" / "release" / "text") == files(made / "project" / "releases" / "r5")  # fmt: skip
    private = files(tmp_path / "released" / "private" / "text")
    assert files(made / "project" / "frontier").items() <= private.items()
    assert private["edits.jsonl"] == (made / "project" / "releases" / "r5.private" / "edits.jsonl").read_bytes()  # fmt: skip
    assert "sfumato run plan.toml" in (tmp_path / "released" / "private" / "report.html").read_text("utf-8")  # fmt: skip


def test_a_report_says_what_the_estimates_of_a_project_rest_on(made):
    """On windows that were drawn at random: there are no folds, and no redaction in rounds."""
    (part,) = find_parts([made / "project" / "releases" / "r5", made / "project" / "frontier"])
    story = TextEngine().story(part)
    said = " ".join([*story.assumptions, *(step.step for step in story.method)])
    assert "windows drawn at random" in said
    assert "folds" not in said
    assert "GreedySanitize" not in said
    (public,) = find_parts([made / "project" / "releases" / "r5"])
    assert TextEngine().story(public).method == story.method
