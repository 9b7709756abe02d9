"""One of each kind, installed as a package of its own: command line, plan and Python know it, sfumato does not."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
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
def folder(tmp_path_factory):
    """Return where the commands run."""
    return tmp_path_factory.mktemp("extras")


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


GUIDE = (HERE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def printed(sfumato, folder, small_samples):
    """Return a function that runs a block of CONTRIBUTING.md as it is printed, once."""
    sample = gzip.compress((small_samples / "learn.jsonl").read_bytes())
    done = set()

    def run(word: str) -> None:
        (block,) = [b for b in BLOCKS if word in b]
        for line in block.strip().splitlines():
            if line not in done:
                words = shlex.split(line)
                assert words[0] == "sfumato"
                sfumato(*words[1:])
                done.add(line)

    assert BLOCKS[0].splitlines() == ["pip install ./tests/plugins/extras", "sfumato samples s"]
    shutil.copytree(small_samples, folder / "s")  # what `sfumato samples s` writes, only smaller
    (folder / "s" / "notes.jsonl.gz").write_bytes(sample)
    return run


@pytest.fixture(scope="module")
def notes(printed, folder):
    """Return labelled documents in the package's own format, written by `convert`."""
    printed("text convert")
    assert (folder / "notes.pipes").read_text(encoding="utf-8").count("|") >= 2
    return "notes.pipes"


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


def test_the_table_of_kinds_is_true():
    declared = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))
    points = declared["project"]["entry-points"]
    listed = re.findall(r"`(sfumato\.[a-z.]+)`, `([a-z-]+) = \"([\w.:]+)\"`", GUIDE)
    assert {(g, n, t) for g, entries in points.items() for n, t in entries.items()} == set(listed)
    for name, path, lines in re.findall(r"\[(\w+\.py)\]\((tests/[\w/.]+)\) \| (\d+) ", GUIDE):
        file = HERE.parents[1] / path
        assert file.name == name
        assert len(file.read_text(encoding="utf-8").splitlines()) == int(lines), name
    for room, registry in re.findall(r"\| `([\w/]+/)`, `([\w/.]+\.py)` \|", GUIDE):
        inside = SOURCE / "sfumato"
        assert (inside / room).is_dir()
        assert (inside / registry).is_file() or (inside / room / registry).is_file(), registry


def test_text_from_the_command_line(notes, folder):
    found = frontier(folder / "text")
    assert found["request"]["learner"] == "capital"
    assert "capital" in json.dumps(found["candidates"])
    (written,) = (folder / "text-released").glob("*.pipes")
    assert "***NAME***" in written.read_text(encoding="utf-8")
    assert "capital" in (folder / "text-report.private/report.html").read_text(encoding="utf-8")


def test_tables_from_the_command_line(printed, folder):
    printed("tables explore")
    found = frontier(folder / "tables")
    request = found["request"]
    assert all(0 <= candidate["shown"]["crowded"] <= 1 for candidate in found["candidates"])
    assert (request["risk"], request["loss"], request["strategy"]) == ("lone", "groups-lost", "left-to-right")  # fmt: skip
    figures = json.loads(
        (folder / "tables-released.private/figures.json").read_text(encoding="utf-8")
    )
    promised = {c["id"]: c for c in found["candidates"]}[figures["candidate"]]["shown"]["crowded"]
    assert figures["measured"]["shown"]["crowded"] == pytest.approx(promised, abs=1e-12)
    page = (folder / "tables-report.private/report.html").read_text(encoding="utf-8")
    assert "Share of records in groups of five people or more." in page


def test_baskets_from_the_command_line(printed, folder):
    printed("baskets explore")
    tried = json.dumps(frontier(folder / "baskets")["candidates"])
    assert "first-three" in tried
    assert '"frequent"' in tried
    assert '"mass"' in tried
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
    html = (folder / "run/private/report.html").read_text(encoding="utf-8")
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
from sfumato.web.app import PageState

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
desk = PageState(["tally"]).desk
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
