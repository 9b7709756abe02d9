"""Tables from hostile or careless files: nothing is read by position, by pattern or from elsewhere."""

import errno
import gzip
import io
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato import tables
from sfumato.compute import engine as compute_engine
from sfumato.core.errors import DataError, FormatError, InputError, LimitError
from sfumato.data.limits import Limits
from sfumato.data.schema_draft import draft_schema
from sfumato.data.table import read_table
from sfumato.data.table_source import TableSource

SCHEMA = {
    "attribute": [
        {"name": "name", "role": "identifier"},
        {"name": "age", "role": "quasi", "domain": {"range": [0, 99]}},
        {"name": "sex", "role": "quasi", "domain": {"values": ["F", "M"]}},
        {"name": "diagnosis", "role": "sensitive"},
    ]
}


def rows(first, count, order=("name", "age", "sex", "diagnosis"), header=True):
    lines = [",".join(order)] if header else []
    for i in range(first, first + count):
        cells = {"name": f"CANARYNAME{i}", "age": str(20 + i % 5), "sex": "FM"[i % 2],
                 "diagnosis": ("flu", "cold")[i % 3 == 0]}  # fmt: skip
        lines.append(",".join(cells[c] for c in order))
    return "\n".join(lines) + "\n"


def published(source, tmp_path, **options):
    """Explore a table, publish it, and return everything that was written."""
    found = tables.explore(source, schema=SCHEMA, evaluations=20)
    found.publish(found.knee(), source, out=tmp_path / "out", **options)
    return b"".join(p.read_bytes() for p in (tmp_path / "out").iterdir())


def test_c2_parts_are_matched_by_name(tmp_path):
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "a.csv").write_text(rows(0, 20))
    (parts / "b.csv").write_text(rows(20, 20, ("diagnosis", "age", "sex", "name")))
    (parts / "c.csv.gz").write_bytes(gzip.compress(rows(40, 20).encode()))
    assert read_table(parts, SCHEMA).rows == 60
    assert b"CANARY" not in published(parts, tmp_path)
    opened = TableSource.open(parts)
    got = opened.query(f"SELECT name, diagnosis FROM {opened.sql}").to_pylist()
    assert [r["name"] for r in got] == [f"CANARYNAME{i}" for i in range(60)]
    assert {r["diagnosis"] for r in got} == {"flu", "cold"}


@pytest.mark.parametrize(
    "second",
    [
        rows(20, 20, header=False),
        rows(20, 20, ("name", "age", "sex")),
        rows(20, 20).replace(",", ";"),
        rows(20, 20).replace("diagnosis", "Diagnosis"),
    ],
)
def test_c2_a_part_with_other_columns_is_refused(second, tmp_path):
    (tmp_path / "a.csv").write_text(rows(0, 20))
    (tmp_path / "b.csv").write_text(second)
    with pytest.raises(
        FormatError, match=r"'b.csv' does not name the columns of 'a.csv'"
    ) as caught:
        read_table([tmp_path / "a.csv", tmp_path / "b.csv"], SCHEMA)
    assert "CANARY" not in str(caught.value)


def test_c2_parquet_parts_are_matched_by_name(tmp_path):
    one = pa.table({"name": ["CANARYA"], "age": ["3"], "sex": ["F"], "diagnosis": ["flu"]})
    pq.write_table(one, tmp_path / "a.parquet")
    pq.write_table(one.select(["diagnosis", "sex", "age", "name"]), tmp_path / "b.parquet")
    both = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    opened = TableSource.open(both)
    got = opened.query(f"SELECT DISTINCT * FROM {opened.sql}")
    assert got.to_pylist() == one.to_pylist()
    pq.write_table(one.drop_columns(["name"]), tmp_path / "b.parquet")
    with pytest.raises(FormatError, match=r"columns of 'b.parquet' are not those"):
        TableSource.open(both)


def test_h1_names_of_files_are_not_patterns(tmp_path):
    inside = tmp_path / "w[a]rd*"
    inside.mkdir()
    for name, person in {
        "register[1].csv": "BRACKET", "register1.csv": "OTHERFILE", "s*.csv": "STAR",
        "secret.csv": "OTHERFILE", "q?.csv": "QUESTION", "q1.csv": "OTHERFILE",
        "it's {a,b}\\.csv": "QUOTE",
    }.items():  # fmt: skip
        (inside / name).write_text(rows(0, 10).replace("CANARYNAME", person))
    table = pa.table({"name": ["STARPARQUET"], "age": ["3"]})
    pq.write_table(table, inside / "p*.parquet")
    pq.write_table(pa.table({"name": ["OTHERFILE"], "age": ["3"]}), inside / "p1.parquet")
    for name, person in [
        ("register[1].csv", "BRACKET"), ("s*.csv", "STAR"), ("q?.csv", "QUESTION"),
        ("it's {a,b}\\.csv", "QUOTE"), ("p*.parquet", "STARPARQUET"),
    ]:  # fmt: skip
        opened = TableSource.open(inside / name)
        names = opened.query(f"SELECT name FROM {opened.sql}").column("name").to_pylist()
        assert len(names) == (10 if name.endswith("csv") else 1)
        assert all(n.startswith(person) for n in names)
        counted = compute_engine("local").count_groups([inside / name], ["name"])
        assert counted.column("name").to_pylist() == sorted(names)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_m9_a_folder_is_not_a_partition(kind, tmp_path):
    folder = tmp_path / "sex=F"
    folder.mkdir()
    (folder / "one.csv").write_text(rows(0, 10))
    if kind == "parquet":
        opened = TableSource.open(folder / "one.csv")
        pq.write_table(opened.query(f"SELECT * FROM {opened.sql}"), folder / "one.parquet")
    opened = TableSource.open(folder / f"one.{kind}")
    got = opened.query(f"SELECT sex FROM {opened.sql}").column("sex").to_pylist()
    assert got == ["F", "M"] * 5
    counted = compute_engine("local").count_groups([folder / f"one.{kind}"], ["sex"])
    assert counted.column("count").to_pylist() == [5, 5]


def test_l11_the_database_reaches_nothing_but_its_files(tmp_path):
    (tmp_path / "one.csv").write_text(rows(0, 3))
    (tmp_path / "two.csv").write_text(rows(0, 3))
    opened = TableSource.open(tmp_path / "one.csv")
    for sql in (
        f"SELECT * FROM read_csv('{tmp_path / 'two.csv'}')",
        f"SELECT * FROM '{tmp_path / 'two.csv'}'",
        f"SELECT * FROM read_text('{tmp_path / 'two.csv'}')",
        f"SELECT * FROM glob('{tmp_path}/*')",
        "SELECT * FROM SCHEMA",
    ):
        with pytest.raises(FormatError):
            opened.query(sql)
    for sql in (
        f"COPY (SELECT 1) TO '{tmp_path / 'three.csv'}'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        f"ATTACH '{tmp_path / 'x.db'}' AS x",
    ):
        with pytest.raises(FormatError):
            opened.execute(sql)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one.csv", "two.csv"]
    names = ("autoload_known_extensions", "autoinstall_known_extensions", "enable_external_access")
    for name in names:
        got = opened.query(f"SELECT current_setting('{name}') AS v").column("v")[0].as_py()
        assert got in (False, "false")


def test_h7_columns_that_the_schema_does_not_name_are_dropped(tmp_path):
    (tmp_path / "one.csv").write_text(rows(0, 40))
    lines = rows(0, 40).splitlines()
    extra = [
        lines[0] + ",ssn,email",
        *(f"{x},CANARYSSN{i},CANARY@x" for i, x in enumerate(lines[1:])),
    ]
    (tmp_path / "extra.csv").write_text("\n".join(extra) + "\n")
    found = tables.explore(tmp_path / "one.csv", schema=SCHEMA, evaluations=20)
    with pytest.raises(DataError, match="2 columns that the schema does not name") as told:
        found.publish(found.knee(), tmp_path / "extra.csv", out=tmp_path / "out")
    assert "ssn" not in str(told.value)
    found = tables.explore(
        tmp_path / "one.csv", schema={**SCHEMA, "undeclared": "drop"}, evaluations=20
    )
    release = found.publish(found.knee(), tmp_path / "extra.csv", out=tmp_path / "out")
    assert release.how.undeclared_columns_dropped == 2
    assert release.counts["columns"] == 3
    assert b"CANARY" not in b"".join(p.read_bytes() for p in (tmp_path / "out").iterdir())
    import pandas as pd

    frame = pd.read_csv(tmp_path / "extra.csv").set_index("email")
    assert list(found.publish(found.knee(), frame).columns) == ["age", "sex", "diagnosis"]


def test_h10_no_cell_of_a_file_without_a_header_is_told(tmp_path):
    (tmp_path / "none.csv").write_text(rows(0, 20, header=False))
    (tmp_path / "twice.csv").write_text("CANARYJOHN,canaryjohn,3\n1,2,3\n")
    told = []
    for call in (
        lambda: read_table(tmp_path / "none.csv", SCHEMA),
        lambda: compute_engine("local").count_groups([tmp_path / "none.csv"], ["age"]),
        lambda: TableSource.open(tmp_path / "twice.csv"),
        lambda: draft_schema(tmp_path / "none.csv"),
        lambda: read_table(tmp_path / "twice.csv", SCHEMA),
    ):
        with pytest.raises(InputError) as caught:
            call()
        told.append(str(caught.value))
    assert not any("canary" in t.lower() or "cold" in t for t in told)
    assert "it has 4 columns" in told[0]
    assert "looks like a row of data" in told[3]


def test_l8_the_delimiter_is_counted_outside_quotes(tmp_path):
    (tmp_path / "t.csv").write_text('"a|b|c",d\n1,2\n')
    opened = TableSource.open(tmp_path / "t.csv")
    assert (opened.delimiter, opened.columns) == (",", ["a|b|c", "d"])
    assert opened.query(f"SELECT * FROM {opened.sql}").to_pylist() == [{"a|b|c": "1", "d": "2"}]


def test_the_header_is_one_line(tmp_path):
    (tmp_path / "t.csv").write_bytes(
        b'\xef\xbb\xbf"a",d\x0be\x85f\n1,2\n'.replace(b"\x85", b"\xc2\x85")
    )
    opened = TableSource.open(tmp_path / "t.csv")
    assert opened.query(f"SELECT * FROM {opened.sql}").to_pylist() == [
        {"a": "1", "d\x0be\x85f": "2"}
    ]
    (tmp_path / "t.csv").write_bytes(b'"a\nb",d\n1,2\n')
    with pytest.raises(FormatError, match="first line"):
        TableSource.open(tmp_path / "t.csv")
    for end in (b"\r\n", b"\r"):
        (tmp_path / "t.csv").write_bytes(b"a,b" + end + b"1,2" + end)
        opened = TableSource.open(tmp_path / "t.csv")
        assert opened.query(f"SELECT * FROM {opened.sql}").to_pylist() == [{"a": "1", "b": "2"}]


def test_m11_limits_hold_for_tables(tmp_path):
    wide = ",".join(f"c{i}" for i in range(12_000))
    (tmp_path / "wide.csv").write_text(f"{wide}\n{','.join('1' * 12_000)}\n")
    with pytest.raises(LimitError, match="columns"):
        draft_schema(tmp_path / "wide.csv")
    small = Limits(expansion_from=1 << 20)
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"a\n" + b"11111111\n" * 1_000_000))
    with pytest.raises(LimitError, match="grows"):
        TableSource.open(tmp_path / "bomb.csv.gz", limits=small)
    assert TableSource.open(tmp_path / "bomb.csv.gz").columns == ["a"]
    pq.write_table(
        pa.table({"a": np.zeros(2_000_000), "b": ["x"] * 2_000_000}), tmp_path / "t.parquet"
    )
    with pytest.raises(LimitError, match="cells"):
        TableSource.open(tmp_path / "t.parquet", limits=Limits(cells=1_000_000))
    assert TableSource.open(tmp_path / "t.parquet").columns == ["a", "b"]


def test_m11_a_wide_table_is_drafted_in_one_pass(tmp_path):
    """Three thousand columns took minutes, when each was an expression of one query."""
    names = [f"c{i}" for i in range(3000)]
    lines = [",".join(names), ",".join(["1", "", "007"] * 1000), ",".join(["3", "x", "8"] * 1000)]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    facts = TableSource.open(tmp_path / "wide.csv").column_facts()
    assert [f.name for f in facts] == names
    found = [(f.rows, f.distinct, f.missing, f.low, f.high) for f in facts]
    assert found == [(2, 2, 0, 1, 3), (2, 1, 1, None, None), (2, 2, 0, None, None)] * 1000


def test_m11_a_cut_gzip_file_is_refused(tmp_path):
    packed = gzip.compress(rows(0, 5000).encode())
    (tmp_path / "cut.csv.gz").write_bytes(packed[:-20])
    with pytest.raises(FormatError, match="damaged or cut off"):
        TableSource.open(tmp_path / "cut.csv.gz")
    (tmp_path / "two.csv.gz").write_bytes(packed + gzip.compress(rows(0, 5, header=False).encode()))
    opened = TableSource.open(tmp_path / "two.csv.gz")
    assert opened.query(f"SELECT count(*) AS n FROM {opened.sql}").column("n")[0].as_py() == 5005


def test_m11_a_parquet_dictionary_of_large_cells_does_not_fill_memory(tmp_path):
    large = pa.DictionaryArray.from_arrays(pa.array(np.zeros(20_000, np.int32)), ["x" * 2_000_000])
    sink = io.BytesIO()
    pq.write_table(pa.table({"age": ["3"] * 20_000, "note": large}), sink, compression="zstd")
    (tmp_path / "t.parquet").write_bytes(sink.getvalue())
    schema = {"attribute": [{"name": "age", "role": "quasi", "domain": {"range": [0, 9]}}]}
    assert read_table(tmp_path / "t.parquet", schema).rows == 20_000


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_m12_a_full_disk_is_told_as_such(tmp_path):
    (tmp_path / "one.csv").write_text(rows(0, 50_000))
    opened = TableSource.open(tmp_path / "one.csv")
    os.symlink("/dev/full", tmp_path / "out.csv")
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)) as caught:
        opened.write_csv(f"SELECT * FROM {opened.sql}", tmp_path / "out.csv", delimiter=",")
    assert caught.value.errno == errno.ENOSPC
    told = opened.as_format_error(
        Exception("IO Error: Could not write file: No space left on device")
    )
    assert isinstance(told, OSError)
