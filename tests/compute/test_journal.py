"""The journal: parts are whole, a killed run resumes, one run at a time, the output appears last."""

import errno
import json
import os
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from sfumato.compute.journal import Journal, fingerprint, part_name
from sfumato.compute.local import Local
from sfumato.core.errors import DataError, LockedError, OutputExistsError, ParameterError, WorkError
from sfumato.core.storage.disk import is_disk_full


class Killed(BaseException):
    """As if the process had died: no clean-up of the journal's own is wanted."""


def abandon(journal):
    """Drop the lock as the kernel does for a dead process."""
    journal._folder.unlock()


def joined(journal):
    return lambda built: built.write_bytes(
        b"".join(journal.path(name).read_bytes() for name in journal.names)
    )


def shout(batch):
    return batch.upper().encode(), {"letters": len(batch)}


def test_a_run_from_start_to_end(tmp_path):
    out = tmp_path / "out"
    with Journal(out, "k") as journal:
        assert stat.S_IMODE((tmp_path / ".out.work").stat().st_mode) == 0o700
        facts = list(journal.run(Local(2), shout, ["a", "bb", "ccc"]))
        assert facts == [{"letters": 1}, {"letters": 2}, {"letters": 3}]
        assert not out.exists()
        journal.finish(joined(journal))
        assert journal.finished
    assert out.read_bytes() == b"ABBCCC"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("lost", [set(), {0}, {2}, {1, 3}, {0, 1, 2, 3, 4}])
@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_missing_is_made_again(tmp_path, lost, threads):
    batches = ["a", "bb", "ccc", "dddd", "eeeee"]
    journal = Journal(tmp_path / "out", "k").__enter__()
    list(journal.run(Local(1), shout, batches))
    for number in lost:  # as if the disk had lost or changed them
        path = journal.path(part_name(number))
        path.write_bytes(b"?") if number % 2 else path.unlink()
    abandon(journal)
    called = []

    def recorded(batch):
        called.append(batch)
        return shout(batch)

    with Journal(tmp_path / "out", "k") as journal:
        facts = list(journal.run(Local(threads), recorded, batches))
        assert [f["letters"] for f in facts] == [1, 2, 3, 4, 5]
        journal.finish(joined(journal))
    assert sorted(called) == sorted(batches[n] for n in lost)
    assert (tmp_path / "out").read_bytes() == b"ABBCCCDDDDEEEEE"


def test_another_key_starts_anew(tmp_path):
    journal = Journal(tmp_path / "out", "k").__enter__()
    journal.write("part", b"old")
    abandon(journal)
    with Journal(tmp_path / "out", "other") as journal:
        assert journal.names == []
        assert not journal.has("part")
        journal.write("part", b"new")
        journal.finish(joined(journal))
    assert (tmp_path / "out").read_bytes() == b"new"
    assert fingerprint(a=1) != fingerprint(a=2)


@pytest.mark.parametrize("torn", [b"{", b'{"part": "x"', b"\xff\n", b"[]\n", b'{"part": "x"}'])
def test_a_torn_line_is_forgotten(tmp_path, torn):
    journal = Journal(tmp_path / "out", "k").__enter__()
    journal.write("part", b"kept", {"n": 1})
    abandon(journal)
    with (tmp_path / ".out.work" / "journal.jsonl").open("ab") as stream:
        stream.write(torn)
    with Journal(tmp_path / "out", "k") as journal:
        assert journal.names == ["part"]
        assert journal.facts("part") == {"n": 1}
        journal.write("second", b"!")
        abandon(journal)
    with Journal(tmp_path / "out", "k") as journal:
        assert journal.names == ["part", "second"]


@pytest.mark.parametrize("exchange", [True, False])
@pytest.mark.parametrize("force", [False, True])
def test_a_kill_at_any_step_of_the_end(tmp_path, monkeypatch, kills, force, exchange):
    """Killed before any call that changes a name: the old or the new output stands, or is brought back."""
    if not exchange:  # as on a file system that knows plain renames only
        monkeypatch.setattr("sfumato.core.storage.work_folder.rename_by", lambda *_: False)
    for step in range(1, 99):
        folder = tmp_path / str(step)
        folder.mkdir()
        out = folder / "out"
        if force:
            out.write_bytes(b"before")
        journal = Journal(out, "k", force=force).__enter__()
        journal.write("part", b"done")
        with kills(step, Killed) as counted, suppress(Killed):
            journal.finish(joined(journal))
        abandon(journal)
        if counted.calls < step:
            break
        if force and exchange:
            assert out.read_bytes() in (b"before", b"done")
        try:
            with Journal(out, "k", force=force) as journal:
                if not journal.finished:
                    journal.write("part", b"done")
                    journal.finish(joined(journal))
        except OutputExistsError:  # nothing was left to resume, and the output is there
            assert not force
        assert out.read_bytes() == b"done"
        assert [p.name for p in folder.iterdir()] == ["out"]
    assert step > 4


@pytest.mark.parametrize("exchange", [True, False])
def test_a_kill_at_any_step_of_the_end_of_a_folder_that_replaces_another(
    tmp_path, monkeypatch, kills, exchange
):
    """The earlier folder is removed in many steps: none of them may bring it back in the new one's place."""
    monkeypatch.setattr("sfumato.core.storage.work_folder.is_ours", lambda _: True)
    if not exchange:
        monkeypatch.setattr("sfumato.core.storage.work_folder.rename_by", lambda *_: False)

    def build(built):
        (built / "release").mkdir(parents=True)
        for name in ("a", "b"):
            (built / "release" / name).write_text("new")

    for step in range(1, 99):
        out = tmp_path / str(step) / "out"
        (out / "release").mkdir(parents=True)
        for name in ("a", "b", "c"):
            (out / "release" / name).write_text("old")
        journal = Journal(out, "k", force=True, folder=True).__enter__()
        with kills(step, Killed) as counted, suppress(Killed):
            journal.finish(build)
        abandon(journal)
        if counted.calls < step:
            break
        with Journal(out, "k", force=True, folder=True) as journal:
            if not journal.finished:
                journal.finish(build)
        assert {p.name: p.read_text() for p in (out / "release").iterdir()} == {
            "a": "new",
            "b": "new",
        }
        assert [p.name for p in out.parent.iterdir()] == ["out"]
    assert step > 8


def test_an_output_that_exists_is_refused(tmp_path):
    (tmp_path / "out").write_bytes(b"mine")
    with pytest.raises(OutputExistsError), Journal(tmp_path / "out", "k"):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    journal = Journal(tmp_path / "out", "k", force=True).__enter__()
    journal.write("part", b"!")
    abandon(journal)
    with pytest.raises(OutputExistsError), Journal(tmp_path / "out", "k"):
        pass  # the parts of the forced run stay for it
    assert (tmp_path / ".out.work").exists()
    with pytest.raises(OutputExistsError), Journal(tmp_path / "out", "other"):
        pass
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out").read_bytes() == b"mine"


def test_two_runs_on_one_output(tmp_path):
    with Journal(tmp_path / "out", "k") as journal:
        with pytest.raises(LockedError, match="Another run"), Journal(tmp_path / "out", "k"):
            pass
        journal.write("part", b"safe")
        assert journal.has("part")


def test_a_dead_process_never_blocks(tmp_path):
    code = (
        "import os, sys\nfrom sfumato.compute.journal import Journal\n"
        "journal = Journal(sys.argv[1], 'k').__enter__()\n"
        "journal.write('part', b'kept')\nprint('ready', flush=True)\nsys.stdin.read()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "out")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
    )  # fmt: skip
    assert child.stdout.readline() == b"ready\n"
    with pytest.raises(LockedError), Journal(tmp_path / "out", "k"):
        pass
    child.kill()
    child.communicate()
    with Journal(tmp_path / "out", "k") as journal:
        assert journal.has("part")


def test_errors_leave_nothing_and_interruptions_leave_the_parts(tmp_path):
    with pytest.raises(DataError), Journal(tmp_path / "out", "k") as journal:
        journal.write("part", b"!")
        raise DataError("bad input")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyboardInterrupt), Journal(tmp_path / "out", "k") as journal:
        journal.write("part", b"!")
        raise KeyboardInterrupt
    with Journal(tmp_path / "out", "k") as journal:
        assert journal.names == ["part"]


def test_a_part_that_fails_is_not_there(tmp_path):
    with Journal(tmp_path / "out", "k") as journal:
        with pytest.raises(LookupError), journal.part("part") as part:
            part.path.mkdir()
            (part.path / "half").write_text("x")
            raise LookupError
        assert not journal.has("part")
        assert list((tmp_path / ".out.work" / "parts").iterdir()) == []
        with journal.part("part") as part:  # a folder is a part as well
            part.path.mkdir()
            (part.path / "whole").write_text("x")
            part.facts["n"] = 1
        assert journal.has("part")
        with pytest.raises(WorkError, match="not finished"):
            journal.path("other")


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", ".hidden", "a\0b", "x" * 300, "é"])
def test_names_of_parts_cannot_leave_the_folder(tmp_path, name):
    with Journal(tmp_path / "out", "k") as journal, pytest.raises(ParameterError, match="name"):
        journal.write(name, b"!")


def test_a_work_folder_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".out.work").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkError, match="is not a folder"), Journal(tmp_path / "out", "k"):
        pass
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("where", ["part", "journal"])
def test_a_full_disk_is_one_sentence_and_resumes(tmp_path, monkeypatch, where):
    real_write, real_open = os.write, Path.open
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write(descriptor, content):
        if where == "journal" and b"second" in content:
            if content.startswith(b"{"):
                return real_write(descriptor, content[:5])
            raise full
        return real_write(descriptor, content)

    def opened(path, *mode, **options):
        if where == "part" and "second" in path.name:
            with real_open(path, *mode, **options) as stream:
                stream.write(b"half")
            raise full
        return real_open(path, *mode, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        patch.setattr(Path, "open", opened)
        with (
            pytest.raises(WorkError, match="disk is full") as caught,
            Journal(tmp_path / "out", "k") as journal,
        ):
            journal.write("first", b"1")
            journal.write("second", b"2")
        assert caught.value.exit_status == 1
        assert "run the same command again" in str(caught.value)
    with Journal(tmp_path / "out", "k") as journal:
        assert journal.names == ["first"]
        journal.write("second", b"2")
        journal.finish(joined(journal))
    assert (tmp_path / "out").read_bytes() == b"12"


def test_a_full_disk_is_seen_through_its_messenger():
    assert is_disk_full(OSError(errno.EDQUOT, "quota"))
    assert is_disk_full(RuntimeError("IO Error: No space left on device"))
    assert not is_disk_full(OSError(errno.EIO, "bad disk"))


def test_the_journal_holds_facts_only(tmp_path):
    with Journal(tmp_path / "out", "k") as journal:
        journal.write("part", b"Perez", {"words": 1})
        lines = (tmp_path / ".out.work" / "journal.jsonl").read_text().splitlines()
        assert [sorted(json.loads(line)) for line in lines] == [
            ["format", "key"], ["facts", "part", "sha256"],
        ]  # fmt: skip
        assert "Perez" not in "".join(lines)


def test_a_part_that_the_disk_lost_is_noticed(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(WorkError, match="not what was written"), Journal(out, "key") as journal:
        journal.write("part-0", b"content")
        assert journal.content("part-0") == b"content"
        journal.path("part-0").write_bytes(b"\0" * 7)
        journal.finish(lambda built: built.write_bytes(journal.content("part-0")))
    assert not out.exists()
