"""What records are made of: their base, and the types of their fields.

The rule that no word of the data leaves the house lives in the field types: a text field is a name that
the steward or the program declared, never free text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    ValidationError,
)
from pydantic_core import PydanticUndefined

from .errors import FormatError, ParameterError
from .measures import Risk, Utility

__all__ = [
    "CandidateId",
    "ColumnName",
    "Count",
    "FileName",
    "Label",
    "Mark",
    "Name",
    "Record",
    "RiskField",
    "Sentence",
    "Share",
    "UtilityField",
    "private",
    "rounded",
    "two_digits",
]

CandidateId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:=+-]{0,63}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9 ._:=+-]{0,63}$")]
"""A name of the program: an engine, a learner, a measure, a reference."""
ColumnName = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,128}$")]
"""A column, attribute or feature that the schema or the matrix declares."""
Label = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f\[\]]{1,64}$")]
"""A label as the steward declared it; brackets mark what stands in place of a redacted word."""
FileName = Annotated[str, StringConstraints(pattern=r"^[^/\\\x00-\x1f\x7f]{1,255}$")]
"""The name of a file, without its folder."""
Sentence = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,600}$")]
"""A sentence that the program wrote from names and counts."""
Mark = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A mark under the steward's private key, or the hash of a public file."""
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


def _measure(kind: type[Risk | Utility], value: object) -> object:
    """Read a measure from a file; what does not fit is told as any other wrong field."""
    if not isinstance(value, Mapping):
        return value
    try:
        return kind.from_json(value)
    except (KeyError, TypeError, ParameterError):
        raise ValueError("is not a measure") from None


RiskField = Annotated[
    Risk,
    BeforeValidator(partial(_measure, Risk)),
    PlainSerializer(lambda v: v.to_json(), return_type=dict[str, object]),
]
UtilityField = Annotated[
    Utility,
    BeforeValidator(partial(_measure, Utility)),
    PlainSerializer(lambda v: v.to_json(), return_type=dict[str, object]),
]


class Record(BaseModel):
    """Base of all records: frozen, no field beyond the declared ones, finite numbers only."""

    model_config = ConfigDict(
        defer_build=True,  # a command uses few of the records: each is built when it is used
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        arbitrary_types_allowed=True,
    )

    def to_json(self) -> dict[str, Any]:
        """Return the content of the file."""
        return self.model_dump(mode="json", by_alias=True)

    def to_public_json(self) -> dict[str, Any]:
        """Return what may be given out: no hash of an input, no private field, some figures rounded."""
        return _public(self)

    @classmethod
    def from_json(cls, content: object, *, file: str = "record") -> Self:
        """Read the content of a file; what does not fit is one sentence that repeats no value."""
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            steps = [str(step) for step in first["loc"] if isinstance(step, int) or _is_field(step)]
            where = f" (at {'.'.join(steps)})" if steps else ""
            raise FormatError(
                f"The file {file!r} does not have the fields it should have{where}.",
                hint="was it written by this version of sfumato?",
            ) from None


def private(
    default: object = PydanticUndefined, *, default_factory: Callable[[], object] | None = None
) -> Any:
    """Declare a field that stays in the house: it is in no release.json and in no public report.

    A figure that cannot be computed from the published data and declared parameters alone is private:
    whoever holds the population, or most of the records, could check guesses about the raw data
    against it, however harmless it looks.
    """
    if default_factory is not None:
        return Field(default_factory=default_factory, json_schema_extra={"private": True})
    return Field(default, json_schema_extra={"private": True})


def rounded(default: object = PydanticUndefined, *, towards: Literal["up", "down"]) -> Any:
    """Declare a figure over many people that is published with two significant digits.

    Parameters
    ----------
    default : object
        The default of the field.
    towards : {"up", "down"}
        Where it is rounded to: a risk up, a utility down. The ends of an interval go outwards.

    """
    return Field(default, json_schema_extra={"rounded": towards})


def _public(record: Record) -> dict[str, Any]:
    """Return the JSON of a record without private fields and hashes of inputs, figures rounded."""
    full = record.to_json()
    for name, field in type(record).model_fields.items():
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        value, key = getattr(record, name), field.alias or name
        if extra.get("private"):
            for own in (key, f"{key}_interval"):
                full.pop(own, None)
            if isinstance(full.get("measures"), dict):
                full["measures"].pop(key, None)
            continue
        if isinstance(value, Record) and isinstance(full.get(key), dict):
            full[key] = _public(value)
        elif isinstance(value, tuple) and value and all(isinstance(v, Record) for v in value):
            full[key] = [_public(v) for v in value]
        elif (
            isinstance(value, dict) and value and all(isinstance(v, Record) for v in value.values())
        ):
            full[key] = {name: _public(v) for name, v in value.items()}
        if name == "inputs":
            full[key] = [{k: v for k, v in entry.items() if k != "sha256"} for entry in full[key]]
        if extra.get("rounded"):
            full[key] = _coarse(full[key], up=extra["rounded"] == "up")
    return full


def _coarse(value: object, *, up: bool) -> object:
    """Round every number of a JSON value to two significant digits, the ends of intervals outwards."""
    if isinstance(value, dict):
        ends = {"low": False, "high": True}
        return {k: _coarse(v, up=ends.get(k, up)) for k, v in value.items()}
    if isinstance(value, list):
        if len(value) == 2 and all(isinstance(v, float | int) for v in value):  # an interval
            return [_coarse(value[0], up=False), _coarse(value[1], up=True)]
        return [_coarse(v, up=up) for v in value]
    return two_digits(value, up=up) if isinstance(value, float) else value


def two_digits(value: float, *, up: bool) -> float:
    """Round a number to two significant digits, up or down.

    >>> two_digits(0.012345, up=True), two_digits(0.98765, up=False), two_digits(0.0, up=True)
    (0.013, 0.98, 0.0)
    """
    if value == 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    steps = value / unit
    whole = round(steps)
    if abs(steps - whole) > 1e-9:
        whole = math.ceil(steps) if up else math.floor(steps)
    return float(f"{whole * unit:.1e}")


def _is_field(step: object) -> bool:
    return isinstance(step, str) and step.isidentifier() and len(step) <= 40
