"""SECURITY.md is a table of promises: each names a test, and each named test exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (?P<promise>[^|]+) \| (?P<tests>`test_[^|]+`) \|$", re.MULTILINE)


def promises():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    section = text[text.index("## Promises") : text.index("## What is inside")]
    rows = [line for line in section.splitlines() if line.startswith("| ") and "---" not in line]
    return [line for line in rows if line != "| promise | test |"]


def test_there_are_promises():
    assert len(promises()) >= 35


@pytest.mark.parametrize("line", promises())
def test_a_promise_names_a_test_that_exists(line):
    found = ROW.match(line)
    assert found, "a promise without a test goes"
    for name in re.findall(r"`([^`]+)`", found["tests"]):
        file, _, test = name.partition("::")
        places = [p for p in (ROOT / "tests").rglob(file) if p.is_file()]
        assert len(places) == 1, name
        assert re.search(rf"^def {test}\(", places[0].read_text(encoding="utf-8"), re.MULTILINE), (
            name
        )
