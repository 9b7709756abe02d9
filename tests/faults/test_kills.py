"""Runs killed at random moments resume and give the same bytes; nothing of a killed run is left."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("kind", "kills"),
    [
        ("text", "4"),
        ("tables", "3"),
        ("baskets", "steps"),
        ("report", "3"),
        ("serve", "3"),
        pytest.param("run", "2", marks=pytest.mark.slow),
    ],
)
def test_killed_runs_resume(kind, kills):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks._kills", kind, kills, "7"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["kills"] >= (10 if kills == "steps" else int(kills))
    assert found["completed_runs"] >= 1
    assert found["files_compared"] >= 2
    for fault in ("different_outputs", "files_left", "failed_resumes", "foreign_files_touched"):
        assert found[fault] == 0, found
