"""The first use after installing says that it compiles, once; progress has totals and plain words."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

import sfumato as sf
from sfumato.cli._compiling import NOTICE, watched
from sfumato.data.samples import clinic_notes


def test_the_command_says_it_once(tmp_path):
    (tmp_path / "rows.txt").write_text("a b\na b c\na b\nc a\n", encoding="utf-8")
    told = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-m", "sfumato", "baskets", "audit", str(tmp_path / "rows.txt")],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        told.append(done.stderr.count(NOTICE))
        assert NOTICE not in done.stdout
    assert told == [1, 0]


def test_compilations_are_counted_and_what_is_compiled_is_not():
    told = []

    @njit
    def half(x):
        return x / 2

    with watched(told.append):
        assert half(3.0) == 1.5
        assert half(5.0) == 2.5  # compiled already
    assert told == [0, 1]
    half(np.float32(1.0))  # nobody listens any more
    assert len(told) == 2


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
