"""The paper's experiments on any table: figures 5 to 8 as tidy data and as charts.

Figure 5: area by policies searched, each strategy, mean and deviation. Figure 6: the heuristic H against the
share of policies that do update the frontier. Figure 7: the policies visited and the frontier. Figure 8: the
frontier, Safe Harbor (where there are an age and a ZIP code) and the bisecting search.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np

from ...core.errors import ParameterError
from ...core.files import whole_directory, write_json
from ...core.randomness import Streams
from ...data.inputs import PopulationInput, SchemaInput, TableInput
from ...data.table import Table, read_table
from ...engines.tables.frontier.problem import Problem
from ...engines.tables.frontier.steps import run_point, search
from ...engines.tables.search.chains import measure_chain, random_chain
from ...engines.tables.search.run import Budget, SearchRun
from ...engines.tables.search.sublattices import random_sublattice, update_probability
from ...engines.tables.space.policy import Policy
from ...engines.tables.space.safe_harbor import find_roles, safe_harbor
from ..writing import draw_charts, with_style, write_charts, write_csv

__all__ = ["TablesStudyPlan", "study"]

_STRATEGIES: tuple[tuple[str, str, dict[str, float]], ...] = (
    ("exchange", "exchange", {}),
    ("SHS", "shs", {"threshold": 0.5}),
    ("SHS TH 0.2", "shs", {"threshold": 0.2}),
    ("RCS", "rcs", {}),
    ("bisecting", "bisecting", {}),
)
Say = Callable[[str], None]
_WIDTH = 480


@dataclass(frozen=True)
class TablesStudyPlan:
    """How much is searched: policies of each run, runs of each strategy, sublattices of figure 6."""

    evaluations: int | None = None
    runs: int = 3
    sublattices: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        if self.runs < 1 or self.sublattices < 10:
            raise ParameterError("A study needs at least 1 run and 10 sublattices.")


class Area(TypedDict):
    """The area under a run's frontier after a number of policies."""

    strategy: str
    run: int
    evaluations: int
    area: float


class Mean(TypedDict):
    """The areas of a strategy's runs after a number of policies."""

    strategy: str
    evaluations: int
    mean: float
    deviation: float


class Sublattice(TypedDict):
    """What H says of a sublattice, and the share of a chain in it that updates the frontier."""

    H: float
    updates: float
    policies: int


class Heuristic(TypedDict):
    """How well H predicts the updates."""

    sublattices: int
    correlation: float
    slope: float
    groups: list[dict[str, float]]


class Point(TypedDict):
    """A policy on the plane of risk and loss."""

    kind: str
    risk: float
    loss: float


def study(
    table: TableInput,
    schema: SchemaInput,
    population: PopulationInput | None,
    out: str | os.PathLike[str],
    *,
    plan: TablesStudyPlan | None = None,
    force: bool = False,
    say: Say = lambda _line: None,
) -> dict[str, object]:
    """Run the experiments and write figure_5.csv … figure_8.csv, their charts, and study.json."""
    plan = plan or TablesStudyPlan()
    runs, sublattices, seed = plan.runs, plan.sublattices, plan.seed
    if not isinstance(table, Table):
        if schema is None:
            raise ParameterError("A table needs a schema.")
        table = read_table(table, schema, population)
    problem = Problem.of(table)
    budget = plan.evaluations or min(14_780, 20 * (problem.lattice.length + 1))
    with whole_directory(out, force=force) as folder:
        areas, last = _areas(problem, budget, runs, seed, say)
        summary = _summary(areas)
        write_csv(folder / "figure_5.csv", areas)
        write_csv(folder / "figure_5_summary.csv", summary)
        heuristic, facts_6 = _heuristic(problem, sublattices, seed)
        say(f"figure 6: H and the update rate correlate at {facts_6['correlation']:.2f}")
        write_csv(folder / "figure_6.csv", heuristic)
        visited = _visited_points(last["SHS"])
        write_csv(folder / "figure_7.csv", visited)
        compared, facts_8 = _compare(problem, last, budget, seed)
        write_csv(folder / "figure_8.csv", compared)
        facts: dict[str, object] = {
            "bits": problem.lattice.length,
            "records": problem.cells.records,
            "runs": runs,
            "evaluations": budget,
            "seed": seed,
            "has_population": problem.cells.has_population,
            "area": {
                name: next(s for s in reversed(summary) if s["strategy"] == name)
                for name in {s["strategy"] for s in summary}
            },
            "figure_6": facts_6,
            "frontier_policies": {name: len(run.frontier) for name, run in last.items()},
            "figure_8": facts_8,
        }
        write_json(folder / "study.json", facts)
        _charts(folder, summary, heuristic, visited, compared)
    return facts


def _areas(
    problem: Problem, budget: int, runs: int, seed: int, say: Say
) -> tuple[list[Area], dict[str, SearchRun]]:
    step = max(1, min(100, budget // 10))
    rows: list[Area] = []
    last: dict[str, SearchRun] = {}
    for name, strategy, options in _STRATEGIES:
        for number in range(runs):
            marks = range(step, budget + 1, step)
            run = SearchRun(
                problem.cells, problem.space, Budget(budget),
                Streams(seed).child(f"study {name} {number}"), checkpoints=marks,
            )  # fmt: skip
            search(run, strategy, **options)
            seen = {e: a for e, _, a in run.trace}
            area = None
            for mark in marks:  # a strategy that ends early stays where it is
                area = seen.get(mark, run.frontier.area() if mark > run.evaluations else area)
                if area is not None:
                    rows.append(
                        {"strategy": name, "run": number, "evaluations": mark, "area": area}
                    )
            if number == 0:
                last[name] = run
        say(f"figure 5: {name} reaches an area of {rows[-1]['area']:.4f}")
    return rows, last


def _summary(areas: Sequence[Area]) -> list[Mean]:
    groups: dict[tuple[str, int], list[float]] = {}
    for row in areas:
        groups.setdefault((row["strategy"], row["evaluations"]), []).append(row["area"])
    return [
        {
            "strategy": name, "evaluations": mark, "mean": float(np.mean(a)),
            "deviation": float(np.std(a, ddof=1)) if len(a) > 1 else 0.0,
        }
        for (name, mark), a in groups.items()
    ]  # fmt: skip


def _heuristic(problem: Problem, how_many: int, seed: int) -> tuple[list[Sublattice], Heuristic]:
    """Compare H with the share of a random chain's policies that the frontier does not dominate."""
    streams = Streams(seed).child("study H")
    draw = streams.generator("sublattices")
    space, bottom = problem.space, problem.space.bottom
    start = SearchRun(problem.cells, space, Budget(), streams)
    start.measure(bottom)
    measure_chain(start, bottom, random_chain(space, draw))
    points = np.array(start.frontier.points())
    risk, loss = points[:, 0], 1.0 - points[:, 1]
    rows: list[Sublattice] = []
    for _ in range(how_many):
        upper, lower = random_sublattice(space.length, space.free_bits, bottom, [], draw)
        upper, lower = space.project(upper), space.project(lower)
        chain = SearchRun(problem.cells, space, Budget(), streams)
        ends = chain.measure(upper), chain.measure(lower)
        h = update_probability(ends[0][:2], ends[1][:2], risk, loss)
        steps = random_chain(space, draw, lower, upper)
        order = np.array([s[0] for s in steps], dtype=np.int64)
        if space.coupled or order.size == 0:
            continue
        before = np.flatnonzero(lower == 0)
        on_chain = problem.cells.walk(np.concatenate((before, order)))[before.size :]
        updates = sum(
            not start.frontier.dominates(float(r), 1.0 - float(l)) for r, l in on_chain[:, :2]
        )
        rows.append({"H": h, "updates": updates / len(order), "policies": len(order)})
    h_values = np.array([r["H"] for r in rows])
    e_values = np.array([r["updates"] for r in rows])
    facts: Heuristic = {
        "sublattices": len(rows),
        "correlation": 0.0,
        "slope": 0.0,
        "groups": [],
    }
    if len(rows) > 1 and h_values.std() > 0 and e_values.std() > 0:
        facts["correlation"] = float(np.corrcoef(h_values, e_values)[0, 1])
        facts["slope"] = float(np.polyfit(h_values, e_values, 1)[0])
    for k in range(10):
        low, high = k / 10, (k + 1) / 10
        inside = e_values[(h_values >= low) & ((h_values < high) | (k == 9))]
        if inside.size:
            half = 1.96 * inside.std(ddof=1) / np.sqrt(inside.size) if inside.size > 1 else 0.0
            facts["groups"].append(
                {"H_up_to": high, "sublattices": int(inside.size), "mean": float(inside.mean()),
                 "low": float(inside.mean() - half), "high": float(inside.mean() + half)}
            )  # fmt: skip
    return rows, facts


def _visited_points(run: SearchRun) -> list[Point]:
    rows: list[Point] = [{"kind": "visited", "risk": r, "loss": l} for r, l in run.visited]
    rows += [{"kind": "frontier", "risk": r, "loss": 1.0 - u} for r, u in run.frontier.points()]
    return rows


def _compare(
    problem: Problem, last: Mapping[str, SearchRun], budget: int, seed: int
) -> tuple[list[Point], dict[str, object]]:
    rows: list[Point] = []
    for name in ("exchange", "SHS"):
        rows += [
            {"kind": name, "risk": r, "loss": 1.0 - u} for r, u in last[name].frontier.points()
        ]
    if not find_roles(problem.lattice).applicable:
        return rows, {"safe_harbor": None}
    people = problem.people_by_value() if problem.cells.has_population else None
    policy: Policy = safe_harbor(problem.lattice, people)
    risk, loss = run_point(last["exchange"], policy)
    rows.append({"kind": "Safe Harbor", "risk": risk, "loss": loss})
    run = SearchRun(
        problem.cells, problem.space, Budget(budget), Streams(seed).child("study bisecting")
    )
    search(run, "bisecting", reference_risk=risk)
    found = [(r, 1.0 - u) for r, u in run.frontier.points() if r <= risk]
    rows += [{"kind": "bisecting", "risk": r, "loss": l} for r, l in found]
    facts: dict[str, object] = {"safe_harbor": {"risk": risk, "loss": loss}}
    for name in ("exchange", "SHS"):
        frontier = last[name].frontier
        better = frontier.all_dominating(risk, 1.0 - loss)
        at_loss = [r for r, u in frontier.points() if 1.0 - u <= loss]
        beaten = [p for p in found if frontier.dominates(p[0], 1.0 - p[1])]
        facts[name] = {
            "dominating_safe_harbor": len(better),
            "risk_at_safe_harbor_loss": at_loss[0] if at_loss else None,
            "risk_ratio": risk / at_loss[0] if at_loss and at_loss[0] > 0 else None,
            "share_of_bisecting_dominated": len(beaten) / len(found) if found else None,
        }
    return rows, facts


def _charts(
    folder: Path,
    summary: Sequence[Mean],
    heuristic: Sequence[Sublattice],
    visited: Sequence[Point],
    compared: Sequence[Point],
) -> None:
    """Write each figure as a Vega-Lite specification and as SVG."""
    specs = dict(_specs(summary, heuristic, visited, compared))
    write_charts(folder, {name: with_style(spec, width=_WIDTH) for name, spec in specs.items()})
    draw_charts(folder)


def _axis(field: str, title: str, **scale: str) -> dict[str, object]:
    return {"field": field, "type": "quantitative", "title": title, "scale": scale}


def _specs(
    summary: Sequence[Mean],
    heuristic: Sequence[Sublattice],
    visited: Sequence[Point],
    compared: Sequence[Point],
) -> Iterable[tuple[str, dict[str, object]]]:
    base = {"width": _WIDTH, "height": 320}
    color = {"field": "strategy", "type": "nominal", "title": None}
    band = [
        {**s, "low": s["mean"] - s["deviation"], "high": s["mean"] + s["deviation"]}
        for s in summary
    ]
    x = _axis("evaluations", "policies searched", type="log")
    yield "figure_5", {
        **base, "title": "Area under the frontier during the search", "data": {"values": band},
        "layer": [
            {"mark": {"type": "area", "opacity": 0.2},
             "encoding": {"x": x, "y": _axis("low", "area under the frontier"),
                          "y2": {"field": "high"}, "color": color}},
            {"mark": "line", "encoding": {"x": x, "y": _axis("mean", "area under the frontier"),
                                          "color": color}},
        ],
    }  # fmt: skip
    yield "figure_6", {
        **base, "title": "What the heuristic H predicts, and what happens",
        "data": {"values": heuristic}, "mark": {"type": "point", "opacity": 0.4},
        "encoding": {"x": _axis("H", "H(s, f)"), "y": _axis("updates", "share of policies that update")},
    }  # fmt: skip
    titled = (
        ("figure_7", "Policies that the search visited", visited),
        ("figure_8", "The frontiers compared with Safe Harbor", compared),
    )
    for name, title, rows in titled:
        for suffix, scale in (("", {}), ("_log", {"type": "log"})):
            shown = rows if not scale else [r for r in rows if r["risk"] > 0]
            yield name + suffix, {
                **base, "title": title, "data": {"values": shown}, "mark": {"type": "point", "size": 12},
                "encoding": {"x": _axis("risk", "risk", **scale), "y": _axis("loss", "information loss"),
                             "color": {"field": "kind", "type": "nominal", "title": None}},
            }  # fmt: skip
