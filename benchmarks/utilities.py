"""What analysts lose at the knee, by the loss that was searched with: errors of means, proportions, correlations, coefficients.

Samples of at most 4,000 records, groups of at least five. `python -m benchmarks utilities`.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._common import data_folder
from sfumato import tables

LOSSES = ("kl", "granularity", "class-size")
KINDS = ("mean", "quartile", "proportion", "correlation", "coefficient")
ROWS = 4_000
EVALUATIONS = 400
K = 5


def run() -> dict[str, Any]:
    """Compare the knees of each loss on every table."""
    folder = data_folder()
    if folder is None:
        return {"left_out": "the folder with real data was not found"}
    found = {}
    for name, (frame, schema, target) in _tables(folder / "table").items():
        found[name] = {loss: _at_knee(frame, schema, target, loss) for loss in LOSSES}
        if name == "county":  # what the steward says about a column decides: age counts twice
            first, *rest = schema["attribute"]
            twice = {**schema, "attribute": [{**first, "weight": 2.0}, *rest]}
            found[name]["granularity, age twice"] = _at_knee(frame, twice, target, "granularity")
        print(f"   {name}: {found[name]}", flush=True)
    return {"rows": ROWS, "evaluations": EVALUATIONS, "k": K, "tables": found}


def _at_knee(
    frame: pd.DataFrame, schema: dict[str, Any], target: str | None, loss: str
) -> dict[str, Any]:
    explored = tables.explore(frame, schema=schema, loss=loss, min_k=K, evaluations=EVALUATIONS)
    knee = explored.knee()
    lost = explored.compare(knee, frame, target=target)
    errors = {kind: lost.mean_error(kind) for kind in KINDS}
    return {
        "risk": round(knee.risk.value, 4),
        "groups": knee.groups,
        "intervals": {name: len(ends) for name, ends in knee.ends.items()},
        "same_for_everybody": list(lost.constant),
        **{kind: round(error, 4) for kind, error in errors.items() if error is not None},
    }


def _tables(folder: Path) -> dict[str, tuple[pd.DataFrame, dict[str, Any], str | None]]:
    county = pd.read_csv(
        io.BytesIO(
            gzip.decompress(
                (
                    folder / "population/wy_county_age_sex_race_hisp_2000_2010_2020_REAL.csv.gz"
                ).read_bytes()
            )
        )
    )
    county = county[county["year"] == 2010]
    dice = np.random.default_rng(0)
    share = county["pop"] / county["pop"].sum()
    people = county.iloc[dice.choice(len(county), ROWS, p=share)].reset_index(drop=True)
    found: dict[str, tuple[pd.DataFrame, dict[str, Any], str | None]] = {
        "county": (
            people[["age", "sex", "race", "hispanic_origin"]],
            _schema(people, ["age"], ["sex", "race", "hispanic_origin"]),
            None,
        )
    }
    wanted = {
        "adult": ("adult_arx", "adult.csv", ["age"], ["sex", "race", "marital-status", "workclass"], "salary-class"),
        "cmc": ("kaylode_cmc", "cmc.csv", ["Weducation", "age", "children"], [], "method"),
        "mgm": ("kaylode_mgm", "mgm.csv", ["age", "shape", "margin", "density"], [], "severity"),
        "fars": ("fars_int", "fars_int.csv", ["iage", "ideathmon"], ["isex", "irace"], "iinjury"),
        "creditcard": ("creditcard_int", "creditcard_int.csv", ["AGE", "LIMIT_BAL"], ["EDUCATION", "MARRIAGE"], "PAY_2"),
    }  # fmt: skip
    for name, (archive, file, numbers, names, target) in wanted.items():
        with tarfile.open(folder / "hierarchies" / f"{archive}.tar.gz") as packed:
            member = packed.extractfile(f"{archive}/{file}")
            assert member is not None
            read = pd.read_csv(member, sep=";", usecols=[*numbers, *names, target])
        frame = read.sample(min(ROWS, len(read)), random_state=0).reset_index(drop=True)
        schema = _schema(frame, numbers, names)
        schema["attribute"].append({"name": target, "role": "sensitive"})
        found[name] = (frame, schema, target)
    return found


def _schema(frame: pd.DataFrame, numbers: list[str], names: list[str]) -> dict[str, Any]:
    """Return a schema: ranges of numbers as they occur, lists of names."""
    ranges = [
        {
            "name": n,
            "role": "quasi",
            "domain": {"range": [int(frame[n].min()), int(frame[n].max())]},
        }
        for n in numbers
    ]
    lists = [
        {"name": n, "role": "quasi", "domain": {"values": sorted(map(str, frame[n].unique()))}}
        for n in names
    ]
    return {"missing": "value", "attribute": [*ranges, *lists]}
