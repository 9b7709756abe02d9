"""Measures: each against a plain pandas twin, each monotone along generalisation."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import ParameterError
from sfumato.engines.tables.contingency.cells import Cells
from sfumato.engines.tables.contingency.numbering import group_sizes
from sfumato.engines.tables.measures import axes as measures
from sfumato.engines.tables.measures.protocol import Context, Measure
from sfumato.engines.tables.measures.sensitive import l_diversity, t_closeness
from sfumato.engines.tables.measures.shown import PolicyGroups, size_histogram
from sfumato.engines.tables.registry import LOSSES, RISKS, SHOWN, STRATEGIES

SIZES = (5, 3, 4)
LENGTH = sum(SIZES) - len(SIZES)


@st.composite
def tables(draw):
    """A small table with a target column, a population, and two policies of which one is more general."""
    records = draw(
        st.lists(
            st.tuples(*(st.integers(0, s - 1) for s in SIZES), st.integers(0, 2)),
            min_size=1,
            max_size=25,
        )
    )
    population = draw(
        st.lists(st.tuples(*(st.integers(0, s - 1) for s in SIZES), st.integers(1, 9)), max_size=30)
    )
    lower = draw(st.lists(st.integers(0, 1), min_size=LENGTH, max_size=LENGTH))
    cleared = draw(st.lists(st.integers(0, 1), min_size=LENGTH, max_size=LENGTH))
    lower = np.array(lower, dtype=np.uint8)
    return records, population, lower, lower & np.array(cleared, dtype=np.uint8)


def build(records, population):
    frame = pd.DataFrame(records, columns=["a", "b", "c", "t"])
    cells = frame.groupby(["a", "b", "c"]).size().reset_index(name="n")
    joint = frame.groupby(["a", "b", "c", "t"]).size().reset_index(name="n")
    codes = cells[["a", "b", "c"]].to_numpy().T
    people = None
    if population:
        people = pd.DataFrame(population, columns=["a", "b", "c", "n"])
    built = Cells(
        SIZES,
        codes,
        cells["n"].to_numpy(),
        None if people is None else people[["a", "b", "c"]].to_numpy().T,
        None if people is None else people["n"].to_numpy(),
    )
    place = {tuple(c): i for i, c in enumerate(codes.T.tolist())}
    cell = np.array([place[tuple(r)] for r in joint[["a", "b", "c"]].to_numpy().tolist()])
    target = (built.place[cell], joint["t"].to_numpy(), joint["n"].to_numpy())
    return frame, people, built, target


def generalised(frame, bits):
    """Put each value into its interval, the plain way."""
    out, at = frame.copy(), 0
    for name, size in zip("abc", SIZES, strict=True):
        interval = np.concatenate(([0], np.cumsum(bits[at : at + size - 1], dtype=np.int64)))
        out[name] = interval[frame[name]]
        at += size - 1
    return out


def entropy(counts):
    share = counts / counts.sum()
    return float(-(share * np.log(share)).sum())


def information(frame):
    """Mutual information as H(group) + H(target) − H(both)."""
    keys = [frame[c] for c in "abc"]
    both = frame.groupby([*keys, frame["t"]]).size().to_numpy()
    return (
        entropy(frame.groupby(keys).size().to_numpy())
        + entropy(frame.groupby("t").size().to_numpy())
        - entropy(both)
    )


@given(tables())
@settings(max_examples=35)
def test_against_pandas(drawn):
    records, population, bits, _ = drawn
    frame, people, cells, target = build(records, population)
    seen = generalised(frame, bits)
    groups = seen.groupby(["a", "b", "c"]).size()
    n = len(frame)

    assert measures.ProsecutorRisk(cells)(bits) == pytest.approx(1 / groups.min(), abs=1e-12)
    for k in (2, 5):
        below = groups[groups < k].sum() / n
        assert measures.SmallGroups(cells, k)(bits) == pytest.approx(below, abs=1e-12)
    least = n / len(frame.groupby(["a", "b", "c"]))
    average = n / len(groups)
    wanted = 0.0 if least == n else (average - least) / (n - least)
    assert measures.AverageClassSize(cells)(bits) == pytest.approx(wanted, abs=1e-12)

    def expected(data, crowd):
        sample = data.groupby(["a", "b", "c"]).size()
        if crowd is None:
            return float(len(sample))
        around = crowd.groupby(["a", "b", "c"])["n"].sum().reindex(sample.index).fillna(0)
        return float((sample / np.maximum(around, sample)).sum())

    crowd = None if people is None else generalised(people, bits)
    risk = expected(seen, crowd) / expected(frame, people)
    assert measures.PopulationRisk(cells)(bits) == pytest.approx(risk, abs=1e-12)

    kept = measures.MutualInformationLoss(cells, target)
    assert kept.information(bits) == pytest.approx(information(seen), abs=1e-9)
    most = information(frame)
    if most > 1e-9:
        assert kept(bits) == pytest.approx(1 - information(seen) / most, abs=1e-9)


@given(tables())
@settings(max_examples=35)
def test_kl_against_pandas(drawn):
    records, population, bits, _ = drawn
    frame, _, cells, _ = build(records, population)

    def nats(policy):
        seen = generalised(frame, policy)
        widths, at = np.ones(len(frame)), 0
        for name, size in zip("abc", SIZES, strict=True):
            interval = np.concatenate(([0], np.cumsum(policy[at : at + size - 1], dtype=np.int64)))
            widths *= np.bincount(interval)[seen[name]]
            at += size - 1
        own = frame.groupby(["a", "b", "c"])["t"].transform("size")
        group = seen.groupby(["a", "b", "c"])["t"].transform("size")
        return float(np.log(own * widths / group).mean())

    top = nats(np.zeros(LENGTH, dtype=np.uint8))
    wanted = nats(bits) / top if top > 1e-12 else nats(bits)
    assert measures.InformationLoss(cells)(bits) == pytest.approx(wanted, abs=1e-9)


@given(tables())
@settings(max_examples=60)
def test_monotone_along_generalisation(drawn):
    records, population, lower, upper = drawn
    _, _, cells, target = build(records, population)
    context = Context(cells, 3, target)
    for name, entry in (*RISKS.items(), *LOSSES.items()):
        measure = entry.of(context)
        assert isinstance(measure, Measure)
        assert measure.name == name
        assert measure.rises is (name in LOSSES)
        change = measure(upper) - measure(lower)
        assert (change if measure.rises else -change) >= -1e-9, measure.name
        assert -1e-9 <= measure(lower) <= 1 + 1e-9


@given(tables())
@settings(max_examples=35)
def test_diversity_and_closeness_against_pandas(drawn):
    records, population, bits, _ = drawn
    frame, _, cells, target = build(records, population)
    seen = generalised(frame, bits)
    whole = frame["t"].value_counts(normalize=True)
    distinct, least, farthest = [], [], []
    for _, group in seen.groupby(["a", "b", "c"]):
        counts = group["t"].value_counts()
        distinct.append(len(counts))
        least.append(np.exp(entropy(counts.to_numpy())))
        share = group["t"].value_counts(normalize=True).reindex(whole.index).fillna(0)
        farthest.append(0.5 * np.abs(share - whole).sum())
    found = l_diversity(cells, bits, target)
    assert found[0] == min(distinct)
    assert found[1] == pytest.approx(min(least), abs=1e-9)
    assert t_closeness(cells, bits, target) == pytest.approx(max(farthest), abs=1e-9)
    groups = PolicyGroups.of_cells(cells, bits, {"t": target})
    assert SHOWN["k"].of_groups(groups) == seen.groupby(["a", "b", "c"]).size().min()
    assert SHOWN["l_diversity"].of_groups(groups) == {"t": min(distinct)}


def test_wide_lattices_do_not_overflow():
    sizes = [1000] * 8
    codes = np.array([[0, 999, 999]] * 8)
    cells = Cells(sizes, codes, np.array([1, 2, 3]))
    group, records = group_sizes(cells, np.ones(cells.length, dtype=np.uint8))
    assert sorted(records.tolist()) == [1, 5]
    assert len(set(group.tolist())) == 2


def test_unknown_names():
    cells = Cells([2], np.array([[0, 1]]), np.array([1, 1]))
    for registry in (RISKS, LOSSES, STRATEGIES):
        with pytest.raises(ParameterError, match=f"no {registry.kind} 'luck'"):
            registry.get_or_raise("luck")
    with pytest.raises(ParameterError, match="needs a target"):
        LOSSES["mutual-information"].of(Context(cells))


def test_histogram_covers_everyone():
    records, people = np.array([1, 4, 7]), np.array([1.0, 12.0, 5000.0])
    found = size_histogram(records, people)
    assert sum(b.records for b in found) == 12
    assert sum(b.risk_share for b in found) == pytest.approx(1, abs=1e-5)
    assert [(b.low, b.high) for b in found] == [(1, 1), (10, 19), (1000, None)]


def test_shares_of_the_risk_never_add_up_to_more_than_all():
    people = np.array([1.0, 2.0, 5.0])
    records = np.array([1, 2, 20])  # a sixth, a sixth and two thirds of the risk, each rounded up
    (whole,) = size_histogram(records, people, 30)
    assert whole.records == 23
    assert whole.risk_share == 1.0
