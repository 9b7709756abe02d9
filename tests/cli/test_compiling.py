"""The first use after installing says that it compiles, once; progress has totals and plain words."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

import sfumato as sf
from sfumato.cli import _running
from sfumato.cli._running import NOTICE
from sfumato.data.samples import clinic_notes

AT_ONCE = """
from sfumato.__main__ import main
from sfumato.cli import _running

_running._SOON = 0.0  # a quick machine may compile what this command needs before it would be said
main()
"""


def test_the_command_says_it_once(tmp_path):
    (tmp_path / "rows.txt").write_text("a b\na b c\na b\nc a\n", encoding="utf-8")
    told = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", AT_ONCE, "baskets", "audit", str(tmp_path / "rows.txt")],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        told.append(done.stderr.count(NOTICE))
        assert NOTICE not in done.stdout
    assert told == [1, 0]


@pytest.mark.parametrize(("empty", "soon", "times"), [(True, 0.0, 1), (True, 3600.0, 0), (False, 0.0, 0)])  # fmt: skip
def test_it_is_said_where_nothing_was_compiled_and_work_takes_a_while(
    monkeypatch, empty, soon, times
):
    monkeypatch.setattr(_running, "is_empty", lambda: empty)
    monkeypatch.setattr(_running, "_SOON", soon)
    said, heard = [], threading.Event()

    def tell(text):
        said.append(text)
        heard.set()

    before = threading.active_count()
    with _running._notice(tell):
        if times:
            assert heard.wait(60)
    assert said == [NOTICE] * times
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(60)
    assert threading.active_count() == before  # nobody is left to say it later


@pytest.mark.parametrize("options", [{}, {"mode": "paper"}, {"attackers": ["crf"]}])
def test_exploring_has_a_total_that_is_reached(options):
    steps, totals, notes = [], set(), []

    def progress(done=1, *, total=None, note=""):
        steps.append(done)
        totals.add(total)
        notes.append(note)

    given = {"attackers": (), **options}
    sf.text.explore(
        clinic_notes(24, seed=1), labels=["NAME"], ratios=[10], progress=progress, **given
    )
    assert min(steps) >= 0
    assert totals == {sum(steps)}
    assert notes[0] == "learning from the labelled documents"
    assert notes[-1] == "describing the documents"
    assert not any("L/C" in note or "stack" in note or "crf" in note for note in notes)
