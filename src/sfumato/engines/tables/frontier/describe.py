"""The record of an exploration: candidates with all figures, references, assumptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....core.coarse import granularity_of
from ....core.dominance import mark_dominated
from ....data.table import Table
from ..contingency.tables import cells_hash, resolved_schema
from ..exploration import TablesExploration
from ..measures.shift import margins_of
from ..measures.shown import size_histogram
from ..payload import TablesPayload
from ..records import Certificate, ConditionsFields, PopulationFacts, TablesFrontier
from ..request import TablesRequest
from ..search.run import SearchRun
from ..space.policy import Policy
from .assumptions import assumptions_of, conditions_of, target_of
from .candidates import Entry, candidate_of, reference_of
from .problem import Problem

__all__ = ["build_exploration", "run_point"]

_MOST_CANDIDATES = 300
_MOST_VISITED = 2_000
_AXES = {
    "risk": "expected re-identifications against the population, over those of the data as it is (eq. 2)",
    "utility": "1 − KL information loss / loss of the most general policy",
}


def run_point(run: SearchRun, policy: Policy) -> tuple[float, float]:
    """Return risk and loss of a policy on the axes of a run, with nobody suppressed, without counting it."""
    if run.whole is not None:
        point = run.whole(policy.bits)
        return point[0], point[1]
    measured = run.cells.measure(policy.bits)
    return measured.risk, measured.loss


def build_exploration(
    problem: Problem,
    run: SearchRun,
    request: TablesRequest,
    known: Mapping[str, Policy],
    certificate: Certificate | None,
) -> TablesExploration:
    """Return what was found, with all that is shown of it."""
    table = problem.table
    on_axes = (request.risk, request.loss) == ("population", "kl")
    axes = dict(_AXES) if on_axes else {"risk": request.risk, "utility": f"1 − {request.loss}"}
    entries = [(r, 1.0 - u, packed) for r, u, packed in run.frontier.entries()]
    points = {name: run_point(run, policy) for name, policy in known.items()}
    kept = _selection(entries, list(points.values()))
    area = run.frontier.area()
    columns = problem.sensitive_columns(conditions_of(request))
    as_cells = request.suppress_as == "cells"
    listed = [candidate_of(problem, run, entries[i], columns, as_cells=as_cells) for i in kept]
    first = {c.id: c for c in reversed(listed)}  # policies that read alike are one candidate
    candidates, listed_area = mark_dominated([c for c in listed if first[c.id] is c])
    if (
        run.max_below and problem.people is None
    ):  # measured without the suppressed records: the points have moved
        candidates = tuple(c for c in candidates if not c.dominated)
        entries = [(c.risk.value, c.loss, bytes.fromhex(c.bits)) for c in candidates]
        kept, area = list(range(len(entries))), listed_area
    record = TablesFrontier(
        engine="tables",
        seed=request.seed,
        request=request.to_record(),
        inputs=tuple(table.inputs),
        axes=axes,
        area=area,
        evaluations=run.evaluations,
        candidates=candidates,
        references=tuple(
            reference_of(problem, name, known[name], point, entries)
            for name, point in points.items()
        ),
        certificate=certificate,
        **_facts(problem, run, request, entries, len(kept), area),
    )
    return TablesExploration(record, payload_of(problem, request), known)


def _selection(entries: Sequence[Entry], references: Sequence[tuple[float, float]]) -> list[int]:
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


def _facts(
    problem: Problem,
    run: SearchRun,
    request: TablesRequest,
    entries: Sequence[Entry],
    listed: int,
    area: float,
) -> dict[str, Any]:
    table, cells, lattice = problem.table, problem.cells, problem.lattice
    visited = run.visited[:: max(1, -(-len(run.visited) // _MOST_VISITED))]
    # Where records are suppressed, points were measured before that: their areas are of another frontier.
    moved = run.max_below and problem.people is None and run.published is None
    seen = {} if moved else {e: a for e, _, a in run.trace}
    trace = sorted({**seen, run.evaluations: area}.items())
    occupied = cells.weight[: cells.occupied]
    note = (
        f"{listed} of {len(entries):,} policies of the frontier are listed, evenly along it; "
        "the area is that of all of them."
        if listed < len(entries)
        else "every policy of the frontier is listed."
    )
    k = granularity_of(int(cells.least[0]))
    groups = size_histogram(cells.count, np.maximum(occupied, cells.count), k)
    if problem.people is not None:
        before = problem.people.groups(np.ones(cells.length, dtype=np.uint8))
        groups = size_histogram(before.records.astype(np.int64), before.around, k)
    return {
        "strategy": request.strategy,
        "risk_measure": request.risk,
        "loss_measure": request.loss,
        "rows": table.rows,
        "records": cells.records,
        "people": table.people,
        "joined": table.schema.joined,
        "dropped": table.dropped,
        "quasi": lattice.names,
        "sensitive": tuple(problem.sensitive),
        "domains": dict(zip(lattice.names, lattice.sizes, strict=True)),
        "lattice_bits": lattice.length,
        "fingerprint": lattice.fingerprint,
        "cells": cells.occupied,
        "population": cells.has_population,
        "population_covers": table.covered,
        "population_people": _people(table),
        "population_facts": _population_facts(problem),
        "expected_reidentified": (
            cells.expected_reidentified
            if problem.people is None
            else problem.people.expected_unchanged
        ),
        "loss_top_nats": cells.loss_top_nats,
        "min_sample": int(cells.least[0]),
        "min_population": float(cells.least[1]),
        "conditions": ConditionsFields(**vars(conditions_of(request))),
        "groups_before": groups,
        "assumptions": tuple(assumptions_of(problem, run, request)),
        "frontier_size": len(entries),
        "frontier_note": note,
        "full_area": area,
        "trace": tuple(trace),
        "visited": tuple((round(r, 9), round(1.0 - l, 9)) for r, l in visited),
        "visited_total": run.evaluations,
    }


def _people(table: Table) -> float | None:
    if table.population_count is None:
        return None
    return float(table.population_count.sum())


def _population_facts(problem: Problem) -> PopulationFacts | None:
    table, cells = problem.table, problem.cells
    if table.population_count is None:
        return None
    return PopulationFacts(
        people=float(table.population_count.sum()),
        cells=int(table.population_count.size),
        records_without_population_cell=cells.without_population,
        people_outside_domains=table.population_outside,
    )


def payload_of(problem: Problem, request: TablesRequest) -> TablesPayload:
    """Return what a publication is checked against, from the problem that was explored."""
    table = problem.table
    return TablesPayload(
        schema=resolved_schema(table),
        lattice=problem.lattice,
        population_codes=table.population_codes,
        population_count=table.population_count,
        explored=cells_hash(table),
        inputs=tuple(str(i.sha256) for i in table.inputs),
        min_sample=int(problem.cells.least[0]),
        min_population=float(problem.cells.least[1]),
        risk=request.risk,
        loss=request.loss,
        target=target_of(problem, request),
        k=request.k,
        conditions=conditions_of(request),
        margins=margins_of(table, problem.lattice.sizes),
        sampling_fraction=request.sampling_fraction,
        covered=table.covered,
    )
