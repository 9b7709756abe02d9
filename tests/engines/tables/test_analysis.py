"""What analysts lose under a policy: every figure against plain pandas and numpy."""

import json

import numpy as np
import pandas as pd
import pytest

from sfumato import tables
from sfumato.core.engine import Part
from sfumato.core.errors import DataError, ParameterError
from sfumato.data.table import read_table
from sfumato.data.table_source import TableSource
from sfumato.engines.tables.analysis import compare_analyses
from sfumato.engines.tables.analysis_columns import ExplainedColumn
from sfumato.engines.tables.analysis_records import FigureRecord, bounds_of_errors
from sfumato.engines.tables.engine import ENGINE

SCHEMA = {
    "missing": "value",
    "attribute": [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 19]}},
        {"name": "size", "role": "quasi", "domain": {"range": [1, 6]}},
        {"name": "town", "role": "quasi", "domain": {"values": ["a", "b", "c"]}},
        {"name": "pay", "role": "sensitive"},
        {"name": "ill", "role": "other"},
    ],
}


def people(rows=400, seed=0):
    dice = np.random.default_rng(seed)
    age = dice.integers(0, 20, rows)
    size = np.clip(1 + age // 4 + dice.integers(-1, 2, rows), 1, 6)
    return pd.DataFrame(
        {
            "age": age,
            "size": size,
            "town": dice.choice(["a", "b", "c"], rows, p=[0.6, 0.3, 0.1]),
            "pay": 100 * age + 50 * size + dice.normal(0, 100, rows).round(),
            "ill": dice.choice(["yes", "no"], rows),
        }
    )


def spread(frame, policy, name):
    """Return, by row, the values that its interval may stand for."""
    a = policy.lattice.names.index(name)
    domain = policy.lattice.domains[a]
    inside = {
        v: domain[low : high + 1] for low, high in policy.spans(a) for v in domain[low : high + 1]
    }
    return [inside[str(v)] for v in frame[name]]


def test_every_figure_is_that_of_plain_code():
    frame = people()
    found = tables.explore(frame, schema=SCHEMA, evaluations=150, min_k=5)
    chosen = found.knee()
    policy = found.policy(chosen)
    lost = found.compare(chosen, frame, target="pay")
    figures = {(f.kind, f.of): f for f in lost.figures}
    after = {n: spread(frame, policy, n) for n in ("age", "size", "town")}
    middle = {
        n: np.array([np.mean([float(v) for v in s]) for s in after[n]]) for n in ("age", "size")
    }
    for name in ("age", "size"):
        figure = figures["mean", name]
        assert figure.before == pytest.approx(frame[name].mean())
        assert figure.after == pytest.approx(middle[name].mean())
        assert figure.scale == pytest.approx(frame[name].std(ddof=0))
        assert (
            figures["quartile", f"{name}, 0.5"].before == np.sort(frame[name])[len(frame) // 2 - 1]
        )
    towns = pd.Series([v for s in after["town"] for v in s])
    weights = np.array([1 / len(s) for s in after["town"] for _ in s])
    for i, town in enumerate("abc"):
        figure = figures["proportion", f"town, value {i + 1}"]
        assert figure.before == pytest.approx((frame["town"] == town).mean())
        assert figure.after == pytest.approx(weights[towns == town].sum() / len(frame))
    figure = figures["correlation", "age, size"]
    assert figure.before == pytest.approx(frame["age"].corr(frame["size"]))
    if middle["age"].std() and middle["size"].std():
        assert figure.after == pytest.approx(np.corrcoef(middle["age"], middle["size"])[0, 1])
    for side in ("before", "after"):
        x = [np.ones(len(frame))]
        for name in ("age", "size"):
            values = frame[name].to_numpy(float) if side == "before" else middle[name]
            x.append(values / frame[name].std(ddof=0))
        for town in "bc":
            shown = (
                (frame["town"] == town).to_numpy(float)
                if side == "before"
                else np.array([(town in s) / len(s) for s in after["town"]])
            )
            x.append(shown)
        fit = np.linalg.lstsq(np.column_stack(x), frame["pay"].to_numpy(float), rcond=None)[0]
        got = [getattr(f, side) for f in lost.figures if f.kind == "coefficient"]
        assert got == pytest.approx(fit[1:], rel=1e-6, abs=1e-6)
    wide = figures["coefficient", "age on pay"]
    assert wide.low < wide.before < wide.high
    assert len(lost.to_frame()) == len(lost.figures)
    assert "means off by" in repr(lost)


def test_nothing_is_lost_where_nothing_is_changed_and_all_where_nothing_is_left():
    frame = people()
    found = tables.explore(frame, schema=SCHEMA, evaluations=80)
    best = max(found, key=lambda c: c.utility.value)
    if best.loss < 1e-9:
        assert all(
            f.error == pytest.approx(0.0, abs=1e-9) for f in found.compare(best, frame).figures
        )
    coarse = min(found, key=lambda c: c.groups)
    if coarse.groups == 1:
        lost = found.compare(coarse, frame, columns=["age"])
        assert lost.constant == ("age",)
    twofold = found.compare(best, frame, target="ill")
    assert any(f.kind == "coefficient" for f in twofold.figures)


def test_a_quasi_identifier_is_not_explained_by_itself():
    frame = people()
    found = tables.explore(frame, schema=SCHEMA, evaluations=60, min_k=5)
    lost = found.compare(found.knee(), frame, target="age")
    explaining = [f.of for f in lost.figures if f.kind == "coefficient"]
    assert explaining
    assert not any(of.startswith("age") for of in explaining)
    assert lost.mean_error("coefficient") < 1e6


def test_missing_cells_and_wrong_columns():
    frame = people().astype(str)
    frame.loc[:20, "age"] = ""
    found = tables.explore(frame, schema=SCHEMA, evaluations=80)
    lost = found.compare(found.knee(), frame)
    mean = next(f for f in lost.figures if f.kind == "mean" and f.of == "age")
    assert mean.before == pytest.approx(pd.to_numeric(frame["age"]).mean())
    with pytest.raises(ParameterError, match="agee"):
        found.compare(found.knee(), frame, columns=["agee"])
    with pytest.raises(DataError, match="neither numbers"):
        found.compare(found.knee(), frame, target="town")


def test_the_counted_cells_of_a_table_give_what_its_rows_give():
    frame = people().astype(str)
    frame.loc[:20, "age"] = ""
    found = tables.explore(frame, schema=SCHEMA, evaluations=60)
    policy = found.policy(found.knee())
    table = read_table(frame, found.payload.schema)
    plain = compare_analyses(found.payload, policy, frame, target="pay")
    counted = compare_analyses(found.payload, policy, frame, target="pay", table=table)
    assert plain.margins == counted.margins
    for one, other in zip(plain.figures, counted.figures, strict=True):
        assert (one.kind, one.of) == (other.kind, other.of)
        assert (one.before, one.after) == pytest.approx((other.before, other.after))
    known = frame[frame["age"] != ""].astype({"age": float, "size": float})
    figure = next(f for f in counted.figures if f.kind == "correlation")
    assert figure.before == pytest.approx(known["age"].corr(known["size"]))


@pytest.mark.parametrize(
    ("cells", "one", "has_values"),
    [(["1", "2.5", ""], None, True), (["yes", "no", ""], "yes", True), (["", "?"], None, False)],
)
def test_what_can_be_explained(cells, one, has_values):
    found = tables.explore(people(), schema=SCHEMA, evaluations=20)
    opened = TableSource.open({"pay": cells})
    target = ExplainedColumn.of(opened, found.payload, "pay")
    assert (target.one, target.has_values) == (one, has_values)
    with pytest.raises(DataError, match="neither numbers"):
        ExplainedColumn.of(TableSource.open({"pay": ["a", "b", "3"]}), found.payload, "pay")
    late = TableSource.open({"pay": ["1"] * 20_001 + ["x", "y"]})  # past the rows looked at first
    with pytest.raises(DataError, match="neither numbers"):
        ExplainedColumn.of(late, found.payload, "pay")


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("analysis")
    frame = people(1_200)
    frame.to_csv(folder / "people.csv", index=False)
    found = tables.explore(frame, schema=SCHEMA, evaluations=60, min_k=20)
    chosen = found.knee()
    release = found.publish(chosen, folder / "people.csv", out=folder / "out")
    return found, chosen, release, frame, folder


def test_a_release_keeps_what_analysts_lose(published):
    found, chosen, release, frame, folder = published
    lost = found.compare(chosen, frame, target="pay")
    kept = release.measured.analysis
    assert kept.explained == "pay"
    assert [(f.kind, f.of) for f in kept.figures] == [(f.kind, f.of) for f in lost.figures]
    assert [f.after for f in kept.figures] == pytest.approx([f.after for f in lost.figures])
    margin = {m.column: m for m in kept.margins}["town"]
    shares = frame["town"].value_counts(normalize=True)
    assert margin.before == pytest.approx([shares[v] for v in "abc"])
    assert sum(margin.after) == pytest.approx(1)
    below = release.measured.errors_below
    for kind, bound in below.items():
        assert lost.mean_error(kind) < bound <= max(0.01, 2.5 * lost.mean_error(kind))
    public = json.loads((folder / "out" / "release.json").read_text())
    assert "analysis" not in public["measured"]
    assert public["measured"]["errors_below"] == below


def test_both_editions_tell_what_analysts_lose(published):
    found, chosen, release, _, folder = published
    full = ENGINE.story(Part("t", "tables", frontier=found.record, release=release, chosen=chosen))
    grid = next(g for g in full.grids if g.caption == "What analysts lose")
    assert any(row[0] == "mean of age" for row in grid.rows)
    assert any(" – " in row[1] for row in grid.rows)  # the interval of a coefficient
    assert any(chart.title.startswith("Margin of") for chart in full.charts)
    public = ENGINE.Release.model_validate_json((folder / "out" / "release.json").read_bytes())
    told = ENGINE.story(Part("t", "tables", release=public))
    assert any("is off by no more than this on average" in sentence for sentence in told.cost)
    assert not any(g.caption == "What analysts lose" for g in told.grids)


def test_bounds_are_of_a_series_and_of_enough_records():
    figures = [FigureRecord(kind="mean", of="a", before=0.0, after=e) for e in (0.0, 0.6)]
    assert bounds_of_errors(figures, 1_000) == {"mean": 0.5}
    assert bounds_of_errors(figures, 999) == {}
