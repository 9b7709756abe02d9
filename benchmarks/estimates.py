"""Estimates without a population: how often the ranges hold, how far each model is off, by sampling fraction.

Populations are simulated (long tails, lognormal and gamma cells, crossed attributes, lonely people) and, where
real data is at hand, the Adult table is the population and its columns are crossed in several ways.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks._common import data_folder
from sfumato.engines.tables.estimates import (
    SampleSizes,
    pitman,
    preferred,
    snb,
    uniqueness_range,
    zayatz,
)

_FRACTIONS = (0.01, 0.05, 0.1, 0.3, 0.7)
_PEOPLE = 20_000
_ROUNDS = 40

Groups = npt.NDArray[np.int64]


def run() -> dict[str, Any]:
    """Draw samples of every population and look whether the ranges hold."""
    found: dict[str, list[tuple[float, ...]]] = {}
    for kind, groups, draw in _populations():
        people = np.repeat(np.arange(groups.size), groups)
        true = float((groups == 1).sum() / groups.sum())
        for fraction in _FRACTIONS:
            some = draw.permutation(people)[: round(fraction * people.size)]
            sizes = np.bincount(some)
            sample = SampleSizes.of(sizes[sizes > 0], some.size / people.size)
            low, high = uniqueness_range(sample)
            models = zayatz(sample), pitman(sample), snb(sample)
            chosen = min(max(preferred(sample, models[1], models[0], models[2]), low), high)
            off = [np.nan if m is None else abs(m - true) for m in (*models, chosen)]
            held = float(low - 1e-9 <= true <= high + 1e-9)
            for key in (kind, f"fraction {fraction}", "all"):
                found.setdefault(key, []).append((held, high - low, true, *off))
    return {
        "populations": {
            key: {
                "samples": len(rows),
                "ranges_hold": round(float(np.mean([r[0] for r in rows])), 4),
                "mean_width": round(float(np.mean([r[1] for r in rows])), 4),
                "mean_true_uniqueness": round(float(np.mean([r[2] for r in rows])), 4),
                "mean_error": {
                    name: round(float(np.nanmean([r[3 + i] for r in rows])), 4)
                    for i, name in enumerate(("zayatz", "pitman", "snb", "chosen"))
                },
            }
            for key, rows in found.items()
        }
    }


def _populations() -> Iterator[tuple[str, Groups, np.random.Generator]]:
    for seed in range(_ROUNDS):
        draw = np.random.Generator(np.random.PCG64(seed))
        cells = int(draw.integers(500, 15_000))
        crossed = np.ones(1)
        for _ in range(int(draw.integers(2, 5))):
            sides = np.ones(int(draw.integers(2, 20))) * draw.uniform(0.3, 3)
            crossed = np.outer(crossed, draw.dirichlet(sides)).ravel()
        shapes = {
            "long tail": 1 / np.arange(1, cells + 1) ** draw.uniform(0.3, 1.5),
            "lognormal": draw.lognormal(0, draw.uniform(0.3, 2.5), cells),
            "gamma": draw.gamma(draw.uniform(0.1, 3), size=cells),
            "crossed attributes": crossed,
        }
        for kind, weights in shapes.items():
            groups = np.bincount(draw.choice(weights.size, _PEOPLE, p=weights / weights.sum()))
            yield kind, groups[groups > 0], draw
        alone = np.ones(int(draw.integers(1, 5_000)), dtype=np.int64)
        yield "with lonely people", np.concatenate((groups[groups > 0], alone)), draw
    yield from _adult()


def _adult() -> Iterator[tuple[str, Groups, np.random.Generator]]:
    """Yield the Adult table grouped by its columns, three to five of them."""
    folder = data_folder()
    path = None if folder is None else folder / "table" / "adult" / "adult_train.csv.gz"
    if path is None or not path.exists():
        return
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    columns = np.array(rows[1:], dtype=object).T
    draw = np.random.Generator(np.random.PCG64(1))
    for size in (3, 4, 5):
        ways = list(combinations(range(len(columns)), size))
        for i in draw.permutation(len(ways))[:8]:
            keys = ["\x1f".join(cells) for cells in columns[list(ways[i])].T]
            yield "adult", np.unique(keys, return_counts=True)[1], draw
