"""Do the shift checks of tables and baskets notice other records, and keep quiet about halves?

Explored: a random half of a real table or matrix; published: the other half, or the part of it that one
value of a column outside the quasi-identifiers picks (a table), or one class (a matrix). The official test
part of the same table stands for another batch of the same source.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from benchmarks._common import data_folder
from benchmarks.shift import refused
from sfumato.core.statistics.margins import Margin, compare_margins
from sfumato.core.statistics.shift import ALARM
from sfumato.data.tally import Tally
from sfumato.engines.baskets.measures.shift import ExploredColumns

HALVES = 100
SIZES = (100, 1000, 10_000)  # records of the published part, at most
QUASI = ["age", "workclass", "education", "race", "sex", "native_country"]
PICKS = ["marital_status", "occupation", "relationship", "income"]
LEAST = 50  # records of a part that is published

Check = Callable[[np.ndarray, np.ndarray], float]


def of_table(frame: pd.DataFrame) -> Check:
    """Return the p-value of a release of some rows, explored from some others."""
    coded = [pd.factorize(frame[name], sort=True) for name in QUASI]

    def check(explored: np.ndarray, released: np.ndarray) -> float:
        rows = (len(explored), len(released))
        found = compare_margins(
            [
                Margin(
                    name,
                    np.bincount(codes[explored], minlength=len(values)),
                    np.bincount(codes[released], minlength=len(values)),
                    rows,
                )
                for name, (codes, values) in zip(QUASI, coded, strict=True)
            ]
        )
        assert found.p_value is not None
        return found.p_value

    return check


def of_matrix(matrix: sp.csr_matrix) -> Check:
    """Return the p-value of a release of some rows, explored from some others."""
    names = [str(i) for i in range(matrix.shape[1])]

    def tally(rows: np.ndarray) -> Tally:
        part = matrix[rows]
        return Tally.of(part.indptr, part.indices, names)

    def check(explored: np.ndarray, released: np.ndarray) -> float:
        found = ExploredColumns.of(tally(explored), 1).check(tally(released)).p_value
        assert found is not None
        return found

    return check


def measured(check: Check, rows: int, picks: dict[str, np.ndarray]) -> dict[str, Any]:
    """Publish halves of each size, and parts that are of another kind."""
    random = np.random.default_rng(0)
    found: dict[str, Any] = {}
    for size in (s for s in SIZES if s <= rows // 2):
        same, other = [], []
        for _ in range(HALVES):
            order = random.permutation(rows)
            explored, rest = order[: rows // 2], order[rows // 2 :]
            same.append(check(explored, rest[:size]))
        order = random.permutation(rows)
        explored, rest = order[: rows // 2], order[rows // 2 :]
        for picked in picks.values():
            part = rest[picked[rest]][:size]
            if len(part) >= LEAST:
                other.append(check(explored, part))
        found[str(size)] = {"halves": refused(same), "parts of another kind": refused(other)}
    return found


def _labels(folder: Path, name: str) -> np.ndarray | None:
    path = folder / "sparse" / f"{name}.labels.txt.gz"
    if not path.exists():
        return None
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return np.array(stream.read().split("\n")[:-1])


def run() -> dict[str, Any]:
    folder = data_folder()
    if folder is None:
        return {"skipped": "the folder with real data is not there"}
    adult = folder / "table" / "adult"
    train = pd.read_csv(adult / "adult_train.csv.gz", dtype=str, skipinitialspace=True)
    test = pd.read_csv(adult / "adult_test.csv.gz", dtype=str, skipinitialspace=True)
    train.columns = test.columns = [c.strip().replace("-", "_") for c in train.columns]
    picks = {
        f"{name} {value}": (train[name] == value).to_numpy()
        for name in PICKS
        if name in train
        for value in sorted(train[name].dropna().unique())
    }
    results: dict[str, Any] = {"adult": measured(of_table(train), len(train), picks)}
    both = pd.concat([train, test], ignore_index=True)
    batch = np.arange(len(train)), np.arange(len(train), len(both))
    results["adult"]["the official test part"] = {"p_value": of_table(both)(*batch)}
    print(f"   adult: {results['adult']}", flush=True)
    for path in sorted((folder / "sparse").glob("*.npz")):
        matrix = sp.load_npz(path).tocsr()
        labels = _labels(folder, path.stem)
        classes = {} if labels is None else {str(v): labels == v for v in np.unique(labels)}
        results[path.stem] = measured(of_matrix(matrix), matrix.shape[0], classes)
        print(f"   {path.stem}: {results[path.stem]}", flush=True)
    return {"alarm_at": ALARM, **results}
