"""What a written table is checked against: the figures that a candidate promised, and the requested conditions."""

from __future__ import annotations

from dataclasses import replace

from ....core.coarse import granularity_of
from ....core.errors import ParameterError
from ..payload import TablesPayload
from ..readback.measure import ReadBack
from ..records import TablesCandidate
from ..request import TablesPublishRequest
from .weights import with_shared_weights

__all__ = ["below_promise", "broken_conditions", "conditions_of"]

_TOLERANCE = 1e-9


def records_of(many: int) -> str:
    """Return a number of records in words.

    >>> records_of(1), records_of(1200)
    ('1 record', '1,200 records')
    """
    return f"{many:,} record{'s' * (many != 1)}"


def below_promise(found: ReadBack, promise: TablesCandidate, *, costs_allowed: bool) -> list[str]:
    """List what is worse than a candidate promised.

    Parameters
    ----------
    found : ReadBack
        What the written file shows.
    promise : TablesCandidate
        What was explored.
    costs_allowed : bool
        Whether this call suppresses records, which costs utility and is asked for.

    """
    if not promise.promised:
        return []
    risk, utility = promise.risk.value, promise.utility.value
    measured = found.measured
    assert measured.risk is not None
    assert measured.utility is not None
    worse = []
    if measured.risk > risk + _TOLERANCE:
        worse.append(f"The output has a risk of {measured.risk:.6g}, but {risk:.6g} was promised")
    if not costs_allowed and measured.utility < utility - _TOLERANCE:
        worse.append(
            f"The output has a utility of {measured.utility:.6g}, but {utility:.6g} was promised"
        )
    if measured.k < promise.k:
        worse.append(
            f"The smallest group of the output has {records_of(measured.k)}, but "
            f"{promise.k:,} were promised"
        )
    for name, distinct in measured.l_diversity.items():
        if distinct < promise.l_diversity.get(name, 0):
            worse.append(
                f"A group of the output has {distinct:,} different values of {name!r}, but "
                f"{promise.l_diversity[name]:,} were promised"
            )
    for name, distance in measured.t_closeness.items():
        if distance > promise.t_closeness.get(name, 1.0) + 1e-6:
            worse.append(
                f"A group of the output is {distance:.4g} away from the table in {name!r}, but "
                f"{promise.t_closeness[name]:.4g} was promised"
            )
    return worse


def broken_conditions(
    found: ReadBack, payload: TablesPayload, limit: float | None, left_out: int, records: int
) -> list[str]:
    """List the conditions of the exploration and of the call that do not hold.

    Parameters
    ----------
    found : ReadBack
        What the written file shows.
    payload : TablesPayload
        What was asked for.
    limit : float, optional
        The largest risk that the call allows.
    left_out, records : int
        The records suppressed or with blanked cells, and all of them.

    """
    worse = []
    measured = found.measured
    if measured.k < payload.min_sample:
        worse.append(
            f"The smallest group of the output has {records_of(measured.k)}, below the "
            f"{payload.min_sample:,} asked for"
        )
    smallest = float(found.groups.people.min())
    if smallest < payload.min_population - _TOLERANCE:
        worse.append(
            f"The smallest group of the output represents {smallest:,.0f} "
            f"people, below the {payload.min_population:,.0f} asked for"
        )
    asked = payload.conditions
    if left_out / max(records, 1) > asked.max_suppressed + _TOLERANCE:
        worse.append(
            f"{left_out:,} records would be suppressed or have blanked cells, more than the "
            f"{asked.max_suppressed:.3g} of all that was allowed"
        )
    average = found.average_risk
    if asked.max_average_risk is not None and average > asked.max_average_risk + _TOLERANCE:
        worse.append(
            f"The average chance of naming a record is {average:.6g}, above the "
            f"{asked.max_average_risk:g} allowed"
        )
    diverse: dict[str, dict[str, float]] = {
        "distinct": {n: float(v) for n, v in measured.l_diversity.items()},
        "entropy": measured.l_diversity_entropy,
        "recursive": {n: float(v) for n, v in found.recursive.items()},
    }
    for name, value in diverse[asked.diversity].items():
        if value < asked.min_l - 1e-6:
            worse.append(
                f"A group of the output has a diversity of {value:.4g} in {name!r}, below the "
                f"{asked.min_l:g} asked for"
            )
    for name, distance in measured.t_closeness.items():
        if asked.max_t is not None and distance > asked.max_t + 1e-6:
            worse.append(
                f"A group of the output is {distance:.4g} away from the table in {name!r}, above "
                f"the {asked.max_t:g} allowed"
            )
    if limit is not None and measured.risk is not None and measured.risk > limit + _TOLERANCE:
        worse.append(f"The output has a risk of {measured.risk:.6g}, above the {limit:g} allowed")
    return worse


def conditions_of(payload: TablesPayload, request: TablesPublishRequest) -> TablesPayload:
    """Return the payload with what this call asks for in addition."""
    if (request.min_l > 0 or request.max_t is not None) and not payload.schema.names("sensitive"):
        raise ParameterError(
            "Diversity and closeness are about sensitive columns, and the schema names none.",
            hint='give a column role = "sensitive".',
        )
    sizes = (request.min_k, request.max_individual_risk, payload.min_sample, payload.min_population)
    asked, explored = request, payload.conditions
    close = asked.max_t is not None or explored.max_t is not None
    if request.suppress and not (any(sizes) or asked.min_l or explored.min_l or close):
        raise ParameterError(
            "Suppressing records needs a minimum group size, or diversity.",
            hint="give min_k, max_individual_risk, min_l or max_t too; none was explored.",
        )
    individual = 0.0 if request.max_individual_risk is None else 1.0 / request.max_individual_risk
    min_sample = max(payload.min_sample, request.min_k)
    return replace(
        payload,
        schema=with_shared_weights(payload.schema, granularity_of(min_sample)),
        min_sample=min_sample,
        min_population=max(payload.min_population, individual),
        conditions=payload.conditions.with_stricter(
            min_l=request.min_l,
            max_t=request.max_t,
            max_average_risk=request.max_average_risk,
            max_suppressed=request.suppress,
        ),
    )
