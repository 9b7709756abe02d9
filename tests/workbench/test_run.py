"""Plans: one release and one report, the same bytes each time, whatever happens in between."""

import json
import shutil
from pathlib import Path

import pytest

from sfumato import workbench
from sfumato.core import InputError, OutputExistsError
from sfumato.core.files import sha256_of
from sfumato.core.storage.ownership import is_ours
from sfumato.drafting import draft_plan
from sfumato.reports.parts import find_parts

PLAN = """\
seed = 3
out = "out"

[tables]
table = "samples/register_with_notes.csv"
schema = "samples/schema_with_notes.toml"
population = "samples/population.csv"
evaluations = 300
choose = { max_risk = 0.02 }

[text]
corpus = "samples/notes.jsonl.gz"
publish = "tables"
text_column = "notes"
labels = ["NAME", "PHONE"]
ratios = [10]
choose = { ratio = 10 }

[baskets]
matrix = "samples/purchases.npz"
labels = "samples/purchases.labels.txt"
k = [11]
selector = "hamdist"
choose = { max_risk = 0.2 }
"""


def folder_with_plan(folder, samples, plan=PLAN):
    folder.mkdir()
    shutil.copytree(samples, folder / "samples")
    (folder / "plan.toml").write_text(plan, encoding="utf-8")
    return folder / "plan.toml"


@pytest.fixture(scope="module")
def finished(tmp_path_factory, short_samples):
    plan = folder_with_plan(tmp_path_factory.mktemp("plan") / "a", short_samples)
    return plan, workbench.run(plan)


def test_one_release_and_one_report(finished):
    _, result = finished
    assert len(result.verdicts) == 3
    assert result.withheld == 0
    out = result.out
    assert sorted(p.name for p in out.iterdir()) == [
        "facts.json", "plan.toml", "private", "release", "report.html",
    ]  # fmt: skip
    # The register leaves with its notes sanitised and its identifiers gone, and only so.
    released = sorted((out / "release").rglob("*.csv"), reverse=True)
    assert [p.relative_to(out).as_posix() for p in released] == [
        "release/text/register_with_notes.csv",
        "release/tables/codebook.csv",
    ]
    header = released[0].read_text(encoding="utf-8").splitlines()[0]
    assert header == "age,sex,group,area,diagnosis,stay,visit,notes"
    assert "[NAME]" in released[0].read_text(encoding="utf-8")
    assert (out / "release" / "tables" / "release.json").is_file()
    assert (out / "private" / "text" / "model").is_dir()


def test_what_one_part_published_another_redacted(finished):
    """The report does not say of the table that names in its notes stay."""
    parts = {part.engine: part for part in find_parts([finished[1].out])}
    assert [engine for engine, part in parts.items() if part.passed_on] == ["tables"]


def test_what_one_part_passed_on_to_another_is_told_as_such(finished):
    _, result = finished
    record = json.loads((result.out / "release" / "tables" / "release.json").read_text())
    rows, *books = record["outputs"]
    assert "sha256" not in rows
    assert rows["hmac"]
    for book in books:  # what tells how to read the rows is given out, and named by its hash
        file = result.out / "release" / "tables" / book["path"]
        assert book["sha256"] == sha256_of(file)
    for edition in ("report.html", "private/report.html"):
        page = (result.out / edition).read_text(encoding="utf-8")
        assert "published as another part of this report treated them" in page
        assert "ields are published as they are" not in page
        assert "ields beside the text are published as they are" not in page


def test_the_same_plan_gives_the_same_bytes_in_another_folder(finished, tmp_path, short_samples):
    _, first = finished
    again = workbench.run(folder_with_plan(tmp_path / "elsewhere", short_samples))
    assert (first.out / "facts.json").read_bytes() == (again.out / "facts.json").read_bytes()
    assert sha256_of(first.out) == sha256_of(again.out)


def test_no_word_of_the_notes_reaches_facts_or_records(finished, notes):
    _, result = finished
    names = {
        n.text[s.start : s.end] for n in notes for s in n.spans if s.label in {"PHONE", "EMAIL"}
    }
    told = [
        result.out / "facts.json",
        *result.out.rglob("*release.json"),
        *result.out.rglob("frontier.json"),
    ]
    for path in told:
        text = path.read_text(encoding="utf-8")
        assert not [name for name in names if len(name) > 5 and name in text], path.name


def test_an_existing_output_is_refused_before_any_work(finished):
    plan, result = finished
    before = sha256_of(result.out)
    with pytest.raises(OutputExistsError, match="--force"):
        workbench.run(plan)
    assert sha256_of(result.out) == before


def test_a_run_may_be_replaced_until_somebody_else_writes_into_it(finished, tmp_path):
    _, result = finished
    shutil.copytree(result.out, tmp_path / "out")
    assert is_ours(tmp_path / "out")
    for inside in (".", "private", "private/tables", "release/text"):
        foreign = tmp_path / "out" / inside / "thesis.tex"
        foreign.write_text("years of work")
        assert not is_ours(tmp_path / "out")
        foreign.unlink()
    assert is_ours(tmp_path / "out")


def test_two_files_of_one_engine_are_no_plan(tmp_path, sample_files):
    """Two sections of one name would be no TOML, and the plan could not be run."""
    twin = tmp_path / "other.csv"
    shutil.copy(sample_files / "register.csv", twin)
    with pytest.raises(
        InputError, match=r"'register\.csv' and 'other\.csv' are both for the tables engine"
    ):
        draft_plan([sample_files / "register.csv", twin], out=tmp_path / "plan.toml")
    assert list(tmp_path.iterdir()) == [twin]


def test_drafts(tmp_path, sample_files):
    written = draft_plan(
        [
            sample_files / "register.csv",
            sample_files / "notes.jsonl.gz",
            sample_files / "purchases.npz",
        ],
        others={
            "labels": sample_files / "purchases.labels.txt",
            "population": sample_files / "population.csv",
        },
        out=tmp_path / "plan.toml",
    )
    assert [p.name for p in written] == ["plan.toml", "schema.toml"]
    from sfumato.core.plan import Plan

    plan = Plan.load(tmp_path / "plan.toml")
    requests = {name: section.request for name, section in plan.sections.items()}
    assert requests["text"].labels == ["ADDRESS", "DATE", "EMAIL", "ID", "NAME", "PHONE"]
    assert Path(requests["tables"].public()["schema"]).name == "schema.toml"
    assert json.dumps(requests["baskets"].k) == "[5, 8, 11]"
    with pytest.raises(InputError, match="--labels"):
        draft_plan([sample_files / "purchases.npz"], out=tmp_path / "other.toml")
    with pytest.raises(InputError, match="There is no file"):
        draft_plan([tmp_path / "none.csv"], out=tmp_path / "other.toml")
    assert not (tmp_path / "other.toml").exists()
