"""What `sfumato tables study` does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue

from ...core.engine import Call
from ...core.files import check_output
from ...engines.tables.request import TablesStudyRequest
from .study import TablesStudyPlan, study

__all__ = ["run"]


def run(request: TablesStudyRequest, call: Call) -> Mapping[str, JsonValue]:
    """Run the study, and write its figures."""
    assert call.out is not None
    check_output(call.out, force=call.force)
    plan = TablesStudyPlan(
        evaluations=request.evaluations,
        runs=request.runs,
        sublattices=request.sublattices,
        seed=request.seed,
    )
    facts = study(
        request.table, request.schema_, request.population, call.out,
        plan=plan, force=call.force, say=call.say,
    )  # fmt: skip
    call.say(f"Figures written to {call.out}.")
    return cast("Mapping[str, JsonValue]", facts)
