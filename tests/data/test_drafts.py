"""What a draft of a schema sees in numbers and dates that are written as people write them."""

from __future__ import annotations

import tomllib

import pandas as pd
import pytest

from sfumato.core.errors import PlanError
from sfumato.data.schema_draft import draft_schema
from sfumato.data.table import read_table
from sfumato.data.table_schema import TableSchema


def drafted(frame):
    """Return the attributes of a draft by name."""
    return {a["name"]: a for a in tomllib.loads(draft_schema(frame))["attribute"]}


def test_negative_codes_of_surveys_are_proposed_as_missing_cells(tmp_path):
    """An age of -9 would else make a domain from -100 on, and a band of people of no age."""
    frame = pd.DataFrame(
        {
            "age": [-9, -9, *range(18, 78)],
            "education": [-1, -9, *(1 + i % 9 for i in range(60))],
            "score": [i % 7 - 3 for i in range(62)],
            "balance": [-250, -9, *range(0, 300, 10), *range(0, 300, 10)],
        }
    )
    frame.to_csv(tmp_path / "table.csv", index=False)
    found = drafted(tmp_path / "table.csv")
    assert found["age"]["missing_values"] == ["-9"]
    assert found["age"]["domain"] == {"range": [0, 120]}
    assert found["education"]["missing_values"] == ["-1", "-9"]
    assert found["education"]["domain"] == {"range": [1, 9]}
    for name in ("score", "balance"):  # other numbers are negative, too
        assert "missing_values" not in found[name]
        assert found[name]["domain"]["range"][0] < 0
    schema = {"missing": "value", "attribute": [found["age"]]}
    table = read_table(frame, schema)
    assert table.domains[0][-2:] == ("120", "?")


def test_whole_numbers_with_a_point_are_whole_numbers():
    """A frame in which a cell is missing writes 34 as 34.0."""
    found = drafted({"age": ["34.0", "", *(f"{n}.0" for n in range(60))]})
    assert found["age"]["domain"] == {"range": [0, 120]}


def test_dates_in_several_formats_are_to_be_decided():
    days = [
        f"{1 + i % 28:02d}.03.2024" if i % 2 else f"2024-03-{1 + i % 28:02d}" for i in range(40)
    ]
    text = draft_schema({"admission date": days})
    assert "dates, written in several ways" in text
    with pytest.raises(PlanError, match="The role of 1 column is not decided"):
        TableSchema.of(tomllib.loads(text)).check_decided()
