"""How many examples a slow property test draws: fewer in `make test`, all of them in `make fuzz`."""

from __future__ import annotations

from hypothesis import settings


def examples(count: int, *, fuzz: int) -> int:
    """Return the number for the profile that the root conftest.py loaded; only `fuzz` draws at random."""
    return count if settings().derandomize else fuzz
