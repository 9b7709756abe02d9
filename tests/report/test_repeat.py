"""“How to repeat it”: every printed command, run as printed, gives the same frontier and the same release."""

from __future__ import annotations

import json
import re
import shlex
from html import unescape

import pytest
from typer.testing import CliRunner

from sfumato.cli import build
from sfumato.reports import write_report


def printed(page: str) -> list[str]:
    block = re.search(r'aria-label="Commands"><code>(.*?)</code>', page, re.DOTALL)
    assert block is not None
    return unescape(block[1]).strip().splitlines()


@pytest.mark.parametrize("engine", ["tables", "text", "baskets"])
def test_the_printed_commands_repeat_the_work(
    written, copied, small_samples, tmp_path, monkeypatch, engine
):
    folder = copied(tmp_path / "first", engine)
    page = write_report([folder], out=folder)["private report.html"].read_text(encoding="utf-8")
    again = tmp_path / "again"
    again.mkdir()
    for file in small_samples.iterdir():
        (again / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(again)
    commands = printed(page)
    assert len(commands) >= 3
    for command in commands:
        line = command.partition("&& ")[2] or command
        if "mkdir" in command:
            (again / shlex.split(command)[2]).mkdir()
        words = shlex.split(line)
        assert words[0] == "sfumato"
        done = CliRunner().invoke(build(words[1:2]), words[1:])
        assert done.exit_code == 0, f"{command}\n{done.output}"
    explored = f"{engine}-explored/frontier.json"
    assert (again / explored).read_bytes() == (written / explored).read_bytes()
    before = json.loads((written / f"{engine}-release/release.json").read_text())
    after = json.loads((again / f"{engine}-release/release.json").read_text())
    assert after["candidate"] == before["candidate"]
    assert after["counts"] == before["counts"]
