"""From a table and its schema to a frontier of de-identification policies, written down as frontier.json."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.errors import DataError, FormatError, NoCandidateError, ParameterError
from ...core.exploration import Candidate, Exploration, Reference
from ...core.measures import Risk, Utility
from ...core.randomness import Streams
from ...data.hierarchy import read_hierarchy
from ...data.table import Table, read_table
from ...data.table_schema import MISSING, TableSchema
from . import measures
from .cells import Cells
from .policy import Lattice, Policy
from .policy_files import load_policy
from .safe_harbor import find_age_and_zip, safe_harbor, told
from .search import Budget, Run, search
from .space import AttributeRule, Space

__all__ = ["Problem", "TablesExploration", "explore", "load_exploration"]

_MOST_CANDIDATES = 300
_AXES = {
    "risk": "expected re-identifications against the population, over those of the data as it is (eq. 2)",
    "utility": "1 − KL information loss / loss of the most general policy",
}
_SAMPLE_AS_POPULATION = (
    "no population was given: the sample stands for it, which overstates the risk"
)


@dataclass
class Problem:
    """A table made ready for the search: its lattice, its cells, and the policies that are allowed."""

    table: Table
    lattice: Lattice
    cells: Cells
    space: Space
    sensitive: dict[str, measures.Joint] = field(default_factory=dict)

    @classmethod
    def of(
        cls, table: Table, *, least_sample: int = 0, least_population: float = 0,
        cut_points: Mapping[str, Sequence[Any]] | None = None,
    ) -> Problem:  # fmt: skip
        """Make a table ready; constraints come from its schema and from the call."""
        lattice = Lattice(table.names, table.domains)
        if lattice.length == 0:
            raise DataError(
                "Every quasi-identifier has a single value: there is nothing to generalise.",
                hint="declare the whole domain in the schema, or publish the table as it is.",
            )
        space = Space([_rule(table, a, cut_points or {}) for a in range(len(table.names))])
        cells = Cells(
            lattice.sizes, table.codes, table.count, table.population_codes, table.population_count,
            least_sample=least_sample, least_population=least_population,
        )  # fmt: skip
        problem = cls(table, lattice, cells, space)
        if table.source is not None:
            for name in table.schema.names("sensitive"):
                problem.sensitive[name] = problem.joint(name)
        return problem

    def joint(self, column: str) -> measures.Joint:
        """Count another column within the cells."""
        cell, value, count = self.table.joint(column)
        return self.cells.place[cell], value, count

    def people_by_value(self) -> list[npt.NDArray[np.float64]]:
        """Count the population by the values of each attribute."""
        return [self.cells.value_weights[a, :s] for a, s in enumerate(self.lattice.sizes)]


def _rule(table: Table, a: int, cut_points: Mapping[str, Sequence[Any]]) -> AttributeRule:
    attribute = table.schema.quasi[a]
    domain = table.domains[a]
    nodes = None
    if attribute.hierarchy is not None:
        values = [v for v in domain if v != MISSING]
        nodes = read_hierarchy(table.schema.folder / attribute.hierarchy, values)
    cuts = None
    if attribute.name in cut_points:
        place = {value: i for i, value in enumerate(domain)}
        wanted = [str(v) for v in cut_points[attribute.name]]
        if any(v not in place for v in wanted):
            raise ParameterError(
                f"A cut point of {attribute.name!r} is not in its domain.",
                hint="a cut point is the first value of an interval.",
            )
        cuts = tuple(sorted({place[v] - 1 for v in wanted if place[v] > 0}))
    return AttributeRule(attribute.name, len(domain), attribute.keep, attribute.widest, nodes, cuts)


class TablesExploration(Exploration):
    """The frontier of a table. When it holds very many policies, `candidates` is an even selection.

    The area is always that of the whole frontier.
    """

    whole_area: float | None = None
    problem: Problem | None = None

    def area(self) -> float:
        return super().area() if self.whole_area is None else self.whole_area

    def save(self, directory: str | os.PathLike[str]) -> Path:
        """Write frontier.json and, with a population, population.npz for publishing later."""
        path = super().save(directory)
        table = None if self.problem is None else self.problem.table
        if table is not None and table.population_codes is not None:
            assert table.population_count is not None
            np.savez_compressed(
                Path(directory) / "population.npz",
                codes=table.population_codes, count=table.population_count,
            )  # fmt: skip
        return path


def explore(
    table: Any,
    schema: TableSchema | str | os.PathLike[str] | dict[str, Any] | None = None,
    population: Any = None,
    strategy: str = "exchange",
    *,
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
    progress: Callable[[int, float], None] | None = None,
) -> TablesExploration:
    """Search the policies of a table for the frontier of risk against utility.

    `table` is a path, a frame or a `Table`. `least_sample` and `least_population` are the smallest groups
    allowed; `cut_points` names the only values at which an attribute's intervals may begin; `references`
    maps names to policies (objects, files or intervals by attribute) to compare with. `risk`, `loss`,
    `target` and `k` choose other measures. Without `evaluations` or `seconds` the search ends when it
    gains next to nothing.
    """
    if not isinstance(table, Table):
        if schema is None:
            raise ParameterError(
                "A table needs a schema.", hint="draft one with `sfumato tables schema TABLE`."
            )
        table = read_table(table, schema, population)
    problem = Problem.of(
        table, least_sample=least_sample, least_population=least_population, cut_points=cut_points
    )
    known = _references(problem, references or {})
    run = Run(
        problem.cells, problem.space, Budget(evaluations, seconds), Streams(seed).child("tables"),
        progress=progress, score=_score(problem, risk, loss, target, k),
    )  # fmt: skip
    options: dict[str, float | None] = {}
    if strategy == "bisecting" and known:
        options["reference_risk"] = run_point(run, next(iter(known.values())))[0]
    if strategy == "shs" and threshold is not None:
        options["threshold"] = threshold
    search(run, strategy, **options)
    if len(run.frontier) == 0:
        raise _infeasible(problem, run)
    return _written(problem, run, seed, strategy, known, (risk, loss))


def run_point(run: Run, policy: Policy) -> tuple[float, float]:
    """Give risk and loss of a policy on the axes of a run, without counting it."""
    if run.score is not None:
        point = run.score(policy.bits)
        return point[0], point[1]
    measured = run.cells.measure(policy.bits)
    return measured.risk, measured.loss


def _score(
    problem: Problem, risk: str, loss: str, target: str | None, k: int
) -> Callable[[npt.NDArray[np.uint8]], tuple[float, float, bool]] | None:
    if (risk, loss) == ("population", "kl"):
        return None
    joint = None
    if target is not None:
        joint = problem.joint(target)
    elif problem.sensitive:
        joint = next(iter(problem.sensitive.values()))
    r = measures.risk_measure(risk, problem.cells, k=k)
    l = measures.loss_measure(loss, problem.cells, joint)

    def score(bits: npt.NDArray[np.uint8]) -> tuple[float, float, bool]:
        return r(bits), l(bits), problem.cells.measure(bits).below == 0

    return score


def _references(problem: Problem, given: Mapping[str, Any]) -> dict[str, Policy]:
    known = {}
    age, zip_code = find_age_and_zip(problem.lattice)
    if age is not None and zip_code is not None:
        people = problem.people_by_value() if problem.cells.has_population else None
        known["Safe Harbor"] = safe_harbor(problem.lattice, people)
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
    unique = not any(r.widest or r.nodes for r in problem.space.rules)
    if unique:
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


def _written(
    problem: Problem, run: Run, seed: int, strategy: str, known: Mapping[str, Policy],
    names: tuple[str, str],
) -> TablesExploration:  # fmt: skip
    table, cells, lattice = problem.table, problem.cells, problem.lattice
    axes = dict(_AXES)
    if names != ("population", "kl"):
        axes = {"risk": names[0], "utility": f"1 − {names[1]}"}
    found = TablesExploration("tables", seed=seed, axes=axes, inputs=table.inputs)
    found.problem = problem
    found.evaluations, found.seconds = run.evaluations, run.seconds
    found.whole_area = run.frontier.area()
    entries = [(r, 1.0 - u, packed) for r, u, packed in run.frontier.entries()]
    points = {name: run_point(run, policy) for name, policy in known.items()}
    kept = _selection(entries, list(points.values()))
    attacker = "knows the quasi-identifiers and the population" if cells.has_population else (
        "knows the quasi-identifiers and who is in the sample"
    )  # fmt: skip
    for i in kept:
        risk, loss, packed = entries[i]
        policy = Policy(lattice, packed)
        measured = cells.measure(policy.bits)
        details = {
            "policy": policy.intervals(),
            "summary": policy.summary(),
            "bits": policy.hex,
            "loss": loss,
            "loss_nats": measured.loss_nats,
            **measures.beside(cells, policy.bits, problem.sensitive),
        }
        found.add(
            Candidate(
                policy.id,
                Risk(risk, attacker=attacker),
                Utility(1.0 - loss, kept="distribution of the quasi-identifiers"),
                details,
                publisher=_publisher(problem, policy, risk, seed),
            )  # fmt: skip
        )
    found.references = [
        _reference(name, known[name], point, entries) for name, point in points.items()
    ]
    found.extra = _extra(problem, run, strategy, entries, len(kept))
    return found


def _publisher(problem: Problem, policy: Policy, promised: float, seed: int) -> Callable[..., Any]:
    def publish(data: Any, *, out: str | os.PathLike[str], **options: Any) -> Any:
        from .publishing import publish_policy

        return publish_policy(
            data, policy, problem.table.schema, out, promised_risk=promised, seed=seed,
            explored=problem.table.inputs, population=problem.table,
            least=(problem.cells.least[0], problem.cells.least[1]), **options,
        )  # fmt: skip

    return publish


def _selection(
    entries: Sequence[tuple[float, float, bytes]], references: Sequence[tuple[float, float]]
) -> list[int]:
    """Choose the candidates to list: all, or an even selection along the staircase and its log-risk view."""
    many = len(entries)
    if many <= _MOST_CANDIDATES:
        return list(range(many))
    risk, loss = np.array([e[0] for e in entries]), np.array([e[1] for e in entries])
    along = np.concatenate(([0.0], np.cumsum(np.abs(np.diff(risk)) + np.abs(np.diff(loss)))))
    logs = np.log10(np.maximum(risk, 1e-12))
    kept = {0, many - 1}
    for scale in (along, logs):
        wanted = np.linspace(scale[0], scale[-1], _MOST_CANDIDATES // 2 - 4)
        kept.update(np.clip(np.searchsorted(scale, wanted), 0, many - 1).tolist())
    for r, l in references:
        kept.add(int(np.clip(np.searchsorted(-loss, -l), 0, many - 1)))  # safest at its loss
        kept.add(max(0, int(np.searchsorted(risk, r, side="right")) - 1))  # best at its risk
    return sorted(kept)


def _reference(
    name: str, policy: Policy, point: tuple[float, float],
    entries: Sequence[tuple[float, float, bytes]],
) -> Reference:  # fmt: skip
    risk, loss = point
    at_loss = next((e[0] for e in entries if e[1] <= loss), None)
    at_risk = min((e[1] for e in entries if e[0] <= risk), default=None)
    better = sum(r <= risk and l <= loss and (r < risk or l < loss) for r, l, _ in entries)
    details = {
        "loss": loss,
        "policy": policy.intervals(),
        "dominated_by": better,
        "risk_at_same_loss": at_loss,
        "loss_at_same_risk": at_risk,
        "risk_ratio": risk / at_loss if at_loss else None,
        "in_words": told(name, risk, loss, better, at_loss, at_risk),
    }
    return Reference(name, risk, 1.0 - loss, details)


def _extra(
    problem: Problem, run: Run, strategy: str, entries: Sequence[tuple[float, float, bytes]],
    listed: int,
) -> dict[str, Any]:  # fmt: skip
    table, cells = problem.table, problem.cells
    assumptions = ["KL loss assumes values spread evenly within an interval"]
    if not cells.has_population:
        assumptions.append(_SAMPLE_AS_POPULATION)
    elif cells.without_population:
        assumptions.append(
            f"{cells.without_population:,} records stand in cells where the population counts no one; "
            "their group is the larger of population and sample"
        )
    if table.population_outside:
        assumptions.append(
            f"{table.population_outside:,.0f} people of the population lie outside the domains and are left out"
        )
    return {
        "strategy": strategy,
        "bits": problem.lattice.length,
        "records": cells.records,
        "dropped": table.dropped,
        "cells": cells.occupied,
        "population_cells": int(cells.codes.shape[1]) if cells.has_population else 0,
        "expected_reidentified": cells.expected_reidentified,
        "loss_top_nats": cells.loss_top_nats,
        "least_sample": int(cells.least[0]),
        "least_population": float(cells.least[1]),
        "schema": _resolved(table),
        "fingerprint": problem.lattice.fingerprint,
        "assumptions": assumptions,
        "trace": [
            {"evaluations": e, "seconds": round(s, 3), "area": a} for e, s, a in run.trace
        ],
        "visited": {"risk": [round(r, 9) for r, _ in run.visited],
                    "loss": [round(l, 9) for _, l in run.visited]},
        "frontier": {
            "policies": len(entries),
            "listed": listed,
            "note": "every policy of the frontier; `candidates` lists an even selection of them"
            if listed < len(entries) else "every policy of the frontier is listed in `candidates`",
            "risk": ",".join(f"{e[0]:.13g}" for e in entries),
            "loss": ",".join(f"{e[1]:.13g}" for e in entries),
            "bits": ",".join(e[2].hex() for e in entries),
        },
    }  # fmt: skip


def _resolved(table: Table) -> dict[str, Any]:
    """Write the schema down with every domain resolved, so that a policy fits other data too."""
    attributes: list[dict[str, Any]] = []
    domains = dict(zip(table.names, table.domains, strict=True))
    for attribute in table.schema.attributes:
        entry: dict[str, Any] = {"name": attribute.name, "role": attribute.role}
        if attribute.role == "quasi":
            values = domains[attribute.name]
            declared = table.schema.declared_domain(attribute)
            if attribute.is_range and declared == values:
                entry["domain"] = {"range": [int(values[0]), int(values[-1])]}
            else:
                entry["domain"] = {"values": list(values)}
            entry["keep"] = attribute.keep
        attributes.append(entry)
    return {"missing": table.schema.missing, "attribute": attributes}


def load_exploration(directory: str | os.PathLike[str]) -> Exploration:
    """Read a frontier of this engine back from its folder."""
    found = Exploration.load(directory)
    if found.engine != "tables":
        raise FormatError(
            f"The frontier in {Path(directory).name!r} is one of the engine {found.engine!r}.",
            hint="give a folder written by `sfumato tables explore`.",
        )
    return found
