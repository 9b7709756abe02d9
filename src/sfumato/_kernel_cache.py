"""The folder of compiled kernels: nobody else can write to it, because its content is unpickled.

numba keeps them next to the modules where it may write, and fails where it may write nowhere. So before any
kernel is imported its folder is settled here: next to the modules, in the user's own cache, or for this
process alone in a temporary folder.
"""

from __future__ import annotations

import os
import stat

__all__ = ["is_empty", "settle", "user_folder"]

_NAME = "NUMBA_CACHE_DIR"


def settle() -> None:
    """Set `NUMBA_CACHE_DIR` where numba would find no folder, or one that others can write to."""
    given = os.environ.get(_NAME)
    if given:
        if _is_private(given):
            return
    elif os.access(os.path.dirname(os.path.abspath(__file__)), os.W_OK):
        return
    else:
        own = user_folder("kernels")
        if own is not None:
            os.environ[_NAME] = own
            return
    os.environ[_NAME] = _temporary()


def user_folder(name: str) -> str | None:
    """Return a folder of the user's own cache, made where it is missing; None where others can write to it."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    own = os.path.join(home, "sfumato", name)
    return own if os.path.isabs(own) and _is_private(own) else None


def is_empty() -> bool:
    """Return whether no kernel has been compiled for this machine yet."""
    from pathlib import Path

    folder = os.environ.get(_NAME) or Path(__file__).parent
    return next(Path(folder).rglob("*.nbi"), None) is None


def _is_private(folder: str) -> bool:
    """Return whether a folder, made where it is missing, is ours and closed to other writers."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.stat(folder)
    except OSError:
        return False
    closed = not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return closed and found.st_uid == os.geteuid() and os.access(folder, os.W_OK)


def _temporary() -> str:
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="sfumato-kernels-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
