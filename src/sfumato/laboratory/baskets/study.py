"""The paper's tables 4–6 and figure 1 for any labelled matrix: every method, every k, one harness.

Selections are scored nested (chosen inside the training folds) and the paper's way. Flipped and
differentially private data are scored on real rows after training on the release, and inside the
release; only differences within one column are comparable.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import numpy as np
import numpy.typing as npt
from pydantic import JsonValue

from ...core.files import write_json
from ...core.randomness import Streams
from ...data.baskets import as_baskets
from ...data.inputs import MatrixInput
from ...engines.baskets.containment.audit import audit
from ...engines.baskets.matrix.binary import BinaryMatrix, as_binary, as_classes
from ...engines.baskets.measures.folds import folds_of
from ...engines.baskets.measures.linear_svm import linear_svm_auc
from ...engines.baskets.measures.prediction import cross_validated_auc, nested_auc
from ...engines.baskets.selectors import (
    ExactSelector,
    GreedyDistCnt,
    GreedyHamDist,
    GreedyInformation,
    MaximalSelector,
)
from ...engines.baskets.selectors.base import ContainmentSelector
from ...engines.baskets.selectors.exact import MOST_FEATURES
from ..writing import draw_charts, with_style, write_charts, write_csv
from .baselines import CmGreedy, differential_release, flip_into_clusters

__all__ = ["METHODS", "BasketsStudyPlan", "run_study", "write_study"]

Classes = npt.NDArray[np.bool_]
Cell = dict[str, JsonValue]
"""What was measured of one method at one k, or of one mechanism at one ε."""
_MOST_DP_FEATURES = 14  # the noisy table has 2^N cells a class

METHODS: dict[str, Callable[[int], ContainmentSelector]] = {
    "Maximal (frequent)": lambda k: MaximalSelector(k, family="frequent"),
    "Maximal (feasible)": lambda k: MaximalSelector(k, rounds=4),
    "HamDist": lambda k: GreedyHamDist(k, stop="first"),
    "HamDist, never stop": GreedyHamDist,
    "DistCnt": lambda k: GreedyDistCnt(k, stop="first"),
    "DistCnt, never stop": GreedyDistCnt,
    "Information, never stop": GreedyInformation,
    "Conditional information": lambda k: GreedyInformation(k, criterion="conditional"),
    "Exact": ExactSelector,
    "CM Greedy": CmGreedy,
    "k-anonymity HamDist": lambda k: GreedyHamDist(k, stop="first", privacy="k-anonymity"),
    "k-anonymity DistCnt": lambda k: GreedyDistCnt(k, stop="first", privacy="k-anonymity"),
}


@dataclass(frozen=True)
class BasketsStudyPlan:
    """What is studied; `methods` None is all of them.

    Random flipping compares all pairs of rows, so it runs on at most `flip_rows` rows (a seeded
    sample, said in the result).
    """

    k: Sequence[int] = (5, 8, 11)
    epsilons: Sequence[float] = (0.5, 1.0, 1.5, 2.0)
    methods: Sequence[str] | None = None
    folds: int = 5
    repeats: int = 10
    flip_rows: int = 8000
    seed: int = 0


class MethodRow(TypedDict):
    """A row of the paper's table: a method, and a cell for each k."""

    method: str
    cells: list[Cell]


class Study(TypedDict):
    """The content of study.json."""

    rows: int
    features: int
    density: float
    positives: int
    folds: int
    seed: int
    k: list[int]
    table: list[MethodRow]
    figure: list[Cell]
    budget_split: str


def run_study(
    data: MatrixInput,
    labels: str | os.PathLike[str] | Iterable[object] | None = None,
    plan: BasketsStudyPlan | None = None,
    *,
    progress: Callable[[int], None] | None = None,
) -> Study:
    """Measure every method at every k, and the DP releases at every ε."""
    plan = plan or BasketsStudyPlan()
    folds, repeats, seed = plan.folds, plan.repeats, plan.seed
    baskets = as_baskets(data, labels=labels)
    rows = as_binary(baskets.matrix)
    positive = as_classes(baskets.labels, rows.n)

    def step() -> None:
        if progress is not None:
            progress(1)

    table = _table(rows, positive, plan, step)
    count = len(GreedyHamDist(min(plan.k), stop="first").fit(rows, positive).selected_)
    count = max(1, min(count, _MOST_DP_FEATURES, rows.d))
    figure = []
    for mechanism in ("laplace", "exponential"):
        for epsilon in plan.epsilons:
            figure.append(
                _differential_bar(
                    mechanism, epsilon, rows, positive, count=count, folds=folds, repeats=repeats,
                    seed=seed,
                )
            )  # fmt: skip
            step()
    return {
        "rows": rows.n,
        "features": rows.d,
        "density": len(rows.indices) / max(rows.n * rows.d, 1),
        "positives": int(positive.sum()),
        "folds": folds,
        "seed": seed,
        "k": list(plan.k),
        "table": table,
        "figure": figure,
        "budget_split": "half for the selection, in equal parts over the features; half for the table",
    }


def _table(
    rows: BinaryMatrix, positive: Classes, plan: BasketsStudyPlan, step: Callable[[], None]
) -> list[MethodRow]:
    """Return the rows of the paper's table: each method at each k, and the full feature set."""
    k, methods, folds, seed = plan.k, plan.methods, plan.folds, plan.seed
    table: list[MethodRow] = []
    for name, make in METHODS.items():
        if (methods is not None and name not in methods) or (
            name == "Exact" and rows.d > MOST_FEATURES
        ):
            continue
        cells = []
        for wanted in k:
            cells.append(_selection_cell(make(wanted), rows, positive, folds=folds, seed=seed))
            step()
        table.append({"method": name, "cells": cells})
    if methods is None or "RF" in methods:
        cells = []
        for wanted in k:
            cells.append(
                _flipping_cell(
                    wanted,
                    rows,
                    positive,
                    folds=folds,
                    repeats=plan.repeats,
                    limit=plan.flip_rows,
                    seed=seed,
                )
            )
            step()
        table.append({"method": "RF", "cells": cells})
    full = cross_validated_auc(rows, positive, folds=folds, seed=seed)
    table.append(
        {
            "method": "Full feature set",
            "cells": [
                {"k": wanted, "auc": full.value, "count": rows.d, "note": str(rows.d)}
                for wanted in k
            ],
        }
    )
    return table


def _selection_cell(
    selector: ContainmentSelector, rows: BinaryMatrix, positive: Classes, *, folds: int, seed: int
) -> Cell:
    chosen = np.sort(selector.fit(rows, positive).selected_)
    projected = rows.project(chosen)
    measured = audit(projected, absences=(1,))
    nested = nested_auc(rows, positive, selector, folds=folds, seed=seed)
    on_all = cross_validated_auc(projected, positive, folds=folds, seed=seed)
    return {
        "k": selector.k,
        "auc": nested.value,
        "interval": [nested.interval.low, nested.interval.high],
        "auc_chosen_on_all_labels": on_all.value,
        "count": len(chosen),
        "ac": measured.ac,
        "unique_share": measured.unique_share,
        "ac_one_absence": measured.ac_under_absences[1],
        "note": str(len(chosen)),
    }


def _flipping_cell(
    k: int,
    rows: BinaryMatrix,
    positive: Classes,
    *,
    folds: int,
    repeats: int,
    limit: int,
    seed: int,
) -> Cell:
    streams = Streams(seed).child("study flipping")
    if rows.n > limit:
        sample = np.sort(streams.generator("sample").permutation(rows.n)[:limit])
        rows, positive = rows.take_rows(sample), positive[sample]
    inside, real, shares = [], [], []
    for i in range(repeats):
        run = streams.seed_of(f"{k} {i}") % (2**32)
        flipped = flip_into_clusters(rows, k=k, seed=run)
        shares.append(flipped.flipped_share)
        inside.append(cross_validated_auc(flipped.matrix, positive, folds=folds, seed=seed).value)
        real.append(
            np.mean(
                [
                    linear_svm_auc(
                        flipped.matrix.take_rows(train), positive[train],
                        rows.take_rows(test), positive[test], seed=seed,
                    )
                    for train, test in folds_of(positive, folds=folds, seed=seed)
                ]
            )
        )  # fmt: skip
    share = float(np.mean(shares))
    return {
        "k": k,
        "auc": float(np.mean(inside)),
        "deviation": float(np.std(inside)),
        "auc_on_real_rows": float(np.mean(real)),
        "flipped_share": share,
        "count": rows.d,
        "rows": rows.n,
        "repeats": repeats,
        "note": f"{share:.2%} flipped",
    }


def _differential_bar(
    mechanism: str,
    epsilon: float,
    rows: BinaryMatrix,
    positive: Classes,
    *,
    count: int,
    folds: int,
    repeats: int,
    seed: int,
) -> Cell:
    """Score a DP release made from the training rows on the real test rows, and inside itself."""
    streams = Streams(seed).child(f"study {mechanism} {epsilon!r}")
    splits = folds_of(positive, folds=folds, seed=seed)
    real, inside = [], []
    for i in range(repeats):
        train, test = splits[i % len(splits)]
        release = differential_release(
            rows.take_rows(train), positive[train], count=count, epsilon=epsilon,
            mechanism=mechanism, seed=streams.seed_of(str(i)) % (2**32),
        )  # fmt: skip
        smallest = min(release.positive.sum(), (~release.positive).sum())
        if smallest < 2:
            real.append(0.5)
            inside.append(0.5)
            continue
        real.append(
            linear_svm_auc(
                release.matrix, release.positive, rows.take_rows(test).project(release.features),
                positive[test], seed=seed,
            )
        )  # fmt: skip
        inside.append(
            cross_validated_auc(release.matrix, release.positive, folds=folds, seed=seed).value
        )
    return {
        "mechanism": mechanism,
        "epsilon": epsilon,
        "count": count,
        "auc_on_real_rows": float(np.mean(real)),
        "deviation_on_real_rows": float(np.std(real)),
        "auc_inside_release": float(np.mean(inside)),
        "deviation_inside_release": float(np.std(inside)),
        "epsilon_selection": epsilon / 2,
        "epsilon_release": epsilon / 2,
        "repeats": repeats,
    }


def write_study(study: Study, folder: str | Path) -> None:
    """Write study.json, table.csv, figure.csv, and both as charts (Vega-Lite and SVG)."""
    folder = Path(folder)
    write_json(folder / "study.json", study, force=True)
    cells: list[Cell] = [
        {"method": row["method"], **cell} for row in study["table"] for cell in row["cells"]
    ]
    write_csv(folder / "table.csv", cells)
    write_csv(folder / "figure.csv", study["figure"])
    charts = {"table": _table_chart(cells), "figure": _figure_chart(study["figure"])}
    write_charts(folder, charts)
    draw_charts(folder)


def _table_chart(cells: Sequence[Cell]) -> Mapping[str, object]:
    keep = ("method", "k", "auc", "count")
    spec = {
        "title": "AUC by method and k",
        "data": {"values": [{key: cell[key] for key in keep} for cell in cells]},
        "mark": {"type": "point", "filled": True, "size": 60},
        "encoding": {
            "x": {"field": "auc", "type": "quantitative", "scale": {"zero": False}, "title": "AUC"},
            "y": {"field": "method", "type": "nominal", "sort": None, "title": None},
            "color": {"field": "k", "type": "ordinal"},
        },
    }
    return with_style(spec, width=400)


def _figure_chart(bars: Sequence[Cell]) -> Mapping[str, object]:
    values = [
        {"mechanism": b["mechanism"], "epsilon": b["epsilon"], "scored": scored, "auc": b[key]}
        for b in bars
        for scored, key in (("on real rows", "auc_on_real_rows"),
                            ("inside the release", "auc_inside_release"))
    ]  # fmt: skip
    spec = {
        "title": "Differentially private releases",
        "data": {"values": values},
        "mark": "bar",
        "encoding": {
            "x": {"field": "epsilon", "type": "ordinal", "title": "ε"},
            "y": {"field": "auc", "type": "quantitative", "title": "AUC"},
            "column": {"field": "mechanism", "type": "nominal", "title": None},
            "xOffset": {"field": "scored"},
            "color": {"field": "scored", "type": "nominal", "title": None},
        },
    }
    return with_style(spec, width=200)
