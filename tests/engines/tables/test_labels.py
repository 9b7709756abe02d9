"""Labels are true: decoding what was published gives back the policy's sets, and nobody's value leaks."""

import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sfumato import tables
from sfumato.data.table import read_table
from sfumato.engines.tables.frontier.problem import Problem
from sfumato.engines.tables.release.codebook import codebook
from sfumato.engines.tables.space.labels import MISSING, DomainLabels, round_between
from sfumato.engines.tables.space.policy import Lattice

numbers = st.one_of(
    st.lists(st.integers(-50, 300), min_size=1, max_size=14, unique=True).map(
        lambda v: [str(n) for n in v]
    ),
    st.lists(st.decimals(-5, 5, places=2), min_size=1, max_size=10, unique=True).map(
        lambda v: [f"{n:f}" for n in v]
    ),
)
names = st.lists(st.text("abcXYZ-*", min_size=1, max_size=4), min_size=1, max_size=14, unique=True)


@st.composite
def domains(draw, *, observed=None, plain=False):
    values = draw(
        numbers.map(lambda v: sorted(v, key=float))
        if plain
        else st.one_of(numbers, numbers.map(lambda v: sorted(v, key=float)), names)
    )
    assume(MISSING not in values)
    if draw(st.booleans()):
        values = [*values, MISSING]
    observed = draw(st.booleans()) if observed is None else observed
    rare = frozenset(draw(st.sets(st.integers(0, len(values) - 1)))) if observed else frozenset()
    nodes = {}
    if len(values) > 3 and not plain and draw(st.booleans()):
        nodes = {(0, 1): "first", (2, 3): draw(st.sampled_from(["second", "first", values[0]]))}
    return DomainLabels(tuple(values), observed, rare, nodes)


@given(domains(), st.data())
@settings(max_examples=examples(100, fuzz=300))
def test_decoding_gives_back_the_sets(labels, data):
    size = len(labels.domain)
    bits = data.draw(st.lists(st.integers(0, 1), min_size=size - 1, max_size=size - 1))
    lattice = Lattice(("x",), (labels.domain,), (labels,))
    policy = lattice.from_bits(bits)
    spans = policy.spans(0)
    written = policy.labels(0)
    sets = [set(labels.domain[low : high + 1]) for low, high in spans]
    # a value of the domain that reads like an interval's label is refused when publishing
    assume(len(set(written)) == len(written))
    assume(all(w not in labels.domain or s == {w} for w, s in zip(written, sets, strict=True)))
    # the steward's whole book; the one that is published leaves rare values out
    book = {
        label: values
        for label, values in zip(written, sets, strict=True)
        if "rare" in label
        or label.startswith("group ")
        or label.removesuffix("|?") in labels.nodes.values()
    }
    for label, values in zip(written, sets, strict=True):
        assert labels.meaning(label, book) == values
    for entry in codebook(policy):
        at = written.index(entry["published"])
        assert set(entry["values"]) <= sets[at]
        told = sets[at] - {MISSING} if entry["published"] == "*" else sets[at]
        assert entry["complete"] == (set(entry["values"]) == told)


@given(domains(observed=True, plain=True))
@settings(max_examples=200)
def test_ends_of_observed_domains_stay_open(labels):
    assume(labels.numbers is not None)
    last = len(labels.numbers) - 1
    for high in range(1, last):
        assert labels.label(0, high)[0] in "≤<"
        assert labels.label(high, last)[0] == "≥"


@given(st.decimals(-1000, 1000, places=3), st.decimals(-1000, 1000, places=3))
@settings(max_examples=examples(100, fuzz=300))
def test_round_numbers_lie_between(a, b):
    assume(a < b)
    found = round_between(a, b)
    assert a < found <= b
    assert len(found.as_tuple().digits) <= len(b.as_tuple().digits) + 1
    assert isinstance(found, Decimal)


def test_a_band_of_codes_is_a_list_and_not_a_range():
    labels = DomainLabels(("410", "110", "510", "210", "120", "310"))
    assert labels.label(1, 3) == "110|210|510"
    assert labels.label(0, 5) == "*"


def test_a_hierarchy_gives_its_own_names(tmp_path):
    rows = ["A00.0;A00;A;*", "A00.1;A00;A;*", "A01.0;A01;A;*", "B20.0;B20;B;*", "B21.0;B21;B;*"]
    (tmp_path / "icd.csv").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "schema.toml").write_text(
        '[[attribute]]\nname = "icd"\nrole = "quasi"\ndomain = "observed"\nhierarchy = "icd.csv"\n'
    )
    frame = pd.DataFrame({"icd": [r.split(";")[0] for r in rows] * 3})
    found = tables.explore(frame, schema=tmp_path / "schema.toml", strategy="exhaustive")
    written = {label for c in found for label in c.policy["icd"]}
    assert {"A00", "A", "B", "*"} & written
    assert not {label for label in written if "more" in label}
    folder = tmp_path / "f"
    folder.mkdir()
    found.save(folder)
    again = tables.load(folder)
    assert [c.policy for c in again] == [c.policy for c in found]
    policy = again.policy(again.candidates[0])
    assert policy.intervals() == {n: list(v) for n, v in again.candidates[0].policy.items()}


def test_nobodys_own_value_stands_in_a_label(tmp_path):
    """One person with an income and an occupation of their own."""
    dice = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": [*dice.integers(20_000, 60_000, 199).tolist(), 987_654_321],
            "job": [*dice.choice(["nurse", "cook", "clerk"], 199).tolist(), "CANARYGOVERNOR"],
            "note": "x",
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    schema = {
        "attribute": [
            {"name": "income", "role": "quasi", "domain": "observed"},
            {"name": "job", "role": "quasi", "domain": "observed"},
            {"name": "note", "role": "other"},
        ]
    }
    found = tables.explore(tmp_path / "t.csv", schema=schema, evaluations=300, min_sample=20)
    release = found.publish(found.knee(), tmp_path / "t.csv", out=tmp_path / "out")
    for path in (tmp_path / "out").iterdir():
        text = path.read_text(encoding="utf-8")
        assert "987654321" not in text, path.name
        assert "CANARYGOVERNOR" not in text, path.name
    assert {o.path for o in release.outputs} == {"t.csv", "codebook.csv", "codebook.json"}
    book = json.loads((tmp_path / "out" / "codebook.json").read_text(encoding="utf-8"))["codebook"]
    published = pd.read_csv(tmp_path / "out" / "t.csv", dtype=str)
    for name in ("income", "job"):
        assert set(published[name]) <= {e["published"] for e in book if e["attribute"] == name}


@pytest.mark.parametrize("values", [["31", "0", "26", "1"], ["0", "1", "26", "31"]])
def test_values_out_of_number_order_are_never_a_range(values):
    schema = {"attribute": [{"name": "q", "role": "quasi", "domain": {"values": values}}]}
    problem = Problem.of(read_table(pd.DataFrame({"q": values}), schema))
    for low in range(4):
        for high in range(low + 1, 4):
            label = problem.lattice.label(0, low, high)
            meant = problem.lattice.labels[0].meaning(label, {})
            assert meant == set(values[low : high + 1])
