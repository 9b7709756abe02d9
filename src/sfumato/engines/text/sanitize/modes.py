"""The modes of GreedySanitize; listing them loads nothing else."""

from __future__ import annotations

__all__ = ["MODES"]

MODES = {
    "honest": "every decision on documents that were not learned from",
    "paper": "Algorithm 1 as printed, judged on the training data",
}
