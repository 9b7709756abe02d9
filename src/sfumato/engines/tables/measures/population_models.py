"""Three models of the field (Zayatz, Pitman, slide negative binomial) of the population that a sample is drawn from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

__all__ = ["Modelled", "SampleSizes", "choose_estimator", "drawn", "pitman", "snb", "zayatz"]

_SMALL_FRACTION = 0.1  # fraction up to which Pitman's model is preferred (Dankar and others, 2012)
_FARTHEST = 20.0  # logit and logarithm of parameters that are still looked at


class Modelled(NamedTuple):
    """What a model shows of a population, each over the number of its people: who is unique, and its groups."""

    uniqueness: float
    groups: float


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


def zayatz(sample: SampleSizes) -> Modelled:
    """Return what Zayatz (1991) estimates: population groups are taken to have the sizes of the sample's groups."""
    share = sample.many / sample.groups
    seen = float((share * (1.0 - drawn(sample.size, 0, sample.fraction))).sum())
    return Modelled(_unique_by_zayatz(sample, share), sample.groups / seen / sample.people)


def _unique_by_zayatz(sample: SampleSizes, share: npt.NDArray[np.float64]) -> float:
    drawn_once = drawn(sample.size, 1, sample.fraction)
    among = float((share * drawn_once).sum())
    if sample.having(1) == 0 or among <= 0:
        return 0.0
    unique = float(share[sample.size == 1].sum()) * sample.fraction / among
    return min(1.0, sample.having(1) * unique / sample.records)


def pitman(sample: SampleSizes) -> Modelled | None:
    """Return what Pitman's model shows (Hoshino 2001), by likelihood; None where nothing or everything is unique."""
    n, u = sample.records, sample.groups
    if sample.having(1) == 0 or u in {1, n}:
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
    # θ/Γ(θ + α) · Γ(θ + N + α)/Γ(θ + N), of which E[K] = (… − θ)/α groups and its share of unique ones follow
    logs = (
        special.gammaln(theta + alpha + people)
        + special.gammaln(theta + 1)
        - special.gammaln(theta + people)
        - special.gammaln(theta + alpha)
    )
    unique = math.exp(logs) / (theta + alpha + people - 1)
    groups = (math.exp(logs) - theta) / alpha
    return Modelled(min(1.0, unique), min(1.0, groups / people))


def snb(sample: SampleSizes) -> Modelled | None:
    """Return what the slide negative binomial model shows; None where no such population has samples like this one.

    Group sizes less one are negative binomial (Chen and McNulty 1998); its parameters are those whose
    samples have as many groups, and as many groups of one, as this one.
    """
    if sample.having(1) == 0:
        return None
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
        return None
    shape, chance, classes = parts(best.x)
    unique = classes * math.exp(shape * math.log(chance)) / people
    return Modelled(min(1.0, unique), min(1.0, classes / people))


def choose_estimator(
    sample: SampleSizes, by_pitman: Modelled | None, by_zayatz: Modelled, by_snb: Modelled | None
) -> Modelled:
    """Return the estimate that the rule of Dankar and others (2012) chooses."""
    if sample.fraction <= _SMALL_FRACTION and by_pitman is not None:
        return by_pitman
    return by_zayatz if by_snb is None else min(by_zayatz, by_snb)


def drawn(
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
