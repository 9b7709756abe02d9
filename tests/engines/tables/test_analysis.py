"""What analysts lose under a policy: every figure against plain pandas and numpy."""

import numpy as np
import pandas as pd
import pytest

from sfumato import tables
from sfumato.core.errors import DataError, ParameterError

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
