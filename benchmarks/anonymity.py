"""k-anonymity on tables with hierarchies: utility at k = 5 and 11, and areas, beside what others find.

SHS and RCS have the same number of evaluations. "full domain" is the best of all ways to choose one level of each
hierarchy, which is the space that ARX searches and so the best it can find under this loss; anjana (where
installed) chooses levels greedily. Suppression leaves out, or blanks cells of, at most one per cent of the records.
`python -m benchmarks anonymity`; the variable SFUMATO_TABLES names some of the tables (between semicolons), SFUMATO_PARTS some of areas,
utility and diversity (what was measured before is kept), and SFUMATO_ROWS the most rows that diversity is measured on
(drawn evenly). A run that was cut short goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import tarfile
import tempfile
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._common import RESULTS, data_folder, resumed
from sfumato import tables
from sfumato.core.errors import NoCandidateError
from sfumato.core.randomness import Streams
from sfumato.data.hierarchy import hierarchy_nodes, hierarchy_order
from sfumato.data.table import read_table
from sfumato.engines.tables.frontier.problem import Problem
from sfumato.engines.tables.frontier.steps import search
from sfumato.engines.tables.groups.conditions import Conditions
from sfumato.engines.tables.groups.record_suppression import suppress_groups
from sfumato.engines.tables.search.run import Budget, SearchRun

TABLES = {
    "adult": ("adult_arx", "adult.csv", ["age", "sex", "race", "marital-status", "education", "workclass"], "occupation"),
    "adult, three": ("adult_arx", "adult.csv", ["age", "education", "native-country"], "occupation"),
    "fars": ("fars_int", "fars_int.csv", ["iage", "isex", "irace", "istatenum", "ideathmon"], "iinjury"),
    "creditcard": ("creditcard_int", "creditcard_int.csv", ["AGE", "EDUCATION", "MARRIAGE", "LIMIT_BAL", "PAY_0"], "PAY_2"),
    "cmc": ("kaylode_cmc", "cmc.csv", ["Weducation", "age", "children"], "method"),
    "mgm": ("kaylode_mgm", "mgm.csv", ["age", "shape", "margin", "density"], "bi_rads_assessment"),
}  # fmt: skip
"""Archive, file, quasi-identifiers and sensitive column."""
KS = (5, 11)
SHARE = 0.01
DIVERSITY = {"l 2": {"min_l": 2}, "l 3": {"min_l": 3}, "t 0.3": {"max_t": 0.3}}
DIVERSITY_SHARES = (0.0, 0.02)
EVALUATIONS = 1_000
BUDGETS = (100, 300, 1_000)
SEEDS = range(3)
RATIO = "exchange / best of the others"


def run() -> dict[str, Any]:
    """Measure every table; tables measured before are kept where only some are asked for."""
    folder = data_folder()
    if folder is None:
        return {"left_out": "the folder with real data was not found"}
    wanted = os.environ.get("SFUMATO_TABLES", ";".join(TABLES)).split(";")
    before = RESULTS / "anonymity.json"
    found = json.loads(before.read_text())["tables"] if before.exists() else {}
    with tempfile.TemporaryDirectory() as work:
        for name in wanted:
            found.setdefault(name, {}).update(_measured(name, folder, Path(work), *TABLES[name]))
            print(f"   {name}: {json.dumps(found[name])}", flush=True)
    return {
        "evaluations": EVALUATIONS,
        "share_suppressed": SHARE,
        "tables": found,
        "diversity_ratios": _ratios(found),
    }


def _ratios(found: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Return ours / best of the others under diversity, by condition and table, and the least of them."""
    rows: dict[str, dict[str, float]] = {}
    for name, of_table in sorted(found.items()):
        for condition, row in of_table.get("diversity", {}).items():
            if isinstance(row, dict) and RATIO in row:
                rows.setdefault(condition, {})[name] = row[RATIO]
    least = min((ratio for row in rows.values() for ratio in row.values()), default=1.0)
    return {**rows, "least": {"of all": least}}


def _measured(
    name: str, folder: Path, work: Path, archive: str, file: str, columns: list[str], sensitive: str
) -> dict[str, Any]:
    with tarfile.open(folder / "table" / "hierarchies" / f"{archive}.tar.gz") as packed:
        packed.extractall(work, filter="data")
    root = work / archive
    sep = ";" if ";" in (root / file).read_text(encoding="utf-8").split("\n", 1)[0] else ","
    read = pd.read_csv(root / file, sep=sep, dtype=str, usecols=[*columns, sensitive])
    frame = read[columns]
    paths = {c: root / f"{Path(file).stem}_hierarchy_{c}.csv" for c in columns}
    schema = {
        "missing": "value",
        "attribute": [
            {"name": c, "role": "quasi", "domain": "observed", "hierarchy": str(paths[c])}
            for c in columns
        ],
    }
    problem = Problem.of(read_table(frame, schema))
    levels = _levels(problem, paths)
    parts = os.environ.get("SFUMATO_PARTS", "areas,utility,diversity").split(",")
    found: dict[str, Any] = {
        "rows": len(frame),
        "cells": problem.cells.occupied,
        "bits": problem.lattice.length,
    }
    if "areas" in parts:
        found["areas"] = _areas(problem)
    if "utility" in parts:
        found["utility"] = {f"k {k}": _at_k(frame, schema, problem, levels, paths, k) for k in KS}
    if "diversity" in parts:
        found["diversity"] = _diversity(name, read, schema, paths, sensitive)
    return found


def _diversity(
    name: str, frame: pd.DataFrame, schema: dict[str, Any], paths: dict[str, Path], sensitive: str
) -> dict[str, Any]:
    """Return the best utilities under diversity and closeness, with and without suppression, and their ratio."""
    most = int(os.environ.get("SFUMATO_ROWS", len(frame)))
    if len(frame) > most:
        frame = frame.sample(most, random_state=0).reset_index(drop=True)
    asked = {
        **schema,
        "attribute": [*schema["attribute"], {"name": sensitive, "role": "sensitive"}],
    }
    problem = Problem.of(read_table(frame, asked))
    levels = _levels(problem, paths)
    found: dict[str, Any] = {"rows": len(frame)}
    for k, (kind, wanted), share in product(KS, DIVERSITY.items(), DIVERSITY_SHARES):

        def at_condition(
            k: int = k, wanted: dict[str, Any] = wanted, share: float = share
        ) -> dict[str, Any]:
            request = {"min_k": k, "suppress": share, **wanted}
            row = {s: _best(frame, asked, s, **request) for s in ("exchange", "shs", "rcs")}
            row["full domain"] = _diverse_full_domain(problem, levels, k, share, wanted)
            others = [row[n] for n in ("shs", "rcs", "full domain") if row[n]]
            if row["exchange"] is not None and others:
                row[RATIO] = round(row["exchange"] / max(others), 4)
            return row

        condition = f"k {k}, {kind}, {share:.0%} left out"
        found[condition] = resumed("anonymity", f"{name}, {len(frame)}, {condition}", at_condition)
        print(f"   {name}, {condition}: {found[condition]}", flush=True)
    return found


def _diverse_full_domain(
    problem: Problem, levels: list[list[Any]], k: int, share: float, wanted: dict[str, Any]
) -> float | None:
    """Return the best utility of a choice of levels that leaves out small groups and those that lack diversity."""
    cells = problem.cells.with_least(max(k, wanted.get("min_l", 0)), 0)
    columns = problem.sensitive_columns(Conditions(**wanted))
    most = int(share * cells.records)
    best = None
    for chosen in product(*levels):
        bits = np.concatenate(chosen)
        if cells.measure(bits).below > most:
            continue
        left, _ = suppress_groups(cells, bits, columns, most=most)
        if left.records <= most and left.groups and (best is None or 1 - left.loss > best):
            best = 1 - left.loss
    return None if best is None else round(best, 5)


def _areas(problem: Problem) -> dict[str, Any]:
    """Return the areas of each strategy after the same numbers of evaluations; several seeds of the drawn ones."""
    found: dict[str, Any] = {}
    for budget in BUDGETS:
        row = {}
        for strategy in ("exchange", "shs", "rcs"):
            seeds = [0] if strategy == "exchange" else SEEDS
            areas = []
            for seed in seeds:
                streams = Streams(seed).child("tables")
                made = SearchRun(problem.cells, problem.space, Budget(budget), streams)
                areas.append(search(made, strategy).frontier.area())
            row[strategy] = {"best": round(min(areas), 5), "mean": round(float(np.mean(areas)), 5)}
        found[str(budget)] = row
    return found


def _at_k(
    frame: pd.DataFrame, schema: dict[str, Any], problem: Problem, levels: list[list[Any]],
    paths: dict[str, Path], k: int,
) -> dict[str, Any]:  # fmt: skip
    found: dict[str, Any] = {}
    for strategy in ("exchange", "shs", "rcs"):
        found[strategy] = _best(frame, schema, strategy, min_k=k)
    found["exchange, records left out"] = _best(frame, schema, "exchange", min_k=k, suppress=SHARE)
    found["exchange, cells blanked"] = _best(
        frame, schema, "exchange", min_k=k, suppress=SHARE, suppress_as="cells"
    )
    found["full domain"] = _full_domain(problem, levels, k, 0.0)
    found["full domain, records left out"] = _full_domain(problem, levels, k, SHARE)
    found["anjana"] = _anjana(frame, problem, paths, k)
    return found


def _best(frame: pd.DataFrame, schema: dict[str, Any], strategy: str, **asked: Any) -> float | None:
    try:
        explored = tables.explore(
            frame, schema=schema, strategy=strategy, evaluations=EVALUATIONS, **asked
        )
    except NoCandidateError:
        return None
    return round(max(c.utility.value for c in explored.candidates), 5)


def _levels(problem: Problem, paths: dict[str, Path]) -> list[list[Any]]:
    """Return, by attribute, the bits of each level of its hierarchy, from the values to one group."""
    found = []
    for domain, path in zip(problem.lattice.domains, paths.values(), strict=True):
        rows = [
            r.split(";" if ";" in r else ",")
            for r in path.read_text(encoding="utf-8-sig").splitlines()
            if r
        ]
        known = {r[0].strip(): [c.strip() for c in r] for r in rows}
        assert set(hierarchy_order(path)) >= {v for v in domain if v != "?"}
        hierarchy_nodes(str(path), [v for v in domain if v != "?"], Path())
        of_attribute = []
        for level in range(len(rows[0])):
            names = [known.get(v, ["?"] * len(rows[0]))[level] for v in domain]
            bits = np.array([a != b for a, b in pairwise(names)], dtype=np.uint8)
            of_attribute.append(bits)
        of_attribute.append(np.zeros(len(domain) - 1, dtype=np.uint8))
        found.append(of_attribute)
    return found


def _utility(problem: Problem, bits: Any, k: int, share: float) -> float | None:
    """Return the utility of a policy, leaving out small groups up to a share; None where that is not enough."""
    cells = problem.cells.with_least(k, 0)
    measured = cells.measure(bits)
    if measured.below == 0:
        return 1.0 - measured.loss
    if measured.below > share * cells.records:
        return None
    return 1.0 - suppress_groups(cells, bits)[0].loss


def _full_domain(problem: Problem, levels: list[list[Any]], k: int, share: float) -> float | None:
    found = [_utility(problem, np.concatenate(chosen), k, share) for chosen in product(*levels)]
    known = [u for u in found if u is not None]
    return round(max(known), 5) if known else None


def _anjana(frame: pd.DataFrame, problem: Problem, paths: dict[str, Path], k: int) -> float | None:
    """Return the utility of anjana's levels; None where it is not installed or finds nothing."""
    try:
        from anjana.anonymity import k_anonymity
    except ImportError:
        return None
    names = list(paths)
    hierarchies = {}
    for name, path in paths.items():
        rows = [
            r.split(";" if ";" in r else ",")
            for r in path.read_text(encoding="utf-8-sig").splitlines()
            if r
        ]
        hierarchies[name] = {i: np.array([r[i].strip() for r in rows]) for i in range(len(rows[0]))}
    made = k_anonymity(frame.copy(), [], names, k, 0, hierarchies)
    if made is None or len(made) == 0:
        return None
    bits = []
    for a, name in enumerate(names):
        shown = dict(zip(frame[name], made[name], strict=True))
        domain = problem.lattice.domains[a]
        labels = [str(shown.get(v, v)) for v in domain]
        bits.append(np.array([x != y for x, y in pairwise(labels)], dtype=np.uint8))
    found = _utility(problem, np.concatenate(bits), k, 0.0)
    return None if found is None else round(found, 5)
