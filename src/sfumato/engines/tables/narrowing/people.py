"""Count the people of a population who fit a row and what its note says."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .reading import NoteReading
from .sampled import SampleOf

__all__ = ["Certainty", "Guess", "PeopleCounter", "best_guess", "masks_of", "subsets_of"]

Mask = npt.NDArray[np.bool_]
_MOST_ATTRIBUTES = 5
_WEIGHT = 0.5  # the weight of the row in readings: what an attacker knows already


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
        known = max(1.0, self.count_known(masks))
        return known if self.sample is None else float(self.sample.people(np.array(known)))

    def count_known(self, masks: Mapping[int, Mask]) -> float:
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


Forms = tuple[tuple[int, str], ...]


class Certainty:
    """How often readings are right together: by their attributes and forms, and by how few people they leave.

    Readings that leave few people are wrong more often than others, because what was misread is as often a rare value as a
    common one; and the errors of one note hang together. So readings are counted by how many people they leave, then also by
    their forms.
    """

    def __init__(self) -> None:
        self._right, self._all = Counter[tuple[object, ...]](), Counter[tuple[object, ...]]()

    def add(self, forms: Forms, people: float, *, are_right: bool) -> None:
        """Add readings of one note of which the truth is known."""
        for key in _keys(forms, people):
            self._all[key] += 1
            self._right[key] += are_right

    def of(self, forms: Forms, people: float) -> float:
        """Return the chance that readings of these attributes and forms are all right."""
        found = 0.5
        for key in _keys(forms, people):
            found = (self._right[key] + _WEIGHT * found) / (self._all[key] + _WEIGHT)
        return found


def _keys(forms: Forms, people: float) -> tuple[tuple[object, ...], ...]:
    bucket = int(math.log(max(1.0, people), 4))
    return (bucket,), (bucket, forms)


@dataclass(frozen=True)
class Guess:
    """The attacker's best guess at a record: its chance, who fits, and what was followed."""

    chance: float
    people: float
    followed: tuple[int, ...]


def best_guess(
    group: PeopleCounter,
    read: Mapping[int, tuple[Mask, str]],
    certainty: Certainty,
) -> Guess:
    """Return the best of all subsets of readings: max Π π_a / N_S, with π the chance that a reading is right.

    Parameters
    ----------
    group : PeopleCounter
        The people that fit the row.
    read : mapping
        What the note leaves open, by attribute, and the form of its words.
    certainty : Certainty
        How often such readings are right.

    """
    everyone = group.count({})
    best = Guess(1.0 / everyone, everyone, ())
    for subset, forms, people in subsets_of(group, read):
        right = certainty.of(forms, people)
        if right / people > best.chance:
            best = Guess(right / people, people, subset)
    return best


def subsets_of(
    group: PeopleCounter, read: Mapping[int, tuple[Mask, str]]
) -> Iterator[tuple[tuple[int, ...], Forms, float]]:
    """Yield what can be followed of a note: attributes, their forms, and who fits."""
    attributes = sorted(read)[:_MOST_ATTRIBUTES]
    for size in range(1, len(attributes) + 1):
        for subset in itertools.combinations(attributes, size):
            forms = tuple((a, read[a][1]) for a in subset)
            yield subset, forms, group.count({a: read[a][0] for a in subset})
