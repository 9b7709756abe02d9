"""What a wrong value should have been: one mistake for each, in plain words, and never the value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.errors import FormatError, InputError, PlanError
from sfumato.core.mistakes import is_of_another_kind
from sfumato.core.plan import Plan
from sfumato.core.toml_files import _closest, _key_path, read_toml
from sfumato.data.table import read_table
from sfumato.data.table_schema import TableSchema
from sfumato.engines.tables.request import TablesRequest

AGE = {"name": "age", "role": "quasi", "domain": {"range": [0, 120]}}


def mistakes(**changes):
    """Return what a schema says about one changed attribute."""
    with pytest.raises(PlanError) as told:
        TableSchema.of({"attribute": [AGE | changes]})
    return list(told.value.mistakes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"domain": {"range": [0]}}, ["attribute[0].domain.range[1]: field required"]),
        ({"domain": {"rang": [0, 9]}}, ["attribute[0].domain.rang: unknown key; did you mean 'range'?"]),
        ({"domain": {"cuts": [float("nan")]}}, ["attribute[0].domain.cuts[0]: input should be a finite number"]),
        ({"domain": {"values": []}}, ["attribute[0].domain.values: input should be a list of at least 1 value"]),
        ({"domain": "obsreved"}, ["attribute[0].domain: input should be 'observed' or 'population'"]),
        ({"domain": ["a", "b"]}, ["attribute[0].domain: input should be a table, 'observed' or 'population'"]),
        ({"hierarchy": {"widths": ["x"]}}, ["attribute[0].hierarchy.widths[0]: input should be a whole number"]),
        ({"weight": float("nan")}, ["attribute[0].weight: input should be a number"]),
        ({"max_width": 2.5}, ["attribute[0].max_width: input should be a whole number"]),
    ],
)  # fmt: skip
def test_one_mistake_is_one_line(changes, said):
    """A value that may be text or a table is not told once for each."""
    assert mistakes(**changes) == said


@pytest.mark.parametrize(
    ("publish", "said"),
    [
        ({"rond": 5}, "attribute[0].publish.rond: unknown key; did you mean 'round'?"),
        ({"mention": ["age"]}, "attribute[0].publish.mention: unknown key; did you mean 'mentions'?"),
        ({"round": 0}, "attribute[0].publish.round: input should be greater than 0"),
        ({"top": float("inf")}, "attribute[0].publish.top: input should be a finite number"),
    ],
)  # fmt: skip
def test_treatments_are_named_by_their_keys_alone(publish, said):
    assert mistakes(role="other", domain=None, publish=publish) == [said]


def test_a_schema_in_json_or_with_single_brackets(tmp_path):
    file = tmp_path / "schema.toml"
    file.write_text('{"attribute": []}')
    with pytest.raises(FormatError, match="looks like JSON"):
        read_toml(file)
    file.write_text('[attribute]\nname = "a"\n[attribute]\nname = "b"\n')
    with pytest.raises(FormatError, match=r"two brackets: \[\[attribute\]\]"):
        read_toml(file)


@pytest.mark.parametrize("value", ["2.5", "ten", "nan", 2.5])
def test_numbers_of_a_request(value):
    with pytest.raises(ValueError, match=r"^'min_k' of explore must be a whole number\.$"):
        TablesRequest.build({"table": "t.csv", "min_k": value}, owner="explore")


def test_not_a_number_is_no_bound():
    with pytest.raises(ValueError, match=r"^'max_t' of explore must be a number\.$"):
        TablesRequest.build({"table": "t.csv", "max_t": float("nan")}, owner="explore")


@pytest.mark.parametrize(
    ("unit", "domain"),
    [
        ("year", {"range": [0, 120]}),
        ("month", {"range": [1990, 2000]}),
        ("quarter", {"values": ["1999-Q4", "1999-Q3"]}),
        ("day", {"values": ["1999-01"]}),
    ],
)
def test_a_domain_of_dates_holds_dates(unit, domain):
    schema = {"attribute": [AGE | {"domain": domain, "date": {"unit": unit}}]}
    with pytest.raises(ValueError, match=f"other values than rising dates to the {unit}"):
        read_table({"age": ["1999-10-03"]}, schema)
    good = {"attribute": [AGE | {"domain": {"range": [1990, 2000]}, "date": {"unit": "year"}}]}
    assert read_table({"age": ["1999-10-03"]}, good).rows == 1


def test_a_frame_given_for_a_schema():
    with pytest.raises(InputError, match="A schema cannot be read from an object of the type list"):
        TableSchema.of([AGE])


def test_a_table_given_for_a_schema(tmp_path):
    (tmp_path / "table.csv").write_text("age,sex\n1,f\n")
    with pytest.raises(FormatError, match="was another file meant"):
        read_toml(tmp_path / "table.csv")


def test_a_mistake_of_a_plan_is_told_once(tmp_path):
    """Exploring and publishing both read min_k."""
    (tmp_path / "t.csv").write_text("age\n1\n")
    content = {"tables": {"table": "t.csv", "schema": "t.csv", "min_k": -5, "choose": "knee"}}
    with pytest.raises(PlanError) as told:
        Plan.of(content, folder=tmp_path)
    assert told.value.mistakes == ("tables.min_k: input should be greater than or equal to 0",)


def closest_by_pairs(errors):
    """Return what `_closest` keeps, every pair of errors compared."""
    paths = [_key_path(e["loc"]) for e in errors]
    kept = []
    for i, (error, path) in enumerate(zip(errors, paths, strict=True)):
        within = any(p.startswith((f"{path}.", f"{path}[")) for p in paths)
        same = [j for j, p in enumerate(paths) if j != i and p == path]
        better = any(j > i or not is_of_another_kind(errors[j]) for j in same)
        if not (is_of_another_kind(error) and (within or better)):
            kept.append(error)
    return kept


_ERRORS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["model_type", "string_type", "literal_error", "missing"]),
        "loc": st.lists(st.sampled_from(["a", "b", 0, 1]), max_size=3).map(tuple),
        "input": st.sampled_from(["x", 1]),
    }
)


@given(st.lists(_ERRORS, max_size=8))
def test_errors_of_other_branches_are_found_as_by_comparing_all(errors):
    assert _closest(errors) == closest_by_pairs(errors)
