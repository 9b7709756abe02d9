"""Files of SPSS, Stata, SAS, Excel and DuckDB give the table that CSV gives, and are released as CSV or Parquet."""

import datetime as dt
import json

import duckdb
import pandas as pd
import pytest

from sfumato import tables
from sfumato.core.errors import FormatError, InputError
from sfumato.core.plan import Plan
from sfumato.data.limits import Limits
from sfumato.data.schema_draft import draft_schema
from sfumato.data.table import read_table
from sfumato.data.table_source import TableSource

SCHEMA = {
    "missing": "value",
    "attribute": [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 9]}},
        {"name": "sex", "role": "quasi", "domain": "observed"},
        {"name": "born", "role": "quasi", "domain": "observed", "date": {"unit": "month"}},
        {"name": "pay", "role": "other"},
    ],
}


def frame():
    days = [dt.date(2001, 2, 3), dt.date(2001, 3, 4)] * 4
    return pd.DataFrame({
        "age": [1.0, 2.0, 2.0, None, 4.0, 4.0, 1.0, 1.0], "sex": list("fmfmfmfm"), "born": days,
        "pay": [1.5, 2.25, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5],
    })  # fmt: skip


def spss(folder):
    pyreadstat = pytest.importorskip("pyreadstat")
    pyreadstat.write_sav(frame(), str(folder / "t.sav"))
    return folder / "t.sav"


def stata(folder):
    pyreadstat = pytest.importorskip("pyreadstat")
    pyreadstat.write_dta(frame(), str(folder / "t.dta"))
    return folder / "t.dta"


def sas(folder):
    pyreadstat = pytest.importorskip("pyreadstat")
    pyreadstat.write_xport(frame(), str(folder / "t.xpt"), file_format_version=8)
    return folder / "t.xpt"


def excel(folder):
    pytest.importorskip("openpyxl")
    frame().to_excel(folder / "t.xlsx", index=False)
    return folder / "t.xlsx"


def database(folder):
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.register("given", frame())
        connection.execute("CREATE TABLE visits AS SELECT * FROM given")
        connection.execute("CREATE TABLE other AS SELECT 1 AS x")
    return f"{folder / 't.duckdb'}::visits"


@pytest.mark.parametrize("make", [spss, stata, sas, excel, database])
def test_they_are_read_as_csv_is(tmp_path, make):
    source = make(tmp_path)
    frame().to_csv(tmp_path / "t.csv", index=False)
    found, wanted = read_table(source, SCHEMA), read_table(tmp_path / "t.csv", SCHEMA)
    assert found.domains == wanted.domains
    assert found.codes.tolist() == wanted.codes.tolist()
    assert found.count.tolist() == wanted.count.tolist()
    assert len(found.inputs) == 1
    assert 'name = "born"' in draft_schema(source)
    explored = tables.explore(source, schema=SCHEMA, evaluations=30)
    release = explored.publish(explored.knee(), source, out=tmp_path / "out")
    assert release.counts["rows"] == 8
    got = pd.read_csv(tmp_path / "out" / "t.csv")
    assert sorted(got["pay"]) == sorted(frame()["pay"])
    figures = json.loads((tmp_path / "out.private" / "figures.json").read_text())
    assert figures["inputs"][0]["rows"] == 8
    (tmp_path / "second").mkdir()
    explored.publish(explored.knee(), source, out=tmp_path / "second" / "o.parquet")
    assert len(pd.read_parquet(tmp_path / "second" / "o.parquet")) == 8
    with pytest.raises(FormatError, match="read and not written"):
        explored.publish(explored.knee(), source, out=tmp_path / "second" / "o.sav")


def test_what_cannot_be_read_is_told_without_its_content(tmp_path):
    for name in ("t.sav", "t.dta", "t.xpt", "t.sas7bdat", "t.xlsx", "t.duckdb"):
        (tmp_path / name).write_bytes(b"CANARY" * 100)
        if name != "t.duckdb":
            pytest.importorskip("openpyxl" if name == "t.xlsx" else "pyreadstat")
        with pytest.raises(FormatError, match=f"'{name}' is not readable as") as told:
            TableSource.open(tmp_path / name)
        assert "CANARY" not in str(told.value)


def test_a_plan_reads_a_table_of_a_database(tmp_path):
    database(tmp_path)
    (tmp_path / "s.toml").write_text(
        '[[attribute]]\nname = "age"\nrole = "quasi"\ndomain = { range = [0, 9] }\n'
    )
    plan = {
        "title": "Visits",
        "tables": {
            "table": "t.duckdb::visits", "schema": "s.toml", "evaluations": 20, "choose": {"knee": True},
        },
    }  # fmt: skip
    read = [path.name for _, path in Plan.of(plan, folder=tmp_path).input_files()]
    assert sorted(read) == ["s.toml", "t.duckdb"]


def test_wrong_calls(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    name = database(tmp_path)
    with pytest.raises(InputError, match="holds 2 tables"):
        TableSource.open(name.partition("::")[0])
    with pytest.raises(InputError, match="not among them"):
        TableSource.open(name.replace("visits", "nothing"))
    book = openpyxl.Workbook()
    book.active.append(["a", None, "c"])
    book.save(tmp_path / "gap.xlsx")
    with pytest.raises(FormatError, match="does not name every column"):
        TableSource.open(tmp_path / "gap.xlsx")
    book = openpyxl.Workbook()
    for row in (["a"], ["1"], [None], ["2"]):
        book.active.append(row)
    book.save(tmp_path / "hole.xlsx")
    with pytest.raises(FormatError, match=r"Row 3 of 'hole\.xlsx' is empty"):
        TableSource.open(tmp_path / "hole.xlsx")
    limits = Limits(expansion=1, expansion_from=1)
    with pytest.raises(Exception, match="grows"):
        TableSource.open(excel(tmp_path), limits=limits)
