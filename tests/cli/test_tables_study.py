"""`sfumato tables study`: the paper's figures of a small table."""

import json

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from sfumato.cli import app

SCHEMA = """missing = "error"
[[attribute]]
name = "age"
role = "quasi"
domain = { range = [0, 99] }
[[attribute]]
name = "zip"
role = "quasi"
domain = "observed"
"""


def test_study_writes_the_figures(tmp_path):
    draw = np.random.default_rng(0)
    zips = ["10001", "10002", "10101", "20001"]
    frame = pd.DataFrame({"age": draw.integers(20, 60, 300), "zip": draw.choice(zips, 300)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "s.toml").write_text(SCHEMA, encoding="utf-8")
    arguments = [
        "tables", "study", tmp_path / "t.csv", "--schema", tmp_path / "s.toml", "--evaluations", 200,
        "--runs", 2, "--sublattices", 12, "--out", tmp_path / "study", "--json",
    ]  # fmt: skip
    done = CliRunner().invoke(app, [str(a) for a in arguments])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["runs"] == 2
    for figure in (5, 6, 7, 8):
        assert (tmp_path / "study" / f"figure_{figure}.csv").is_file()
        assert "<svg" in (tmp_path / "study" / f"figure_{figure}.svg").read_text(encoding="utf-8")
    table = pd.read_csv(tmp_path / "study" / "figure_5_summary.csv")
    assert set(table["strategy"]) >= {"exchange", "SHS", "RCS", "bisecting"}
    again = CliRunner().invoke(app, [str(a) for a in arguments])
    assert again.exit_code == 2
    assert "already exists" in again.stderr
