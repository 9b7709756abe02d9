"""The folder beside an output that stays with the steward: `OUT.private`, mode 700."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["PRIVATE", "make_private_folder", "private_of"]

PRIVATE = "private"


def private_of(out: str | os.PathLike[str]) -> Path:
    """Return the private folder of an output.

    >>> private_of("releases/notes").name
    'notes.private'
    """
    out = Path(out)
    return out.with_name(f"{out.name}.{PRIVATE}")


def make_private_folder(out: str | os.PathLike[str]) -> Path:
    """Make the private folder of an output, which only its owner can open."""
    folder = private_of(out)
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    return folder
