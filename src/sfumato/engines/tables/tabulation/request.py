"""The parameters of `tables tabulate`."""

from __future__ import annotations

from ....core.request import Request, parameter
from ....data.inputs import RowsInput

__all__ = ["TabulateRequest"]


class TabulateRequest(Request):
    """The parameters of `tables tabulate`."""

    table: RowsInput = parameter(
        help="Folder of a release, or a table: CSV, TSV, Parquet, SPSS, Stata, SAS, Excel or DuckDB.",
        role="data",
    )
    by: list[str] = parameter(help="Columns to count by.")
    rule: str = parameter(
        help="A regime with a rule for cells (cms, nhs), ons, suppress:N, round:BASE, noise:EPSILON; joined by +.",
        metavar="RULE",
    )
