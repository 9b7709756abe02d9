"""A disk that fills up ends the work in one sentence; after making room the run goes on."""

import os
import subprocess
from pathlib import Path

import pytest

from sfumato.core.errors import WorkError
from sfumato.data.documents import write_documents


@pytest.fixture
def small_disk(tmp_path):
    """Mount a memory file system of a few hundred kilobytes."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small file system: the disk-full fault is not tested")
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this system refuses to mount a small file system: disk-full is not tested")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def resize(place: Path, kilobytes: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", str(place)], check=True)


def test_a_text_publish_on_a_full_disk(small_disk, tmp_path, notes, publish):
    source = tmp_path / "notes.jsonl"
    write_documents(notes, like="jsonl", out=source)
    publish(source, tmp_path / "undisturbed")
    wanted = {p.name: p.read_bytes() for p in (tmp_path / "undisturbed").iterdir()}
    size = sum(map(len, wanted.values())) // 1024
    assert size > 128

    # Too small for the parts; then for the output beside them; then large enough.
    for kilobytes in (size // 2, size + size // 2):
        resize(small_disk, kilobytes)
        with pytest.raises(WorkError, match="disk is full") as caught:
            publish(source, small_disk / "out")
        assert caught.value.exit_status == 1
        assert "run the same command again" in str(caught.value)
        assert [p.name for p in small_disk.iterdir()] == [".out.work"]
        assert not list((small_disk / ".out.work" / "parts").glob(".*"))
        assert list((small_disk / ".out.work" / "parts").iterdir())  # what was done is kept
    resize(small_disk, 4 * size)
    publish(source, small_disk / "out")
    assert {p.name: p.read_bytes() for p in (small_disk / "out").iterdir()} == wanted
    assert sorted(p.name for p in small_disk.iterdir()) == ["out", "out.private"]
