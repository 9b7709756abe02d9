"""Estimates without a population: how often the ranges hold, how far models and chances are off, by sampling fraction.

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
from sfumato.data.table import read_table
from sfumato.engines.tables.frontier.problem import Problem
from sfumato.engines.tables.measures.population_models import SampleSizes
from sfumato.engines.tables.measures.shown import PolicyGroups, Risks
from sfumato.engines.tables.measures.uniqueness import estimate_uniqueness

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
            sizes = sizes[sizes > 0]
            sample = SampleSizes.of(sizes, some.size / people.size)
            shown = estimate_uniqueness(sizes, sizes, sample.fraction)
            models = shown.zayatz, shown.pitman, shown.snb, shown.uniqueness
            off = [np.nan if m is None else abs(m - true) for m in models]
            held = float(shown.low - 1e-9 <= true <= shown.high + 1e-9)
            chance = shown.average / float((1 / groups[some]).mean())
            row = (held, shown.high - shown.low, true, *off, chance)
            for key in (kind, f"fraction {fraction}", "all"):
                found.setdefault(key, []).append(row)
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
                "average_chance_over_true": {
                    name: round(float(np.quantile([r[7] for r in rows], share)), 3)
                    for name, share in (("tenth", 0.1), ("median", 0.5), ("nine_tenths", 0.9))
                },
            }
            for key, rows in found.items()
        },
        "partial_populations": _partial(),
    }


def _partial() -> dict[str, Any]:
    """Look whether ranges hold where a population has two of four columns and was sampled unevenly by one."""
    names = ("area", "age", "job", "size")
    schema: dict[str, object] = {
        "attribute": [{"name": n, "role": "quasi", "domain": "observed"} for n in names]
    }
    found = []
    for seed in range(_ROUNDS):
        draw = np.random.Generator(np.random.PCG64(seed))
        jobs = int(draw.integers(5, 80))
        whole = np.stack((
            draw.choice(8, 5_000, p=draw.dirichlet(np.ones(8))),
            draw.gamma(2.0, draw.uniform(2, 12), 5_000).astype(np.int64),
            draw.choice(jobs, 5_000, p=draw.dirichlet(np.full(jobs, draw.uniform(0.2, 2)))),
            draw.geometric(draw.uniform(0.2, 0.7), 5_000),
        ))  # fmt: skip
        taken = draw.random(5_000) < draw.uniform(0.02, 0.6, 8)[whole[0]]
        pairs, count = np.unique(whole[:2], axis=1, return_counts=True)
        crowd = {"area": pairs[0], "age": pairs[1], "count": count}
        sample = dict(zip(names, whole[:, taken], strict=True))
        problem = Problem.of(read_table(sample, schema, crowd))
        held = [np.isin(whole[a], np.array(problem.lattice.domains[a], dtype=np.int64)) for a in range(4)]  # fmt: skip
        known = set(map(tuple, whole[:2, taken].T.tolist()))
        among = np.array([tuple(p) in known for p in whole[:2].T.tolist()])
        if not np.logical_and.reduce(held)[among].all():  # values that the table does not hold
            whole = whole[:, np.logical_and.reduce(held)]
            among = np.array([tuple(p) in known for p in whole[:2].T.tolist()])
        place = [{v: i for i, v in enumerate(d)} for d in problem.lattice.domains]
        codes = np.array([[place[a][str(v)] for v in whole[a, among]] for a in range(4)])
        for share in (0.02, 0.1, 0.4, 1.0):
            bits = (draw.random(problem.lattice.length) < share).astype(np.uint8)
            interval = problem.cells.intervals(bits)
            groups = np.stack([interval[a][codes[a]] for a in range(4)])
            sizes = np.unique(groups, axis=1, return_counts=True)[1]
            true = float((sizes == 1).sum() / sizes.sum())
            fraction = problem.sampling_fraction_of(bits)
            shown = Risks.of_groups(
                PolicyGroups.of_cells(problem.cells, bits, fraction=fraction)
            ).estimate
            assert shown is not None
            found.append((
                float(shown.low - 1e-9 <= true <= shown.high + 1e-9), shown.high - shown.low,
                true, abs(shown.uniqueness - true),
            ))  # fmt: skip
    held_, width, true_, error = np.mean(found, axis=0).round(4).tolist()
    return {
        "policies": len(found), "ranges_hold": held_, "mean_width": width,
        "mean_true_uniqueness": true_, "mean_error": error,
    }  # fmt: skip


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
