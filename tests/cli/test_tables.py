"""The command line of the tables engine: results, exit statuses, one sentence for every mistake."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from sfumato.cli.tables import app

SCHEMA = """missing = "error"
[[attribute]]
name = "age"
role = "quasi"
domain = { range = [0, 99] }
[[attribute]]
name = "zip"
role = "quasi"
domain = "observed"
[[attribute]]
name = "illness"
role = "sensitive"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    draw = np.random.default_rng(0)
    pd.DataFrame(
        {
            "age": draw.integers(20, 60, 300),
            "zip": draw.choice(["10001", "10002", "10101", "20001"], 300),
            "illness": draw.choice(["secretitis", "flu"], 300),
        }
    ).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "s.toml").write_text(SCHEMA)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_schema_explore_publish_policy(folder):
    drafted = call("schema", "t.csv", "--out", "draft.toml")
    assert drafted.exit_code == 0, drafted.output
    assert "secretitis" not in (folder / "draft.toml").read_text()
    done = call(
        "explore", "t.csv", "--schema", "s.toml", "--evaluations", 120, "--out", "dir", "--json"
    )
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["evaluations"] <= 120
    assert (folder / "dir" / "frontier.json").is_file()
    assert "secretitis" not in (folder / "dir" / "frontier.json").read_text()
    shown = call("publish", "dir", "t.csv", "--choose", facts["knee"], "--out", "out.csv")
    assert shown.exit_code == 0, shown.output
    assert "300 rows published" in shown.stdout
    assert (folder / "out.csv").is_file()
    assert (folder / "out.release.json").is_file()
    for name in ("p.json", "m.csv", "m.sql"):
        written = call("policy", "dir", "--choose", facts["knee"], "--out", name)
        assert written.exit_code == 0, written.output
        assert (folder / name).stat().st_size > 0
    compared = call("explore", "t.csv", "--schema", "s.toml", "--evaluations", 50, "--out", "dir2",
                    "--reference", "p.json")  # fmt: skip
    assert compared.exit_code == 0, compared.output


def test_quiet_says_nothing(folder):
    done = call("explore", "t.csv", "--schema", "s.toml", "--evaluations", 50, "--out", "dir", "-q")
    assert (done.exit_code, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("explore", "nothing.csv", "--schema", "s.toml", "--out", "dir"), "no file"),
        (("explore", "t.csv", "--schema", "nothing.toml", "--out", "dir"), "no file"),
        (("explore", "t.csv", "--schema", "bad.toml", "--out", "dir"), "2 mistakes"),
        (
            ("explore", "t.csv", "--schema", "s.toml", "--strategy", "magic", "--out", "dir"),
            "strategy",
        ),
        (
            ("explore", "t.csv", "--schema", "s.toml", "--evaluations", "1", "--out", "dir"),
            "evaluations",
        ),
        (
            ("explore", "old.csv", "--schema", "s.toml", "--out", "dir"),
            "outside its domain in row 1",
        ),
        (
            ("explore", "t.csv", "--schema", "s.toml", "--least-sample", "9999", "--out", "dir"),
            "conflict",
        ),
        (("explore", "t.csv", "--schema", "s.toml", "--out", "t.csv"), "exists already"),
        (("publish", "nowhere", "t.csv", "--choose", "x", "--out", "out.csv"), "no file"),
    ],
)
def test_a_mistake_is_one_sentence_and_nothing_is_written(folder, arguments, said):
    (folder / "bad.toml").write_text('[[attribute]]\nname = "age"\nrole = "quazi"\nkeeep = true\n')
    (folder / "old.csv").write_text("age,zip,illness\n150,10001,flu\n")
    before = sorted(p.name for p in folder.iterdir())
    done = call(*arguments)
    assert done.exit_code == 2, done.output
    assert said in done.output
    assert "Traceback" not in done.output
    assert "150" not in done.output
    assert sorted(p.name for p in folder.iterdir()) == before


def test_study_writes_the_figures(folder):
    done = call("study", "t.csv", "--schema", "s.toml", "--evaluations", 200, "--runs", 2,
                "--sublattices", 12, "--out", "study", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["runs"] == 2
    for figure in (5, 6, 7, 8):
        assert (folder / "study" / f"figure_{figure}.csv").is_file()
        assert "<svg" in (folder / "study" / f"figure_{figure}.svg").read_text()
    table = pd.read_csv(folder / "study" / "figure_5_summary.csv")
    assert set(table["strategy"]) >= {"exchange", "SHS", "RCS", "bisecting"}
