"""Measure a published table from its labels alone: plain group-bys that share no code with the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ....core.arrays import Counts
from ....core.errors import ParameterError, ReleaseRefusedError
from ....core.registry import Registry
from ....data.table import Table
from ....data.table_source import Source
from ..measures.protocol import Measure
from ..measures.sampling import Sampled, estimate_of, fraction_of, fractions_in
from ..measures.shown import size_histogram
from ..payload import Terms
from ..records import AbsoluteRisks, GroupSize, PopulationEstimate, TablesMeasured
from ..registry import LOSSES, RISKS
from ..space.labels import ALL
from ..space.policy import Policy
from .groups import CountedGroups, WithinGroups, histories_before

__all__ = ["Remeasured", "remeasure"]


@dataclass(frozen=True)
class PublishedGroups:
    """The groups of a published table, as a measure sees them.

    `count` holds the records of each group, `people` the people who fit it, `original` the records of
    each distinct row before; `size` the different people of each group, which are its records unless the
    schema names a person.
    """

    count: Counts
    people: npt.NDArray[np.float64]
    original: Counts
    size: Counts


@dataclass(frozen=True)
class Remeasured:
    """What a published table shows: risk and loss as they were explored, and its groups."""

    rows: int
    records: int
    groups: int
    risk: float
    loss: float
    loss_nats: float
    relative_risk: float
    expected: float
    expected_unchanged: float
    smallest_group: int
    smallest_population_group: float
    without_population: int
    sizes: tuple[GroupSize, ...]
    l_diversity: dict[str, int] = field(default_factory=dict)
    l_diversity_entropy: dict[str, float] = field(default_factory=dict)
    t_closeness: dict[str, float] = field(default_factory=dict)
    recursive: dict[str, int] = field(default_factory=dict)
    unique: int = 0
    prosecutor_average: float = 0.0
    estimate: PopulationEstimate | None = None
    population_unique: int | None = None
    suppressed: int = 0
    blanked: int = 0
    labels: tuple[frozenset[str], ...] = ()

    def risks(self) -> AbsoluteRisks:
        """Return the chances of naming a record."""
        n, average = self.records, self.expected / self.records
        unique = self.population_unique
        return AbsoluteRisks(
            prosecutor_max=1.0 / self.smallest_group,
            prosecutor_average=self.prosecutor_average,
            journalist_max=1.0 / max(self.smallest_population_group, 1.0),
            journalist_average=average,
            marketer=average,
            sample_uniqueness=self.unique / n,
            population_uniqueness=None if unique is None else unique / n,
            estimate=self.estimate,
        )

    def to_record(self) -> TablesMeasured:
        """Return the form for release.json."""
        return TablesMeasured(
            risk=self.risk,
            utility=1.0 - self.loss,
            loss=self.loss,
            loss_nats=self.loss_nats,
            relative_risk=self.relative_risk,
            expected_reidentified=self.expected,
            expected_unchanged=self.expected_unchanged,
            k=self.smallest_group,
            risks=self.risks(),
            suppressed=self.suppressed,
            blanked=self.blanked,
            smallest_population_group=round(self.smallest_population_group, 6),
            groups_count=self.groups,
            groups=self.sizes,
            l_diversity=self.l_diversity,
            l_diversity_entropy={n: round(v, 6) for n, v in self.l_diversity_entropy.items()},
            t_closeness={n: round(v, 6) for n, v in self.t_closeness.items()},
            records_without_population_cell=self.without_population,
        )


def remeasure(
    published: Source,
    policy: Policy,
    original: Table,
    terms: Terms | None = None,
    linked: Source | None = None,
) -> Remeasured:
    """Group the published rows by what stands in them, and measure them against original and population.

    Parameters
    ----------
    published : Source
        The written file, or a frame.
    policy : Policy
        The policy that was applied; only its labels are used.
    original : Table
        What no release can give: the distribution that the loss is measured from.
    terms : Terms, optional
        The measures that were explored; equations 2 and 4 without.
    linked : Source, optional
        The published labels with the person of each row (see `Generaliser.linked`), where the schema
        names one: the file itself does not say whose row is whose, and must hold the same groups.

    """
    lattice = policy.lattice
    published.require(list(lattice.names))
    terms = terms or Terms(original.schema, lattice)
    written = CountedGroups.of(published, terms, linked)
    sensitive, count, size = written.sensitive, written.count, written.size
    blanks = terms.conditions.suppress_as == "cells"
    rows, widths, of_value = _places(policy, written.labels, blanks=blanks)
    blank = np.asarray((rows < 0).any(axis=0))
    people = np.zeros(rows.shape[1])
    people[~blank] = _people_in(rows[:, ~blank], of_value, original)
    people[blank] = _people_behind(rows, blank, of_value, original)
    hidden = np.maximum(people, size)
    by_row = PublishedGroups(count, hidden, original.count, size)
    around = _people_in(original.codes, None, original)
    cells = np.maximum(around, original.count)
    n = int(count.sum())
    left_out = max(int(original.count.sum()) - n, 0)
    nats, kl = _divergence(count, widths, original.count, lattice.sizes)
    has_population = original.population_codes is not None
    unchanged = float((original.count / cells).sum())
    groups, unique_people = by_row, people == 1
    if written.histories is not None:  # an attacker knows all rows of a person
        alike = written.histories.sizes
        groups = PublishedGroups(alike, alike.astype(np.float64), original.count, alike)
        unchanged = float(histories_before(original))
    expected = float((groups.count / groups.people).sum())
    relative = expected / unchanged
    fraction: Sampled = fraction_of(original, terms.sampling_fraction)
    if original.covered is not None:
        places = [lattice.names.index(name) for name in original.covered]
        whole = ~blank
        inside = [rows[a][whole] for a in places]
        fraction = fractions_in(inside, count[whole], people[whole]) if whole.all() else None
    whole_table = not left_out and not original.dropped
    measured = int(groups.count.sum())
    return Remeasured(
        rows=written.rows,
        records=measured,
        groups=int(groups.count.size),
        risk=_risk(terms, groups, relative),
        loss=_loss(terms, by_row, original, kl, written.source, written.records),
        loss_nats=nats,
        relative_risk=relative,
        expected=expected,
        expected_unchanged=unchanged,
        smallest_group=int(groups.size.min()),
        smallest_population_group=float(groups.people.min()),
        without_population=int(original.count[around == 0].sum()) if has_population else 0,
        sizes=tuple(GroupSize(**g) for g in size_histogram(groups.count, groups.people)),
        l_diversity={n: int((w.table > 0).sum(axis=1).min()) for n, w in sensitive.items()},
        l_diversity_entropy={n: _entropy_l(w.table) for n, w in sensitive.items()},
        t_closeness={
            # A column that is numeric in every row is numeric here; the rows left out may differ.
            n: _distance(w.table, ordered=w.is_numeric and (whole_table or original.is_numeric(n)))
            for n, w in sensitive.items()
        },
        recursive={
            n: _recursive_l(w.table, terms.conditions.recursive_c) for n, w in sensitive.items()
        },
        unique=int(groups.count[groups.size == 1].sum()),
        prosecutor_average=float((groups.count / groups.size).sum()) / measured,
        population_unique=int(count[unique_people].sum()) if has_population else None,
        suppressed=left_out,
        blanked=int(count[blank].sum()),
        labels=tuple(frozenset(v for v in column if v) for column in written.labels),
        estimate=estimate_of(groups.size, groups.count, fraction),
    )


def _divergence(
    count: Counts, widths: npt.NDArray[np.float64], original: Counts, sizes: Sequence[int]
) -> tuple[float, float]:
    """Return the loss of equation 4 in nats, and over that of one group of everything."""
    n, whole = int(count.sum()), int(original.sum())
    left_out = max(whole - n, 0)
    inside = float((original * np.log(original)).sum())
    everything = float(np.log(np.array(sizes, dtype=np.float64)).sum())
    nats = inside - float((count * (np.log(count) - widths)).sum())
    if left_out:  # as if published in one group of everything
        nats += left_out * (everything - float(np.log(left_out)))
    nats /= whole
    top = (inside - whole * np.log(whole) + whole * everything) / whole
    return float(nats), float(nats / top) if top > 1e-12 else float(nats)


def _places(
    policy: Policy, labels: list[list[str | None]], *, blanks: bool = False
) -> tuple[Counts, npt.NDArray[np.float64], list[npt.NDArray[np.intp]]]:
    """Read labels back: the interval of each row by attribute, its log width, the interval of each value.

    A blanked cell has the interval −1 and the width of the whole domain.
    """
    lattice = policy.lattice
    group, of_value = [], []
    widths = np.zeros(len(labels[0]))
    for a, name in enumerate(lattice.names):
        spans = policy.spans(a)
        numbers = {lattice.label(a, low, high): i for i, (low, high) in enumerate(spans)}
        if blanks:
            numbers.setdefault(ALL, -1)
        places = np.array([numbers.get(v or "", -2) for v in labels[a]], dtype=np.int64)
        if (places < -1).any():
            raise ReleaseRefusedError(
                f"The output holds something in {name!r} that the policy does not publish; "
                "nothing was published."
            )
        width = np.array([high - low + 1 for low, high in spans])
        widths += np.log(np.where(places < 0, width.sum(), width[places]))
        group.append(places)
        of_value.append(np.repeat(np.arange(len(spans)), width))
    return np.stack(group), widths, of_value


def _by_groups(registry: Registry[type[Measure]], name: str, groups: PublishedGroups) -> float:
    """Measure with the function of groups that a measure of another package declares."""
    on_groups = getattr(registry.named(name), "on_groups", None)
    if on_groups is None:
        raise ParameterError(
            f"The {registry.kind} {name!r} cannot be measured on a published file.",
            hint="a measure says how by its class method `on_groups`.",
        )
    return float(on_groups(groups))


def _risk(terms: Terms, groups: PublishedGroups, relative: float) -> float:
    count = groups.count
    if terms.risk == "population":
        return relative
    if terms.risk == "prosecutor":
        return 1.0 / int(groups.size.min())
    if terms.risk == "small-groups":
        return float(count[groups.size < terms.k].sum()) / int(count.sum())
    return _by_groups(RISKS, terms.risk, groups)


def _loss(
    terms: Terms,
    groups: PublishedGroups,
    original: Table,
    kl: float,
    published: Source,
    records: str,
) -> float:
    count = groups.count
    if terms.loss == "kl":
        return kl
    if terms.loss == "class-size":
        n = int(count.sum())
        least = n / original.count.size
        return 0.0 if n == least else (n / count.size - least) / (n - least)
    if terms.loss == "mutual-information" and terms.target is not None:
        cell, value, amount = original.joint(terms.target)
        before = np.zeros((int(cell.max()) + 1, int(value.max()) + 1))
        np.add.at(before, (cell, value), amount)
        most = _information(before)
        after = _information(WithinGroups.of(published, terms, terms.target, records).table)
        return min(1.0, max(0.0, 1.0 - after / most)) if most > 1e-12 else 0.0
    return _by_groups(LOSSES, terms.loss, groups)


def _entropy_l(table: npt.NDArray[np.float64]) -> float:
    share = table / table.sum(axis=1, keepdims=True)
    logs = np.log(np.where(share > 0, share, 1.0))
    return float(np.exp(-(share * logs).sum(axis=1).max()))


def _distance(table: npt.NDArray[np.float64], *, ordered: bool) -> float:
    share = table / table.sum(axis=1, keepdims=True)
    whole = table.sum(axis=0) / table.sum()
    if ordered and whole.size > 1:
        moved = np.abs(np.cumsum(share - whole, axis=1)).sum(axis=1)
        return float(moved.max() / (whole.size - 1))
    return float(0.5 * np.abs(share - whole).sum(axis=1).max())


def _recursive_l(table: npt.NDArray[np.float64], c: float) -> int:
    falling = -np.sort(-table, axis=1)
    rest = np.cumsum(falling[:, ::-1], axis=1)[:, ::-1]
    fits = (falling[:, :1] < c * rest) & (falling > 0)
    return int(fits.sum(axis=1).min())


def _information(table: npt.NDArray[np.float64]) -> float:
    share = table / table.sum()
    independent = share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)
    inside = share > 0
    return float((share[inside] * np.log(share[inside] / independent[inside])).sum())


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


def _people_behind(
    rows: Counts,
    blank: npt.NDArray[np.bool_],
    of_value: list[npt.NDArray[np.intp]],
    original: Table,
) -> npt.NDArray[np.float64]:
    """Count the people who fit rows with blanked cells and no group that is published in full."""
    found = np.zeros(int(blank.sum()))
    if original.population_codes is None or original.population_count is None or not found.size:
        return found
    codes = np.stack([table[original.population_codes[a]] for a, table in enumerate(of_value)])
    seen = rows[:, ~blank]
    which = _numbered(np.concatenate((seen, codes), axis=1).astype(np.int64))
    hidden = ~np.isin(which[seen.shape[1] :], which[: seen.shape[1]])
    codes, people = codes[:, hidden], original.population_count[hidden]
    shown = rows[:, blank] >= 0
    for pattern in np.unique(shown, axis=1).T:
        alike = np.flatnonzero((shown == pattern[:, None]).all(axis=0))
        wanted = rows[pattern][:, blank][:, alike]
        both = np.concatenate((wanted, codes[pattern]), axis=1).astype(np.int64)
        number = _numbered(both)
        sums = np.bincount(number[alike.size :], people, int(number.max(initial=0)) + 1)
        found[alike] = sums[number[: alike.size]]
    return found


def _numbered(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """Number the distinct columns: equal ones get the same number."""
    which = np.zeros(rows.shape[1], dtype=np.intp)
    for row in rows:
        _, which = np.unique(which * (int(row.max()) + 1) + row, return_inverse=True)
    return which
