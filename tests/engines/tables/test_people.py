"""People instead of rows: every figure by different people, against plain pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import tables
from sfumato.core.errors import DataError, NoCandidateError, ParameterError, PrivacyWarning
from sfumato.data.table import read_table
from sfumato.engines.tables.frontier.problem import Problem
from sfumato.engines.tables.measures.shift import margins_of


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


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.booleans())
def test_k_and_risks_count_people(seed, moving):
    frame = visits(seed, moving=moving)
    found = tables.explore(frame, schema=schema(), evaluations=60)
    unchanged, alone, _ = by_people(frame, found.payload.lattice.bottom)
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
    with pytest.warns(PrivacyWarning, match="pid: an identifier is in several rows"):
        by_rows = tables.explore(frame, schema=schema("identifier"), strategy="exhaustive")
    assert any("pid: an identifier is in several rows" in s for s in by_rows.record.assumptions)
    assert max(c.k for c in by_rows.candidates if len(c.policy["age"]) > 1) >= 3
    found = tables.explore(frame, schema=schema(), strategy="exhaustive", min_k=2)
    assert all(c.k >= 2 for c in found.candidates)
    assert found.record.people == 4
    assert found.record.rows == 8


@pytest.mark.parametrize("moving", [True, False])
def test_a_release_promises_and_measures_people(tmp_path, moving):
    frame = visits(7, people=80, moving=moving)
    frame.to_csv(tmp_path / "visits.csv", index=False)
    found = tables.explore(tmp_path / "visits.csv", schema=schema(), evaluations=300, min_k=4)
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
        tables.explore(frame.assign(pid=["a", "b", None, *frame["pid"][3:]]), schema=schema())
    steady = tables.explore(
        visits(1, moving=False), schema=schema(), min_k=3, suppress=0.1, evaluations=80
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


# --- rows joined ---------------------------------------------------------------------------------


def joined_schema(top=5):
    found = schema()
    found["attribute"][0]["rows"] = "joined"
    found["attribute"][1]["domain"] = {"range": [0, top]}
    return found


def sparse_visits(seed, people, top=40):
    """Ages over a wide range that most people share, one or two rows per person."""
    draw = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        age = int(draw.integers(20, 26)) if draw.random() < 0.9 else int(draw.integers(0, top))
        sex = draw.choice(["f", "m"])
        rows += [
            (f"p{person}", age + visit, sex, draw.choice(["flu", "cold", "asthma"]))
            for visit in range(int(draw.integers(1, 3)))
        ]
    return pd.DataFrame(rows, columns=["pid", "age", "sex", "diagnosis"])


def histories(frame, policy):
    """Group people by all their generalised rows, each as often as it stands there."""
    labels = {(n, v): label for n, v, label in policy.mapping()}
    text = frame.astype(str)
    shown = text.assign(**{n: [labels[n, v] for v in text[n]] for n in ("age", "sex")})
    of_person = {
        person: repr(sorted(map(list, rows[["age", "sex"]].to_numpy().tolist())))
        for person, rows in shown.groupby("pid")
    }
    return pd.Series(of_person), shown


def diversity_of(frame, of_person):
    """Return the least number of different values in a group, and the largest distance from the table."""
    held = frame[["pid", "diagnosis"]].astype(str).drop_duplicates()
    held = held[held["pid"].isin(of_person.index)]
    group = held["pid"].map(of_person)
    table = pd.crosstab(group, held["diagnosis"])
    share = table.div(table.sum(axis=1), axis=0)
    whole = table.sum() / table.to_numpy().sum()
    return int((table > 0).sum(axis=1).min()), float((share - whole).abs().sum(axis=1).max() / 2)


@settings(max_examples=10)
@given(st.integers(0, 10_000))
def test_joined_rows_group_whole_histories(seed):
    frame = visits(seed)
    found = tables.explore(frame, schema=joined_schema(), evaluations=60)
    before, _ = histories(frame, found.payload.lattice.bottom)
    for candidate in found.candidates[:: max(1, len(found.candidates) // 5)]:
        of_person, _ = histories(frame, found.policy(candidate))
        sizes = of_person.value_counts()
        assert candidate.k == sizes.min()
        assert candidate.groups == sizes.size
        assert candidate.risk.value == pytest.approx(sizes.size / before.nunique(), abs=1e-9)
        assert candidate.risks.prosecutor_average == pytest.approx(sizes.size / len(of_person))
        assert candidate.risks.sample_uniqueness == pytest.approx((sizes == 1).sum() / sizes.sum())
        least, farthest = diversity_of(frame, of_person)
        assert candidate.l_diversity["diagnosis"] == least
        assert candidate.t_closeness["diagnosis"] == pytest.approx(farthest, abs=1e-6)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_a_more_general_policy_makes_coarser_groups_of_histories(seed):
    problem = Problem.of(read_table(visits(seed), joined_schema()))
    draw = np.random.default_rng(seed)
    fine = (draw.random(problem.lattice.length) < 0.7).astype(np.uint8)
    coarse = fine & (draw.random(fine.size) < 0.7)
    of_fine, of_coarse = problem.people.group(fine), problem.people.group(coarse)
    inside = pd.Series(of_coarse).groupby(of_fine).nunique()
    assert (inside == 1).all()


@pytest.mark.parametrize("suppress", [0.0, 0.2])
def test_a_joined_release_links_rows_and_promises_histories(tmp_path, suppress):
    frame = sparse_visits(7, people=300)
    frame.to_csv(tmp_path / "visits.csv", index=False)
    found = tables.explore(
        tmp_path / "visits.csv",
        schema=joined_schema(40),
        evaluations=200,
        min_k=4,
        suppress=suppress,
    )
    chosen = max(found.candidates, key=lambda c: (c.suppressed, c.utility.value))
    assert bool(chosen.suppressed) == bool(suppress)
    release = found.publish(chosen, tmp_path / "visits.csv", out=tmp_path / "out")
    got = pd.read_csv(tmp_path / "out" / "visits.csv", dtype=str)
    assert list(got.columns) == ["pid", "age", "sex", "diagnosis"]
    assert not set(got["pid"]) & set(frame["pid"])
    of_person, shown = histories(frame, found.policy(chosen))
    sizes = of_person.value_counts()
    stays = of_person[of_person.map(sizes) >= 4].index
    if not suppress:
        assert len(stays) == len(of_person)
    kept = shown[shown["pid"].isin(stays)]
    linked = [
        sorted(sorted(map(tuple, rows.drop(columns="pid").to_numpy())) for _, rows in f.groupby("pid"))
        for f in (got, kept)
    ]  # fmt: skip
    assert linked[0] == linked[1]
    before, _ = histories(frame, found.payload.lattice.bottom)
    measured = release.measured
    assert measured.k == chosen.k == sizes[sizes >= 4].min()
    assert measured.risk == pytest.approx(chosen.risk.value, abs=1e-9)
    assert measured.risk == pytest.approx((sizes >= 4).sum() / before.nunique(), abs=1e-9)
    assert measured.utility == pytest.approx(chosen.utility.value, abs=1e-9)
    assert (measured.l_diversity["diagnosis"], measured.t_closeness["diagnosis"]) == pytest.approx(
        diversity_of(frame, of_person[stays]), abs=1e-6
    )
    assert measured.l_diversity == chosen.l_diversity
    assert measured.risks.prosecutor_average == pytest.approx(
        chosen.risks.prosecutor_average, abs=1e-9
    )
    out = frame[~frame["pid"].isin(stays)]
    assert release.left_out["suppressed"] == len(out[["pid", "age", "sex"]].drop_duplicates())
    assert release.counts["rows"] == len(frame) - len(out)
    assert release.how.identifiers_dropped == ()
    again = found.publish(chosen, tmp_path / "visits.csv", out=tmp_path / "again")
    assert again.outputs == release.outputs


def test_marks_of_people_differ_between_policies(tmp_path):
    frame = visits(7, people=60)
    found = tables.explore(frame, schema=joined_schema(), evaluations=80)
    first, second = (found.publish(c, frame) for c in found.candidates[:2])
    assert set(first["pid"]).isdisjoint(set(second["pid"]))
    assert first["pid"].nunique() == second["pid"].nunique() == 60


def test_joined_rows_with_a_population_are_refused():
    crowd = pd.DataFrame({"age": [0, 1], "sex": ["f", "m"], "count": [9, 9]})
    with pytest.raises(ParameterError, match="does not say who has which history"):
        tables.explore(visits(1), schema=joined_schema(), population=crowd)


# --- people left out -----------------------------------------------------------------------------


def largest_safe_crowd(pairs, k):
    """Leave out everybody in a group of fewer than k, until there is none: one person after the other."""
    left = pairs.copy()
    while True:
        people = left.groupby(["age", "sex"])["pid"].nunique()
        small = people[people < k].index
        found = left[left.set_index(["age", "sex"]).index.isin(small)]["pid"]
        if found.empty:
            return left
        left = left[left["pid"] != found.iloc[0]]


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(2, 6))
def test_people_are_left_out_until_every_group_is_large_enough(seed, k):
    frame = visits(seed)
    problem = Problem.of(read_table(frame, schema()), min_sample=k)
    bits = (np.random.default_rng(seed).random(problem.lattice.length) < 0.6).astype(np.uint8)
    _, _, shown = by_people(frame, problem.lattice.from_bits(bits))
    left, groups, kept = problem.people.suppress(bits)
    stays = largest_safe_crowd(shown, k)
    assert {p for p, k_ in zip(sorted(frame["pid"].unique()), kept, strict=True) if k_} == set(
        stays["pid"]
    )
    people = stays.groupby(["age", "sex"])["pid"].nunique()
    assert sorted(groups.people) == sorted(people)
    combinations = frame[["pid", "age", "sex"]].drop_duplicates()
    assert left.records == (~combinations["pid"].isin(stays["pid"])).sum()


def test_a_release_leaves_out_people_with_all_their_rows(tmp_path):
    frame = sparse_visits(9, people=300)
    frame.to_csv(tmp_path / "visits.csv", index=False)
    wide = schema()
    wide["attribute"][1]["domain"] = {"range": [0, 40]}
    found, strict = (
        tables.explore(
            tmp_path / "visits.csv", schema=wide, evaluations=300, min_k=6, suppress=share
        )
        for share in (0.2, 0.0)
    )
    chosen = max(found.candidates, key=lambda c: c.utility.value)
    assert 0 < chosen.suppressed <= 0.2 * found.record.records
    assert chosen.utility.value > max(c.utility.value for c in strict.candidates)
    release = found.publish(chosen, tmp_path / "visits.csv", out=tmp_path / "out")
    _, _, shown = by_people(frame, found.policy(chosen))
    stays = largest_safe_crowd(shown, 6)
    got = pd.read_csv(tmp_path / "out" / "visits.csv", dtype=str)
    assert sorted(map(tuple, got.to_numpy())) == sorted(
        map(tuple, stays.drop(columns="pid").to_numpy())
    )
    assert release.measured.k == chosen.k >= 6
    assert release.measured.risk == pytest.approx(chosen.risk.value, abs=1e-9)
    assert release.measured.utility == pytest.approx(chosen.utility.value, abs=1e-9)
    assert release.measured.t_closeness == pytest.approx(chosen.t_closeness, abs=1e-6)
    assert release.left_out["suppressed"] == chosen.suppressed
    listed = next(p for p in tmp_path.iterdir() if "quarantine" in p.name)
    text = (
        listed.read_text() if listed.is_file() else "".join(p.read_text() for p in listed.iterdir())
    )
    gone = frame.index[~frame["pid"].isin(stays["pid"])]
    assert all(f"row {i + 1}" in text for i in gone)
    assert text.count("person in a group that is too small") == len(gone)


def test_cells_are_blanked_so_that_groups_have_enough_people(tmp_path):
    frame = sparse_visits(11, people=300)
    frame.to_csv(tmp_path / "visits.csv", index=False)
    wide = schema()
    wide["attribute"][1]["domain"] = {"range": [0, 40]}
    found = tables.explore(
        tmp_path / "visits.csv",
        schema=wide,
        evaluations=200,
        min_k=6,
        suppress="0.2:cells",
    )
    chosen = max(found.candidates, key=lambda c: c.utility.value)
    assert 0 < chosen.blanked + chosen.suppressed <= 0.2 * found.record.records
    with pytest.warns(PrivacyWarning, match="keep the order"):
        release = found.publish(
            chosen, tmp_path / "visits.csv", out=tmp_path / "out", keep_order=True
        )
    got = pd.read_csv(tmp_path / "out" / "visits.csv", dtype=str)
    assert (got[["age", "sex"]] == "*").any(axis=None)
    if (
        not chosen.suppressed
    ):  # rows keep their order: who is who can be told here, and not by others
        people = got.assign(pid=frame["pid"]).groupby(["age", "sex"])["pid"].nunique()
        assert people.min() == chosen.k
    assert release.measured.k == chosen.k >= 6
    assert release.measured.risk == pytest.approx(chosen.risk.value, abs=1e-9)
    assert release.measured.utility == pytest.approx(chosen.utility.value, abs=1e-9)
    assert release.measured.l_diversity == chosen.l_diversity
    assert release.measured.t_closeness == pytest.approx(chosen.t_closeness, abs=1e-6)
    assert release.measured.blanked == chosen.blanked
    with pytest.raises(ParameterError, match="rows of a person are joined"):
        tables.explore(frame, schema=joined_schema(40), min_k=6, suppress="0.2:cells")


def test_references_leave_nobody_out():
    """A reference is what it is: its risk and utility do not depend on whom candidates may leave out."""
    points = []
    for share in (0.0, 0.4):
        found = tables.explore(
            visits(3), schema=schema(), evaluations=80, min_k=12, suppress=share,
            reference={"mine": {"age": ["0-1", "2-5"]}},
        )  # fmt: skip
        mine = next(r for r in found.references if r.name == "mine")
        points.append((mine.risk.value, mine.utility.value))
    assert points[0] == points[1]


def test_a_rare_number_of_rows_conflicts_with_a_smallest_group_of_histories():
    frame = pd.concat(
        [visits(3), pd.DataFrame([("p0", 1, "f", "flu")] * 9, columns=visits(3).columns)]
    )
    with pytest.raises(NoCandidateError, match=r"a group of 1 people.*number of rows"):
        tables.explore(frame, schema=joined_schema(), evaluations=40, min_k=2)
