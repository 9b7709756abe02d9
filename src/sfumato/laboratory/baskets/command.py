"""What `sfumato baskets study` does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue

from ...core.engine import Call
from ...core.files import whole_directory
from ...engines.baskets.request import BasketsStudyRequest
from .study import BasketsStudyPlan, run_study, write_study

__all__ = ["run"]


def run(request: BasketsStudyRequest, call: Call) -> Mapping[str, JsonValue]:
    """Run the study, write its tables and its figure, and print the tables."""
    plan = BasketsStudyPlan(
        k=request.k, folds=request.folds, repeats=request.repeats, seed=request.seed
    )
    found = run_study(request.baskets(), plan=plan, progress=call.progress)
    if call.out is not None:
        with whole_directory(call.out, force=call.force) as folder:
            write_study(found, folder)
    for row in found["table"]:
        cells = "  ".join(f"k={c['k']}: {c['auc']:.3f} ({c['note']})" for c in row["cells"])
        call.say(f"{row['method']:24} {cells}")
    return cast("Mapping[str, JsonValue]", found)
