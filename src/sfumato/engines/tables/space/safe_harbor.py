"""HIPAA Safe Harbor as a policy on a schema's ages and ZIP codes.

Three-digit ZIP prefixes, small prefixes never alone, ages of 90 and over in one band, dates to the year,
places smaller than a state and every kind of identifier removed; everything else as it is. The rule sends every prefix of 20,000 people or fewer to one class
"000". A policy publishes intervals of an ordered domain, so small prefixes that are not adjacent
cannot share one: each is joined with a neighbour, a small one first, until its interval holds more than
20,000 people. Every interval is then made of whole prefixes and passes the rule's own test, which the
class "000" need not: this form is never finer than what the rule allows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ....core.errors import InputError, ParameterError, did_you_mean
from ....core.records import Candidate, FrontierRecord
from ....data.attributes import DIRECT_MEANINGS
from .policy import Lattice, Policy

__all__ = ["NAME", "Roles", "find_roles", "safe_harbor"]

C = TypeVar("C", bound=Candidate)
R = TypeVar("R", bound=FrontierRecord)

NAME = "Safe Harbor"
_ZIP_WORDS = ("zip", "zcta", "postal", "postcode", "post_code")
_PLACE_WORDS = frozenset({"city", "town", "county", "street", "district", "precinct", "parish"})
_NOT_PEOPLE = frozenset(
    {"housing", "house", "building", "median", "mean", "average", "car", "vehicle"}
)
_BIRTH_WORDS = frozenset({"birth", "birthdate", "dob", "born"})
_DATE = re.compile(r"\d{4}-(?:\d{2}|Q[1-4])(?:-\d{2})?")
_AGE = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*(?:\+|y|yr|yrs|year|years)?")
_FEW = 20_000
_OLD = 90
_MISSING = "?"

# Prefixes of 20,000 people or fewer by the Census of 2000, as the rule's guidance lists them; they serve
# where no population is given.
_SMALL_PREFIXES = frozenset({
    "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879",
    "884", "890", "893",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Roles:
    """Which attributes Safe Harbor is about, by their number: an age, a ZIP code, other places."""

    age: int | None = None
    zip_code: int | None = None
    places: tuple[int, ...] = ()
    dates: tuple[int, ...] = ()
    births: tuple[int, ...] = ()
    direct: tuple[int, ...] = ()

    @property
    def applicable(self) -> bool:
        """Whether the rule says anything of this schema."""
        several = self.places + self.dates + self.direct
        return self.age is not None or self.zip_code is not None or bool(several)

    def in_words(self, names: Sequence[str]) -> str:
        """Return a sentence that says what was recognised, and what was not."""
        found = []
        if self.age is not None:
            found.append(f"{names[self.age]} as an age")
        if self.zip_code is not None:
            found.append(f"{names[self.zip_code]} as a ZIP code")
        found += [f"{names[a]} as a place" for a in self.places]
        found += [f"{names[a]} as a date" for a in self.dates]
        found += [f"{names[a]} as an identifier" for a in self.direct]
        known = {self.age, self.zip_code, *self.places, *self.dates, *self.direct}
        other = [name for a, name in enumerate(names) if a not in known]
        words = f"Safe Harbor takes {', '.join(found)}"
        return (
            f"{words}; {', '.join(other)} not recognised, left as it is." if other else f"{words}."
        )


def find_roles(
    lattice: Lattice,
    *,
    age: str | None = None,
    zip_code: str | None = None,
    meanings: Mapping[str, str] | None = None,
) -> Roles:
    """Find the attributes by declared meaning, by name (age; zip, zcta, postcode, postal) or by their values.

    >>> find_roles(Lattice(("age", "area"), (("1", "2"), ("37010", "37011"))))
    Roles(age=0, zip_code=1, places=(), dates=(), births=(), direct=())
    """
    given = {name: _number(lattice, name) for name in (age, zip_code) if name is not None}
    ages: list[int] = []
    zips: list[int] = []
    five_digits: list[int] = []
    places: list[int] = []
    dates: list[int] = []
    births: list[int] = []
    direct: list[int] = []
    for a, (name, domain) in enumerate(zip(lattice.names, lattice.domains, strict=True)):
        words = re.split(r"[^a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
        values = [v for v in domain if v != _MISSING]
        digits = bool(values) and all(v.isascii() and v.isdigit() for v in values)
        meaning = (meanings or {}).get(name)
        if meaning is not None:
            kinds = {"age": ages, "zip": zips, "place": places, "date": dates, "birth date": dates}
            if meaning in DIRECT_MEANINGS:
                direct.append(a)
            if meaning == "birth date":
                births.append(a)
            kinds.get(meaning, []).append(a)
        elif values and all(_DATE.match(v) for v in values):
            dates.append(a)
            if _BIRTH_WORDS & set(words):
                births.append(a)
        elif "age" in words and not _NOT_PEOPLE & set(words) and _years(values):
            ages.append(a)
        elif any(w in name.lower() for w in _ZIP_WORDS) and all(len(v) >= 3 for v in values):
            zips.append(a)
        elif digits and all(len(v) == 5 for v in values):
            five_digits.append(a)
        elif _PLACE_WORDS & set(words):
            places.append(a)
    chosen_age = given[age] if age is not None else next(iter(ages), None)
    chosen_zip = given[zip_code] if zip_code is not None else next(iter(zips + five_digits), None)
    return Roles(chosen_age, chosen_zip, tuple(places), tuple(dates), tuple(births), tuple(direct))


def _age(value: str) -> float:
    """Read an age in years, as "90", "90+" or "90 years"; a ValueError for anything else."""
    match = _AGE.fullmatch(value.strip().lower())
    if match is None:
        raise ValueError(value)
    return float(match[1])


def _years(values: Sequence[str]) -> bool:
    try:
        return bool(values) and all(0 <= _age(v) < 200 for v in values)
    except ValueError:
        return False


def _number(lattice: Lattice, name: str) -> int:
    if name not in lattice.names:
        raise ParameterError(
            f"There is no quasi-identifier {name!r}.", hint=did_you_mean(name, lattice.names)
        )
    return lattice.names.index(name)


def safe_harbor(
    lattice: Lattice,
    people_by_value: Sequence[npt.NDArray[np.floating]] | None = None,
    *,
    age: str | None = None,
    zip_code: str | None = None,
    meanings: Mapping[str, str] | None = None,
) -> Policy:
    """Write Safe Harbor as a policy.

    `people_by_value[a]` counts the population by the values of attribute a; without it the small prefixes
    are those of the Census of 2000. `age` and `zip_code` name the attributes where detection fails.
    """
    roles = find_roles(lattice, age=age, zip_code=zip_code, meanings=meanings)
    if not roles.applicable:
        raise InputError(
            "Safe Harbor needs an age in years or a ZIP code among the quasi-identifiers.",
            hint="name them 'age' and 'zip'.",
        )
    bits = np.ones(lattice.length, dtype=np.uint8)
    if roles.age is not None:
        _join_the_old(lattice, roles.age, bits)
    if roles.zip_code is not None:
        people = None if people_by_value is None else np.asarray(people_by_value[roles.zip_code])
        start = lattice.first[roles.zip_code]
        for low, high in _prefix_runs(lattice.domains[roles.zip_code], people):
            bits[start + low : start + high] = 0
    for a in roles.places + roles.direct:
        bits[lattice.first[a] : lattice.first[a + 1]] = 0
    for a in roles.dates:
        _join_years(lattice, a, bits, births=a in roles.births)
    return lattice.from_bits(bits)


def _join_years(
    lattice: Lattice, a: int, bits: npt.NDArray[np.uint8], *, births: bool = False
) -> None:
    """Join the dates of each year; a year whose dates are not adjacent joins what is between.

    Birth dates of people who are over 89 in the last year of the domain are one interval.
    """
    start = lattice.first[a]
    years: dict[str, list[int]] = {}
    for i, value in enumerate(lattice.domains[a]):
        if value != _MISSING:
            years.setdefault(value[:4], []).append(i)
    for places in years.values():
        bits[start + places[0] : start + places[-1]] = 0
    last = max((int(year) for year in years if year.isdecimal()), default=0)
    old = [
        p for year, ps in years.items() if year.isdecimal() and last - int(year) >= _OLD for p in ps
    ]
    if births and old:
        bits[start + min(old) : start + max(old)] = 0


def _join_the_old(lattice: Lattice, a: int, bits: npt.NDArray[np.uint8]) -> None:
    """Join all ages from 90 on; whatever is between two of them joins too."""
    try:
        old = [i for i, v in enumerate(lattice.domains[a]) if v != _MISSING and _age(v) >= _OLD]
    except ValueError:
        raise ParameterError(
            f"The attribute {lattice.names[a]!r} is not an age in years.",
            hint="its domain must hold numbers.",
        ) from None
    if old:
        bits[lattice.first[a] + old[0] : lattice.first[a] + old[-1]] = 0


def _prefix_runs(
    domain: Sequence[str], people: npt.NDArray[np.floating] | None
) -> list[tuple[int, int]]:
    """Return the intervals of the ZIP domain; a missing ZIP code keeps its own interval."""
    size = len(domain) - (domain[-1] == _MISSING)
    prefixes = [v[:3] for v in domain[:size]]
    last = {prefix: i for i, prefix in enumerate(prefixes)}
    runs: list[tuple[int, int]] = []
    for i, prefix in enumerate(prefixes):
        if runs and i <= runs[-1][1]:  # a prefix that comes again joins everything up to there
            runs[-1] = (runs[-1][0], max(runs[-1][1], last[prefix]))
        else:
            runs.append((i, last[prefix]))

    def is_small(run: tuple[int, int]) -> bool:
        if people is not None:
            return float(people[run[0] : run[1] + 1].sum()) <= _FEW
        return all(prefix in _SMALL_PREFIXES for prefix in prefixes[run[0] : run[1] + 1])

    def held(run: tuple[int, int]) -> float:
        return 0.0 if people is None else float(people[run[0] : run[1] + 1].sum())

    def gap(i: int, j: int) -> float:
        ends = prefixes[runs[min(i, j)][1]], prefixes[runs[max(i, j)][0]]
        return abs(int(ends[0]) - int(ends[1])) if all(e.isdecimal() for e in ends) else 0

    while len(runs) > 1 and any(is_small(run) for run in runs):
        small = [k for k, run in enumerate(runs) if is_small(run)]
        i = min(small, key=lambda k: (held(runs[k]), k))
        near = [k for k in (i - 1, i + 1) if 0 <= k < len(runs)]
        j = min(near, key=lambda k: (k not in small, held(runs[k]), gap(i, k), k))
        low, high = min(i, j), max(i, j)
        runs[low : high + 1] = [(runs[low][0], runs[high][1])]
    return runs
