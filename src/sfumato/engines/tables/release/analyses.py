"""What analysts lose by a release: figures before and after for the steward, and their bounds for everybody."""

from __future__ import annotations

from typing import TypedDict

from ....data.table import Table
from ....data.table_source import TableSource
from ..analysis import compare_analyses, compared_columns, explained_column
from ..analysis_records import AnalysisRecord, bounds_of_errors
from ..payload import TablesPayload
from ..space.policy import Policy

__all__ = ["AnalysisFields", "analysis_fields"]


class AnalysisFields(TypedDict):
    """What a release holds of an analysis."""

    analysis: AnalysisRecord
    errors_below: dict[str, float]


def analysis_fields(
    payload: TablesPayload, policy: Policy, table: Table, opened: TableSource, records: int
) -> AnalysisFields:
    """Compare the figures of a table with what a release of it shows; the bounds need enough records."""
    explained = explained_column(payload, opened)
    columns = compared_columns(policy)
    lost = compare_analyses(payload, policy, opened, columns=columns, target=explained, table=table)
    found = lost.to_record(None if explained is None else explained.name)
    return {
        "analysis": found,
        "errors_below": dict(bounds_of_errors(found.figures, records)),
    }
