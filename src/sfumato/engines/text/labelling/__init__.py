"""Labelling from nothing: questions worth asking, a learner for half answers, and the risk they tell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .desk import TextDesk

__all__ = ["open_project"]


def open_project(folder: Path) -> TextDesk | None:
    """Return a labelling project as a desk, or None where the folder holds none."""
    if not (folder / "project.json").is_file():
        return None
    from .desk import TextDesk

    return TextDesk(folder)
