"""From a table and its schema to a frontier of de-identification policies.

Risk is the expected number of records that an attacker names against the population, over that of the
data as it is (equation 2); utility is 1 − KL information loss over that of the most general policy.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...compute import engine as compute_engine
from ...core.engine import Progress, no_progress
from ...core.errors import FormatError, NoCandidateError, ParameterError, PrivacyWarning
from ...core.exploration import placed
from ...core.measures import Risk, Utility
from ...core.randomness import Streams
from ...data.table import Table, read_table
from ...data.table_schema import TableSchema
from ...data.table_source import Source
from . import measures
from .certificate import certify
from .conditions import Conditions
from .exploration import ATTACKER, ATTACKER_OF_SAMPLE, KEPT, TablesExploration
from .people import People
from .policy import Policy
from .policy_files import load_policy
from .problem import Problem, counted
from .records import (
    AbsoluteRisks,
    Certificate,
    GroupSize,
    PopulationFacts,
    TablesCandidate,
    TablesFrontier,
    TablesReference,
)
from .registries import LOSSES, RISKS
from .request import TablesRequest
from .safe_harbor import NAME as SAFE_HARBOR
from .safe_harbor import compared, find_roles, safe_harbor
from .search import Budget, Run, search
from .suppression import Suppressed, small_in, suppressed_point
from .terms import Terms

__all__ = ["explored", "run_point"]

_MOST_CANDIDATES = 300
_MOST_VISITED = 2_000
_CHAINS = 50  # a default budget of so many chains: a second or two on 700 cuts
_LEAST_BUDGET = 4_000
_AXES = {
    "risk": "expected re-identifications against the population, over those of the data as it is (eq. 2)",
    "utility": "1 − KL information loss / loss of the most general policy",
}
_REPEATED = (
    "{names}: an identifier stands in several rows. If they are about one person, five rows of one person "
    'count as a group of five. Hint: give the column that names the person role = "person".'
)
_Entry = tuple[float, float, bytes]
_Bits = npt.NDArray[np.uint8]


def explored(request: TablesRequest, *, progress: Progress = no_progress) -> TablesExploration:
    """Search the policies of a table for the frontier of risk against utility.

    Without `evaluations` or `seconds` the search makes as many evaluations as fifty chains do; only a
    budget of evaluations repeats to the byte.
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
    repeated = _repeated_identifiers(problem.table)
    if repeated:
        warnings.warn(_REPEATED.format(names=", ".join(repeated)), PrivacyWarning, stacklevel=2)
    known = _references(problem, request)
    evaluations = request.evaluations
    if evaluations is None and request.seconds is None:
        evaluations = max(_LEAST_BUDGET, _CHAINS * (problem.lattice.length + 1))
    run = Run(
        problem.cells,
        problem.space,
        Budget(evaluations, request.seconds),
        Streams(request.seed).child("tables"),
        progress=_told(progress, evaluations),
        score=_score(problem, request),
        condition=_condition(problem, conditions),
        max_below=int(conditions.max_suppressed * problem.cells.records),
    )
    options: dict[str, float | None] = {}
    if request.strategy == "bisecting" and known:
        options["reference_risk"] = run_point(run, next(iter(known.values())))[0]
    if request.strategy == "shs" and request.threshold is not None:
        options["threshold"] = request.threshold
    search(run, request.strategy, **options)
    if len(run.frontier) == 0:
        raise _infeasible(problem, run)
    certificate = None
    if request.certify > 0:
        threads = request.threads or min(2, os.cpu_count() or 1)
        proof = certify(run, request.certify, threads=threads)
        certificate = Certificate(
            area=proof.area,
            staircase=proof.staircase,
            seconds=request.certify,
            exact=proof.exact,
        )
    return _found(problem, run, request, known, certificate)


def _repeated_identifiers(table: Table) -> list[str]:
    """Return the identifiers that stand in several rows, where the schema names no person."""
    names = table.schema.names("identifier")
    if table.schema.person is not None or table.source is None or not names:
        return []
    cells = [table.schema.cell(name) for name in names]
    asked = ", ".join(
        f"count({cell}) - count(DISTINCT {cell}) AS r{i}" for i, cell in enumerate(cells)
    )
    found = table.source.query(f"SELECT {asked} FROM {table.source.sql}")  # noqa: S608 (quoted)
    return [name for i, name in enumerate(names) if found.column(f"r{i}")[0].as_py()]


def conditions_of(request: TablesRequest) -> Conditions:
    """Return the conditions of a request; what cannot go together is refused."""
    if request.suppress > 0:
        sizes = request.min_k or request.min_population or request.max_individual_risk
        if not sizes:
            raise ParameterError(
                "Leaving out records needs a smallest size of groups.",
                hint="give min_k, min_population or max_individual_risk too.",
            )
        if (request.risk, request.loss) != ("population", "kl") or request.certify:
            raise ParameterError(
                "Leaving out records goes with the default risk and loss, and without a certificate."
            )
    return Conditions(
        request.min_l, request.diversity, request.recursive_c, request.max_t,
        request.max_average_risk, request.suppress,
    )  # fmt: skip


def _condition(problem: Problem, conditions: Conditions) -> Callable[[_Bits], bool] | None:
    if not conditions.asks:
        return None
    if (conditions.min_l > 0 or conditions.max_t is not None) and not problem.sensitive:
        raise ParameterError(
            "Diversity and closeness are about sensitive columns, and the schema names none.",
            hint='give a column role = "sensitive".',
        )
    return lambda bits: conditions.holds(
        problem.cells, bits, problem.sensitive, problem.ordered, problem.people
    )


def _table(request: TablesRequest) -> Table:
    if isinstance(request.table, Table):
        return request.table
    if request.schema_ is None:
        raise ParameterError(
            "A table needs a schema.", hint="draft one with `sfumato tables schema TABLE`."
        )
    schema, opened = TableSchema.of(request.schema_), Source.open(request.table)
    schema.check_decided()
    counts = counted(opened, schema, compute_engine(request.engine, threads=request.threads))
    return read_table(opened, schema, request.population, counts=counts)


def _cuts(values: str | Iterable[object]) -> Sequence[object]:
    """Return the cut points of an attribute; the command line gives them as 20:40:60."""
    return values.split(":") if isinstance(values, str) else list(values)


def _told(progress: Progress, evaluations: int | None) -> Callable[[int, float], None]:
    done = 0

    def tell(measured: int, _area: float) -> None:
        nonlocal done
        progress(measured - done, total=evaluations, note="policies measured")
        done = measured

    return tell


def run_point(run: Run, policy: Policy) -> tuple[float, float]:
    """Return risk and loss of a policy on the axes of a run, without counting it."""
    if run.score is not None:
        point = run.score(policy.bits)
        return point[0], point[1]
    measured = run.cells.measure(policy.bits)
    return measured.risk, measured.loss


def _score(
    problem: Problem, request: TablesRequest
) -> Callable[[_Bits], tuple[float, float, bool]] | None:
    if (request.risk, request.loss) == ("population", "kl") and problem.people is None:
        return None
    joint = None
    name = target_of(problem, request)
    if name is not None:
        joint = problem.sensitive[name] if name in problem.sensitive else problem.joint(name)
    context = measures.Context(problem.cells, request.k, joint)
    of_risk = RISKS.named(request.risk).of(context)
    of_loss = LOSSES.named(request.loss).of(context)
    if problem.people is not None:
        return _score_of_people(problem.people, request, of_risk, of_loss)

    def score(bits: _Bits) -> tuple[float, float, bool]:
        return of_risk(bits), of_loss(bits), problem.cells.measure(bits).below == 0

    return score


def _score_of_people(
    people: People, request: TablesRequest, of_risk: measures.Measure, of_loss: measures.Measure
) -> Callable[[_Bits], tuple[float, float, bool]]:
    """Return a score that counts different people in every group."""
    if request.suppress > 0:
        raise ParameterError(
            "Records are left out only where all rows of a person have the same quasi-identifiers.",
            hint="leave 'suppress' out, or publish one row per person.",
        )

    def score(bits: _Bits) -> tuple[float, float, bool]:
        groups = people.groups(bits)
        risk = people.risk(groups, request.risk, request.k)
        if risk is None:
            risk = of_risk(bits)
        return risk, of_loss(bits), people.allowed(groups)

    return score


def target_of(problem: Problem, request: TablesRequest) -> str | None:
    """Return the column whose information is to be kept: the one named, or the first sensitive one."""
    if request.target is not None or request.loss != "mutual-information":
        return request.target
    return next(iter(problem.sensitive), None)


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


def _infeasible(problem: Problem, run: Run) -> NoCandidateError:
    top = problem.space.project(np.zeros(problem.space.length, dtype=np.uint8))
    measured = problem.cells.measure(top)
    if not any(r.widest or r.nodes for r in problem.space.rules):  # the top is then unique
        return NoCandidateError(
            "The constraints conflict: even the most general policy that they allow has a group of "
            f"{measured.smallest_sample_group:,} records and {measured.smallest_population_group:,.0f} people.",
            hint="lower the smallest group size allowed, or let go of an attribute that must stay.",
        )
    return NoCandidateError(
        f"None of the {run.evaluations:,} policies measured meets the smallest group sizes together with "
        "the other constraints.",
        hint="widen the intervals allowed, lower the smallest group size allowed, or search longer.",
    )


# --- what is written down ------------------------------------------------------------------------


def _found(
    problem: Problem,
    run: Run,
    request: TablesRequest,
    known: Mapping[str, Policy],
    certificate: Certificate | None,
) -> TablesExploration:
    table = problem.table
    on_axes = (request.risk, request.loss) == ("population", "kl")
    axes = dict(_AXES) if on_axes else {"risk": request.risk, "utility": f"1 − {request.loss}"}
    entries = [(r, 1.0 - u, packed) for r, u, packed in run.frontier.entries()]
    points = {name: run_point(run, policy) for name, policy in known.items()}
    kept = _selection(entries, list(points.values()))
    area = run.frontier.area()
    candidates, listed_area = placed([_candidate(problem, run, entries[i]) for i in kept])
    if run.max_below:  # measured anew without the records left out: the points have moved
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
    terms = Terms.of(
        problem, risk=request.risk, loss=request.loss, target=target, k=request.k,
        conditions=conditions_of(request), sampling_fraction=request.sampling_fraction,
    )  # fmt: skip
    return TablesExploration(record, terms, known)


class _Shown(measures.Shown):
    """What is shown of a policy besides the two axes; the fields of `PolicyFields`."""

    policy: dict[str, tuple[str, ...]]
    ends: dict[str, tuple[int, ...]]
    bits: str
    loss: float
    suppressed: int


def _shown(problem: Problem, policy: Policy, loss: float) -> _Shown:
    shown: _Shown = {
        "policy": {n: tuple(labels) for n, labels in policy.intervals().items()},
        "ends": policy.ends(),
        "bits": policy.hex,
        "loss": loss,
        "suppressed": 0,
        **measures.beside(
            problem.cells, policy.bits, problem.sensitive, problem.ordered,
            problem.fraction if problem.people is None else None,
        ),
    }  # fmt: skip
    if problem.people is not None:
        groups = problem.people.groups(policy.bits)
        shown["k"] = int(groups.people.min())
        shown["smallest_population_group"] = round(float(groups.around.min()), 6)
        shown["prosecutor_risk"] = round(1.0 / shown["k"], 9)
        shown["average_group"] = round(float(groups.people.mean()), 6)
        shown["risks"] = groups.risks(problem.fraction)
    return shown


def _candidate(problem: Problem, run: Run, entry: _Entry) -> TablesCandidate:
    risk, loss, packed = entry
    policy = Policy(problem.lattice, packed)
    attacker = ATTACKER if problem.cells.has_population else ATTACKER_OF_SAMPLE
    shown = _shown(problem, policy, loss)
    if run.max_below:
        left = suppressed_point(problem.cells, policy.bits)
        risk, loss = left.risk, left.loss
        shown = _without_small(problem, policy, left, shown)
    return TablesCandidate(
        id=policy.id,
        risk=Risk(risk, attacker=attacker),
        utility=Utility(1.0 - loss, kept=KEPT),
        **shown,
    )


def _without_small(problem: Problem, policy: Policy, left: Suppressed, shown: _Shown) -> _Shown:
    """Return what is shown of a policy whose small groups are left out."""
    cells = problem.cells
    kept = ~small_in(cells, policy.bits)
    inside = {}
    for name, (cell, value, count) in problem.sensitive.items():
        of_kept = kept[cell]
        inside[name] = (cell[of_kept], value[of_kept], count[of_kept])
    n = max(cells.records - left.records, 1)
    average = left.risk * cells.expected_reidentified / n
    group, _ = measures.group_sizes(cells, policy.bits)
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
            sample_uniqueness=float((sizes == 1).sum()) / n,
            estimate=measures.estimate_of(whole, whole, problem.fraction),
        ),
    }
    if inside and kept.any():
        number = np.unique(group, return_inverse=True)[1]
        within = {n_: measures.within(number, joint) for n_, joint in inside.items()}
        present = {n_: w.renumbered() for n_, w in within.items()}
        diverse = {n_: measures.diversity(w) for n_, w in present.items()}
        found["l_diversity"] = {n_: d for n_, (d, _) in diverse.items()}
        found["l_diversity_entropy"] = {n_: round(e, 6) for n_, (_, e) in diverse.items()}
        found["t_closeness"] = {
            n_: round(measures.closeness(w, ordered=problem.ordered.get(n_, False)), 6)
            for n_, w in present.items()
        }
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
    attacker = ATTACKER if problem.cells.has_population else ATTACKER_OF_SAMPLE
    return TablesReference(
        name=name,
        risk=Risk(risk, attacker=attacker),
        utility=Utility(1.0 - loss, kept=KEPT),
        **_shown(problem, policy, loss),
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
    groups = measures.size_histogram(cells.count, np.maximum(occupied, cells.count))
    return {
        "strategy": request.strategy,
        "risk_measure": request.risk,
        "loss_measure": request.loss,
        "rows": table.rows,
        "records": cells.records,
        "people": table.people,
        "dropped": table.dropped,
        "quasi": lattice.names,
        "sensitive": tuple(problem.sensitive),
        "domains": dict(zip(lattice.names, lattice.sizes, strict=True)),
        "lattice_bits": lattice.length,
        "fingerprint": lattice.fingerprint,
        "cells": cells.occupied,
        "population": cells.has_population,
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
        "assumptions": tuple(_assumptions(problem, run, request)),
        "frontier_size": len(entries),
        "frontier_note": note,
        "full_area": area,
        "trace": tuple(trace),
        "visited": tuple((round(r, 9), round(1.0 - l, 9)) for r, l in visited),
        "visited_total": run.evaluations,
    }


def _kept_identifiers(schema: TableSchema) -> list[str]:
    """Return what Safe Harbor would remove although the schema publishes it as it is."""
    kept = [
        a.name
        for a in schema.attributes
        if a.role in {"sensitive", "other"} and a.meaning not in {None, "other"}
    ]
    if not kept:
        return []
    said = (
        f"{', '.join(kept)[:400]}: published as declared, which Safe Harbor does not allow; the "
        "comparison is about the quasi-identifiers."
    )
    return [said]


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


def _assumptions(problem: Problem, run: Run, request: TablesRequest) -> list[str]:
    table, cells = problem.table, problem.cells
    said = []
    if request.loss == "kl":
        said.append("The KL loss takes values as spread evenly within an interval.")
    if request.loss == "mutual-information":
        said.append(
            f"The information about {target_of(problem, request)!r} is the plug-in estimate, which is too "
            "high where groups are small."
        )
    if table.people is not None:
        said.append(
            f"Groups count different people: {table.people:,} in {table.rows:,} rows. A record is a person "
            f"with one combination of quasi-identifiers; rows are published without a link between them."
        )
    declared = {a.name for a in table.schema.attributes}
    columns = [] if table.source is None else table.source.columns
    unknown = sum(column not in declared for column in columns)
    if unknown and table.schema.undeclared == "error":
        said.append(
            f"{unknown:,} columns of the table are not declared: publishing refuses them until the schema "
            "does, or drops them."
        )
    repeated = _repeated_identifiers(table)
    if repeated:
        said.append(_REPEATED.format(names=", ".join(repeated)[:300]))
    if problem.fraction is not None:
        said.append(
            f"The table is taken as a simple random sample of {problem.fraction:.3g} of its population; what "
            "is said of the population is estimated, and its ranges need no other assumption."
        )
    elif request.sampling_fraction is not None:
        said.append("A population was given, so nothing is estimated from the sampling fraction.")
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
    roles = find_roles(problem.lattice, meanings=problem.meanings)
    if roles.applicable:
        said.append(roles.in_words(problem.lattice.names)[:600])
        said += _kept_identifiers(table.schema)
    if request.certify > 0:
        said.append("The proof was limited by time: another run may prove more or less.")
    if run.budget.seconds is not None:
        said.append("The search was limited by time: another run may find another frontier.")
    return said
