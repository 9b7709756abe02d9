"""SECURITY.md is a table of promises: each names a test, and each named test exists."""

import re
from pathlib import Path

import pytest
from benchmarks.findings import FINDINGS

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (?P<promise>[^|]+) \| (?P<tests>`test_[^|]+`) \|$", re.MULTILINE)


def promises():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    section = text[text.index("## Promises") : text.index("## What is in each output")]
    rows = [line for line in section.splitlines() if line.startswith("| ") and "---" not in line]
    return [line for line in rows if line != "| promise | test |"]


def test_there_are_promises():
    assert len(promises()) >= 35


def exists(name):
    """Return whether a test, as FILE::TEST, exists in one place."""
    file, _, test = name.partition("::")
    places = [p for p in (ROOT / "tests").rglob(file) if p.is_file()]
    assert len(places) == 1, name
    text = places[0].read_text(encoding="utf-8")
    return re.search(rf"^def {test}\(", text, re.MULTILINE) is not None


@pytest.mark.parametrize("line", promises())
def test_a_promise_names_a_test_that_exists(line):
    found = ROW.match(line)
    assert found, "a promise without a test goes"
    for name in re.findall(r"`([^`]+)`", found["tests"]):
        assert exists(name), name


def test_every_finding_names_tests_that_exist():
    """What `benchmarks.findings` tries on two trees is kept by these tests."""
    named = [name for finding in FINDINGS for name in finding.tests]
    assert len(FINDINGS) == 26
    assert [name for name in named if not exists(name)] == []
