"""What notes add to their rows, against a population: for the row alone, with the note as it was, and as it is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..notes_records import NotesLinked, NotesPeople, PeopleLeft
from .linking import RowBlocks
from .people import Certainty, Guess, Mask, PeopleCounter, best_guess, masks_of, subsets_of
from .reading import NoteReading, read_note

__all__ = ["Narrowing", "NotedRow"]

_FEW = 11


@dataclass(frozen=True)
class NotedRow:
    """A row with its note: the values of its person, the values that its labels leave open, and both notes."""

    own: tuple[int, ...]
    row: tuple[Mask, ...]
    raw: str
    published: str
    year: int | None = None


class Narrowing:
    """Notes, rows and a population.

    Parameters
    ----------
    names : sequence of str
        The quasi-identifiers.
    domains : sequence of sequence of str
        Their values.
    age : str or None
        The one that holds ages.
    mentioned : sequence of str
        Those whose values are words or codes that notes may mention.
    population : PeopleCounter
        The people.

    """

    def __init__(
        self,
        names: Sequence[str],
        domains: Sequence[Sequence[str]],
        age: str | None,
        mentioned: Sequence[str],
        population: PeopleCounter,
    ) -> None:
        self.names, self.domains, self.age, self.population = names, domains, age, population
        self.words = {
            name: {v.lower(): i for i, v in enumerate(domains[names.index(name)])}
            for name in mentioned
        }
        self.ages: npt.NDArray[np.int64] | None = None
        if age is not None:
            self.ages = np.array([_number(v) for v in domains[names.index(age)]], np.int64)

    def measure(self, rows: Sequence[NotedRow]) -> tuple[NotesPeople, list[dict[str, object]]]:
        """Return the figures, and per note the people who are left: with their ends, where they are estimated."""
        groups = [self.population.within(row.row) for row in rows]
        alone = [Guess(1.0 / g.count({}), g.count({}), ()) for g in groups]
        raw = self._guesses(rows, groups, [row.raw for row in rows])
        published = self._guesses(rows, groups, [row.published for row in rows])
        nobody: list[dict[int, tuple[Mask, str]]] = [{} for _ in rows]
        blocks = RowBlocks([row.row for row in rows])
        record = NotesPeople(
            notes=len(rows),
            linked=NotesLinked(
                raw=blocks.share_right(self._masks_alone(rows, [row.raw for row in rows])),
                published=blocks.share_right(
                    self._masks_alone(rows, [row.published for row in rows])
                ),
                table=blocks.share_alone(),
                random=1 / len(rows),
            ),
            row=_left(rows, groups, alone, nobody),
            raw=_left(rows, groups, *raw),
            published=_left(rows, groups, *published),
            fraction=None if self.population.sample is None else self.population.sample.fraction,
        )
        per_note: list[dict[str, object]] = [{} for _ in rows]
        by_source = {"row": (alone, nobody), "raw": raw, "published": published}
        for name, (guesses, read) in by_source.items():
            for line, group, guess, own in zip(per_note, groups, guesses, read, strict=True):
                line[name] = guess.people
                if group.sample is not None:
                    line[f"{name}_between"] = _ends(group, guess, own)
        return record, per_note

    def people_who_fit(self, rows: Sequence[NotedRow]) -> list[float]:
        """Return how many people fit each row and all that its published note says: what anybody can count."""
        found = []
        for row in rows:
            read = masks_of(
                self._read(row.published, row.year), self.names, self.domains, self.ages, row.row
            )
            group = self.population.within(row.row)
            found.append(group.count({a: mask for a, (mask, _) in read.items()}))
        return found

    def _guesses(
        self, rows: Sequence[NotedRow], groups: Sequence[PeopleCounter], texts: Sequence[str]
    ) -> tuple[list[Guess], list[dict[int, tuple[Mask, str]]]]:
        """Guess at every record; how often a kind of reading is right is learned on the other half."""
        read = [
            masks_of(self._read(text, row.year), self.names, self.domains, self.ages, row.row)
            for text, row in zip(texts, rows, strict=True)
        ]
        certainty = [
            self._certainty(rows[half::2], groups[half::2], read[half::2]) for half in (0, 1)
        ]
        return [
            best_guess(groups[i], read[i], certainty[1 - i % 2]) for i in range(len(rows))
        ], read

    def _masks_alone(
        self, rows: Sequence[NotedRow], texts: Sequence[str]
    ) -> list[dict[int, tuple[Mask, str]]]:
        """Return what notes leave open to somebody who does not know their rows."""
        everything = [np.ones(len(domain), np.bool_) for domain in self.domains]
        return [
            masks_of(self._read(text, row.year), self.names, self.domains, self.ages, everything)
            for text, row in zip(texts, rows, strict=True)
        ]

    def _read(self, text: str, year: int | None) -> list[NoteReading]:
        return read_note(text, age=self.age, words=self.words, year=year)

    @staticmethod
    def _certainty(
        rows: Sequence[NotedRow],
        groups: Sequence[PeopleCounter],
        read: Sequence[dict[int, tuple[Mask, str]]],
    ) -> Certainty:
        """Return how often the true value is among those that are read."""
        found = Certainty()
        for row, group, masks in zip(rows, groups, read, strict=True):
            for subset, forms, people in subsets_of(group, masks):
                are_right = all(masks[a][0][row.own[a]] for a in subset)
                found.add(forms, people, are_right=are_right)
        return found


def _count_who_fit(group: PeopleCounter, guess: Guess, read: dict[int, tuple[Mask, str]]) -> float:
    """Return how many of the known people fit what was followed."""
    return max(1.0, group.count_known({a: read[a][0] for a in guess.followed}))


def _ends(group: PeopleCounter, guess: Guess, read: dict[int, tuple[Mask, str]]) -> list[float]:
    """Return the interval of the people who fit, where they are estimated."""
    assert group.sample is not None
    low, high = group.sample.interval(np.array([_count_who_fit(group, guess, read)]))
    return [float(low[0]), float(high[0])]


def _left(
    rows: Sequence[NotedRow],
    groups: Sequence[PeopleCounter],
    guesses: Sequence[Guess],
    read: Sequence[dict[int, tuple[Mask, str]]],
) -> PeopleLeft:
    """Return the distribution of the people who are left, and how often the guess is right."""
    people = np.array([g.people for g in guesses])
    true = np.array(
        [all(read[i][a][0][row.own[a]] for a in guesses[i].followed) for i, row in enumerate(rows)]
    )
    return PeopleLeft(
        median=float(np.median(people)),
        below=float(np.mean(people < _FEW)),
        unique=float(np.mean(people <= 1)),
        stated=float(np.mean([g.chance for g in guesses])),
        named=float(np.mean(true / people)),
        named_between=_between(true, groups, guesses, read),
    )


def _between(
    true: npt.NDArray[np.bool_],
    groups: Sequence[PeopleCounter],
    guesses: Sequence[Guess],
    read: Sequence[dict[int, tuple[Mask, str]]],
) -> tuple[float, float] | None:
    """Return the ends of how often the guess is right, where the people who fit are estimated."""
    sample = groups[0].sample
    if sample is None:
        return None
    counted = [_count_who_fit(*pair) for pair in zip(groups, guesses, read, strict=True)]
    low, high = sample.interval(np.array(counted))
    return float(np.mean(true / high)), float(np.mean(true / low))


def _number(value: str) -> int:
    try:
        return int(float(value))
    except ValueError:
        return -1
