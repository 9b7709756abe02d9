"""A table made ready for the search: its lattice, its cells, and the policies that the steward allows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...compute.protocol import Compute
from ...core.errors import DataError, ParameterError, did_you_mean
from ...data.calendar import calendar_of
from ...data.hierarchy import hierarchy_nodes
from ...data.table import Table
from ...data.table_schema import MISSING, Attribute, Domain, TableSchema
from ...data.table_source import Source
from . import measures
from .cells import Cells
from .cuts import open_cuts
from .histories import Histories
from .labels import DomainLabels, IntervalWriter
from .people import CountedPeople, Held, People
from .policy import Lattice
from .sampling import Sampled, fractions_in
from .space import AttributeRule, Space

if TYPE_CHECKING:
    import pyarrow as pa


__all__ = [
    "Problem",
    "cells_hash",
    "counted",
    "fraction_of",
    "people_of",
    "resolved_schema",
    "writer_of",
]

_RARE = 5  # records that must share an observed name before a list spells it


@dataclass
class Problem:
    """A table made ready for the search; `sensitive` counts the sensitive columns within the cells.

    `people` is there where somebody stands in several cells, or rows are joined, so that groups are counted
    by people; `held` then holds who has which sensitive value.
    """

    table: Table
    lattice: Lattice
    cells: Cells
    space: Space
    sensitive: dict[str, measures.Joint] = field(default_factory=dict)
    ordered: dict[str, bool] = field(default_factory=dict)
    people: CountedPeople | None = None
    held: dict[str, Held] = field(default_factory=dict)
    fraction: float | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        *,
        min_sample: int = 0,
        min_population: float = 0,
        cut_points: Mapping[str, Sequence[object]] | None = None,
        sampling_fraction: float | None = None,
    ) -> Problem:
        """Make a table ready; constraints come from its schema and from the call."""
        lattice = Lattice(table.names, table.domains, _labels(table, max(min_sample, _RARE)))
        if lattice.length == 0:
            raise DataError(
                "Every quasi-identifier has a single value: there is nothing to generalise.",
                hint="declare the whole domain in the schema, or publish the table as it is.",
            )
        wanted = dict(cut_points or {})
        for name in wanted:
            if name not in lattice.names:
                raise ParameterError(
                    f"There is no quasi-identifier {name!r} to cut.",
                    hint=did_you_mean(name, lattice.names),
                )
        space = Space(
            [_rule(table, a, wanted, labels, min_sample) for a, labels in enumerate(lattice.labels)]
        )
        cells = Cells(
            lattice.sizes,
            table.codes,
            table.count,
            table.population_codes,
            table.population_count,
            least_sample=min_sample,
            least_population=min_population,
        )
        problem = cls(table, lattice, cells, space)
        problem.fraction = fraction_of(table, sampling_fraction)
        problem.people = people_of(table, cells)
        if table.source is not None:
            for name in table.schema.names("sensitive"):
                problem.sensitive[name] = problem._sensitive(name)
                problem.ordered[name] = table.is_numeric(name)
        return problem

    def joint(self, column: str) -> measures.Joint:
        """Count another column within the cells."""
        cell, value, count = self.table.joint(column)
        return self.cells.place[cell], value, count

    def _sensitive(self, column: str) -> measures.Joint:
        """Count a sensitive column where groups are counted: within cells, or by people."""
        if self.people is None:
            return self.joint(column)
        cell, person, value = self.table.held_values(column)
        self.held[column] = (self.cells.place[cell], person, value)
        return self.people.joint(self.held[column])

    @property
    def meanings(self) -> dict[str, str]:
        """What the schema declares attributes to mean, by name."""
        return {a.name: a.meaning for a in self.table.schema.quasi if a.meaning is not None}

    def sampled(self, bits: npt.NDArray[np.uint8]) -> Sampled:
        """Return what is known of the share that was sampled, under a policy (see `fractions_in`)."""
        covered = self.table.covered
        if covered is None:
            return self.fraction
        cells = self.cells
        group, sizes = measures.group_sizes(cells, bits)
        first = np.unique(group, return_index=True)[1]
        interval = cells.intervals(bits)
        places = [self.lattice.names.index(name) for name in covered]
        inside = [interval[a][cells.codes[a, first]] for a in places]
        people = np.bincount(group, weights=cells.weight[: cells.occupied]).astype(np.float64)
        return fractions_in(inside, sizes, people)

    def people_by_value(self) -> list[npt.NDArray[np.float64]]:
        """Count the population by the values of each attribute."""
        return [self.cells.value_weights[a, :s] for a, s in enumerate(self.lattice.sizes)]


def people_of(table: Table, cells: Cells) -> CountedPeople | None:
    """Return how the people of a table are counted; None where every record is a person."""
    if table.pairs is None or table.pair_rows is None:
        return None
    cell, person = cells.place[table.pairs[0]], table.pairs[1]
    if not table.schema.joined:
        return People(cells, cell, person, table.pair_rows)
    if table.population_codes is not None:
        raise ParameterError(
            "A population counts people by one row each, and does not tell who has which history.",
            hint='leave the population out, or rows = "joined" of the person.',
        )
    return Histories.of(cells, cell, person, table.pair_rows)


def fraction_of(table: Table, given: float | None) -> float | None:
    """Return the share of the population that a table is a sample of: the one given, or by its weights."""
    if table.population_codes is not None:
        return None  # counted, not estimated
    if given is not None or table.weight is None:
        return given
    people = table.people if table.people is not None else int(table.count.sum())
    if table.weight < people:
        raise DataError(
            "The weights add up to fewer people than the table holds.",
            hint="a weight is the number of people whom a row stands for.",
        )
    return people / table.weight


def _labels(table: Table, common: int) -> tuple[DomainLabels, ...]:
    """Return the labels of each attribute; names that fewer than `common` records share are rare."""
    found = []
    for a, attribute in enumerate(table.schema.quasi):
        domain = table.domains[a]
        observed = attribute.domain == "observed"
        counts = _people_by_value(table, a)
        nodes = {}
        if attribute.hierarchy is not None:
            values = [v for v in domain if v != MISSING]
            nodes = hierarchy_nodes(attribute.hierarchy, values, table.schema.folder)
        rare = frozenset(np.flatnonzero(counts < common).tolist()) if observed else frozenset()
        found.append(DomainLabels(domain, observed, rare, nodes, writer_of(attribute, domain)))
    return tuple(found)


def writer_of(attribute: Attribute, domain: Sequence[str]) -> IntervalWriter | None:
    """Return what writes the intervals of bins and dates; None for other attributes."""
    if attribute.is_calendar:
        return calendar_of([v for v in domain if v != MISSING])
    return attribute.bins


def _rule(
    table: Table,
    a: int,
    cut_points: Mapping[str, Sequence[object]],
    labels: DomainLabels,
    min_sample: int,
) -> AttributeRule:
    attribute = table.schema.quasi[a]
    domain = table.domains[a]
    nodes = None
    if attribute.hierarchy is not None:
        values = [v for v in domain if v != MISSING]
        nodes = tuple(sorted(hierarchy_nodes(attribute.hierarchy, values, table.schema.folder)))
    cuts = None
    if attribute.name in cut_points:
        place = {value: i for i, value in enumerate(domain)}
        wanted = [str(v) for v in cut_points[attribute.name]]
        if any(v not in place for v in wanted):
            raise ParameterError(
                f"A cut point of {attribute.name!r} is not in its domain.",
                hint="a cut point is the first value of an interval.",
            )
        cuts = tuple(sorted({place[v] - 1 for v in wanted if place[v] > 0}))
    elif nodes is None and not attribute.keep and (min_sample > 1 or _has_gaps(attribute)):
        cuts = open_cuts(
            labels,
            _people_by_value(table, a),
            min_sample,
            declared=isinstance(attribute.domain, Domain),
            max_width=attribute.max_width,
        )
    return AttributeRule(
        attribute.name, len(domain), attribute.keep, attribute.max_width, nodes, cuts
    )


def _has_gaps(attribute: Attribute) -> bool:
    """Return whether a domain is filled up with values that nobody need hold."""
    return attribute.is_range or attribute.is_calendar or attribute.bins is not None


def _people_by_value(table: Table, a: int) -> npt.NDArray[np.int64]:
    """Count the people who hold each value of an attribute, once each where the schema names them."""
    codes, size = table.codes[a], len(table.domains[a])
    if table.pairs is None:
        return np.bincount(codes, weights=table.count, minlength=size).astype(np.int64)
    cell, person = table.pairs
    many = int(person.max()) + 1
    held = np.unique(codes[cell].astype(np.int64) * many + person) // many
    return np.bincount(held, minlength=size)


def counted(opened: Source, schema: TableSchema, compute: Compute) -> pa.Table | None:
    """Count the rows by their quasi-identifiers on a cluster; None where reading the table does it."""
    if compute.name == "local":
        return None
    opened.require([a.name for a in schema.attributes])
    person = [] if schema.person is None else [schema.person.name]
    return compute.count_groups(opened, [*(a.name for a in schema.quasi), *person])


def resolved_schema(table: Table) -> TableSchema:
    """Return the schema with every domain written down, so that a policy fits other data too.

    Ranges and bins stay what they are, since their cells are read as numbers.
    """
    domains = dict(zip(table.names, table.domains, strict=True))
    attributes: list[Attribute] = []
    for attribute in table.schema.attributes:
        changed: dict[str, object] = {"keep": False, "hierarchy": None, "max_width": None}
        if attribute.role == "quasi" and not attribute.is_range and attribute.bins is None:
            changed["domain"] = Domain(values=list(domains[attribute.name]))
        attributes.append(attribute.model_copy(update=changed))
    return table.schema.with_attributes(attributes)


def cells_hash(table: Table) -> str:
    """Hash the counts of a table by its quasi-identifiers, to know the same records again."""
    digest = hashlib.sha256()
    order = np.lexsort(table.codes[::-1])
    for part in (table.codes[:, order].astype("<i4"), table.count[order].astype("<i8")):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
