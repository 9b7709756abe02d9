"""Tables: the frontier of de-identification policies, risk against information loss.

`explore` searches all ways to join neighbouring values of the quasi-identifiers into intervals;
`load_exploration` reads a frontier back, and its candidates publish. Names load when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cells import Cells
    from .engine import explore, load_exploration
    from .exploration import TablesExploration
    from .policy import Lattice, Policy
    from .policy_files import load_policy, save_mapping, save_policy
    from .problem import Problem
    from .publishing import publish
    from .safe_harbor import compare, safe_harbor

_LAZY = {
    "Cells": "cells",
    "Lattice": "policy",
    "Policy": "policy",
    "Problem": "problem",
    "TablesExploration": "exploration",
    "compare": "safe_harbor",
    "explore": "engine",
    "load_exploration": "engine",
    "load_policy": "policy_files",
    "publish": "publishing",
    "safe_harbor": "safe_harbor",
    "save_mapping": "policy_files",
    "save_policy": "policy_files",
}

__all__ = [
    "Cells",
    "Lattice",
    "Policy",
    "Problem",
    "TablesExploration",
    "compare",
    "explore",
    "load_exploration",
    "load_policy",
    "publish",
    "safe_harbor",
    "save_mapping",
    "save_policy",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    return __all__
