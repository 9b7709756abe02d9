"""Tables read through DuckDB against a plain pandas group-by; every kind of bad input in one sentence."""

import gzip
import tomllib

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import tables
from sfumato.core import DataError, FormatError, InputError, PlanError
from sfumato.data.hierarchy import hierarchy_nodes, hierarchy_order
from sfumato.data.schema_draft import draft_schema
from sfumato.data.table import read_table
from sfumato.data.table_schema import TableSchema
from sfumato.data.table_source import TableSource
from sfumato.engines.tables.space.policy import Lattice
from sfumato.engines.tables.space.safe_harbor import find_roles


def schema(missing="error", **domains):
    domains = domains or {"age": {"range": [0, 9]}, "sex": {"values": ["f", "m"]}}
    attributes = [{"name": n, "role": "quasi", "domain": d} for n, d in domains.items()]
    return {"missing": missing, "attribute": attributes}


def decoded(table):
    """Give {values: count} of a reduced table."""
    return {
        tuple(table.domains[a][c] for a, c in enumerate(cell)): int(n)
        for cell, n in zip(table.codes.T.tolist(), table.count, strict=True)
    }


rows = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("fm")), min_size=1, max_size=40)


@settings(max_examples=25)
@given(rows)
def test_the_reduction_equals_a_group_by(records):
    frame = pd.DataFrame(records, columns=["age", "sex"])
    expected = {(str(a), s): n for (a, s), n in frame.groupby(["age", "sex"]).size().items()}
    for source in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        table = read_table(source, schema())
        assert decoded(table) == expected
        assert table.rows == len(records)


def test_every_format_gives_the_same_table(tmp_path):
    frame = pd.DataFrame({"age": [1, 1, 2], "sex": ["f", "f", "m"], "note": ["a,b", 'q"', ""]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "s.csv", index=False, sep=";")
    frame.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress((tmp_path / "t.csv").read_bytes()))
    for name in ("t.csv", "s.csv", "t.tsv", "t.parquet", "t.csv.gz"):
        table = read_table(tmp_path / name, schema())
        assert decoded(table) == {("1", "f"): 2, ("2", "m"): 1}
        assert table.inputs[0].rows == 3
    parts = tmp_path / "parts"
    parts.mkdir()
    for i in range(3):
        frame.to_parquet(parts / f"p{i}.parquet")
    assert read_table(parts, schema()).rows == 9
    assert read_table(parts / "*.parquet", schema()).rows == 9


def test_missing_cells():
    frame = {"age": ["1", "?", "", "3.0"], "sex": ["f", "m", "m", "?"]}
    table = read_table(frame, schema("value"))
    assert decoded(table) == {("1", "f"): 1, ("?", "m"): 2, ("3", "?"): 1}
    dropped = read_table(frame, schema("drop"))
    assert decoded(dropped) == {("1", "f"): 1}
    assert (dropped.rows, dropped.dropped) == (4, 3)
    with pytest.raises(DataError, match=r"'age' is missing in row 2 \(2 rows in all\)"):
        read_table(frame, schema())
    with pytest.raises(DataError, match="Every row"):
        read_table({"age": ["?"], "sex": ["f"]}, schema("drop"))


def test_domains(tmp_path):
    (tmp_path / "zips.txt").write_text("9\n10\n2\n")
    (tmp_path / "s.toml").write_text(
        '[[attribute]]\nname = "zip"\nrole = "quasi"\ndomain = { file = "zips.txt" }\n'
    )
    table = read_table({"zip": ["10", "2"]}, tmp_path / "s.toml")
    assert table.domains == (("9", "10", "2"),)
    assert read_table({"x": ["10", "9", "b"]}, schema(x="observed")).domains == (("10", "9", "b"),)
    assert read_table({"x": ["10", "9"]}, schema(x="observed")).domains == (("9", "10"),)
    (tmp_path / "zips.txt").write_text("1\n1\n")
    with pytest.raises(DataError, match="twice"):
        read_table({"zip": ["1"]}, tmp_path / "s.toml")
    (tmp_path / "zips.txt").unlink()
    with pytest.raises(InputError, match="does not exist"):
        read_table({"zip": ["1"]}, tmp_path / "s.toml")


def test_a_value_outside_its_domain_is_told_by_column_and_row():
    with pytest.raises(DataError, match="'age' holds a value outside its domain in row 3") as told:
        read_table({"age": [1, 2, 777], "sex": ["f", "m", "f"]}, schema())
    assert "777" not in str(told.value)
    with pytest.raises(DataError, match=r"'sex' .* row 1") as told:
        read_table({"age": [1], "sex": ["Zanzibar"]}, schema())
    assert "Zanzibar" not in str(told.value)


def test_populations():
    people = {"age": [1, 1, 2, 55], "sex": ["f", "m", "m", "f"], "count": [5, 0, 7.5, 3]}
    one = {"age": [1], "sex": ["f"]}
    table = read_table(one, schema(), people)
    assert table.population_codes.T.tolist() == [[1, 0], [2, 1]]
    assert table.population_count.tolist() == [5, 7.5]
    assert table.population_outside == 3
    by_population = schema(age="population", sex={"values": ["f", "m"]})
    assert read_table(one, by_population, people).domains[0] == ("1", "2", "55")
    with pytest.raises(DataError, match="no population was given"):
        read_table(one, by_population)
    for broken, told in [
        ({"years": [1], "count": [1]}, "no column 'age', nor any other"),
        ({"age": [1], "sex": ["f"]}, "no column 'count'"),
        ({"age": [1], "sex": ["f"], "count": [-1]}, "not a number of people in 1 rows"),
        ({"age": [1], "sex": ["f"], "count": [float("nan")]}, "not a number of people"),
        ({"age": [1], "sex": ["f"], "count": ["many"]}, "not a number of people"),
        ({"age": [99], "sex": ["f"], "count": [1]}, "No one of the population"),
    ]:
        with pytest.raises(DataError, match=told):
            read_table(one, schema(), broken)


def test_joint_counts_of_a_sensitive_column():
    frame = {"age": [1, 1, 2, 2], "sex": ["f", "f", "m", "m"], "ill": ["b", "a", "b", "b"]}
    cell, value, count = read_table(frame, schema()).joint("ill")
    assert sorted(zip(cell.tolist(), value.tolist(), count.tolist(), strict=True)) == [
        (0, 0, 1), (0, 1, 1), (1, 1, 2),
    ]  # fmt: skip


def test_bad_files(tmp_path):
    def written(name, content):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    cases = [
        (written("a.csv", b"age,sex\n1,Quetzal\xff\n"), FormatError, "UTF-8"),
        (written("b.csv", b"age,sex\n1,f\n2,m,Quetzal\n"), FormatError, "another length at line 3"),
        (written("c.csv", b""), DataError, "empty"),
        (written("d.csv", b"age,sex\n"), DataError, "no rows"),
        (written("e.csv", b"age,age\n1,1\n"), FormatError, "have the same name"),
        (written("f.csv", b"age,\n1,1\n"), FormatError, "has no name"),
        (written("g.csv", b"agee,sex\n1,f\n"), DataError, "no column 'age'.*did you mean 'agee'"),
        (written("k.csv", b"AGE,sex\n1,f\n"), DataError, "no column 'age'.*did you mean 'AGE'"),
        (written("h.parquet", b"Quetzal"), FormatError, "Parquet"),
        (written("i.xls", b"x"), InputError, "not named as a table"),
        (written("j.csv.gz", b"no gzip"), FormatError, "not a gzip file"),
        (tmp_path / "none.csv", InputError, "no file"),
        (tmp_path / "*.tsv", InputError, "No file fits"),
        ([], InputError, "No file was given"),
        (object(), InputError, "cannot be read from an object of the type object"),
    ]
    for source, error, told in cases:
        with pytest.raises(error, match=told) as caught:
            read_table(source, schema())
        assert "Quetzal" not in str(caught.value)


def test_schemas_tell_all_their_mistakes():
    with pytest.raises(PlanError) as caught:
        TableSchema.of(
            {
                "missing": "maybe",
                "attribute": [
                    {"name": "age", "role": "quasi"},
                    {"name": "zip", "role": "quasi", "domain": {"range": [5, 1]}},
                    {"name": "x", "role": "other", "widest": 3},
                    {"name": "y", "role": "quasi", "domain": {"values": ["a"], "file": "b"}},
                    {"name": "z", "role": "wrong", "rol": 1},
                ],
            }
        )
    told = str(caught.value)
    for fragment in ("missing:", "attribute[0]: a quasi-identifier needs a domain", "range 5 to 1",
                     "attribute[2]: keep", "exactly one of range", "attribute[4].role"):  # fmt: skip
        assert fragment in told
    with pytest.raises(PlanError, match="declared twice"):
        TableSchema.of({"attribute": [{"name": "a", "role": "quasi", "domain": "observed"}] * 2})
    with pytest.raises(PlanError, match="at least one attribute must have the role quasi"):
        TableSchema.of({"attribute": [{"name": "a", "role": "other"}]})


def test_a_draft_is_a_valid_schema_without_a_value_of_the_data(tmp_path):
    frame = pd.DataFrame({
        "patient_id": [f"P{i}" for i in range(30)], "age": range(20, 50), "sex": ["Quetzal", "Yak"] * 15,
        "zip": ["01234"] * 30, "diagnosis": ["Xanadu"] * 30, "stay": [1] * 30,
    })  # fmt: skip
    text = draft_schema(frame)
    for value in ("Quetzal", "Xanadu", "01234", "P7"):
        assert value not in text
    (tmp_path / "draft.toml").write_text(text)
    drafted = TableSchema.load(tmp_path / "draft.toml")
    assert drafted.names("identifier") == ["patient_id"]
    assert drafted.names("quasi") == ["age", "sex", "zip", "stay"]  # unknown is quasi
    assert drafted.names("sensitive") == ["diagnosis"]
    assert read_table(frame, drafted).domains[0][-1] == "120"


@pytest.mark.parametrize("name", ["Âge", "Alter", "edad", "età", "leeftijd", "idade", "age"])
def test_a_draft_does_not_declare_how_old_the_oldest_is(name):
    """The ends of a declared domain are published: the end of a draft's must not be one person's value."""
    ages = [*range(18, 80), 103]
    drafted = TableSchema.of(
        tomllib.loads(draft_schema({name: ages, "année": [2024 - age for age in ages]}))
    )
    age, year = drafted.attributes
    assert age.domain.range == (0, 120)
    assert year.domain.range == (1920, 2010)  # 1921 to 2006
    table = read_table({name: ages, "année": [2024 - age for age in ages]}, drafted)
    lattice = Lattice(table.names, table.domains)
    assert (
        find_roles(
            lattice, meanings={a.name: a.meaning for a in drafted.attributes if a.meaning}
        ).age
        == 0
    )


def test_hierarchies(tmp_path):
    path = tmp_path / "h.csv"
    path.write_text("a;low;*\nc;high;*\nb;low;*\nd;high;*\n")
    order = hierarchy_order(path)
    assert order == ("a", "b", "c", "d")
    assert hierarchy_nodes(str(path), order, tmp_path) == {
        (0, 1): "low",
        (0, 3): "*",
        (2, 3): "high",
    }
    with pytest.raises(DataError, match="not an interval"):
        hierarchy_nodes(str(path), ("a", "c", "b", "d"), tmp_path)
    with pytest.raises(DataError, match="lacks 1 values"):
        hierarchy_nodes(str(path), ("a", "b", "c", "d", "e"), tmp_path)
    for content, told in [("a\nb\n", "no level"), ("a;x\nb\n", "differ in length"),
                          ("a;x\na;y\n", "twice")]:  # fmt: skip
        path.write_text(content)
        with pytest.raises(FormatError, match=told):
            hierarchy_nodes(str(path), ("a",), tmp_path)


@settings(max_examples=50)
@given(groups=st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=3), min_size=1, max_size=4),
       shuffle=st.randoms(use_true_random=False))  # fmt: skip
def test_hierarchy_order_makes_every_group_an_interval(tmp_path_factory, groups, shuffle):
    table = [
        [f"leaf{i}.{j}.{n}", f"low{i}.{j}", f"middle{i}", "*"]
        for i, group in enumerate(groups)
        for j, size in enumerate(group)
        for n in range(size)
    ]
    shuffle.shuffle(table)
    path = tmp_path_factory.mktemp("h") / "h.csv"
    path.write_text("".join(";".join(row) + "\n" for row in table))
    order = hierarchy_order(path)
    nodes = hierarchy_nodes(str(path), order, path.parent)
    assert sorted(order) == sorted(row[0] for row in table)
    assert len(order) == 1 or (0, len(order) - 1) in nodes


def test_frames_of_pandas():
    """An index without a name is no column; a column of several types is told without its cells."""
    frame = pd.DataFrame({"age": [1, 2, 3], "sex": ["f", "m", "f"]})
    assert TableSource.open(frame[frame["age"] > 1]).columns == ["age", "sex"]
    with pytest.raises(DataError, match="cells of several types") as told:
        TableSource.open(pd.DataFrame({"age": [1, "CANARY"]}))
    assert "CANARY" not in str(told.value)


def test_sources_are_opened_once():
    opened = TableSource.open({"a": [1]})
    assert TableSource.open(opened) is opened


def test_a_draft_fails_closed():
    """A patient number, coordinates, dates and what nobody recognises are never published as they are."""
    rows = 40
    frame = {
        "pid": list(range(rows)),
        "longitude": [12.1 + i / 7 for i in range(rows)],
        "admitDate": [f"2020-01-{1 + i % 28:02d}" for i in range(rows)],
        "zcta": [37000 + i for i in range(rows)],
        "married": [i % 2 for i in range(rows)],
        "familysize": [i % 5 for i in range(rows)],
        "shoe": [i % 7 for i in range(rows)],
        "remarks": ["said so" for _ in range(rows)],
        "income": [i * 10 for i in range(rows)],
    }
    text = draft_schema(frame)
    roles = dict(
        zip(
            frame, [l.split('"')[1] for l in text.splitlines() if l.startswith("role")], strict=True
        )
    )
    assert "other" not in roles.values()
    assert roles["pid"] == roles["remarks"] == "identifier"
    assert roles["income"] == "sensitive"
    for name in ("longitude", "admitDate", "zcta", "married", "familysize", "shoe"):
        assert roles[name] == "quasi"
    drafted = TableSchema.of(tomllib.loads(text))
    undecided = [a.name for a in drafted.attributes if a.undecided]
    assert undecided == ["familysize", "shoe"]
    with pytest.raises(PlanError, match="The role of 2 columns is not decided") as told:
        tables.explore(frame, schema=drafted, evaluations=10)
    assert "'shoe'" in str(told.value)
    admitted = next(a for a in drafted.attributes if a.name == "admitDate")
    assert admitted.date.unit == "month"
    longitude = next(a for a in drafted.attributes if a.name == "longitude")
    assert longitude.domain == "observed"  # 40 different numbers: few enough to list


def test_widths_by_both_names():
    for key in ("max_width", "widest"):
        schema = TableSchema.of(
            {"attribute": [{"name": "a", "role": "quasi", "domain": "observed", key: 3}]}
        )
        assert schema.quasi[0].max_width == 3


@pytest.mark.parametrize("everywhere", [True, False])
def test_numbers_with_a_decimal_comma(tmp_path, everywhere):
    dice = np.random.default_rng(0)
    weight = np.round(dice.normal(70, 9, 300), 1)
    path = tmp_path / "vikter.csv"
    lines = [f"{f'{w:.1f}'.replace('.', ',')};{'fm'[i % 2]}" for i, w in enumerate(weight)]
    path.write_text("vikt;sex\n" + "\n".join(lines), encoding="utf-8")
    bins = {"range": [40.0, 100.0], "step": 2.5, "open_ends": "both"}
    attributes = [
        {"name": "vikt", "role": "quasi", "domain": bins},
        {"name": "sex", "role": "quasi", "domain": "observed"},
    ]
    schema = {"attribute": attributes}
    (schema if everywhere else attributes[0])["decimal"] = ","
    found = read_table(path, schema)
    point = {"vikt": [str(w) for w in weight], "sex": ["fm"[i % 2] for i in range(300)]}
    expected = read_table(point, {"attribute": [{**a, "decimal": "."} for a in attributes]})
    assert np.array_equal(found.codes, expected.codes)
    assert np.array_equal(found.count, expected.count)
    drafted = draft_schema(path)
    assert 'decimal = ","' in drafted
    assert "quantiles" in drafted
    assert 'decimal = ","' not in draft_schema(point)


def test_a_draft_reads_names_of_several_languages_and_dates_with_slashes():
    rows = 24
    frame = pd.DataFrame(
        {
            "Patientennr": [f"P{i // 2}" for i in range(rows)],
            "Prénom": [f"n{i}" for i in range(rows)],
            "Geschlecht": ["m", "w"] * (rows // 2),
            "date_naissance": [f"{i + 1}/03/1980" for i in range(rows)],
            "admitted": [f"03/{i + 1}/2020" for i in range(rows)],
            "either": ["03/04/2020", "05/06/2021"] * (rows // 2),
        }
    )
    text = draft_schema(frame)
    parsed = {a["name"]: a for a in tomllib.loads(text)["attribute"]}
    assert parsed["Patientennr"]["role"] == "identifier"
    assert parsed["Prénom"] == {"name": "Prénom", "role": "identifier", "meaning": "name"}
    assert text.count('role = "person"') == 1  # the hint at the number that repeats
    assert parsed["Geschlecht"]["role"] == "quasi"
    assert "undecided" not in parsed["Geschlecht"]
    assert parsed["date_naissance"]["meaning"] == "birth date"
    assert parsed["date_naissance"]["date"] == {"unit": "month", "format": "%d/%m/%Y"}
    assert parsed["admitted"]["date"]["format"] == "%m/%d/%Y"
    assert parsed["either"]["undecided"] is True


def test_two_columns_of_a_frame_with_one_name_are_refused():
    frame = pd.DataFrame([[1, "f"], [2, "m"]], columns=["age", "age"])
    with pytest.raises(DataError, match="Two columns of the frame have the same name"):
        read_table(frame, schema())


def test_a_decimal_comma_that_the_schema_does_not_declare_is_told():
    schema = {"attribute": [{"name": "weight", "role": "quasi", "domain": {"quantiles": 2}}]}
    cells = [f"{n},5" for n in range(40)]
    with pytest.raises(
        DataError, match=r"in row 1\. Hint: its numbers have a decimal comma: decimal = \",\""
    ):
        read_table({"weight": cells}, schema)
    with pytest.raises(DataError, match=r"not a number in row 1\.$"):
        read_table({"weight": [*cells, "heavy"]}, schema)
    schema["attribute"][0]["decimal"] = ","
    assert len(read_table({"weight": cells}, schema).domains[0]) == 2


def test_a_column_with_an_accent_is_suggested():
    schema = {"attribute": [{"name": "eta", "role": "quasi", "domain": "observed"}]}
    with pytest.raises(DataError, match=r"has no column 'eta'\. Hint: did you mean 'Età'\?"):
        read_table({"Età": ["1"]}, schema)


@pytest.mark.parametrize("domain", [{"range": [0, 120]}, {"range": [0, 120], "step": 10}])
def test_decimals_in_a_range_of_whole_numbers_are_told_as_such(domain):
    """To widen the range would not help."""
    schema = {"attribute": [{"name": "weight", "role": "quasi", "decimal": ",", "domain": domain}]}
    frame = pd.DataFrame({"weight": ["70", "70,5"]})
    with pytest.raises(
        DataError,
        match=r"in row 2\. Hint: the range is of whole numbers, and some cells are decimals",
    ):
        read_table(frame, schema)
    as_told = {**domain, "range": [0.0, 120.0], "step": 0.5}
    schema["attribute"][0]["domain"] = as_told
    assert read_table(frame, schema).domains[0][140] == "[70, 70.5)"
    frame.loc[1, "weight"] = "700"
    schema["attribute"][0]["domain"] = domain
    with pytest.raises(DataError, match=r"in row 2\. Hint: correct the row, widen the range"):
        read_table(frame, schema)


def test_dates_of_a_frame_under_a_format_are_told(tmp_path):
    frame = pd.DataFrame({"seen": pd.to_datetime(["2024-03-01", "2024-04-02"])})
    wanted = {
        "attribute": [
            {
                "name": "seen",
                "role": "quasi",
                "domain": "observed",
                "date": {"unit": "month", "format": "%d/%m/%Y"},
            }
        ]
    }
    with pytest.raises(
        DataError, match=r"no date in the format of the schema.*leave format = '%d/%m/%Y' out"
    ):
        read_table(frame, wanted)
