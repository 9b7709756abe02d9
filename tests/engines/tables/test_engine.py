"""Explore: what a frontier of a table says, how it is stored, and how it answers bad input."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from sfumato import tables
from sfumato.core.errors import (
    DataError,
    FormatError,
    InputError,
    ModelError,
    NoCandidateError,
    ParameterError,
)
from sfumato.core.files import canonical_json
from sfumato.core.toml_files import read_toml
from sfumato.data.samples import patient_register, register_population, register_schema
from sfumato.data.table import read_table
from sfumato.data.table_schema import TableSchema
from sfumato.engines.tables.frontier.comparison import compare
from sfumato.engines.tables.frontier.problem import Problem
from sfumato.engines.tables.payload import load_payload
from sfumato.engines.tables.space.policy_files import save_policy

QUASI = ("age", "sex", "group", "area")


@pytest.fixture(scope="module")
def register():
    return patient_register(600)


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    path = tmp_path_factory.mktemp("schema") / "schema.toml"
    path.write_text(register_schema(), encoding="utf-8")
    return TableSchema.load(path)


@pytest.fixture(scope="module")
def found(register, schema):
    return tables.explore(
        register, schema=schema, population=register_population(), evaluations=800
    )


def small(**columns):
    frame = pd.DataFrame({"age": [1, 1, 2, 3], "sex": list("ffmm"), **columns})
    attributes = [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 5]}},
        {"name": "sex", "role": "quasi", "domain": "observed"},
    ]
    return frame, {"attribute": attributes}


def test_candidates_carry_what_their_policy_measures(found, register, schema):
    problem = Problem.of(read_table(register, schema, register_population()))
    assert 10 < len(found) <= 300
    for candidate in list(found)[::20]:
        policy = found.policy(candidate)
        measured = problem.cells.measure(policy.bits)
        assert candidate.risk.value == pytest.approx(measured.risk, abs=1e-12)
        assert candidate.utility.value == pytest.approx(1 - measured.loss, abs=1e-12)
        assert candidate.loss_nats == pytest.approx(measured.loss_nats, abs=1e-12)
        assert candidate.groups == measured.groups
        assert problem.lattice.policy(candidate.policy) == policy
        assert set(candidate.l_diversity) == {"diagnosis"}
        assert 0 <= candidate.t_closeness["diagnosis"] <= 1


def test_safe_harbor_stands_beside(found):
    [reference] = found.references
    assert reference.name == "Safe Harbor"
    assert reference.policy["age"][-1] == "90-95"
    beside = compare(found, "Safe Harbor")
    assert len(beside.dominating) == len(
        found.frontier.all_dominating(reference.risk.value, reference.utility.value)
    )
    best = found.dominating("Safe Harbor")
    assert best is not None
    assert best.risk.value <= reference.risk.value


def test_frontier_file_says_what_it_should(found, tmp_path):
    found.save(tmp_path)
    content = json.loads((tmp_path / "frontier.json").read_text(encoding="utf-8"))
    assert content["engine"] == "tables"
    assert content["quasi"] == list(QUASI)
    assert content["population"] is True
    facts = content["population_facts"]
    assert facts["people"] == content["population_people"] > 10_000
    assert facts["people_outside_domains"] == 0
    assert content["frontier_size"] >= len(content["candidates"])
    assert content["area"] == content["full_area"] == content["trace"][-1][1]
    assert content["trace"][-1][0] == content["evaluations"] <= 800
    areas = [a for _, a in content["trace"]]
    assert areas == sorted(areas, reverse=True)
    assert content["seconds"] is None
    assert len(content["visited"]) <= 2000
    assert {"id", "risk", "utility", "policy", "bits", "loss_nats", "k"} <= set(
        content["candidates"][0]
    )
    assert sum(b["records"] for b in content["groups_before"]) == 600


def test_area_is_that_of_the_whole_frontier(register, schema):
    table = read_table(register, schema, register_population())
    many = tables.explore(table, evaluations=4000)
    assert many.record.frontier_size > len(many)
    assert len(many) <= 300
    listed = many.frontier.area()
    assert many.area() < listed < many.area() + 0.02


def test_a_frontier_comes_back_whole(found, tmp_path):
    found.save(tmp_path)
    again = tables.load(tmp_path)
    assert again.record == found.record
    assert canonical_json(again.record.to_json()) == canonical_json(found.record.to_json())
    assert [c.id for c in again] == [c.id for c in found]
    assert again.policy("Safe Harbor") == found.policy("Safe Harbor")
    again.save(tmp_path)
    assert tables.load(tmp_path).area() == found.area()


def test_same_seed_same_bytes(register, schema, tmp_path):
    written = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        run = tables.explore(
            register, schema=schema, population=register_population(), evaluations=300, seed=3
        )
        run.save(folder)
        written.append({p.name: p.read_bytes() for p in sorted(folder.iterdir())})
    assert written[0] == written[1]


def test_observed_values_stay_out_of_frontier_json_but_for_labels(tmp_path):
    frame, schema = small()
    frame["note"] = "secret"
    schema["attribute"].append({"name": "note", "role": "other"})
    run = tables.explore(frame, schema=schema, evaluations=20)
    run.save(tmp_path)
    assert "domain" not in json.loads((tmp_path / "frontier.json").read_text())["quasi"]
    assert "secret" not in "".join(p.read_text() for p in tmp_path.glob("*.json"))


def test_without_a_population_the_table_stands_for_it():
    frame, schema = small()
    run = tables.explore(frame, schema=schema, evaluations=30)
    assert run.record.population is False
    assert any("No population was given" in a for a in run.record.assumptions)
    assert next(iter(run)).risk.attacker == "knows the quasi-identifiers and who is in the table"


def test_population_that_lacks_a_cell_is_told():
    frame, schema = small()
    people = pd.DataFrame({"age": [1, 2, 9], "sex": list("ffm"), "count": [10, 10, 7]})
    run = tables.explore(frame, schema=schema, population=people, evaluations=30)
    facts = run.record.population_facts
    assert facts.records_without_population_cell == 2  # (2, m) and (3, m)
    assert facts.people_outside_domains == 7
    said = " ".join(run.record.assumptions)
    assert "2 records have values that the population counts no one with" in said
    assert "7 people of the population are outside" in said


def test_one_quasi_identifier_is_enough():
    frame, schema = small()
    schema["attribute"] = schema["attribute"][:1]
    run = tables.explore(frame[["age"]], schema=schema, strategy="exhaustive")
    assert run.record.evaluations == 4  # cuts with people on both sides: after 1 and after 2
    assert {len(c.policy) for c in run} == {1}


def test_constant_column_is_told():
    frame, schema = small()
    frame["sex"] = "f"
    run = tables.explore(frame, schema=schema, evaluations=20)
    assert any("sex: a single value" in a for a in run.record.assumptions)
    schema["attribute"][0]["domain"] = "observed"
    frame["age"] = 7
    with pytest.raises(DataError, match="nothing to generalise"):
        tables.explore(frame, schema=schema)


def test_missing_numbers_follow_the_schema():
    frame, schema = small()
    frame["age"] = [1.0, np.nan, 2.0, 3.0]
    with pytest.raises(DataError, match=r"'age' is missing in row 2"):
        tables.explore(frame, schema=schema)
    dropped = tables.explore(frame, schema={**schema, "missing": "drop"}, evaluations=20)
    assert dropped.record.dropped == 1
    assert any("1 rows with a missing" in a for a in dropped.record.assumptions)
    valued = tables.explore(frame, schema={**schema, "missing": "value"}, evaluations=20)
    assert valued.record.domains["age"] == 7


def test_value_outside_its_domain_names_column_and_row_only():
    frame, schema = small()
    frame.loc[2, "age"] = 77
    with pytest.raises(DataError, match=r"'age' holds a value outside its domain in row 3") as told:
        tables.explore(frame, schema=schema)
    assert "77" not in str(told.value)


def test_constraints_are_kept(register, schema):
    run = tables.explore(
        register, schema=schema, population=register_population(), evaluations=400, min_sample=5,
        min_population=30, cut_points={"age": range(0, 96, 10)},
    )  # fmt: skip
    for candidate in run:
        assert candidate.k >= 5
        assert candidate.smallest_population_group >= 30
        assert all(end == 95 or end % 10 == 9 for end in candidate.ends["age"])


def test_constraints_of_the_schema_are_kept(register, tmp_path):
    """A hierarchy gives the only intervals of age, area is at most three wide, sex stays as it is."""
    ages = [f"{v};{v // 10 * 10}-{v // 10 * 10 + 9};*" for v in range(100)]
    (tmp_path / "ages.csv").write_text("\n".join(ages), encoding="utf-8")
    attributes = [
        {"name": "age", "domain": {"range": [0, 99]}, "hierarchy": "ages.csv"},
        {"name": "area", "domain": "observed", "widest": 3},
        {"name": "sex", "domain": "observed", "keep": True},
    ]
    schema = TableSchema.of({"attribute": [{**a, "role": "quasi"} for a in attributes]})
    schema._folder = tmp_path
    run = tables.explore(register, schema=schema, evaluations=300)
    allowed = {str(v) for v in range(100)} | {f"{v}-{v + 9}" for v in range(0, 100, 10)} | {"*"}
    assert len(run) > 5
    for candidate in run:
        policy = run.policy(candidate)
        assert set(policy.intervals()["age"]) <= allowed
        assert max(high - low + 1 for low, high in policy.spans(1)) <= 3
        assert len(policy.spans(2)) == 2


def test_conflicting_constraints_have_an_answer():
    frame, schema = small()
    with pytest.raises(NoCandidateError, match="constraints conflict"):
        tables.explore(frame, schema=schema, min_sample=5, evaluations=20)
    schema["attribute"][0]["keep"] = True
    with pytest.raises(NoCandidateError, match="constraints conflict"):
        tables.explore(frame, schema=schema, min_sample=2, evaluations=20)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "luck"}, "'strategy'"),
        ({"evaluations": 1}, "'evaluations'"),
        ({"seconds": 0}, "'seconds'"),
        ({"least_sample": -1}, "'min_k'"),
        ({"risk": "luck"}, "'risk'"),
        ({"loss": "mutual-information"}, "target column"),
        ({"cut_points": {"aeg": [1]}}, "no quasi-identifier 'aeg'"),
        ({"cut_points": {"age": [77]}}, "not in its domain"),
    ],
)
def test_wrong_parameters(options, message):
    with pytest.raises(ParameterError, match=message):
        frame, schema = small()
        tables.explore(frame, schema=schema, **options)


def test_a_table_needs_a_schema_and_its_columns():
    frame, schema = small()
    with pytest.raises(ParameterError, match="needs a schema"):
        tables.explore(frame)
    with pytest.raises(DataError, match="no column 'sex'"):
        tables.explore(frame[["age"]], schema=schema)


def test_other_measures(register, schema):
    run = tables.explore(
        register,
        schema=schema,
        evaluations=60,
        strategy="rcs",
        risk="prosecutor",
        loss="class-size",
    )
    assert run.record.axes == {"risk": "prosecutor", "utility": "1 − class-size"}
    for candidate in run:
        assert candidate.risk.value == pytest.approx(1 / candidate.k)
    kept = tables.explore(
        register, schema=schema, evaluations=60, strategy="rcs",
        loss="mutual-information:diagnosis",
    )  # fmt: skip
    assert len(kept)


def test_own_policies_as_references(tmp_path):
    frame, schema = small()
    first = tables.explore(frame, schema=schema, evaluations=30)
    mine = first.policy(next(iter(first)))
    save_policy(mine, tmp_path / "mine.json")
    run = tables.explore(
        frame, schema=schema, evaluations=30,
        reference={"file": tmp_path / "mine.json", "words": {"age": ["0-5"]}, "object": mine},
    )  # fmt: skip
    points = {r.name: (r.risk.value, r.utility.value) for r in run.references}
    assert points["file"] == points["object"]
    assert {"Safe Harbor", "file", "words", "object"} == set(points)
    other = {"attribute": [{**schema["attribute"][0], "domain": {"range": [0, 6]}}]}
    for reference in (tmp_path / "mine.json", mine):
        with pytest.raises(FormatError, match="another schema"):
            tables.explore(frame, schema=other, reference={"file": reference})


def test_policies_of_version_2_are_read(found, tmp_path):
    """Version 2 also held what frontier.json says; that is taken from there now."""
    found.save(tmp_path)
    policies = tmp_path / "policies.json"
    content = json.loads(policies.read_text(encoding="utf-8"))
    content |= {
        "version": 2, "fingerprint": "ab", "names": [], "inputs": [], "min_sample": 99, "min_population": 1.0,
        "risk": "luck", "loss": "luck", "conditions": {}, "population": False, "covered": None,
    }  # fmt: skip
    policies.write_text(json.dumps(content), encoding="utf-8")
    payload, references = load_payload(tmp_path, found.record)
    assert payload.lattice.fingerprint == found.payload.lattice.fingerprint
    assert (payload.risk, payload.min_sample) == ("population", found.payload.min_sample)
    assert payload.conditions == found.payload.conditions
    assert references == found.policies


def test_damaged_folders_are_refused(found, tmp_path):
    found.save(tmp_path)
    policies = tmp_path / "policies.json"
    text = policies.read_text(encoding="utf-8")
    content = json.loads(text)
    domain = next(iter(content["domains"].values()))
    for broken in (
        json.dumps(content | {"version": 1}),
        json.dumps(content | {"domains": dict.fromkeys(content["domains"], domain)}),
        json.dumps(content | {"references": {"Safe Harbor": "ff"}}),
        "{}",
        "[]",
    ):
        policies.write_text(broken, encoding="utf-8")
        with pytest.raises(ModelError):
            load_payload(tmp_path, found.record)
        with pytest.raises(ModelError, match="not the file that explore wrote"):
            tables.load(tmp_path)
    policies.unlink()
    with pytest.raises(InputError, match=r"policies\.json"):
        tables.load(tmp_path)
    policies.write_text(text, encoding="utf-8")
    population = tmp_path / "population.npz"
    for content in (b"", b"no archive", population.read_bytes()[:500]):
        population.write_bytes(content)
        with pytest.raises(ModelError, match=r"missing or damaged|not the file that explore wrote"):
            tables.load(tmp_path)
    buffer = io.BytesIO()
    codes = np.full_like(found.payload.population_codes, 10_000)
    np.savez(buffer, codes=codes, count=found.payload.population_count)
    population.write_bytes(buffer.getvalue())
    with pytest.raises(ModelError, match=r"missing or damaged|not the file that explore wrote"):
        tables.load(tmp_path)


def test_the_sample_schema_is_a_schema(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(register_schema(), encoding="utf-8")
    assert [a["name"] for a in read_toml(path)["attribute"] if a["role"] == "quasi"] == list(QUASI)
