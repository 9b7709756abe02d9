"""One of each kind, installed as a package of its own: command line, plan and Python know it, sfumato does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PACKAGE = HERE / "extras"
SOURCE = HERE.parents[1] / "src"
KINDS = (
    "attacker", "compute", "desk", "format", "learner", "loss", "measure", "method", "replacement",
    "risk", "selector", "shown", "strategy",
)  # fmt: skip


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Install the package with pip, away from this environment."""
    target = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation",
         "--disable-pip-version-check", "--target", str(target), str(PACKAGE)],
        check=True,
    )  # fmt: skip
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), str(target)])}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, small_samples):
    """Return where the commands run, with the samples at hand."""
    made = tmp_path_factory.mktemp("extras")
    (made / "s").symlink_to(small_samples)
    return made


@pytest.fixture(scope="module")
def call(environment, folder):
    """Return a function that runs Python in that folder with the package installed."""

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def sfumato(call):
    return lambda *words: call("-m", "sfumato", *map(str, words))


@pytest.fixture(scope="module")
def notes(sfumato, folder):
    """Return labelled documents in the package's own format, written by `convert`."""
    sfumato("text", "convert", "s/learn.jsonl", "--to", "pipes", "--out", "notes.pipes")
    assert (folder / "notes.pipes").read_text(encoding="utf-8").count("|") >= 2
    return "notes.pipes"


TEXT = {"label": "NAME", "learner": "capital", "attackers": "capital", "ratios": "10", "folds": "2"}
TABLES = {"risk": "lone", "loss": "groups-lost", "strategy": "left-to-right", "compute": "serial"}
BASKETS = {"selector": "first-three", "publish-as": "columns,frequent", "utility": "mass", "k": "5",
           "folds": "2", "compute": "serial"}  # fmt: skip


def options(given):
    return [word for name, value in given.items() for word in (f"--{name}", value)]


def frontier(folder):
    return json.loads((folder / "frontier.json").read_text(encoding="utf-8"))


def test_each_kind_is_a_file_and_sfumato_names_none_of_them():
    files = {path.stem: path for path in (PACKAGE / "src" / "sfumato_extras").glob("[a-z]*.py")}
    assert set(files) == set(KINDS)
    for kind in KINDS:
        print(f"{kind:12} {len(files[kind].read_text(encoding='utf-8').splitlines()):3} lines")
    source = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")]
    print("files of sfumato that name the package:", sum("sfumato_extras" in t for t in source))
    assert not any("sfumato_extras" in text for text in source)


def test_help_lists_them(sfumato):
    shown = {
        ("text", "explore"): ("selection, capital.", "pipes."),
        ("text", "publish"): ("stars", "serial."),
        ("tables", "explore"): (", lone", "groups-lost", "left-to-right"),
        ("baskets", "explore"): ("first-three", "frequent", "mass"),
    }
    for words, expected in shown.items():
        text = " ".join(sfumato(*words, "--help").replace("-\n", "-").split())
        for name in expected:
            assert name in text, (words, name)


def test_text_from_the_command_line(sfumato, notes, folder):
    sfumato("text", "explore", notes, "--format", "pipes", *options(TEXT), "--out", "text")
    found = frontier(folder / "text")
    assert found["request"]["learner"] == "capital"
    assert "capital" in json.dumps(found["candidates"])
    sfumato("text", "publish", "text", notes, "--ratio", "10", "--replace", "stars",
            "--compute", "serial", "--ignore-marks", "--accept-shift", "--out", "text-released")  # fmt: skip
    (written,) = (folder / "text-released").glob("*.pipes")
    assert "***NAME***" in written.read_text(encoding="utf-8")
    sfumato("report", "text", "text-released", "--out", "text-report")
    assert "capital" in (folder / "text-report/report.html").read_text(encoding="utf-8")


def test_tables_from_the_command_line(sfumato, folder):
    sfumato("tables", "explore", "s/register.csv", "--schema", "s/schema.toml", "--evaluations", "200",
            *options(TABLES), "--out", "tables")  # fmt: skip
    found = frontier(folder / "tables")
    request = found["request"]
    assert all(0 <= candidate["shown"]["crowded"] <= 1 for candidate in found["candidates"])
    assert (request["risk"], request["loss"], request["strategy"]) == ("lone", "groups-lost", "left-to-right")  # fmt: skip
    sfumato("tables", "publish", "tables", "s/register.csv", "--knee", "--compute", "serial", "--out", "tables-released")  # fmt: skip
    release = json.loads((folder / "tables-released/release.json").read_text(encoding="utf-8"))
    explored = {c["id"]: c for c in frontier(folder / "tables")["candidates"]}
    promised = explored[release["candidate"]]["shown"]["crowded"]
    assert release["measured"]["shown"]["crowded"] == pytest.approx(promised, abs=1e-12)
    sfumato("report", "tables", "tables-released", "--out", "tables-report")
    page = (folder / "tables-report/report.html").read_text(encoding="utf-8")
    assert "Share of records in groups of five people or more." in page


def test_baskets_from_the_command_line(sfumato, folder):
    labels = ("--labels", "s/purchases.labels.txt")
    sfumato("baskets", "explore", "s/purchases.npz", *labels, *options(BASKETS), "--out", "baskets")
    found = frontier(folder / "baskets")
    tried = json.dumps(found["candidates"])
    assert "first-three" in tried
    assert '"frequent"' in tried
    assert '"mass"' in tried
    sfumato("baskets", "publish", "baskets", "s/purchases.npz", *labels, "--knee", "--compute", "serial", "--out", "baskets-released")  # fmt: skip
    assert (folder / "baskets-released/release.json").is_file()


def test_a_plan_uses_them_all(sfumato, notes, folder):
    (folder / "plan.toml").write_text(
        f"""
title = "Extras"
out = "run"

[text]
corpus = "{notes}"
format = "pipes"
labels = ["NAME"]
learner = "capital"
attackers = ["capital"]
ratios = [10]
folds = 2
choose = {{ ratio = 10 }}
replacement = "stars"

[tables]
table = "s/register.csv"
schema = "s/schema.toml"
evaluations = 200
risk = "lone"
loss = "groups-lost"
strategy = "left-to-right"
compute = "serial"
choose = {{ knee = true }}

[baskets]
matrix = "s/purchases.npz"
labels = "s/purchases.labels.txt"
k = [5]
selector = ["first-three"]
publish_as = ["columns", "frequent"]
utility = "mass"
folds = 2
choose = {{ knee = true }}
""",
        encoding="utf-8",
    )
    sfumato("run", "plan.toml")
    asked = {
        name: frontier(folder / "run/private" / name)["request"]
        for name in ("text", "tables", "baskets")
    }
    assert asked["text"]["learner"] == "capital"
    assert asked["text"]["format"] == "pipes"
    assert asked["tables"]["risk"] == "lone"
    assert asked["tables"]["loss"] == "groups-lost"
    assert asked["tables"]["strategy"] == "left-to-right"
    assert asked["baskets"]["selector"] == ["first-three"]
    assert asked["baskets"]["publish_as"] == ["columns", "frequent"]
    html = (folder / "run/report.html").read_text(encoding="utf-8")
    assert "groups-lost" in html
    assert "Share of records in groups of five people or more." in html
    assert "***NAME***" in next((folder / "run/release/text").glob("*.pipes")).read_text(encoding="utf-8")  # fmt: skip


PYTHON = """
import os
from pathlib import Path
import sfumato as sf
from sfumato.compute import engine
from sfumato.core.engine import ENGINES
from sfumato.data.documents import read_documents, write_documents
from sfumato.desk.registry import open_desk
from sfumato.web.app import Page

def explore(name, **values):
    return ENGINES[name].explore(ENGINES[name].Request.build(values, owner=name))

assert len(list(read_documents("notes.pipes", format="pipes"))) > 1
found = explore("text", corpus="notes.pipes", format="pipes", labels=["NAME"], learner="capital",
                attackers=["capital"], ratios=[10], folds=2)
published = found.publish(found.knee(), "notes.pipes", format="pipes", replacement="stars")
assert any("***NAME***" in document.text for document in published)
found = explore("tables", table="s/register.csv", schema="s/schema.toml", evaluations=200, risk="lone",
                loss="groups-lost", strategy="left-to-right", compute="serial")
assert 0 <= found.knee().shown["crowded"] <= 1
found = explore("baskets", matrix="s/purchases.npz", labels="s/purchases.labels.txt", k=[5], folds=2,
                selector=["first-three"], publish_as=["frequent"], utility="mass")
assert len(found) > 0
assert list(engine("serial").map_batches(len, ["a", "bb"])) == [1, 2]
desk = Page(["tally"]).desk
assert desk.question("cost")["text"] == "Is it raining?"
desk.answer({"label": "NO"})
assert desk.question("cost") == {"kind": "none"}
assert open_desk(Path("s")) is None
"""


def test_python_uses_them_all(call, notes, folder):
    (folder / "tally").mkdir()
    (folder / "tally/lines.txt").write_text("Is it raining?\n", encoding="utf-8")
    call("-c", PYTHON)
    assert (folder / "tally/answers.txt").read_text(encoding="utf-8") == "NO\n"


def test_the_page_opens_the_desk(environment, folder):
    (folder / "served").mkdir()
    (folder / "served/lines.txt").write_text("Is it raining?\n", encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "sfumato", "serve", "served", "--port", "0"],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        assert process.stdout.readline().startswith("http://127.0.0.1:")
    finally:
        process.terminate()
        process.wait(timeout=60)
        process.stdout.close()
