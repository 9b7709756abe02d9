"""Publish: what is written against a plain twin, what is refused, and that nothing is left then."""

import csv
import dataclasses
import json

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import tables
from sfumato.core.errors import (
    DataError,
    FormatError,
    ModelError,
    OutputExistsError,
    ParameterError,
    ReleaseRefusedError,
)
from sfumato.core.measures import Risk, Utility
from sfumato.core.toml_files import read_toml
from sfumato.data.samples import patient_register, register_population, register_schema
from sfumato.data.table import read_table
from sfumato.engines.tables.engine import ENGINE
from sfumato.engines.tables.exploration import candidate_without_promise
from sfumato.engines.tables.frontier.problem import Problem
from sfumato.engines.tables.readback.measure import read_back
from sfumato.engines.tables.release import steps as publishing
from sfumato.engines.tables.release.rows import Generaliser
from sfumato.engines.tables.release.steps import publish_by_policy
from sfumato.engines.tables.request import TablesPublishRequest
from sfumato.engines.tables.space.policy import Lattice
from sfumato.engines.tables.space.policy_files import (
    load_policy,
    mapping_csv,
    mapping_sql,
    save_policy,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A register on disk, explored, and its frontier stored."""
    folder = tmp_path_factory.mktemp("register")
    frame = patient_register(500).to_pandas()
    frame.to_csv(folder / "register.csv", index=False)
    (folder / "schema.toml").write_text(register_schema(), encoding="utf-8")
    register_population().to_pandas().to_csv(folder / "population.csv", index=False)
    found = tables.explore(
        folder / "register.csv",
        schema=folder / "schema.toml",
        population=folder / "population.csv",
        evaluations=400,
    )
    (folder / "frontier").mkdir()
    found.save(folder / "frontier")
    return folder


@pytest.fixture(scope="module")
def candidate(folder):
    return tables.load(folder / "frontier").choose(max_risk=0.05)


def publish(folder, candidate, data, **options):
    return tables.load(folder / "frontier").publish(candidate, data, **options)


def applied(frame, policy):
    """Apply a policy in pandas, cell by cell."""
    out = frame.copy()
    for name in policy.lattice.names:
        labels = {v: label for n, v, label in policy.mapping() if n == name}
        out[name] = frame[name].astype(str).map(labels)
    return out


def in_one_order(frame):
    """Rows are published in an order of their own: compare them sorted."""
    keys = frame.astype(str).agg("\x1f".join, axis=1)
    return frame.iloc[keys.argsort(kind="stable")].reset_index(drop=True)


PRIVATE = ("out.csv.private", "out.csv.private/figures.json", "out.csv.private/people.parquet")


def files(folder):
    """List what is there, but for codebooks (see test_labels)."""
    found = (str(p.relative_to(folder)) for p in folder.rglob("*"))
    return sorted(name for name in found if "codebook" not in name)


def small(**changes):
    columns = {
        "name": ["Ann", "Bob", "Cy", "Di", "Ed", "Flo"],
        "age": [1, 2, 2, 3, 4, 4],
        "sex": ["f", "m", "m", "f", "m", "f"],
        "note": ['say "a"', "b, c", "line\nbreak", "é", "=1+1", ""],
    }
    frame = pd.DataFrame({**columns, **changes})
    attributes = [
        {"name": "name", "role": "identifier"},
        {"name": "age", "role": "quasi", "domain": {"range": [0, 5]}},
        {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
        {"name": "note", "role": "other"},
    ]
    return frame, {"attribute": attributes}


def policy_of(schema, missing=False, **intervals):
    lattice = Lattice(
        ("age", "sex"), (("0", "1", "2", "3", "4", "5", *(["?"] if missing else [])), ("f", "m"))
    )
    return lattice.policy(intervals)


def test_csv_against_pandas(folder, candidate, tmp_path):
    release = publish(folder, candidate, folder / "register.csv", out=tmp_path / "out.csv")
    policy = tables.load(folder / "frontier").policy(candidate)
    original = pd.read_csv(folder / "register.csv", dtype=str)
    wanted = applied(original, policy).drop(columns="patient")
    got = pd.read_csv(tmp_path / "out.csv", dtype=str)
    pd.testing.assert_frame_equal(in_one_order(got), in_one_order(wanted))
    assert files(tmp_path) == ["out.csv", *PRIVATE, "out.release.json"]
    record = json.loads((tmp_path / "out.release.json").read_text(encoding="utf-8"))
    assert record == json.loads(json.dumps(release.to_public_json()))
    assert record["candidate"] == candidate.id
    assert record["measured"]["k"] == candidate.k
    assert not {"risk", "utility"} & set(record["measured"])
    assert "explored_table" not in record["how"]
    figures = json.loads((tmp_path / "out.csv.private/figures.json").read_text(encoding="utf-8"))
    assert figures == json.loads(json.dumps(release.to_json()))
    assert figures["measured"]["risk"] == pytest.approx(candidate.risk.value, abs=1e-9)
    assert figures["measured"]["utility"] == pytest.approx(candidate.utility.value, abs=1e-9)
    assert figures["how"]["explored_table"] is True
    assert record["how"]["identifiers_dropped"] == ["patient"]
    assert sum(b["records"] for b in record["measured"]["groups"]) == 500
    text = (tmp_path / "out.release.json").read_text(encoding="utf-8")
    assert "P0" not in text  # no identifier, no diagnosis
    assert "asthma" not in text


def test_folder_form_and_same_bytes(folder, candidate, tmp_path):
    for name in ("one", "two"):
        publish(folder, candidate, folder / "register.csv", out=tmp_path / name)
    assert files(tmp_path / "one") == ["register.csv", "release.json"]
    for name in files(tmp_path / "one"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv", "t.parquet"])
def test_every_format_comes_back_in_kind(name, tmp_path):
    frame, schema = small()
    policy = policy_of(schema, age=["0-2", "3-5"], sex=["f", "m"])
    source, out = tmp_path / name, tmp_path / f"out-{name}"
    if name.endswith("parquet"):
        frame["weight"] = [0.5, 1.5, None, 2.0, 1.0, 3.0]
        frame["day"] = pd.to_datetime(["2020-01-01"] * 6)
        others = [{"name": n, "role": "other"} for n in ("weight", "day")]
        schema = {**schema, "attribute": [*schema["attribute"], *others]}
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), source)
    else:
        frame.to_csv(source, index=False, sep="\t" if ".tsv" in name else ",")
    publish_by_policy(policy, source, schema=schema, out=out)
    wanted = applied(frame, policy).drop(columns="name")
    if name.endswith("parquet"):
        got = pq.read_table(out)
        assert got.schema.field("weight").type == pa.float64()
        assert pa.types.is_timestamp(got.schema.field("day").type)
        got = got.to_pandas()
        wanted["day"] = wanted["day"].astype(got["day"].dtype)
    else:
        separator = "\t" if ".tsv" in name else ","
        got = pd.read_csv(out, sep=separator, keep_default_na=False)
    wanted = wanted.astype(got.dtypes.to_dict())
    pd.testing.assert_frame_equal(in_one_order(got), in_one_order(wanted))
    assert (tmp_path / "out-t.release.json").exists()


def test_semicolons_stay_semicolons(tmp_path):
    frame, schema = small()
    frame.to_csv(tmp_path / "t.csv", index=False, sep=";")
    publish_by_policy(policy_of(schema), tmp_path / "t.csv", schema=schema, out=tmp_path / "o.csv")
    with (tmp_path / "o.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream, delimiter=";"))
    assert rows[0] == ["age", "sex", "note"]
    assert sorted(r[2] for r in rows[1:]) == sorted(frame["note"])


def test_columns_that_the_schema_does_not_name_are_refused_dropped_or_kept(tmp_path):
    frame, schema = small(extra=list("uvwxyz"))
    frame.to_csv(tmp_path / "t.csv", index=False)
    policy = policy_of(schema)
    with pytest.raises(DataError, match=r"1 column that the schema does not name \(number 5\)"):
        publish_by_policy(policy, tmp_path / "t.csv", schema=schema, out=tmp_path / "o.csv")
    assert not (tmp_path / "o.csv").exists()
    said = tables.explore(tmp_path / "t.csv", schema=schema, evaluations=10).record.assumptions
    assert any(s.startswith("1 columns of the table are not declared") for s in said)
    (tmp_path / "kept").mkdir()
    kept = publish_by_policy(
        policy,
        tmp_path / "t.csv",
        schema=schema,
        out=tmp_path / "kept" / "k.csv",
        keep_undeclared=True,
    )
    assert (kept.how.undeclared_columns_kept, kept.how.undeclared_columns_dropped) == (1, 0)
    assert kept.counts["columns"] == 4
    assert sorted(pd.read_csv(tmp_path / "kept" / "k.csv")["extra"]) == list("uvwxyz")
    assert any("although the schema does not name them: 1" in line for line in kept.lines())
    schema = {**schema, "undeclared": "drop"}
    release = publish_by_policy(policy, tmp_path / "t.csv", schema=schema, out=tmp_path / "o.csv")
    assert release.how.undeclared_columns_dropped == 1
    assert pd.read_csv(tmp_path / "o.csv").columns.tolist() == ["age", "sex", "note"]


def test_several_files_become_one(tmp_path):
    frame, schema = small()
    (tmp_path / "parts").mkdir()
    frame.iloc[:4].to_csv(tmp_path / "parts" / "a.csv", index=False)
    frame.iloc[4:].to_csv(tmp_path / "parts" / "b.csv", index=False)
    policy = policy_of(schema, age=["0-5"])
    release = publish_by_policy(policy, tmp_path / "parts", schema=schema, out=tmp_path / "out")
    assert files(tmp_path / "out") == ["release.json", "table.csv"]
    assert release.counts["rows"] == 6
    got = pd.read_csv(tmp_path / "out" / "table.csv", keep_default_na=False)
    assert sorted(got["sex"]) == sorted(frame["sex"])


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_frames_give_frames(kind):
    frame, schema = small()
    policy = policy_of(schema, age=["0-1", "2-5"], sex=["f|m"])
    data = {
        "pandas": lambda: frame,
        "polars": lambda: pl.DataFrame(frame.to_dict("list")),
        "arrow": lambda: pa.table(frame.to_dict("list")),
    }[kind]()
    got = publish_by_policy(policy, data, schema=schema)
    assert type(got) is type(data)
    plain = got if kind == "pandas" else got.to_pandas()
    wanted = zip(["0-1", *["2-5"] * 5], frame["note"], strict=True)
    assert sorted(zip(plain["age"], plain["note"], strict=True)) == sorted(wanted)
    assert "name" not in plain.columns


def test_numbers_as_floats_and_padded(tmp_path):
    frame, schema = small(age=["1.0", "02", " 2 ", "3", "4", "4"])
    policy = policy_of(schema, age=["0-1", "2", "3-5"])
    got = publish_by_policy(policy, frame, schema=schema)
    assert sorted(got["age"]) == ["0-1", "2", "2", "3-5", "3-5", "3-5"]


def test_missing_as_the_schema_says():
    frame, schema = small(age=[1, None, 2, 3, 4, 4], sex=["f", "m", "?", "f", "m", "f"])
    with pytest.raises(DataError, match=r"'age' is missing in row 2"):
        publish_by_policy(policy_of(schema), frame, schema=schema)
    dropped = publish_by_policy(policy_of(schema), frame, schema={**schema, "missing": "drop"})
    assert sorted(dropped["note"]) == sorted(frame["note"].iloc[[0, 3, 4, 5]])
    valued = Lattice(("age", "sex"), (("0", "1", "2", "3", "4", "5", "?"), ("f", "m", "?")))
    policy = valued.policy({"age": ["0-5|?"], "sex": ["f", "m|?"]})
    got = publish_by_policy(policy, frame, schema={**schema, "missing": "value"})
    assert got["age"].unique().tolist() == ["*"]
    assert sorted(got["sex"]) == ["f", "f", "f", "m|?", "m|?", "m|?"]


def test_missing_where_the_explored_table_had_none(tmp_path):
    frame, schema = small()
    schema["missing"] = "value"
    found = tables.explore(frame, schema=schema, evaluations=20)
    newer, _ = small(sex=["f", "m", None, "f", "m", "f"])
    with pytest.raises(DataError, match=r"'sex' is missing in row 3"):
        found.publish(found.knee(), newer)
    # and the other way round: a policy with a place for missing values fits data without any
    found = tables.explore(newer, schema=schema, evaluations=20)
    assert len(found.publish(found.knee(), frame, accept_worse=True)) == 6


def test_value_outside_the_domain(folder, candidate, tmp_path):
    frame = pd.read_csv(folder / "register.csv", dtype=str)
    frame.loc[[41, 43], "group"] = "Zanzibar"
    frame.to_csv(tmp_path / "new.csv", index=False)
    before = files(tmp_path)
    with pytest.raises(DataError, match=r"'group' .* in row 42 \(2 rows in all\)") as told:
        publish(folder, candidate, tmp_path / "new.csv", out=tmp_path / "out.csv")
    assert "Zanzibar" not in str(told.value)
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: {"risk": Risk(c.risk.value - 1e-6)}, "a risk of"),
        (lambda c: {"utility": Utility(c.utility.value + 1e-6)}, "a utility of"),
        (lambda c: {"k": c.k + 1}, "smallest group"),
        (
            lambda c: {"l_diversity": {"diagnosis": c.l_diversity["diagnosis"] + 1}},
            "different values",
        ),
        (lambda c: {"t_closeness": {"diagnosis": c.t_closeness["diagnosis"] - 0.01}}, "away from"),
    ],
)
def test_refused_when_worse_than_promised(folder, candidate, tmp_path, change, said):
    found = tables.load(folder / "frontier")
    better = candidate.model_copy(update=change(candidate))
    request = TablesPublishRequest.build({"table": folder / "register.csv"}, owner="publish")
    for out in ("out.csv", "out"):
        with pytest.raises(
            ReleaseRefusedError, match=f"{said}.*promised; nothing was published"
        ) as told:
            ENGINE.publish(found, better, request, out=tmp_path / out)
        assert told.value.exit_status == 3
    assert files(tmp_path) == []
    accepted = request.model_copy(update={"accept_worse": True})
    release = ENGINE.publish(found, better, accepted, out=tmp_path / "out.csv").release
    assert said in release.worse[0]


@pytest.mark.parametrize(
    "measures",
    [("prosecutor", "kl"), ("small-groups", "class-size"), ("population", "mutual-information")],
)
def test_the_explored_measures_are_measured_again(folder, tmp_path, measures):
    risk, loss = measures
    found = tables.explore(
        folder / "register.csv", schema=folder / "schema.toml", population=folder / "population.csv",
        evaluations=150, risk=risk, loss=loss,
    )  # fmt: skip
    chosen = found.knee()
    release = found.publish(chosen, folder / "register.csv", out=tmp_path / "o.csv")
    assert release.measured.risk == pytest.approx(chosen.risk.value, abs=1e-9)
    assert release.measured.utility == pytest.approx(chosen.utility.value, abs=1e-9)
    few = pd.read_csv(folder / "register.csv", dtype=str).iloc[:60]
    few.to_csv(tmp_path / "few.csv", index=False)
    with pytest.raises(ReleaseRefusedError, match="promised"):
        found.publish(chosen, tmp_path / "few.csv", out=tmp_path / "few-out.csv")


def test_the_smallest_sizes_are_conditions_of_publishing(folder, tmp_path):
    found = tables.explore(
        folder / "register.csv", schema=folder / "schema.toml", evaluations=200, min_sample=5
    )
    frame = pd.read_csv(folder / "register.csv", dtype=str).iloc[:11]
    policy = found.policy(found.knee())
    unlisted = candidate_without_promise(policy)
    with pytest.raises(ReleaseRefusedError, match="below the 5 asked for"):
        ENGINE.publish(found, unlisted, TablesPublishRequest(table=frame), out=tmp_path / "o.csv")


@pytest.mark.parametrize("what", ["label", "row"])
def test_refused_when_the_output_is_not_the_policy(folder, candidate, tmp_path, monkeypatch, what):
    plain = Generaliser.selection

    def tampered(self, opened, **how):
        if what == "row":
            return plain(self, opened, **how) + " LIMIT 499"
        first = tuple(f"{v}!" for v in self.labels[0])
        return plain(dataclasses.replace(self, labels=(first, *self.labels[1:])), opened, **how)

    monkeypatch.setattr(Generaliser, "selection", tampered)
    with pytest.raises(ReleaseRefusedError):
        publish(folder, candidate, folder / "register.csv", out=tmp_path / "out.csv")
    assert files(tmp_path) == []


def test_refused_when_a_policy_was_applied_that_is_finer(folder, candidate, tmp_path, monkeypatch):
    found = tables.load(folder / "frontier")
    finer = found.payload.lattice.domains
    plain = Generaliser.selection
    monkeypatch.setattr(
        Generaliser,
        "selection",
        lambda self, opened, **how: plain(dataclasses.replace(self, labels=finer), opened, **how),
    )
    with pytest.raises(ReleaseRefusedError):
        publish(folder, candidate, folder / "register.csv", out=tmp_path / "out")
    assert files(tmp_path) == []


def test_new_data_is_measured_and_held_to_a_limit(folder, candidate, tmp_path):
    frame = pd.read_csv(folder / "register.csv", dtype=str).iloc[:40]
    frame.to_csv(tmp_path / "new.csv", index=False)
    release = publish(
        folder, candidate, tmp_path / "new.csv", out=tmp_path / "out.csv", accept_worse=True
    )
    assert release.how.explored_table is False
    measured = release.measured.risk
    assert release.risk.value == measured
    problem = Problem.of(read_table(frame, folder / "schema.toml", folder / "population.csv"))
    policy = problem.lattice.policy(release.how.policy)
    assert measured == pytest.approx(problem.cells.measure(policy.bits).risk, abs=1e-12)
    with pytest.raises(ReleaseRefusedError, match="above the"):
        publish_by_policy(
            policy, tmp_path / "new.csv", schema=folder / "schema.toml",
            population=folder / "population.csv", out=tmp_path / "no.csv", max_risk=measured * 0.99,
        )  # fmt: skip
    assert not (tmp_path / "no.csv").exists()


def test_another_population_can_be_given(folder, candidate, tmp_path):
    people = pd.read_csv(folder / "population.csv", dtype={"area": str})
    people["count"] *= 10
    release = publish(
        folder, candidate, folder / "register.csv", out=tmp_path / "o.csv", population=people
    )
    assert len(release.inputs) == 1
    assert release.measured.smallest_population_group >= 10


def test_existing_outputs_are_refused(folder, candidate, tmp_path):
    (tmp_path / "out.csv").write_text("mine")
    (tmp_path / "other.release.json").write_text("mine")
    for out in (tmp_path / "out.csv", tmp_path / "other.csv", tmp_path):
        with pytest.raises(OutputExistsError):
            publish(folder, candidate, folder / "register.csv", out=out)
    assert files(tmp_path) == ["other.release.json", "out.csv"]
    assert (tmp_path / "out.csv").read_text() == "mine"
    again = {"out": tmp_path / "out.csv", "force": True}
    with pytest.raises(OutputExistsError, match="no record"):  # a stranger's file, even by force
        publish(folder, candidate, folder / "register.csv", **again)
    assert (tmp_path / "out.csv").read_text() == "mine"
    (tmp_path / "out.csv").unlink()
    for force in (False, True):
        publish(folder, candidate, folder / "register.csv", **{**again, "force": force})
    assert files(tmp_path) == ["other.release.json", "out.csv", *PRIVATE, "out.release.json"]


def test_wrong_calls(folder, candidate, tmp_path):
    with pytest.raises(FormatError, match="would be parquet"):
        publish(folder, candidate, folder / "register.csv", out=tmp_path / "out.parquet")
    with pytest.raises(ParameterError, match="'out'"):
        publish(folder, candidate, folder / "register.csv")
    with pytest.raises(ParameterError, match="'refuse_above'"):
        publish(folder, candidate, folder / "register.csv", out=tmp_path / "o.csv", max_risk=2)
    frame, schema = small()
    with pytest.raises(ParameterError, match="needs the schema"):
        publish_by_policy(policy_of(schema), frame)
    narrow = {"attribute": [dict(a) for a in schema["attribute"]]}
    narrow["attribute"][1]["domain"] = {"range": [0, 4]}
    with pytest.raises(FormatError, match="another schema"):
        publish_by_policy(policy_of(schema), frame, schema=narrow)
    with pytest.raises(DataError, match="no column 'sex'"):
        publish_by_policy(policy_of(schema), frame.drop(columns="sex"), schema=schema)
    assert files(tmp_path) == []


def test_labels_that_could_be_confused_are_refused():
    schema = {
        "attribute": [
            {"name": "x", "role": "quasi", "domain": {"values": ["a", "b", "a|b"]}},
        ]
    }
    policy = Lattice(("x",), (("a", "b", "a|b"),)).from_bits([0, 1])
    with pytest.raises(DataError, match="under one label"):
        publish_by_policy(policy, pd.DataFrame({"x": ["a", "b", "a|b"]}), schema=schema)


def test_hostile_names_and_values(tmp_path):
    odd = "say \"x\", 'y' ;--"
    values = ["it's", 'a "b"', "c;d", "--"]
    schema = {
        "attribute": [
            {"name": odd, "role": "quasi", "domain": {"values": values}},
            {"name": "n", "role": "quasi", "domain": {"range": [-3, 3]}},
        ]
    }
    frame = pd.DataFrame({odd: values, "n": [-3, -1, 0, 3]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    lattice = Lattice((odd, "n"), (tuple(values), tuple(str(v) for v in range(-3, 4))))
    policy = lattice.policy({"n": ["-3--1", "0-3"], odd: [[values[0], values[1]], values[2], "--"]})
    publish_by_policy(policy, tmp_path / "t.csv", schema=schema, out=tmp_path / "o.csv")
    got = pd.read_csv(tmp_path / "o.csv")
    wanted = [("-3--1", 'a "b"|it\'s')] * 2 + [("0-3", "c;d"), ("0-3", "--")]
    assert sorted(zip(got["n"], got[odd], strict=True)) == sorted(wanted)


@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.sampled_from("fm")), min_size=1, max_size=20),
    bits=st.lists(st.integers(0, 1), min_size=6, max_size=6),
    people=st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from("fm"), st.integers(1, 9)), max_size=12
    ),
)
@settings(max_examples=12)
def test_what_is_read_back_is_what_was_measured(rows, bits, people):
    """The auditor of the output and the evaluator of the search agree."""
    schema = small()[1]
    schema["attribute"] = schema["attribute"][1:3]
    frame = pd.DataFrame(rows, columns=["age", "sex"])
    crowd = pd.DataFrame(people, columns=["age", "sex", "count"]) if people else None
    table = read_table(frame, schema, crowd)
    problem = Problem.of(table)
    policy = problem.lattice.from_bits(bits)
    published = publish_by_policy(policy, frame, schema=schema, population=crowd)
    again = read_back(publishing.TableSource.open(published), policy, table)
    measured = problem.cells.measure(policy.bits)
    assert again.measured.risk == pytest.approx(measured.risk, abs=1e-12)
    assert again.measured.loss_nats == pytest.approx(measured.loss_nats, abs=1e-12)
    assert again.measured.loss == pytest.approx(measured.loss, abs=1e-12)
    assert again.measured.groups_count == measured.groups
    assert again.measured.k == measured.smallest_sample_group
    assert again.measured.smallest_population_group == pytest.approx(
        measured.smallest_population_group
    )


def test_policies_as_files(folder, candidate, tmp_path):
    found = tables.load(folder / "frontier")
    policy = found.policy(candidate)
    save_policy(policy, tmp_path / "p.json")
    assert load_policy(tmp_path / "p.json", found.payload.lattice) == policy
    other = Lattice(("age",), (("0", "1"),))
    with pytest.raises(ModelError, match="another schema"):
        load_policy(tmp_path / "p.json", other)
    content = json.loads((tmp_path / "p.json").read_text())
    content["bits"] = "00" + content["bits"][2:]
    (tmp_path / "p.json").write_text(json.dumps(content))
    with pytest.raises(FormatError):
        load_policy(tmp_path / "p.json", found.payload.lattice)
    (tmp_path / "p.json").write_text('{"kind": "cake"}')
    with pytest.raises(FormatError, match="not a policy"):
        load_policy(tmp_path / "p.json", found.payload.lattice)


def test_mappings_do_what_publish_does(folder, candidate):
    found = tables.load(folder / "frontier")
    policy = found.policy(candidate)
    frame = pd.read_csv(folder / "register.csv", dtype=str)
    wanted = applied(frame, policy)
    listed = list(csv.DictReader(mapping_csv(policy).splitlines()))
    assert len(listed) == sum(policy.lattice.sizes)
    places = {(r["attribute"], r["value"]): r["published"] for r in listed}
    assert [places["area", v] for v in frame["area"]] == wanted["area"].tolist()
    connection = duckdb.connect()
    connection.register("frame", pa.Table.from_pandas(frame))
    got = connection.sql(f"SELECT {mapping_sql(policy)} FROM frame").to_arrow_table().to_pandas()
    for name in policy.lattice.names:
        assert got[name].tolist() == wanted[name].tolist()


def test_the_schema_travels_with_the_frontier(folder):
    payload = tables.load(folder / "frontier").payload
    declared = read_toml(folder / "schema.toml")["attribute"]
    assert payload.schema.names("identifier") == ["patient"]
    assert [a.name for a in payload.schema.attributes] == [a["name"] for a in declared]
    assert payload.schema.quasi[0].is_range
    assert np.isclose(
        payload.population_count.sum(), register_population()["count"].to_numpy().sum()
    )
