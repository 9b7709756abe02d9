"""What changed in new data since its schema was written: counts and places, never a value."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from sfumato.cli import app
from sfumato.engines.tables.schema_update import changes_of

SCHEMA = {
    "attribute": [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 90]}},
        {"name": "town", "role": "quasi", "domain": {"values": ["a", "b"]}},
        {"name": "sex", "role": "quasi", "labels": {"1": "f", "2": "m"}},
        {"name": "pay", "role": "other", "publish": {"round": 100}},
    ]
}


def data(**changed):
    rows = {"age": ["1", "2", "90"], "town": ["a", "b", "a"], "sex": ["1", "2", "1"], "pay": ["1", "2", "3"]}  # fmt: skip
    rows |= changed
    return pd.DataFrame({name: cells for name, cells in rows.items() if cells is not None})


def told(**changed):
    return [change.in_words() for change in changes_of(SCHEMA, data(**changed))]


def test_a_schema_that_fits():
    assert told() == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"age": ["1", "91", "95"]}, 'age: numbers above 90 in 2 rows. Hint: widen the range, or open_ends = "high" takes all numbers beyond it.'),
        ({"age": ["-1", "91", "CANARY"]}, 'age: numbers below 0 in 1 row. Hint: widen the range, or open_ends = "both" takes all numbers beyond it.'),
        ({"age": ["1", "CANARY", "2"]}, "age: cells that are no number of the range in 1 row. Hint: correct the rows, or declare marks of missing cells: missing_values = [...]."),
        ({"town": ["CANARY", "CANARY", "other"]}, "town: 2 new values in 3 rows. Hint: add to the domain, or correct the rows."),
        ({"sex": ["1", "2", "3"]}, "sex: 1 new value in 1 row. Hint: add to the labels, or correct the rows."),
        ({"town": ["a", "", "b"]}, 'town: missing cells in 1 row. Hint: write missing = "value" or "drop" into the schema.'),
        ({"town": None, "towns": ["a", "b", "a"]}, "town: the column is gone. Hint: is it column 4 now? Rename it there or in the schema."),
        ({"pay": None}, "pay: the column is gone. Hint: remove it from the schema."),
        ({"CANARY": ["x", "y", "z"]}, '1 new column (number 5). Hint: give each a role, or undeclared = "drop" to leave them out.'),
        ({"pay": ["1", "CANARY", "3"]}, "The column 'pay' holds a cell that is not a number in row 2."),
    ],
)  # fmt: skip
def test_what_changed_is_told_without_a_value(changed, words):
    found = told(**changed)
    assert words in found
    assert not any("CANARY" in line for line in found)


def test_the_command(tmp_path):
    data(age=["1", "2", "99"]).to_csv(tmp_path / "new.csv", index=False)
    (tmp_path / "s.toml").write_text(
        '[[attribute]]\nname = "age"\nrole = "quasi"\ndomain = { range = [0, 90] }\n'
    )
    command = ["tables", "update", str(tmp_path / "s.toml"), str(tmp_path / "new.csv")]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 0, ran.output
    assert "age: numbers above 90 in 1 row" in ran.output
    assert "3 new columns (number 2, 3, 4)" in ran.output
    as_json = CliRunner().invoke(app, [*command, "--json"])
    assert json.loads(as_json.output)["changes"][0]["column"] == ""
