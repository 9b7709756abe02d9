"""Tables: the frontier of de-identification policies, risk against information loss.

space/        which policies there are, and which the steward allows
contingency/  the table as counts of occupied cells
measures/     what a policy costs and keeps
groups/       who hides among whom, and which groups are too small
search/, certificate/   finding the frontier, and proving how good any policy can be
frontier/, release/, readback/, story/   from a table to candidates, to a release, to a report

`sfumato.tables` is the way in; classes are imported from here when they are first used. PAPER.md maps the
paper to functions and tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._lazy import lazy_names

if TYPE_CHECKING:
    from .contingency.cells import Cells
    from .exploration import TablesExploration
    from .frontier.comparison import compare
    from .frontier.problem import Problem
    from .records import TablesCandidate
    from .space.policy import Lattice, Policy
    from .space.policy_files import load_policy, save_mapping, save_policy
    from .space.safe_harbor import safe_harbor

_HOME = {
    "Cells": "contingency.cells",
    "Lattice": "space.policy",
    "Policy": "space.policy",
    "Problem": "frontier.problem",
    "TablesCandidate": "records",
    "TablesExploration": "exploration",
    "compare": "frontier.comparison",
    "load_policy": "space.policy_files",
    "safe_harbor": "space.safe_harbor",
    "save_mapping": "space.policy_files",
    "save_policy": "space.policy_files",
}

__all__ = [
    "Cells",
    "Lattice",
    "Policy",
    "Problem",
    "TablesCandidate",
    "TablesExploration",
    "compare",
    "load_policy",
    "safe_harbor",
    "save_mapping",
    "save_policy",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
