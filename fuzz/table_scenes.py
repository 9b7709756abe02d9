"""Scenes of `fuzz.metamorphic` about tables: a register under a policy, and rows that publish alike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fuzz.metamorphic import Scene, write_public_report
from sfumato import tables, workbench
from sfumato.core.storage.quarantine import quarantine_of

Dice = np.random.Generator
AGES, AREAS, INCOMES = 12, ("n", "e", "s", "w"), tuple(range(1000, 3600, 130))
TOWNS = tuple(f"town {i}" for i in range(14))
_TRIES = 40

TREATMENTS: dict[str, dict[str, float] | None] = {
    "as it is": None,
    "round": {"round": 500},
    "top": {"top": 6000},
    "bottom": {"bottom": 3000},
    "pram": {"pram": 0.2},
    "microaggregate": {"microaggregate": 4},
    "noise": {"noise": 0.2},
}


@dataclass(frozen=True)
class Kind:
    """What a drawn register is like: domains that are read from it, weights, people of several rows, missing cells."""

    observed: bool
    weights: bool
    people: bool
    missing: str

    @classmethod
    def draw(cls, dice: Dice) -> Kind:
        observed, weights, people = dice.random(3) < (0.4, 0.3, 0.2)
        missing = "value" if dice.random() < 0.3 else "drop"
        return cls(bool(observed), bool(weights), bool(people and not weights), missing)

    def schema(self, treatment: dict[str, float] | None) -> dict[str, Any]:
        pay = {"name": "pay", "role": "other"} | ({"publish": treatment} if treatment else {})
        read = "observed" if self.observed else None
        quasi: list[dict[str, Any]] = [
            {"name": "age", "role": "quasi", "domain": {"range": [0, AGES - 1]}},
            {"name": "area", "role": "quasi", "domain": read or {"values": list(AREAS)}},
            {"name": "income", "role": "quasi", "domain": read or {"values": list(INCOMES)}},
        ]
        weight = [{"name": "weight", "role": "weight"}] if self.weights else []
        person = [{"name": "person", "role": "person"}] if self.people else []
        others = [{"name": "illness", "role": "sensitive"}, pay, *weight, *person]
        return {"missing": self.missing, "attribute": [*quasi, *others]}

    def columns(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the columns of a register that this one has."""
        left_out = {"weight": self.weights, "person": self.people}
        return frame.drop(columns=[name for name, has in left_out.items() if not has])


def _register(dice: Dice, rows: int, areas: tuple[str, ...]) -> pd.DataFrame:
    share = np.arange(len(areas), 0, -1.0)
    frame = pd.DataFrame({
        "age": dice.integers(0, AGES, rows).astype(str),
        "area": dice.choice(areas, rows, p=share / share.sum()),
        "income": dice.choice(INCOMES, rows).astype(str),
        "illness": dice.choice(["1", "2", "3"], rows),
        "pay": dice.integers(1_000, 9_999, rows),
        "weight": dice.uniform(5, 50, rows).round(2),
        "person": [f"p{i // 2}" for i in range(rows)],
    })  # fmt: skip
    frame.loc[dice.choice(rows, 3, replace=False), "age"] = ""
    return frame


def _population(dice: Dice) -> pd.DataFrame:
    cells = [(str(a), b, str(i)) for a in range(AGES) for b in AREAS for i in INCOMES]
    counts = dice.integers(1, 30, len(cells))
    return pd.DataFrame(cells, columns=["age", "area", "income"]).assign(count=counts)


@dataclass
class TableScene:
    """A register under a policy; the second table is published by the first one's frontier, or explored anew."""

    name: str
    dice: Dice
    folder: Path
    schema: dict[str, Any]
    frame: pd.DataFrame
    treatment: dict[str, float] | None
    explored: dict[str, Any]
    anew: bool
    by_plan: bool
    pdf: bool
    data: frozenset[str] = frozenset({"register.csv"})
    left_out: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.found = tables.explore(self.frame, schema=self.schema, **self.explored)
        candidates = list(self.found)
        self.chosen = candidates[int(self.dice.integers(len(candidates)))]
        if self.by_plan:
            self.data = frozenset(f"release/tables/{name}" for name in self.data)

    def play(self, data: object | None, folder: Path) -> list[Path]:
        """Publish and report, by commands or by a plan."""
        frame = self.frame if data is None else data
        assert isinstance(frame, pd.DataFrame)
        folder.mkdir()
        source = folder / "register.csv"
        frame.to_csv(source, index=False)
        if self.by_plan:
            return [self._run(folder)]
        found = self.found
        if self.anew and data is not None:
            found = tables.explore(frame, schema=self.schema, **self.explored)
        found.save(folder / "frontier")
        chosen = found.candidate(self.chosen.id)
        found.publish(chosen, source, out=folder / "out", accept_shift=True, accept_worse=True)
        if data is None and quarantine_of(folder / "out").is_file():
            lines = quarantine_of(folder / "out").read_text(encoding="utf-8").splitlines()
            self.left_out = [int(json.loads(line)["id"].split()[1]) - 1 for line in lines]
        return write_public_report(folder, folder / "frontier", pdf=self.pdf)

    def _run(self, folder: Path) -> Path:
        """Run a plan; what it writes may be given out, but for its private folder."""
        schema = TableScene.toml(self.schema)
        (folder / "schema.toml").write_text(schema, encoding="utf-8")
        lines = ["[tables]", 'table = "register.csv"', 'schema = "schema.toml"', 'choose = "knee"']
        lines += [f"min_k = {self.explored['min_k']}", f'suppress = "{self.explored["suppress"]}"']
        lines += [f"budget = {self.explored['budget']}", "accept_worse = true"]
        (folder / "plan.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return workbench.run(folder / "plan.toml", out=folder / "out").out

    @staticmethod
    def toml(schema: dict[str, Any]) -> str:
        """Return a schema as TOML."""

        def written(value: object) -> str:
            if isinstance(value, dict):
                return "{ " + ", ".join(f"{k} = {written(v)}" for k, v in value.items()) + " }"
            return json.dumps(value)

        lines = [f'missing = "{schema["missing"]}"']
        for attribute in schema["attribute"]:
            lines += ["", "[[attribute]]", *(f"{k} = {written(v)}" for k, v in attribute.items())]
        return "\n".join(lines) + "\n"

    def changes(self) -> Iterator[pd.DataFrame]:
        """Yield the register with a row that publishes alike, or is left out alike."""
        kinds = [self._in_band, self._left_out, self._treated]
        for _ in range(_TRIES):
            changed = kinds[int(self.dice.integers(len(kinds)))]()
            if changed is not None:
                yield changed

    def _others(self, column: str, value: str) -> list[str]:
        """Return the other values of the interval that publishes a value; "" is a missing cell."""
        lattice = self.found.payload.lattice
        domain = ["" if v == "?" else v for v in lattice.domains[lattice.names.index(column)]]
        if value not in domain:
            return []
        at, ends = domain.index(value), self.chosen.ends[column]
        low = max((e + 1 for e in ends if e < at), default=0)
        high = min(e for e in ends if e >= at)
        return [v for v in domain[low : high + 1] if v != value]

    def _in_band(self) -> pd.DataFrame | None:
        row = int(self.dice.integers(len(self.frame)))
        changed, every = self.frame.copy(), self.dice.random() < 0.5
        found = False
        for column in self.dice.permutation(["age", "area", "income"]):
            others = self._others(column, str(changed.loc[row, column]))
            if others and (every or not found):
                changed.loc[row, column] = self.dice.choice(others)
                found = True
        return changed if found else None

    def _left_out(self) -> pd.DataFrame | None:
        if not self.left_out:
            return None
        changed, row = self.frame.copy(), int(self.dice.choice(self.left_out))
        changed["illness"] = changed["illness"].astype(object)
        changed.loc[row, "illness"] = self.dice.choice(["1", "3", "none"])
        changed.loc[row, "pay"] = int(self.dice.integers(1_000, 900_000))
        if changed.loc[row, "age"] == "":  # left out for its missing age, whatever else it holds
            changed.loc[row, "area"] = self.dice.choice(AREAS)
        return changed

    def _treated(self) -> pd.DataFrame | None:
        changed, way = self.frame.copy(), self.treatment or {}
        row = int(self.dice.integers(len(changed)))
        pay = int(changed.loc[row, "pay"])
        if "round" in way:
            step = int(way["round"])
            middle = round(pay / step) * step
            changed.loc[row, "pay"] = middle + int(self.dice.integers(1 - step // 2, step // 2))
        elif "top" in way and pay > way["top"]:
            changed.loc[row, "pay"] = int(self.dice.integers(int(way["top"]) + 1, 90_000))
        elif "bottom" in way and pay < way["bottom"]:
            changed.loc[row, "pay"] = int(self.dice.integers(0, int(way["bottom"])))
        elif "microaggregate" in way:  # two neighbours come nearer to each other
            order = changed["pay"].argsort().to_numpy()
            at = int(self.dice.integers(len(order) - 1))
            first, second = int(order[at]), int(order[at + 1])
            room = (int(changed.loc[second, "pay"]) - int(changed.loc[first, "pay"])) // 2
            changed.loc[first, "pay"] += room
            changed.loc[second, "pay"] -= room
            return changed if room else None
        else:
            return None
        return changed


def table_scene(treatment: str, dice: Dice, folder: Path, *, by_plan: bool = False) -> Scene:
    kind, way = Kind.draw(dice), TREATMENTS[treatment]
    schema, areas = kind.schema(way), TOWNS if kind.observed else AREAS
    frame = kind.columns(_register(dice, int(dice.integers(40, 110)), areas))
    explored: dict[str, Any] = {
        "budget": 40, "min_k": int(dice.choice([2, 3, 6])), "suppress": str(dice.choice(["0", "0.2", "0.2:cells"])),
    }  # fmt: skip
    if not by_plan and not kind.weights and not kind.observed and dice.random() < 0.4:
        explored["population"] = _population(dice)
    name = f"tables: {treatment}, {'run' if by_plan else 'publish, report'}"
    anew, pdf = bool(dice.random() < 0.4), bool(dice.random() < 0.1)
    # What a group of many names holds is published in the codebook: the names that k people share.
    data = {"register.csv", *(["codebook.csv", "codebook.json"] if kind.observed else [])}
    return TableScene(
        name, dice, folder, schema, frame, way, explored, anew, by_plan, pdf, frozenset(data)
    )
