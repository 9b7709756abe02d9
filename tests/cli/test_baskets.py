"""`sfumato baskets`: what is written, what is said, and what happens when the input is wrong."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

from sfumato.cli import build
from sfumato.data.baskets import Baskets, write_baskets
from sfumato.engines.baskets.containment.audit import audit


@pytest.fixture
def run():
    def call(*arguments):
        return CliRunner().invoke(build(["baskets"]), ["baskets", *(str(a) for a in arguments)])

    return call


@pytest.fixture
def log(tmp_path):
    """Write a small purchase log as .npz with labels and names beside it."""
    rng = np.random.default_rng(2)
    y = rng.random(200) < 0.5
    X = rng.random((200, 20)) < np.where(y[:, None], 0.25, 0.12)
    names = [f"item{i}" for i in range(20)]
    path = tmp_path / "log.npz"
    write_baskets(Baskets.of(X.astype(np.uint8), labels=y.astype(int), feature_names=names), path)
    return path


def test_explore_and_publish(run, log, tmp_path):
    out = tmp_path / "frontier"
    done = run("explore", log, "--labels", tmp_path / "log.labels.txt", "--k", "3,5",
               "--selector", "hamdist,distcnt", "--out", out)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert sorted(p.name for p in out.iterdir()) == ["columns.npz", "frontier.json"]
    content = json.loads((out / "frontier.json").read_text())
    assert {c["id"] for c in content["candidates"]} == {
        "hamdist-k3", "hamdist-k5", "distcnt-k3", "distcnt-k5",
        "cells-k3", "cells-k5", "columns+cells-k3", "columns+cells-k5",
    }  # fmt: skip
    assert [i["rows"] for i in content["inputs"]] == [200, 200, 200]
    assert "k-anonymity by containment protects against" in done.output
    target = tmp_path / "safe.npz"
    done = run("publish", out, log, "--choose", "hamdist-k3", "--out", target)
    assert done.exit_code == 0, done.output
    assert "audited: at least" in done.output
    assert audit(sp.load_npz(target)).ac >= 3
    names = (tmp_path / "safe.features.txt").read_text().split()
    (chosen,) = [c for c in content["candidates"] if c["id"] == "hamdist-k3"]
    assert names == chosen["features"]
    folder = tmp_path / "release"
    assert run("publish", out, log, "--choose", "hamdist-k3", "--out", folder).exit_code == 0
    assert {p.name for p in folder.iterdir()} == {
        "log.npz", "log.labels.txt", "log.features.txt", "release.json",
    }  # fmt: skip
    assert (folder / "log.npz").read_bytes() == target.read_bytes()


def test_the_same_call_gives_the_same_bytes(run, log, tmp_path):
    for name in ("a", "b"):
        done = run("explore", log, "--k", "3", "--selector", "hamdist", "--out", tmp_path / name)
        assert done.exit_code == 0
        done = run("publish", tmp_path / name, log, "--choose", "hamdist-k3",
                   "--out", tmp_path / f"out-{name}")  # fmt: skip
        assert done.exit_code == 0
    for file in ("log.npz", "release.json"):
        assert (tmp_path / "out-a" / file).read_bytes() == (tmp_path / "out-b" / file).read_bytes()


def test_json_and_quiet(run, log, tmp_path):
    done = run(
        "explore", log, "--k", "3", "--selector", "hamdist", "--json", "--out", tmp_path / "a"
    )
    assert json.loads(done.output)["engine"] == "baskets"
    done = run("explore", log, "--k", "3", "--selector", "hamdist", "-q", "--out", tmp_path / "b")
    assert done.output == ""


def test_study(run, log, tmp_path):
    done = run("study", log, "--k", "3", "--folds", "2", "--repeats", "1", "--out", tmp_path / "s")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "s" / "table.csv").read_text().startswith("method,k,auc")
    assert "Full feature set" in done.output


def test_flags_for_risky_absences(run, log, tmp_path):
    flags = tmp_path / "flags.txt"
    flags.write_text("item0\nitem1\n")
    done = run("explore", log, "--k", "3", "--selector", "hamdist", "--absence-risky", flags,
               "--out", tmp_path / "a")  # fmt: skip
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--k", "3,x"], "--k takes whole numbers"),
        (["--k", "900"], "k = 900 is larger than the number of rows (200)"),
        (["--k", "0"], "must be greater than or equal to 1"),
        (["--k", "100"], "the selection is empty"),
        (["--selector", "hamdost"], "there is no 'hamdost'. Hint: did you mean"),
        (["--stop", "never ever"], "--stop of sfumato baskets explore must be"),
        (["--labels", "nowhere.txt"], "There is no file 'nowhere.txt'"),
    ],
)
def test_wrong_calls_are_answered_in_one_line(arguments, message, run, log, tmp_path):
    call = {"--k": "3", "--selector": "hamdist", **dict([tuple(arguments)])}
    out = tmp_path / "out"
    done = run("explore", log, *(part for pair in call.items() for part in pair), "--out", out)
    assert done.exit_code == 2
    assert message in done.output
    assert "Traceback" not in done.output
    assert not out.exists()


def _one_class(path):
    (path / "log.labels.txt").write_text("1\n" * 200)


def _missing_labels(path):
    (path / "log.labels.txt").unlink()


def _few_labels(path):
    (path / "log.labels.txt").write_text("1\n0\n")


def _many_classes(path):
    (path / "log.labels.txt").write_text("".join(f"c{i % 50}\n" for i in range(200)))


def _not_binary(path):
    sp.save_npz(path / "log.npz", sp.csr_matrix(np.full((200, 20), 3)))


def _duplicate_names(path):
    (path / "log.features.txt").write_text("tea\n" * 20)


def _not_a_matrix(path):
    (path / "log.npz").write_text("hello")


def _no_features(path):
    sp.save_npz(path / "log.npz", sp.csr_matrix((200, 0), dtype=np.uint8))
    (path / "log.features.txt").unlink()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_one_class, "The labels have 1 distinct value, and two classes are needed."),
        (_missing_labels, "The selector 'hamdist' needs labels, and there are none."),
        (_few_labels, "There are 2 labels for 200 rows."),
        (_many_classes, "The labels have 50 classes, and up to 20 are taken."),
        (_not_binary, "neither 0 nor 1"),
        (_duplicate_names, "19 feature names are used more than once."),
        (_not_a_matrix, "is not a scipy sparse matrix"),
        (_no_features, "The matrix has no features."),
    ],
)
def test_bad_data_is_answered_in_one_line(damage, message, run, log, tmp_path):
    damage(tmp_path)
    done = run("explore", log, "--k", "3", "--selector", "hamdist", "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert message in done.output
    assert "tea" not in done.output
    assert not (tmp_path / "out").exists()


def test_an_engine_that_there_is_not(run, log, tmp_path):
    done = run("explore", log, "--k", "3", "--engine", "dask", "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert "local, spark" in done.output
    assert not (tmp_path / "out").exists()


def test_a_row_of_zeros_is_fine_and_counted(run, tmp_path):
    rng = np.random.default_rng(5)
    X = (rng.random((120, 8)) < 0.3).astype(np.uint8)
    X[:7] = 0
    write_baskets(Baskets.of(X, labels=np.arange(120) % 2), tmp_path / "x.npz")
    done = run("explore", tmp_path / "x.npz", "--k", "3", "--json", "--selector", "hamdist",
               "--out", tmp_path / "out")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["empty_rows"] >= 7


def test_publish_refuses_what_is_worse_than_promised(run, log, tmp_path):
    run("explore", log, "--k", "5", "--selector", "hamdist", "--out", tmp_path / "f")
    rows = sp.load_npz(log)[:12]
    other = tmp_path / "other.npz"
    names = (tmp_path / "log.features.txt").read_text().split()
    write_baskets(Baskets.of(rows, labels=["0", "1"] * 6, feature_names=names), other)
    out = tmp_path / "out.npz"
    done = run("publish", tmp_path / "f", other, "--choose", "hamdist-k5", "--out", out)
    assert done.exit_code == 3
    assert "below the promised k = 5; nothing was published" in done.output
    assert not [p for p in tmp_path.iterdir() if "out" in p.name]


def test_publish_wrong_calls(run, log, tmp_path):
    run("explore", log, "--k", "3", "--selector", "hamdist", "--out", tmp_path / "f")
    cases = [
        (["publish", tmp_path / "f", log, "--choose", "hamdist-k9", "--out", tmp_path / "o"],
         "There is no candidate 'hamdist-k9'"),
        (["publish", tmp_path / "nowhere", log, "--choose", "x", "--out", tmp_path / "o"],
         "There is no folder 'nowhere'"),
        (["publish", tmp_path / "f", tmp_path / "no.npz", "--choose", "hamdist-k3", "--out",
          tmp_path / "o"], "There is no file 'no.npz'"),
        (["publish", tmp_path / "f", log, "--choose", "hamdist-k3", "--out", tmp_path / "o.csv"],
         "would be csv, but the input is npz"),
        (["publish", tmp_path / "f", log, "--choose", "hamdist-k3", "--out", log],
         "is an input"),
        (["explore", log, "--k", "3", "--out", tmp_path / "f"], "already exists"),
    ]  # fmt: skip
    for arguments, message in cases:
        done = run(*arguments)
        assert done.exit_code == 2, done.output
        assert message in done.output
    (tmp_path / "f" / "frontier.json").write_text("{}")
    done = run("publish", tmp_path / "f", log, "--choose", "hamdist-k3", "--out", tmp_path / "o")
    assert done.exit_code == 2
    assert not (tmp_path / "o").exists()


def test_audit_topics_and_attack(run, log, tmp_path):
    done = run("audit", log, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["rows"] == 200
    assert found["left_by_items"]["1"] >= found["left_by_items"]["2"] >= found["ac"]
    table = tmp_path / "ages.csv"
    table.write_text("age,smokes\n30,1\n40,1\n40,0\n50,1\n")
    done = run("audit", table, "--ordered", "age", "--json")
    assert json.loads(done.output)["ac"] == 1
    done = run("audit", table, "--equal", "age")
    assert "At least 1 rows fit" in done.output
    done = run("topics", log, "--topics", "2", "--json")
    assert 0 <= json.loads(done.output)["auc"] <= 1
    out = tmp_path / "frontier"
    assert run("explore", log, "--k", "3", "--publish-as", "cells", "--known-items", "2",
               "--utility", "ones", "--out", out).exit_code == 0  # fmt: skip
    target = tmp_path / "attack.json"
    done = run("attack", out, log, "--people", "50", "--items", "1,2", "--out", target)
    assert done.exit_code == 0, done.output
    (attack,) = json.loads(target.read_text())["attacks"]
    assert max(f["highest"] for f in attack["findings"]) <= 1 / 3 + 1e-12


def test_a_learned_hierarchy_serves_explore_and_publish(run, log, tmp_path):
    target = tmp_path / "hierarchy.csv"
    done = run("hierarchy", log, "--size", "4", "--out", target, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["items"] == 20
    assert found["learned"] is True
    assert target.read_text().count("learned group of ") == 20
    done = run("hierarchy", log, "--out", target)
    assert done.exit_code == 2
    assert "already exists" in done.output
    out = tmp_path / "frontier"
    done = run("explore", log, "--k", "3", "--publish-as", "cells", "--utility", "categories",
               "--hierarchy", target, "--out", out)  # fmt: skip
    assert done.exit_code == 0, done.output
    (cells,) = json.loads((out / "frontier.json").read_text())["candidates"]
    assert cells["kept"]["categories"] > cells["kept"]["ones"]
    assert any(name.startswith("learned group of ") for name in cells["features"])
    done = run("publish", out, log, "--choose", "cells-k3", "--hierarchy", target, "--out",
               tmp_path / "safe")  # fmt: skip
    assert done.exit_code == 0, done.output
