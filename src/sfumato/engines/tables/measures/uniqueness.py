"""How many records are unique in an unknown population, estimated from a sample of it.

Three models of the field (Zayatz, Pitman, slide negative binomial) each give a number, and two linear
programmes a range that needs no model: the largest and the smallest share of unique people in any population
whose simple random samples look like this one. All take the sample as drawn at random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from ..records import PopulationEstimate

__all__ = [
    "SampleSizes",
    "choose_estimator",
    "estimate_uniqueness",
    "estimate_uniqueness_by_group",
    "pitman",
    "snb",
    "unique_matches",
    "uniqueness_range",
    "zayatz",
]

_SMALL_FRACTION = 0.1  # fraction up to which Pitman's model is preferred (Dankar and others, 2012)
_EXACT = 12  # sample sizes that have their own constraint
_DENSE = 40  # population sizes that are all in the programme; larger ones on a grid
_STEP = 1.06
_PARTS = 3  # parts of a population that is sampled unevenly, each with its own fraction
_WHOLE = 0.999  # fraction from which everybody counts as sampled
_FARTHEST = 20.0  # logit and logarithm of parameters that are still looked at
_Z = 2.0  # standard errors allowed per constraint


@dataclass(frozen=True)
class SampleSizes:
    """The sizes of a sample's groups, and the share of the population that was drawn.

    Parameters
    ----------
    size, many : arrays of int
        Each size that occurs, rising, and how many groups have it.
    fraction : float
        The share of the population that the sample holds.

    """

    size: npt.NDArray[np.int64]
    many: npt.NDArray[np.int64]
    fraction: float

    @classmethod
    def of(cls, groups: npt.NDArray[np.integer], fraction: float) -> SampleSizes:
        """Take the sizes of groups as they come."""
        size, many = np.unique(groups, return_counts=True)
        return cls(size.astype(np.int64), many.astype(np.int64), fraction)

    @property
    def records(self) -> int:
        return int((self.size * self.many).sum())

    @property
    def groups(self) -> int:
        return int(self.many.sum())

    @property
    def people(self) -> float:
        """The size of the population."""
        return self.records / self.fraction

    def having(self, size: int) -> int:
        """Return how many groups have a size."""
        return int(self.many[self.size == size].sum())


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
    chosen = min(max(choose_estimator(sample, by_pitman, by_zayatz, by_snb), low), high)
    return PopulationEstimate(
        fraction=fraction,
        people=sample.people,
        uniqueness=chosen,
        low=low,
        high=high,
        zayatz=by_zayatz,
        pitman=by_pitman,
        snb=by_snb,
        unique_match=unique_matches(sample),
        average=float((records * _chance(groups, fraction)).sum() / records.sum()),
    )


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


def zayatz(sample: SampleSizes) -> float:
    """Return the share of the population that is unique, as Zayatz (1991) estimates it.

    Population groups are taken to have the sizes that the sample's groups have.
    """
    share = sample.many / sample.groups
    drawn_once = _draw(sample.size, 1, sample.fraction)
    among = float((share * drawn_once).sum())
    if sample.having(1) == 0 or among <= 0:
        return 0.0
    unique = float(share[sample.size == 1].sum()) * sample.fraction / among
    return min(1.0, sample.having(1) * unique / sample.records)


def pitman(sample: SampleSizes) -> float | None:
    """Return the share of the population that is unique under Pitman's model (Hoshino 2001), by likelihood."""
    n, u = sample.records, sample.groups
    if sample.having(1) == 0:
        return 0.0
    if u in {1, n}:
        return None

    def parameters(x: npt.NDArray[np.float64]) -> tuple[float, float]:
        near, far = np.clip(x, -_FARTHEST, _FARTHEST)
        return float(special.expit(near)), math.exp(far)

    def loss(x: npt.NDArray[np.float64]) -> float:
        alpha, theta = parameters(x)
        within = special.gammaln(sample.size - alpha) - special.gammaln(1 - alpha)
        return -float(
            (u - 1) * math.log(alpha)
            + special.gammaln(theta / alpha + u)
            - special.gammaln(theta / alpha + 1)
            - special.gammaln(theta + n)
            + special.gammaln(theta + 1)
            + (sample.many * within).sum()
        )

    found = min(
        (
            optimize.minimize(
                loss, start, method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-7}
            )
            for start in ((-1.0, math.log(u)), (1.0, 0.0))
        ),
        key=lambda r: float(r.fun),
    )
    alpha, theta = parameters(found.x)
    people = sample.people
    logs = (
        special.gammaln(theta + alpha + people - 1)
        + special.gammaln(theta + 1)
        - special.gammaln(theta + people)
        - special.gammaln(theta + alpha)
    )
    return float(min(1.0, math.exp(logs)))


def snb(sample: SampleSizes) -> float | None:
    """Return the share of the population that is unique under the slide negative binomial model.

    Group sizes less one are negative binomial (Chen and McNulty 1998); its parameters are those whose
    samples have as many groups, and as many groups of one, as this one.
    """
    if sample.having(1) == 0:
        return 0.0
    people, left = sample.people, 1.0 - sample.fraction
    wanted = np.array([sample.groups, sample.having(1)], dtype=np.float64)

    def parts(x: npt.NDArray[np.float64]) -> tuple[float, float, float]:
        shape, chance = math.exp(x[0]), float(special.expit(x[1]))
        return shape, chance, people / (1 + shape * (1 - chance) / chance)

    def off(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        shape, chance, classes = parts(x)
        base = 1 - (1 - chance) * left
        power = math.exp(shape * math.log(chance / base))
        once = classes * sample.fraction * power * (1 + left * shape * (1 - chance) / base)
        expected = np.array([classes * (1 - left * power), once])
        return np.asarray(np.log(np.maximum(expected, 1e-9)) - np.log(wanted))

    best = None
    for start in ((0.0, 0.0), (-2.0, -3.0), (2.0, 2.0)):
        found = optimize.least_squares(off, start, bounds=([-12, -14], [8, 14]), max_nfev=200)
        if best is None or found.cost < best.cost:
            best = found
    if best is None or best.cost > 1e-4:
        return None  # no such population has samples like this one
    shape, chance, classes = parts(best.x)
    return float(min(1.0, classes * math.exp(shape * math.log(chance)) / people))


def choose_estimator(
    sample: SampleSizes, by_pitman: float | None, by_zayatz: float, by_snb: float | None
) -> float:
    """Return the estimate that the rule of Dankar and others (2012) chooses."""
    if sample.fraction <= _SMALL_FRACTION and by_pitman is not None:
        return by_pitman
    return by_zayatz if by_snb is None else min(by_zayatz, by_snb)


def _draw(
    sizes: npt.NDArray[np.floating] | npt.NDArray[np.integer], times: int, fraction: float
) -> npt.NDArray[np.float64]:
    """Return the chance that a number of members of groups of these sizes is drawn."""
    sizes = sizes.astype(np.float64)
    logs = (
        special.gammaln(sizes + 1)
        - special.gammaln(times + 1.0)
        - special.gammaln(np.maximum(sizes - times, 0) + 1)
        + special.xlogy(times, fraction)
        + special.xlog1py(sizes - times, -fraction)
    )
    return np.where(sizes >= times, np.exp(np.where(sizes >= times, logs, 0.0)), 0.0)


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
    chances = np.stack([_draw(sizes, i, sample.fraction) for i in range(1, _EXACT + 1)])
    more = 1.0 - _draw(sizes, 0, sample.fraction) - chances.sum(axis=0)
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
