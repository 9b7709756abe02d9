"""Tables: evaluator speed against pandas, quality of the frontier at fixed budgets, exactness, scale.

Speeds are thread CPU time, best of several, every figure of a ratio from the same run. The variable SFUMATO_PARTS names
some of the parts (such as "area,enumerable"); the others keep the figures of the run before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import anonymity
from benchmarks._common import RESULTS, best_of, data_folder, write_results
from sfumato.core.randomness import Streams
from sfumato.data.table import read_table
from sfumato.engines.tables.contingency._group_kernels import copy_groups
from sfumato.engines.tables.frontier.problem import Problem
from sfumato.engines.tables.frontier.steps import run_point, search
from sfumato.engines.tables.search import _kernels as kernels
from sfumato.engines.tables.search.run import Budget, SearchRun
from sfumato.engines.tables.space.safe_harbor import safe_harbor

SEEDS = 5
BUDGETS = (100, 1_000, 4_000, 14_780)
TENNESSEE = {
    "missing": "error",
    "attribute": [
        {"name": "zip", "role": "quasi", "domain": "population"},
        {"name": "age", "role": "quasi", "domain": {"range": [0, 120]}},
        {"name": "sex", "role": "quasi", "domain": {"values": ["Female", "Male"]}},
        # the order of the paper's figure 9
        {"name": "race", "role": "quasi", "domain": {"values": ["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"]}},
    ],
}  # fmt: skip
SECOND = {
    "missing": "error",
    "attribute": [
        {"name": n, "role": "quasi", "domain": "observed"}
        for n in ("age", "hours-per-week", "education", "sex")
    ],
}


def run() -> dict[str, Any]:
    folder = data_folder()
    if folder is None:
        return {"left_out": "the folder with real data was not found"}
    adult = folder / "table" / "adult"
    table = read_table(
        adult / "adult_tn_zip_SYNTH.csv.gz", TENNESSEE,
        folder / "table" / "population" / "tn_zip_age_sex_adultrace5_2010_MODELLED.csv.gz",
    )  # fmt: skip
    problem = Problem.of(table)
    second = Problem.of(read_table(adult / "adult_train.csv.gz", SECOND))
    before = RESULTS / "tables.json"
    results: dict[str, Any] = json.loads(before.read_text()) if before.exists() else {}
    for own in ("versions", "machine"):  # of that run
        results.pop(own, None)
    results |= {
        "records": problem.cells.records, "bits": problem.lattice.length,
        "cells": problem.cells.occupied, "population_cells": int(problem.cells.codes.shape[1]),
    }  # fmt: skip
    _warm(problem)
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "evaluators": lambda: _evaluators(problem),
        "area": lambda: _areas(problem, BUDGETS),
        "area_by_seconds": lambda: _seconds(problem),
        "second_layout": lambda: {
            "bits": second.lattice.length,
            **_areas(second, (100, 1_000, 3_600)),
        },
        "enumerable": lambda: _enumerable(folder),
        "safe_harbor": lambda: _safe_harbor(problem),
        "anonymity": _anonymity,
        "ten_million_rows": lambda: _ten_million(adult / "adult_tn_zip_SYNTH.csv.gz", folder),
    }
    for name in os.environ.get("SFUMATO_PARTS", ",".join(parts)).split(","):
        start = time.monotonic()
        results[name] = parts[name]()
        print(f"   {name}: {time.monotonic() - start:.0f} s", flush=True)
    return results


def _anonymity() -> dict[str, Any]:
    """Measure k-anonymity on tables with hierarchies (`anonymity`); return where the default search is behind."""
    found = anonymity.run()
    write_results("anonymity", found)
    behind = [
        f"{name}, {k}: {other}"
        for name, table in found["tables"].items()
        for k, utility in table["utility"].items()
        for other in ("shs", "rcs", "full domain", "anjana")
        if (utility[other] or 0.0) > (utility["exchange"] or 0.0)
    ]
    return {"tables": sorted(found["tables"]), "exchange_behind": behind}


def _start(problem: Problem, seed: int, **budget: Any) -> SearchRun:
    return SearchRun(problem.cells, problem.space, Budget(**budget), Streams(seed))


def _warm(problem: Problem) -> None:
    """Compile and cache every kernel before anything is timed."""
    search(_start(problem, 0, seconds=0.6), "exchange")
    search(_start(problem, 0, evaluations=4_000), "exchange")


# --- speed ---------------------------------------------------------------------------------------


def _pandas_twin(problem: Problem) -> Any:
    """What a user would write: generalise the columns, group, join with the population, add up."""
    import pandas as pd

    cells = problem.cells
    names = list(problem.lattice.names)
    sample = pd.DataFrame(dict(zip(names, cells.codes[:, : cells.occupied], strict=True)))
    sample["n"] = cells.count
    table = problem.table
    people = pd.DataFrame(dict(zip(names, table.population_codes, strict=True)))
    people["g"] = table.population_count

    def measure(bits: Any) -> tuple[float, float]:
        sums, spread = [], 0.0
        interval = cells.intervals(bits)
        for frame in (sample, people):
            general = frame.copy()
            for a, name in enumerate(names):
                general[name] = interval[a][frame[name]]
            sums.append(general.groupby(names, as_index=False).sum())
        groups = sums[0].merge(sums[1], on=names, how="left").fillna({"g": 0})
        n = groups["n"]
        for a, name in enumerate(names):
            width = np.bincount(interval[a, : cells.sizes[a]])
            spread += float((n * np.log(width[groups[name]])).sum())
        risk = float((n / np.maximum(n, groups["g"])).sum())
        nats = (cells.scale[0] - float((n * np.log(n)).sum()) + spread) / cells.records
        return risk / cells.scale[2], nats / cells.scale[3]

    return measure


def _evaluators(problem: Problem) -> dict[str, Any]:
    cells = problem.cells
    draw = np.random.default_rng(0)
    policies = [
        (draw.random(cells.length) < share).astype(np.uint8)
        for share in np.linspace(0.05, 0.95, 19)
    ]
    twin = _pandas_twin(problem)
    slow, expected = best_of(3, lambda: [twin(b) for b in policies])
    fast, got = best_of(7, lambda: [cells.measure(b) for b in policies])
    error = max(
        max(abs(m.risk - r), abs(m.loss - l)) for m, (r, l) in zip(got, expected, strict=True)
    )
    order = draw.permutation(cells.length)
    cells.walk(order)
    chain, along = best_of(9, lambda: cells.walk(order))
    greedy, neighbours, greedy_error = _greedy(problem)
    pandas_rate = len(policies) / slow
    rates = {
        "any_policy": len(policies) / fast,
        "chain": (len(order) + 1) / chain,
        "maintained_greedy": neighbours / greedy,
    }
    bits = np.ones(cells.length, dtype=np.uint8)
    bits[order[:300]] = 0
    check = cells.measure(bits)
    chain_error = max(abs(check.risk - along[299, 0]), abs(check.loss - along[299, 1]))
    return {
        "pandas_policies_per_second": pandas_rate,
        "policies_per_second": rates,
        "times_pandas": {name: rate / pandas_rate for name, rate in rates.items()},
        "largest_difference_from_pandas": error,
        "largest_difference_of_chain": chain_error,
        "largest_difference_of_greedy": greedy_error,
    }


def _greedy(problem: Problem) -> tuple[float, int, float]:
    cells = problem.cells
    length = cells.length
    room = length * (length + 1) // 2 + length
    found, at = np.empty((room, 3)), np.empty((room, 2), dtype=np.int64)
    order = np.empty(length, dtype=np.int64)
    bottom, groups = cells.bottom_groups(), cells.bottom_groups()
    nothing = np.zeros(length, dtype=np.uint8)
    best, written = np.inf, 0
    for _ in range(5):
        bits, deltas = np.ones(length, dtype=np.uint8), np.zeros((length, 3))
        start = time.thread_time()
        copy_groups(bottom, groups)
        kernels.all_deltas(groups, bits, cells.attribute_of_bit, cells.first, deltas, cells.nlogn)
        _, written = kernels.greedy(
            groups, bits, nothing, cells.attribute_of_bit, cells.first, cells.sizes, deltas,
            cells.nlogn, cells.scale, length, order, found, at, 0,
        )  # fmt: skip
        best = min(best, time.thread_time() - start)
    error = 0.0
    for i in np.linspace(0, written - 1, 40).astype(int):
        bits = np.ones(length, dtype=np.uint8)
        bits[order[: at[i, 0]]] = 0
        bits[at[i, 1]] = 0
        measured = cells.measure(bits)
        error = max(error, abs(measured.risk - found[i, 0]), abs(measured.loss - found[i, 1]))
    return best, written, error


# --- quality -------------------------------------------------------------------------------------


def _areas(problem: Problem, budgets: tuple[int, ...]) -> dict[str, Any]:
    strategies: list[tuple[str, str, dict[str, float], int]] = [
        ("exchange", "exchange", {}, SEEDS),
        ("shs_0.5", "shs", {"threshold": 0.5}, 2),  # half a minute a run: it prunes thousands
        ("shs_0.2", "shs", {"threshold": 0.2}, SEEDS),
        ("rcs", "rcs", {}, SEEDS),
        ("bisecting", "bisecting", {}, 2),
    ]
    found: dict[str, Any] = {}
    for name, strategy, options, seeds in strategies:
        rows: dict[int, list[float]] = {b: [] for b in budgets}
        for seed in range(seeds):
            # exchange plans by its budget, the others do not: one run with checkpoints serves them
            for budget in budgets if strategy == "exchange" else budgets[-1:]:
                run_ = SearchRun(
                    problem.cells, problem.space, Budget(budget), Streams(seed), checkpoints=budgets
                )
                search(run_, strategy, **options)
                assert run_.evaluations <= budget
                if strategy == "exchange":
                    rows[budget].append(run_.frontier.area())
                else:
                    seen = {e: a for e, _, a in run_.trace}
                    for mark in budgets:
                        rows[mark].append(seen.get(mark, run_.frontier.area()))
        found[name] = {
            str(b): {
                "mean": float(np.mean(a)),
                "deviation": float(np.std(a)),
                "worst": max(a),
                "seeds": seeds,
            }
            for b, a in rows.items()
        }
    last = str(budgets[-1])
    best_shs = min(found[s][last]["mean"] for s in ("shs_0.5", "shs_0.2"))
    found["exchange_below_best_shs"] = 1 - found["exchange"][last]["mean"] / best_shs
    return found


def _seconds(problem: Problem) -> dict[str, Any]:
    found = {}
    for limit in (1, 10):
        run_ = search(_start(problem, 0, seconds=limit), "exchange")
        found[str(limit)] = {
            "area": run_.frontier.area(), "cpu_seconds": run_.seconds,
            "evaluations": run_.evaluations, "policies": len(run_.frontier),
        }  # fmt: skip
    return found


def _enumerable(folder: Path) -> dict[str, Any]:
    """Lattices small enough for the exact frontier, cut from real tables in several ways."""
    rows = []
    for number, (name, problem) in enumerate(_small_problems(folder)):
        exact = search(_start(problem, 0), "exhaustive").frontier.area()
        found = search(_start(problem, 0), "exchange")
        rows.append(
            {"name": f"{number} {name}", "bits": problem.lattice.length, "exact": exact,
             "exchange": found.frontier.area(), "ratio": found.frontier.area() / exact,
             "evaluations": found.evaluations}
        )  # fmt: skip
    return {"lattices": rows, "mean_ratio": float(np.mean([r["ratio"] for r in rows]))}


def _small_problems(folder: Path) -> Any:
    import pandas as pd

    frame = pd.read_csv(folder / "table" / "adult" / "adult_train.csv.gz", dtype=str)
    age, hours = frame["age"].astype(int), frame["hours-per-week"].astype(int)
    columns = {
        "age5": np.minimum(age // 7, 12), "hours": np.minimum(hours // 10, 9),
        "education": frame["education-num"].astype(int), "sex": frame["sex"], "race": frame["race"],
        "marital": frame["marital-status"], "relationship": frame["relationship"],
        "workclass": frame["workclass"], "gain": np.minimum(frame["capital-gain"].astype(int) // 3000, 6),
    }  # fmt: skip
    layouts = (
        ("age5", "hours", "sex"), ("age5", "race", "marital"), ("education", "race", "sex"),
        ("hours", "marital", "relationship"), ("age5", "workclass", "sex"),
        ("education", "relationship"), ("hours", "race", "relationship", "sex"),
        ("age5", "gain", "race"), ("workclass", "marital", "race", "sex"), ("hours", "gain", "relationship"),
    )  # fmt: skip
    for layout in layouts:
        part = pd.DataFrame({c: columns[c] for c in layout})
        schema = {
            "missing": "value",
            "attribute": [{"name": c, "role": "quasi", "domain": "observed"} for c in layout],
        }
        # half of the lattices with a population: the table is then a tenth of it
        if len(layout) % 2:
            yield " × ".join(layout), Problem.of(read_table(part, schema))
        else:
            people = part.groupby(list(layout), as_index=False).size()
            people = people.rename(columns={"size": "count"})
            some = part.iloc[::10]
            schema["attribute"] = [
                {"name": c, "role": "quasi", "domain": "population"} for c in layout
            ]
            yield " × ".join(layout), Problem.of(read_table(some, schema, people))


def _safe_harbor(problem: Problem) -> dict[str, Any]:
    run_ = search(_start(problem, 0, seconds=10), "exchange")
    risk, loss = run_point(run_, safe_harbor(problem.lattice, problem.people_by_value()))
    points = run_.frontier.points()
    at_loss = min(r for r, u in points if 1 - u <= loss)
    at_risk = min(1 - u for r, u in points if r <= risk)
    return {
        "risk": risk, "loss": loss, "risk_at_its_loss": at_loss, "times_lower": risk / at_loss,
        "loss_at_its_risk": at_risk, "policies_better": len(run_.frontier.all_dominating(risk, 1 - loss)),
    }  # fmt: skip


# --- scale ---------------------------------------------------------------------------------------

_CHILD = """
import json, resource, sys, time
from benchmarks.tables import TENNESSEE, _start
from sfumato.data.table import read_table
from sfumato.engines.tables.frontier.problem import Problem
from sfumato.engines.tables.search import search
big, small, population = sys.argv[1:4]
found, problems = {}, {}
for label, path in (("ten_million", big), ("as_it_is", small)):
    start = time.monotonic()
    problems[label] = Problem.of(read_table(path, TENNESSEE, population))
    cells = problems[label].cells
    found[label] = {
        "rows": cells.records, "cells": cells.occupied, "read_seconds": time.monotonic() - start,
    }
search(_start(problems["as_it_is"], 0, seconds=0.5), "exchange")  # compiled before it is timed
for label, problem in problems.items():  # the default search, until it gains next to nothing
    run = search(_start(problem, 0), "exchange")
    found[label].update({
        "search_cpu_seconds": run.seconds, "evaluations": run.evaluations,
        "area": run.frontier.area(),
    })
found["resident_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(found))
"""


def _ten_million(adult: Path, folder: Path) -> dict[str, Any]:
    """Adult resampled to ten million rows, explored from Parquet in a process of its own."""
    import pyarrow as pa
    import pyarrow.csv as pcsv
    import pyarrow.parquet as pq

    population = folder / "table" / "population" / "tn_zip_age_sex_adultrace5_2010_MODELLED.csv.gz"
    given = pcsv.read_csv(
        adult, convert_options=pcsv.ConvertOptions(column_types={"zip": pa.string()})
    )
    draw = np.random.default_rng(0)
    found: dict[str, Any]
    with tempfile.TemporaryDirectory() as name:
        big = Path(name) / "adult.parquet"
        with pq.ParquetWriter(big, given.schema) as writer:
            for _ in range(20):
                writer.write_table(given.take(pa.array(draw.integers(0, given.num_rows, 500_000))))
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, str(big), str(adult), str(population)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        found = json.loads(done.stdout.splitlines()[-1])
    found["search_time_ratio"] = (
        found["ten_million"]["search_cpu_seconds"] / found["as_it_is"]["search_cpu_seconds"]
    )
    return found
