"""H4: the order of rows tells nothing, is the same for the same release, and can be kept only with a warning."""

import csv
import random
import zlib
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.seeds import seeded

from sfumato import tables
from sfumato.core.errors import PrivacyWarning
from sfumato.data.byte_columns import Column
from sfumato.data.shuffling import RowPlaces, ShuffledLines
from sfumato.engines.tables.release import rows as tables_rows

SCHEMA = {
    "attribute": [
        {"name": "name", "role": "identifier"},
        {"name": "age", "role": "quasi", "domain": {"range": [0, 99]}},
        {"name": "diagnosis", "role": "sensitive"},
    ]
}
LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=9))


@settings(max_examples=60)
@given(rows=LINES, labels=st.integers(1, 4), held=st.sampled_from([0, 20, 10_000]), data=st.data())
def test_lines_come_out_in_an_order_that_forgets_the_first(
    tmp_path_factory, rows, labels, held, data
):
    folder = tmp_path_factory.mktemp("rows")
    pairs = [(line, f"label {i % labels}") for i, line in enumerate(rows)]
    found = []
    for order in (pairs, data.draw(st.permutations(pairs))):
        with ShuffledLines(folder, held=held) as lines, ShuffledLines(folder) as beside:
            for start in range(0, len(order), 7):
                some = order[start : start + 7]
                places = np.array([zlib.crc32(f"{own}".encode()) << 32 for own in some], np.uint64)
                lines.add(Column.of([line.encode() for line, _ in some]), places)
                beside.add(Column.of([label.encode() for _, label in some]), places)
            both = ([own.decode() for some in one for own in some] for one in (lines, beside))
            found.append(list(zip(*both, strict=True)))
    assert Counter(found[0]) == Counter(pairs)
    assert found[0] == found[1]
    assert list(folder.iterdir()) == []


@settings(max_examples=40)
@given(seed=st.integers(0, 2**63 - 1), n=st.integers(1, 60), d=st.integers(1, 12))
def test_rows_of_a_matrix_come_out_in_an_order_that_forgets_the_first(seed, n, d):
    dice = np.random.default_rng(seeded(seed % 1000))
    dense = (dice.random((n, d)) < 0.3).astype(np.int8)
    labels = dice.choice(["a", "b", "c"], n)
    before = dice.permutation(n)
    shown = []
    for order in (np.arange(n), before):
        matrix, own = sp.csr_matrix(dense[order]), tuple(labels[order].tolist())
        places = RowPlaces(seed, d)(matrix.indptr, matrix.indices, own)
        place = np.argsort(places, kind="stable")
        assert sorted(place.tolist()) == list(range(n))
        shown.append([(*matrix[i].toarray()[0].tolist(), own[i]) for i in place])
    assert shown[0] == shown[1]


def register(path, order):
    people = [(f"name{i:03d}", i % 97, f"d{random.Random(i).randrange(9)}") for i in range(300)]
    lines = [",".join(map(str, people[i])) for i in order]
    path.write_text("name,age,diagnosis\n" + "\n".join(lines) + "\n")
    return people


# PySpark leaves its own sockets to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.spark)])
def test_h4_a_sorted_register_is_not_read_off_by_position(tmp_path, engine):
    from sfumato import tables

    people = register(tmp_path / "sorted.csv", range(300))
    register(tmp_path / "mixed.csv", random.Random(1).sample(range(300), 300))
    found = tables.explore(tmp_path / "sorted.csv", schema=SCHEMA, evaluations=40)
    chosen = found.knee()
    for name in ("sorted", "mixed"):
        found.publish(chosen, tmp_path / f"{name}.csv", out=tmp_path / name, engine=engine)
    with (tmp_path / "sorted" / "sorted.csv").open() as stream:
        shown = [row["diagnosis"] for row in csv.DictReader(stream)]
    right = sum(d == person[2] for d, person in zip(shown, people, strict=True))
    assert right < 90  # 33 by chance; 300 in the order of the register
    # The order depends on what is published alone: no order of the input is left.
    assert (tmp_path / "sorted/sorted.csv").read_bytes() == (
        tmp_path / "mixed/mixed.csv"
    ).read_bytes()


def test_h4_keeping_the_order_warns_and_is_recorded(tmp_path):
    from sfumato import tables

    people = register(tmp_path / "t.csv", range(300))
    found = tables.explore(tmp_path / "t.csv", schema=SCHEMA, evaluations=40)
    with pytest.warns(PrivacyWarning, match="keep the order"):
        kept = found.publish(
            found.knee(), tmp_path / "t.csv", out=tmp_path / "kept", keep_order=True
        )
    with (tmp_path / "kept" / "t.csv").open() as stream:
        assert [row["diagnosis"] for row in csv.DictReader(stream)] == [p[2] for p in people]
    assert kept.to_json()["how"]["order"] == "kept"


def test_another_key_gives_another_order(tmp_path, monkeypatch):
    from sfumato import tables

    register(tmp_path / "t.csv", range(300))
    found = tables.explore(tmp_path / "t.csv", schema=SCHEMA, evaluations=40)
    seen = set()
    for key in ("one", "two"):
        monkeypatch.setenv("SFUMATO_PRIVATE_KEY", str(tmp_path / f"{key}.key"))
        found.publish(found.knee(), tmp_path / "t.csv", out=tmp_path / key)
        seen.add((tmp_path / key / "t.csv").read_bytes())
    assert len(seen) == 2
    assert len({tuple(sorted(content.splitlines())) for content in seen}) == 1


@pytest.mark.parametrize("suppress", [0.0, 0.2])
def test_rows_that_are_counted_come_out_as_rows_that_are_sorted(suppress, tmp_path, monkeypatch):
    """Equal rows are sorted once and written as often as they stand there: the same bytes, for less work."""
    dice = np.random.default_rng(seeded(4))
    kinds = [
        f"{age:03}, {word}" for age in range(20, 30) for word in ("", "flu", '"a,""b"""', "?", " x")
    ]
    rows = [f"n{i},{kind}" for i, kind in enumerate(dice.choice(kinds, 600))]
    (tmp_path / "t.csv").write_text("\n".join(["name,age,diagnosis", *rows]) + "\n")
    found = tables.explore(
        tmp_path / "t.csv",
        schema=SCHEMA,
        evaluations=50,
        min_sample=20 if suppress else 0,
        suppress=suppress,
    )
    chosen = found.candidates[len(found.candidates) // 2]
    monkeypatch.setattr(tables_rows, "_COPIED", 3)
    looked = []
    repeats = tables_rows.Generaliser.repeats
    monkeypatch.setattr(
        tables_rows.Generaliser,
        "repeats",
        lambda *given: looked.append(repeats(*given)) or looked[-1],
    )
    found.publish(chosen, tmp_path / "t.csv", out=tmp_path / "counted.csv")
    assert looked == [True]
    monkeypatch.setattr(tables_rows.Generaliser, "repeats", lambda *_: False)
    found.publish(chosen, tmp_path / "t.csv", out=tmp_path / "sorted.csv")
    assert (tmp_path / "counted.csv").read_bytes() == (tmp_path / "sorted.csv").read_bytes()
    assert (tmp_path / "counted.csv").read_text().count("\n") > 300
