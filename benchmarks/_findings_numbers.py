"""Attacks on the numbers of a release: raw rows from sums, treated columns, weights."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
from fuzz.number_attacks import QUASI, STEP, four_that_sum, numbers_in, people, population, schema

from benchmarks._findings_shell import Shell, Told

FEW = 1_000  # an attack that leaves as many candidates says nothing


def _dice(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def _register(
    shell: Shell, rows: int, *, treated: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Write a register and its population; return both."""
    dice = _dice(rows)
    crowd, frame = population(dice), people(dice, rows)
    frame = frame if treated else frame.drop(columns="pay")
    crowd.to_csv(shell / "population.csv", index=False)
    shell.table("people", frame, schema(treated=treated)["attribute"])
    return crowd, frame


def _cells(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    return [tuple(map(str, row)) for row in frame[QUASI].to_numpy()]


def four_people(shell: Shell) -> Told:
    """Four people, all of them published as stars; every public number may be the sum over their cells."""
    crowd, frame = _register(shell, 4)
    found = shell.explore_table("people", "--population", "population.csv", "--min-k", 4)
    record = shell.publish_table(found, shell / "people.csv", "out")
    assert record is not None
    cells, truth = _cells(crowd), sorted(_cells(frame))
    inverse = 1.0 / crowd["count"].to_numpy(dtype=float)
    least = every = math.comb(len(cells) + 3, 4)
    for figure in {*numbers_in(record)}:
        fitting = four_that_sum(inverse, figure)
        if any(sorted(cells[i] for i in four) == truth for four in fitting):
            least = min(least, len(fitting))
    return Told(least < FEW, f"{least:,} of {every:,} tables fit")


def _sums(
    record: dict[str, Any], counts: dict[tuple[str, ...], float], known: float
) -> set[tuple[str, ...]]:
    """Return the cells whose part in a public number is what is missing from what is known."""
    found = set()
    for figure in numbers_in(record):
        rest = figure - known
        if 0 < rest < 1:
            near = 1e-9 * rest + 1e-12
            found |= {cell for cell, many in counts.items() if abs(1 / many - rest) < near}
    return found


def everybody_else(shell: Shell) -> Told:
    """Whoever knows all records but one takes their part from every public number."""
    crowd, frame = _register(shell, 120)
    found = shell.explore_table("people", "--population", "population.csv", "--min-k", 11)
    record = shell.publish_table(found, shell / "people.csv", "out")
    assert record is not None
    counts = dict(zip(_cells(crowd), crowd["count"].astype(float), strict=True))
    cells = _cells(frame)
    named = 0
    for at, cell in enumerate(cells):
        known = math.fsum(1 / counts[c] for i, c in enumerate(cells) if i != at)
        fitting = _sums(record, counts, known)
        named += cell in fitting and len(fitting) < 5
    return Told(named > 0, f"raw cells of {named} of {len(cells)} people")


def one_person_more(shell: Shell) -> Told:
    """Two releases that differ by one person: the difference of two figures is the part of that person."""
    crowd, frame = _register(shell, 120)
    found = shell.explore_table("people", "--population", "population.csv", "--min-k", 11)
    first = shell.publish_table(found, shell / "people.csv", "out")
    assert first is not None
    counts = dict(zip(_cells(crowd), crowd["count"].astype(float), strict=True))
    published = named = 0
    for number in range(8):
        added = people(_dice(1_000 + number), 1).drop(columns="pay")
        more = pd.concat([frame, added], ignore_index=True)
        more.to_csv(shell / f"more{number}.csv", index=False)
        second = shell.publish_table(found, shell / f"more{number}.csv", f"out{number}")
        if second is None:
            continue
        published += 1
        differences = [b - a for a, b in zip(numbers_in(first), numbers_in(second), strict=False)]
        fitting = {
            c for d in differences if d > 0 for c, n in counts.items() if abs(1 / n - d) < 1e-9 * d
        }
        named += _cells(added)[0] in fitting and len(fitting) < 5
        if published == 3:
            break
    return Told(named > 0, f"{named} of {published} people who were added")


def number_in_its_step(shell: Shell) -> Told:
    """Whoever knows all numbers but one of a rounded column compares the mean change with every figure."""
    _, frame = _register(shell, 120, treated=True)
    found = shell.explore_table("people", "--min-k", 11)
    record = shell.publish_table(found, shell / "people.csv", "out")
    assert record is not None
    figures = np.array([f for f in numbers_in(record) if f], dtype=float)
    pay = frame["pay"].to_numpy(dtype=float)
    fewest, known = STEP, 0
    for at in range(40):
        middle = np.round(pay[at] / STEP) * STEP
        guesses = np.arange(max(middle - STEP // 2, 0), middle + STEP // 2 + 1)
        rest = np.delete(pay, at)
        moved = (
            np.abs(rest - np.round(rest / STEP) * STEP).sum() + np.abs(guesses - middle)
        ) / len(pay)
        squares = (rest**2).sum() + guesses**2
        mean = (rest.sum() + guesses) / len(pay)
        for spread in (len(pay), len(pay) - 1):
            told = moved / np.sqrt(2 * (squares - len(pay) * mean**2) / spread)
            near = np.abs(told[:, None] / figures - 1).min(axis=1) < 1e-12
            if near[guesses == pay[at]].any():
                fewest, known = min(fewest, int(near.sum())), known + (near.sum() < 5)
    return Told(known > 0, f"{known} of 40 numbers; at least {fewest:,} of {STEP:,} fit each")


def rarest_cell(shell: Shell) -> Told:
    """The report's count of one, and its share of the risk, are the rarest raw cell."""
    crowd, frame = _register(shell, 120)
    held = _cells(frame)
    truth = next(cell for cell in held if held.count(cell) == 1)
    crowd.loc[_cells(crowd).index(truth), "count"] = 17  # every other cell holds 50 people or more
    crowd.to_csv(shell / "population.csv", index=False)
    found = shell.explore_table("people", "--population", "population.csv", "--min-k", 11)
    assert shell.publish_table(found, shell / "people.csv", "out") is not None
    shell.must("report", found, "out", "--out", "report", "--quiet")
    frontier = next(iter(shell.read("report", "facts.json")["parts"]))["frontier"] or {}
    named = 0
    for size in frontier.get("groups_before", ()):
        if size["records"] == 1:
            many = 1 / (size["risk_share"] * frontier["expected_reidentified"])
            near = (crowd["count"] - many).abs() < 0.01
            named += _cells(crowd[near]) == [truth]
    return Told(named > 0, f"{named} of 120 people named by a count of one")


def rows_of_one_person(shell: Shell) -> Told:
    """Micro-aggregation of five rows of one person publishes that person's number."""
    dice = _dice(5)
    who = np.repeat(np.arange(60), 5)
    pay = np.repeat(dice.choice(np.arange(10_000, 99_999), 60, replace=False), 5)
    frame = pd.DataFrame(
        {"who": [f"p{i}" for i in who], "age": np.repeat(dice.integers(20, 80, 60), 5), "pay": pay}
    )
    attributes: list[dict[str, Any]] = [
        {"name": "who", "role": "person"}, {"name": "age", "role": "quasi", "domain": {"range": [20, 79]}},
        {"name": "pay", "role": "other", "publish": {"microaggregate": 5}},
    ]  # fmt: skip
    source = shell.table("visits", frame, attributes)
    found = shell.explore_table("visits", "--min-k", 5)
    assert shell.publish_table(found, source, "out") is not None
    given = pd.read_csv(shell / "out" / "visits.csv")["pay"]
    exact = int(given.isin({*pay.tolist()}).sum())
    return Told(exact > 0, f"{exact} of {len(given)} numbers are one person's own")


def noise(shell: Shell) -> Told:
    """Noise that is said to be normal, and is bounded; noise that is drawn anew when the table grows."""
    dice = _dice(6)
    rows = 3_000
    frame = pd.DataFrame({
        "age": dice.integers(20, 80, rows + 1), "row": np.arange(rows + 1), "pay": dice.normal(50_000, 9_000, rows + 1).round(2),
    })  # fmt: skip
    attributes: list[dict[str, Any]] = [
        {"name": "age", "role": "quasi", "domain": {"range": [20, 79]}}, {"name": "row", "role": "other"},
        {"name": "pay", "role": "other", "publish": {"noise": 0.5}},
    ]  # fmt: skip
    source = shell.table("pay", frame[:rows], attributes)
    found = shell.explore_table("pay", "--min-k", 5)
    frame.to_csv(shell / "more.csv", index=False)
    moved = []
    for name, given in (("first", source), ("second", shell / "more.csv")):
        assert shell.publish_table(found, given, name) is not None
        shown = pd.read_csv(shell / name / given.name).set_index("row")["pay"]
        moved.append((shown - frame.set_index("row")["pay"]).dropna()[:rows])
    beyond = float((moved[0].abs() > 1.96 * moved[0].std()).mean())
    anew = float((moved[0] - moved[1][moved[0].index]).abs().gt(0.1 * moved[0].std()).mean())
    return Told(beyond < 0.03 or anew > 0.03, f"{beyond:.1%} beyond ±1.96 sd (normal 5.0%); {anew:.1%} drawn anew when a row is added")  # fmt: skip


def weights(shell: Shell) -> Told:
    """A weight of two decimals is as good as a name."""
    dice = _dice(7)
    frame = pd.DataFrame(
        {"age": dice.integers(0, 20, 300), "w": dice.lognormal(3, 0.6, 300).round(2) + 1}
    )
    attributes: list[dict[str, Any]] = [
        {"name": "age", "role": "quasi", "domain": {"range": [0, 19]}}, {"name": "w", "role": "weight"},
    ]  # fmt: skip
    source = shell.table("survey", frame, attributes)
    found = shell.explore_table("survey", "--min-k", 5)
    assert shell.publish_table(found, source, "out") is not None
    given = pd.read_csv(shell / "out" / "survey.csv")["w"]
    alone = int((given.map(given.value_counts()) < 5).sum())
    return Told(
        alone > 0, f"{alone} of {len(given)} people share their weight with fewer than five"
    )


def inside_its_band(shell: Shell) -> Told:
    """One raw value changes inside its published band: do the bytes of release.json, marks aside?"""
    _, frame = _register(shell, 120)
    found = shell.explore_table("people", "--population", "population.csv", "--min-k", 11)
    first = shell.publish_table(found, shell / "people.csv", "out")
    assert first is not None
    label = pd.read_csv(shell / "out" / "people.csv", dtype=str)
    different = compared = 0
    for row in range(6):
        changed = frame.copy()
        age = int(changed.loc[row, "age"])
        changed.loc[row, "age"] = str(age + 1 if age < 89 else 88)
        changed.to_csv(shell / "people2.csv", index=False)
        (shell / "people2.csv").replace(shell / "people.csv")
        second = shell.publish_table(found, shell / "people.csv", f"out{row}")
        if second is None or not pd.read_csv(shell / f"out{row}" / "people.csv", dtype=str).equals(
            label
        ):
            continue
        compared += 1
        different += _without_marks(first) != _without_marks(second)
    return Told(different > 0, f"{different} of {compared} neighbours differ")


def _without_marks(record: dict[str, Any]) -> str:
    inputs = [{k: v for k, v in file.items() if k != "hmac"} for file in record["inputs"]]
    return json.dumps({**record, "inputs": inputs, "frontier": None})
