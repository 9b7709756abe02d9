"""What killed runs leave in the temporary folder, and what a message says of a name that is too long."""

import os
import re
import signal
import subprocess
import sys

import pytest
from tests.conftest import sfumato
from typer.testing import CliRunner

from sfumato.cli import build

HOLD = (
    "import pathlib, sys, time\n"
    "from sfumato.data.table_source import TableSource\n"
    "opened = TableSource.open(sys.argv[1])\n"
    "print(opened.database.folder, flush=True)\n"
    "time.sleep(600)\n"
)


def held(path, place):
    """Start a process that has a table open; return it and its private folder."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(place)}
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True, env=env
    )
    return process, process.stdout.readline().strip()


def end(process, how):
    process.send_signal(how)
    process.wait(timeout=30)
    process.stdout.close()


def test_l7_the_next_run_removes_what_killed_ones_left_and_nothing_else(tmp_path):
    """A folder of a process that lives, of another name, and one that is a link stay."""
    place = tmp_path / "tmp"
    place.mkdir()
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    stranger = place / "sfumato-notes"
    stranger.mkdir()
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years of work")
    living, alive = held(tmp_path / "t.csv", place)
    killed, left = held(tmp_path / "t.csv", place)
    try:
        (place / "sfumato-rows-link").symlink_to(precious)
        assert os.path.islink(os.path.join(left, "input-0"))
        end(killed, signal.SIGKILL)
        assert os.path.isdir(left)
        last, _ = held(tmp_path / "t.csv", place)
        end(last, signal.SIGKILL)
        assert not os.path.exists(left)
        assert os.path.islink(os.path.join(alive, "input-0"))
        assert stranger.is_dir()
        assert (precious / "thesis.txt").read_text() == "years of work"
    finally:
        end(living, signal.SIGTERM)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(place)}
    words = ["tables", "schema", tmp_path / "t.csv", "--out", tmp_path / "t.toml"]
    subprocess.run([sys.executable, "-m", "sfumato", *map(str, words)], env=env, check=True,
                   capture_output=True)  # fmt: skip
    assert sorted(p.name for p in place.iterdir()) == ["sfumato-notes", "sfumato-rows-link"]


@pytest.mark.parametrize("length", [235, 250, 255, 300])
@pytest.mark.parametrize("engine", ["tables", "text", "baskets"])
def test_l8_a_name_that_is_too_long_is_not_repeated(written, tmp_path, engine, length):
    name = "canary" + "x" * (length - 6)
    data = {"tables": "register.csv", "text": "bare.jsonl", "baskets": "purchases.npz"}[engine]
    more = ["--ratio", "10"] if engine == "text" else ["--knee"]
    words = [engine, "publish", written / f"{engine}-explored", written / data, *more]
    done = CliRunner().invoke(build([engine]), [*map(str, words), "--out", str(tmp_path / name)])
    assert done.exit_code == 2
    assert re.search(r"The name of (the output|a file or folder) is too long", done.output)
    assert "canary" not in done.output
    assert list(tmp_path.iterdir()) == []


def test_l8_a_name_as_long_as_is_allowed_works(written, tmp_path):
    out = tmp_path / ("x" * (255 - 6 - 17))
    sfumato("text", "publish", written / "text-explored", written / "bare.jsonl", "--ratio", 10, "--out", out)  # fmt: skip
    assert (out / "release.json").is_file()
