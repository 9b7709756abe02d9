"""The objective of the search: the risk and the loss of a policy, and whether the conditions allow it.

Records, people or cells may be suppressed to meet the conditions; risk and loss are then those of what is left.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from ....core.errors import ParameterError
from ..groups.cell_suppression import blank_cells
from ..groups.conditions import Conditions
from ..groups.people import CountedPeople, People
from ..groups.record_suppression import suppress_groups
from ..groups.sensitive_columns import SensitiveColumns
from ..groups.suppressed_conditions import score_release
from ..measures.granularity import GranularityLoss
from ..measures.protocol import Context, Measure
from ..registry import LOSSES, RISKS
from ..request import TablesRequest
from ..search.run import Objective, Score
from .assumptions import target_of
from .candidates import is_whole
from .problem import Problem

__all__ = ["build_objective", "score_of_release"]

_Bits = npt.NDArray[np.uint8]


def build_objective(problem: Problem, request: TablesRequest, conditions: Conditions) -> Objective:
    """Return what the search minimises, and which policies it may keep.

    Parameters
    ----------
    problem : Problem
        The table, its cells and the policies that the steward allows.
    request : TablesRequest
        The risk, the loss, and how much may be suppressed.
    conditions : Conditions
        What every candidate must meet.

    """
    whole = None
    if problem.people is not None and request.suppress > 0:
        whole = _score(problem, request.model_copy(update={"suppress": 0.0}), conditions)
    condition, published = _condition(problem, conditions), None
    if request.loss == "granularity" and request.suppress > 0:
        return _granular_objective(problem, conditions)
    if condition is not None and conditions.max_suppressed > 0 and problem.people is None:
        published = score_of_release(problem, conditions)
    return Objective(
        score=_score(problem, request, conditions),
        whole=whole,
        condition=condition if published is None else None,
        published=published,
        max_below=int(conditions.max_suppressed * problem.cells.records),
    )


def score_of_release(problem: Problem, conditions: Conditions) -> Score:
    """Return the score of what a policy publishes, where records may be suppressed."""
    return partial(score_release, conditions, problem.cells, problem.sensitive_columns(conditions))


def _granular_objective(problem: Problem, conditions: Conditions) -> Objective:
    """Return the objective of the loss `granularity` where records may be suppressed, which lose all then."""
    if problem.people is not None:
        raise ParameterError(
            "Suppressing people works with the default loss only.",
            hint="explore without `suppress`.",
        )
    cells, columns = problem.cells, problem.sensitive_columns(conditions)
    loss = GranularityLoss.of(Context(cells, weights=problem.weights))
    most = int(conditions.max_suppressed * cells.records)

    def score(bits: _Bits) -> tuple[float, float, bool]:
        measured = cells.measure(bits)
        if measured.below > most:
            return measured.risk, loss(bits), False
        risk, _, allowed = score_release(conditions, cells, columns, bits)
        _, out = suppress_groups(cells, bits, columns, most=most)
        return risk, loss.of_kept(bits, np.where(out, 0, cells.count)), allowed

    return Objective(score=score, max_below=most, loss_of_kept=loss.of_kept)


def _condition(problem: Problem, conditions: Conditions) -> Callable[[_Bits], bool] | None:
    if not conditions.asks:
        return None
    if (conditions.min_l > 0 or conditions.max_t is not None) and not problem.sensitive:
        raise ParameterError(
            "Diversity and closeness are about sensitive columns, and the schema names none.",
            hint='give a column role = "sensitive".',
        )
    if conditions.max_suppressed > 0:
        columns = problem.sensitive_columns(conditions)

        def allowed(bits: _Bits) -> bool:
            return score_release(conditions, problem.cells, columns, bits, people=problem.people)[2]

        return allowed
    return lambda bits: conditions.holds(
        problem.cells, bits, problem.sensitive, problem.ordered, problem.people
    )


def _score(problem: Problem, request: TablesRequest, conditions: Conditions) -> Score | None:
    if (request.risk, request.loss) == ("population", "kl") and problem.people is None:
        return None
    joint = None
    name = target_of(problem, request)
    if name is not None:
        counted_by_cell = problem.people is None and name in problem.sensitive
        joint = problem.sensitive[name] if counted_by_cell else problem.joint(name)
    context = Context(problem.cells, request.k, joint, problem.weights)
    of_risk = RISKS.get_or_raise(request.risk).of(context)
    of_loss = LOSSES.get_or_raise(request.loss).of(context)
    if problem.people is not None:
        columns = problem.sensitive_columns(conditions)
        return _score_of_people(problem.people, request, columns, of_risk, of_loss)

    def score(bits: _Bits) -> tuple[float, float, bool]:
        return of_risk(bits), of_loss(bits), problem.cells.measure(bits).below == 0

    return score


def _score_of_people(
    people: CountedPeople,
    request: TablesRequest,
    columns: SensitiveColumns,
    of_risk: Measure,
    of_loss: Measure,
) -> Score:
    """Return a score that counts different people in every group."""
    most = request.suppress * people.cells.records + 1e-9

    def score(bits: _Bits) -> tuple[float, float, bool]:
        groups = people.groups(bits)
        risk = people.risk(groups, request.risk, request.k)
        if risk is None:
            risk = of_risk(bits)
        if request.suppress > 0 and not is_whole(people, bits, columns):
            if request.suppress_as == "cells" and isinstance(people, People):
                blanks, left, _ = blank_cells(people.cells, bits, people, columns)
                touched = left.records + blanks.rows_blanked
            else:
                left, _, _ = people.suppress(bits, columns)
                touched = left.records
            return left.risk, left.loss, touched <= most and left.groups > 0
        return risk, of_loss(bits), people.is_allowed(groups)

    return score
