"""Columns that are no quasi-identifiers: numbers coded, rounded, averaged and blurred, dates coarsened and moved."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.neighbors import KNeighborsRegressor

from sfumato import tables
from sfumato.core.errors import DataError, PlanError
from sfumato.data.table_schema import TableSchema
from sfumato.engines.tables.release.microaggregation import microaggregate
from sfumato.engines.tables.release.treatments import normals

ROWS = 240


def people(seed=0):
    draw = np.random.default_rng(seed)
    days = pd.to_datetime("2019-01-01") + pd.to_timedelta(draw.integers(0, 700, ROWS), unit="D")
    return pd.DataFrame({
        "pid": [f"p{i % 80}" for i in range(ROWS)],
        "sex": ["fm"[i % 80 % 2] for i in range(ROWS)],
        "key": [f"k{i:03}" for i in range(ROWS)],  # to find a row again; not a schema for real data
        "pay": draw.lognormal(7, 0.8, ROWS).round(2),
        "visit": days.strftime("%d.%m.%Y"),
    })  # fmt: skip


def schema(**other):
    attributes = [
        {"name": "pid", "role": "person"},
        {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
        {"name": "key", "role": "other"},
    ]
    attributes += [{"name": n, "role": "other", **other.get(n, {})} for n in ("pay", "visit")]
    return {"attribute": attributes}


def published(frame, **other):
    """Publish by the finest policy; return the rows in their order before, and the release."""
    found = tables.explore(frame, schema=schema(**other), strategy="exhaustive")
    finest = max(found.candidates, key=lambda c: c.utility.value)
    return found.publish(finest, frame).sort_values("key").reset_index(drop=True), found, finest


def half_up(values):
    return np.sign(values) * np.floor(np.abs(values) + 0.5)


def test_ends_and_rounding_against_pandas():
    frame = people()
    got, _, _ = published(frame, pay={"publish": {"bottom": 500, "top": 4000, "round": 50}})
    wanted = half_up(frame["pay"].clip(500, 4000) / 50) * 50
    assert got["pay"].tolist() == wanted.tolist()
    tenth, _, _ = published(frame, pay={"publish": {"round": 0.1}})
    assert np.allclose(tenth["pay"], frame["pay"], atol=0.0500001)
    assert tenth["pay"].tolist() == tenth["pay"].round(1).tolist()


def test_micro_aggregation_hides_everybody_among_k():
    frame = people()
    got, _, _ = published(frame, pay={"publish": {"microaggregate": 7}})
    assert frame["pid"].groupby(got["pay"]).nunique().min() >= 7
    assert got["pay"].mean() == pytest.approx(frame["pay"].mean(), rel=1e-2)
    order = frame["pay"].argsort()
    assert np.all(np.diff(got["pay"].to_numpy()[order]) >= -1e-9)  # neighbours stay neighbours


def test_h2_micro_aggregation_counts_people_and_not_rows():
    frame = people()
    frame["pay"] = (
        frame["pid"].str[1:].astype(int) * 100.0 + 17
    )  # every row of a person says the same
    got, _, _ = published(frame, pay={"publish": {"microaggregate": 3}})
    assert frame["pid"].groupby(got["pay"]).nunique().min() >= 3
    assert not set(got["pay"]) & set(frame["pay"])


def test_h2_a_treatment_that_changes_nothing_is_refused():
    frame = people().assign(pay=100.0)
    for treatment in ({"microaggregate": 5}, {"round": 10}, {"noise": 0.1}):
        with pytest.raises(DataError, match="changed none of its numbers"):
            published(frame, pay={"publish": treatment})


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), min_size=1, max_size=60),
    st.integers(2, 9),
)
def test_groups_of_neighbours(rows, least):
    found = pd.DataFrame(rows, columns=["v", "who"]).value_counts().reset_index(name="n")
    found = found.sort_values(["v", "who"])
    means = microaggregate(*(found[c].to_numpy() for c in ("v", "who", "n")), least)
    people_of = found["who"].groupby(means.round(9)).nunique()
    assert people_of.min() >= min(least, found["who"].nunique())
    assert (means * found["n"]).sum() == pytest.approx((found["v"] * found["n"]).sum())
    assert (np.diff(means) >= -1e-12).all()


def test_h3_noise_is_normal_and_independent():
    texts = [f"pay 1.0 {i}" for i in range(100_000)]
    drawn, again = normals("a" * 64, texts), normals("b" * 64, texts)
    assert stats.kstest(drawn, "norm").pvalue > 1e-3
    assert abs(drawn).max() > 4
    assert abs(np.corrcoef(drawn, again)[0, 1]) < 0.02
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.02
    assert normals("a" * 64, texts[:9]).tolist() == drawn[:9].tolist()


def test_h3_an_insider_who_knows_half_of_the_rows_predicts_nothing_of_the_rest():
    frame = people()
    got, _, _ = published(frame, pay={"publish": {"noise": 0.5}})
    noise = (got["pay"] - frame["pay"]).to_numpy()
    known = np.random.default_rng(0).permutation(ROWS)
    half, rest = known[: ROWS // 2], known[ROWS // 2 :]
    features = np.column_stack(
        [frame["pay"], frame["key"].str[1:].astype(int), frame["pid"].str[1:].astype(int)]
    )
    model = KNeighborsRegressor(3).fit(features[half], noise[half])
    guess = model.predict(features[rest])
    assert np.mean((noise[rest] - guess) ** 2) > 0.9 * np.var(noise[rest])


def test_h3_a_table_that_grows_keeps_the_noise_of_everybody():
    frame = people()
    got, found, finest = published(frame, pay={"publish": {"noise": 0.5}})
    more = pd.concat(
        [frame, frame.iloc[:1].assign(pid="new", key="k999", pay=frame["pay"].median())]
    )
    later = found.publish(finest, more, accept_worse=True).sort_values("key").reset_index(drop=True)
    assert later["pay"][:ROWS].tolist() == got["pay"].tolist()


def test_h3_without_a_person_equal_rows_are_blurred_apart_and_alike_in_every_release():
    frame = people()[["sex", "pay"]].assign(pay=lambda f: f["pay"].round(-3))
    asked = {"attribute": [a for a in schema(pay={"publish": {"noise": 0.5}})["attribute"] if a["name"] in ("sex", "pay")]}  # fmt: skip
    found = tables.explore(frame, schema=asked, strategy="exhaustive")
    finest = max(found.candidates, key=lambda c: c.utility.value)
    first = found.publish(finest, frame)
    assert first["pay"].nunique() > 0.95 * ROWS
    shuffled = found.publish(finest, frame.sample(frac=1.0, random_state=1))
    assert sorted(first["pay"]) == sorted(shuffled["pay"])


def test_noise_has_the_deviation_asked_for_and_repeats():
    frame = people()
    got, found, finest = published(frame, pay={"publish": {"noise": 0.5}})
    moved = got["pay"] - frame["pay"]
    assert moved.std() == pytest.approx(0.5 * frame["pay"].std(), rel=0.15)
    assert abs(moved.mean()) < 0.15 * frame["pay"].std()
    again = found.publish(finest, frame.sample(frac=1.0, random_state=3))
    assert again.sort_values("key")["pay"].tolist() == got["pay"].tolist()


def test_dates_move_alike_for_each_person():
    frame = people()
    got, _, _ = published(frame, visit={"date": {"shift": 30, "format": "%d.%m.%Y"}})
    before, after = (pd.to_datetime(f["visit"], format="%d.%m.%Y") for f in (frame, got))
    moved = (after - before).dt.days
    assert moved.abs().max() <= 30
    assert moved.groupby(frame["pid"]).nunique().max() == 1
    assert moved.nunique() > 20
    months, _, _ = published(frame, visit={"date": {"unit": "month", "format": "%d.%m.%Y"}})
    assert months["visit"].tolist() == before.dt.strftime("%Y-%m").tolist()


def test_losses_stand_in_the_release(tmp_path):
    frame = people()
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked = schema(pay={"publish": {"microaggregate": 5}}, visit={"date": {"unit": "year", "format": "%d.%m.%Y"}})  # fmt: skip
    found = tables.explore(tmp_path / "t.csv", schema=asked, strategy="exhaustive")
    (tmp_path / "frontier").mkdir()
    found.save(tmp_path / "frontier")
    found = tables.load(tmp_path / "frontier")
    release = found.publish(found.candidates[-1], tmp_path / "t.csv", out=tmp_path / "out")
    got = pd.read_csv(tmp_path / "out" / "t.csv").sort_values("key")
    lost = release.measured.columns["pay"]
    change = np.abs(got["pay"].to_numpy() - frame["pay"].to_numpy())
    assert lost.distance == pytest.approx(change.mean() / np.sqrt(2) / frame["pay"].std(), rel=1e-6)
    assert lost.changed == pytest.approx((change > 0).mean())
    assert lost.correlation == pytest.approx(np.corrcoef(got["pay"], frame["pay"])[0, 1])
    assert release.how.columns_treated["visit"] == "dates to the year"
    assert release.how.columns_kept == ("key",)
    record = json.loads((tmp_path / "out.private" / "figures.json").read_text())
    assert record["measured"]["columns"]["pay"]["method"] == "means of 5 neighbours or more"
    assert any("pay: means of 5" in line for line in release.lines())


def test_what_cannot_be_treated_is_not_published():
    frame = people()
    with pytest.raises(DataError, match="'pay' holds a cell that is not a number in row 4"):
        published(frame.assign(pay=[*"123", "much", *["4"] * (ROWS - 4)]), pay={"publish": {"round": 1}})  # fmt: skip
    with pytest.raises(DataError, match="'visit' holds a cell that is not a date in row 1"):
        published(frame, visit={"date": {"unit": "month"}})
    with pytest.raises(DataError, match="fewer than 500 people"):
        published(frame, pay={"publish": {"microaggregate": 500}})
    empty = frame.assign(pay=[None, *frame["pay"][1:]])
    assert published(empty, pay={"publish": {"round": 1}})[0]["pay"].isna().sum() == 1


@pytest.mark.parametrize(
    ("attribute", "told"),
    [
        ({"role": "sensitive", "publish": {"round": 1}}, "publish is for numbers"),
        ({"role": "other", "publish": {}}, "give one of top"),
        ({"role": "other", "publish": {"round": 1, "noise": 1}}, "at most one of"),
        ({"role": "other", "publish": {"bottom": 2, "top": 1}}, "below top"),
        ({"role": "other", "date": {"shift": 3}}, 'needs role = "person"'),
        ({"role": "other", "date": {"shift": 3, "unit": "month"}}, "leave the unit out"),
    ],
)
def test_wrong_treatments_are_told(attribute, told):
    quasi = {"name": "q", "role": "quasi", "domain": "observed"}
    with pytest.raises(PlanError, match=told):
        TableSchema.of({"attribute": [quasi, {"name": "x", **attribute}]})
