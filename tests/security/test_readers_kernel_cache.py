"""Compiled kernels are kept where nobody else can write, and a read-only installation works."""

import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato import _kernel_cache

SOURCE = Path(_kernel_cache.__file__).parent.parent


@pytest.fixture
def read_only(monkeypatch, tmp_path):
    """An installation that cannot be written to, and a home of our own."""
    access = os.access
    package = Path(_kernel_cache.__file__).parent
    monkeypatch.setattr(os, "access", lambda p, m: Path(p) != package and access(p, m))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_m13_a_writable_installation_keeps_its_own(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    _kernel_cache.settle()
    assert "NUMBA_CACHE_DIR" not in os.environ


def test_m13_the_users_cache_is_private(read_only, tmp_path):
    _kernel_cache.settle()
    folder = Path(os.environ["NUMBA_CACHE_DIR"])
    assert folder == tmp_path / "cache" / "sfumato" / "kernels"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("place", ["given", "home"])
def test_m13_a_folder_that_others_can_write_to_is_not_used(place, read_only, tmp_path, monkeypatch):
    folder = tmp_path / "shared" if place == "given" else tmp_path / "cache" / "sfumato" / "kernels"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    if place == "given":
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    _kernel_cache.settle()
    used = Path(os.environ["NUMBA_CACHE_DIR"])
    assert used not in (folder, *folder.parents)
    assert stat.S_IMODE(used.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"", b"cut", b"\x80\x05cno_such_module\nGone\n."])
def test_a_kernel_that_cannot_be_read_is_compiled_again(content, tmp_path):
    """An upgrade leaves kernels of classes that are gone; a machine that went down leaves half a file."""
    import numba
    from numba.core import caching

    import sfumato._jit  # noqa: F401 (it says how kernels are read)

    kept = caching.IndexDataCacheFile(str(tmp_path), "kernel", "stamp")
    for written in (pickle.dumps(numba.__version__) + content, content):
        (tmp_path / "kernel.nbi").write_bytes(written)
        assert kept.load("key") is None
    kept.save("key", "compiled")
    assert kept.load("key") == "compiled"
    (data,) = tmp_path.glob("*.nbc")
    data.write_bytes(content)
    assert kept.load("key") is None


def test_m13_an_installation_without_any_writable_folder_works(tmp_path):
    """No right to write beside the modules, and no home: kernels are compiled for the process."""
    kernel = "from numba import njit\n@njit('i8(i8)', cache=True)\ndef more(x):\n    return x + 1\n"
    (tmp_path / "kernel.py").write_text(kernel)
    program = (
        "import os\n"
        "access = os.access\n"
        "os.access = lambda p, m: os.path.basename(p) != 'sfumato' and access(p, m)\n"
        "import sfumato\n"
        "from kernel import more\n"
        "folder = os.environ['NUMBA_CACHE_DIR']\n"
        "print(more(3), folder, oct(os.stat(folder).st_mode & 0o777))\n"
    )
    environment = {
        "HOME": "/proc/none",
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{SOURCE}:{tmp_path}",
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    size, folder, mode = done.stdout.split()
    assert (size, mode) == ("4", "0o700")
    assert not Path(folder).exists()
