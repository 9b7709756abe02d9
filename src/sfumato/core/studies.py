"""The papers' experiments, by engine, which the `study` commands run.

The laboratory is above the engines and has its own readers; engines reach it by this registry only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .engine import Call
from .registry import Registry

if TYPE_CHECKING:
    from pydantic import JsonValue

__all__ = ["STUDIES"]

STUDIES: Registry[Callable[[Any, Call], Mapping[str, JsonValue]]] = Registry(
    "study",
    {name: f"sfumato.laboratory.{name}.command:run" for name in ("baskets", "tables", "text")},
    group="sfumato.studies",
    of="collections.abc:Callable",
)
"""Called with the request of an engine's `study` and the call; each returns what `--json` prints."""
