"""Columns as they are: decimals, dates, codes with prefixes and marks for missing cells, against plain twins."""

import datetime as dt
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sfumato import tables
from sfumato.core import DataError, PlanError
from sfumato.data.attributes import Attribute, Domain
from sfumato.data.bins import Bins, quantile_cuts
from sfumato.data.calendar import Calendar, units_between
from sfumato.data.table import read_table
from sfumato.data.table_schema import TableSchema
from sfumato.data.table_source import TableSource
from sfumato.engines.tables.space.labels import DomainLabels


def domain(**given):
    return Attribute(name="x", role="quasi", domain=Domain(**given))


def read_cells(attribute, cells):
    """Read cells by the SQL of an attribute."""
    source = TableSource.open({"x": cells})
    return source.query(f"SELECT {attribute.cell()} AS v FROM {source.sql}").column("v").to_pylist()


def plain_bin(value, bins):
    """Name the bin of a number by looking at every one."""
    if bins.low is not None and value < bins.low:
        return None
    if bins.high is not None and value > bins.high:
        return None
    if bins.whole and value != int(value):
        return None
    edges = [bins.low, *bins.cuts, bins.high]
    for i, (low, high) in enumerate(zip(edges, edges[1:], strict=False)):
        if (low is None or value >= low) and (high is None or value < high or i == len(bins.cuts)):
            return bins.names[i]
    return None


tenths = st.integers(-300, 300).map(lambda n: Decimal(n) / 10)


@settings(max_examples=40)
@given(
    st.integers(-20, 20), st.integers(1, 12), st.sampled_from([1, 2, 5, 0.1, 0.25, 2.5]),
    st.sampled_from([None, "low", "high", "both"]), st.lists(tenths, min_size=1, max_size=12),
)  # fmt: skip
def test_numbers_fall_into_the_bins_that_hold_them(low, width, step, open_ends, values):
    ends = (low, low + width) if isinstance(step, int) else (float(low), float(low + width))
    attribute = domain(range=ends, step=step, open_ends=open_ends)
    got = read_cells(attribute, [str(v) for v in values])
    wanted = [plain_bin(v, attribute.bins) or str(v) for v in values]
    assert got == wanted


@settings(max_examples=30)
@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=8, unique=True).map(sorted),
    st.booleans(), st.booleans(), st.booleans(),
)  # fmt: skip
def test_labels_of_bins_read_back(cuts, whole, low, high):
    bins = Bins(
        tuple(Decimal(c) if whole else Decimal(c) / 4 for c in cuts),
        Decimal(-60) if low else None,
        Decimal(60) if high else None,
        whole,
    )
    labels = DomainLabels(bins.names, writer=bins)
    for i in range(len(bins.names)):
        for j in range(i, len(bins.names)):
            assert labels.meaning(labels.label(i, j), {}) == set(bins.names[i : j + 1])


@settings(max_examples=30)
@given(
    st.dates(dt.date(1890, 1, 1), dt.date(2030, 1, 1)), st.integers(1, 900),
    st.sampled_from(["day", "month", "quarter"]), st.booleans(), st.data(),
)  # fmt: skip
def test_labels_of_dates_read_back(first, days, unit, observed, data):
    values = units_between(first, first + dt.timedelta(days=days), unit)
    labels = DomainLabels(values, observed=observed, writer=Calendar(values))
    for _ in range(10):
        i = data.draw(st.integers(0, len(values) - 1))
        j = data.draw(st.integers(i, len(values) - 1))
        assert labels.meaning(labels.label(i, j), {}) == set(values[i : j + 1])


@settings(max_examples=examples(12, fuzz=30))
@given(st.lists(st.dates(dt.date(1900, 1, 1), dt.date(2023, 12, 31)), min_size=1))
def test_dates_are_coarsened_as_pandas_does(days):
    stamps = pd.Series(pd.to_datetime(days))
    at = dt.date(2024, 2, 29)
    years = [at.year - d.year - ((at.month, at.day) < (d.month, d.day)) for d in days]
    twins = {
        "day": stamps.dt.strftime("%Y-%m-%d").tolist(),
        "month": stamps.dt.strftime("%Y-%m").tolist(),
        "quarter": [f"{s.year}-Q{s.quarter}" for s in stamps],
        "year": [str(s.year) for s in stamps],
        "age": [str(y) for y in years],
    }
    written = stamps.dt.strftime("%d.%m.%Y").tolist()
    for unit, wanted in twins.items():
        rule = {"unit": unit, "format": "%d.%m.%Y", **({"at": at} if unit == "age" else {})}
        attribute = Attribute(name="x", role="quasi", domain="observed", date=rule)
        assert read_cells(attribute, written) == wanted
    iso = Attribute(name="x", role="quasi", domain="observed", date={"unit": "month"})
    assert read_cells(iso, twins["day"]) == twins["month"]
    assert read_cells(iso, [f"{d} 00:00:00" for d in twins["day"]]) == twins["month"]


def test_open_ends_code_top_and_bottom():
    assert domain(range=(18, 21), open_ends="both").bins.names == ("≤ 18", "19", "20", "≥ 21")
    assert domain(range=(0, 12), step=5, open_ends="high").bins.names == ("0-4", "5-9", "10-11", "≥ 12")  # fmt: skip
    assert domain(range=(0.0, 1.0), step=0.5).bins.names == ("[0, 0.5)", "[0.5, 1]")
    assert domain(cuts=[1, 2.5]).bins.names == ("< 1", "[1, 2.5)", "≥ 2.5")


@settings(max_examples=40)
@given(st.lists(st.integers(0, 400), min_size=2, max_size=80), st.integers(2, 9))
def test_quantiles_hold_about_as_many_records_each(values, parts):
    numbers, counts = np.unique(values, return_counts=True)
    if numbers.size < 2:
        return
    cuts = quantile_cuts([Decimal(int(n)) for n in numbers], counts, parts)
    sizes = np.histogram(values, [-np.inf, *(float(c) for c in cuts), np.inf])[0]
    assert (sizes > 0).all()
    assert len(sizes) <= parts
    # no part is larger than its share by more than the most frequent number, and the few records among
    # which a round number is looked for, at each end
    assert sizes.max() <= len(values) / parts + 2 * (counts.max() + 5)


def test_quantiles_become_cuts_that_travel_with_the_policy():
    draw = np.random.default_rng(3)
    frame = pd.DataFrame({"pay": draw.lognormal(8, 0.6, 400).round(2), "sex": draw.choice(["f", "m"], 400)})  # fmt: skip
    schema = {
        "attribute": [
            {"name": "pay", "role": "quasi", "domain": {"quantiles": 8}},
            {"name": "sex", "role": "quasi", "domain": "observed"},
        ]
    }
    found = tables.explore(frame, schema=schema, evaluations=200, min_k=5)
    others = frame.assign(pay=frame["pay"] * 0.999)
    published = found.publish(found.candidates[0], others, accept_worse=True)
    highest = f"{frame['pay'].max():g}"
    assert len(published) == 400
    assert not published["pay"].str.contains(highest, regex=False).any()
    with pytest.raises(DataError, match="'pay' holds a cell that is not a number in row 2"):
        tables.explore({"pay": ["1", "x"], "sex": ["f", "m"]}, schema=schema)


def test_prefixes_of_codes_are_the_only_intervals():
    codes = ["A00.0", "A00.1", "A01.0", "B20.0", "B20.9", "C00.0"] * 5 + ["A00.0"] * 9
    schema = {
        "attribute": [
            {"name": "icd", "role": "quasi", "domain": "observed", "hierarchy": {"prefix": [1, 3]}}
        ]
    }
    found = tables.explore({"icd": codes}, schema=schema, strategy="exhaustive", evaluations=1000)
    published = {label for c in found.candidates for label in c.policy["icd"]}
    assert published <= {*codes, "A00**", "A****", "B20**", "B****", "*"}
    assert {"A****", "*"} <= published
    zips = {"name": "zip", "role": "quasi", "domain": "observed", "hierarchy": {"prefix": [3]}}
    table = read_table({"zip": ["37010", "0512", "37011"]}, {"attribute": [zips]})
    assert table.domains == (("0512", "37010", "37011"),)


def test_marks_of_missing_cells():
    schema = {
        "missing": "value",
        "missing_values": ["NA", "."],
        "attribute": [
            {"name": "age", "role": "quasi", "domain": {"range": [0, 9]}, "missing_values": [-9]},
            {"name": "sex", "role": "quasi", "domain": "observed"},
        ],
    }
    frame = {"age": ["1", "-9", "-9.0", "NA"], "sex": ["-9", ".", "NA", "m"]}
    table = read_table(frame, schema)
    assert table.domains[1] == ("-9", "m", "?")
    cells = {tuple(d[c] for d, c in zip(table.domains, col, strict=True)) for col in table.codes.T}
    assert cells == {("1", "-9"), ("?", "?"), ("?", "m")}


def people(rows=300):
    draw = np.random.default_rng(5)
    born = pd.to_datetime("1940-01-01") + pd.to_timedelta(draw.integers(0, 20_000, rows), unit="D")
    return pd.DataFrame({
        "born": born.strftime("%d.%m.%Y"),
        "height": draw.normal(170, 9, rows).round(1),
        "icd": draw.choice(["A00.0", "A00.1", "B20.0", "B21.5"], rows),
    })  # fmt: skip


PEOPLE = {
    "attribute": [
        {"name": "born", "role": "quasi", "domain": {"dates": ["1940-01-01", "1999-12-31"]},
         "date": {"unit": "quarter", "format": "%d.%m.%Y"}, "hierarchy": {"units": ["year", "decade"]}},
        {"name": "height", "role": "quasi", "domain": {"range": [150.0, 190.0], "step": 2.5, "open_ends": "both"}},
        {"name": "icd", "role": "quasi", "domain": "observed", "hierarchy": {"prefix": [1]}},
    ]
}  # fmt: skip


def test_a_release_of_dates_decimals_and_codes(tmp_path):
    frame = people()
    frame.to_csv(tmp_path / "people.csv", index=False)
    found = tables.explore(tmp_path / "people.csv", schema=PEOPLE, min_k=5, evaluations=600)
    (tmp_path / "frontier").mkdir()
    found.save(tmp_path / "frontier")
    found = tables.load(tmp_path / "frontier")
    chosen = max(found.candidates, key=lambda c: c.utility.value)
    found.publish(chosen, tmp_path / "people.csv", out=tmp_path / "out")
    got = pd.read_csv(tmp_path / "out" / "people.csv", dtype=str)
    assert got.groupby(list(got.columns)).size().min() >= 5
    stamps = pd.to_datetime(frame["born"], format="%d.%m.%Y")
    twin = frame.assign(
        born=[f"{s.year}-Q{s.quarter}" for s in stamps],
        height=[plain_bin(Decimal(str(h)), Attribute(**PEOPLE["attribute"][1]).bins) for h in frame["height"]],
    )  # fmt: skip
    mapping = {(n, v): label for n, v, label in found.policy(chosen).mapping()}
    for name in twin.columns:
        twin[name] = [mapping[name, v] for v in twin[name]]
    assert sorted(map(tuple, got.to_numpy())) == sorted(map(tuple, twin.to_numpy()))
    book = json.loads((tmp_path / "out" / "codebook.json").read_text())["codebook"]
    assert {e["published"] for e in book if e["attribute"] == "born"} >= set(got["born"])


@pytest.mark.parametrize(
    ("attribute", "told"),
    [
        ({"domain": {"range": [1.0, 2.0]}}, "a range of decimals needs a step"),
        ({"domain": {"range": [1, 2], "cuts": [1]}}, "exactly one of"),
        ({"domain": {"cuts": [2, 1]}}, "cuts must rise"),
        ({"domain": {"values": ["a"], "step": 1}}, "go with a range"),
        ({"domain": "observed", "date": {"unit": "age"}}, "go together"),
        ({"domain": {"dates": ["2000-01-01", "2001-01-01"]}}, "needs date"),
        ({"domain": "observed", "hierarchy": {"units": ["year"]}}, "is for dates"),
        ({"domain": "observed", "hierarchy": {"widths": [4, 6]}}, "multiple"),
        ({"domain": "observed", "hierarchy": {}}, "exactly one of prefix"),
    ],
)  # fmt: skip
def test_wrong_columns_are_told(attribute, told):
    with pytest.raises(PlanError, match=told) as error:
        TableSchema.of({"attribute": [{"name": "x", "role": "quasi", **attribute}]})
    assert "function-after" not in str(error.value)


def test_what_cannot_be_read_is_outside_the_domain():
    born = {"name": "b", "role": "quasi", "domain": "observed", "date": {"unit": "month"}}
    with pytest.raises(DataError, match="'b' holds a value outside its domain in row 2"):
        read_table({"b": ["2001-02-03", "yesterday"]}, {"missing": "drop", "attribute": [born]})
    tall = {"name": "h", "role": "quasi", "domain": {"range": [1.0, 2.0], "step": 0.5}}
    for wrong in ("tall", "2.1", "inf", "nan"):
        with pytest.raises(DataError, match="'h' holds a value outside its domain in row 1"):
            read_table({"h": [wrong]}, {"missing": "drop", "attribute": [tall]})
