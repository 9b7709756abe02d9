"""The default search beside SHS and RCS at the same number of evaluations, on many layouts of the tables at hand.

Five seeds of each; the best and the mean over them are compared. `python -m benchmarks searches`; the variable
SFUMATO_LAYOUTS names some of the layouts (a line each), SFUMATO_STRATEGIES some of the searches; what is not measured
keeps the figures of the run before.
"""

from __future__ import annotations

import json
import os
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._common import RESULTS, data_folder
from sfumato.core.randomness import Streams
from sfumato.data.table import read_table
from sfumato.engines.tables.frontier.problem import Problem
from sfumato.engines.tables.frontier.steps import search
from sfumato.engines.tables.search.run import Budget, SearchRun

BUDGETS = (100, 300, 1_000)
SEEDS = range(5)
ARCHIVES = {
    "adult": ("adult_arx", "adult.csv"),
    "fars": ("fars_int", "fars_int.csv"),
    "creditcard": ("creditcard_int", "creditcard_int.csv"),
    "cmc": ("kaylode_cmc", "cmc.csv"),
    "mgm": ("kaylode_mgm", "mgm.csv"),
}
ADULT = ["age", "sex", "race", "marital-status", "education", "workclass"]
ADULT_MORE = [*ADULT, "native-country", "occupation", "salary-class"]
FARS = ["iage", "isex", "irace", "istatenum", "ideathmon"]
FARS_MORE = [*FARS, "ideathday", "ihispanic", "iinjury"]
CARD = ["AGE", "EDUCATION", "MARRIAGE", "LIMIT_BAL", "PAY_0"]
CARD_PAID = ["LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE", "PAY_0", "PAY_2", "PAY_3", "PAY_4", "PAY_5", "PAY_6"]  # fmt: skip
CARD_BILLS = ["AGE", "LIMIT_BAL", "EDUCATION", "BILL_AMT1", "PAY_AMT1"]
CARD_16 = [*CARD_PAID, "BILL_AMT1", "BILL_AMT2", "PAY_AMT1", "PAY_AMT2", "default-payment-next-month"]  # fmt: skip
CMC = ["Weducation", "age", "children"]
CMC_MORE = ["age", "Weducation", "Heducation", "children", "religion", "working", "occupation", "solindex", "exposure", "method"]  # fmt: skip
MGM = ["age", "shape", "margin", "density"]
# name: table, columns, rows (drawn evenly; 0: all), whether the hierarchies are used
LAYOUTS: dict[str, tuple[str, list[str], int, bool]] = {
    "adult, 6 columns, hierarchies": ("adult", ADULT, 0, True),
    "adult, 6 columns": ("adult", ADULT, 0, False),
    "adult, 9 columns, hierarchies": ("adult", ADULT_MORE, 0, True),
    "adult, 9 columns": ("adult", ADULT_MORE, 0, False),
    "adult, 9 columns, 1000 rows, hierarchies": ("adult", ADULT_MORE, 1_000, True),
    "adult, 9 columns, 1000 rows": ("adult", ADULT_MORE, 1_000, False),
    "adult, 3 columns, hierarchies": ("adult", ["age", "education", "occupation"], 0, True),
    "fars, 5 columns, hierarchies": ("fars", FARS, 0, True),
    "fars, 5 columns": ("fars", FARS, 0, False),
    "fars, 8 columns, 5000 rows, hierarchies": ("fars", FARS_MORE, 5_000, True),
    "fars, 8 columns, 5000 rows": ("fars", FARS_MORE, 5_000, False),
    "creditcard, 5 columns, hierarchies": ("creditcard", CARD, 0, True),
    "creditcard, 5 columns": ("creditcard", CARD, 0, False),
    "creditcard, 11 columns, hierarchies": ("creditcard", CARD_PAID, 0, True),
    "creditcard, 11 columns": ("creditcard", CARD_PAID, 0, False),
    "creditcard, bills, 2000 rows, hierarchies": ("creditcard", CARD_BILLS, 2_000, True),
    "creditcard, bills, 2000 rows": ("creditcard", CARD_BILLS, 2_000, False),
    "creditcard, 16 columns, 2000 rows, hierarchies": ("creditcard", CARD_16, 2_000, True),
    "creditcard, 16 columns, 2000 rows": ("creditcard", CARD_16, 2_000, False),
    "cmc, 3 columns, hierarchies": ("cmc", CMC, 0, True),
    "cmc, 3 columns": ("cmc", CMC, 0, False),
    "cmc, 10 columns": ("cmc", CMC_MORE, 0, False),
    "mgm, 4 columns, hierarchies": ("mgm", MGM, 0, True),
    "mgm, 4 columns": ("mgm", MGM, 0, False),
}


def run() -> dict[str, Any]:
    """Measure every layout that is asked for."""
    folder = data_folder()
    if folder is None:
        return {"left_out": "the folder with real data was not found"}
    before = RESULTS / "searches.json"
    found: dict[str, Any] = json.loads(before.read_text())["layouts"] if before.exists() else {}
    with tempfile.TemporaryDirectory() as work:
        for name, problem in problems(folder, Path(work)):
            start = time.monotonic()
            found[name] = compared(problem, found.get(name, {}).get("area", {}))
            print(f"   {name}: {time.monotonic() - start:.0f} s, {found[name]}", flush=True)
    return {
        "seeds": len(SEEDS),
        "layouts": found,
        "exchange_behind": _behind(found, ""),
        "mean_of_exchange_behind_mean": _behind(found, ", mean"),
    }


def _behind(found: dict[str, Any], which: str) -> list[str]:
    """List the layouts and budgets at which the default is behind one of the others."""
    return sorted(
        f"{name}, {budget}"
        for name, row in found.items()
        for budget, areas in row["area"].items()
        if areas[f"exchange{which}"] > min(areas[f"shs{which}"], areas[f"rcs{which}"]) + 1e-9
    )


def problems(folder: Path, work: Path) -> Any:
    """Yield the layouts that are asked for, made ready for a search."""
    ready: dict[str, Callable[[], Problem]] = {
        name: lambda layout=layout: _of_archive(folder, work, *layout)  # type: ignore[misc]
        for name, layout in LAYOUTS.items()
    }
    ready["30 columns, 3000 rows"] = lambda: _thirty(folder, work)
    ready["adult and Tennessee, 718 cuts"] = lambda: _tennessee(folder)
    ready["adult, 4 columns of the second layout"] = lambda: _second(folder)
    for name in os.environ.get("SFUMATO_LAYOUTS", "\n".join(ready)).split("\n"):
        yield name, ready[name]()


def compared(problem: Problem, before: dict[str, dict[str, float]]) -> dict[str, Any]:
    """Return the areas of each search: the best and the mean over the seeds."""
    areas = {str(b): dict(before.get(str(b), {})) for b in BUDGETS}
    wanted = os.environ.get("SFUMATO_STRATEGIES", "exchange,shs,rcs").split(",")
    for strategy in ("shs", "rcs"):
        if strategy not in wanted:
            continue
        by_budget: dict[int, list[float]] = {b: [] for b in BUDGETS}
        for seed in SEEDS:  # their plans do not depend on the budget: one run with checkpoints
            made = SearchRun(
                problem.cells, problem.space, Budget(BUDGETS[-1]),
                Streams(seed).child("tables"), checkpoints=BUDGETS,
            )  # fmt: skip
            search(made, strategy)
            seen = {evaluations: area for evaluations, _, area in made.trace}
            for budget in BUDGETS:
                by_budget[budget].append(seen.get(budget, made.frontier.area()))
        for budget, found in by_budget.items():
            areas[str(budget)][strategy] = round(min(found), 5)
            areas[str(budget)][f"{strategy}, mean"] = round(float(np.mean(found)), 5)
    for budget in BUDGETS if "exchange" in wanted else ():
        found = []
        for seed in SEEDS:
            made = SearchRun(
                problem.cells, problem.space, Budget(budget), Streams(seed).child("tables")
            )
            found.append(search(made, "exchange").frontier.area())
            assert made.evaluations <= budget
        areas[str(budget)]["exchange"] = round(min(found), 5)
        areas[str(budget)]["exchange, mean"] = round(float(np.mean(found)), 5)
    return {
        "bits": problem.lattice.length,
        "records": problem.cells.records,
        "cells": problem.cells.occupied,
        "area": areas,
    }


def _read(folder: Path, work: Path, table: str) -> tuple[pd.DataFrame, Path]:
    archive, file = ARCHIVES[table]
    with tarfile.open(folder / "table" / "hierarchies" / f"{archive}.tar.gz") as packed:
        packed.extractall(work, filter="data")
    path = work / archive / file
    return pd.read_csv(path, sep=";", dtype=str), path


def _of_archive(
    folder: Path, work: Path, table: str, columns: list[str], rows: int, hierarchies: bool
) -> Problem:
    frame, path = _read(folder, work, table)
    frame = frame[columns]
    if rows:
        frame = frame.iloc[:: len(frame) // rows].head(rows)
    attributes: list[dict[str, Any]] = []
    for column in columns:
        attributes.append({"name": column, "role": "quasi", "domain": "observed"})
        hierarchy = path.with_name(f"{path.stem}_hierarchy_{column}.csv")
        if hierarchies and hierarchy.exists():
            attributes[-1]["hierarchy"] = str(hierarchy)
    return Problem.of(read_table(frame, {"missing": "value", "attribute": attributes}))


def _thirty(folder: Path, work: Path) -> Problem:
    """Two tables side by side: what a file looks like that holds everything."""
    left = pd.read_csv(folder / "table" / "adult" / "adult_train.csv.gz", dtype=str).head(3_000)
    right, _ = _read(folder, work, "creditcard")
    wide = right[CARD_16].head(3_000).add_prefix("card ")
    frame = pd.concat([left.drop(columns="fnlwgt"), wide], axis=1)
    attributes = [{"name": c, "role": "quasi", "domain": "observed"} for c in frame.columns]
    return Problem.of(read_table(frame, {"missing": "value", "attribute": attributes}))


def _tennessee(folder: Path) -> Problem:
    from benchmarks.tables import TENNESSEE

    population = folder / "table" / "population" / "tn_zip_age_sex_adultrace5_2010_MODELLED.csv.gz"
    adult = folder / "table" / "adult" / "adult_tn_zip_SYNTH.csv.gz"
    return Problem.of(read_table(adult, TENNESSEE, population))


def _second(folder: Path) -> Problem:
    from benchmarks.tables import SECOND

    return Problem.of(read_table(folder / "table" / "adult" / "adult_train.csv.gz", SECOND))
