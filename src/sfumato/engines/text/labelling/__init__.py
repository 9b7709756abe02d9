"""Labelling from scratch: which questions to ask, a learner for partial answers, and an estimate of the risk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .desk import TextDesk

__all__ = ["is_project", "open_project"]


def is_project(source: object) -> bool:
    """Return whether what documents are to be read from is the folder of a project."""
    return isinstance(source, str | os.PathLike) and (Path(source) / "project.json").is_file()


def open_project(folder: Path) -> TextDesk | None:
    """Return a labelling project as a desk, or None where the folder holds none."""
    if not is_project(folder):
        return None
    from .desk import TextDesk

    return TextDesk(folder)
