"""`sfumato tables`: the whole way on a small register, and one clear answer for each kind of bad input."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from sfumato.cli import app
from sfumato.data.samples import patient_register, register_population, register_schema

BUDGET = ["--evaluations", "300"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    patient_register(400).to_pandas().to_csv(folder / "register.csv", index=False)
    register_population().to_pandas().to_csv(folder / "population.csv", index=False)
    (folder / "schema.toml").write_text(register_schema(), encoding="utf-8")
    done = sfumato(
        "explore", folder / "register.csv", "--schema", folder / "schema.toml",
        "--population", folder / "population.csv", *BUDGET, "--out", folder / "frontier",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return folder


def sfumato(*arguments):
    return CliRunner().invoke(app, ["tables", *map(str, arguments)])


def files(folder):
    """List what is there, but for codebooks."""
    return sorted(p.name for p in folder.iterdir() if "codebook" not in p.name)


def refused(done, *words, status=2):
    """The call ended with one sentence, the right status and no traceback."""
    assert done.exit_code == status, done.output
    assert done.stderr.startswith("sfumato: ")
    assert "Traceback" not in done.output
    for word in words:
        assert word in done.stderr
    return done.stderr


def test_explore_tells_its_result(folder, tmp_path):
    arguments = (
        "explore", folder / "register.csv", "--schema", folder / "schema.toml", *BUDGET,
        "--least-sample", 3,
    )  # fmt: skip
    done = sfumato(*arguments, "--out", tmp_path / "f")
    assert done.exit_code == 0
    for said in (
        "400 records",
        "on the frontier",
        "Safe Harbor",
        "No population was given",
        "knee:",
    ):
        assert said in done.stdout
    assert files(tmp_path / "f") == ["frontier.json", "policies.json"]
    as_json = sfumato(*arguments, "--out", tmp_path / "g", "--json")
    content = json.loads(as_json.stdout)
    assert content["min_sample"] == 3
    assert min(c["k"] for c in content["candidates"]) >= 3
    quiet = sfumato(*arguments, "--out", tmp_path / "h", "--quiet")
    assert quiet.output == ""


def test_schema_is_drafted(folder, tmp_path):
    shown = sfumato("schema", folder / "register.csv")
    assert 'name = "age"' in shown.stdout
    done = sfumato("schema", folder / "register.csv", "--out", tmp_path / "draft.toml")
    assert done.exit_code == 0
    assert (tmp_path / "draft.toml").read_text(encoding="utf-8").rstrip() in shown.stdout.rstrip()
    refused(sfumato("schema", folder / "register.csv", "--out", tmp_path / "draft.toml"), "exists")


@pytest.mark.parametrize(
    "choice",
    [
        ["--max-risk", "0.05"],
        ["--choose", "max-risk:0.05"],
        ["--choose", "min-utility:0.4"],
        ["--choose", "max-risk:0.9,min-utility:0.1"],
        ["--choose", "knee"],
        ["--choose", "better-than:Safe Harbor"],
    ],
)
def test_publish_by_every_kind_of_choice(folder, tmp_path, choice):
    out = tmp_path / "out.csv"
    done = sfumato("publish", folder / "frontier", folder / "register.csv", *choice, "--out", out)
    assert done.exit_code == 0, done.output
    assert "400 rows published" in done.stdout
    assert "identifiers dropped: patient" in done.stdout
    assert files(tmp_path) == ["out.csv", "out.csv.private", "out.release.json"]
    assert "patient" not in pd.read_csv(out).columns


def test_publish_by_id_into_a_folder(folder, tmp_path):
    content = json.loads((folder / "frontier" / "frontier.json").read_text(encoding="utf-8"))
    chosen = content["candidates"][3]
    done = sfumato(
        "publish", folder / "frontier", folder / "register.csv", "--choose", chosen["id"],
        "--out", tmp_path / "out", "--json",
    )  # fmt: skip
    release = json.loads(done.stdout)
    assert release["candidate"] == chosen["id"]
    assert release["measured"]["risk"] == pytest.approx(chosen["risk"], abs=1e-9)
    assert files(tmp_path / "out") == ["register.csv", "release.json"]


def test_mapping_and_saved_policies(folder, tmp_path):
    for name in ("map.csv", "map.sql", "policy.json"):
        done = sfumato("mapping", folder / "frontier", "--choose", "knee", "--out", tmp_path / name)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "map.csv").read_text().startswith("attribute,value,published\n")
    assert (tmp_path / "map.sql").read_text().startswith('CASE CAST("age"')
    by_policy = sfumato(
        "publish", folder / "frontier", folder / "register.csv", "--choose",
        f"policy={tmp_path / 'policy.json'}", "--out", tmp_path / "a.csv",
    )  # fmt: skip
    assert by_policy.exit_code == 0, by_policy.output
    sfumato(
        "publish", folder / "frontier", folder / "register.csv", "--choose", "knee", "--out",
        tmp_path / "b.csv",
    )  # fmt: skip
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    refused(
        sfumato("mapping", folder / "frontier", "--choose", "knee", "--out", tmp_path / "map.txt"),
        ".sql",
    )
    refused(
        sfumato("mapping", folder / "frontier", "--choose", "knee", "--out", tmp_path / "map.csv"),
        "exists",
    )


def test_a_choice_is_made_once(folder, tmp_path):
    start = ("publish", folder / "frontier", folder / "register.csv", "--out", tmp_path / "o.csv")
    refused(sfumato(*start), "exactly one way")
    refused(sfumato(*start, "--max-risk", "0.1", "--choose", "x"), "exactly one way")
    refused(sfumato(*start, "--max-risk", "7"), "less than or equal to 1")
    refused(sfumato(*start, "--choose", "nobody"), "no candidate 'nobody'")
    refused(sfumato(*start, "--choose", "better-than:Safe Harbour"), "no reference")
    refused(
        sfumato(*start, "--choose", "knee", "--policy", folder / "schema.toml"),
        "exactly one way",
        "--choose policy=",
    )
    assert files(tmp_path) == []


def test_limits_hold_on_new_data(folder, tmp_path):
    frame = pd.read_csv(folder / "register.csv", dtype=str).iloc[:5]
    frame.to_csv(tmp_path / "few.csv", index=False)
    start = ("publish", folder / "frontier", tmp_path / "few.csv", "--choose", "knee")
    done = sfumato(*start, "--refuse-above", "0.000001", "--out", tmp_path / "o.csv")
    refused(done, "nothing was published", status=3)
    assert files(tmp_path) == ["few.csv"]
    refused(sfumato(*start, "--out", tmp_path / "o.csv"), "promised", "--accept-worse", status=3)
    done = sfumato(*start, "--accept-worse", "--out", tmp_path / "o.csv")
    assert "not the table that was explored" in done.stdout
    assert "accepted although worse" in done.stdout


def bad_table(folder, **changes):
    frame = pd.read_csv(folder / "register.csv", dtype=str)
    for column, value in changes.items():
        frame.loc[6, column] = value
    return frame


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"age": "177"}, ["'age'", "outside its domain", "row 7"]),
        ({"group": "Zanzibar"}, ["'group'", "outside its domain", "row 7"]),
        ({"age": None}, ["'age'", "missing in row 7"]),
        ({"age": "nan"}, ["'age'", "row 7"]),
        ({"area": "?"}, ["'area'", "missing in row 7"]),
    ],
)
def test_bad_values(folder, tmp_path, changes, words):
    bad_table(folder, **changes).to_csv(tmp_path / "bad.csv", index=False)
    said = [
        refused(
            sfumato(
                "explore", tmp_path / "bad.csv", "--schema", folder / "schema.toml", *BUDGET,
                "--out", tmp_path / "out",
            ),
            *words,
        ),
        refused(
            sfumato(
                "publish", folder / "frontier", tmp_path / "bad.csv", "--choose", "knee", "--out",
                tmp_path / "out.csv",
            ),
            *words,
        ),
    ]  # fmt: skip
    for value in ("177", "Zanzibar"):
        assert all(value not in s for s in said)
    assert files(tmp_path) == ["bad.csv"]


def test_bad_files(folder, tmp_path):
    explore = ("explore", folder / "register.csv", "--schema", folder / "schema.toml", *BUDGET)
    out = ("--out", tmp_path / "out")
    refused(
        sfumato("explore", folder / "nothing.csv", "--schema", folder / "schema.toml", *out),
        "There is no file 'nothing.csv'",
    )
    refused(
        sfumato("explore", folder / "register.csv", "--schema", tmp_path / "none.toml", *out),
        "none.toml",
    )
    refused(sfumato(*explore, "--out", folder / "frontier"), "already exists", "--force")
    refused(sfumato(*explore, "--engine", "dask", *out), "local, spark")
    published = ("publish", folder / "frontier", folder / "register.csv", "--choose", "knee", *out)
    refused(sfumato(*published, "--engine", "dask"), "local, spark")
    refused(sfumato(*explore, "--out", tmp_path / "no" / "where"), "does not exist")
    refused(sfumato(*explore, "--population", folder / "register.csv", *out), "count")
    refused(sfumato(*explore, "--reference", folder / "frontier" / "policies.json", *out), "policy")
    refused(
        sfumato("publish", tmp_path, folder / "register.csv", "--choose", "knee", *out),
        "frontier.json",
    )
    (tmp_path / "schema.toml").write_text('[[attribute]]\nname = "aeg"\nrole = "quasi"\n')
    refused(
        sfumato("explore", folder / "register.csv", "--schema", tmp_path / "schema.toml", *out),
        "needs a domain",
    )
    (tmp_path / "schema.toml").write_text(
        '[[attribute]]\nname = "aeg"\nrole = "quasi"\ndomain = "observed"\n'
    )
    refused(
        sfumato("explore", folder / "register.csv", "--schema", tmp_path / "schema.toml", *out),
        "no column 'aeg'",
        "it has 7 columns",
    )
    assert files(tmp_path) == ["schema.toml"]


def test_policy_of_another_schema(folder, tmp_path):
    sfumato("mapping", folder / "frontier", "--choose", "knee", "--out", tmp_path / "policy.json")
    schema = register_schema().replace("range = [0, 95]", "range = [0, 99]")
    (tmp_path / "schema.toml").write_text(schema, encoding="utf-8")
    done = sfumato(
        "explore", folder / "register.csv", "--schema", tmp_path / "schema.toml", *BUDGET,
        "--out", tmp_path / "wider",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    refused(
        sfumato(
            "publish", tmp_path / "wider", folder / "register.csv", "--choose",
            f"policy={tmp_path / 'policy.json'}", "--out", tmp_path / "out.csv",
        ),
        "another schema",
    )  # fmt: skip
    assert not (tmp_path / "out.csv").exists()


def test_same_call_same_bytes(folder, tmp_path):
    for name in ("a", "b"):
        done = sfumato(
            "publish", folder / "frontier", folder / "register.csv", "--choose", "knee", "--out",
            tmp_path / name,
        )  # fmt: skip
        assert done.exit_code == 0
    for name in files(tmp_path / "a"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_help_needs_nothing_heavy():
    for command in ("schema", "explore", "publish", "mapping", "study"):
        done = sfumato(command, "--help")
        assert done.exit_code == 0
        assert "--out" in done.stdout
