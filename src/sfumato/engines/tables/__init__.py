"""The risk–utility frontier of de-identification policies (paper 002).

`explore` searches the lattice of policies of a table, `publish` applies one of them and measures the result
again. See PAPER.md for the map from the paper to the code.
"""

from __future__ import annotations

from .engine import Problem, TablesExploration, explore, load_exploration
from .policy import Lattice, Policy
from .policy_files import load_policy, mapping_csv, mapping_sql, save_mapping, save_policy
from .publishing import publish, publish_policy
from .safe_harbor import safe_harbor

__all__ = [
    "Lattice",
    "Policy",
    "Problem",
    "TablesExploration",
    "explore",
    "load_exploration",
    "load_policy",
    "mapping_csv",
    "mapping_sql",
    "publish",
    "publish_policy",
    "safe_harbor",
    "save_mapping",
    "save_policy",
]
