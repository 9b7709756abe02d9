"""From a table to a frontier to a release, and every way in which the input can be wrong."""

import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.core.errors import (
    DataError,
    FormatError,
    InputError,
    ModelError,
    NoCandidateError,
    OutputExistsError,
    ParameterError,
    ReleaseRefusedError,
)
from sfumato.engines.tables import (
    explore,
    load_policy,
    mapping_csv,
    mapping_sql,
    publish,
    publish_policy,
    save_policy,
)
from sfumato.engines.tables import publishing

SCHEMA = {
    "missing": "error",
    "attribute": [
        {"name": "id", "role": "identifier"},
        {"name": "age", "role": "quasi", "domain": {"range": [0, 99]}},
        {"name": "zip", "role": "quasi", "domain": "population"},
        {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
        {"name": "illness", "role": "sensitive"},
    ],
}


def register(rows=400, seed=0):
    draw = np.random.default_rng(seed)
    zips = np.array([f"{z:05d}" for z in (1001, 1002, 1003, 1101, 1102, 2001, 2002, 2003)])
    return pd.DataFrame(
        {
            "id": [f"P{i}" for i in range(rows)],
            "age": np.minimum(draw.gamma(5, 9, rows).astype(int), 99),
            "zip": draw.choice(zips, rows),
            "sex": draw.choice(["f", "m"], rows),
            "illness": draw.choice(["flu", "cancer", "asthma"], rows),
            "stay": draw.integers(1, 9, rows),
        }
    )


def population(seed=1):
    people = register(60_000, seed)
    return (
        people.groupby(["age", "zip", "sex"], as_index=False)
        .size()
        .rename(columns={"size": "count"})
    )


@pytest.fixture(scope="module")
def found():
    return explore(register(), SCHEMA, population(), evaluations=300)


@pytest.fixture
def files(tmp_path):
    register().to_csv(tmp_path / "register.csv", index=False)
    population().to_csv(tmp_path / "population.csv", index=False)
    return tmp_path


def test_the_frontier_says_what_it_is(found):
    content = json.loads(json.dumps(found.to_json()))
    assert content["engine"] == "tables"
    assert content["evaluations"] <= 300
    assert content["area"] == found.area()
    for candidate in content["candidates"]:
        assert set(candidate["policy"]) == {"age", "zip", "sex"}
        assert {"loss_nats", "k", "l_diversity", "t_closeness", "bits"} <= candidate.keys()
        assert candidate["loss"] == pytest.approx(candidate["loss_nats"] / content["loss_top_nats"])
    assert content["references"][0]["name"] == "Safe Harbor"
    assert "Safe Harbor" in content["references"][0]["in_words"]
    assert content["trace"]
    assert content["visited"]["risk"]
    assert len(content["frontier"]["bits"].split(",")) == content["frontier"]["policies"]
    text = json.dumps(content)
    assert "P17" not in text  # no identifier
    assert "cancer" not in text  # no sensitive value


def test_same_seed_same_file(found):
    again = explore(register(), SCHEMA, population(), evaluations=300).to_json()
    first = found.to_json()
    for content in (first, again):
        content.pop("seconds")
        content.pop("trace")
    assert first == again


def test_paths_and_frames_of_every_kind_agree(files, found):
    area = found.area()
    frame = register()
    people = population()
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), files / "register.parquet")
    for table, crowd in (
        (files / "register.csv", files / "population.csv"),
        (files / "register.parquet", people),
        (pl.from_pandas(frame), pl.from_pandas(people)),
        (pa.Table.from_pandas(frame, preserve_index=False), files / "population.csv"),
    ):
        assert explore(table, SCHEMA, crowd, evaluations=300).area() == area


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.tsv", "out.parquet"])
def test_publish_writes_the_policy_and_nothing_else(files, name):
    table = files / "register.csv"
    explored = explore(table, SCHEMA, files / "population.csv", evaluations=300)
    candidate = explored.choose(max_risk=0.2)
    release = candidate.publish(table, out=files / name)
    got = (
        pd.read_parquet(files / name)
        if name.endswith("parquet")
        else pd.read_csv(files / name, sep="\t" if "tsv" in name else ",", dtype=str)
    )
    given = register()
    assert list(got.columns) == ["age", "zip", "sex", "illness", "stay"]
    assert got["illness"].tolist() == given["illness"].tolist()
    assert got["stay"].astype(int).tolist() == given["stay"].tolist()
    bands = candidate.details["policy"]
    assert set(got["age"]) <= set(bands["age"])
    for original, band in zip(given["age"], got["age"], strict=True):
        low, _, high = band.partition("-")
        assert int(low) <= original <= int(high or low)
    assert release.measured["risk"] == pytest.approx(candidate.risk.value, abs=1e-9)
    record = json.loads((files / "out.release.json").read_text())
    assert record["how"]["identifiers_removed"] == ["id"]
    assert record["how"]["columns_not_in_schema"] == ["stay"]
    assert not [p for p in files.iterdir() if "partial" in p.name]


def test_publish_from_a_folder_of_the_frontier_to_a_folder(files):
    explored = explore(files / "register.csv", SCHEMA, files / "population.csv", evaluations=200)
    (files / "frontier").mkdir()
    explored.save(files / "frontier")
    release = publish(files / "frontier", files / "register.csv", "knee", files / "out")
    assert sorted(p.name for p in (files / "out").iterdir()) == ["register.csv", "release.json"]
    assert release.measured["risk"] == pytest.approx(explored.knee().risk.value, abs=1e-9)
    with pytest.raises(OutputExistsError):
        publish(files / "frontier", files / "register.csv", "knee", files / "out")
    with pytest.raises(NoCandidateError):
        publish(files / "frontier", files / "register.csv", "nothing", files / "other")
    with pytest.raises(InputError, match="chosen"):
        publish(files / "frontier", files / "register.csv", None, files / "other.csv")
    (files / "frontier" / "population.npz").unlink()
    with pytest.raises(ModelError, match="population.npz"):
        publish(files / "frontier", files / "register.csv", "knee", files / "other.csv")


def test_new_data_of_the_same_schema(files, found):
    register(900, seed=5).to_csv(files / "new.csv", index=False)
    candidate = found.choose(max_risk=0.3)
    release = candidate.publish(files / "new.csv", out=files / "out.csv", tolerance=0.5)
    assert release.counts["rows"] == 900
    assert not release.how["same_data_as_explored"]


def test_a_release_worse_than_promised_is_refused_and_leaves_nothing(files, found, monkeypatch):
    candidate = found.choose(max_risk=0.3)
    monkeypatch.setattr(publishing, "_labels", lambda policy, a: list(policy.lattice.domains[a]))
    with pytest.raises(ReleaseRefusedError):
        candidate.publish(files / "register.csv", out=files / "out.csv")
    assert sorted(p.name for p in files.iterdir()) == ["population.csv", "register.csv"]


def test_a_promise_that_the_data_does_not_keep_is_refused(files, found):
    candidate = found.choose(max_risk=0.3)
    policy = found.problem.lattice.policy(candidate.details["policy"])
    with pytest.raises(ReleaseRefusedError, match="promised"):
        publish_policy(
            files / "register.csv", policy, found.problem.table.schema, files / "out.csv",
            promised_risk=candidate.risk.value / 2, population=found.problem.table,
        )  # fmt: skip
    assert not (files / "out.csv").exists()


@pytest.mark.parametrize(("column", "value"), [("age", 123), ("zip", "99999"), ("sex", "qqq")])
def test_a_value_outside_its_domain_names_column_and_row_not_the_value(files, found, column, value):
    bad = register().astype({"age": int})
    bad[column] = bad[column].astype(object)
    bad.loc[6, column] = value
    bad.to_csv(files / "bad.csv", index=False)
    for work in (
        lambda: explore(files / "bad.csv", SCHEMA, files / "population.csv", evaluations=50),
        lambda: found.knee().publish(files / "bad.csv", out=files / "out.csv"),
    ):
        with pytest.raises(DataError, match=rf"{column}.*row 7") as told:
            work()
        assert str(value) not in str(told.value)
    assert not (files / "out.csv").exists()


def test_missing_cells_as_a_value_dropped_or_refused(files):
    frame = register()
    frame["age"] = frame["age"].astype(object)
    frame.loc[[3, 9], "age"] = ["?", None]
    frame.to_csv(files / "missing.csv", index=False)
    with pytest.raises(DataError, match=r"age.*row 4"):
        explore(files / "missing.csv", SCHEMA, files / "population.csv", evaluations=50)
    kept = explore(
        files / "missing.csv",
        {**SCHEMA, "missing": "value"},
        files / "population.csv",
        evaluations=50,
    )
    assert kept.problem.lattice.domains[0][-1] == "?"
    release = kept.choose(max_risk=1.0).publish(files / "missing.csv", out=files / "kept.csv")
    assert release.counts["rows"] == 400
    assert pd.read_csv(files / "kept.csv", dtype=str)["age"].iloc[3].endswith("?")
    dropped = explore(
        files / "missing.csv",
        {**SCHEMA, "missing": "drop"},
        files / "population.csv",
        evaluations=50,
    )
    release = dropped.knee().publish(files / "missing.csv", out=files / "dropped.csv")
    assert (release.counts["rows"], release.counts["withheld"]) == (398, 2)


def quasi(name, values, **more):
    return {"name": name, "role": "quasi", "domain": values, **more}


def test_one_quasi_identifier_and_a_constant_column():
    table = {"age": [1, 2, 2, 3], "town": ["x"] * 4}
    one = explore(table, {"attribute": [quasi("age", "observed")]}, evaluations=10)
    assert len(one) >= 2
    with_constant = explore(
        table, {"attribute": [quasi("age", "observed"), quasi("town", "observed")]}, evaluations=10
    )
    assert with_constant.area() == pytest.approx(one.area())
    with pytest.raises(DataError, match="single value"):
        explore(table, {"attribute": [quasi("town", "observed")]})


def test_nan_is_a_missing_cell():
    table = pd.DataFrame({"age": [1.0, np.nan, 3.0]})
    with pytest.raises(DataError, match=r"missing in row 2"):
        explore(table, {"missing": "error", "attribute": [quasi("age", {"range": [0, 5]})]})


def test_a_population_that_lacks_a_cell_is_told_and_counted(files):
    people = population()
    people = people[people["zip"] != "01001"]
    schema = json.loads(json.dumps(SCHEMA))
    schema["attribute"][2]["domain"] = "observed"
    found = explore(register(), schema, people, evaluations=60)
    lacking = (register()["zip"] == "01001").sum()
    said = next(a for a in found.extra["assumptions"] if "the population counts no one" in a)
    assert int(said.split()[0].replace(",", "")) >= lacking


def test_without_a_population_the_report_says_so():
    schema = json.loads(json.dumps(SCHEMA))
    schema["attribute"][2]["domain"] = "observed"
    found = explore(register(), schema, evaluations=60)
    assert any("sample stands for it" in a for a in found.extra["assumptions"])


def test_constraints_from_the_schema_and_the_call(tmp_path):
    (tmp_path / "ages.csv").write_text(
        "\n".join(
            f"{v};{v // 10 * 10}-{v // 10 * 10 + 9};{'young' if v < 50 else 'old'};*"
            for v in range(100)
        )
    )
    schema = tmp_path / "schema.toml"
    schema.write_text(
        'missing = "error"\n'
        '[[attribute]]\nname = "age"\nrole = "quasi"\ndomain = { range = [0, 99] }\nhierarchy = "ages.csv"\n'
        '[[attribute]]\nname = "zip"\nrole = "quasi"\ndomain = "observed"\nwidest = 3\n'
        '[[attribute]]\nname = "sex"\nrole = "quasi"\ndomain = "observed"\nkeep = true\n'
    )
    found = explore(register(), schema, population(), evaluations=300, least_sample=2)
    nodes = (
        {str(v) for v in range(100)}
        | {f"{v}-{v + 9}" for v in range(0, 100, 10)}
        | {"0-49", "50-99", "0-99"}
    )
    for candidate in found:
        policy = candidate.details["policy"]
        assert set(policy["age"]) <= nodes
        assert policy["sex"] == ["f", "m"] or policy["sex"] == ["m", "f"]
        assert candidate.details["k"] >= 2
    with pytest.raises(NoCandidateError, match="meets the least group sizes"):
        explore(register(), schema, population(), evaluations=200, least_sample=395)
    with pytest.raises(NoCandidateError, match="constraints conflict"):
        explore(register(), SCHEMA, population(), evaluations=50, least_sample=1000)


def test_cut_points_of_the_call():
    found = explore(
        register(), SCHEMA, population(), evaluations=200, cut_points={"age": [18, 40, 65]}
    )
    starts = {i.split("-")[0] for c in found for i in c.details["policy"]["age"]}
    assert starts <= {"0", "18", "40", "65"}
    with pytest.raises(ParameterError, match="cut point"):
        explore(register(), SCHEMA, population(), cut_points={"age": [200]})


@pytest.mark.parametrize(
    ("risk", "loss"),
    [("prosecutor", "kl"), ("small-groups", "class-size"), ("population", "mutual-information")],
)
def test_other_measures_behind_the_same_search(risk, loss):
    found = explore(register(), SCHEMA, population(), evaluations=80, risk=risk, loss=loss)
    assert found.axes["risk"] == risk
    points = found.points()
    assert points == sorted(points)


def test_policies_as_files(tmp_path, found):
    candidate = found.knee()
    lattice = found.problem.lattice
    policy = lattice.policy(candidate.details["policy"])
    save_policy(policy, tmp_path / "policy.json")
    assert load_policy(tmp_path / "policy.json", lattice) == policy
    other = explore({"age": [1, 2, 3]}, {"attribute": [quasi("age", "observed")]}, evaluations=9)
    with pytest.raises(ModelError, match="another schema"):
        load_policy(tmp_path / "policy.json", other.problem.lattice)
    content = json.loads((tmp_path / "policy.json").read_text())
    content["bits"] = "00" * (len(content["bits"]) // 2)
    (tmp_path / "broken.json").write_text(json.dumps(content))
    with pytest.raises(ModelError, match="damaged"):
        load_policy(tmp_path / "broken.json", lattice)
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(FormatError, match="not a policy"):
        load_policy(tmp_path / "list.json", lattice)
    known = explore(
        register(),
        SCHEMA,
        population(),
        evaluations=30,
        references={"ours": tmp_path / "policy.json"},
    )
    assert [r.name for r in known.references] == ["Safe Harbor", "ours"]
    assert known.references[1].risk == pytest.approx(candidate.risk.value)


def test_the_mapping_as_csv_and_sql(tmp_path, found, files):
    import duckdb

    candidate = found.knee()
    policy = found.problem.lattice.policy(candidate.details["policy"])
    table = pd.read_csv(__import__("io").StringIO(mapping_csv(policy)), dtype=str)
    assert len(table) == sum(policy.lattice.sizes)
    release_path = files / "out.csv"
    candidate.publish(files / "register.csv", out=release_path)
    expected = pd.read_csv(release_path, dtype=str)[["age", "zip", "sex"]]
    with duckdb.connect() as connection:
        connection.register("register", register().astype(str))
        got = connection.execute(f"SELECT {mapping_sql(policy)} FROM register").df()
    assert got.to_numpy().tolist() == expected.to_numpy().tolist()


def test_an_input_of_the_wrong_kind(tmp_path):
    with pytest.raises(ParameterError, match="needs a schema"):
        explore(register())
    with pytest.raises(DataError, match="no column"):
        explore({"x": [1]}, SCHEMA)
    (tmp_path / "frontier.json").write_text(json.dumps({"engine": "text"}))
    with pytest.raises(FormatError):
        publish(tmp_path, register(), "knee", tmp_path / "out.csv")
    with pytest.raises(InputError, match="not named as a table"):
        explore(register(), SCHEMA, population(), evaluations=20).knee().publish(
            register(), out=tmp_path / "out.docx"
        )


def test_very_many_policies_are_thinned_but_the_area_is_exact(monkeypatch):
    from sfumato.engines.tables import engine

    monkeypatch.setattr(engine, "_MOST_CANDIDATES", 20)
    found = explore(register(), SCHEMA, population(), evaluations=400)
    content = found.to_json()
    assert content["frontier"]["policies"] > len(content["candidates"])
    assert "selection" in content["frontier"]["note"]
    risk = [0.0, *map(float, content["frontier"]["risk"].split(",")), 1.0]
    loss = [1.0, *map(float, content["frontier"]["loss"].split(","))]
    area = sum((b - a) * l for a, b, l in zip(risk, risk[1:], loss, strict=False))
    assert content["area"] == pytest.approx(area, abs=1e-9)


def test_gzip_and_the_public_names(files):
    with gzip.open(files / "register.csv.gz", "wb") as stream:
        stream.write((files / "register.csv").read_bytes())
    table = sf.read_table(files / "register.csv.gz", SCHEMA, files / "population.csv")
    assert sf.tables.explore(table, evaluations=20).evaluations <= 20
