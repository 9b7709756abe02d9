"""Rows grouped by pattern, refined feature by feature: the state of every greedy selection."""

from .partition import Partition

__all__ = ["Partition"]
