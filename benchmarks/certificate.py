"""The certified frontier: exact on small lattices, and the gap on larger ones as time goes on.

Seconds are CPU seconds of all threads over the number of threads, so that a busy machine does not count.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from benchmarks._common import data_folder
from benchmarks.tables import TENNESSEE, _small_problems, _start
from sfumato.data.table import read_table
from sfumato.engines.tables.certificate import certify
from sfumato.engines.tables.problem import Problem
from sfumato.engines.tables.search import search

THREADS = 2
SECONDS = {"43 bits": (1, 3, 10), "718 bits": (60, 300)}


def run() -> dict[str, Any]:
    folder = data_folder()
    if folder is None:
        return {"left_out": "the folder with real data was not found"}
    return {"threads": THREADS, "small": small(folder), "larger": larger(folder, SECONDS)}


def _clock() -> float:
    return time.process_time() / THREADS


def small(folder: Path) -> list[dict[str, Any]]:
    """Prove the exact frontier of every small lattice; compare with measuring every policy."""
    rows = []
    for number, (name, problem) in enumerate(_small_problems(folder)):
        found = search(_start(problem, 0), "exchange")
        before = found.frontier.area()
        start = time.process_time()
        proof = certify(found, 60.0, threads=1, clock=time.process_time)
        seconds = time.process_time() - start
        exact = search(_start(problem, 0), "exhaustive").frontier.area()
        rows.append(
            {
                "name": f"{number} {name}",
                "bits": problem.lattice.length,
                "searched": before,
                "proven": proof.area,
                "measured_whole": exact,
                "exact": proof.exact,
                "cpu_seconds": seconds,
            }
        )
    return rows


def larger(folder: Path, seconds: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    """Measure the gap between the frontier found and the bound, after several times."""
    makers = {"43 bits": lambda: _coarse(folder), "718 bits": lambda: _whole(folder)}
    found: dict[str, Any] = {}
    for name, limits in seconds.items():
        problem = makers[name]()
        budget = {} if problem.lattice.length < 100 else {"seconds": 10}
        run_ = search(_start(problem, 0, **budget), "exchange")
        area = run_.frontier.area()
        rows = []
        for limit in limits:
            proof = certify(run_, limit, threads=THREADS, clock=_clock)
            rows.append({"seconds": limit, "proven": proof.area, "gap": 1 - proof.area / area})
            print(f"   {name}: gap {rows[-1]['gap']:.3f} after {limit} s", flush=True)
        found[name] = {"bits": problem.lattice.length, "area": area, "anytime": rows}
    return found


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
