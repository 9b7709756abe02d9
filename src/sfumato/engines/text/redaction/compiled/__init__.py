"""A candidate compiled for publishing: all its classifiers side by side, each token looked at once."""

from .candidate import CompiledCandidate, compiled

__all__ = ["CompiledCandidate", "compiled"]
