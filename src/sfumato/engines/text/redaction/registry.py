"""The registry of replacements: what stands for what is redacted; listing the names loads nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....core.registry import Registry

if TYPE_CHECKING:
    from .replacer import Replacer

__all__ = ["REPLACEMENTS"]

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
