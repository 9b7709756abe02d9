"""What every command shares: flags, exit statuses, one sentence on stderr, no traceback."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
import warnings

import pytest
import typer
from typer.testing import CliRunner

from sfumato import __version__
from sfumato.cli import app, build
from sfumato.cli._help import program_name, root_help
from sfumato.cli._running import running
from sfumato.core import DataError, PrivacyWarning, WorkError
from sfumato.core.engine import ENGINES

runner = CliRunner()


def commands(group, path=()):
    for name, command in getattr(group, "commands", {}).items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


ALL = list(commands(typer.main.get_command(app)))


def test_the_contract_is_there():
    found = {" ".join(path) for path, _ in ALL}
    assert found >= {
        "demo", "samples", "inspect", "report", "run",
        "text explore", "text publish", "text attack", "text study",
        "tables schema", "tables explore", "tables publish", "tables study",
        "baskets explore", "baskets publish", "baskets study",
    }  # fmt: skip


@pytest.mark.parametrize(("path", "command"), ALL, ids=[" ".join(p) for p, _ in ALL])
def test_every_command_has_the_shared_flags(path, command):
    options = {option for parameter in command.params for option in parameter.opts}
    assert {"--quiet", "--json"} <= options
    assert command.help


def test_what_the_help_says_of_a_group_is_what_the_engine_says():
    shown = runner.invoke(build([""]), ["--help"]).stdout
    assert shown == runner.invoke(app, ["--help"]).stdout
    for name, engine in ENGINES.items():
        assert name in shown
        assert " ".join(engine.summary.split()[:3]) in " ".join(shown.split())


@pytest.mark.parametrize(("path", "_command"), ALL, ids=[" ".join(p) for p, _ in ALL])
def test_the_script_shows_of_a_command_what_all_commands_together_show(path, _command):
    for words in (path, path[:1]):
        shown = runner.invoke(build([*words, ""]), [*words, "--help"])
        assert shown.exit_code == 0
        assert shown.stdout == runner.invoke(app, [*words, "--help"]).stdout


def imported_by(*words):
    """Return the modules that a command line imports."""
    code = (
        "import sys; sys.argv[1:] = sys.argv[1:]\n"
        "from sfumato.__main__ import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
    )
    return done.stdout, set(done.stderr.split())


HEAVY = {"numpy", "scipy", "numba", "pyarrow", "duckdb", "rich", "jinja2", "sklearn"}


def test_the_roots_help_imports_neither_typer_nor_pydantic():
    shown, modules = imported_by("--help")
    assert "Publish data safely" in shown
    light = {"typer", "click", "pydantic", "importlib.metadata", "sfumato.core.request"}
    assert not (light | HEAVY) & modules


@pytest.fixture
def by_typer(capsys, monkeypatch):
    """Return a function that returns typer's help; `CliRunner` would set the width to 80."""

    def show(columns, program=None):
        monkeypatch.setenv("COLUMNS", str(columns))
        with pytest.raises(SystemExit) as left:
            build([""])(["--help"], prog_name=program)
        assert left.value.code == 0
        return capsys.readouterr().out

    return show


@pytest.mark.parametrize("program", ["sfumato", "python -m sfumato", "sfumato-" + 5 * "0123456789"])
@pytest.mark.parametrize("columns", [20, 52, 61, 79, 80, 81, 200])
def test_the_roots_help_is_what_typer_prints(program, columns, by_typer):
    shown = by_typer(columns, program)
    assert root_help(program) + "\n" == shown
    assert root_help(program, columns) + "\n" == shown


SUMMARIES = {
    "z": "One sentence. Another one.",
    "broken": "(not usable) The entry point 'broken' of sfumato.engines cannot be imported. Hint: none.",
    "an-engine-with-a-name-of-more-than-thirty-letters": "Rows of something, of which much is to be said.",
    "paragraphs": "A line\n  that goes on\n\nand a paragraph that is not shown.",
    "exact": 20 * "x" + " " + 20 * "y" + " and more",
    "long": 90 * "word",
}  # fmt: skip


@pytest.mark.parametrize("columns", [52, 66, 80])
@pytest.mark.parametrize("name", SUMMARIES)
def test_an_engine_of_another_package_is_listed_as_typer_lists_it(
    name, columns, monkeypatch, by_typer
):
    def summaries():
        return {"text": ENGINES["text"].summary, name: SUMMARIES[name]}

    monkeypatch.setattr("sfumato.cli._help.engine_summaries", summaries)
    monkeypatch.setattr("sfumato.cli._app.engine_summaries", summaries)
    shown = by_typer(columns, "sfumato")
    assert f"\n  {name}" in shown
    assert root_help("sfumato") + "\n" == shown


@pytest.mark.parametrize(
    ("script", "package"),
    [("/usr/bin/sfumato", None), ("/x/sfumato/__main__.py", "sfumato"), ("/x/tool.py", ""),
     ("/x/other/tool.py", "other")],
)  # fmt: skip
def test_the_roots_help_names_the_program_as_typer_does(script, package, monkeypatch, by_typer):
    monkeypatch.setattr(sys, "argv", [script, "--help"])
    monkeypatch.setattr(sys.modules["__main__"], "__package__", package, raising=False)
    assert by_typer(80) == root_help(program_name()) + "\n"


def test_without_words_the_help_goes_to_stderr_and_the_call_is_wrong():
    done = subprocess.run(
        [sys.executable, "-m", "sfumato"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "80"},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == root_help("python -m sfumato", 80) + "\n"


def test_the_version_is_answered_at_once():
    shown, modules = imported_by("--version")
    assert shown == f"sfumato {__version__}\n"
    assert not {"typer", "typing", "pathlib", "sfumato.cli"} & modules


@pytest.mark.parametrize("engine", ["text", "tables", "baskets"])
@pytest.mark.parametrize("verb", [(), ("explore",), ("publish",)])
def test_the_help_of_a_command_imports_requests_and_no_records(engine, verb):
    _, modules = imported_by(engine, *verb, "--help")
    assert f"sfumato.engines.{engine}.request" in modules
    own = {name for name in modules if name.endswith((".records", ".exploration", "_records"))}
    assert not (own | HEAVY) & modules
    others = {"text", "tables", "baskets"} - {engine}
    assert not {f"sfumato.engines.{other}" for other in others} & modules


def test_version_and_usage():
    assert runner.invoke(app, ["--version"]).stdout == f"sfumato {__version__}\n"
    assert runner.invoke(app, ["nonsense"]).exit_code == 2
    assert runner.invoke(app, ["text", "publish"]).exit_code == 2


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (
            DataError("The file is empty.", hint="add rows."),
            2,
            "The file is empty. Hint: add rows.",
        ),
        (WorkError("It failed."), 1, "It failed."),
        (FileNotFoundError(2, "No such file or directory", "/a/b/notes.txt"), 2, "notes.txt"),
        (OSError(28, "No space left on device"), 1, "No space left"),
        (MemoryError(), 1, "out of memory"),
        (KeyError("Quetzal"), 1, "internal error (KeyError)"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_errors_become_a_sentence_and_a_status(error, status, told, capsys):
    with pytest.raises(typer.Exit) as left, running():
        raise error
    assert left.value.exit_code == status
    said = capsys.readouterr().err
    assert told in said
    assert "Traceback" not in said
    assert "Quetzal" not in said
    assert "/a/b" not in said


def test_a_warning_is_one_line(capsys):
    with running():
        warnings.warn("Two releases compose.", PrivacyWarning, stacklevel=1)
    assert capsys.readouterr().err == "sfumato: warning: Two releases compose.\n"


def test_debug_shows_the_error_itself():
    with pytest.raises(DataError), running(debug=True):
        raise DataError("The file is empty.")


def test_samples_are_written_once(tmp_path):
    done = runner.invoke(app, ["samples", str(tmp_path / "s"), "--json"])
    assert done.exit_code == 0
    assert "notes.jsonl.gz" in json.loads(done.stdout)["written"]
    again = runner.invoke(app, ["samples", str(tmp_path / "s")])
    assert again.exit_code == 2
    assert "--force" in again.stderr


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (["run", "none.toml"], "no file"),
        (["run", "a.toml", "b.toml"], "One plan"),
        (["report", "nowhere"], "no folder"),
        (["text", "publish", "nowhere", "x", "--out", "y"], "no folder"),
        (["tables", "publish", "nowhere", "x", "--choose", "a", "--out", "y"], "nowhere|no file|no folder"),
        (["baskets", "publish", "nowhere", "x", "--choose", "a", "--out", "y"], "nowhere|no file|no folder"),
    ],
)  # fmt: skip
def test_bad_calls(call, told, tmp_path, monkeypatch):
    import re

    monkeypatch.chdir(tmp_path)
    done = runner.invoke(app, call)
    assert done.exit_code == 2, done.output
    assert re.search(told, done.stderr), done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_says_what_is_kept(capsys):
    with pytest.raises(typer.Exit) as stopped, running():
        raise KeyboardInterrupt
    assert stopped.value.exit_code == 130
    said = capsys.readouterr().err
    assert "Interrupted; no output was written" in said
    assert "the same command resumes" in said


@pytest.mark.parametrize("fails", [True, False], ids=["and fails", "and goes on"])
def test_an_interrupt_that_compiled_code_drops_stops_the_command(fails, capsys):
    @ctypes.CFUNCTYPE(None)
    def callback():
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as stopped, running():
        callback()  # ctypes prints the exception of a callback and goes on
        if fails:
            raise RuntimeError("the callback gave nothing back")
        end = time.monotonic() + 20
        while time.monotonic() < end:
            time.sleep(0.01)
    assert stopped.value.exit_code == 130
    said = capsys.readouterr().err
    assert said.startswith("sfumato: Interrupted; no output was written")


def test_an_interrupt_that_a_library_raises_as_an_error_of_its_own_is_one(capsys):
    with pytest.raises(typer.Exit) as stopped, running():
        try:
            signal.raise_signal(signal.SIGINT)
            time.sleep(20)
        except KeyboardInterrupt:
            raise RuntimeError("the query was interrupted") from None
    assert stopped.value.exit_code == 130
    assert "Interrupted; no output was written" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
