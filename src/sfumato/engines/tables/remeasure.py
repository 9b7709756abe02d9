"""Measure a published table from its labels alone: plain group-bys that share no code with the search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...core.errors import ReleaseRefusedError
from ...data.table import Table
from ...data.table_source import Source, quoted_name
from .measures import size_histogram
from .policy import Policy

__all__ = ["Remeasured", "remeasure"]


@dataclass(frozen=True)
class Remeasured:
    """What a published table shows: risk and loss as promised figures name them, and its groups."""

    records: int
    groups: int
    risk: float
    loss: float
    loss_nats: float
    smallest_group: int
    smallest_population_group: float
    without_population: int
    sizes: list[dict[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """Give the plain form for release.json."""
        return {
            "risk": self.risk,
            "utility": 1.0 - self.loss,
            "loss": self.loss,
            "loss_nats": self.loss_nats,
            "k": self.smallest_group,
            "smallest_group": self.smallest_group,
            "smallest_population_group": round(self.smallest_population_group, 6),
            "groups_count": self.groups,
            "groups": self.sizes,
            "records_without_population_cell": self.without_population,
        }


def remeasure(published: Source, policy: Policy, original: Table) -> Remeasured:
    """Group the published rows by what stands in them, and measure them against original and population.

    The original gives what no release can: the distribution that the loss is measured from.
    """
    lattice = policy.lattice
    published.require(list(lattice.names))
    keys = [f"{quoted_name(n)} AS q{i}" for i, n in enumerate(lattice.names)]
    found = published.query(
        f"SELECT {', '.join(keys)}, count(*) AS n FROM {published.sql} GROUP BY ALL ORDER BY ALL"  # noqa: S608 (quoted)
    )
    count = found.column("n").to_numpy().astype(np.int64)
    group, widths, of_value = [], np.zeros(count.size), []
    for a in range(len(lattice.names)):
        spans = policy.spans(a)
        numbers = {lattice.label(a, low, high): i for i, (low, high) in enumerate(spans)}
        read = [numbers.get(v, -1) for v in found.column(f"q{a}").to_pylist()]
        places = np.array(read, dtype=np.int64)
        if (places < 0).any():
            raise ReleaseRefusedError(
                f"The output holds something in {lattice.names[a]!r} that the policy does not publish; "
                "nothing was published."
            )
        width = np.array([high - low + 1 for low, high in spans])
        widths += np.log(width[places])
        group.append(places)
        of_value.append(np.repeat(np.arange(len(spans)), width))
    rows = np.stack(group)
    people = _people_in(rows, of_value, original)
    hidden = np.maximum(people, count)
    around = _people_in(original.codes, None, original)
    cells = np.maximum(around, original.count)
    n = int(count.sum())
    inside = float((original.count * np.log(original.count)).sum())
    nats = (inside - float((count * (np.log(count) - widths)).sum())) / n
    everything = float(np.log(np.array(lattice.sizes, dtype=np.float64)).sum())
    top = (inside - n * np.log(n) + n * everything) / n
    has_population = original.population_codes is not None
    return Remeasured(
        records=n,
        groups=int(count.size),
        risk=float((count / hidden).sum() / (original.count / cells).sum()),
        loss=float(nats / top) if top > 1e-12 else float(nats),
        loss_nats=float(nats),
        smallest_group=int(count.min()),
        smallest_population_group=float(hidden.min()),
        without_population=int(original.count[around == 0].sum()) if has_population else 0,
        sizes=size_histogram(count, hidden),
    )


def _people_in(
    rows: npt.NDArray[np.integer], of_value: list[npt.NDArray[np.intp]] | None, original: Table
) -> npt.NDArray[np.float64]:
    """Count the population of each row's group; zeros without a population."""
    if original.population_codes is None or original.population_count is None:
        return np.zeros(rows.shape[1])
    codes = original.population_codes
    if of_value is not None:
        codes = np.stack([table[codes[a]] for a, table in enumerate(of_value)])
    both = np.concatenate((rows.astype(np.int64), codes.astype(np.int64)), axis=1)
    which = _numbered(both)
    people = np.bincount(which[rows.shape[1] :], original.population_count, int(which.max()) + 1)
    return people[which[: rows.shape[1]]].astype(np.float64)


def _numbered(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """Number the distinct columns: equal ones get the same number."""
    which = np.zeros(rows.shape[1], dtype=np.intp)
    for row in rows:
        _, which = np.unique(which * (int(row.max()) + 1) + row, return_inverse=True)
    return which
