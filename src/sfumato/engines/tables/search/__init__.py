"""Search strategies, all under one budget: exchange (the default), the paper's, and the exact one."""

from __future__ import annotations

from ..registries import STRATEGIES
from .run import Budget, Run

__all__ = ["STRATEGIES", "Budget", "Run", "search"]


def search(run: Run, strategy: str = "exchange", **options: float | None) -> Run:
    """Run a strategy by its name."""
    STRATEGIES.named(strategy)(run, **options)
    return run
