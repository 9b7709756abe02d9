"""What records are made of: their base, and the types of their fields.

The rule that no word of the data leaves the house lives in the field types: a text field is a name that
the steward or the program declared, never free text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    ValidationError,
)

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
]

CandidateId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:=+-]{0,63}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9 ._:=+-]{0,63}$")]
"""A name of the program: an engine, a learner, a measure, a reference."""
ColumnName = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,128}$")]
"""A column, attribute or feature that the schema or the matrix declares."""
Label = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f\[\]]{1,64}$")]
"""A label as the steward declared it; brackets mark the replacement of a redacted word."""
FileName = Annotated[str, StringConstraints(pattern=r"^[^/\\\x00-\x1f\x7f]{1,255}$")]
"""The name of a file, without its folder."""
Sentence = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,600}$")]
"""A sentence that the program wrote from names and counts."""
Mark = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A mark under the steward's private key, or the hash of a public file."""
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


def _measure(kind: type[Risk | Utility], value: object) -> object:
    """Read a measure from a file; what does not fit is reported as any other wrong field."""
    if not isinstance(value, Mapping):
        return value
    try:
        return kind.from_json(value)
    except (KeyError, TypeError, ParameterError):
        raise ValueError("is not a measure") from None


RiskField = Annotated[
    Risk,
    BeforeValidator(partial(_measure, Risk)),
    PlainSerializer(lambda v: v.to_json(), return_type=dict[str, Any]),
]
UtilityField = Annotated[
    Utility,
    BeforeValidator(partial(_measure, Utility)),
    PlainSerializer(lambda v: v.to_json(), return_type=dict[str, Any]),
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
        """Return what may appear in a report: no hash of an input and no field marked as private."""
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


def private(default: object = ..., **field: Any) -> Any:
    """Declare a field of a record that stays in the house: it never appears in a report."""
    return Field(default, json_schema_extra={"private": True}, **field)


def _public(record: Record) -> dict[str, Any]:
    """Return the JSON of a record without private fields and without the hashes of inputs."""
    full = record.to_json()
    for name, field in type(record).model_fields.items():
        extra = field.json_schema_extra
        if isinstance(extra, dict) and extra.get("private"):
            full.pop(field.alias or name, None)
            continue
        value, key = getattr(record, name), field.alias or name
        if isinstance(value, Record) and isinstance(full.get(key), dict):
            full[key] = _public(value)
        elif isinstance(value, tuple) and value and all(isinstance(v, Record) for v in value):
            full[key] = [_public(v) for v in value]
        if name == "inputs":
            full[key] = [{k: v for k, v in entry.items() if k != "sha256"} for entry in full[key]]
    return full


def _is_field(step: object) -> bool:
    return isinstance(step, str) and step.isidentifier() and len(step) <= 40
