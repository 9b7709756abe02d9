"""How many records are unique in an unknown population, estimated from a sample of it.

Three models of the field (Zayatz, Pitman, slide negative binomial) each give a number, and two linear
programmes a range that needs no model: the largest and the smallest share of unique people in any population
whose simple random samples look like this one. All take the sample as drawn at random.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from ..records import PopulationEstimate
from .population_models import Modelled, SampleSizes, choose_estimator, drawn, pitman, snb, zayatz

__all__ = [
    "estimate_uniqueness",
    "estimate_uniqueness_by_group",
    "unique_matches",
    "uniqueness_range",
]

_EXACT = 12  # sample sizes that have their own constraint
_DENSE = 40  # population sizes that are all in the programme; larger ones on a grid
_STEP = 1.06
_PARTS = 3  # parts of a population that is sampled unevenly, each with its own fraction
_WHOLE = 0.999  # fraction from which everybody counts as sampled
_Z = 2.0  # standard errors allowed per constraint


def estimate_uniqueness(
    groups: npt.NDArray[np.integer], records: npt.NDArray[np.integer], fraction: float
) -> PopulationEstimate:
    """Estimate what a population shows of the groups of a sample.

    Parameters
    ----------
    groups : array of int
        The people of each group.
    records : array of int
        The records of each group; the same unless people have several.
    fraction : float
        The share of the population that the sample holds.

    """
    sample = SampleSizes.of(groups, fraction)
    if fraction >= _WHOLE:
        unique = sample.having(1) / sample.records
        chance = float((records / groups).sum() / records.sum())
        return PopulationEstimate(
            fraction=1.0, people=sample.records, uniqueness=unique, low=unique, high=unique,
            zayatz=unique, unique_match=1.0, average=chance,
        )  # fmt: skip
    by_zayatz, by_pitman, by_snb = zayatz(sample), pitman(sample), snb(sample)
    low, high = uniqueness_range(sample)
    model = choose_estimator(sample, by_pitman, by_zayatz, by_snb)
    chosen = min(max(model.uniqueness, low), high)
    return PopulationEstimate(
        fraction=fraction,
        people=sample.people,
        uniqueness=chosen,
        low=low,
        high=high,
        zayatz=by_zayatz.uniqueness,
        pitman=_share(by_pitman, sample),
        snb=_share(by_snb, sample),
        unique_match=unique_matches(sample),
        average=_average_chance(groups, records, fraction, max(model.groups, chosen)),
    )


def _share(model: Modelled | None, sample: SampleSizes) -> float | None:
    """Return the share of unique people that a model shows: none where no record of the sample is alone."""
    if sample.having(1) == 0:
        return 0.0
    return None if model is None else model.uniqueness


def estimate_uniqueness_by_group(
    groups: npt.NDArray[np.integer],
    records: npt.NDArray[np.integer],
    fractions: npt.NDArray[np.float64],
) -> PopulationEstimate:
    """Estimate what a population shows of groups that are sampled at different fractions.

    Groups of similar fractions make a part, which is estimated on its own; the ends of the range add up, so the
    range is wider than one of the whole would be.

    Parameters
    ----------
    groups, records : array of int
        The people and the records of each group.
    fractions : array of float
        The share of the population that was sampled around a group.

    """
    order = np.argsort(fractions, kind="stable")
    reached = np.cumsum(groups[order]) / groups.sum()
    bound = np.minimum((_PARTS * reached * (1 - 1e-12)).astype(np.int64), _PARTS - 1)
    part = bound[np.searchsorted(fractions[order], fractions)]  # equal fractions are adjacent
    found = []
    for number in np.unique(part):
        inside = part == number
        people = float((groups[inside] / fractions[inside]).sum())
        fraction = min(float(groups[inside].sum()) / people, 1.0)
        found.append(
            (people, estimate_uniqueness(groups[inside], records[inside], fraction), inside)
        )
    whole = sum(people for people, _, _ in found)

    def over_people(name: str) -> float:
        return sum(p * float(getattr(e, name)) for p, e, _ in found) / whole

    def over_records(name: str) -> float:
        shares = [(float(records[inside].sum()), e) for _, e, inside in found]
        return sum(n * float(getattr(e, name)) for n, e in shares) / float(records.sum())

    def of_model(name: str) -> float | None:
        fits = all(getattr(e, name) is not None for _, e, _ in found)
        return over_people(name) if fits else None

    return PopulationEstimate(
        fraction=min(float(groups.sum()) / whole, 1.0),
        people=whole,
        uniqueness=over_people("uniqueness"),
        low=over_people("low"),
        high=min(over_people("high"), 1.0),
        zayatz=over_people("zayatz"),
        pitman=of_model("pitman"),
        snb=of_model("snb"),
        unique_match=over_records("unique_match"),
        average=over_records("average"),
    )


def _average_chance(
    groups: npt.NDArray[np.integer],
    records: npt.NDArray[np.integer],
    fraction: float,
    expected: float,
) -> float:
    """Return the chance of naming a record, on average over the records.

    Parameters
    ----------
    groups, records : arrays of int
        The people and the records of each group.
    fraction : float
        The share of the population that was sampled.
    expected : float
        The chance on average over people. The sum of 1/F over all people of a population is the number of its
        groups, and a random sample has the same mean: so it is the number of groups over that of people. How it is
        divided among the groups of a sample is Benedetti and Franconi's individual risk, whose own mean is far too
        low where many groups are small: it takes all sizes for equally likely.

    """
    each = _chance(groups, fraction)
    level = expected * float(groups.sum()) / float((groups * each).sum())
    return float((records * np.minimum(level * each, 1.0 / groups)).sum() / records.sum())


def _chance(size: npt.NDArray[np.integer], fraction: float) -> npt.NDArray[np.float64]:
    """Return the expected 1/F of groups of f drawn people, F − f being negative binomial.

    This is the individual risk of Benedetti and Franconi (1998) with equal weights: for one person
    π/(1 − π) · ln(1/π).
    """
    if fraction >= 1.0:
        return 1.0 / size
    found = np.empty(size.size)
    for one in np.unique(size):
        # E[1/F] = π^f ∫₀¹ x^(f−1) (1 − (1 − π) x)^(−f) dx = (π / f) ₂F₁(1, 1; f + 1; 1 − π)
        found[size == one] = _series(float(one), 1.0 - fraction) * fraction / one
    return np.clip(found, 0.0, 1.0 / size)


def _series(size: float, z: float) -> float:
    """Return ₂F₁(1, 1; size + 1; z); for large sizes the series ends before scipy's method fails."""
    if size <= 50:
        return float(special.hyp2f1(1.0, 1.0, size + 1.0, z))
    steps = np.arange(1.0, 101.0)
    return 1.0 + float(np.cumprod(steps * z / (size + steps)).sum())


def uniqueness_range(sample: SampleSizes) -> tuple[float, float]:
    """Return the smallest and the largest share of unique people that the sample allows.

    In a population with K_F groups of each size F, Σ K_F · P(F gives i) groups of i records are expected. Every
    K ≥ 0 that adds up to the population and whose expectations are within the errors of sampling of what
    was seen is a population that this could be a sample of.
    """
    people = sample.people
    if sample.fraction >= 1.0:
        exact = sample.having(1) / sample.records
        return exact, exact
    sizes = _grid(math.ceil(people), int(sample.size.max()), sample.fraction)
    seen = np.array([sample.having(i) for i in range(1, _EXACT + 1)], dtype=np.float64)
    chances = np.stack([drawn(sizes, i, sample.fraction) for i in range(1, _EXACT + 1)])
    more = 1.0 - drawn(sizes, 0, sample.fraction) - chances.sum(axis=0)
    chances = np.vstack((chances, np.maximum(more, 0.0)))
    seen = np.append(seen, float(sample.many[sample.size > _EXACT].sum()))
    slack = _Z * np.sqrt(seen + 1.0) + _Z  # the largest expectation that gives so few, and so on
    of_people = (
        sizes / people
    )  # K_F · F adds up to the population; in shares of people to stay in scale
    rows = chances / of_people
    limits = np.concatenate((seen + slack, -(seen - slack)))
    matrix = np.vstack((rows, -rows))
    target = np.zeros(sizes.size)
    target[0] = 1.0
    ends = []
    for sign in (1.0, -1.0):
        found = optimize.linprog(
            sign * target, A_ub=matrix, b_ub=limits, A_eq=np.ones((1, sizes.size)), b_eq=[1.0],
            bounds=(0, None), method="highs",
        )  # fmt: skip
        if found.status != 0 or found.x is None:
            return 0.0, min(1.0, sample.having(1) / sample.records)
        ends.append(float(found.x[0]))
    return max(0.0, ends[0]), min(1.0, ends[1])


def _grid(people: int, largest: int, fraction: float) -> npt.NDArray[np.float64]:
    """Return the population sizes of groups that are considered."""
    most = min(people, max(int(4 * largest / fraction), _DENSE + 1))
    found = list(range(1, min(_DENSE, people) + 1))
    while found[-1] < most:
        found.append(min(most, math.ceil(found[-1] * _STEP)))
    return np.array(found, dtype=np.float64)


def unique_matches(sample: SampleSizes) -> float:
    """Return the chance that a unique match with a record is the right person (Skinner and Elliot 2002).

    Of all members of the population who look like a sample unique, the share who are in the sample: an
    estimate that needs no model of the population.
    """
    once, twice = sample.having(1), sample.having(2)
    if once == 0:
        return 0.0
    fraction = sample.fraction
    return fraction * once / (fraction * once + 2 * (1 - fraction) * twice)
