"""From a table and its schema to a frontier of de-identification policies.

Risk is the expected number of records that an attacker names against the population, over that of the
data as it is (equation 2); utility is 1 − KL information loss over that of the most general policy.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ....compute import engine as compute_engine
from ....core.engine import Progress, no_progress
from ....core.errors import FormatError, NoCandidateError, ParameterError, PrivacyWarning
from ....core.randomness import Streams
from ....data.table import Table, read_table
from ....data.table_schema import TableSchema
from ....data.table_source import TableSource
from ..contingency.cells import Bits
from ..contingency.tables import count_on_cluster
from ..exploration import TablesExploration
from ..groups.cell_suppression import NOT_JOINED
from ..records import Certificate
from ..registry import CERTIFIERS, STRATEGIES
from ..request import TablesRequest
from ..search.run import Budget, SearchRun
from ..space.policy import Policy
from ..space.policy_files import load_policy
from ..space.safe_harbor import NAME as SAFE_HARBOR
from ..space.safe_harbor import find_roles, safe_harbor
from .assumptions import (
    REPEATED,
    conditions_of,
    repeated_identifiers,
    warn_of_missing_values,
)
from .describe import build_exploration, run_point
from .objective import build_objective, score_of_release
from .problem import Problem

__all__ = ["explore", "run_point", "search"]

_CHAINS = 50  # chains of the default budget: a second or two on 700 cuts
_LEAST_BUDGET = 4_000
_NOBODY = 0.15  # share of a given budget for policies that suppress nobody


def explore(request: TablesRequest, *, progress: Progress = no_progress) -> TablesExploration:
    """Search the policies of a table for the frontier of risk against utility.

    Without `evaluations` or `seconds` the search makes as many evaluations as fifty chains do, and as many again where
    records may be suppressed; only a budget of evaluations repeats to the byte.
    """
    conditions = conditions_of(request)
    individual = 0.0 if request.max_individual_risk is None else 1.0 / request.max_individual_risk
    problem = Problem.of(
        _table(request),
        min_sample=max(request.min_k, math.ceil(conditions.min_l - 1e-9)),
        min_population=max(request.min_population, individual - 1e-9),
        cut_points={n: _cuts(values) for n, values in request.cut_points.items()},
        sampling_fraction=request.sampling_fraction,
    )
    if request.suppress_as == "cells" and problem.table.schema.joined:
        raise ParameterError(NOT_JOINED, hint='suppress people instead: suppress_as = "records".')
    repeated = repeated_identifiers(problem.table)
    if repeated:
        warnings.warn(REPEATED.format(names=", ".join(repeated)), PrivacyWarning, stacklevel=2)
    if conditions.min_l > 1:
        warn_of_missing_values(problem)
    known = _references(problem, request)
    run = _search(problem, request, known, progress)
    if len(run.frontier) == 0:
        raise _infeasible(problem, run)
    certificate = None
    if request.certify > 0:
        threads = request.threads or min(2, os.cpu_count() or 1)
        proof = CERTIFIERS["bounds"](run, request.certify, threads=threads)
        certificate = Certificate(
            area=proof.area,
            staircase=proof.staircase,
            seconds=request.certify,
            exact=proof.exact,
        )
    return build_exploration(problem, run, request, known, certificate)


def _search(
    problem: Problem, request: TablesRequest, known: Mapping[str, Policy], progress: Progress
) -> SearchRun:
    """Search for policies; where records may be suppressed, search for those that suppress nobody, too.

    These are allowed then as well, but the first search does not look for them: it counts what suppression costs only
    for some of what it measures, or for what it has found in the end.
    """
    evaluations, seconds, total = request.evaluations, request.seconds, request.evaluations
    if evaluations is None and seconds is None:
        evaluations = max(_LEAST_BUDGET, _CHAINS * (problem.lattice.length + 1))
        total = evaluations if request.suppress == 0 else 2 * evaluations
    elif request.suppress > 0:
        evaluations = None if evaluations is None else max(2, round((1 - _NOBODY) * evaluations))
        seconds = None if seconds is None else (1 - _NOBODY) * seconds
    update = _as_progress(progress, total)
    run = _run_strategy(problem, request, known, Budget(evaluations, seconds), update)
    if request.suppress == 0:
        return run
    if problem.people is None and run.score is None and run.published is None:
        run.archive_again(score_of_release(problem, conditions_of(request)))
    if request.evaluations is not None:
        evaluations = request.evaluations - run.evaluations
        if evaluations < 2:
            return run
    if request.seconds is not None:
        seconds = max(request.seconds - run.seconds, _NOBODY * request.seconds)
    nobody = request.model_copy(update={"suppress": 0.0})
    update = _as_progress(progress, total)
    run.take(_run_strategy(problem, nobody, known, Budget(evaluations, seconds), update))
    return run


def _run_strategy(
    problem: Problem,
    request: TablesRequest,
    known: Mapping[str, Policy],
    budget: Budget,
    update: Callable[[int, float], None],
) -> SearchRun:
    """Run the strategy of a request once."""
    run = SearchRun(
        problem.cells,
        problem.space,
        budget,
        Streams(request.seed).child("tables"),
        objective=build_objective(problem, request, conditions_of(request)),
        progress=update,
    )
    options: dict[str, float | None] = {}
    if request.strategy == "bisecting" and known:
        options["reference_risk"] = run_point(run, next(iter(known.values())))[0]
    if request.strategy == "shs" and request.threshold is not None:
        options["threshold"] = request.threshold
    return search(run, request.strategy, **options)


def _table(request: TablesRequest) -> Table:
    if isinstance(request.table, Table):
        return request.table
    if request.schema_ is None:
        raise ParameterError(
            "A table needs a schema.", hint="draft one with `sfumato tables schema TABLE`."
        )
    schema, opened = TableSchema.of(request.schema_), TableSource.open(request.table)
    schema.check_decided()
    counts = count_on_cluster(
        opened, schema, compute_engine(request.engine, threads=request.threads)
    )
    return read_table(opened, schema, request.population, counts=counts)


def _cuts(values: str | Iterable[object]) -> Sequence[object]:
    """Return the cut points of an attribute; the command line gives them as 20:40:60."""
    return values.split(":") if isinstance(values, str) else list(values)


def _as_progress(progress: Progress, evaluations: int | None) -> Callable[[int, float], None]:
    done = 0

    def update(measured: int, _area: float) -> None:
        nonlocal done
        progress(measured - done, total=evaluations, note="policies measured")
        done = measured

    return update


def _references(problem: Problem, request: TablesRequest) -> dict[str, Policy]:
    known = {}
    meanings = problem.meanings
    if find_roles(problem.lattice, meanings=meanings).applicable:
        people = problem.people_by_value() if problem.cells.has_population else None
        known[SAFE_HARBOR] = safe_harbor(problem.lattice, people, meanings=meanings)
    given = {**{Path(p).stem: p for p in request.reference}, **request.references}
    for name, policy in given.items():
        if isinstance(policy, Policy):
            if policy.lattice.fingerprint != problem.lattice.fingerprint:
                raise FormatError(f"The reference policy {name!r} belongs to another schema.")
            known[name] = policy
        elif isinstance(policy, Mapping):
            known[name] = problem.lattice.policy(policy)
        else:
            known[name] = load_policy(policy, problem.lattice)
    return known


def _infeasible(problem: Problem, run: SearchRun) -> NoCandidateError:
    top = problem.space.project(np.zeros(problem.space.length, dtype=np.uint8))
    if not any(r.widest or r.nodes for r in problem.space.rules):  # the top is then unique
        if _large_enough(problem, top):
            return NoCandidateError(
                "The constraints conflict: even the most general policy that they allow has large enough groups "
                "but not the diversity, closeness or average risk asked for.",
                hint="lower the diversity (--min-l), raise the distance (--max-t) or the average risk "
                "(--max-average-risk), or let go of an attribute that must stay.",
            )
        conflict = (
            "The constraints conflict: even the most general policy that they allow has a group of"
        )
        hint = "lower the smallest group size allowed, or let go of an attribute that must stay."
        if problem.people is not None:
            groups = problem.people.groups(top)
            if problem.table.schema.joined:
                hint = (
                    "people differ in how many rows they have, which no policy changes; `suppress` leaves out "
                    "those with a rare number of rows."
                )
            return NoCandidateError(f"{conflict} {int(groups.people.min()):,} people.", hint=hint)
        measured = problem.cells.measure(top)
        return NoCandidateError(
            f"{conflict} {measured.smallest_sample_group:,} records and "
            f"{measured.smallest_population_group:,.0f} people.",
            hint=hint,
        )
    return NoCandidateError(
        f"None of the {run.evaluations:,} policies measured meets the smallest group sizes together with "
        "the other constraints.",
        hint="widen the intervals allowed, lower the smallest group size allowed, or search longer.",
    )


def _large_enough(problem: Problem, bits: Bits) -> bool:
    """Return whether all groups of a policy are as large as was asked for."""
    if problem.people is not None:
        return problem.people.is_allowed(problem.people.groups(bits))
    measured = problem.cells.measure(bits)
    sample, population = problem.cells.least
    return bool(
        measured.smallest_sample_group >= sample
        and measured.smallest_population_group >= population - 1e-9
    )


def search(run: SearchRun, strategy: str = "exchange", **options: float | None) -> SearchRun:
    """Run a strategy by its name."""
    STRATEGIES.get_or_raise(strategy)(run, **options)
    return run
