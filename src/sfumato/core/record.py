"""What records are made of: their bases, the types of their fields, and which fields may be published.

The field types enforce that no word of the data is published: a text field is a name that
the steward or the program declared, never free text. So does the rule that no figure of the raw data does:
every field of a `Record` says who may read it, and a class with a field that does not say it cannot be defined.

>>> class Measured(Record):
...     rows: Public[Count]
...     left_out: Coarse[Count]
...     risk: RoundedUp[Share]
...     loss: Private[float]
>>> Measured(rows=812, left_out=3, risk=0.012345, loss=0.123456789).to_public_json()
{'rows': 812, 'left_out': 5, 'risk': 0.013}
>>> class Forgotten(Record):
...     loss: float
Traceback (most recent call last):
    ...
TypeError: The field 'loss' of the record 'Forgotten' does not say who may read it. Write Public[…], ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import partial
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    ValidationError,
)

from .coarse import SMALLEST_COUNT, coarse_count, two_digits
from .errors import FormatError, ParameterError
from .measures import Risk, Utility

__all__ = [
    "CandidateId",
    "Coarse",
    "ColumnName",
    "Content",
    "Count",
    "Exposure",
    "FileName",
    "Hidden",
    "HouseRecord",
    "Label",
    "Mark",
    "Name",
    "Private",
    "Public",
    "Record",
    "RiskField",
    "RoundedDown",
    "RoundedUp",
    "Sentence",
    "Share",
    "UtilityField",
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
    """Read a measure from a file; a value that does not fit is reported like any other wrong field."""
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


Content = dict[str, Any]
"""The content of a file, as JSON has it."""


class Exposure(Enum):
    """Who may read a field, and how exactly."""

    PUBLIC = "everybody, as it is"
    ROUNDED_UP = "everybody, with two digits, rounded up"
    ROUNDED_DOWN = "everybody, with two digits, rounded down"
    COARSE = "everybody, up to the next multiple of k"
    PRIVATE = "the steward"
    HIDDEN = "the steward's own tools"


T = TypeVar("T")
Public = Annotated[T, Exposure.PUBLIC]
"""What anybody could compute from the published data and declared parameters, or was declared itself."""
RoundedUp = Annotated[T, Exposure.ROUNDED_UP]
"""A risk over many people: published with two significant digits, rounded up; the ends of intervals outwards."""
RoundedDown = Annotated[T, Exposure.ROUNDED_DOWN]
"""A utility over many people: published with two significant digits, rounded down; intervals outwards."""
Coarse = Annotated[T, Exposure.COARSE]
"""A count of raw records that are not published: rounded up to the next multiple of the release's k."""
Private = Annotated[T, Exposure.PRIVATE]
"""A figure that stays private: in no release.json and in no public report.

A figure that cannot be computed from the published data and declared parameters alone is private: someone who
holds the population, or most of the records, could check guesses about the raw data against it, however
harmless it looks.
"""
Hidden = Annotated[T, Exposure.HIDDEN]
"""What no report shows, not even the steward's: plain hashes, by which sfumato knows its own files again."""


class Record(BaseModel):
    """Base of what may reach a public file: frozen, no field beyond the declared ones, finite numbers only.

    Every field is `Public`, `RoundedUp`, `RoundedDown`, `Coarse`, `Private` or `Hidden`.
    """

    model_config = ConfigDict(
        defer_build=True,  # a command uses few of the records: each is built when it is used
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        arbitrary_types_allowed=True,
    )

    stays: ClassVar[bool] = False
    """Whether the record stays private as a whole."""

    @classmethod
    def __pydantic_init_subclass__(cls, **options: object) -> None:
        """Refuse a record with a field that does not say who may read it."""
        super().__pydantic_init_subclass__(**options)
        for name in () if cls.stays else cls.model_fields:
            exposure = cls.exposure(name)
            if exposure is None:
                raise TypeError(
                    f"The field {name!r} of the record {cls.__name__!r} does not say who may read it. Write "
                    "Public[…], RoundedUp[…], RoundedDown[…], Coarse[…], Private[…] or Hidden[…]."
                )
            held = next(_house_records(cls.model_fields[name].annotation), None)
            if held is not None and exposure not in {Exposure.PRIVATE, Exposure.HIDDEN}:
                raise TypeError(
                    f"The field {name!r} of the record {cls.__name__!r} is public and holds a "
                    f"{held.__name__!r}, which is private."
                )

    @classmethod
    def exposure(cls, name: str) -> Exposure | None:
        """Return who may read a field; None for a field of a record of the house that does not say it.

        Parameters
        ----------
        name : str
            The field.

        """
        marks = cls.model_fields[name].metadata
        return next((mark for mark in marks if isinstance(mark, Exposure)), None)

    @property
    def granularity(self) -> int:
        """The number k: published counts of raw records are multiples of it."""
        return SMALLEST_COUNT

    def to_json(self) -> Content:
        """Return the content of the file."""
        return self.model_dump(mode="json", by_alias=True)

    def to_public_json(self) -> Content:
        """Return what may be published: no hidden and no private field, some figures rounded."""
        return _public(self, self.granularity)

    def to_report_json(self) -> Content:
        """Return what the steward's edition of a report shows: all but what is hidden."""
        return _without_hidden(self)

    @classmethod
    def from_json(cls, content: object, *, file: str = "record") -> Self:
        """Read the content of a file; what does not fit is one sentence that repeats no value.

        Parameters
        ----------
        content : object
            The content, as JSON gives it.
        file : str, default='record'
            The name of the file, for the sentence.

        """
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


class HouseRecord(Record):
    """Base of what stays private as a whole (a frontier, an attack): its fields need no marks."""

    stays: ClassVar[bool] = True

    def to_public_json(self) -> Content:
        """Return nothing: the record has no public side."""
        return {}


def _house_records(annotation: object) -> Iterator[type[Record]]:
    """Yield the records of the house that a type holds."""
    if isinstance(annotation, type) and issubclass(annotation, Record) and annotation.stays:
        yield annotation
    for inner in get_args(annotation):
        yield from _house_records(inner)


def _public(record: Record, k: int) -> Content:
    """Return the JSON of a record without private fields, figures rounded, counts up to multiples of k."""
    full = record.to_json()
    for name, field in type(record).model_fields.items():
        value, key, exposure = getattr(record, name), field.alias or name, record.exposure(name)
        if exposure in {Exposure.PRIVATE, Exposure.HIDDEN, None}:
            full.pop(key, None)
        elif key in full:
            shown = _each_record(value, full[key], lambda inner: _public(inner, k))
            if exposure is Exposure.COARSE:
                shown = coarse_count(shown, k)
            elif exposure is not Exposure.PUBLIC:
                shown = _two_digits(shown, up=exposure is Exposure.ROUNDED_UP)
            full[key] = shown
    return full


def _without_hidden(record: Record) -> Content:
    """Return the JSON of a record without what is hidden, here and in the records that it holds."""
    full = record.to_json()
    for name, field in type(record).model_fields.items():
        value, key = getattr(record, name), field.alias or name
        if record.exposure(name) is Exposure.HIDDEN:
            full.pop(key, None)
        elif key in full:
            full[key] = _each_record(value, full[key], _without_hidden)
    return full


def _each_record(value: object, written: object, show: Callable[[Record], Content]) -> object:
    """Return the JSON of a field, each record in it as it is shown."""
    if isinstance(value, Record) and isinstance(written, dict):
        return show(value)
    if isinstance(value, tuple) and value and all(isinstance(v, Record) for v in value):
        return [show(v) for v in value]
    if isinstance(value, dict) and value and all(isinstance(v, Record) for v in value.values()):
        return {name: show(v) for name, v in value.items()}
    return written


def _two_digits(value: object, *, up: bool) -> object:
    """Round every number of a JSON value to two significant digits, the ends of intervals outwards."""
    if isinstance(value, dict):
        ends = {"low": False, "high": True}
        return {k: _two_digits(v, up=ends.get(k, up)) for k, v in value.items()}
    if isinstance(value, list):
        if len(value) == 2 and all(isinstance(v, float | int) for v in value):  # an interval
            return [_two_digits(value[0], up=False), _two_digits(value[1], up=True)]
        return [_two_digits(v, up=up) for v in value]
    return two_digits(value, up=up) if isinstance(value, float) else value


def _is_field(step: object) -> bool:
    return isinstance(step, str) and step.isidentifier() and len(step) <= 40
