"""What a wrong value should have been, in plain words, for requests, plans, schemas and rules alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = ["is_of_another_kind", "rule_of"]

_KINDS = {
    "int_type": "a whole number", "int_parsing": "a whole number", "int_from_float": "a whole number",
    "int_parsing_size": "a whole number of fewer digits", "float_type": "a number", "float_parsing": "a number",
    "finite_number": "a finite number", "bool_type": "true or false", "bool_parsing": "true or false",
    "string_type": "text", "list_type": "a list", "tuple_type": "a list", "dict_type": "a table",
    "model_type": "a table", "model_attributes_type": "a table", "dataclass_type": "a table",
}  # fmt: skip
"""What pydantic asked for, by the type of its error, where its own words are about Python."""
_BOUNDS = frozenset({"greater_than", "greater_than_equal", "less_than", "less_than_equal"})


def rule_of(error: ErrorDetails) -> str:
    """Return what is wrong with a value, without the value; it begins in lower case.

    Parameters
    ----------
    error : ErrorDetails
        What pydantic found, with the input.

    """
    kind = error["type"]
    if kind in _KINDS:
        return f"input should be {_KINDS[kind]}"
    if kind in _BOUNDS and _is_nan(error.get("input")):
        return "input should be a number"
    if kind == "too_short" and "ctx" in error:
        least = error["ctx"]["min_length"]
        return f"input should be a list of at least {least} {'value' if least == 1 else 'values'}"
    message = error["msg"].removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def is_of_another_kind(error: ErrorDetails) -> bool:
    """Return whether a value was not looked into, because it is text where a table is expected, or the like."""
    if error["type"] == "literal_error":
        return not isinstance(error.get("input"), str)
    return error["type"] in _KINDS


def _is_nan(value: object) -> bool:
    try:
        return math.isnan(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
