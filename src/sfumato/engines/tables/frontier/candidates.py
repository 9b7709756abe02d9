"""A policy of the frontier, or a reference, and everything shown about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....core.arrays import Counts
from ....core.measures import Risk, Utility
from ..contingency.cells import Bits
from ..contingency.numbering import group_sizes
from ..exploration import KEPT, attacker_of
from ..groups.cell_suppression import blank_cells
from ..groups.people import CountedPeople, GroupsOfPeople, People
from ..groups.record_suppression import Suppressed, suppress_groups
from ..groups.sensitive_columns import SensitiveColumns
from ..measures.sensitive import Within, within
from ..measures.shown import PolicyGroups, people_in_groups, split_by_field
from ..records import PolicyFields, TablesCandidate, TablesReference
from ..registry import SHOWN
from ..search.run import SearchRun
from ..space.policy import Policy
from .comparison import compare_point
from .problem import Problem

__all__ = ["Entry", "candidate_of", "is_whole", "reference_of"]

Entry = tuple[float, float, bytes]
"""Risk, loss and bits of a policy that was measured."""


@dataclass(frozen=True)
class _Measured:
    """A policy as it would be published: its point, its groups, and the records that it touches."""

    risk: float
    utility: float
    loss: float
    groups: PolicyGroups
    suppressed: int = 0
    blanked: int = 0


def candidate_of(
    problem: Problem, run: SearchRun, entry: Entry, columns: SensitiveColumns, *, as_cells: bool
) -> TablesCandidate:
    """Return the record of a policy that was found.

    Groups that are too small, or lack what is asked of the sensitive columns, are suppressed where that is allowed.
    """
    risk, loss, packed = entry
    policy = Policy(problem.lattice, packed)
    people = problem.people
    if people is not None and run.max_below and not is_whole(people, policy.bits, columns):
        if as_cells and isinstance(people, People):
            found = _with_blanks(problem, people, policy, columns, (risk, 1.0 - loss))
        else:
            found = _without_people(problem, people, policy, columns, (risk, 1.0 - loss))
    elif run.max_below and people is None:
        found = (
            _with_blanked_records(problem, policy, columns)
            if as_cells
            else _without_small(problem, policy, columns, run.loss_of_kept)
        )
    else:
        found = _Measured(risk, 1.0 - loss, loss, _groups(problem, policy))
    return TablesCandidate(
        id=policy.id,
        risk=_risk(problem, found.risk),
        utility=Utility(found.utility, kept=KEPT),
        **vars(_fields(policy, found)),
    )


def reference_of(
    problem: Problem,
    name: str,
    policy: Policy,
    point: tuple[float, float],
    entries: Sequence[Entry],
) -> TablesReference:
    """Return the record of a policy to compare with."""
    risk, loss = point
    comparison = compare_point(name, risk, loss, [(r, l, "") for r, l, _ in entries])
    found = _Measured(risk, 1.0 - loss, loss, _groups(problem, policy))
    return TablesReference(
        name=name,
        risk=_risk(problem, risk),
        utility=Utility(found.utility, kept=KEPT),
        **vars(_fields(policy, found)),
        **comparison.to_json(),
    )


def _risk(problem: Problem, value: float) -> Risk:
    table = problem.table
    return Risk(value, attacker=attacker_of(table), modelled=table.covered is not None)


def _fields(policy: Policy, found: _Measured) -> PolicyFields:
    groups = found.groups
    size = groups.size
    return PolicyFields(
        policy=policy.published_labels(),
        ends=policy.ends(),
        bits=policy.hex,
        loss=found.loss,
        groups=int(size.size),
        prosecutor_risk=round(1.0 / max(groups.smallest, 1), 9),
        average_group=round(float(size.mean()), 6) if size.size else 0.0,
        suppressed=found.suppressed,
        blanked=found.blanked,
        **split_by_field({name: shown.of_groups(groups) for name, shown in SHOWN.items()}),
    )


def _groups(problem: Problem, policy: Policy) -> PolicyGroups:
    """Return the groups of a policy that suppresses nothing."""
    bits, people = policy.bits, problem.people
    if people is None:
        return PolicyGroups.of_cells(
            problem.cells,
            bits,
            problem.sensitive,
            problem.ordered,
            problem.sampling_fraction_of(bits),
        )
    inside = {n: within(people.group(bits), joint) for n, joint in problem.sensitive.items()}
    loss_nats = problem.cells.measure(bits).loss_nats
    return _groups_of_people(problem, people.groups(bits), loss_nats, inside)


def _groups_of_people(
    problem: Problem, groups: GroupsOfPeople, loss_nats: float, inside: Mapping[str, Within]
) -> PolicyGroups:
    return PolicyGroups(
        count=groups.records,
        size=groups.people,
        expected=groups.expected,
        smallest_population_group=float(groups.around.min()),
        loss_nats=loss_nats,
        count_people=lambda: groups.around,
        inside=inside,
        ordered=problem.ordered,
        fraction=problem.fraction,
    )


def is_whole(people: CountedPeople, bits: npt.NDArray[np.uint8], columns: SensitiveColumns) -> bool:
    """Return whether every group of people has the smallest sizes and lacks nothing."""
    if not people.is_allowed(people.groups(bits)):
        return False
    unit = people.group(bits)
    return not columns.lacking(unit, int(unit.max()) + 1).any()


def _without_people(
    problem: Problem,
    people: CountedPeople,
    policy: Policy,
    columns: SensitiveColumns,
    point: tuple[float, float],
) -> _Measured:
    """Suppress the people of groups that are too small or lack anything, with all their rows."""
    left, groups, kept = people.suppress(policy.bits, columns)
    unit = people.group(policy.bits)
    inside = {
        name: within(unit, people.joint(held, kept)).with_new_numbers()
        for name, held in problem.held.items()
    }
    shown = _groups_of_people(problem, groups, left.loss_nats, inside)
    return _Measured(*point, left.loss, shown, suppressed=left.records)


def _with_blanks(
    problem: Problem,
    people: People,
    policy: Policy,
    columns: SensitiveColumns,
    point: tuple[float, float],
) -> _Measured:
    """Blank cells where groups that count people are too small or lack anything."""
    blanks, left, group = blank_cells(problem.cells, policy.bits, people, columns)
    groups = GroupsOfPeople(blanks.records.astype(np.float64), blanks.sizes, blanks.people)
    shown = _groups_of_people(problem, groups, left.loss_nats, _inside(problem, group))
    return _Measured(*point, left.loss, shown, left.records, blanks.rows_blanked)


def _with_blanked_records(problem: Problem, policy: Policy, columns: SensitiveColumns) -> _Measured:
    """Blank cells where groups of records are too small or lack anything."""
    blanks, left, group = blank_cells(problem.cells, policy.bits, columns=columns)
    shown = _groups_of_kept(problem, group, left, lambda: blanks.people)
    return _Measured(
        left.risk, 1.0 - left.loss, left.loss, shown, left.records, blanks.rows_blanked
    )


def _without_small(
    problem: Problem,
    policy: Policy,
    columns: SensitiveColumns,
    loss_of_kept: Callable[[Bits, Counts], float] | None = None,
) -> _Measured:
    """Suppress the records of groups that are too small or lack anything."""
    cells, bits = problem.cells, policy.bits
    left, small = suppress_groups(cells, bits, columns)
    whole = group_sizes(cells, bits)[0].astype(np.int64)
    group = np.where(small, -1, whole)

    def people() -> npt.NDArray[np.float64]:
        return people_in_groups(cells, bits, whole)[np.unique(whole[~small])]

    shown = _groups_of_kept(problem, group, left, people)
    loss = left.loss
    if loss_of_kept is not None:
        loss = loss_of_kept(bits, np.where(small, 0, cells.count))
    return _Measured(left.risk, 1.0 - loss, loss, shown, left.records)


def _groups_of_kept(
    problem: Problem,
    group: npt.NDArray[np.int64],
    left: Suppressed,
    count_people: Callable[[], npt.NDArray[np.float64]],
) -> PolicyGroups:
    """Return the groups of records when only cells with a group (not −1) are published."""
    cells = problem.cells
    kept = group >= 0
    sizes = np.bincount(group[kept], weights=cells.count[kept])
    sizes = sizes[sizes > 0].astype(np.int64)
    return PolicyGroups(
        count=sizes,
        size=sizes,
        expected=left.risk * cells.expected_reidentified,
        smallest_population_group=left.smallest_population_group,
        loss_nats=left.loss_nats,
        count_people=count_people,
        inside=_inside(problem, group),
        ordered=problem.ordered,
        fraction=problem.fraction,
    )


def _inside(problem: Problem, group: npt.NDArray[np.int64]) -> dict[str, Within]:
    """Count the sensitive columns within the groups of cells that are published (not −1)."""
    found = {}
    for name, (cell, value, count) in problem.sensitive.items():
        stays = group[cell] >= 0
        found[name] = within(group, (cell[stays], value[stays], count[stays])).with_new_numbers()
    return found
