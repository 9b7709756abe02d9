"""What an exploration writes down: candidates with everything shown beside them, references, assumptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from ....core.exploration import placed
from ....core.measures import Risk, Utility
from ....data.table import Table
from ..contingency.cells import group_sizes
from ..contingency.tables import cells_hash, resolved_schema
from ..exploration import KEPT, TablesExploration, attacker_of
from ..groups.cell_suppression import blanked_in
from ..groups.conditions import Conditions
from ..groups.people import CountedPeople, GroupsOfPeople, People
from ..groups.record_suppression import Suppressed, small_in, suppressed_point
from ..measures.sampling import estimate_of
from ..measures.sensitive import within
from ..measures.shift import margins_of
from ..measures.shown import Shown, beside, shown_of, size_histogram
from ..payload import Terms
from ..records import (
    AbsoluteRisks,
    Certificate,
    GroupSize,
    PopulationFacts,
    TablesCandidate,
    TablesFrontier,
    TablesReference,
)
from ..request import TablesRequest
from ..search.run import Run
from ..space.policy import Policy
from .assumptions import assumptions_of, conditions_of, target_of
from .comparison import compared
from .problem import Problem

__all__ = ["described", "run_point"]

_MOST_CANDIDATES = 300
_MOST_VISITED = 2_000
_AXES = {
    "risk": "expected re-identifications against the population, over those of the data as it is (eq. 2)",
    "utility": "1 − KL information loss / loss of the most general policy",
}
_Entry = tuple[float, float, bytes]


def run_point(run: Run, policy: Policy) -> tuple[float, float]:
    """Return risk and loss of a policy on the axes of a run, with nobody left out, without counting it."""
    if run.whole is not None:
        point = run.whole(policy.bits)
        return point[0], point[1]
    measured = run.cells.measure(policy.bits)
    return measured.risk, measured.loss


def described(
    problem: Problem,
    run: Run,
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
    candidates, listed_area = placed(
        [
            _candidate(problem, run, entries[i], as_cells=request.suppress_as == "cells")
            for i in kept
        ]
    )
    if (
        run.max_below and problem.people is None
    ):  # measured anew without the records left out: the points have moved
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
            _reference(problem, name, known[name], point, entries) for name, point in points.items()
        ),
        certificate=certificate,
        **_facts(problem, run, request, entries, len(kept), area),
    )
    target = target_of(problem, request)
    terms = payload_of(
        problem, risk=request.risk, loss=request.loss, target=target, k=request.k,
        conditions=conditions_of(request), sampling_fraction=request.sampling_fraction,
    )  # fmt: skip
    return TablesExploration(record, terms, known)


class _Shown(Shown):
    """What is shown of a policy besides the two axes; the fields of `PolicyFields`."""

    policy: dict[str, tuple[str, ...]]
    ends: dict[str, tuple[int, ...]]
    bits: str
    loss: float
    suppressed: int
    blanked: int


class _OfPeople(TypedDict):
    """What is shown of groups of people; fields of `_Shown`."""

    k: int
    groups: int
    smallest_population_group: float
    prosecutor_risk: float
    average_group: float
    risks: AbsoluteRisks


def _shown(problem: Problem, policy: Policy, loss: float) -> _Shown:
    shown: _Shown = {
        "policy": policy.shown(),
        "ends": policy.ends(),
        "bits": policy.hex,
        "loss": loss,
        "suppressed": 0,
        "blanked": 0,
        **beside(
            problem.cells, policy.bits, problem.sensitive, problem.ordered,
            problem.sampled(policy.bits) if problem.people is None else None,
            None if problem.people is None else problem.people.group(policy.bits),
        ),
    }  # fmt: skip
    if problem.people is not None:
        return {**shown, **_by_people(problem, problem.people.groups(policy.bits))}
    return shown


def _by_people(problem: Problem, groups: GroupsOfPeople) -> _OfPeople:
    """Return what is shown of the groups of a policy where people are counted."""
    k = int(groups.people.min())
    return {
        "k": k,
        "groups": int(groups.people.size),
        "smallest_population_group": round(float(groups.around.min()), 6),
        "prosecutor_risk": round(1.0 / k, 9),
        "average_group": round(float(groups.people.mean()), 6),
        "risks": groups.risks(problem.fraction),
    }


def _without_people(
    problem: Problem, people: CountedPeople, policy: Policy, shown: _Shown
) -> _Shown:
    """Return what is shown of a policy when the people of groups that are too small are left out."""
    left, groups, kept = people.suppressed(policy.bits)
    unit = people.group(policy.bits)
    inside = {
        name: within(unit, people.joint(held, kept)).renumbered()
        for name, held in problem.held.items()
    }
    found: _Shown = {
        **shown,
        **_by_people(problem, groups),
        "loss": left.loss,
        "loss_nats": left.loss_nats,
        "suppressed": left.records,
    }
    return {**found, **shown_of(inside, problem.ordered)} if inside else found


def _with_blanks(problem: Problem, people: People, policy: Policy, shown: _Shown) -> _Shown:
    """Return what is shown of a policy when cells are blanked and groups count people."""
    blanks, left, group = blanked_in(problem.cells, policy.bits, people)
    groups = GroupsOfPeople(blanks.records.astype(np.float64), blanks.sizes, blanks.people)
    found: _Shown = {
        **shown,
        **_by_people(problem, groups),
        "loss": left.loss,
        "loss_nats": left.loss_nats,
        "suppressed": left.records,
        "blanked": blanks.rows_blanked,
    }
    inside = {}
    for name, (cell, value, count) in problem.sensitive.items():
        stays = group[cell] >= 0
        joint = (cell[stays], value[stays], count[stays])
        inside[name] = within(group, joint).renumbered()
    return {**found, **shown_of(inside, problem.ordered)} if inside else found


def _candidate(problem: Problem, run: Run, entry: _Entry, *, as_cells: bool) -> TablesCandidate:
    risk, loss, packed = entry
    policy = Policy(problem.lattice, packed)
    attacker = attacker_of(problem.table)
    shown = _shown(problem, policy, loss)
    people = problem.people
    if people is not None and not people.allowed(people.groups(policy.bits)):
        if as_cells and isinstance(people, People):
            shown = _with_blanks(problem, people, policy, shown)
        else:
            shown = _without_people(problem, people, policy, shown)
    elif run.max_below and people is None:
        cells = problem.cells
        if as_cells:
            blanks, left, group = blanked_in(cells, policy.bits)
            shown["blanked"] = blanks.rows_blanked
        else:
            left = suppressed_point(cells, policy.bits)
            group = group_sizes(cells, policy.bits)[0].astype(np.int64)
            group[small_in(cells, policy.bits)] = -1
        risk, loss = left.risk, left.loss
        shown = _without_small(problem, group, left, shown)
    return TablesCandidate(
        id=policy.id,
        risk=Risk(risk, attacker=attacker, modelled=problem.table.covered is not None),
        utility=Utility(1.0 - loss, kept=KEPT),
        **shown,
    )


def _without_small(
    problem: Problem, group: npt.NDArray[np.int64], left: Suppressed, shown: _Shown
) -> _Shown:
    """Return what is shown of a policy when only cells with a group (not −1) are published."""
    cells = problem.cells
    kept = group >= 0
    inside = {}
    for name, (cell, value, count) in problem.sensitive.items():
        of_kept = kept[cell]
        inside[name] = (cell[of_kept], value[of_kept], count[of_kept])
    n = max(cells.records - left.records, 1)
    average = left.risk * cells.expected_reidentified / n
    sizes = np.bincount(group[kept], weights=cells.count[kept])
    whole = sizes[sizes > 0].astype(np.int64)
    found: _Shown = {
        **shown,
        "loss": left.loss,
        "loss_nats": left.loss_nats,
        "k": left.smallest_sample_group,
        "smallest_population_group": round(left.smallest_population_group, 6),
        "groups": left.groups,
        "prosecutor_risk": round(1.0 / max(left.smallest_sample_group, 1), 9),
        "average_group": round(n / max(left.groups, 1), 6),
        "suppressed": left.records,
        "risks": AbsoluteRisks(
            prosecutor_max=1.0 / max(left.smallest_sample_group, 1),
            prosecutor_average=left.groups / n,
            journalist_max=1.0 / max(left.smallest_population_group, 1.0),
            journalist_average=average,
            marketer=average,
            sample_uniqueness=float((whole == 1).sum()) / n,
            estimate=estimate_of(whole, whole, problem.fraction),
        ),
    }
    if inside and kept.any():
        number = np.unique(group, return_inverse=True)[1]
        members = {n_: within(number, joint) for n_, joint in inside.items()}
        present = {n_: w.renumbered() for n_, w in members.items()}
        return {**found, **shown_of(present, problem.ordered)}
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
) -> TablesReference:
    risk, loss = point
    beside = compared(name, risk, loss, [(r, l, "") for r, l, _ in entries])
    attacker = attacker_of(problem.table)
    shown = _shown(problem, policy, loss)
    return TablesReference(
        name=name,
        risk=Risk(risk, attacker=attacker, modelled=problem.table.covered is not None),
        utility=Utility(1.0 - loss, kept=KEPT),
        **shown,
        **beside.to_json(),
    )


def _facts(
    problem: Problem,
    run: Run,
    request: TablesRequest,
    entries: Sequence[_Entry],
    listed: int,
    area: float,
) -> dict[str, Any]:
    table, cells, lattice = problem.table, problem.cells, problem.lattice
    visited = run.visited[:: max(1, -(-len(run.visited) // _MOST_VISITED))]
    trace = [(e, a) for e, _, a in run.trace]
    if not trace or trace[-1][0] != run.evaluations:
        trace.append((run.evaluations, area))
    occupied = cells.weight[: cells.occupied]
    note = (
        f"{listed} of {len(entries):,} policies of the frontier are listed, evenly along it; "
        "the area is that of all of them."
        if listed < len(entries)
        else "every policy of the frontier is listed."
    )
    groups = size_histogram(cells.count, np.maximum(occupied, cells.count))
    if problem.people is not None:
        before = problem.people.groups(np.ones(cells.length, dtype=np.uint8))
        groups = size_histogram(before.records.astype(np.int64), before.around)
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
        "conditions": asdict(conditions_of(request)),
        "groups_before": tuple(GroupSize(**g) for g in groups),
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


def payload_of(
problem: Problem, *, risk: str = "population", loss: str = "kl",
    target: str | None = None, k: int = 5, conditions: Conditions | None = None,
    sampling_fraction: float | None = None,
) -> Terms:  # fmt: skip
    """Take the terms from the problem that was explored."""
    table = problem.table
    return Terms(
        resolved_schema(table),
        problem.lattice,
        table.population_codes,
        table.population_count,
        cells_hash(table),
        tuple(str(i.sha256) for i in table.inputs),
        int(problem.cells.least[0]),
        float(problem.cells.least[1]),
        risk,
        loss,
        target,
        k,
        conditions or Conditions(),
        margins_of(table, problem.lattice.sizes),
        sampling_fraction,
        table.covered,
    )
