"""GreedySanitize: publish text from which what is left cannot be found (papers 000, 001)."""

from .engine import explore

__all__ = ["explore"]
