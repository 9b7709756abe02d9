"""A candidate compiled for publishing: all its classifiers side by side, each token looked at once."""

from .candidate import CompiledCandidate, compile_candidate

__all__ = ["CompiledCandidate", "compile_candidate"]
