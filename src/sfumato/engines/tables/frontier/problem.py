"""A table made ready for the search: its lattice, its cells, and the policies that the steward allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sfumato.engines.tables.groups.histories import people_of
from sfumato.engines.tables.measures.sampling import fraction_of
from sfumato.engines.tables.space.labels import writer_of

from ....core.errors import DataError, ParameterError, did_you_mean
from ....data.hierarchy import hierarchy_levels, hierarchy_nodes
from ....data.table import Table
from ....data.table_schema import MISSING, Attribute, Domain
from ..contingency.cells import Cells, Joint
from ..contingency.numbering import group_sizes
from ..contingency.widths import spanned_by_attribute
from ..groups.conditions import Conditions
from ..groups.people import CountedPeople, Held
from ..groups.sensitive_columns import SensitiveColumns
from ..measures.sampling import Sampled, fractions_in
from ..space.constraints import AttributeRule, Space
from ..space.cuts import open_cuts
from ..space.labels import DomainLabels
from ..space.policy import Lattice

__all__ = ["Problem"]

_RARE = 5  # records that must share an observed name before a list spells it


@dataclass
class Problem:
    """A table made ready for the search; `sensitive` counts the sensitive columns within the cells.

    `people` is there where a person is in several cells, or rows are joined, so that groups are counted
    by people; `held` then holds who has which sensitive value.
    """

    table: Table
    lattice: Lattice
    cells: Cells
    space: Space
    sensitive: dict[str, Joint] = field(default_factory=dict)
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
            spanned=spanned_by_attribute(table.domains, table.codes, table.count),
        )
        problem = cls(table, lattice, cells, space)
        problem.fraction = fraction_of(table, sampling_fraction)
        problem.people = people_of(table, cells)
        if table.source is not None:
            for name in table.schema.names("sensitive"):
                problem.sensitive[name] = problem._sensitive(name)
                problem.ordered[name] = table.is_numeric(name)
        return problem

    def joint(self, column: str) -> Joint:
        """Count another column within the cells."""
        cell, value, count = self.table.joint(column)
        return self.cells.place[cell], value, count

    def _sensitive(self, column: str) -> Joint:
        """Count a sensitive column where groups are counted: within cells, or by people."""
        if self.people is None:
            return self.joint(column)
        cell, person, value = self.table.held_values(column)
        self.held[column] = (self.cells.place[cell], person, value)
        return self.people.joint(self.held[column])

    def sensitive_columns(self, asked: Conditions) -> SensitiveColumns:
        """Return the sensitive columns with what is asked of them."""
        return SensitiveColumns(asked, self.sensitive, self.ordered, self.held)

    @property
    def meanings(self) -> dict[str, str]:
        """What the schema declares attributes to mean, by name."""
        return {a.name: a.meaning for a in self.table.schema.quasi if a.meaning is not None}

    def sampling_fraction_of(self, bits: npt.NDArray[np.uint8]) -> Sampled:
        """Return what is known of the share that was sampled, under a policy (see `fractions_in`)."""
        covered = self.table.covered
        if covered is None:
            return self.fraction
        cells = self.cells
        group, sizes = group_sizes(cells, bits)
        first = np.unique(group, return_index=True)[1]
        interval = cells.intervals(bits)
        places = [self.lattice.names.index(name) for name in covered]
        inside = [interval[a][cells.codes[a, first]] for a in places]
        people = np.bincount(group, weights=cells.weight[: cells.occupied]).astype(np.float64)
        return fractions_in(inside, sizes, people)

    @property
    def weights(self) -> tuple[float, ...]:
        """How much each quasi-identifier matters, as the schema says."""
        return tuple(a.weight for a in self.table.schema.quasi)

    def people_by_value(self) -> list[npt.NDArray[np.float64]]:
        """Count the population by the values of each attribute."""
        return [self.cells.value_weights[a, :s] for a, s in enumerate(self.lattice.sizes)]


def _labels(table: Table, common: int) -> tuple[DomainLabels, ...]:
    """Return the labels of each attribute; names that fewer than `common` records share are rare."""
    found = []
    for a, attribute in enumerate(table.schema.quasi):
        domain = table.domains[a]
        observed = attribute.domain == "observed"
        counts = _people_by_value(table, a)
        nodes: dict[tuple[int, int], str] = {}
        levels: tuple[tuple[int, ...], ...] = ()
        if attribute.hierarchy is not None:
            built = attribute.hierarchy, [v for v in domain if v != MISSING], table.schema.folder
            nodes, levels = hierarchy_nodes(*built), hierarchy_levels(*built)
        rare = frozenset(np.flatnonzero(counts < common).tolist()) if observed else frozenset()
        writer = writer_of(attribute, domain)
        found.append(DomainLabels(domain, observed, rare, nodes, writer, attribute.ordered, levels))
    return tuple(found)


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
