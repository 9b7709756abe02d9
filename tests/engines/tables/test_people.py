"""People instead of rows: every figure by different people, against plain pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import DataError, ParameterError, PrivacyWarning
from sfumato.data.table import read_table
from sfumato.engines import tables
from sfumato.engines.tables.problem import Problem
from sfumato.engines.tables.shift import margins_of


def schema(role="person", **more):
    return {
        "attribute": [
            {"name": "pid", "role": role},
            {"name": "age", "role": "quasi", "domain": {"range": [0, 5]}},
            {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
            {"name": "diagnosis", "role": "sensitive"},
        ],
        **more,
    }


def visits(seed, people=40, *, moving=True):
    """Several rows per person; ages move on from visit to visit where asked."""
    draw = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        age, sex = int(draw.integers(0, 5)), draw.choice(["f", "m"])
        for visit in range(int(draw.integers(1, 5))):
            at = min(5, age + (visit if moving else 0))
            rows.append((f"p{person}", at, sex, draw.choice(["flu", "cold", "asthma"])))
    return pd.DataFrame(rows, columns=["pid", "age", "sex", "diagnosis"])


def by_people(frame, policy, population=None):
    """Group a labelled frame and count different people, record by record."""
    labels = {(n, v): label for n, v, label in policy.mapping()}
    frame = frame.astype(str)
    shown = frame.assign(**{n: [labels[n, v] for v in frame[n]] for n in ("age", "sex")})
    both = pd.concat(
        [shown[["age", "sex", "pid"]], frame[["age", "sex"]].add_prefix("was ")], axis=1
    )
    records = both.drop_duplicates().groupby(["age", "sex"]).size()
    people = shown.groupby(["age", "sex"])["pid"].nunique()
    return records, people, shown


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_k_and_risks_count_people(seed, moving):
    frame = visits(seed, moving=moving)
    found = tables.explore(frame, schema(), evaluations=60)
    unchanged, alone, _ = by_people(frame, found.terms.lattice.bottom)
    base = (unchanged / alone).sum()
    for candidate in found.candidates[:: max(1, len(found.candidates) // 5)]:
        records, people, _ = by_people(frame, found.policy(candidate))
        assert candidate.k == people.min()
        assert candidate.risk.value == pytest.approx((records / people).sum() / base, abs=1e-9)
        risks = candidate.risks
        assert risks.prosecutor_max == pytest.approx(1 / people.min())
        assert risks.prosecutor_average == pytest.approx((records / people).sum() / records.sum())
        assert risks.sample_uniqueness == pytest.approx(records[people == 1].sum() / records.sum())


def test_five_rows_of_one_person_are_no_group_of_five():
    frame = pd.DataFrame({
        "pid": ["a"] * 5 + ["b", "c", "d"], "age": [1] * 5 + [2, 2, 2], "sex": ["f"] * 8,
        "diagnosis": list("xyzxyzxy"),
    })  # fmt: skip
    with pytest.warns(PrivacyWarning, match="pid: an identifier stands in several rows"):
        by_rows = tables.explore(frame, schema("identifier"), strategy="exhaustive")
    assert any("pid: an identifier stands in several rows" in s for s in by_rows.record.assumptions)
    assert max(c.k for c in by_rows.candidates if len(c.policy["age"]) > 1) >= 3
    found = tables.explore(frame, schema(), strategy="exhaustive", min_k=2)
    assert all(c.k >= 2 for c in found.candidates)
    assert found.record.people == 4
    assert found.record.rows == 8


@pytest.mark.parametrize("moving", [True, False])
def test_a_release_promises_and_measures_people(tmp_path, moving):
    frame = visits(7, people=80, moving=moving)
    frame.to_csv(tmp_path / "visits.csv", index=False)
    found = tables.explore(tmp_path / "visits.csv", schema(), evaluations=300, min_k=4)
    chosen = max(found.candidates, key=lambda c: c.utility.value)
    release = found.publish(chosen, tmp_path / "visits.csv", out=tmp_path / "out")
    records, people, shown = by_people(frame, found.policy(chosen))
    got = pd.read_csv(tmp_path / "out" / "visits.csv", dtype=str)
    assert list(got.columns) == ["age", "sex", "diagnosis"]
    assert sorted(map(tuple, got.to_numpy())) == sorted(
        map(tuple, shown.drop(columns="pid").to_numpy())
    )
    assert release.counts["rows"] == len(frame)
    assert release.measured.k == people.min() == chosen.k >= 4
    assert release.measured.risk == pytest.approx(chosen.risk.value, abs=1e-9)
    assert release.measured.utility == pytest.approx(chosen.utility.value, abs=1e-9)
    assert release.measured.expected_reidentified == pytest.approx((records / people).sum())
    assert release.measured.t_closeness == pytest.approx(chosen.t_closeness, abs=1e-6)
    assert release.how.identifiers_dropped == ("pid",)
    fewer = frame[frame["pid"].isin([f"p{i}" for i in range(9)])]
    fewer.to_csv(tmp_path / "fewer.csv", index=False)
    (tmp_path / "second").mkdir()
    with pytest.raises(Exception, match="nothing was published"):
        found.publish(chosen, tmp_path / "fewer.csv", out=tmp_path / "second" / "out")


def test_people_of_a_population_hide_people_not_rows():
    frame = visits(3)
    crowd = pd.DataFrame(
        [(a, s, 3 + a) for a in range(6) for s in ("f", "m")], columns=["age", "sex", "count"]
    )
    problem = Problem.of(read_table(frame, schema(), crowd))
    for seed in range(5):
        draw = np.random.default_rng(seed)
        bits = (draw.random(problem.lattice.length) < 0.6).astype(np.uint8)
        policy = problem.lattice.from_bits(bits)
        records, people, _ = by_people(frame, policy)
        labels = {(n, v): label for n, v, label in policy.mapping()}
        wide = crowd.astype({"age": str})
        wide = wide.assign(**{n: [labels[n, v] for v in wide[n]] for n in ("age", "sex")})
        around = np.maximum(
            wide.groupby(["age", "sex"])["count"].sum().reindex(people.index), people
        )
        groups = problem.people.groups(bits)
        assert sorted(groups.people) == sorted(people)
        assert groups.expected == pytest.approx((records / around).sum())


def test_wrong_calls():
    frame = visits(1)
    with pytest.raises(DataError, match="'pid', which names the person, is missing in row 3"):
        tables.explore(frame.assign(pid=["a", "b", None, *frame["pid"][3:]]), schema())
    with pytest.raises(ParameterError, match="all rows of a person"):
        tables.explore(frame, schema(), min_k=3, suppress=0.1)
    steady = tables.explore(
        visits(1, moving=False), schema(), min_k=3, suppress=0.1, evaluations=80
    )
    assert steady.candidates


def test_margins_count_every_person_once():
    frame = visits(5, people=300)
    table = read_table(frame, schema())
    ages, sexes = margins_of(table, [6, 2])
    records = frame[["pid", "age", "sex"]].drop_duplicates()
    part = 1.0 / records.groupby("pid")["age"].transform("size")
    expected = part.groupby(records["age"]).sum()
    assert ages.sum() == sexes.sum() == frame["pid"].nunique()
    assert np.abs(ages - expected.reindex(range(6), fill_value=0.0).to_numpy()).max() < 1
    assert sexes.tolist() == frame.groupby("sex")["pid"].nunique().tolist()
    # many visits of each person are no sign that people have changed
    again = pd.concat([frame] * 6)
    assert all(map(np.array_equal, margins_of(read_table(again, schema()), [6, 2]), (ages, sexes)))
