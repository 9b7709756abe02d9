"""Ends of bands over random tables: declared, held by enough people, or round whatever anybody holds."""

import json
import re
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.seeds import seeded

from sfumato import tables
from sfumato.core.errors import PlanError
from sfumato.data.bins import quantile_cuts
from sfumato.engines.tables.space.cuts import open_cuts
from sfumato.engines.tables.space.labels import DomainLabels
from sfumato.reports import write_report

NUMBER = re.compile(r"\d+(?:\.\d+)?")


def numbers_in(label):
    return [int(n) for n in NUMBER.findall(label)]


def allowed(end, held, k, declared):
    """Return whether an end is a number of the schema, one that k people hold, beside one, or a multiple of 5."""
    if end in declared or held.get(end, 0) >= k or end % 5 == 0 or (end + 1) % 5 == 0:
        return True
    beside = [end - 1, end + 1]  # nobody holds it, and it stands beside what many hold
    return end not in held and any(held.get(n, 0) >= k for n in beside)


def gappy(seed, rows=400):
    """Ages in clusters with single people between them, incomes that are all different."""
    dice = np.random.default_rng(seeded(seed))
    centres = dice.choice(np.arange(5, 95), 4, replace=False)
    age = np.clip(dice.choice(centres, rows) + dice.integers(-3, 4, rows), 0, 99)
    alone = dice.choice(np.arange(100), 6, replace=False)
    age[: len(alone)] = alone
    return pd.DataFrame({
        "age": age,
        "income": dice.lognormal(10, 0.7, rows).astype(int),
        "born": pd.to_datetime("2020-06-01") - pd.to_timedelta(age * 365 + 1, unit="D"),
        "ill": dice.choice(["flu", "cold"], rows),
    })  # fmt: skip


@pytest.mark.parametrize(("seed", "max_width"), [(0, None), (1, 12)])
def test_h5_every_published_number_is_safe(seed, max_width, tmp_path):
    """Searches tightened bands to `67-99` around one person of 67, at gaps inside the range as at its ends."""
    frame, k = gappy(seed), 8
    frame["born"] = frame["born"].dt.strftime("%Y-%m-%d")
    schema = {"attribute": [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 99]}, "max_width": max_width},
        {"name": "income", "role": "quasi", "domain": "observed"},
        {"name": "born", "role": "quasi", "domain": "observed", "date": {"unit": "day"}},
        {"name": "ill", "role": "sensitive"},
    ]}  # fmt: skip
    names = {"age": {0, 99}, "income": set()}
    declared = {0, 99} | (set(range(11, 99, 12)) | set(range(12, 99, 12)) if max_width else set())
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = tables.explore(
        tmp_path / "t.csv", schema=schema, evaluations=100, min_sample=k, suppress=0.3
    )
    (tmp_path / "explored").mkdir()
    found.save(tmp_path / "explored")
    chosen = max(found.candidates, key=lambda c: c.utility.value)
    found.publish(chosen, tmp_path / "t.csv", out=tmp_path / "release")
    write_report([tmp_path / "explored", tmp_path / "release"], out=tmp_path / "report")
    record = json.loads((tmp_path / "release" / "release.json").read_text())
    facts = json.loads((tmp_path / "report.private" / "facts.json").read_text())
    policies = [record["how"]["policy"]]
    policies += [c["policy"] for c in facts["parts"][0]["frontier"]["candidates"]]
    book = json.loads((tmp_path / "release" / "codebook.json").read_text())["codebook"]
    labels = {name: {e["published"] for e in book if e["attribute"] == name} for name in names}
    for policy in policies:
        for name in names:
            labels[name].update(policy[name])
    looked = 0
    for name, found_labels in labels.items():
        held = frame[name].value_counts().to_dict()
        for label in found_labels:
            for end in numbers_in(label):
                looked += 1
                assert allowed(end, held, k, declared if name == "age" else set()), (name, label)
    assert looked > 10
    # The day on which one person was born ends no band: only first and last days of months do.
    born = frame["born"].value_counts().to_dict()
    for label in {label for policy in policies for label in policy["born"]}:
        for day in re.findall(r"\d{4}-\d{2}-\d{2}", label):
            first = pd.Timestamp(day)
            is_round = first.is_month_start or first.is_month_end
            near = [(first + pd.Timedelta(days=d)).strftime("%Y-%m-%d") for d in (-1, 0, 1)]
            assert is_round or any(born.get(d, 0) >= k for d in near), label
    assert "policy" in facts["parts"][0]["frontier"]["candidates"][0]


@settings(max_examples=60)
@given(st.lists(st.integers(0, 12), min_size=3, max_size=60), st.integers(0, 9), st.booleans())
def test_cuts_lie_between_people_and_show_nobody(counts, k, observed):
    """Each cut has people on both sides, one per gap, or stands beside a first or last value that many hold."""
    people = np.array(counts)
    if observed:  # only values that stand in the data are in the domain
        values = [3 * i for i, n in enumerate(counts) if n]
        people = people[people > 0]
    else:
        values = list(range(len(counts)))
    labels = DomainLabels(tuple(map(str, values)), observed)
    cuts = open_cuts(labels, people, k, declared=not observed)
    held = [i for i, n in enumerate(people) if n]
    if len(held) < 2:
        assert cuts is None
        return
    of = {values[i]: int(people[i]) for i in held}
    for low, high in pairwise(held):
        inside = [c for c in cuts if low <= c < high]
        assert len(inside) <= 1
        if k < 2:
            assert len(inside) == 1
        for cut in inside:
            label = labels.label(cut + 1, len(values) - 1)
            ends = numbers_in(label) if cut + 1 < len(values) - 1 else []
            assert k < 2 or all(allowed(end, of, k, {values[-1]}) for end in ends)
    outside = [cut for cut in cuts if not held[0] <= cut < held[-1]]
    many = max(k, 5)
    assert outside == [
        *([held[0] - 1] if held[0] > 0 and people[held[0]] >= many else []),
        *([held[-1]] if held[-1] < len(values) - 1 and people[held[-1]] >= many else []),
    ]


def test_a_width_that_only_exact_values_allow_is_refused():
    """Between observed numbers there are no places that tell nothing: the schema has to declare them."""
    frame = pd.DataFrame({"pay": np.arange(1001, 1101, 7).repeat(2), "sex": ["f", "m"] * 15})
    schema = {"attribute": [
        {"name": "pay", "role": "quasi", "domain": "observed", "max_width": 1},
        {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
    ]}  # fmt: skip
    with pytest.raises(PlanError, match="further apart than the widest interval"):
        tables.explore(frame, schema=schema, evaluations=10, min_sample=3)


def test_a_rare_value_is_spelled_only_in_a_release_that_holds_it(tmp_path):
    """facts.json listed the labels of all candidates, and release.json those of rows that were left out."""
    dice = np.random.default_rng(seeded(5))
    frame = pd.DataFrame({
        "job": np.r_[["CANARYGOVERNOR"], dice.choice(["teacher", "nurse"], 199)],
        "sex": dice.choice(["f", "m"], 200),
    })  # fmt: skip
    frame.to_csv(tmp_path / "t.csv", index=False)
    schema = {
        "attribute": [{"name": n, "role": "quasi", "domain": "observed"} for n in ("job", "sex")]
    }
    found = tables.explore(
        tmp_path / "t.csv", schema=schema, evaluations=60, suppress=0.05, min_sample=3
    )
    (tmp_path / "explored").mkdir()
    found.save(tmp_path / "explored")
    left_out = [c for c in found.candidates if c.suppressed == 1 and len(c.ends["job"]) == 3]
    assert left_out
    found.publish(left_out[0], tmp_path / "t.csv", out=tmp_path / "release")
    free = tables.explore(tmp_path / "t.csv", schema=schema, evaluations=60)
    (tmp_path / "free").mkdir()
    free.save(tmp_path / "free")
    assert any(len(c.ends["job"]) == 3 for c in free.candidates)
    write_report([tmp_path / "explored", tmp_path / "release"], out=tmp_path / "report")
    write_report([tmp_path / "free"], out=tmp_path / "other")
    looked = 0
    for folder in ("release", "report", "other"):
        for path in (tmp_path / folder).iterdir():
            assert b"CANARYGOVERNOR" not in path.read_bytes(), f"{folder}/{path.name}"
            looked += 1
    assert looked > 6
    assert "a rare value" in (tmp_path / "free" / "frontier.json").read_text()


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(2, 9))
def test_quantiles_are_nobodys_own_number(seed, parts):
    numbers = np.unique(np.random.default_rng(seeded(seed)).integers(0, 10**9, 200))
    cuts = quantile_cuts([Decimal(int(n)) for n in numbers], np.ones(numbers.size, int), parts)
    assert len(cuts) == parts - 1
    assert not {int(c) for c in cuts} & set(numbers.tolist())
    assert all(int(c) % 1_000_000 == 0 for c in cuts)
