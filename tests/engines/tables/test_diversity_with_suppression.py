"""Groups that lack diversity or closeness are left out or blanked like small ones: against plain pandas."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import tables
from sfumato.core.errors import NoCandidateError, PrivacyWarning, ReleaseRefusedError
from sfumato.engines.tables.contingency.cells import Cells
from sfumato.engines.tables.groups.conditions import Conditions
from sfumato.engines.tables.groups.record_suppression import suppress_groups
from sfumato.engines.tables.groups.sensitive_columns import SensitiveColumns

QUASI = ["age", "town"]
SCHEMA = {
    "attribute": [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 19]}},
        {"name": "town", "role": "quasi", "domain": {"values": ["a", "b", "c"]}},
        {"name": "ill", "role": "sensitive"},
    ]
}


def patients(rows=500, seed=0):
    """People of whom the old of one town nearly all have one illness."""
    dice = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": dice.integers(0, 20, rows),
            "town": dice.choice(["a", "b", "c"], rows, p=[0.6, 0.37, 0.03]),
            "ill": dice.choice(["flu", "cold", "gout", "none"], rows, p=[0.3, 0.3, 0.2, 0.2]),
        }
    )
    frame.loc[(frame["town"] == "c") & (frame["age"] > 3), "ill"] = "gout"
    return frame


def level_of(values, kind, c):
    counts = sorted(pd.Series(values).value_counts(), reverse=True)
    if kind == "distinct":
        return len(counts)
    share = np.array(counts) / sum(counts)
    if kind == "entropy":
        return float(np.exp(-(share * np.log(share)).sum()))
    fits = [l for l in range(1, len(counts) + 1) if counts[0] < c * sum(counts[l - 1 :])]
    return max(fits, default=0)


def far(values, whole, ordered):
    names = sorted(set(whole))
    p = np.array([(values == v).mean() for v in names])
    q = np.array([(whole == v).mean() for v in names])
    if ordered:
        return np.abs(np.cumsum(p - q)).sum() / max(len(names) - 1, 1)
    return np.abs(p - q).sum() / 2


def plainly_left_out(group, value, asked, least, *, ordered):
    """Return which rows stay: groups that are too small or lack anything go, until all that stay hold."""
    stays = pd.Series(group).map(pd.Series(group).value_counts()).to_numpy() >= least
    while True:
        bad = set()
        for g in set(group[stays]):
            inside = value[stays & (group == g)]
            if level_of(inside, asked.diversity, asked.recursive_c) < asked.min_l - 1e-9:
                bad.add(g)
            if asked.max_t is not None and far(inside, value[stays], ordered) > asked.max_t + 1e-9:
                bad.add(g)
        if not bad:
            return stays
        stays &= ~np.isin(group, sorted(bad))


ASKED = [
    Conditions(min_l=2),
    Conditions(min_l=3),
    Conditions(min_l=2.2, diversity="entropy"),
    Conditions(min_l=2, diversity="recursive", recursive_c=1.5),
    Conditions(max_t=0.3),
    Conditions(min_l=2, max_t=0.4),
]


@given(st.integers(0, 10_000), st.sampled_from(ASKED), st.integers(1, 4), st.booleans())
@settings(max_examples=60)
def test_what_is_left_out_is_what_plain_code_leaves_out(seed, asked, least, ordered):
    dice = np.random.default_rng(seed)
    rows = int(dice.integers(5, 60))
    raw = dice.integers(0, [[5], [3]], (2, rows))
    value = dice.choice(5, rows, p=[0.5, 0.2, 0.1, 0.1, 0.1])
    codes, cell, count = np.unique(raw, axis=1, return_inverse=True, return_counts=True)
    cells = Cells([5, 3], codes, count, least_sample=least)
    bits = dice.integers(0, 2, 6).astype(np.uint8)
    pair, many = np.unique(np.stack((cells.place[cell], value)), axis=1, return_counts=True)
    columns = SensitiveColumns(asked, {"v": (pair[0], pair[1], many)}, {"v": ordered})
    left, out = suppress_groups(cells, bits, columns)
    interval = cells.intervals(bits)
    group = interval[0][raw[0]] * 10 + interval[1][raw[1]]
    stays = plainly_left_out(group, value, asked, least, ordered=ordered)
    assert left.records == (~stays).sum()
    assert np.array_equal(~out[cells.place[cell]], stays)
    assert left.groups == len(set(group[stays]))


@pytest.mark.parametrize("as_cells", [False, True])
@pytest.mark.parametrize(
    "asked",
    [
        {"min_k": 4, "min_l": 2},
        {"min_l": "2.2:entropy"},
        {"min_k": 3, "min_l": "2:recursive=2"},
        {"min_k": 4, "max_t": 0.45},
        {"min_k": 4, "min_l": 2, "max_t": 0.5, "max_average_risk": 0.2},
    ],
)
def test_releases_under_diversity_with_suppression(asked, as_cells):
    frame = patients()
    share = "0.06:cells" if as_cells else 0.06
    found = tables.explore(frame, schema=SCHEMA, evaluations=300, suppress=share, **asked)
    chosen = max(found, key=lambda c: c.utility.value)
    out = found.publish(chosen, frame)
    assert len(out) == len(frame) - chosen.suppressed
    assert chosen.suppressed + chosen.blanked <= 0.06 * len(frame)
    groups = out.groupby(QUASI)["ill"]
    assert groups.size().min() == chosen.k >= asked.get("min_k", 1)
    wanted, _, kind = str(asked.get("min_l", 0)).partition(":")
    kind, _, c = kind.partition("=")
    assert groups.apply(lambda v: level_of(v, kind or "distinct", float(c or 3))).min() >= float(
        wanted
    )
    distance = groups.apply(lambda v: far(v, out["ill"], ordered=False)).max()
    assert distance == pytest.approx(chosen.t_closeness["ill"], abs=1e-6)
    assert distance <= asked.get("max_t", 1) + 1e-9
    assert groups.ngroups / len(out) <= asked.get("max_average_risk", 1) + 1e-9


def test_nowhere_behind_a_search_of_all_levels():
    frame = patients(700, seed=3)
    ages = [[0, 20], [0, 10, 20], [0, 4, 8, 12, 16, 20], list(range(21))]
    found = tables.explore(frame, schema=SCHEMA, min_k=5, min_l=3, suppress=0.04, evaluations=600)
    best = max(found, key=lambda c: c.utility.value)
    size = len(frame)
    levels = []
    for edges, towns in product(ages, [["abc"], ["a", "bc"], ["ab", "c"], ["a", "b", "c"]]):
        band = np.searchsorted(edges, frame["age"], side="right")
        town = frame["town"].map({v: part for part in towns for v in part})
        group = pd.factorize(pd.Series(band).astype(str) + town)[0]
        stays = plainly_left_out(
            group, frame["ill"].to_numpy(), Conditions(min_l=3), 5, ordered=False
        )
        if (~stays).sum() <= 0.04 * size:
            levels.append(stays.sum())
            wide = np.diff(edges)[band - 1]
            towns_in = town.str.len()
            loss = _loss(frame, group, stays, wide * towns_in)
            assert best.loss <= loss + 1e-9
    assert len(levels) > 3


def _loss(frame, group, stays, width):
    """Return the KL loss of published groups over that of one group of everything, written out."""
    n = len(frame)
    cell = frame.groupby(["age", "town"])["ill"].transform("size").to_numpy()
    size = pd.Series(np.where(stays, group, -1)).map(
        pd.Series(np.where(stays, group, -1)).value_counts()
    )
    width = np.where(stays, width, 60)
    nats = np.log(cell / (size.to_numpy() / width)).sum() / n
    top = np.log(cell / (n / 60)).sum() / n
    return nats / top


def test_people_in_groups_without_diversity_are_left_out():
    dice = np.random.default_rng(1)
    frame = patients(300, seed=5)
    frame["pid"] = dice.integers(0, 220, len(frame))
    for rows in ("separate", "joined"):
        schema = {
            "attribute": [
                *SCHEMA["attribute"],
                {"name": "pid", "role": "person", "rows": rows},
            ]
        }
        found = tables.explore(
            frame, schema=schema, evaluations=150, min_k=3, min_l=2, suppress=0.3
        )
        chosen = max(found, key=lambda c: c.utility.value)
        out = found.publish(chosen, frame)
        if rows == "joined":
            mark = out.groupby("pid")
            history = mark[QUASI].apply(lambda v: str(sorted(map(tuple, v.to_numpy()))))
            held = out.assign(h=out["pid"].map(history))
            assert history.value_counts().min() >= 3
            assert held.groupby("h")["ill"].nunique().min() >= 2
        else:
            assert out.groupby(QUASI)["ill"].nunique().min() >= 2
        assert chosen.l_diversity["ill"] >= 2


@pytest.mark.parametrize("way", ["records", "cells"])
@pytest.mark.parametrize("asked", [{"min_k": 900}, {"min_l": 9}])
@pytest.mark.parametrize("with_person", [False, True])
def test_a_release_of_which_nothing_would_be_left_is_refused(way, asked, with_person):
    frame = patients()
    schema = {
        "attribute": [
            *SCHEMA["attribute"],
            {"name": "cost", "role": "other", "publish": {"microaggregate": 5}},
        ]
    }
    frame["cost"] = np.arange(len(frame))
    if with_person:
        frame["who"] = [f"p{i}" for i in range(len(frame))]
        schema["attribute"].append({"name": "who", "role": "person"})
    found = tables.explore(frame, schema=schema, min_k=5, min_l=2, suppress=f"0.1:{way}", budget=60)
    with pytest.raises(ReleaseRefusedError, match="Every record is in a group"):
        tables.publish(found, frame, choose="knee", **asked)


def test_too_much_diversity_is_told_as_such():
    with pytest.raises(NoCandidateError, match="not the diversity, closeness") as found:
        tables.explore(patients(), schema=SCHEMA, min_k=5, min_l=9, budget=30)
    assert "--min-l" in str(found.value.hint)


def test_missing_values_that_count_as_diverse_are_warned_of():
    """A group of one known illness and missing cells has two values, but says who has the illness."""
    frame = patients().astype({"ill": object})
    frame.loc[frame["ill"] == "none", "ill"] = None
    schema = {"missing": "value", **SCHEMA}
    with pytest.warns(PrivacyWarning, match=r"of the sensitive column 'ill' have no value"):
        found = tables.explore(frame, schema=schema, min_k=5, min_l=3, budget=40)
    out = found.publish(found.knee(), frame)
    assert out.groupby(QUASI)["ill"].nunique().min() >= 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tables.explore(frame, schema=schema, min_k=5, budget=40)
        tables.explore(patients(), schema=SCHEMA, min_k=5, min_l=3, budget=40)
