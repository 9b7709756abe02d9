"""Households: each member has the largest risk of its household, beside plain pandas."""

import json

import numpy as np
import pandas as pd
import pytest

from sfumato import tables
from sfumato.core.errors import PlanError
from sfumato.data.table_schema import TableSchema

QUASI = ["age", "sex"]


def census(seed=0, rows=300):
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "home": draw.integers(0, 90, rows).astype(str),
        "age": draw.integers(0, 8, rows),
        "sex": draw.choice(["f", "m"], rows, p=[0.8, 0.2]),
    })  # fmt: skip
    frame.loc[frame["age"].sample(9, random_state=1).index, "home"] = ""
    return frame


def schema(**more):
    return {
        "attribute": [
            {"name": "home", "role": "household"},
            {"name": "age", "role": "quasi", "domain": {"range": [0, 7]}},
            {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
        ],
        **more,
    }


def expected(frame, labels):
    """The average of each record's largest risk in its household, and of its own."""
    risk = 1 / labels.groupby(QUASI)["age"].transform("size")
    home = frame["home"].where(frame["home"] != "", [f"alone {i}" for i in range(len(frame))])
    return risk.groupby(home.to_numpy()).transform("max").mean(), risk.mean()


@pytest.mark.parametrize("suppress", [0.0, 0.1])
def test_the_risk_of_a_household_is_its_members_largest(tmp_path, suppress):
    frame = census()
    frame.to_csv(tmp_path / "census.csv", index=False)
    found = tables.explore(frame, schema=schema(), min_k=4, suppress=suppress, evaluations=60)
    finest = max(found.candidates, key=lambda c: c.utility.value)
    policy = found.policy(finest)
    label = {n: {v: text for m, v, text in policy.mapping() if m == n} for n in QUASI}
    labels = pd.DataFrame({n: frame[n].astype(str).map(label[n]) for n in QUASI})
    kept = labels.groupby(QUASI)["age"].transform("size") >= (4 if suppress else 0)
    wanted = expected(frame[kept].reset_index(drop=True), labels[kept].reset_index(drop=True))
    release = found.publish(finest, tmp_path / "census.csv", out=tmp_path / "out")
    got = release.measured.households
    assert (got.average, got.alone) == pytest.approx(wanted)
    assert got.average > got.alone
    assert "home" not in pd.read_csv(tmp_path / "out" / "census.csv").columns
    assert release.how.identifiers_dropped == ("home",)
    assert "households" not in json.loads((tmp_path / "out" / "release.json").read_text())["measured"]  # fmt: skip


def test_one_column_names_the_household():
    twice = schema()
    twice["attribute"].append({"name": "flat", "role": "household"})
    with pytest.raises(PlanError, match="only one attribute can have the role household"):
        TableSchema.of(twice)
