"""`sfumato report` as people call it."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from sfumato.cli.report import report

runner = CliRunner()
app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
app.command()(report)


def test_it_writes_the_page_the_facts_and_the_certificate(tmp_path, copied):
    folder = copied(tmp_path)
    done = runner.invoke(app, [str(folder), "--pdf"])
    assert done.exit_code == 0, done.output
    assert {p.name for p in folder.iterdir() if p.is_file()} == {"facts.json", "report.html", "report.pdf"}  # fmt: skip
    assert json.loads((folder / "facts.json").read_text())["facts"] == 2


def test_several_folders_make_one_report_elsewhere(tmp_path, copied):
    folder = copied(tmp_path / "in")
    done = runner.invoke(
        app,
        [
            str(folder / "text-explored"),
            str(folder / "tables-explored"),
            "--out",
            str(tmp_path / "out"),
            "--json",
        ],
    )
    assert done.exit_code == 0, done.output
    assert set(json.loads(done.output)) == {"facts.json", "report.html"}
    engines = [
        p["engine"] for p in json.loads((tmp_path / "out" / "facts.json").read_text())["parts"]
    ]
    assert engines == ["tables", "text"]
    assert not (folder / "text-explored" / "report.html").exists()


def test_charts_are_written_as_specs_and_pictures(tmp_path, copied):
    folder = copied(tmp_path, "tables")
    done = runner.invoke(app, [str(folder), "--charts", "--static"])
    assert done.exit_code == 0, done.output
    own = folder.with_name(f"{folder.name}.private")
    assert {p.name for p in (folder / "charts").iterdir()} < {
        p.name for p in (own / "charts").iterdir()
    }
    names = {p.name for p in (own / "charts").iterdir()}
    assert {
        "tables-frontier-linear.svg",
        "tables-frontier-logarithmic.png",
        "tables-groups.vl.json",
    } <= names
    spec = json.loads((folder / "charts" / "tables-groups.vl.json").read_text())
    assert spec["datasets"]["rows"]


def test_reporting_again_gives_the_same_bytes(tmp_path, copied):
    folder = copied(tmp_path, "baskets")
    assert runner.invoke(app, [str(folder), "--quiet", "--static"]).output == ""
    before = {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    assert runner.invoke(app, [str(folder), "--quiet", "--static"]).exit_code == 0
    assert {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()} == before


@pytest.mark.parametrize(
    "extra", [["--choose", "baskets"], ["--choose", "baskets=nobody"], ["--choose", "bread=a"]]
)
def test_a_wrong_choice_is_one_sentence_and_writes_nothing(tmp_path, copied, extra):
    folder = copied(tmp_path, "baskets", published=False)
    done = runner.invoke(app, [str(folder), *extra])
    assert done.exit_code == 2
    assert done.stderr.startswith("sfumato: ")
    assert done.stderr.count("\n") == 1
    assert not (folder / "report.html").exists()


def test_an_empty_folder_is_one_sentence(tmp_path):
    done = runner.invoke(app, [str(tmp_path)])
    assert done.exit_code == 2
    assert "Hint" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_output_below_a_missing_folder_is_refused(tmp_path, copied):
    folder = copied(tmp_path, "baskets")
    done = runner.invoke(app, [str(folder), "--out", str(tmp_path / "a" / "b")])
    assert done.exit_code == 2
    assert not (tmp_path / "a").exists()
