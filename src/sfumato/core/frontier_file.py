"""Where a frontier is stored: frontier.json in the folder that `explore` wrote."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import InputError

__all__ = ["FRONTIER_FILE", "find_frontier"]

FRONTIER_FILE = "frontier.json"


def find_frontier(folder: str | os.PathLike[str]) -> Path:
    """Return the path of a folder's frontier.json; a path that is not such a folder is refused.

    Parameters
    ----------
    folder : path
        The folder that `explore` wrote.

    """
    folder = Path(folder)
    found = folder / FRONTIER_FILE
    if found.is_file():
        return found
    wrong = f"{folder.name!r} is a file, not a folder."
    if folder.is_dir():
        wrong = f"The folder {folder.name!r} holds no {FRONTIER_FILE}."
    elif not folder.exists():
        wrong = f"There is no folder {folder.name!r}."
    raise InputError(wrong, hint="give the folder that `explore` wrote.")
