"""Outputs: locked, whole, private where they must be, and never over what is not ours."""

import contextlib
import json
import os
import stat
import subprocess
import sys

import pytest

from sfumato.core.errors import InputError, LockedError, OutputExistsError, WorkError
from sfumato.core.storage.staging import check_output, whole_directory, whole_file, whole_files

FRONTIER = json.dumps({"engine": "tables", "candidates": []})


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def make(out, text=FRONTIER, **options):
    with whole_directory(out, **options) as folder:
        (folder / "frontier.json").write_text(text)


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def test_m1_two_runs_on_one_output(tmp_path):
    """The second of two writers is refused while the first one works, whichever way they write."""
    for first in (whole_directory, whole_file, whole_files):
        for second in (whole_directory, whole_file, whole_files):
            with first(tmp_path / "out") as made:
                with pytest.raises(LockedError, match="Another run"), second(tmp_path / "out"):
                    pass
                if first is whole_file:
                    made.write_text("x")
            for left in tmp_path.iterdir():
                os.rmdir(left) if left.is_dir() else left.unlink()


def test_m1_a_run_that_was_stopped_does_not_replace_what_another_finished(tmp_path):
    """What appeared while a run was on its way is not replaced without force."""
    with pytest.raises(OutputExistsError), whole_directory(tmp_path / "out") as folder:
        (folder / "frontier.json").write_text("late")
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "mine").write_text("x")
    assert names(tmp_path / "out") == ["mine"]
    assert names(tmp_path) == ["out"]


def test_m3_the_private_side_is_the_owners_alone(tmp_path):
    before = os.umask(0o022)
    try:
        with whole_directory(tmp_path / "explored") as folder:
            assert mode(folder.parent) == 0o700
            assert mode(tmp_path / ".explored.work") == 0o700
            (folder / "model").mkdir()
            (folder / "model" / "arrays.bin").write_bytes(b"x")
            (folder / "frontier.json").write_text(FRONTIER)
        with whole_directory(tmp_path / "release", private=False) as folder:
            assert mode(tmp_path / ".release.work") == 0o700
            (folder / "data.csv").write_text("x")
        with whole_file(tmp_path / "mapping.csv") as path:
            path.write_text("x")
    finally:
        os.umask(before)
    for path in [tmp_path / "explored", *(tmp_path / "explored").rglob("*")]:
        assert mode(path) == (0o700 if path.is_dir() else 0o600), path
    assert mode(tmp_path / "mapping.csv") == 0o600
    assert (mode(tmp_path / "release"), mode(tmp_path / "release/data.csv")) == (0o755, 0o644)


def test_m7_an_output_over_an_input_is_refused_always(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "register.csv").write_text("a\n1\n")
    (tmp_path / "link").symlink_to(data)
    os.link(data / "register.csv", tmp_path / "twin.csv")
    cases = [
        (data / "register.csv", data / "register.csv", "is an input"),
        (data / ".." / "data" / "register.csv", data / "register.csv", "is an input"),
        (tmp_path / "link" / "register.csv", data / "register.csv", "is an input"),
        (tmp_path / "twin.csv", data / "register.csv", "is an input"),
        (data, data / "register.csv", "holds an input"),
        (tmp_path / "link", data / "register.csv", "holds an input"),
        (tmp_path, data / "register.csv", "holds an input"),
        (data / "new", data, "inside a folder that is read"),
    ]
    for out, given, said in cases:
        for force in (False, True):
            with pytest.raises(InputError, match=said):
                check_output(out, force=force, inputs=[given])
    assert names(data) == ["register.csv"]
    assert (data / "register.csv").read_text() == "a\n1\n"


def test_m7_force_replaces_only_what_sfumato_wrote(tmp_path):
    make(tmp_path / "ours")
    make(tmp_path / "ours", force=True)
    (tmp_path / "ours" / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputExistsError, match="did not write"):
        make(tmp_path / "ours", force=True)
    assert (tmp_path / "ours" / "thesis.tex").read_text() == "years of work"
    for content in ("{}", "[]", "no JSON", json.dumps({"engine": "x"})):
        other = tmp_path / "other"
        other.mkdir(exist_ok=True)
        (other / "frontier.json").write_text(content)
        with pytest.raises(OutputExistsError, match="did not write"):
            make(other, force=True)
        assert (other / "frontier.json").read_text() == content
    (tmp_path / "empty").mkdir()
    make(tmp_path / "empty", force=True)


def test_m8_a_planted_link_is_not_followed(tmp_path):
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    (tmp_path / ".m.csv.work").symlink_to(tmp_path)
    with pytest.raises(WorkError, match="is not a folder"), whole_file(tmp_path / "m.csv") as path:
        path.write_text("x")
    (tmp_path / ".m.csv.work").unlink()
    (tmp_path / "m.csv").symlink_to(victim)
    with pytest.raises(OutputExistsError), whole_file(tmp_path / "m.csv"):
        pass
    with pytest.raises(InputError, match="is a link"), whole_file(tmp_path / "m.csv", force=True):
        pass
    assert victim.read_text() == "mine"
    # Names of stages are drawn at random, inside a folder that only its owner can enter.
    (tmp_path / "m.csv").unlink()
    seen = set()
    for _ in range(3):
        with whole_file(tmp_path / "m.csv", force=True) as path:
            seen.add(path.parent.name)
            path.write_text("x")
    assert len(seen) == 3


def test_m8_a_work_folder_of_somebody_else_is_refused(tmp_path, monkeypatch):
    (tmp_path / ".out.work").mkdir(mode=0o777)
    with whole_file(tmp_path / "out") as path:  # ours, but open to all: closed before it is used
        assert mode(tmp_path / ".out.work") == 0o700
        path.write_text("x")
    (tmp_path / ".other.work").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: 4_000_000)
    with pytest.raises(WorkError, match="another user"), whole_file(tmp_path / "other"):
        pass


class Killed(BaseException):
    """As if the process had died."""


@pytest.mark.parametrize("exchange", [True, False])
@pytest.mark.parametrize("force", [False, True])
def test_l1_a_folder_killed_at_any_step(tmp_path, kills, monkeypatch, force, exchange):
    """After a kill the old folder stands or the new one does, at the latest after the next run."""
    from sfumato.core.storage.work_folder import WorkFolder

    if not exchange:
        monkeypatch.setattr("sfumato.core.storage.work_folder.rename_by", lambda *_: False)
    for step in range(1, 99):
        place = tmp_path / str(step)
        place.mkdir()
        if force:
            make(place / "out", json.dumps({"engine": "old", "candidates": []}))
        with monkeypatch.context() as patch:
            patch.setattr(WorkFolder, "__exit__", lambda self, *_: self.unlock())
            with kills(step, Killed) as counted, contextlib.suppress(Killed):
                make(place / "out", force=force)
        if counted.calls < step:
            break
        if force and exchange:
            assert (place / "out" / "frontier.json").is_file()
        with contextlib.suppress(OutputExistsError):
            check_output(place / "out")
        assert (place / "out" / "frontier.json").is_file() or not force
        assert names(place) in (["out"], []), step
        make(place / "out", force=True)
        assert names(place) == ["out"]
        assert "tables" in (place / "out" / "frontier.json").read_text()
    assert step > 4


@pytest.mark.parametrize("out", [".", "..", "", "/"])
def test_l2_the_folder_one_is_in(tmp_path, monkeypatch, out):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for force in (False, True):
        with pytest.raises(InputError), whole_directory(out, force=force):
            pass
    assert names(tmp_path) == ["here"]


def test_l2_an_output_that_is_a_link_to_a_folder(tmp_path):
    make(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(InputError, match="is a link"):
        make(tmp_path / "link", force=True)
    assert names(tmp_path) == ["link", "real"]
    assert (tmp_path / "link").is_symlink()


def test_l10_a_lock_is_the_kernels_not_a_number_of_a_process(tmp_path):
    """A folder of a live run is left alone, whatever its process is called here; a dead one never blocks."""
    code = (
        "import sys\nfrom sfumato.core.storage.staging import whole_file\n"
        "with whole_file(sys.argv[1]) as path:\n"
        "    path.write_text('x')\n    print('ready', flush=True)\n    sys.stdin.read()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "out")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
    )  # fmt: skip
    assert child.stdout.readline() == b"ready\n"
    with pytest.raises(LockedError), whole_file(tmp_path / "out"):
        pass
    assert names(tmp_path) == [".out.work"]
    child.kill()
    child.communicate()
    with whole_file(tmp_path / "out") as path:
        path.write_text("done")
    assert names(tmp_path) == ["out"]


def test_a_full_disk_is_told_as_such(tmp_path):
    for way in (whole_directory, whole_file, whole_files):
        with pytest.raises(WorkError, match="disk is full") as caught, way(tmp_path / "out"):
            raise OSError(28, "No space left on device")
        assert caught.value.exit_status == 1
    assert names(tmp_path) == []


def test_m7_a_study_does_not_delete_a_folder_of_somebody_else(tmp_path):
    from sfumato.laboratory.text.study import _prepare

    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputExistsError, match="did not write"):
        _prepare(tmp_path / "thesis", {"corpus": "mark"}, force=True)
    assert names(tmp_path / "thesis") == ["thesis.tex"]
    for mark in ("one", "two"):  # an earlier study is replaced
        _prepare(tmp_path / "study", {"corpus": mark}, force=True)
    assert "two" in (tmp_path / "study" / "study.lock.json").read_text()
