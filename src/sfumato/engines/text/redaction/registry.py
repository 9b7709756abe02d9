"""The registry of replacements: how redacted text is replaced; listing the names loads nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ....core.arguments import Argument
from ....core.registry import Registry

if TYPE_CHECKING:
    from .replacer import Replacer

__all__ = ["ARGUMENTS", "REPLACEMENTS"]

REPLACEMENTS: Registry[type[Replacer]] = Registry(
    "replacement",
    {
        "placeholder": f"{__package__}.replacer:Placeholder",
        "mask": f"{__package__}.replacer:Mask",
        "surrogate": f"{__package__}.surrogates.replacement:Surrogates",
    },
    group="sfumato.replacements",
    of=f"{__package__}.replacer:Replacer",
    classes=True,
)
"""Replacers by name; `Replacer.keyed` makes one for a request."""

ARGUMENTS: Mapping[str, Sequence[Argument]] = {
    "surrogate": [
        Argument("scope", "scope", "document|corpus"),
        Argument("dates", "dates", "learned|day-first|month-first"),
    ]
}
"""What the entries take after a colon: `surrogate:scope=corpus,dates=day-first`."""
