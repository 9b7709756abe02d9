"""Post-randomisation: invariant counts, the correction that the docs give, keyed draws, and releases."""

import numpy as np
import pandas as pd
import pytest

from sfumato import tables
from sfumato.core.errors import PlanError
from sfumato.engines.tables.release.post_randomisation import redraw, uniforms

CHANCE = 0.3


def people(rows=3000, seed=0):
    dice = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": dice.integers(0, 10, rows),
            "sex": dice.choice(["f", "m"], rows),
            "job": dice.choice(["baker", "clerk", "nurse", "none"], rows, p=[0.1, 0.2, 0.3, 0.4]),
        }
    )


def schema(**more):
    return {
        "missing": "value",
        "attribute": [
            {"name": "age", "role": "quasi", "domain": {"range": [0, 9]}},
            {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
            {"name": "job", "role": "other", "publish": {"pram": CHANCE}, **more},
        ],
    }


def test_counts_are_invariant_and_tables_can_be_corrected():
    dice = np.random.default_rng(0)
    rows = 60_000
    group = dice.integers(0, 2, rows)
    codes = np.where(
        group, dice.choice(3, rows, p=[0.6, 0.3, 0.1]), dice.choice(3, rows, p=[0.2, 0.2, 0.6])
    )
    new = redraw(codes, CHANCE, dice.random((rows, 2)))
    before = np.array([np.bincount(codes[group == g], minlength=3) for g in (0, 1)])
    after = np.array([np.bincount(new[group == g], minlength=3) for g in (0, 1)])
    assert after.sum(axis=0) == pytest.approx(before.sum(axis=0), rel=0.03)
    share = after.sum(axis=0) / rows
    corrected = (after - CHANCE * after.sum(axis=1, keepdims=True) * share) / (1 - CHANCE)
    assert np.abs(corrected - before).max() < 500 < np.abs(after - before).max()
    moved = (new != codes).mean()
    expected = CHANCE * (1 - (before.sum(axis=0) / rows) @ (before.sum(axis=0) / rows))
    assert moved == pytest.approx(expected, abs=0.01)


def test_draws_are_keyed_and_even():
    drawn = uniforms("ab" * 32, [str(i) for i in range(4000)])
    assert drawn.shape == (4000, 2)
    assert ((drawn >= 0) & (drawn < 1)).all()
    assert drawn.mean() == pytest.approx(0.5, abs=0.02)
    assert not np.array_equal(drawn, uniforms("cd" * 32, [str(i) for i in range(4000)]))


def test_a_release_says_what_was_drawn_again(tmp_path):
    frame = people()
    frame.loc[:4, "job"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = tables.explore(tmp_path / "t.csv", schema=schema(), evaluations=40)
    release = found.publish(found.knee(), tmp_path / "t.csv", out=tmp_path / "o.csv")
    out = pd.read_csv(tmp_path / "o.csv")
    assert set(out["job"].dropna()) == set(frame["job"].dropna())
    assert out["job"].isna().sum() == 5
    before, after = (f["job"].value_counts(normalize=True).sort_index() for f in (frame, out))
    assert np.abs(after - before).max() < 0.05
    share = before.to_numpy()
    lost = release.measured.columns["job"]
    assert lost.changed == pytest.approx(CHANCE * (1 - share @ share), abs=0.04)
    assert "0.3" in release.how.columns_treated["job"]
    matrix = np.array(release.how.transitions["job"])
    published = after.to_numpy()
    assert matrix == pytest.approx(
        (1 - CHANCE) * np.eye(len(published)) + CHANCE * published, abs=1e-6
    )
    assert published @ matrix == pytest.approx(published, abs=1e-5)  # invariant
    again = found.publish(found.knee(), tmp_path / "t.csv", out=tmp_path / "again.csv")
    assert again.measured.columns["job"] == lost
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "o.csv").read_bytes()


def test_what_cannot_be_asked():
    for wrong in ({"pram": 0.1, "noise": 0.1}, {"pram": 0.1, "top": 3}, {"pram": 1.5}):
        with pytest.raises(PlanError):
            tables.explore(people(50), schema=schema(publish=wrong))
