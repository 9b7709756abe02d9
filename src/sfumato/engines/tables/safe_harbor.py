"""HIPAA Safe Harbor as a policy, on any schema with an age and a ZIP code, and comparing with a reference.

Three-digit ZIP prefixes, prefixes of fewer than 20,000 people grouped together, ages of 90 and over in one
band; everything else as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...core.errors import InputError
from .policy import Lattice, Policy

__all__ = ["find_age_and_zip", "safe_harbor", "told"]

_ZIP_WORDS = ("zip", "zcta", "postal", "postcode")
_FEW = 20_000


def find_age_and_zip(lattice: Lattice) -> tuple[int | None, int | None]:
    """Find the attributes that are an age and a five-digit ZIP code, by name and by domain."""
    age = zip_code = None
    for a, (name, domain) in enumerate(zip(lattice.names, lattice.domains, strict=True)):
        lower, values = name.lower(), [v for v in domain if v != "?"]
        digits = all(v.isdigit() for v in values)
        words = lower.replace("-", "_").split("_")
        if age is None and "age" in words and digits and all(len(v) <= 3 for v in values):
            age = a
        if zip_code is None and digits and any(w in lower for w in _ZIP_WORDS):
            zip_code = a if all(len(v) == 5 for v in values) else None
    return age, zip_code


def safe_harbor(
    lattice: Lattice, people_by_value: Sequence[npt.NDArray[np.floating]] | None = None
) -> Policy:
    """Write Safe Harbor as a policy.

    `people_by_value[a]` counts the population by the values of attribute a; without it no prefix is known
    to be small. A small prefix joins its neighbours among small prefixes and, if it has none, the
    neighbour with fewer people, since a policy publishes intervals.
    """
    age, zip_code = find_age_and_zip(lattice)
    if age is None or zip_code is None:
        raise InputError(
            "Safe Harbor needs an age in years and a five-digit ZIP code among the quasi-identifiers.",
            hint="name them 'age' and 'zip'.",
        )
    bits = np.ones(lattice.length, dtype=np.uint8)
    for v, (left, right) in enumerate(
        zip(lattice.domains[age], lattice.domains[age][1:], strict=False)
    ):
        if left.isdigit() and right.isdigit() and int(left) >= 90:
            bits[lattice.first[age] + v] = 0
    people = None if people_by_value is None else np.asarray(people_by_value[zip_code])
    start = lattice.first[zip_code]
    for low, high in _prefix_runs(lattice.domains[zip_code], people):
        bits[start + low : start + high] = 0
    return lattice.from_bits(bits)


def _prefix_runs(
    domain: Sequence[str], people: npt.NDArray[np.floating] | None
) -> list[tuple[int, int]]:
    runs: list[list[int]] = []
    for v, value in enumerate(domain):
        if runs and value[:3] == domain[runs[-1][0]][:3] and value != "?":
            runs[-1][1] = v
        else:
            runs.append([v, v])
    if people is None:
        return [(low, high) for low, high in runs]

    def size(run: list[int]) -> float:
        return float(people[run[0] : run[1] + 1].sum())

    while len(runs) > 1:
        small = [i for i, run in enumerate(runs) if size(run) < _FEW and domain[run[0]] != "?"]
        if not small:
            break
        i = min(small, key=lambda k: (size(runs[k]), k))
        near = [k for k in (i - 1, i + 1) if 0 <= k < len(runs) and domain[runs[k][0]] != "?"]
        if not near:
            break
        j = min(near, key=lambda k: (size(runs[k]) >= _FEW, size(runs[k]), k))
        low, high = min(i, j), max(i, j)
        runs[low : high + 1] = [[runs[low][0], runs[high][1]]]
    return [(low, high) for low, high in runs]


def told(
    name: str, risk: float, loss: float, dominating: int, best_risk: float | None,
    best_loss: float | None,
) -> str:  # fmt: skip
    """Say in words how a frontier compares with a reference policy (figure 9)."""
    if not dominating:
        return f"No policy found is better than {name} in both risk and loss."
    parts = []
    if best_risk is not None and best_risk < risk:
        parts.append(
            f"at {name}'s loss the risk is {risk / best_risk:.1f} times lower"
            if best_risk > 0
            else f"at {name}'s loss the risk is 0"
        )
    if best_loss is not None and best_loss < loss:
        parts.append(f"at {name}'s risk the loss is {best_loss:.3f} instead of {loss:.3f}")
    many = "1 policy is" if dominating == 1 else f"{dominating:,} policies are"
    return f"{many} better than {name} in both risk and loss: " + ", and ".join(parts) + "."
