"""Runs of a plan: what lies in the work folder, who can read it, and what is left of it."""

import csv
import io
import json
import re
import stat

import pytest

from sfumato import workbench

PLAN = """
[tables]
table = "register_with_notes.csv"
schema = "schema_with_notes.toml"
evaluations = 20
choose = { knee = true }

[text]
corpus = "few.jsonl"
labels = ["NAME"]
ratios = [10]
folds = 2
attackers = "none"
publish = "tables"
text_column = "notes"
choose = { ratio = 10 }
"""


@pytest.fixture
def plan(tmp_path, sample_files):
    import gzip

    for name in ("schema_with_notes.toml", "register_with_notes.csv", "population.csv"):
        text = (sample_files / name).read_text()
        if name.endswith("notes.csv"):
            out = io.StringIO()
            csv.writer(out).writerows(list(csv.reader(io.StringIO(text)))[:201])
            text = out.getvalue()
        (tmp_path / name).write_text(text)
    with gzip.open(sample_files / "notes.jsonl.gz", "rt", encoding="utf-8") as stream:
        (tmp_path / "few.jsonl").write_text("".join(next(stream) for _ in range(60)))
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


class Killed(BaseException):
    """As if the process had died."""


def raw_notes(folder):
    """List the files that hold notes as they came in."""
    with (folder / "register_with_notes.csv").open(newline="") as stream:
        notes = [row["notes"] for row in csv.DictReader(stream)]
    # A name with the words after it; numbers are put into bands before the notes are sanitised.
    found = (re.search(r"(?:Mrs?|Dr|Ms)\.? [^\d\n\",]{24}", note) for note in notes)
    note = next(match[0] for match in found if match)
    return [
        p
        for p in (folder / ".run.work").rglob("*")
        if p.is_file() and note.encode() in p.read_bytes()
    ]


def test_m2_half_treated_data_lies_in_the_work_folder_only_while_two_steps_run(plan, monkeypatch):
    """Killed while the models are learned, or after the notes are sanitised: no raw note is there."""
    from sfumato.engines.text.engine import TextEngine

    folder = plan.parent
    out = folder / "run"
    real_explore, real_publish = TextEngine.explore, TextEngine.publish
    seen = {}

    def explore(self, *rest, **named):
        seen["explore"] = raw_notes(folder)
        return real_explore(self, *rest, **named)

    def publish(self, *rest, **named):
        seen["publish"] = raw_notes(folder)
        for path in [folder / ".run.work", *(folder / ".run.work").iterdir()]:
            assert stat.S_IMODE((folder / ".run.work").stat().st_mode) == 0o700, path
        raise Killed

    monkeypatch.setattr(TextEngine, "explore", explore)
    monkeypatch.setattr(TextEngine, "publish", publish)
    with pytest.raises(Killed):
        workbench.run(plan, out=out)
    assert seen["explore"] == []
    assert len(seen["publish"]) == 1  # where it must be
    assert raw_notes(folder) == []  # an interruption clears it; a kill is cleared by the next run
    monkeypatch.setattr(TextEngine, "publish", real_publish)
    workbench.run(plan, out=out)
    assert not (folder / ".run.work").exists()
    record = json.loads((out / "release" / "tables" / "release.json").read_text())
    rows, *books = record["outputs"]
    assert "sha256" not in rows  # what was passed on is not published
    given_out = {p.name for p in (out / "release" / "tables").iterdir()}
    assert given_out == {"release.json", *(book["path"] for book in books)}
    assert rows["path"] not in given_out
    for path in [out / "private", *(out / "private").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_m7_a_run_does_not_replace_its_inputs(plan):
    from sfumato.core.errors import InputError

    before = {p.name: p.read_bytes() for p in plan.parent.iterdir()}
    for out in (plan.parent, plan, plan.parent / "few.jsonl"):
        with pytest.raises(InputError, match="input"):
            workbench.run(plan, out=out, force=True)
    assert {p.name: p.read_bytes() for p in plan.parent.iterdir()} == before
