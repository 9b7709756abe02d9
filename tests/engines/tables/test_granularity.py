"""The loss by granularity: against plain pandas, with weights, with records left out, and where ranges are wide."""

import json

import numpy as np
import pandas as pd
import pytest

from sfumato import tables
from sfumato.core.errors import ParameterError, PlanError
from sfumato.data.table import read_table
from sfumato.engines.tables.frontier.problem import Problem
from sfumato.engines.tables.measures.axes import InformationLoss
from sfumato.engines.tables.measures.granularity import GranularityLoss
from sfumato.engines.tables.measures.protocol import Context
from sfumato.reports.parts import find_parts


def county(rows=800, seed=0):
    """People as counties count them: ages even, sexes even, a few small minorities."""
    dice = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": dice.integers(0, 18, rows) * 5,
            "sex": dice.choice(["f", "m"], rows),
            "race": dice.choice(["w", "b", "i", "a"], rows, p=[0.93, 0.04, 0.02, 0.01]),
        }
    )


def schema(**weights):
    return {
        "attribute": [
            {"name": "age", "role": "quasi", "domain": {"range": [0, 120]}},
            {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
            {"name": "race", "role": "quasi", "domain": {"values": ["w", "b", "i", "a"]}},
        ]
        if not weights
        else [{**a, "weight": weights.get(a["name"], 1)} for a in schema()["attribute"]]
    }


def plain_loss(frame, policy, weights=(1, 1, 1), out=0):
    """Return the mean penalty written out; the records that are out lose everything."""
    lost, total = 0.0, len(frame) + out
    for name, weight in zip(policy.lattice.names, weights, strict=True):
        a = policy.lattice.names.index(name)
        domain = policy.lattice.domains[a]
        here = [domain.index(str(v)) for v in frame[name]]
        low, high = min(here), max(here)
        for first, last in policy.spans(a):
            wide = min(last, high) - max(first, low)
            inside = sum(first <= h <= last for h in here)
            lost += weight * inside * max(wide, 0) / (high - low)
        lost += weight * out
    return lost / total / sum(weights)


@pytest.mark.parametrize("weights", [{}, {"age": 3, "race": 0.5}])
def test_candidates_and_releases_have_the_loss_of_plain_code(tmp_path, weights):
    frame = county(300)
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = tables.explore(
        tmp_path / "t.csv", schema=schema(**weights), loss="granularity", min_k=4, evaluations=300
    )
    by_name = tuple(weights.get(n, 1) for n in ("age", "sex", "race"))
    for candidate in list(found)[:: max(1, len(found.candidates) // 4)]:
        wanted = plain_loss(frame, found.policy(candidate), by_name)
        assert candidate.loss == pytest.approx(wanted, abs=1e-9)
    chosen = found.knee()
    release = found.publish(chosen, tmp_path / "t.csv", out=tmp_path / "o.csv")
    assert release.measured.utility == pytest.approx(chosen.utility.value, abs=1e-9)


@pytest.mark.parametrize("asked", [{"min_k": 5}, {"min_k": 3, "max_average_risk": 0.2}])
def test_records_that_are_left_out_lose_everything(tmp_path, asked):
    frame = county(300)
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = tables.explore(
        tmp_path / "t.csv",
        schema=schema(),
        loss="granularity",
        suppress=0.05,
        evaluations=300,
        **asked,
    )
    chosen = max(found, key=lambda c: c.utility.value)
    release = found.publish(chosen, tmp_path / "t.csv", out=tmp_path / "o.csv")
    out = pd.read_csv(tmp_path / "o.csv", dtype=str)
    assert release.measured.utility == pytest.approx(chosen.utility.value, abs=1e-9)
    assert 0 < chosen.suppressed == len(frame) - len(out) <= 15
    policy = found.policy(chosen)
    label = {(n, v): l for n, v, l in policy.mapping()}
    shown = frame.apply(lambda c: [label[c.name, str(v)] for v in c])
    sizes = shown.groupby(list(shown.columns))["age"].transform("size")
    stays = sizes >= asked["min_k"]
    width = {}
    lost = float((~stays).sum()) * 3
    for a, name in enumerate(policy.lattice.names):
        domain = policy.lattice.domains[a]
        here = [domain.index(str(v)) for v in frame[name]]
        low, high = min(here), max(here)
        for first, last in policy.spans(a):
            for v in range(first, last + 1):
                width[v] = max(min(last, high) - max(first, low), 0) / (high - low)
        lost += sum(width[h] for h, s in zip(here, stays, strict=True) if s)
    assert chosen.loss == pytest.approx(lost / 3 / len(frame), abs=1e-9)


@pytest.mark.parametrize("measure", [GranularityLoss, InformationLoss])
def test_nothing_published_is_worth_nothing_where_the_range_is_wide(measure):
    problem = Problem.of(read_table(county(), schema()))
    loss = measure.of(Context(problem.cells, weights=problem.weights))
    top = np.zeros(problem.lattice.length, dtype=np.uint8)
    assert loss(top) == pytest.approx(1.0)
    empty_band = problem.lattice.policy(
        {"age": ["0-85", "86-120"], "sex": ["f|m"], "race": ["w|b|i|a"]}
    )
    assert loss(empty_band.bits) == pytest.approx(1.0)
    assert loss(np.ones_like(top)) == pytest.approx(0.0)


def test_an_empty_band_is_worth_nothing_in_a_release_either(tmp_path):
    frame = county(300)
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = tables.explore(tmp_path / "t.csv", schema=schema(), evaluations=100)
    by_hand = tmp_path / "hand.json"
    nothing = {"age": ["0-85", "86-120"], "sex": ["f|m"], "race": ["w|b|i|a"]}
    by_hand.write_text(json.dumps({"intervals": nothing}))
    release = tables.publish(
        found, tmp_path / "t.csv", choose=f"policy={by_hand}", out=tmp_path / "o.csv"
    )
    assert release.measured.groups_count == 1
    assert release.measured.utility == pytest.approx(0.0, abs=1e-12)


def test_missing_cells_are_a_value_and_what_lies_before_them_is_not(tmp_path):
    frame = county(300).astype({"age": object})
    frame.loc[:4, "age"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = tables.explore(
        tmp_path / "t.csv", schema={**schema(), "missing": "value"}, evaluations=200
    )
    for number, candidate in enumerate(list(found)[:: max(1, len(found.candidates) // 3)]):
        (tmp_path / str(number)).mkdir()
        out = tmp_path / str(number) / "o.csv"
        release = found.publish(candidate, tmp_path / "t.csv", out=out)
        assert release.measured.utility == pytest.approx(candidate.utility.value, abs=1e-9)


def test_the_knee_publishes_bands_of_age(tmp_path):
    found = tables.explore(
        county(4000), schema=schema(), loss="granularity", min_k=5, evaluations=500
    )
    knee, best = found.knee().ends, max(found, key=lambda c: c.utility.value).ends
    assert sum(end < 90 for end in knee["age"]) >= 1  # a cut among the ages that occur
    assert len(knee["sex"]) == 2
    assert len(best["age"]) >= 10
    by_divergence = tables.explore(county(4000), schema=schema(), min_k=11, evaluations=300)
    knee, farthest = by_divergence.knee(), by_divergence.frontier.knee()
    assert any(end < 85 for end in knee.ends["age"])
    assert farthest.ends["age"] == (120,)
    by_divergence.save(tmp_path)
    (part,) = find_parts([tmp_path])
    assert (part.chosen, part.chosen_by) == (knee, "knee")  # which a report is about
    assert knee.risk.value <= 2 * farthest.risk.value * (1 + 1e-9)


def test_weights_move_the_knee_and_what_cannot_be_asked():
    frame = county(600)
    plain, heavy = (
        tables.explore(frame, schema=s, loss="granularity", min_k=8, evaluations=400)
        for s in (schema(), schema(race=50))
    )
    best = [max(f, key=lambda c: c.utility.value) for f in (plain, heavy)]
    assert len(best[1].ends["race"]) >= len(best[0].ends["race"])
    assert best[0].id != best[1].id
    with pytest.raises(ParameterError, match="Suppressing records"):
        tables.explore(frame, schema=schema(), loss="granularity", min_k=3, suppress="0.02:cells")
    with pytest.raises(PlanError, match="weight is for quasi"):
        wrong = {"attribute": [*schema()["attribute"], {"name": "w", "role": "other", "weight": 2}]}
        tables.explore(frame, schema=wrong)
