"""What analysts lose, by the loss that was searched with and by how the knee is defined.

Errors of means, quartiles, proportions, correlations and coefficients, on samples of at most 4,000 records: at the knee
of each loss with groups of at least five; under four settings at the same risks, granularity over KL; and under KL at
the knee over the candidate farthest above the line. `python -m benchmarks utilities`.
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
SETTINGS: dict[str, dict[str, Any]] = {
    "no condition": {},
    "k 5": {"min_k": 5},
    "k 11": {"min_k": 11},
    "k 5, 2% left out": {"min_k": 5, "suppress": 0.02},
}
RISKS = 5
STATES = 12
SMALL = {
    "mean": 0.02,
    "quartile": 0.02,
    "proportion": 0.005,
    "correlation": 0.01,
    "coefficient": 0.5,
}
"""Added to errors before they are divided, so that two errors that are next to nothing are alike."""


def run() -> dict[str, Any]:
    """Compare the losses, and two definitions of the knee, on every table."""
    folder = data_folder()
    if folder is None:
        return {"left_out": "the folder with real data was not found"}
    found, same_risk, knees = {}, {}, {}
    for name, (frame, schema, target) in _tables(folder / "table").items():
        found[name] = {loss: _at_knee(frame, schema, target, loss) for loss in LOSSES}
        for setting, asked in SETTINGS.items():
            made = {
                loss: tables.explore(frame, schema=schema, loss=loss, evaluations=EVALUATIONS, **asked)
                for loss in ("kl", "granularity")
            }  # fmt: skip
            key = f"{name}, {setting}"
            same_risk[key] = _same_risks(made, frame, target)
            knees[key] = _two_knees(made["kl"], frame, target)
        print(f"   {name}: {found[name]}", flush=True)
    return {
        "rows": ROWS,
        "evaluations": EVALUATIONS,
        "k": K,
        "tables": found,
        "states_with_bands_of_age": _states(folder / "table"),
        "granularity / kl at the same risk": _geometric([r for of in same_risk.values() for r in of]),
        "granularity / kl by table and setting": {k: _geometric(r) for k, r in same_risk.items()},
        "knee / farthest above the line": _geometric(list(knees.values())),
        "knee / farthest by table and setting": knees,
    }  # fmt: skip


def _states(folder: Path) -> dict[str, Any]:
    """Count samples of states that are published with bands of age at the knee, with groups of at least five."""
    people = pd.read_csv(folder / "population" / "us51_states_2020_age_sex_race_hisp_REAL.csv.gz")
    names = ["sex", "race", "hispanic_origin"]
    dice = np.random.default_rng(1)
    bands = dict.fromkeys(("kl", "granularity"), 0)
    for state in dice.choice(people["state_fips"].unique(), STATES, replace=False):
        here = people[people["state_fips"] == state]
        drawn = dice.choice(len(here), ROWS, p=here["pop"] / here["pop"].sum())
        frame = here.iloc[drawn].reset_index(drop=True)[["age", *names]]
        for loss in bands:
            explored = tables.explore(
                frame, schema=_schema(frame, ["age"], names), loss=loss, min_k=K, evaluations=EVALUATIONS
            )  # fmt: skip
            bands[loss] += len(explored.knee().ends["age"]) > 1
    return {"states": STATES, **bands}


def _same_risks(
    made: dict[str, Any], frame: pd.DataFrame, target: str | None
) -> list[dict[str, float]]:
    """Return the errors under granularity over those under KL, each at its most useful candidate within a risk."""
    ends = [[c.risk.value for c in e.candidates if c.groups > 1] for e in made.values()]
    grid = np.geomspace(max(map(min, ends)), min(map(max, ends)), RISKS) * (1 + 1e-9)
    return [
        _ratios(*((e, e.choose(max_risk=float(risk))) for e in made.values()), frame, target)
        for risk in grid
    ]


def _two_knees(explored: Any, frame: pd.DataFrame, target: str | None) -> dict[str, float]:
    farthest = (explored, explored.frontier.knee())
    return _ratios(farthest, (explored, explored.knee()), frame, target)


def _ratios(
    before: tuple[Any, Any], after: tuple[Any, Any], frame: pd.DataFrame, target: str | None
) -> dict[str, float]:
    """Return errors and risk of one candidate over those of another, and how many columns fewer are constant."""
    a, b = (e.compare(c, frame, target=target) for e, c in (before, after))
    found = {"risk": after[1].risk.value / max(before[1].risk.value, 1e-12)}
    for kind, small in SMALL.items():
        first, second = a.mean_error(kind), b.mean_error(kind)
        if first is not None and second is not None:
            found[kind] = (second + small) / (first + small)
    found["constant"] = float(len(b.constant) - len(a.constant))
    return {key: round(value, 4) for key, value in found.items()}


def _geometric(rows: list[dict[str, float]]) -> dict[str, float]:
    """Return the geometric mean of each ratio; the plain mean of constant columns."""
    found = {}
    for key in ("risk", *SMALL, "constant"):
        seen = np.array([row[key] for row in rows if key in row])
        if seen.size:
            found[key] = float(seen.mean() if key == "constant" else np.exp(np.log(seen).mean()))
    return {key: round(value, 3) for key, value in found.items()}


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
