"""`OUT.private/`: the steward's private files of a release, mode 700, its files mode 600."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from .staging import whole_file

__all__ = ["make_private_folder", "private_folder_of", "private_folders_near", "write_private"]

_MOST_BYTES = 200  # of a name; most disks allow 255, some of which are added to it


def private_folder_of(out: str | os.PathLike[str]) -> Path:
    """Return the folder of what belongs to a release and must not be published with it.

    >>> private_folder_of("releases/notes").name
    'notes.private'
    """
    out = Path(out)
    return out.with_name(f"{_short(out.name)}.private")


def private_folders_near(path: str | os.PathLike[str]) -> list[Path]:
    """Return where the private side of a published file may be: next to it, next to its folder, or in its run.

    >>> [folder.name for folder in private_folders_near("/releases/notes/notes.csv")]
    ['notes.csv.private', 'notes.private']
    >>> private_folders_near("/run/release/text")[-1].as_posix()
    '/run/private/text'
    """
    path = Path(path).absolute()
    own = [p for p in (path, path.parent) if p.name]
    in_run = [p.parents[1] / "private" / p.name for p in own if p.parent.name == "release"]
    return [*map(private_folder_of, own), *in_run]


def _short(name: str) -> str:
    """Return a name that leaves room for a suffix and for the work folder of a file inside."""
    if len(os.fsencode(name)) <= _MOST_BYTES:
        return name
    return f"{name[:40]}~{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"


def make_private_folder(out: str | os.PathLike[str]) -> Path:
    """Make the private folder of a release, which only its owner can open."""
    folder = private_folder_of(out)
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    return folder


def write_private(out: str | os.PathLike[str], name: str, content: bytes) -> Path:
    """Write a file of the private folder of a release, whole; an older one is replaced.

    Parameters
    ----------
    out : path
        The file or folder of the release.
    name : str
        The name of the file in the private folder.
    content : bytes
        Its content.

    """
    folder = make_private_folder(out)
    with whole_file(folder / name, force=True) as beside:
        beside.write_bytes(content)
    return folder / name
