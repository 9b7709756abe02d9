"""The desks that are installed: functions that open a folder, or return None where it is none of theirs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..core.registry import Registry
from .protocol import Desk

__all__ = ["DESKS", "open_desk"]

DESKS: Registry[Callable[[Path], Desk | None]] = Registry(
    "desk",
    {"text": "sfumato.engines.text.labelling:open_project"},
    group="sfumato.desks",
    of="collections.abc:Callable",
)


def open_desk(folder: Path) -> Desk | None:
    """Return the folder as a desk, or None where no installed desk knows it."""
    if not folder.is_dir():
        return None
    return next((desk for open_ in DESKS.values() if (desk := open_(folder)) is not None), None)
