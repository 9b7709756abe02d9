"""From a table and its schema to a frontier of de-identification policies.

Risk is the expected number of records that an attacker names against the population, over that of the
data as it is (equation 2); utility is 1 − KL information loss over that of the most general policy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...compute import engine as compute_engine
from ...core.errors import FormatError, NoCandidateError, ParameterError
from ...core.exploration import Candidate, Reference
from ...core.measures import Risk, Utility
from ...core.randomness import Streams
from ...data.table import Table, read_table
from ...data.table_schema import TableSchema
from ...data.table_source import Source
from . import measures
from .exploration import ATTACKER, ATTACKER_OF_SAMPLE, KEPT, TablesExploration, Terms, load
from .policy import Policy
from .policy_files import load_policy
from .problem import Problem, counted
from .safe_harbor import NAME as SAFE_HARBOR
from .safe_harbor import compared, find_roles, safe_harbor
from .search import Budget, Run, search

__all__ = ["explore", "load_exploration", "run_point"]

_MOST_CANDIDATES = 300
_MOST_VISITED = 2_000
_CHAINS = 50  # a default budget of so many chains: a second or two on 700 cuts
_LEAST_BUDGET = 4_000
_AXES = {
    "risk": "expected re-identifications against the population, over those of the data as it is (eq. 2)",
    "utility": "1 − KL information loss / loss of the most general policy",
}
_Entry = tuple[float, float, bytes]
_Bits = npt.NDArray[np.uint8]


def explore(
    table: Any,
    schema: TableSchema | str | os.PathLike[str] | dict[str, Any] | None = None,
    population: Any = None,
    *,
    strategy: str = "exchange",
    evaluations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    least_sample: int = 0,
    least_population: float = 0,
    cut_points: Mapping[str, Sequence[Any]] | None = None,
    references: Mapping[str, Any] | None = None,
    risk: str = "population",
    loss: str = "kl",
    target: str | None = None,
    k: int = 5,
    threshold: float | None = None,
    engine: str = "local",
    threads: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> TablesExploration:
    """Search the policies of a table for the frontier of risk against utility.

    `table` is a path, a frame or a `Table`. `least_sample` and `least_population` are the smallest groups
    allowed; `cut_points` names the only values at which an attribute's intervals may begin; `references`
    maps names to policies (objects, files or intervals by attribute) to compare with. `risk`, `loss`,
    `target` and `k` choose other measures. With `engine="spark"` the rows are counted on a cluster.
    Without `evaluations` or `seconds` the search makes as many evaluations as fifty chains do; only a
    budget of evaluations repeats to the byte.
    """
    if not isinstance(table, Table):
        if schema is None:
            raise ParameterError(
                "A table needs a schema.", hint="draft one with `sfumato tables schema TABLE`."
            )
        schema, opened = TableSchema.of(schema), Source.open(table)
        counts = counted(opened, schema, compute_engine(engine, threads=threads))
        table = read_table(opened, schema, population, counts=counts)
    problem = Problem.of(
        table, least_sample=least_sample, least_population=least_population, cut_points=cut_points
    )
    known = _references(problem, references or {})
    if evaluations is None and seconds is None:
        evaluations = max(_LEAST_BUDGET, _CHAINS * (problem.lattice.length + 1))
    run = Run(
        problem.cells,
        problem.space,
        Budget(evaluations, seconds),
        Streams(seed).child("tables"),
        progress=progress,
        score=_score(problem, risk, loss, target, k),
    )
    options: dict[str, float | None] = {}
    if strategy == "bisecting" and known:
        options["reference_risk"] = run_point(run, next(iter(known.values())))[0]
    if strategy == "shs" and threshold is not None:
        options["threshold"] = threshold
    search(run, strategy, **options)
    if len(run.frontier) == 0:
        raise _infeasible(problem, run)
    return _found(problem, run, seed, strategy=strategy, known=known, names=(risk, loss))


def load_exploration(directory: str | os.PathLike[str]) -> TablesExploration:
    """Read a frontier back from the folder that `explore` wrote; its candidates can publish again."""
    return load(directory)


def run_point(run: Run, policy: Policy) -> tuple[float, float]:
    """Give risk and loss of a policy on the axes of a run, without counting it."""
    if run.score is not None:
        point = run.score(policy.bits)
        return point[0], point[1]
    measured = run.cells.measure(policy.bits)
    return measured.risk, measured.loss


def _score(
    problem: Problem, risk: str, loss: str, target: str | None, k: int
) -> Callable[[_Bits], tuple[float, float, bool]] | None:
    if (risk, loss) == ("population", "kl"):
        return None
    joint = None
    if target is not None:
        joint = problem.joint(target)
    elif problem.sensitive:
        joint = next(iter(problem.sensitive.values()))
    of_risk = measures.risk_measure(risk, problem.cells, k=k)
    of_loss = measures.loss_measure(loss, problem.cells, joint)

    def score(bits: _Bits) -> tuple[float, float, bool]:
        return of_risk(bits), of_loss(bits), problem.cells.measure(bits).below == 0

    return score


def _references(problem: Problem, given: Mapping[str, Any]) -> dict[str, Policy]:
    known = {}
    if find_roles(problem.lattice).applicable:
        people = problem.people_by_value() if problem.cells.has_population else None
        known[SAFE_HARBOR] = safe_harbor(problem.lattice, people)
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


def _infeasible(problem: Problem, run: Run) -> NoCandidateError:
    top = problem.space.project(np.zeros(problem.space.length, dtype=np.uint8))
    measured = problem.cells.measure(top)
    if not any(r.widest or r.nodes for r in problem.space.rules):  # the top is then unique
        return NoCandidateError(
            "The constraints conflict: even the most general policy that they allow has a group of "
            f"{measured.smallest_sample_group:,} records and {measured.smallest_population_group:,.0f} people.",
            hint="lower the least group size, or let go of an attribute that must stay.",
        )
    return NoCandidateError(
        f"None of the {run.evaluations:,} policies measured meets the least group sizes together with "
        "the other constraints.",
        hint="widen the intervals allowed, lower the least group size, or search longer.",
    )


# --- what is written down ------------------------------------------------------------------------


def _found(
    problem: Problem,
    run: Run,
    seed: int,
    *,
    strategy: str,
    known: Mapping[str, Policy],
    names: tuple[str, str],
) -> TablesExploration:
    cells, lattice = problem.cells, problem.lattice
    on_axes = names == ("population", "kl")
    axes = dict(_AXES) if on_axes else {"risk": names[0], "utility": f"1 − {names[1]}"}
    found = TablesExploration("tables", seed=seed, axes=axes, inputs=problem.table.inputs)
    found.terms, found.policies = Terms.of(problem, on_axes=on_axes), known
    found.evaluations, found.seconds = run.evaluations, run.seconds
    entries = [(r, 1.0 - u, packed) for r, u, packed in run.frontier.entries()]
    points = {name: run_point(run, policy) for name, policy in known.items()}
    kept = _selection(entries, list(points.values()))
    attacker = ATTACKER if cells.has_population else ATTACKER_OF_SAMPLE
    for i in kept:
        risk, loss, packed = entries[i]
        policy = Policy(lattice, packed)
        details = {
            "policy": policy.intervals(),
            "summary": policy.summary(),
            "bits": policy.hex,
            "loss": loss,
            **measures.beside(cells, policy.bits, problem.sensitive),
        }
        found.add(
            Candidate(
                policy.id,
                Risk(risk, attacker=attacker),
                Utility(1.0 - loss, kept=KEPT),
                details,
            )
        )
    found.references = [
        _reference(problem, name, known[name], point, entries) for name, point in points.items()
    ]
    found.extra = _extra(problem, run, strategy, entries, len(kept))
    found.attach_publishers()
    return found


def _selection(entries: Sequence[_Entry], references: Sequence[tuple[float, float]]) -> list[int]:
    """Choose the candidates to list: all, or an even selection along the staircase and its log-risk view."""
    many = len(entries)
    if many <= _MOST_CANDIDATES:
        return list(range(many))
    risk, loss = np.array([e[0] for e in entries]), np.array([e[1] for e in entries])
    kept = {0, many - 1}
    for r, l in references[:20]:
        kept.add(int(np.clip(np.searchsorted(-loss, -l), 0, many - 1)))  # safest at its loss
        kept.add(max(0, int(np.searchsorted(risk, r, side="right")) - 1))  # best at its risk
    along = np.concatenate(([0.0], np.cumsum(np.abs(np.diff(risk)) + np.abs(np.diff(loss)))))
    logs = np.log10(np.maximum(risk, 1e-12))
    room = (_MOST_CANDIDATES - len(kept)) // 2
    for scale in (along, logs):
        wanted = np.linspace(scale[0], scale[-1], room)
        kept.update(np.clip(np.searchsorted(scale, wanted), 0, many - 1).tolist())
    return sorted(kept)


def _reference(
    problem: Problem,
    name: str,
    policy: Policy,
    point: tuple[float, float],
    entries: Sequence[_Entry],
) -> Reference:
    risk, loss = point
    listed = [(r, l, "") for r, l, _ in entries]
    details = {
        "loss": loss,
        "policy": policy.intervals(),
        "summary": policy.summary(),
        "bits": policy.hex,
        **measures.beside(problem.cells, policy.bits, problem.sensitive),
        **compared(name, risk, loss, listed).to_json(),
    }
    return Reference(name, risk, 1.0 - loss, details)


def _extra(
    problem: Problem, run: Run, strategy: str, entries: Sequence[_Entry], listed: int
) -> dict[str, Any]:
    table, cells, lattice = problem.table, problem.cells, problem.lattice
    visited = run.visited[:: max(1, -(-len(run.visited) // _MOST_VISITED))]
    trace = [(e, s, a) for e, s, a in run.trace]
    area = run.frontier.area()
    if not trace or trace[-1][0] != run.evaluations:
        trace.append((run.evaluations, run.seconds, area))
    occupied = cells.weight[: cells.occupied]
    return {
        "strategy": strategy,
        "rows": table.rows,
        "records": cells.records,
        "dropped": table.dropped,
        "quasi": list(lattice.names),
        "domains": dict(zip(lattice.names, lattice.sizes, strict=True)),
        "lattice_bits": lattice.length,
        "fingerprint": lattice.fingerprint,
        "cells": cells.occupied,
        "population": cells.has_population,
        "population_people": _people(table),
        "population_facts": _population_facts(problem),
        "expected_reidentified": cells.expected_reidentified,
        "loss_top_nats": cells.loss_top_nats,
        "least_sample": int(cells.least[0]),
        "least_population": float(cells.least[1]),
        "groups_before": measures.size_histogram(cells.count, np.maximum(occupied, cells.count)),
        "assumptions": _assumptions(problem, run),
        "frontier_size": len(entries),
        "frontier_note": f"{listed} of {len(entries):,} policies of the frontier are listed, evenly along it; "
        "the area is that of all of them."
        if listed < len(entries)
        else "every policy of the frontier is listed.",
        "full_area": area,
        "trace": [[e, a] for e, _, a in trace],
        "trace_seconds": [round(s, 3) for _, s, _ in trace],
        "visited": [[round(r, 9), round(1.0 - l, 9)] for r, l in visited],
        "visited_total": run.evaluations,
    }


def _people(table: Table) -> float | None:
    if table.population_count is None:
        return None
    return float(table.population_count.sum())


def _population_facts(problem: Problem) -> dict[str, Any] | None:
    table, cells = problem.table, problem.cells
    if table.population_count is None:
        return None
    return {
        "people": _people(table),
        "cells": int(table.population_count.size),
        "records_without_population_cell": cells.without_population,
        "people_outside_domains": table.population_outside,
    }


def _assumptions(problem: Problem, run: Run) -> list[str]:
    table, cells = problem.table, problem.cells
    said = ["The KL loss takes values as spread evenly within an interval."]
    if not cells.has_population:
        said.append(
            "No population was given: the table stands for it, which overstates the risk of a sample."
        )
    elif cells.without_population:
        said.append(
            f"{cells.without_population:,} records have values that the population counts no one with; "
            "a group is as large as the larger of population and table."
        )
    if table.population_outside:
        said.append(
            f"{table.population_outside:,.0f} people of the population lie outside the domains and are left out."
        )
    if table.dropped:
        said.append(f"{table.dropped:,} rows with a missing quasi-identifier are left out.")
    constant = [n for n, size in zip(table.names, problem.lattice.sizes, strict=True) if size == 1]
    if constant:
        said.append(
            f"{', '.join(constant)}: a single value, so there is nothing to generalise there."
        )
    if run.budget.seconds is not None:
        said.append("The search was limited by time: another run may find another frontier.")
    return said
