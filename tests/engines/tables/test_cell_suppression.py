"""Cells left out: every published group is large enough, measures against plain code, the file measured again."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_twins import random_bits, random_cells

from sfumato import tables
from sfumato.core.errors import ReleaseRefusedError
from sfumato.engines.tables.groups.cell_suppression import blank_cells
from sfumato.engines.tables.groups.record_suppression import suppress_groups


def plain(cells, bits, found, group):
    """Measure blanked groups record by record: their records, the people who hide them, the loss."""
    interval = cells.intervals(bits)
    names = range(cells.attributes)
    tuples = [
        tuple(int(interval[a][cells.codes[a, i]]) for a in names)
        for i in range(cells.codes.shape[1])
    ]
    blanks = {}
    for j in range(found.count.size):
        blanks[tuple(found.codes[:, j].tolist())] = (int(found.blanks[j]), bool(found.left[j]))
    shown, left = {}, 0
    spread = 0.0
    for i in range(cells.occupied):
        mask, out = blanks[tuples[i]]
        n = int(cells.count[i])
        if out:
            left += n
            assert group[i] == -1
            continue
        key = tuple("*" if mask >> a & 1 else tuples[i][a] for a in names)
        shown.setdefault(key, []).append(n)
        for a in names:
            width = (interval[a, : cells.sizes[a]] == tuples[i][a]).sum()
            spread += n * np.log(cells.sizes[a] if key[a] == "*" else width)
    full = {key for key in shown if "*" not in key}
    people = {}
    for key, held in shown.items():
        fits = [
            cells.weight[i]
            for i, t in enumerate(tuples)
            if all(k in ("*", v) for k, v in zip(key, t, strict=True))
            and (key in full or t not in full)
        ]
        crowd = sum(fits) if cells.has_population else 0.0
        people[key] = max(crowd, sum(held))
    records = {key: sum(ns) for key, ns in shown.items()}
    nats = float((cells.count * np.log(cells.count)).sum()) + spread
    nats -= sum(n * np.log(n) for n in records.values())
    if left:
        nats += left * (np.log(cells.sizes.astype(float)).sum() - np.log(left))
    risk = sum(records[k] / people[k] for k in records) / cells.expected_reidentified
    return records, people, left, risk, nats / cells.records


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 12), st.booleans(), st.floats(0, 20))
def test_blanked_groups_against_plain_code(seed, least, population, crowd):
    cells = random_cells(seed, population=population, least_sample=least, least_population=crowd)
    bits = random_bits(cells, seed + 1)
    found, measured, group = blank_cells(cells, bits)
    records, people, left, risk, nats = plain(cells, bits, found, group)
    assert sorted(found.records.tolist()) == sorted(records.values())
    assert sorted(found.people) == pytest.approx(sorted(people.values()))
    assert found.rows_suppressed == measured.records == left
    assert measured.risk == pytest.approx(risk)
    assert measured.loss_nats == pytest.approx(nats, abs=1e-9)
    if records:
        assert min(records.values()) >= least
        assert min(people.values()) >= crowd - 1e-9
        assert np.bincount(group[group >= 0], weights=cells.count[group >= 0]).tolist() == found.records.tolist()  # fmt: skip


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_fewer_records_are_left_out_than_whole_ones(seed):
    cells = random_cells(seed, population=False, least_sample=4)
    bits = random_bits(cells, seed + 1, 0.7)
    _, blanked, _ = blank_cells(cells, bits)
    whole, _ = suppress_groups(cells, bits)
    assert blanked.records <= whole.records


def people(rows=600, seed=2):
    draw = np.random.default_rng(seed)
    return pd.DataFrame({
        "age": draw.normal(45, 18, rows).clip(0, 89).astype(int),
        "sex": draw.choice(["f", "m"], rows),
        "area": draw.choice(list("abcdefgh"), rows, p=np.arange(1, 9) / 36),
        "diagnosis": draw.choice(["flu", "cold", "asthma"], rows),
    })  # fmt: skip


SCHEMA = {
    "attribute": [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 89]}},
        {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
        {"name": "area", "role": "quasi", "domain": {"values": list("abcdefgh")}},
        {"name": "diagnosis", "role": "sensitive"},
    ]
}


@pytest.mark.parametrize("with_population", [False, True])
def test_a_release_with_blanked_cells(tmp_path, with_population):
    frame = people()
    frame.to_csv(tmp_path / "t.csv", index=False)
    crowd = None
    if with_population:
        crowd = frame.groupby(["age", "sex", "area"], as_index=False).size().rename(columns={"size": "count"})  # fmt: skip
        crowd["count"] *= 3
    found = tables.explore(
        tmp_path / "t.csv",
        schema=SCHEMA,
        population=crowd,
        evaluations=500,
        min_k=8,
        suppress="0.05:cells",
    )
    best = max(found.candidates, key=lambda c: c.utility.value)
    assert 0 < best.blanked + best.suppressed <= 30
    (tmp_path / "frontier").mkdir()
    found.save(tmp_path / "frontier")
    found = tables.load(tmp_path / "frontier")
    release = found.publish(best, tmp_path / "t.csv", out=tmp_path / "out")
    got = pd.read_csv(tmp_path / "out" / "t.csv", dtype=str)
    groups = got.groupby(["age", "sex", "area"]).size()
    assert groups.min() == release.measured.k == best.k >= 8
    assert len(got) == 600 - best.suppressed
    assert release.measured.blanked == release.counts["blanked"] == best.blanked
    assert release.measured.risk == pytest.approx(best.risk.value, abs=1e-9)
    assert release.measured.utility == pytest.approx(best.utility.value, abs=1e-9)
    assert release.measured.l_diversity == best.l_diversity
    assert any("blanked cells" in line for line in release.lines()) == (best.blanked > 0)
    assert sorted(got["diagnosis"]) == sorted(frame["diagnosis"]) or best.suppressed
    other = people(seed=9)
    other.to_csv(tmp_path / "other.csv", index=False)
    (tmp_path / "second").mkdir()
    with pytest.raises(ReleaseRefusedError, match="nothing was published"):
        found.publish(best, tmp_path / "other.csv", out=tmp_path / "second" / "out")


def test_order_is_kept_where_asked():
    frame = people()
    found = tables.explore(frame, schema=SCHEMA, evaluations=300, min_k=8, suppress="0.05:cells")
    best = max(found.candidates, key=lambda c: c.blanked)
    with pytest.warns(Warning, match="keep the order"):
        got = found.publish(best, frame, keep_order=True)
    if not best.suppressed:
        assert got["diagnosis"].tolist() == frame["diagnosis"].tolist()


def test_people_with_one_row_each_are_blanked_as_rows_are():
    with_person = {"attribute": [*SCHEMA["attribute"], {"name": "pid", "role": "person"}]}
    frame = people()
    asked = {"evaluations": 300, "min_k": 8, "suppress": "0.05:cells"}
    rows = tables.explore(frame, schema=SCHEMA, **asked)
    found = tables.explore(frame.assign(pid=range(600)), schema=with_person, **asked)
    assert [(c.id, c.blanked) for c in found.candidates] == [
        (c.id, c.blanked) for c in rows.candidates
    ]
    best = max(found.candidates, key=lambda c: c.blanked)
    got = found.publish(best, frame.assign(pid=range(600)))
    assert "pid" not in got.columns
    assert len(got) == 600 - best.suppressed
