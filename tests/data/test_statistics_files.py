"""Files of SPSS, Stata, SAS, Excel and DuckDB give the table that CSV gives; SPSS and Stata files are written, too."""

import datetime as dt
import json
import re
import struct
import sys
import tomllib
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from sfumato import tables
from sfumato.core.errors import FormatError, InputError, PlanError
from sfumato.core.plan import Plan
from sfumato.data.attributes import Attribute
from sfumato.data.limits import Limits
from sfumato.data.schema_draft import draft_schema
from sfumato.data.table import read_table
from sfumato.data.table_schema import TableSchema
from sfumato.data.table_source import TableSource

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
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


def pyreadstat_of():
    return pytest.importorskip("pyreadstat")


def spss(folder):
    pyreadstat = pyreadstat_of()
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
    own = {spss: "sav", stata: "dta"}.get(make)
    got = (
        pd.read_csv(tmp_path / "out" / "t.csv")
        if own is None
        else getattr(pyreadstat_of(), f"read_{own}")(tmp_path / "out" / f"t.{own}")[0]
    )
    assert sorted(got["pay"]) == sorted(frame()["pay"])
    figures = json.loads((tmp_path / "out.private" / "figures.json").read_text())
    assert figures["inputs"][0]["rows"] == 8
    (tmp_path / "second").mkdir()
    explored.publish(explored.knee(), source, out=tmp_path / "second" / "o.parquet")
    assert len(pd.read_parquet(tmp_path / "second" / "o.parquet")) == 8
    with pytest.raises(FormatError, match="read and not written"):
        explored.publish(explored.knee(), source, out=tmp_path / "second" / "o.xlsx")


SEX = {1.0: "weiblich", 2.0: "männlich", 3.0: "divers"}
LIKE = {1.0: "gut", 2.0: "mittel", 3.0: "schlecht"}


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_labels_of_codes_are_read_drafted_and_written_again(tmp_path, kind):
    stat = pyreadstat_of()
    asked = pd.DataFrame({
        "geschlecht": [1.0, 2.0] * 14 + [3.0, 3.0], "alter": [20.0, 30.0, 40.0] * 10,
        "urteil": [1.0, 2.0, 3.0, 1.0, None] * 6,
    })  # fmt: skip
    as_written = {"geschlecht": SEX, "urteil": LIKE}
    if kind == "dta":
        as_written = {n: {int(c): t for c, t in v.items()} for n, v in as_written.items()}
    getattr(stat, f"write_{kind}")(
        asked, tmp_path / f"u.{kind}", column_labels={"urteil": "Ihr Urteil"}, variable_value_labels=as_written
    )  # fmt: skip
    draft = draft_schema(tmp_path / f"u.{kind}")
    assert 'labels = { "1" = "weiblich", "2" = "männlich", "3" = "divers" }' in draft
    settled = draft.replace("undecided = true\n", "").replace(
        'name = "urteil"\nrole = "quasi"', 'name = "urteil"\nrole = "sensitive"'
    )
    (tmp_path / "s.toml").write_text(settled)
    found = tables.explore(tmp_path / f"u.{kind}", schema=tmp_path / "s.toml", min_k=5)
    best = max(found.candidates, key=lambda c: c.utility.value)
    shown = best.policy["geschlecht"]
    assert len(shown) == 2  # two people who are "divers" are not shown apart
    release = found.publish(best, tmp_path / f"u.{kind}", out=tmp_path / "out")
    got, about = getattr(stat, f"read_{kind}")(tmp_path / "out" / f"u.{kind}")
    assert about.column_names_to_labels["urteil"] == "Ihr Urteil"
    assert about.variable_value_labels["urteil"] == LIKE
    assert sorted(got["urteil"].fillna(0)) == sorted(asked["urteil"].fillna(0))
    named = got["geschlecht"].map(about.variable_value_labels["geschlecht"])
    assert set(named) == set(shown)
    assert got.groupby([named, "alter"]).size().min() == release.measured.k >= 5
    own = got["geschlecht"].isin(
        [1.0, 2.0]
    )  # who is alone in a group keeps the code, a group has a new one
    assert set(got.loc[~own, "geschlecht"]) == {4.0}
    before = (tmp_path / "out" / f"u.{kind}").read_bytes()
    if (
        kind == "sav"
    ):  # the bias of compressed numbers stands right before the date, which is nobody's business
        assert (struct.unpack("<d", before[84:92]), before[92:109]) == (
            (100.0,),
            b"01 Jan 7000:00:00",
        )
    else:
        assert b"01 Jan 1970 00:00" in before
    found.publish(best, tmp_path / f"u.{kind}", out=tmp_path / "again")
    assert (tmp_path / "again" / f"u.{kind}").read_bytes() == before


def test_labels_are_for_codes():
    code = {"name": "sex", "role": "quasi", "labels": {"1": "f", "2": "m"}}
    assert TableSchema.of({"attribute": [code]}).declared_domain(Attribute(**code)) == ("f", "m")
    for wrong in (
        {"labels": {"1": "f", "2": "f"}},
        {"role": "other"},
        {"domain": {"range": [1, 2]}},
    ):
        with pytest.raises(PlanError, match="label"):
            TableSchema.of({"attribute": [{**code, **wrong}, {**code, "name": "other"}]})
    found = read_table({"sex": ["1", "2.0", "2"]}, {"attribute": [code]})
    assert found.count.tolist() == [1, 2]


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


def test_what_reads_spss_is_in_the_extra(tmp_path, monkeypatch):
    """pyreadstat returns frames of pandas, and asks for pandas itself only in older versions."""
    extras = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert {re.match(r"[a-z]+", wanted)[0] for wanted in extras["files"]} >= {
        "pandas",
        "pyreadstat",
    }
    path = spss(tmp_path)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="needs the package 'pandas'") as told:
        TableSource.open(path)
    assert "sfumato[files]" in str(told.value.hint)
