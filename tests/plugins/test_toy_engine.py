"""A fourth engine, installed as a package of its own: every surface works, and no line of sfumato knows it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SOURCE = ROOT / "src"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Install the package with pip, away from this environment."""
    target = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation",
         "--disable-pip-version-check", "--target", str(target), str(HERE / "toy")],
        check=True,
    )  # fmt: skip
    return target


@pytest.fixture
def sfumato(site, tmp_path):
    """Return a function that runs the command line with the toy engine installed."""
    path = os.pathsep.join([str(SOURCE), str(site)])
    environment = {**os.environ, "PYTHONPATH": path}

    def run(*words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "sfumato", *words],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        return done

    (tmp_path / "a.numbers").write_text("\n".join(str(n) for n in range(1, 200, 3)))
    return run


def test_help_lists_the_engine_and_its_options(sfumato):
    assert "Numbers: round until nobody stands alone." in sfumato("--help").stdout
    told = sfumato("toy", "explore", "--help").stdout
    assert "--steps" in told
    assert "Rounding steps to try." in told
    assert "--signed" in sfumato("toy", "publish", "--help").stdout


def test_explore_choose_publish_report(sfumato, tmp_path):
    sfumato("toy", "explore", "a.numbers", "--steps", "1,5", "--steps", "20", "--out", "explored")
    frontier = json.loads((tmp_path / "explored/frontier.json").read_text())
    assert frontier["request"]["steps"] == [1, 5, 20]
    told = sfumato(
        "toy",
        "publish",
        "explored",
        "a.numbers",
        "--max-risk",
        "0",
        "--signed",
        "--out",
        "released",
    )
    assert "candidate step20" in told.stdout
    assert (tmp_path / "released/numbers.txt").read_text().splitlines()[-1] == "+200"
    sfumato("report", "explored", "released", "--pdf", "--out", "report")
    page = (tmp_path / "report.private/report.html").read_text()
    assert "of the numbers are unique" in page
    assert "Each number belongs to one person." in page
    assert (tmp_path / "report/report.pdf").read_bytes().startswith(b"%PDF")


def test_the_printed_commands_repeat_everything(sfumato, tmp_path):
    sfumato("toy", "explore", "a.numbers", "--steps", "5,20", "--seed", "3", "--out", "explored")
    sfumato(
        "toy",
        "publish",
        "explored",
        "a.numbers",
        "--choose",
        "knee",
        "--signed",
        "--out",
        "released",
    )
    sfumato("report", "explored", "released", "--out", "report")
    page = (tmp_path / "report.private/report.html").read_text()
    block = re.search(r'aria-label="Commands"><code>(.*?)</code>', page, re.DOTALL)
    assert block is not None
    commands = unescape(block[1]).strip().splitlines()
    (tmp_path / "report").rename(tmp_path / "first")
    (tmp_path / "report.private").rename(tmp_path / "first.private")
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "sfumato"
        sfumato(*words[1:])
    for before, after in (("explored", "toy-explored"), ("released", "toy-release")):
        for file in (tmp_path / before).iterdir():
            assert (tmp_path / after / file.name).read_bytes() == file.read_bytes()
    for edition in ("", ".private"):
        page = tmp_path / f"report{edition}" / "report.html"
        assert page.read_bytes() == (tmp_path / f"first{edition}" / "report.html").read_bytes()


def test_a_plan_is_drafted_and_run(sfumato, tmp_path):
    sfumato("run", "--init", "a.numbers", "--out", "plan.toml")
    sfumato("run", "plan.toml")
    assert (tmp_path / "release/release/toy/numbers.txt").exists()
    assert (tmp_path / "release/private/toy/frontier.json").exists()
    assert "How to repeat it" in (tmp_path / "release/report.html").read_text()


def test_a_wrong_plan_is_told_with_all_its_mistakes(sfumato, tmp_path):
    (tmp_path / "plan.toml").write_text(
        '[toy]\nnumbers = "b.numbers"\nstep = [1]\nsteps = []\nseed = -1\n'
    )
    told = sfumato("run", "plan.toml", status=2).stderr
    for mistake in ("toy.step: unknown key", "toy.steps", "toy.seed", "toy.choose"):
        assert mistake in told


def test_publishing_without_a_choice_is_refused(sfumato):
    sfumato("toy", "explore", "a.numbers", "--out", "explored")
    told = sfumato("toy", "publish", "explored", "a.numbers", "--out", "released", status=2).stderr
    assert "exactly one way" in told


def test_python_loads_and_publishes(site, tmp_path):
    (tmp_path / "a.numbers").write_text("\n".join(str(n) for n in range(50)))
    code = (
        "import inspect, sfumato as sf\n"
        "assert 'toy' in dir(sf) and dir(sf.toy) == ['explore', 'load', 'publish']\n"
        "from sfumato import toy\n"
        "assert toy is sf.toy\n"
        "assert str(inspect.signature(toy.explore)) == "
        "'(numbers, *, steps=[1, 5, 10], seed=0, progress=None)'\n"
        "found = toy.explore('a.numbers', steps=[1, 5, 20])\n"
        "found.save('saved')\n"
        "again = sf.load('saved')\n"
        "assert again.record == found.record == toy.load('saved').record\n"
        "assert toy.publish('saved', 'a.numbers', max_risk=0, signed=True, out='out').unique == 0\n"
        "assert '<svg' in found.plot(log=True)._repr_html_()\n"
        "print(again.publish(again.knee(), 'a.numbers')[:3], again)\n"
        "print(toy.publish(again, 'a.numbers', choose=again.knee())[:3], toy.explore.__doc__)\n"
        "toy.explore('a.numbers', stepz=3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), str(site)])},
    )  # fmt: skip
    assert "toy.explore has no parameter 'stepz'. Hint: did you mean" in done.stderr, done.stderr
    assert "toy exploration" in done.stdout
    assert "steps : list of int, default=[1, 5, 10]\n    Rounding steps to try." in done.stdout


BROKEN = {
    "the request of another verb": ("Request = ToyRequest", "Request = ToyPublishRequest"),
    "explore of another request": (
        "def explore(self, request: ToyRequest",
        "def explore(self, request: ToyPublishRequest",
    ),
    "a candidate of the base": ("candidate: ToyCandidate,", "candidate: int,"),
    "a claim in words": ("def claim(self, file: Path) -> float:", "def claim(self, file: Path) -> str:"),
}  # fmt: skip


def test_mypy_checks_a_plug_in(tmp_path):
    source = (HERE / "toy/src/sfumato_toy/__init__.py").read_text(encoding="utf-8")
    (tmp_path / "toy.py").write_text(source, encoding="utf-8")
    for number, (right, wrong) in enumerate(BROKEN.values()):
        assert source.count(right) == 1
        (tmp_path / f"broken{number}.py").write_text(source.replace(right, wrong), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"),
         *sorted(map(str, tmp_path.glob("*.py")))],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "MYPYPATH": str(SOURCE)},
    )  # fmt: skip
    refused = {Path(line.partition(":")[0]).name for line in done.stdout.splitlines() if "error:" in line}  # fmt: skip
    assert refused == {f"broken{number}.py" for number in range(len(BROKEN))}, done.stdout


def test_of_two_engines_the_surer_one_drafts_and_a_tie_is_asked_about(sfumato, site, tmp_path):
    (tmp_path / "a.csv").write_text("age\n" + "\n".join(map(str, range(30))) + "\n")
    sfumato("run", "--init", "a.csv", "--out", "plan.toml")
    assert "[tables]" in (tmp_path / "plan.toml").read_text()
    told = sfumato("run", "--init", "a.csv", "--engine", "toys", "--out", "b.toml", status=2).stderr
    assert "There is no engine 'toys'" in told
    module = site / "sfumato_toy/__init__.py"
    before = module.read_text()
    claim = 'return 1.0 if file.suffix == ".numbers" else 0.0'
    assert claim in before
    try:
        module.write_text(before.replace(claim, "return 0.5"))
        told = sfumato("run", "--init", "a.csv", "--out", "b.toml", status=2).stderr
        assert "2 engines recognise 'a.csv': tables, toy." in told
        assert "--engine" in told
        sfumato("run", "--init", "a.csv", "--engine", "toy", "--out", "b.toml")
        module.write_text(before.replace(claim, "return 0.75"))
        sfumato("run", "--init", "a.csv", "--out", "c.toml")
    finally:
        module.write_text(before)
    for name in ("b.toml", "c.toml"):
        assert "[toy]" in (tmp_path / name).read_text()


def test_an_engine_that_cannot_be_imported_leaves_the_others_alone(sfumato, site):
    module = site / "sfumato_toy/__init__.py"
    before = module.read_text()
    try:
        module.write_text("import no_such_module\n")
        shown = " ".join(sfumato("--help").stdout.split())
        assert "(not usable) The entry point 'toy' of" in shown
        assert "tables" in sfumato("tables", "--help").stdout
        told = sfumato("toy", "explore", "--help", status=2).stderr
        assert "(package sfumato_toy 0.1.0) cannot be imported (ModuleNotFoundError)" in told
    finally:
        module.write_text(before)
