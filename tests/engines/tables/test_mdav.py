"""Several columns averaged together: the kernel beside a plain twin, and what a release of it holds."""

import numpy as np
import pandas as pd
import pytest

from sfumato import tables
from sfumato.core.errors import DataError, PlanError
from sfumato.data.table_schema import TableSchema
from sfumato.engines.tables.release import microaggregation
from sfumato.engines.tables.release.microaggregation import mdav

COLUMNS = ("height", "weight", "pulse")


def slow_mdav(points, people, k):
    """MDAV by the book, with lists: the nearest points of k different people around the farthest ones."""
    spread = points.std(axis=0)
    points = (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1)
    group, number = {}, 0
    left = list(range(len(points)))

    def take(centre):
        nonlocal number, left
        distance = {i: ((points[i] - centre) ** 2).sum() for i in left}
        held = set()
        for i in sorted(left, key=lambda i: (distance[i], i)):
            if len(held) == k:
                break
            held.add(people[i])
            group[i] = number
        left = [i for i in left if i not in group]
        number += 1

    while len({people[i] for i in left}) >= 2 * k:
        two = len({people[i] for i in left}) >= 3 * k
        mean = points[left].mean(axis=0)
        first = points[max(left, key=lambda i: ((points[i] - mean) ** 2).sum())]
        other = points[max(left, key=lambda i: ((points[i] - first) ** 2).sum())]
        take(first)
        if two:
            take(other)
    group.update(dict.fromkeys(left, number))
    return [group[i] for i in range(len(points))]


def same_parts(one, other):
    return len(set(zip(one, other, strict=True))) == len(set(one)) == len(set(other))


@pytest.mark.parametrize("seed", range(6))
def test_the_kernel_equals_the_plain_algorithm(seed):
    draw = np.random.default_rng(seed)
    points = draw.normal(size=(90, 1 + seed % 3))
    people = np.arange(90) if seed % 2 else draw.integers(0, 40, 90)
    k = 3 + seed
    found = mdav(points, people, k)
    assert same_parts(found.tolist(), slow_mdav(points, people, k))
    assert pd.Series(people).groupby(found).nunique().min() >= k


def test_many_points_are_cut_into_blocks_of_enough_people(monkeypatch):
    draw = np.random.default_rng(1)
    points, people = draw.normal(size=(300, 2)), draw.integers(0, 60, 300)
    monkeypatch.setattr(microaggregation, "_BLOCK", 40)
    found = mdav(points, people, 5)
    assert pd.Series(people).groupby(found).nunique().min() >= 5
    within = sum(((points[found == g] - points[found == g].mean(axis=0)) ** 2).sum() for g in set(found.tolist()))  # fmt: skip
    assert within < 0.25 * ((points - points.mean(axis=0)) ** 2).sum()


def patients(rows=120):
    draw = np.random.default_rng(3)
    height = draw.normal(170, 9, rows)
    frame = pd.DataFrame({
        "sex": np.where(np.arange(rows) % 2, "f", "m"),
        "key": [f"k{i:03}" for i in range(rows)],
        "height": height.round(1),
        "weight": (height - 100 + draw.normal(0, 8, rows)).round(1),
        "pulse": draw.integers(50, 100, rows).astype(float),
    })  # fmt: skip
    frame.loc[:9, "pulse"] = np.nan
    frame.loc[10:11, "weight"] = np.nan
    return frame


def asked(**publish):
    named = [{"name": n, "role": "other", "publish": {"microaggregate": 4, "together": "body", **publish.get(n, {})}} for n in COLUMNS]  # fmt: skip
    return {"attribute": [{"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}}, {"name": "key", "role": "other"}, *named]}  # fmt: skip


def test_a_release_holds_every_combination_for_several_people():
    frame = patients()
    found = tables.explore(frame, schema=asked(), strategy="exhaustive")
    got = found.publish(found.candidates[-1], frame).sort_values("key").reset_index(drop=True)
    some = got[got[list(COLUMNS)].notna().any(axis=1)]
    assert some.groupby(list(COLUMNS), dropna=False).size().min() >= 4
    assert got.loc[:9, "pulse"].isna().all()
    assert (
        got.loc[:9, "height"].notna().all()
    )  # ten people lack the pulse: they are averaged among each other
    assert (
        got.loc[10:11, list(COLUMNS)].isna().all(axis=None)
    )  # two people lack the weight: too few
    for name in COLUMNS:
        both = frame[name].notna() & got[name].notna()
        assert got.loc[both, name].mean() == pytest.approx(frame.loc[both, name].mean(), rel=0.01)
        assert got.loc[both, name].corr(frame.loc[both, name]) > 0.7


def test_too_few_people_and_odd_schemas_are_refused():
    frame = patients(14)
    many = {n: {"microaggregate": 50} for n in COLUMNS}
    found = tables.explore(frame, schema=asked(**many), strategy="exhaustive")
    with pytest.raises(DataError, match="fewer than 50 people"):
        found.publish(found.candidates[-1], frame)
    with pytest.raises(PlanError, match="one number of people"):
        TableSchema.of(asked(pulse={"microaggregate": 9}))
    with pytest.raises(PlanError, match="together needs microaggregate"):
        TableSchema.of(asked(pulse={"microaggregate": None, "round": 5}))
