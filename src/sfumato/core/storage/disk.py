"""File-system steps that outputs are made of: renames that replace or exchange, modes, and syncs."""

from __future__ import annotations

import ctypes
import errno
import os
import secrets
import shutil
import stat
import sys
from pathlib import Path

__all__ = [
    "EXCHANGE",
    "NOREPLACE",
    "disk_error_text",
    "is_disk_full",
    "make_private",
    "put_in_place",
    "remove",
    "rename_by",
    "set_modes",
    "sync",
    "sync_tree",
]


def is_disk_full(error: BaseException) -> bool:
    """Return whether an error, or one that it comes from, means that no space is left."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            return True
        if "No space left on device" in str(cause):
            return True
        cause = cause.__cause__
    return False


def disk_error_text(error: OSError) -> str:
    """Return one sentence about a file that could not be written; it names no file."""
    if is_disk_full(error):
        return "The disk is full: nothing of this was kept. Free some space and try again."
    return f"{error.strerror or 'A file could not be used'}: nothing of this was kept."


def make_private(path: Path) -> None:
    """Let only the owner read a file, or a folder and all that is in it."""
    set_modes(path, private=True)


def set_modes(made: Path, *, private: bool) -> None:
    """Set the modes of a file, or of a folder and its content, to those of the public or the private side."""
    folder, file = (0o700, 0o600) if private else _usual_modes(made.parent)
    if not made.is_dir():
        os.chmod(made, file)
        return
    for place, _, names in os.walk(made):
        os.chmod(place, folder)
        for name in names:
            os.chmod(os.path.join(place, name), file)


def _usual_modes(beside: Path) -> tuple[int, int]:
    """Return the modes that folders and files get by the user's own umask, without changing it."""
    probe = beside / f"stage-{secrets.token_hex(8)}"
    os.mkdir(probe, 0o777)
    try:
        mode = stat.S_IMODE(probe.stat().st_mode)
    finally:
        os.rmdir(probe)
    return mode & 0o777, mode & 0o666


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder; nothing when it is not there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Make sure that a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(path: Path) -> None:
    """Make sure that a file, or every file of a folder, is on the disk."""
    if path.is_dir():
        for folder, _, files in os.walk(path):
            for file in files:
                sync(Path(folder, file))
            sync(Path(folder))
    else:
        sync(path)


def put_in_place(made: Path, place: Path) -> None:
    """Put a file or folder into a place; an old folder there stays whole until the new one is complete."""
    if place.is_dir() and not place.is_symlink() and not rename_by(made, place, EXCHANGE):
        remove(place)
    if os.path.lexists(made) and not place.is_dir():
        os.replace(made, place)


NOREPLACE, EXCHANGE = 1, 2  # flags of Linux's renameat2


def rename_by(old: Path, new: Path, flag: int) -> bool:
    """Rename with a flag of renameat2; False where the system or the file system has none.

    False as well when the new name is taken and the flag forbids replacing it.
    """
    if not sys.platform.startswith("linux"):
        return False
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is None:
        return False
    folders = [os.open(p.parent, os.O_RDONLY | os.O_DIRECTORY) for p in (old, new)]
    try:
        done = function(
            folders[0], os.fsencode(old.name), folders[1], os.fsencode(new.name),
            ctypes.c_uint(flag),
        )  # fmt: skip
        code = ctypes.get_errno()
    finally:
        for folder in folders:
            os.close(folder)
    if done == 0:
        return True
    if code in {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EEXIST}:
        return False
    raise OSError(code, os.strerror(code), os.fspath(new))
