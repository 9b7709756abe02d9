"""The certified frontier: exact on small lattices, and the gap on larger ones as time goes on.

Seconds are CPU seconds of all threads over the number of threads, so that a busy machine does not count.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._common import data_folder, resumed
from benchmarks.tables import TENNESSEE, _small_problems, _start
from sfumato.data.table import read_table
from sfumato.engines.tables.certificate.certify import certify
from sfumato.engines.tables.frontier.problem import Problem
from sfumato.engines.tables.frontier.steps import search
from sfumato.engines.tables.search.run import SearchRun

THREADS = 2
SECONDS = {"43 bits": (1, 3, 10), "718 bits": (10, 60, 300)}
TRIES = 1_000_000
NEIGHBOURS = 5_000


def run() -> dict[str, Any]:
    folder = data_folder()
    if folder is None:
        return {"left_out": "the folder with real data was not found"}
    return {"threads": THREADS, "small": small(folder), "larger": larger(folder, SECONDS)}


def _clock() -> float:
    return time.process_time() / THREADS


def small(folder: Path) -> list[dict[str, Any]]:
    """Prove the exact frontier of every small lattice; compare with measuring every policy."""
    return [
        resumed(
            "certificate",
            f"small-{number}",
            lambda problem=problem, name=name, number=number: _small(f"{number} {name}", problem),
        )
        for number, (name, problem) in enumerate(_small_problems(folder))
    ]


def _small(name: str, problem: Problem) -> dict[str, Any]:
    found = search(_start(problem, 0), "exchange")
    before = found.frontier.area()
    start = time.process_time()
    proof = certify(found, 60.0, threads=1, clock=time.process_time)
    seconds = time.process_time() - start
    exact = search(_start(problem, 0), "exhaustive").frontier.area()
    return {
        "name": name, "bits": problem.lattice.length, "searched": before, "proven": proof.area,
        "measured_whole": exact, "exact": proof.exact, "cpu_seconds": seconds,
    }  # fmt: skip


def larger(folder: Path, seconds: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    """Measure the gap between the frontier found and the bound after several times, and try to break the bound."""
    makers = {"43 bits": lambda: _coarse(folder), "718 bits": lambda: _whole(folder)}
    found: dict[str, Any] = {}
    for name, limits in seconds.items():
        problem = makers[name]()
        budget = {} if problem.lattice.length < 100 else {"seconds": 10}
        run_ = search(_start(problem, 0, **budget), "exchange")
        area = run_.frontier.area()
        rows = [
            resumed(
                "certificate",
                f"{name.split()[0]}-{limit}",
                lambda run_=run_, limit=limit: _proof(run_, limit),
            )
            for limit in limits
        ]
        steps = rows[-1]["staircase"]
        tries = resumed(
            "certificate",
            f"{name.split()[0]}-tries",
            lambda problem=problem, steps=steps: _tries(problem, steps),
        )
        for row in rows:
            row.pop("staircase")
        found[name] = {
            "bits": problem.lattice.length, "free_bits": int(problem.space.free_bits.size),
            "area": area, "anytime": rows, "tries": tries,
        }  # fmt: skip
    return found


def _proof(run_: SearchRun, limit: int) -> dict[str, Any]:
    proof = certify(run_, limit, threads=THREADS, clock=_clock)
    gap = 1 - proof.area / run_.frontier.area()
    print(f"   gap {gap:.4f} after {limit} s", flush=True)
    return {"seconds": limit, "proven": proof.area, "gap": gap, "staircase": proof.staircase}


def _tries(problem: Problem, steps: list[tuple[float, float]]) -> dict[str, Any]:
    """Look for a policy beyond the bound: a greedy search, neighbours of its frontier, random chains."""
    greedy = search(_start(problem, 1), "exchange")
    points, draw = list(greedy.frontier.points()), np.random.default_rng(0)
    found = list(greedy.frontier)
    for _ in range(NEIGHBOURS):
        bits = greedy.unpack(found[int(draw.integers(len(found)))]).copy()
        bits[draw.choice(problem.space.free_bits, size=int(draw.integers(1, 4)))] ^= 1
        measured = problem.cells.measure(bits)
        points.append((measured.risk, 1 - measured.loss))
    left = max(TRIES - greedy.evaluations - NEIGHBOURS, 100_000)
    chains = search(_start(problem, 2, evaluations=left), "rcs")
    points += chains.frontier.points()
    risks, utilities = np.array(steps).T
    at = np.searchsorted(risks, [r + 1e-12 for r, _ in points], side="right") - 1
    room = np.where(at < 0, -1.0, utilities[at]) - [u for _, u in points]
    return {
        "policies": greedy.evaluations + NEIGHBOURS + chains.evaluations,
        "beyond": int((room < -1e-9).sum()),
        "nearest": float(room.min()),
    }


def _whole(folder: Path) -> Problem:
    people = folder / "table" / "population" / "tn_zip_age_sex_adultrace5_2010_MODELLED.csv.gz"
    table = folder / "table" / "adult" / "adult_tn_zip_SYNTH.csv.gz"
    return Problem.of(read_table(table, TENNESSEE, people))


def _coarse(folder: Path) -> Problem:
    """Adult × Tennessee by three-digit ZIP codes and five-year ages."""
    import pandas as pd

    table = pd.read_csv(
        folder / "table" / "adult" / "adult_tn_zip_SYNTH.csv.gz", dtype={"zip": str}
    )
    people = pd.read_csv(
        folder / "table" / "population" / "tn_zip_age_sex_adultrace5_2010_MODELLED.csv.gz",
        dtype={"zip": str},
    )
    for frame in (table, people):
        frame["zip"] = frame["zip"].str.zfill(5).str[:3]
        frame["age"] = (frame["age"] // 5).clip(upper=24)
    people = people.groupby(["zip", "age", "sex", "race"], as_index=False)["count"].sum()
    schema = {
        **TENNESSEE,
        "attribute": [
            {"name": "zip", "role": "quasi", "domain": "population"},
            {"name": "age", "role": "quasi", "domain": {"range": [0, 24]}},
            *TENNESSEE["attribute"][2:],
        ],
    }
    return Problem.of(read_table(table[["age", "sex", "race", "zip"]], schema, people))
