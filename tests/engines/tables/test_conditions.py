"""Conditions and suppression: against plain pandas, kept by every candidate, and held when publishing."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_twins import random_cells

from sfumato import tables
from sfumato.core.errors import NoCandidateError, ParameterError, ReleaseRefusedError
from sfumato.core.randomness import Streams
from sfumato.engines.tables.contingency.cells import Cells
from sfumato.engines.tables.contingency.numbering import group_sizes
from sfumato.engines.tables.frontier.steps import search
from sfumato.engines.tables.groups.conditions import Conditions, recursive_diversity
from sfumato.engines.tables.groups.record_suppression import suppress_groups
from sfumato.engines.tables.measures.sensitive import closeness, within
from sfumato.engines.tables.measures.shown import PolicyGroups
from sfumato.engines.tables.search.descent import descend, persist
from sfumato.engines.tables.search.run import Budget, SearchRun
from sfumato.engines.tables.space.constraints import AttributeRule, Space

SCHEMA = {
    "attribute": [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 19]}},
        {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
        {"name": "ill", "role": "sensitive"},
        {"name": "pay", "role": "sensitive"},
    ]
}


def people(rows=300, seed=0):
    dice = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": dice.integers(0, 20, rows).clip(0, 17 + (np.arange(rows) % 50 == 0) * 2),
            "sex": dice.choice(["f", "m"], rows),
            "ill": dice.choice(["flu", "cold", "gout", "none"], rows, p=[0.1, 0.2, 0.1, 0.6]),
            "pay": dice.integers(1, 12, rows) * 500,
        }
    )


def published_groups(frame):
    return frame.groupby(["age", "sex"])


def emd(values, whole):
    """The earth mover's distance of numbers, written out."""
    ordered = sorted(set(whole))
    p = np.array([(values == v).mean() for v in ordered])
    q = np.array([(whole == v).mean() for v in ordered])
    return np.abs(np.cumsum(p - q)).sum() / max(len(ordered) - 1, 1)


@given(st.integers(0, 10_000), st.integers(1, 60))
@settings(max_examples=40)
def test_distances_and_recursive_diversity_against_plain_code(seed, rows):
    dice = np.random.default_rng(seed)
    group, value = dice.integers(0, 4, rows), dice.integers(0, 5, rows)
    value = np.unique(value, return_inverse=True)[1]
    group = np.unique(group, return_inverse=True)[1]
    inside = within(group, (np.arange(rows), value, np.ones(rows, dtype=np.int64)))
    wanted = max(emd(value[group == g], value) for g in set(group))
    assert closeness(inside, ordered=True) == pytest.approx(wanted, abs=1e-9)
    for c in (0.5, 1.0, 3.0):
        worst = []
        for g in set(group):
            counts = sorted(np.bincount(value[group == g]), reverse=True)
            counts = [n for n in counts if n]
            fits = [l for l in range(1, len(counts) + 1) if counts[0] < c * sum(counts[l - 1 :])]
            worst.append(max(fits, default=0))
        assert recursive_diversity(inside, c) == min(worst)


@pytest.mark.parametrize(
    "asked",
    [
        {"min_k": 7},
        {"min_l": 3},
        {"min_l": "2.5:entropy"},
        {"min_l": "2:recursive=4"},
        {"max_t": 0.25},
        {"max_individual_risk": 0.09},
        {"max_average_risk": 0.05},
        {"min_k": 4, "min_l": 2, "max_t": 0.5},
    ],
)
def test_every_candidate_keeps_the_conditions(asked):
    frame = people()
    found = tables.explore(frame, schema=SCHEMA, evaluations=400, **asked)
    assert len(found) > 1
    for candidate in list(found)[:: max(1, len(found) // 4)]:
        out = found.publish(candidate, frame)
        groups = published_groups(out)
        sizes = groups.size()
        assert sizes.min() >= asked.get("min_k", 0)
        assert 1 / sizes.min() <= asked.get("max_individual_risk", 1) + 1e-12
        assert len(sizes) / len(out) <= asked.get("max_average_risk", 1) + 1e-12
        if "max_t" in asked:
            assert max(emd(g["pay"], out["pay"]) for _, g in groups) <= asked["max_t"] + 1e-9
            whole = out["ill"].value_counts(normalize=True)
            for _, g in groups:
                share = g["ill"].value_counts(normalize=True).reindex(whole.index).fillna(0)
                assert 0.5 * np.abs(share - whole).sum() <= asked["max_t"] + 1e-9
        least, _, diversity = str(asked.get("min_l", 0)).partition(":")
        if not diversity:
            for column in ("ill", "pay"):
                assert groups[column].nunique().min() >= float(least)
        if diversity == "entropy":
            for _, g in groups:
                p = g["ill"].value_counts(normalize=True)
                assert np.exp(-(p * np.log(p)).sum()) >= float(least) - 1e-9


def test_absolute_risks_against_pandas():
    frame = people()
    found = tables.explore(frame, schema=SCHEMA, evaluations=200)
    for candidate in list(found)[::10]:
        out = found.publish(candidate, frame)
        sizes = published_groups(out).size()
        risks = candidate.risks
        assert risks.prosecutor_max == pytest.approx(1 / sizes.min())
        assert risks.prosecutor_average == pytest.approx(len(sizes) / len(out))
        assert risks.marketer == pytest.approx(len(sizes) / len(out))
        assert risks.sample_uniqueness == pytest.approx((sizes == 1).sum() / len(out))


def test_absolute_risks_with_a_population(tmp_path):
    frame = people(60)
    frame.to_csv(tmp_path / "t.csv", index=False)
    crowd = people(2000, seed=1).groupby(["age", "sex"], as_index=False).size()
    crowd = crowd.rename(columns={"size": "count"})
    found = tables.explore(tmp_path / "t.csv", schema=SCHEMA, population=crowd, evaluations=200)
    chosen = found.knee()
    release = found.publish(chosen, tmp_path / "t.csv", out=tmp_path / "o.csv")
    policy = found.policy(chosen)
    label = {(n, v): l for n, v, l in policy.mapping()}
    for name in ("age", "sex"):
        crowd[name] = [label[name, str(v)] for v in crowd[name]]
    out = pd.read_csv(tmp_path / "o.csv", dtype=str)
    n = out.groupby(["age", "sex"]).size()
    g = np.maximum(crowd.groupby(["age", "sex"])["count"].sum().reindex(n.index).fillna(0), n)
    risks = release.measured.risks
    assert risks.journalist_max == pytest.approx(1 / g.min())
    assert risks.journalist_average == pytest.approx((n / g).sum() / 60)
    assert chosen.risks.journalist_average == pytest.approx(risks.journalist_average)
    assert chosen.risks.journalist_max == pytest.approx(risks.journalist_max)


@given(st.integers(0, 10_000), st.integers(2, 5))
@settings(max_examples=25)
def test_suppressed_points_against_plain_code(seed, least):
    dice = np.random.default_rng(seed)
    codes, count = np.unique(dice.integers(0, [[5], [3]], (2, 40)), axis=1, return_counts=True)
    cells = Cells([5, 3], codes, count, least_sample=least)
    bits = dice.integers(0, 2, 6).astype(np.uint8)
    left, out = suppress_groups(cells, bits)
    group, sizes = group_sizes(cells, bits)
    small = sizes < least
    assert left.records == sizes[small].sum()
    assert np.array_equal(out, small[group])
    assert left.groups == (~small).sum()
    interval = cells.intervals(bits)
    widths = [np.bincount(interval[a, :s]) for a, s in enumerate((5, 3))]
    total, n = 0.0, count.sum()
    for i in range(cells.occupied):
        if small[group[i]]:
            q = left.records / n / 15
        else:
            wide = np.prod([widths[a][interval[a][cells.codes[a, i]]] for a in range(2)])
            q = sizes[group[i]] / n / wide
        p = cells.count[i] / n
        total += p * np.log(p / q)
    assert left.loss_nats == pytest.approx(total, abs=1e-9)
    if left.records == 0:
        assert left.loss == pytest.approx(cells.measure(bits).loss)
        assert left.risk == pytest.approx(cells.measure(bits).risk)
    assert PolicyGroups.of_cells(cells, bits).smallest == sizes.min()


def test_leaving_out_a_few_records_keeps_more(tmp_path):
    frame = people(600)
    frame.to_csv(tmp_path / "t.csv", index=False)
    plain = tables.explore(tmp_path / "t.csv", schema=SCHEMA, evaluations=500, min_k=8)
    found = tables.explore(
        tmp_path / "t.csv", schema=SCHEMA, evaluations=500, min_k=8, suppress=0.05
    )
    best = max(found, key=lambda c: c.utility.value)
    assert best.utility.value > max(c.utility.value for c in plain)
    assert 0 < best.suppressed <= 30
    release = found.publish(best, tmp_path / "t.csv", out=tmp_path / "o.csv")
    out = pd.read_csv(tmp_path / "o.csv", dtype=str)
    assert len(out) == 600 - best.suppressed == release.counts["rows"]
    assert published_groups(out).size().min() >= 8
    assert release.measured.suppressed == release.left_out["suppressed"] == best.suppressed
    assert release.measured.utility == pytest.approx(best.utility.value, abs=1e-9)
    assert release.measured.risk == pytest.approx(best.risk.value, abs=1e-9)
    listed = (tmp_path / "o.csv.quarantine.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(listed) == best.suppressed
    folder = tmp_path / "f"
    folder.mkdir()
    found.save(folder)
    again = tables.load(folder)
    assert again.record == found.record
    assert again.payload.conditions == found.payload.conditions == Conditions(max_suppressed=0.05)
    frame.iloc[:60].to_csv(tmp_path / "few.csv", index=False)
    with pytest.raises(ReleaseRefusedError):
        again.publish(best.id, tmp_path / "few.csv", out=tmp_path / "few-out.csv")


def test_what_cannot_be_asked():
    frame = people()
    with pytest.raises(ParameterError, match="minimum group size"):
        tables.explore(frame, schema=SCHEMA, suppress=0.1)
    with pytest.raises(ParameterError, match="default risk"):
        tables.explore(frame, schema=SCHEMA, suppress=0.1, min_k=3, risk="prosecutor")
    bare = {"attribute": SCHEMA["attribute"][:2]}
    with pytest.raises(ParameterError, match="sensitive"):
        tables.explore(frame[["age", "sex"]], schema=bare, min_l=2)
    with pytest.raises(NoCandidateError):
        tables.explore(frame, schema=SCHEMA, min_l=9, evaluations=50)


def test_k_l_t_as_pycanon_counts_them():
    anonymity = pytest.importorskip("pycanon.anonymity")
    frame = people()
    found = tables.explore(frame, schema=SCHEMA, evaluations=200)
    for candidate in list(found)[::12]:
        out = found.publish(candidate, frame)
        assert anonymity.k_anonymity(out, ["age", "sex"]) == candidate.k
        for column in ("ill", "pay"):
            assert (
                anonymity.l_diversity(out, ["age", "sex"], [column])
                == candidate.l_diversity[column]
            )
            t = anonymity.t_closeness(out, ["age", "sex"], [column])
            assert t == pytest.approx(candidate.t_closeness[column], abs=1e-5)


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(2, 6), st.booleans())
def test_descents_measure_allowed_policies_and_end_where_no_split_is_allowed(seed, least, coupled):
    cells = random_cells(seed, sizes=[6, 5, 4], records=120, population=False, least_sample=least)
    nodes = [((0, 5), (0, 2), (3, 5)), ((0, 4), (0, 1), (2, 4)), ((0, 3), (1, 3))]
    rules = [
        AttributeRule(f"a{i}", int(s), nodes=nodes[i] if coupled else None)
        for i, s in enumerate(cells.sizes)
    ]
    space = Space(rules)
    run = SearchRun(cells, space, Budget(5_000), Streams(seed))
    descend(run, 200)
    for _, _, packed in run.frontier.entries():
        bits = run.unpack(packed)
        assert space.allows(bits)
        assert cells.measure(bits).below == 0
    best = run.unpack(list(run.frontier.entries())[-1][2])
    if coupled:  # every split of a node was looked at
        for a in range(3):
            part = best[space.first[a] : space.first[a + 1]]
            ends = [*np.flatnonzero(part).tolist(), part.size]
            for low, high in zip([0, *(e + 1 for e in ends[:-1])], ends, strict=True):
                for cuts in space.splits(a, low, high, cells.value_counts[a], 7):
                    finer = best.copy()
                    finer[space.first[a] + np.array(cuts)] = 1
                    assert cells.measure(finer).below > 0


def found_by_walks(seed, least):
    """Return whether walks find the most useful of all allowed policies, which are few enough to list."""
    cells = random_cells(seed, sizes=[6, 5, 4], records=120, population=False, least_sample=least)
    nodes = [((0, 5), (0, 2), (3, 5)), ((0, 4), (0, 1), (2, 4)), ((0, 3), (1, 3))]
    space = Space([AttributeRule(f"a{i}", n[0][1] + 1, nodes=n) for i, n in enumerate(nodes)])
    run = SearchRun(cells, space, Budget(5_000), Streams(seed))
    persist(run, 5_000)
    best = 0.0
    for parts in product(*(space.partitions(a) for a in range(3))):
        measured = cells.measure(np.concatenate(parts))
        if measured.below == 0:
            best = max(best, 1.0 - measured.loss)
    return run.frontier.points()[-1][1] == pytest.approx(best)


def test_walks_that_go_on_find_the_most_useful_allowed_policy():
    """Walks are drawn at random: two of 1,500 tables were not solved when this was measured."""
    found = [found_by_walks(seed, 2 + seed % 5) for seed in range(40)]
    assert sum(found) >= 39


def test_no_evaluation_is_left_while_new_policies_are_met():
    cells = random_cells(3, sizes=[40, 30, 5], records=900, population=False, least_sample=5)
    run = SearchRun(cells, Space([AttributeRule(f"a{i}", n) for i, n in enumerate((40, 30, 5))]), Budget(700), Streams(1))  # fmt: skip
    search(run, "exchange")
    assert run.evaluations == 700


def test_a_hierarchy_under_a_condition_is_searched_as_well_as_by_chance():
    """A small table on which the search used to end above random chains at the same number of evaluations."""
    draw = np.random.default_rng(8)
    frame = pd.DataFrame({
        "a": (draw.beta(1, 3, 700) * 32).astype(int), "b": (draw.beta(2, 2, 700) * 16).astype(int),
    })  # fmt: skip
    schema = {
        "attribute": [
            {"name": "a", "role": "quasi", "domain": {"range": [0, 31]}, "hierarchy": {"widths": [2, 4, 8, 16]}},
            {"name": "b", "role": "quasi", "domain": {"range": [0, 15]}, "hierarchy": {"widths": [2, 4, 8]}},
        ]
    }  # fmt: skip
    best = {
        strategy: max(
            c.utility.value
            for c in tables.explore(
                frame, schema=schema, strategy=strategy, evaluations=300, min_k=9
            ).candidates
        )
        for strategy in ("exchange", "shs", "rcs")
    }
    assert best["exchange"] >= max(best.values()) - 1e-12


def test_publishing_can_ask_for_more(tmp_path):
    frame = people(600, seed=4)
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = tables.explore(tmp_path / "t.csv", schema=SCHEMA, evaluations=300)
    chosen = next(c for c in found.candidates if c.k < 4 and c.groups > 8)
    for asked, told in [
        ({"min_k": chosen.k + 1}, f"below the {chosen.k + 1} asked for"),
        ({"max_individual_risk": 0.5 / chosen.k}, "people, below the"),
        ({"max_average_risk": chosen.risks.journalist_average / 2}, "average chance"),
        ({"min_l": min(chosen.l_diversity.values()) + 1}, "diversity"),
        ({"max_t": min(chosen.t_closeness.values()) / 2}, "away from the table"),
    ]:
        with pytest.raises(ReleaseRefusedError, match=told):
            found.publish(chosen, tmp_path / "t.csv", out=tmp_path / "no", **asked)
        assert not (tmp_path / "no").exists()
    release = found.publish(
        chosen, tmp_path / "t.csv", out=tmp_path / "out", min_k=chosen.k + 1, suppress=0.4
    )
    assert release.measured.k > chosen.k
    assert release.left_out["suppressed"] > 0
    assert release.request["min_k"] == chosen.k + 1
    with pytest.raises(ReleaseRefusedError, match="would be suppressed"):
        found.publish(
            chosen, tmp_path / "t.csv", out=tmp_path / "no", min_k=chosen.k + 20, suppress=0.001
        )
