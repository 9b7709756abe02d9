"""Threads: order, exceptions, flat memory; counts against a plain twin."""

import threading
import time
from collections import Counter

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.compute import COMPUTE, engine
from sfumato.compute.local import Local, available_cores
from sfumato.compute.protocol import Compute, source_files
from sfumato.core.errors import FormatError, InputError, ParameterError


def test_the_engine_is_chosen_by_name():
    assert isinstance(engine("local"), Compute)
    assert engine("local").threads == available_cores()
    assert list(COMPUTE) == ["local", "spark"]
    with pytest.raises(ParameterError, match="one of local, spark"):
        engine("dask")
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(ParameterError, match="threads"):
            Local(threads=wrong)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_order_is_kept_whatever_finishes_first(threads):
    def slow_when_even(number):
        time.sleep(0.002 if number % 2 == 0 else 0)
        return number * number

    found = list(Local(threads).map_batches(slow_when_even, range(40)))
    assert found == [n * n for n in range(40)]


@pytest.mark.parametrize("threads", [1, 3])
def test_the_shared_model_comes_first(threads):
    assert list(Local(threads).map_batches(pow, [1, 2, 3], shared=2)) == [2, 4, 8]


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_exception_ends_the_work(threads):
    read = []

    def batches():
        for number in range(1000):
            read.append(number)
            yield number

    def fails(number):
        if number == 5:
            raise LookupError("five")
        return number

    got = []
    with pytest.raises(LookupError, match="five"):
        got.extend(Local(threads).map_batches(fails, batches()))
    assert got == [] or got == list(range(5))
    assert len(read) < 50


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_few_batches_are_alive_at_once(threads):
    read = []

    def batches():
        for number in range(200):
            read.append(number)
            yield number

    results = Local(threads).map_batches(lambda n: n, batches())
    for done, _ in enumerate(results):
        assert len(read) - done <= 2 * threads


def test_work_stops_when_the_caller_does():
    before = threading.active_count()
    results = Local(3).map_batches(lambda n: n, iter(range(10**9)))
    assert next(results) == 0
    results.close()
    assert threading.active_count() == before


cells = st.one_of(
    st.none(), st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=3)
)


@given(st.lists(st.tuples(cells, st.integers(-2, 2)), max_size=30))
@settings(max_examples=40)
def test_counts_equal_the_plain_ones(rows):
    table = pa.table(
        {
            "a": pa.array([a for a, _ in rows], pa.string()),
            "n": pa.array([n for _, n in rows], pa.int64()),
        }
    )
    counted = Local(1).count_groups(table, ["n", "a"])
    assert counted.column_names == ["n", "a", "count"]
    found = {(r["n"], r["a"]): r["count"] for r in counted.to_pylist()}
    assert found == Counter((n, a) for a, n in rows)
    keys = [(r["n"], r["a"] is None, (r["a"] or "").encode()) for r in counted.to_pylist()]
    assert keys == sorted(keys)


def test_files_and_frames_count_alike(tmp_path):
    table = pa.table(
        {"zip": ["2", "", "2", "1"], 'a "b"': ["x", "x", "x", "é,\n="], "z": ["1"] * 4}
    )
    folder = tmp_path / "set [1]"
    folder.mkdir()
    pa.csv.write_csv(table.slice(0, 3), folder / "a*.csv")
    pa.csv.write_csv(table.slice(3), folder / "b?.csv")
    (folder / "_SUCCESS").touch()
    wanted = ["zip", 'a "b"']
    from_csv = Local().count_groups(folder, wanted)
    assert from_csv.equals(Local().count_groups(table, wanted))
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    assert from_csv.equals(Local().count_groups(str(tmp_path / "t.parquet"), wanted))
    assert [r["count"] for r in from_csv.to_pylist()] == [1, 1, 2]


def test_what_cannot_be_counted(tmp_path):
    table = pa.table({"a": [1], "count": [1]})
    for columns in ([], ["a", "a"], ["count"]):
        with pytest.raises(ParameterError, match="columns"):
            Local().count_groups(table, columns)
    with pytest.raises(InputError, match="no column 'b'"):
        Local().count_groups(table, ["b"])
    with pytest.raises(InputError, match="no file"):
        Local().count_groups(tmp_path / "nowhere.csv", ["a"])
    with pytest.raises(InputError, match="no Parquet or CSV"):
        Local().count_groups(tmp_path, ["a"])
    (tmp_path / "broken.parquet").write_bytes(b"Perez not a table")
    with pytest.raises(FormatError) as caught:
        Local().count_groups(tmp_path / "broken.parquet", ["a"])
    assert "Perez" not in str(caught.value)
    (tmp_path / "a.csv").write_text("a\n1\n")
    with pytest.raises(InputError, match="mixes"):
        source_files(tmp_path)
