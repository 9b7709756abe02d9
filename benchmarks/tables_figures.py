"""Figures 6 and 7 of the tables paper on our table: what the heuristic H predicts, and what one run of SHS visits.

The paper draws 24,240 sublattices and visits 14,780 policies; so does this, by `sfumato tables study`'s own function.
"""

from __future__ import annotations

import csv
import json
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks._common import data_folder
from benchmarks.tables import TENNESSEE
from sfumato.laboratory.tables.study import TablesStudyPlan, study

POLICIES, SUBLATTICES = 14_780, 24_240
BINS = 40
"""The plane of risk and loss is cut into so many bins on each side, to keep what was visited in a small file."""


def run() -> dict[str, Any]:
    folder = data_folder()
    if folder is None:
        return {"left_out": "the folder with real data was not found"}
    table = folder / "table"
    population = table / "population" / "tn_zip_age_sex_adultrace5_2010_MODELLED.csv.gz"
    plan = TablesStudyPlan(evaluations=POLICIES, runs=1, sublattices=SUBLATTICES)
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "study"
        start = time.process_time()
        study(table / "adult" / "adult_tn_zip_SYNTH.csv.gz", TENNESSEE, population, out, plan=plan, say=print)  # fmt: skip
        seconds = time.process_time() - start
        facts = json.loads((out / "study.json").read_text(encoding="utf-8"))
        with (out / "figure_7.csv").open(encoding="utf-8", newline="") as file:
            points = [(row["kind"], float(row["risk"]), float(row["loss"])) for row in csv.DictReader(file)]  # fmt: skip
    visited = [(risk, loss) for kind, risk, loss in points if kind == "visited"]
    frontier = [(risk, loss) for kind, risk, loss in points if kind == "frontier"]
    bins = Counter((_bin(risk), _bin(loss)) for risk, loss in visited)
    return {
        "records": facts["records"],
        "bits": facts["bits"],
        "cpu_seconds": round(seconds, 1),
        "heuristic": facts["figure_6"],
        "visited": {
            "policies": facts["evaluations"],
            "different_points": len(set(visited)),
            "frontier_policies": facts["frontier_policies"]["SHS"],
            "frontier_points": len(set(frontier)),
            "bins_on_a_side": BINS,
            "bins": [[risk, loss, n] for (risk, loss), n in sorted(bins.items())],
            "frontier": [[float(f"{risk:.4g}"), float(f"{loss:.4g}")] for risk, loss in frontier],
        },
    }


def _bin(value: float) -> int:
    return min(BINS - 1, int(BINS * value))
