"""Measure a published table from its labels alone: plain group-bys that share no code with the search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....core.arrays import Counts
from ....core.errors import ReleaseRefusedError
from ....data.attributes import MISSING
from ....data.table import Table
from ....data.table_source import TableSource
from ..measures.protocol import PublishedGroups, SensitiveTable
from ..measures.sampling import Sampled, fraction_of, fractions_in
from ..measures.shown import size_histogram, split_by_field
from ..payload import TablesPayload
from ..records import TablesMeasured
from ..registry import LOSSES, RISKS, SHOWN
from ..space.labels import ALL
from ..space.policy import Lattice, Policy
from .groups import CountedGroups, WithinGroups, histories_before

__all__ = ["ReadBack", "read_back"]


@dataclass(frozen=True)
class ReadBack:
    """What a published table shows: its groups, what was measured on them, and its labels."""

    rows: int
    groups: PublishedGroups
    measured: TablesMeasured
    recursive: dict[str, int]
    """The l of recursive diversity by sensitive column."""
    labels: tuple[frozenset[str], ...]

    @property
    def average_risk(self) -> float:
        """The chance of naming a record, on average over the records."""
        return self.groups.expected / int(self.groups.count.sum())


def read_back(
    published: TableSource,
    policy: Policy,
    original: Table,
    payload: TablesPayload | None = None,
    linked: TableSource | None = None,
) -> ReadBack:
    """Group the published rows by their labels, and measure them against the original and the population.

    Parameters
    ----------
    published : Source
        The written file, or a frame.
    policy : Policy
        The policy that was applied; only its labels are used.
    original : Table
        What no release can give: the distribution that the loss is measured from.
    payload : TablesPayload, optional
        The measures that were explored; equations 2 and 4 without.
    linked : Source, optional
        The published labels with the person of each row (see `Generaliser.linked_sql`), where the schema
        names one: the file itself does not say whose row is whose, and must hold the same groups.

    """
    published.require(list(policy.lattice.names))
    payload = payload or TablesPayload(original.schema, policy.lattice)
    written = CountedGroups.of(published, payload, linked)
    blanks = payload.conditions.suppress_as == "cells"
    counted = _counted_values(original, payload.lattice)
    places = _places(policy, written.labels, counted, blanks=blanks)
    around = _people_in(original.codes, None, original)
    by_row = _groups_by_row(written, places, original, around, payload)
    groups = by_row
    if written.histories is not None:  # an attacker knows all rows of a person
        alike = written.histories.sizes
        groups = replace(
            by_row, count=alike, people=alike.astype(np.float64), size=alike,
            expected_unchanged=float(histories_before(original)),
        )  # fmt: skip
    sensitive = written.sensitive
    loss = LOSSES.get_or_raise(payload.loss).on_groups(by_row)
    return ReadBack(
        rows=written.rows,
        groups=groups,
        measured=TablesMeasured(
            risk=RISKS.get_or_raise(payload.risk).on_groups(groups),
            utility=1.0 - loss,
            loss=loss,
            relative_risk=groups.expected / groups.expected_unchanged,
            expected_reidentified=groups.expected,
            expected_unchanged=groups.expected_unchanged,
            suppressed=_suppressed_records(written, original),
            blanked=int(written.count[places.blank].sum()),
            groups_count=int(groups.count.size),
            groups=size_histogram(groups.count, groups.people),
            records_without_population_cell=(
                int(original.count[around == 0].sum()) if _has_population(original) else 0
            ),
            **split_by_field({name: shown.of_file(groups) for name, shown in SHOWN.items()}),
        ),
        recursive={
            n: _recursive_l(w.table, payload.conditions.recursive_c) for n, w in sensitive.items()
        },
        labels=tuple(frozenset(v for v in column if v) for column in written.labels),
    )


def _has_population(original: Table) -> bool:
    return original.population_codes is not None


def _suppressed_records(written: CountedGroups, original: Table) -> int:
    return max(int(original.count.sum()) - int(written.count.sum()), 0)


def _groups_by_row(
    written: CountedGroups,
    places: _Places,
    original: Table,
    around: npt.NDArray[np.float64],
    payload: TablesPayload,
) -> PublishedGroups:
    """Return the groups of the written rows as measures see them; `around` counts the people of each row before."""
    count, size, blank = written.count, written.size, places.blank
    people = np.zeros(count.size)
    people[~blank] = _people_in(places.rows[:, ~blank], places.of_value, original)
    people[blank] = _people_behind(places, original)
    nats, relative = _divergence(count, places, original.count)
    # Whether a column holds numbers is asked of the written rows alone: what others hold is not published.
    sensitive = {
        n: SensitiveTable(w.table, w.is_numeric and original.is_ordered(n))
        for n, w in written.sensitive.items()
    }
    return PublishedGroups(
        count=count,
        people=np.maximum(people, size),
        original=original.count,
        size=size,
        expected_unchanged=float((original.count / np.maximum(around, original.count)).sum()),
        loss_nats=nats,
        relative_loss=relative,
        k=payload.k,
        sensitive=sensitive,
        fraction=_fraction(written, places, people, original, payload),
        population_unique=int(count[people == 1].sum()) if _has_population(original) else None,
        read_target=None
        if payload.target is None
        else partial(_target, written, original, payload),
        read_granularity=partial(_granularity, count, places, original, payload),
    )


def _granularity(count: Counts, places: _Places, original: Table, payload: TablesPayload) -> float:
    """Return the mean share of each attribute's values that the published intervals span beyond one.

    A record that is not published, or a blanked cell, spans all.
    """
    total, weights = 0.0, 0.0
    for a, attribute in enumerate(payload.schema.quasi):
        counts = places.counted[a]
        if counts.sum() < 2:
            continue
        width = np.bincount(places.of_value[a], weights=counts)
        share = np.clip((width - 1) / (counts.sum() - 1), 0, 1)
        shown = places.rows[a]
        lost = float((count * np.where(shown < 0, 1.0, share[shown])).sum())
        out = int(original.count.sum()) - int(count.sum())
        total += attribute.weight * (lost + max(out, 0)) / int(original.count.sum())
        weights += attribute.weight
    return total / weights if weights else 0.0


def _fraction(
    written: CountedGroups,
    places: _Places,
    people: npt.NDArray[np.float64],
    original: Table,
    payload: TablesPayload,
) -> Sampled:
    """Return the share of the population that was sampled: one, or by what a partial population knows."""
    fraction = fraction_of(original, payload.sampling_fraction)
    if original.covered is None:
        return fraction
    if places.blank.any():
        return None
    attributes = [payload.lattice.names.index(name) for name in original.covered]
    return fractions_in([places.rows[a] for a in attributes], written.count, people)


def _target(
    written: CountedGroups, original: Table, payload: TablesPayload
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Count the values of the target column: by distinct row of the original, and by published group."""
    assert payload.target is not None
    cell, value, amount = original.joint(payload.target)
    before = np.zeros((int(cell.max()) + 1, int(value.max()) + 1))
    np.add.at(before, (cell, value), amount)
    return before, WithinGroups.of(written.source, payload, payload.target, written.records).table


def _divergence(count: Counts, places: _Places, original: Counts) -> tuple[float, float]:
    """Return the loss of equation 4 in nats, and over that of one group of everything."""
    n, whole = int(count.sum()), int(original.sum())
    left_out = max(whole - n, 0)
    inside = float((original * np.log(original)).sum())
    everything = sum(float(np.log(max(int(values.sum()), 1))) for values in places.counted)
    nats = inside - float((count * (np.log(count) - places.log_widths)).sum())
    if left_out:  # as if published in one group of everything
        nats += left_out * (everything - float(np.log(left_out)))
    nats /= whole
    top = (inside - whole * np.log(whole) + whole * everything) / whole
    return float(nats), float(nats / top) if top > 1e-12 else float(nats)


class _Places(NamedTuple):
    """Labels read back: the interval of each group by attribute (−1: blanked), its log width, that of each value.

    `counted` marks the values of each attribute that count in a width.
    """

    rows: Counts
    log_widths: npt.NDArray[np.float64]
    of_value: list[npt.NDArray[np.intp]]
    counted: list[npt.NDArray[np.bool_]]

    @property
    def blank(self) -> npt.NDArray[np.bool_]:
        """The groups with a blanked cell."""
        return np.asarray((self.rows < 0).any(axis=0))


def _counted_values(original: Table, lattice: Lattice) -> list[npt.NDArray[np.bool_]]:
    """Mark, by attribute, the values between the first and the last that occur; a missing one if it occurs."""
    found = []
    for a, domain in enumerate(lattice.domains):
        held = np.bincount(original.codes[a], original.count, len(domain)) > 0
        last = len(domain) - (1 if len(domain) > 1 and domain[-1] == MISSING else 0)
        ends = np.flatnonzero(held[:last])
        held[ends.min(initial=last) : ends.max(initial=-1) + 1] = True
        found.append(held)
    return found


def _places(
    policy: Policy,
    labels: list[list[str | None]],
    counted: list[npt.NDArray[np.bool_]],
    *,
    blanks: bool = False,
) -> _Places:
    """Read labels back; a blanked cell has the width of the whole domain."""
    lattice = policy.lattice
    group, of_value = [], []
    widths = np.zeros(len(labels[0]))
    for a, name in enumerate(lattice.names):
        spans = policy.spans(a)
        numbers = {label: i for i, label in enumerate(policy.labels(a))}
        if blanks:
            numbers.setdefault(ALL, -1)
        places = np.array([numbers.get(v or "", -2) for v in labels[a]], dtype=np.int64)
        if (places < -1).any():
            raise ReleaseRefusedError(
                f"The output holds something in {name!r} that the policy does not publish; "
                "nothing was published."
            )
        width = np.array([counted[a][low : high + 1].sum() for low, high in spans])
        widths += np.log(np.maximum(np.where(places < 0, width.sum(), width[places]), 1))
        group.append(places)
        of_value.append(np.repeat(np.arange(len(spans)), [high - low + 1 for low, high in spans]))
    return _Places(np.stack(group), widths, of_value, counted)


def _recursive_l(table: npt.NDArray[np.float64], c: float) -> int:
    falling = -np.sort(-table, axis=1)
    rest = np.cumsum(falling[:, ::-1], axis=1)[:, ::-1]
    fits = (falling[:, :1] < c * rest) & (falling > 0)
    return int(fits.sum(axis=1).min())


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
    which = _number_columns(both)
    people = np.bincount(which[rows.shape[1] :], original.population_count, int(which.max()) + 1)
    return people[which[: rows.shape[1]]].astype(np.float64)


def _people_behind(places: _Places, original: Table) -> npt.NDArray[np.float64]:
    """Count the people who fit rows with blanked cells and no group that is published in full."""
    rows, blank, of_value = places.rows, places.blank, places.of_value
    found = np.zeros(int(blank.sum()))
    if original.population_codes is None or original.population_count is None or not found.size:
        return found
    codes = np.stack([table[original.population_codes[a]] for a, table in enumerate(of_value)])
    seen = rows[:, ~blank]
    which = _number_columns(np.concatenate((seen, codes), axis=1).astype(np.int64))
    hidden = ~np.isin(which[seen.shape[1] :], which[: seen.shape[1]])
    codes, people = codes[:, hidden], original.population_count[hidden]
    shown = rows[:, blank] >= 0
    for pattern in np.unique(shown, axis=1).T:
        alike = np.flatnonzero((shown == pattern[:, None]).all(axis=0))
        wanted = rows[pattern][:, blank][:, alike]
        both = np.concatenate((wanted, codes[pattern]), axis=1).astype(np.int64)
        number = _number_columns(both)
        sums = np.bincount(number[alike.size :], people, int(number.max(initial=0)) + 1)
        found[alike] = sums[number[: alike.size]]
    return found


def _number_columns(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """Number the distinct columns: equal ones get the same number."""
    which = np.zeros(rows.shape[1], dtype=np.intp)
    for row in rows:
        _, which = np.unique(which * (int(row.max()) + 1) + row, return_inverse=True)
    return which
