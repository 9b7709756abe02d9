"""Search strategies, all under one budget: exchange (the default), the paper's, and the exact one."""

from __future__ import annotations

from collections.abc import Callable

from ....core.errors import ParameterError
from .chains import bisecting, random_chain_search
from .exchange import exchange
from .exhaustive import exhaustive
from .run import Budget, Run
from .sublattices import sublattice_heuristic_search

__all__ = ["STRATEGIES", "Budget", "Run", "search"]

STRATEGIES: dict[str, Callable[..., None]] = {
    "exchange": exchange,
    "shs": sublattice_heuristic_search,
    "rcs": random_chain_search,
    "bisecting": bisecting,
    "exhaustive": exhaustive,
}


def search(run: Run, strategy: str = "exchange", **options: float | None) -> Run:
    """Run a strategy by its name."""
    if strategy not in STRATEGIES:
        raise ParameterError.constraint(
            "strategy", "the search", f"one of {', '.join(STRATEGIES)}", strategy
        )
    STRATEGIES[strategy](run, **options)
    return run
