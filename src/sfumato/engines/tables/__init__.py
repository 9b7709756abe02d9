"""Tables: the frontier of de-identification policies, risk against information loss.

`explore` searches all ways to join neighbouring values of the quasi-identifiers into intervals;
`load` reads a frontier back, and `publish` writes a table as a candidate says. Names load when first used.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.engine import Progress, no_progress

if TYPE_CHECKING:
    from ...data.table_schema import TableSchema
    from .contingency.cells import Cells
    from .engine import ENGINE
    from .exploration import TablesExploration
    from .frontier.comparison import compare
    from .frontier.problem import Problem
    from .records import TablesCandidate, TablesRelease
    from .release.steps import Frame
    from .space.policy import Lattice, Policy
    from .space.policy_files import load_policy, save_mapping, save_policy
    from .space.safe_harbor import safe_harbor

_LAZY = {
    "ENGINE": "engine",
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
    "ENGINE",
    "Cells",
    "Lattice",
    "Policy",
    "Problem",
    "TablesCandidate",
    "TablesExploration",
    "compare",
    "explore",
    "load",
    "load_exploration",
    "load_policy",
    "publish",
    "safe_harbor",
    "save_mapping",
    "save_policy",
]


def explore(
    table: object,
    schema: object = None,
    population: object = None,
    *,
    progress: Progress = no_progress,
    **options: object,
) -> TablesExploration:
    """Search the policies of a table for the frontier of risk against utility.

    Parameters
    ----------
    table : path, frame or Table
        The table.
    schema : path, dict or TableSchema, optional
        The schema of the table; a `Table` brings its own.
    population : path or frame, optional
        Counts of people by quasi-identifiers, with a column `count`.
    progress : callable, optional
        Called with the number of policies measured since the last call.
    **options
        The other parameters of `TablesRequest`; `sfumato tables explore --help` lists them.

    """
    from .engine import ENGINE
    from .request import TablesRequest

    given = {"table": table, "schema": schema, "population": population, **options}
    request = TablesRequest.made(given, owner="tables.explore")
    return ENGINE.explore(request, progress=progress)


def publish(
    what: TablesCandidate | Policy,
    data: object,
    *,
    exploration: TablesExploration | None = None,
    schema: TableSchema | str | os.PathLike[str] | dict[str, object] | None = None,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    **options: object,
) -> TablesRelease | Frame:
    """Publish data by a candidate of an exploration, or by a policy together with a schema.

    Parameters
    ----------
    what : TablesCandidate or Policy
        A candidate needs its `exploration`, a policy the `schema` of the data.
    data : path or frame
        What is published.
    exploration : TablesExploration, optional
        The exploration that the candidate belongs to.
    schema : path, dict or TableSchema, optional
        The schema of the data.
    out : path, optional
        A data file or a folder; without it a frame comes back as a frame.
    force : bool, default=False
        Whether an existing release may be replaced.
    **options
        The other parameters of `TablesPublishRequest`.

    """
    from ...core.errors import ParameterError
    from .space.policy import Policy

    if isinstance(what, Policy):
        from .release.steps import publish_by_policy

        return publish_by_policy(what, data, schema=schema, out=out, force=force, **options)
    if exploration is None:
        raise ParameterError(
            "A candidate is published through its exploration.",
            hint="call exploration.publish(candidate, data, out=…).",
        )
    return exploration.publish(what, data, out=out, force=force, **options)


def load(directory: str | os.PathLike[str]) -> TablesExploration:
    """Return the exploration that `explore` and `save` left in a folder; its candidates can be published."""
    from .exploration import TablesExploration

    return TablesExploration.load(Path(directory))


load_exploration = load


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    return __all__
