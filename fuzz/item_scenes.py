"""Scenes of `fuzz.metamorphic` about baskets and documents: items and words that are not published."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fuzz.metamorphic import write_public_report
from sfumato import baskets, text
from sfumato.data.document import Document, Span

Dice = np.random.Generator
_TRIES = 40

# --- baskets ---------------------------------------------------------------------------------------


@dataclass
class MatrixScene:
    """Some columns of a matrix; an item that is not among them changes."""

    name: str
    dice: Dice
    folder: Path
    attacked: bool
    data: frozenset[str] = frozenset({"data.npz", "data.features.txt"})

    def __post_init__(self) -> None:
        self.names = [f"item{i}" for i in range(10)]
        rates = np.linspace(0.85, 0.05, 10)
        self.matrix = (self.dice.random((60, 10)) < rates).astype(np.int8)
        source = self._write(self.matrix, self.folder / "explored")
        self.found = baskets.explore(source, k=[5], method=["columns"])
        self.found.save(self.folder / "frontier")
        offered = [c for c in self.found if len(c.features) < 10]
        self.chosen = offered[int(self.dice.integers(len(offered)))] if offered else None

    def _write(self, matrix: np.ndarray, folder: Path) -> Path:
        folder.mkdir(parents=True)
        (folder / "data.features.txt").write_text("\n".join(self.names) + "\n", encoding="utf-8")
        sp.save_npz(folder / "data.npz", sp.csr_matrix(matrix))
        return folder / "data.npz"

    def play(self, data: object | None, folder: Path) -> list[Path]:
        """Publish, attack where that is asked for, and report."""
        assert self.chosen is not None
        matrix = self.matrix if data is None else data
        assert isinstance(matrix, np.ndarray)
        source = self._write(matrix, folder / "in")
        self.found.publish(self.chosen.id, source, out=folder / "out", accept_shift=True)
        sources = [self.folder / "frontier"]
        if self.attacked:
            (folder / "attack").mkdir()
            baskets.attack(self.folder / "frontier", source, people=20, items=[2],
                           out=folder / "attack" / "attack.json")  # fmt: skip
            sources.append(folder / "attack")
        return write_public_report(folder, *sources, pdf=False)

    def changes(self) -> Iterator[np.ndarray]:
        """Yield the matrix with one or some hidden items of a row turned over."""
        if self.chosen is None:
            return
        hidden = [i for i, name in enumerate(self.names) if name not in self.chosen.features]
        for _ in range(_TRIES):
            changed, row = self.matrix.copy(), int(self.dice.integers(60))
            many = int(self.dice.integers(1, len(hidden) + 1))
            changed[row, self.dice.choice(hidden, many, replace=False)] ^= 1
            yield changed


@dataclass
class LogScene:
    """A purchase log in single cells; people of whom nothing is left change what they have."""

    name: str
    dice: Dice
    folder: Path
    data: frozenset[str] = frozenset({"log.csv"})

    def __post_init__(self) -> None:
        rows = [
            (person, f"item {item}")
            for person in range(60)
            for item in self.dice.choice(8, int(self.dice.integers(1, 4)), replace=False)
        ]
        self.events = [*rows, *((100 + i, f"lonely {i}") for i in range(3))]
        source = self._write(self.events, self.folder / "explored")
        columns = {"item": "item", "person": "person"}
        self.columns = columns
        self.found = baskets.explore(source, log=columns, k=[5], method=["cells"], utility="ones")
        self.found.save(self.folder / "frontier")
        self.chosen = next(iter(self.found), None)

    def _write(self, events: list[tuple[int, str]], folder: Path) -> Path:
        folder.mkdir(parents=True)
        with (folder / "log.csv").open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([("person", "item"), *events])
        return folder / "log.csv"

    def play(self, data: object | None, folder: Path) -> list[Path]:
        """Publish and report."""
        assert self.chosen is not None
        events = self.events if data is None else data
        assert isinstance(events, list)
        source = self._write(events, folder / "in")
        self.found.publish(
            self.chosen.id, source, log=self.columns, out=folder / "out", accept_shift=True
        )
        return write_public_report(folder, self.folder / "frontier", pdf=False)

    def changes(self) -> Iterator[list[tuple[int, str]]]:
        """Yield the log with other items of somebody whose items nobody shares."""
        for _ in range(_TRIES if self.chosen is not None else 0):
            who = 100 + int(self.dice.integers(3))
            yield [
                (p, f"lonely {who - 100}" if p != who else f"lonely {int(self.dice.integers(3))}")
                if p >= 100
                else (p, item)
                for p, item in self.events
            ]


# --- text ------------------------------------------------------------------------------------------

NAMES = (
    "Ada",
    "Ben",
    "Cleo",
    "Dora",
    "Emil",
    "Fay",
    "Gus",
    "Hana",
    "Ada Lind",
    "Ben Moor",
    "Cleo Nash Orr",
)


def _letter(number: int, name: str) -> Document:
    start = f"Note {number % 7} about our patient "
    spans = (Span(len(start), len(start) + len(name), "NAME"),)
    return Document(f"d{number}", f"{start}{name} who slept well.", spans)


@cache
def _names_model() -> tuple[Any, tempfile.TemporaryDirectory[str]]:
    dice, kept = np.random.default_rng(0), tempfile.TemporaryDirectory(prefix="metamorphic-model-")
    letters = [_letter(i, str(dice.choice(NAMES))) for i in range(80)]
    found = text.explore(letters, labels=["NAME"], ratios=[10], attackers=[], folds=3)
    found.save(Path(kept.name) / "frontier")
    return found, kept


@dataclass
class LettersScene:
    """Letters with names; another name, of more words or fewer, stands where one was redacted."""

    name: str
    dice: Dice
    folder: Path
    attacked: bool
    data: frozenset[str] = frozenset({"letters.jsonl"})

    def __post_init__(self) -> None:
        self.found, model = _names_model()
        self.frontier = Path(model.name) / "frontier"
        self.letters = [(str(self.dice.choice(NAMES)), "ward 1", 1) for _ in range(20)]

    def play(self, data: object | None, folder: Path) -> list[Path]:
        """Publish, attack where that is asked for, and report."""
        letters = self.letters if data is None else data
        assert isinstance(letters, list)
        folder.mkdir()
        made = [_letter(i, name) for i, (name, _, _) in enumerate(letters)]
        lines = [{"id": d.id, "text": d.text, "ward": letters[i][1]} for i, d in enumerate(made)]
        broken = {"id": "broken", "text": letters[0][2]}  # a record that cannot be read
        source = folder / "letters.jsonl"
        source.write_text("".join(json.dumps(r) + "\n" for r in [*lines, broken]), encoding="utf-8")
        self.found.publish("r10", source, out=folder / "out", accept_shift=True)
        sources = [self.frontier]
        if self.attacked:
            (folder / "attack").mkdir()
            text.attack(self.frontier, folder / "out", labels=made, attackers="none", budgets=[5],
                        out=folder / "attack" / "attack.json")  # fmt: skip
            sources.append(folder / "attack")
        return write_public_report(folder, *sources, pdf=False)

    def changes(self) -> Iterator[list[tuple[str, str, int]]]:
        """Yield the letters with another name, another dropped field, or another unreadable record."""
        for _ in range(_TRIES):
            changed, at = list(self.letters), int(self.dice.integers(20))
            name, ward, broken = changed[at]
            kind = int(self.dice.integers(4))
            if kind < 2:
                name = str(self.dice.choice([n for n in NAMES if n != name]))
            elif kind == 2:
                ward = f"ward {int(self.dice.integers(2, 99))}"
            else:
                at, broken = 0, int(self.dice.integers(2, 10**6))
                name, ward, _ = changed[0]
            changed[at] = (name, ward, broken)
            yield changed
