"""The parameters of `tables update`."""

from __future__ import annotations

from ...core.request import Request, parameter
from ...data.inputs import RowsInput, SchemaInput

__all__ = ["UpdateRequest"]


class UpdateRequest(Request):
    """The parameters of `tables update`."""

    schema_: SchemaInput = parameter(
        help="The schema (TOML) of earlier data.", role="data", alias="schema"
    )
    table: RowsInput = parameter(help="The new data, as `tables explore` reads it.", role="data")
