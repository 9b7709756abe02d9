"""`python -m fuzz.number_attacks [--draws N]`: attacks on the numbers of a release, and the candidates that they leave.

They are the attacks that once worked on release.json and facts.json: four people behind stars, the person by whom
two releases differ, an insider who knows everybody else, the rarest raw cell, a number inside its step. Each tries
every public number as the figure that it used to read, counts the raw tables that publish alike, and publishes some
of them: all must give the same public bytes, so that all of them fit.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fuzz.metamorphic import public_bytes, write_public_report
from sfumato import tables
from sfumato.core.records import versions

Dice = np.random.Generator
QUASI = ["age", "sex", "zip"]
AGES, SEXES, ZIPS = range(18, 90), ("F", "M"), ("30077", "30231", "30473", "30506")
STEP = 10_000


@dataclass(frozen=True)
class Outcome:
    """What one attack finds; `candidates` is how many raw possibilities publish alike, on average per target."""

    attack: str
    targets: int
    found: int
    """Targets for which some public number, read as the attack used to, leaves fewer than 1,000 and the truth."""
    candidates: float
    published: int
    equal: int
    """Of the candidates that were published, those with the same public bytes."""


def schema(*, treated: bool = False) -> dict[str, Any]:
    quasi: list[dict[str, Any]] = [
        {"name": "age", "role": "quasi", "domain": {"range": [18, 89]}},
        {"name": "sex", "role": "quasi", "domain": {"values": list(SEXES)}},
        {"name": "zip", "role": "quasi", "domain": {"values": list(ZIPS)}},
    ]
    pay = [{"name": "pay", "role": "other", "publish": {"round": STEP}}] if treated else []
    return {"attribute": [*quasi, {"name": "dx", "role": "sensitive"}, *pay]}


def population(dice: Dice) -> pd.DataFrame:
    cells = list(itertools.product(map(str, AGES), SEXES, ZIPS))
    counts = dice.choice(np.arange(50, 4000), len(cells), replace=False)
    return pd.DataFrame(cells, columns=QUASI).assign(count=counts)


def people(dice: Dice, rows: int) -> pd.DataFrame:
    return pd.DataFrame({
        "age": dice.integers(18, 90, rows).astype(str), "sex": dice.choice(SEXES, rows),
        "zip": dice.choice(ZIPS, rows), "dx": dice.choice(["flu", "cold"], rows),
        "pay": dice.integers(1_000, 99_999, rows),
    })  # fmt: skip


def numbers_in(value: object) -> Iterator[float]:
    """Yield every number of a JSON value."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from numbers_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers_in(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


@dataclass
class Release:
    """A table that was published, and how to publish another one in its place."""

    frame: pd.DataFrame
    crowd: pd.DataFrame
    folder: Path
    min_k: int
    treated: bool = False

    def __post_init__(self) -> None:
        self.frame = self.frame if self.treated else self.frame.drop(columns="pay")
        self.found = tables.explore(
            self.frame, schema=schema(treated=self.treated), population=self.crowd, budget=150,
            min_k=self.min_k,
        )  # fmt: skip
        self.found.save(self.folder / "frontier")
        self.chosen = self.found.knee()
        self.made = 0
        self.public = self.publish(self.frame)

    def publish(self, frame: pd.DataFrame) -> dict[str, bytes]:
        """Publish a table by the same policy and report on it; return every public byte."""
        folder = self.folder / str(self.made)
        self.made += 1
        folder.mkdir()
        frame.to_csv(folder / "people.csv", index=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.found.publish(
                self.chosen,
                folder / "people.csv",
                out=folder / "out",
                accept_shift=True,
                accept_worse=True,
            )
        public = public_bytes(write_public_report(folder, self.folder / "frontier", pdf=False))
        shutil.rmtree(folder)
        return public

    @property
    def figures(self) -> list[float]:
        """Every number that is public."""
        names = ("release.json", "facts.json", "codebook.json")
        return sorted({x for name in names for x in numbers_in(json.loads(self.public[name]))})

    def cells_like(self, cell: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return the raw cells that publish as a raw cell does."""
        lattice, found = self.found.payload.lattice, []
        for name, value in zip(QUASI, cell, strict=True):
            domain, ends = lattice.domains[lattice.names.index(name)], self.chosen.ends[name]
            at = domain.index(value)
            low = max((e + 1 for e in ends if e < at), default=0)
            found.append(domain[low : min(e for e in ends if e >= at) + 1])
        return list(itertools.product(*found))

    def cell(self, row: int) -> tuple[str, ...]:
        return tuple(self.frame.loc[row, QUASI])

    def with_cell(self, row: int, cell: Iterable[object]) -> pd.DataFrame:
        """Return the table with another raw cell in a row."""
        frame = self.frame.copy()
        frame.loc[row, QUASI] = list(cell)
        return frame


def four_people(dice: Dice, folder: Path, draws: int) -> Outcome:
    """Four people in one group, of stars mostly: the sum over the raw records of 1 / (people in the cell)."""
    crowd = population(dice)
    release = Release(people(dice, 4), crowd, folder, min_k=4)
    inverse = 1.0 / crowd["count"].to_numpy(dtype=float)
    cells = [tuple(c) for c in crowd[QUASI].to_numpy()]
    truth = sorted(release.cell(i) for i in range(4))
    found = 0
    for figure in release.figures:
        fitting = four_that_sum(inverse, figure)
        found += 0 < len(fitting) < 1000 and any(
            sorted(cells[x] for x in four) == truth for four in fitting
        )
    alike = release.cells_like(truth[0])  # those of all four: there is one group
    equal = 0
    for _ in range(draws):
        others = [alike[int(n)] for n in dice.integers(len(alike), size=4)]
        frame = pd.DataFrame(others, columns=QUASI).assign(dx=release.frame["dx"])
        equal += release.publish(frame) == release.public
    return Outcome("four people", 1, int(found > 0), math.comb(len(alike) + 3, 4), draws, equal)


def four_that_sum(inverse: np.ndarray, target: float) -> set[tuple[int, ...]]:
    """Return the fours of cells whose inverses add up to a number, by sums of pairs from both ends."""
    if not 4 * inverse.min() * 0.999 <= target <= 4 * inverse.max() * 1.001:
        return set()
    i, j = np.triu_indices(len(inverse))
    sums = inverse[i] + inverse[j]
    order = np.argsort(sums)
    sums, i, j = sums[order], i[order], j[order]
    slack = target * 1e-14
    low = np.searchsorted(sums, target - sums - slack, "left")
    high = np.searchsorted(sums, target - sums + slack, "right")
    return {
        tuple(sorted((int(i[a]), int(j[a]), int(i[b]), int(j[b]))))
        for a in np.nonzero(high > low)[0]
        for b in range(low[a], high[a])
    }


def one_person_more(dice: Dice, folder: Path, draws: int) -> Outcome:
    """Two releases that differ by one person: the difference of two figures is 1 / (people in the cell)."""
    crowd = population(dice)
    release = Release(people(dice, 120), crowd, folder, min_k=11)
    counts = {tuple(r[:3]): float(r[3]) for r in crowd.to_numpy()}
    added = people(dice, 1).drop(columns="pay")
    truth = tuple(added.loc[0, QUASI])
    second = release.publish(pd.concat([release.frame, added], ignore_index=True))
    names = ("release.json", "facts.json")
    first_figures, second_figures = (
        [list(numbers_in(json.loads(public[name]))) for name in names]
        for public in (release.public, second)
    )
    found = 0
    for first, other in zip(first_figures, second_figures, strict=True):
        for a, b in zip(first, other, strict=False):
            fitting = [c for c, n in counts.items() if abs(1 / n - (b - a)) < 1e-9 * abs(b - a)]
            found += truth in fitting and len(fitting) < 10
    alike = release.cells_like(truth)
    equal = 0
    for cell in (alike[int(n)] for n in dice.integers(len(alike), size=draws)):
        other = added.copy()
        other.loc[0, QUASI] = list(cell)
        equal += release.publish(pd.concat([release.frame, other], ignore_index=True)) == second
    return Outcome("one person more", 1, int(found > 0), len(alike), draws, equal)


def everybody_else(dice: Dice, folder: Path, draws: int) -> Outcome:
    """An insider who knows all records but one takes their part from every figure."""
    crowd = population(dice)
    release = Release(people(dice, 120), crowd, folder, min_k=11)
    counts = {tuple(r[:3]): float(r[3]) for r in crowd.to_numpy()}
    cells = [release.cell(i) for i in range(len(release.frame))]
    total = math.fsum(1 / counts[c] for c in cells)
    found, candidates = 0, 0
    for cell in cells:
        others = total - 1 / counts[cell]
        rests = [figure - others for figure in release.figures]
        found += any(abs(1 / counts[cell] - rest) < 1e-9 * abs(rest) for rest in rests)
        candidates += len(release.cells_like(cell))
    equal = 0
    for row in (int(n) for n in dice.integers(len(cells), size=draws)):
        alike = release.cells_like(cells[row])
        cell = alike[int(dice.integers(len(alike)))]
        equal += release.publish(release.with_cell(row, cell)) == release.public
    return Outcome("everybody else known", len(cells), found, candidates / len(cells), draws, equal)


def rarest_cell(dice: Dice, folder: Path, draws: int) -> Outcome:
    """A count of one in the report, and its share of the risk, name the rarest raw cell."""
    crowd = population(dice)
    release = Release(people(dice, 120), crowd, folder, min_k=11)
    counts = {tuple(r[:3]): float(r[3]) for r in crowd.to_numpy()}
    cells = [release.cell(i) for i in range(len(release.frame))]
    rarest = min(range(len(cells)), key=lambda i: counts[cells[i]])
    figures = release.figures
    named = {round(s * t * counts[cells[rarest]], 6) for s in figures for t in figures if s * t > 0}
    alone = [x for x in named if abs(x - 1) < 1e-6]
    page = release.public["report.html"].decode() + release.public["facts.json"].decode()
    found = bool(alone) or "groups_before" in page or "unchanged table" in page.replace("the unchanged table", "")  # fmt: skip
    alike = release.cells_like(cells[rarest])
    equal = 0
    for cell in (alike[int(n)] for n in dice.integers(len(alike), size=draws)):
        equal += release.publish(release.with_cell(rarest, cell)) == release.public
    return Outcome("rarest raw cell", 1, int(found), len(alike), draws, equal)


def number_in_its_step(dice: Dice, folder: Path, draws: int) -> Outcome:
    """An insider who knows all other numbers of a rounded column reads the mean change of it."""
    release = Release(people(dice, 120), population(dice), folder, min_k=11, treated=True)
    pay = release.frame["pay"].to_numpy(dtype=float)
    change = np.abs(pay - np.round(pay / STEP) * STEP)
    spread = math.sqrt(2) * pay.std(ddof=1)
    told = [change.mean(), change.mean() / spread, float(np.corrcoef(pay, np.round(pay / STEP))[0, 1])]  # fmt: skip
    found = sum(any(abs(f - x) < 1e-9 * abs(x) for x in told) for f in release.figures)
    equal = 0
    for row in (int(n) for n in dice.integers(len(pay), size=draws)):
        frame = release.frame.copy()
        middle = int(np.round(pay[row] / STEP) * STEP)
        low = max(middle - STEP // 2 + 1, 0)
        frame.loc[row, "pay"] = int(dice.integers(low, middle + STEP // 2))
        equal += release.publish(frame) == release.public
    return Outcome("number in its step", len(pay), found, STEP - 1, draws, equal)


ATTACKS: dict[str, Callable[[Dice, Path, int], Outcome]] = {
    f.__name__: f
    for f in (four_people, one_person_more, everybody_else, rarest_cell, number_in_its_step)
}


def main() -> int:
    """Run every attack; return 1 where one finds something."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.number_attacks", description=__doc__)
    parser.add_argument("--draws", type=int, default=20, help="candidates that are published")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, help="a JSON file to keep the figures in")
    given = parser.parse_args()
    outcomes = []
    for name, attack in ATTACKS.items():
        folder = Path(tempfile.mkdtemp(prefix="attacks-"))
        try:
            outcomes.append(attack(np.random.default_rng(given.seed), folder, given.draws))
        finally:
            shutil.rmtree(folder)
        print(f"{name}: {outcomes[-1]}", flush=True)
    if given.results is not None:
        kept = {"command": "python -m fuzz.number_attacks", "seed": given.seed,
                "attacks": [asdict(o) for o in outcomes], "versions": versions()}  # fmt: skip
        given.results.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    return int(any(o.found or o.equal < o.published for o in outcomes))


if __name__ == "__main__":
    sys.exit(main())
