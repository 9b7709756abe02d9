"""Search strategies, all under one budget: exchange (the default), the paper's, and the exact one."""

from __future__ import annotations

from .run import Budget, SearchRun

__all__ = ["Budget", "SearchRun"]
