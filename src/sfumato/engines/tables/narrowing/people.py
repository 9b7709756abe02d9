"""Count the people of a population who fit a row and what its note says."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .reading import NoteReading
from .sampled import SampleOf

__all__ = ["Guess", "PeopleCounter", "best_guess", "masks_of"]

Mask = npt.NDArray[np.bool_]
_MOST_ATTRIBUTES = 5


class PeopleCounter:
    """A population by its combinations of values, within the group of one row at a time.

    Parameters
    ----------
    codes : array of int, attributes × cells
        The values of each combination, by place in their domain.
    count : array of float
        The people with each.
    sample : SampleOf, optional
        Where they are a sample of the population: people are then estimated.

    """

    def __init__(
        self,
        codes: npt.NDArray[np.integer],
        count: npt.NDArray[np.float64],
        sample: SampleOf | None = None,
    ) -> None:
        self.codes, self.people, self.sample = codes, count, sample

    def within(self, masks: Sequence[Mask]) -> PeopleCounter:
        """Return the people who fit one mask per attribute."""
        fits = np.ones(self.people.size, np.bool_)
        for a, mask in enumerate(masks):
            fits &= mask[self.codes[a]]
        return PeopleCounter(self.codes[:, fits], self.people[fits], self.sample)

    def count(self, masks: Mapping[int, Mask]) -> float:
        """Return how many people fit masks of some attributes: at least one."""
        counted = max(1.0, self.counted(masks))
        return counted if self.sample is None else float(self.sample.people(np.array(counted)))

    def counted(self, masks: Mapping[int, Mask]) -> float:
        """Return how many fit among those who are known."""
        fits = np.ones(self.people.size, np.bool_)
        for a, mask in masks.items():
            fits &= mask[self.codes[a]]
        return float(self.people[fits].sum())


def masks_of(
    readings: Sequence[NoteReading],
    names: Sequence[str],
    domains: Sequence[Sequence[str]],
    ages: npt.NDArray[np.int64] | None,
    row: Sequence[Mask],
) -> dict[int, tuple[Mask, str]]:
    """Return what a note leaves open of each attribute within its row, and by which form it was read.

    A reading that contradicts the row is not followed; several of one attribute leave open what any of them does.
    """
    found: dict[int, tuple[Mask, str]] = {}
    for reading in readings:
        a = names.index(reading.attribute)
        if reading.values:
            mask = np.zeros(len(domains[a]), np.bool_)
            mask[list(reading.values)] = True
        else:
            assert ages is not None
            mask = (ages >= reading.low) & (ages <= reading.high)
        if not (mask & row[a]).any():
            continue
        if a in found:
            known, form = found[a]
            found[a] = (known | mask, form if form == reading.form else "several")
        else:
            found[a] = (mask, reading.form)
    return {a: f for a, f in found.items() if (row[a] & ~f[0]).any()}


@dataclass(frozen=True)
class Guess:
    """The attacker's best guess at a record: its chance, who fits, and what was followed."""

    chance: float
    people: float
    followed: tuple[int, ...]


def best_guess(
    group: PeopleCounter,
    read: Mapping[int, tuple[Mask, str]],
    certainty: Mapping[tuple[int, str], float],
) -> Guess:
    """Return the best of all subsets of readings: max Π π_a / N_S, with π the chance that a reading is right.

    Parameters
    ----------
    group : PeopleCounter
        Who fits the row.
    read : mapping
        What the note leaves open, by attribute, and the form of its words.
    certainty : mapping
        By attribute and form, how often such a reading is right.

    """
    everyone = group.count({})
    best = Guess(1.0 / everyone, everyone, ())
    attributes = list(read)[:_MOST_ATTRIBUTES]
    for size in range(1, len(attributes) + 1):
        for subset in itertools.combinations(attributes, size):
            people = group.count({a: read[a][0] for a in subset})
            right = float(np.prod([certainty.get((a, read[a][1]), 0.5) for a in subset]))
            if right / people > best.chance:
                best = Guess(right / people, people, subset)
    return best
