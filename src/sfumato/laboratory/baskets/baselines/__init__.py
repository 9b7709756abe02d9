"""What the paper compares with: CM greedy, random flipping, k-anonymity, two DP releases, all features.

None of them gives the same protection as k-anonymity by containment; they are for comparison.
"""

from .differential import DpRelease, differential_release
from .flipping import Flipped, flip_into_clusters
from .metric import CmGreedy

__all__ = [
    "CmGreedy",
    "DpRelease",
    "Flipped",
    "differential_release",
    "flip_into_clusters",
]
