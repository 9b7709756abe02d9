"""Tables of counts: nothing small can be derived, by linear programmes and by plain code; few cells are hidden."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from typer.testing import CliRunner

from sfumato import tables
from sfumato.cli import app
from sfumato.core.errors import DataError, ParameterError, ReleaseRefusedError
from sfumato.engines.tables.tabulation.audit import derived_ranges
from sfumato.engines.tables.tabulation.cube import Cube
from sfumato.engines.tables.tabulation.exact import hide_fewest, prune
from sfumato.engines.tables.tabulation.hypercubes import hide_by_hypercubes
from sfumato.engines.tables.tabulation.protection import protect
from sfumato.engines.tables.tabulation.steps import tabulate


def random_cube(seed, shape):
    dice = np.random.default_rng(seed)
    inner = dice.negative_binomial(1, 0.05, shape) * (dice.random(shape) < 0.9)
    values = [[f"{'abcd'[a]}{i}" for i in range(n)] for a, n in enumerate(shape)]
    return Cube.of_inner([f"column {a}" for a in range(len(shape))], values, inner)


def plain_range(cube, hidden, place):
    """Return the range of a cell by a linear programme over all inner cells, written out."""
    inner = cube.inner
    rows, right = [], []
    for at in np.ndindex(cube.counts.shape):
        if hidden[at]:
            continue
        choices = [range(n) if i == n else [i] for i, n in zip(at, inner.shape, strict=True)]
        row = np.zeros(inner.shape)
        for cell in product(*choices):
            row[cell] = 1
        rows.append(row.ravel())
        right.append(cube.counts[at])
    wanted = np.zeros(inner.shape)
    choices = [range(n) if i == n else [i] for i, n in zip(place, inner.shape, strict=True)]
    for cell in product(*choices):
        wanted[cell] = 1
    ends = []
    for sign in (1, -1):
        made = linprog(sign * wanted.ravel(), A_eq=np.array(rows), b_eq=right, bounds=(0, None))
        ends.append(sign * made.fun if made.status == 0 else -sign * np.inf)
    return ends


SHAPES = st.sampled_from([(3, 3), (4, 5), (2, 3, 3), (6,), (3, 2, 2, 2)])


@given(st.integers(0, 10_000), SHAPES, st.sampled_from([4, 10]))
@settings(max_examples=10)
def test_no_small_count_can_be_derived(seed, shape, high):
    cube = random_cube(seed, shape)
    try:
        found = protect(cube, 1, high)
    except ReleaseRefusedError:
        return  # too few counts to hide a small one among
    small = np.argwhere((cube.counts >= 1) & (cube.counts <= high))
    assert all(found.hidden[tuple(at)] for at in small)
    assert not found.hidden[cube.counts == 0].any()
    for at in small[:4]:
        least, most = plain_range(cube, found.hidden, tuple(at))
        assert most - least >= high - 1e-6
        assert least - 1e-6 <= cube.counts[tuple(at)] <= most + 1e-6


@given(st.integers(0, 10_000), SHAPES)
@settings(max_examples=8)
def test_boxes_protect_what_they_say_and_ranges_are_those_of_plain_code(seed, shape):
    cube = random_cube(seed, shape)
    primary = (cube.counts >= 1) & (cube.counts <= 5)
    found = hide_by_hypercubes(cube, primary, 5)
    inside = [at for at, _ in found.boxes]
    cells = [int(np.ravel_multi_index(at, cube.counts.shape)) for at in inside[:3]]
    ranges = derived_ranges(cube, found.hidden, cells)
    for cell, (least, most) in zip(cells, ranges, strict=True):
        assert most - least >= 5 - 1e-6
        place = np.unravel_index(cell, cube.counts.shape)
        assert [least, most] == pytest.approx(plain_range(cube, found.hidden, place), abs=1e-6)
    assert found.are_proof(cube, 5) == (not found.unprotected)


def test_the_fewest_cells_are_hidden_and_boxes_need_few_more():
    more = fewest = 0
    for seed in range(5):
        cube = random_cube(seed, (4, 4))
        primary = (cube.counts >= 1) & (cube.counts <= 5)
        best = hide_fewest(cube, primary, 5)
        boxes = hide_by_hypercubes(cube, primary, 5)
        if best is None or boxes.unprotected:
            continue
        pruned = prune(cube, primary, boxes.hidden, 5)
        small = np.flatnonzero(primary.ravel()).tolist()
        for hidden in (best, pruned):
            ranges = derived_ranges(cube, hidden, small)
            assert ((ranges[:, 1] - ranges[:, 0]) >= 5 - 1e-6).all()
        assert best.sum() <= pruned.sum()
        fewest, more = fewest + int(best.sum()), more + int(pruned.sum())
    assert 0 < fewest <= more <= 1.25 * fewest


def patients(rows=900, seed=1):
    dice = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": dice.choice(["0-17", "18-64", "65+"], rows, p=[0.1, 0.6, 0.3]),
            "sex": dice.choice(["f", "m"], rows),
            "town": dice.choice(["a", "b", "c", "d"], rows, p=[0.7, 0.2, 0.08, 0.02]),
        }
    )


def test_a_table_is_counted_hidden_and_written(tmp_path):
    frame = patients()
    frame.to_csv(tmp_path / "t.csv", index=False)
    for name in ("c.csv", "c.parquet", "c.html"):
        out = tmp_path / name
        asked = ["--by", "age,sex,town", "--rule", "cms", "--out", str(out)]
        done = CliRunner().invoke(app, ["tables", "tabulate", str(tmp_path / "t.csv"), *asked])
        assert done.exit_code == 0, done.output
        assert "can be derived" in done.output
    shown = pd.read_csv(tmp_path / "c.csv")
    again = pd.read_parquet(tmp_path / "c.parquet")
    assert np.array_equal(shown["count"].to_numpy(), again["count"].to_numpy(float), equal_nan=True)
    plain = frame.groupby(["age", "sex", "town"]).size()
    for row in shown.itertuples():
        keys = {n: getattr(row, n) for n in frame.columns if getattr(row, n) != "Total"}
        wanted = (frame[list(keys)] == pd.Series(keys)).all(axis=1).sum() if keys else len(frame)
        value = shown.loc[row.Index, "count"]
        if 1 <= wanted <= 10:
            assert np.isnan(value)
        elif not np.isnan(value):
            assert value == wanted
    assert 0 < shown["count"].isna().sum() < len(shown) / 2
    assert (plain < 11).any()
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "not shown" in page
    assert "http" not in page


def test_a_release_is_tabulated_by_its_folder(tmp_path):
    frame = patients()
    frame.to_csv(tmp_path / "t.csv", index=False)
    schema = {
        "attribute": [{"name": c, "role": "quasi", "domain": "observed"} for c in frame.columns]
    }
    found = tables.explore(tmp_path / "t.csv", schema=schema, evaluations=60)
    (tmp_path / "o").mkdir()
    found.publish(found.knee(), tmp_path / "t.csv", out=tmp_path / "o", force=True)
    made = tabulate(tmp_path / "o", ["sex"], "suppress:5")
    assert made.shown[-1] == len(frame)


def test_rounding_and_noise():
    frame = patients()
    made = tabulate(frame, ["age", "town"], "round:5")
    assert (made.shown % 5 == 0).all()
    assert (np.abs(made.shown - made.cube.counts) <= 2.5).all()
    assert made.narrowest is None or made.narrowest >= 1
    both = tabulate(frame, ["age", "town"], "nhs+round:5")
    assert (both.shown[both.shown >= 0] % 5 == 0).all()
    assert (both.shown[(both.cube.counts >= 1) & (both.cube.counts <= 7)] == -1).all()
    noisy = tabulate(frame, ["age", "town"], "noise:0.5")
    again = tabulate(frame, ["age", "town"], "noise:0.5")
    assert np.array_equal(noisy.shown, again.shown)
    assert (noisy.shown != noisy.cube.counts).any()
    assert (noisy.shown >= 0).all()
    inner = noisy.shown[:-1, :-1]
    assert np.array_equal(inner.sum(axis=0), noisy.shown[-1, :-1])


def test_rounding_that_gives_a_count_away_is_refused():
    """Four counts of 2 are rounded to 0, their sum of 8 to 10: then each of them is 2."""
    with pytest.raises(ReleaseRefusedError, match="give"):
        tabulate(pd.DataFrame({"x": list("abcd") * 2}), ["x"], "round:5")
    made = tabulate(pd.DataFrame({"x": list("abc") * 2 + ["d"] * 20}), ["x"], "round:5")
    assert made.narrowest == pytest.approx(2.0)


def test_a_table_of_small_counts_alone_is_hidden_whole():
    made = tabulate(pd.DataFrame({"x": list("ab") * 2}), ["x"], "suppress:5")
    assert (made.shown == -1).all()


@pytest.mark.parametrize(
    ("by", "rule", "error"),
    [
        (["age"], "suppress:1", ParameterError),
        (["age"], "round:x", ParameterError),
        (["age"], "noise:0", ParameterError),
        (["age"], "noise:1+round:5", ParameterError),
        (["age"], "ema", ParameterError),
        (["age", "age"], "cms", DataError),
        (["agee"], "cms", DataError),
    ],
)
def test_what_cannot_be_asked(by, rule, error):
    with pytest.raises(error):
        tabulate(patients(50), by, rule)
