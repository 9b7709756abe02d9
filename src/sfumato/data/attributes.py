"""What a schema says about single columns: domains, dates, hierarchies, and how a cell is read as a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Literal, get_args

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    StrictFloat,
    StrictInt,
    model_validator,
)

from .bins import Bins
from .calendar import Unit, date_sql, unit_sql, units_between
from .column_treatments import ColumnTreatment, Treatment
from .database import quote_name, quote_text

__all__ = [
    "DIRECT_MEANINGS",
    "MISSING",
    "Attribute",
    "Dates",
    "Domain",
    "Hierarchy",
    "Meaning",
    "Role",
    "cell_text",
    "name_codes",
    "whole_number",
]

MISSING = "?"  # how a missing cell is written where it is a value of its own
Role = Literal["identifier", "person", "household", "quasi", "sensitive", "weight", "other"]
Meaning = Literal[
    "age", "birth date", "date", "zip", "place", "name", "phone", "fax", "email", "social security number",
    "medical record number", "health plan number", "account number", "licence number", "vehicle",
    "device", "url", "ip address", "biometric", "photo", "other identifier", "other",
]  # fmt: skip
"""What a column means to HIPAA's Safe Harbor: its 18 kinds (dates and ages are one), or "other", none of them."""
DIRECT_MEANINGS: frozenset[str] = frozenset(get_args(Meaning)) - {
    "age", "birth date", "date", "zip", "place", "other",
}  # fmt: skip
Cell = str | int | float
_WIDEST_RANGE = 1_000_000
_MOST_BINS = 4_096


class Domain(BaseModel):
    """A declared, ordered domain: numbers, bins of numbers, dates, a list, or a file of values.

    `range` alone holds whole numbers. With a `step` or `open_ends`, by `cuts` or by `quantiles`, numbers
    are read into bins; an open end takes all numbers beyond it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    range: tuple[StrictInt | StrictFloat, StrictInt | StrictFloat] | None = None
    step: float | int | None = Field(default=None, gt=0)
    open_ends: Literal["low", "high", "both"] | None = None
    cuts: list[int | float] | None = Field(default=None, min_length=1)
    quantiles: int | None = Field(default=None, ge=2, le=1000)
    dates: tuple[date, date] | None = None
    values: list[Cell] | None = Field(default=None, min_length=1)
    file: str | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Domain:
        ways = (self.range, self.cuts, self.quantiles, self.dates, self.values, self.file)
        if sum(x is not None for x in ways) != 1:
            raise ValueError("give exactly one of range, cuts, quantiles, dates, values, file")
        if self.range is None and (self.step is not None or self.open_ends is not None):
            raise ValueError("step and open_ends go with a range")
        if self.dates is not None and self.dates[0] > self.dates[1]:
            raise ValueError(f"the range {self.dates[0]} to {self.dates[1]} is empty")
        if self.range is not None:
            self._check_range(*self.range)
        if self.cuts is not None and any(b <= a for a, b in pairwise(self.cuts)):
            raise ValueError("cuts must rise")
        return self

    def _check_range(self, low: float, high: float) -> None:
        if low > high:
            raise ValueError(f"the range {low} to {high} is empty")
        if self.step is None and not _whole(low, high):
            raise ValueError("a range of decimals needs a step")
        if self.step is not None or self.open_ends is not None:
            if (high - low) / (self.step or 1) >= _MOST_BINS:
                raise ValueError(f"a range is divided into at most {_MOST_BINS:,} bins")
            if low == high:
                raise ValueError(f"the range {low} to {high} is a single number")
        elif high - low >= _WIDEST_RANGE:
            raise ValueError(f"a range holds at most {_WIDEST_RANGE:,} values")

    @cached_property
    def bins(self) -> Bins | None:
        """The bins that numbers are read into; None where values are used as they are."""
        if self.cuts is not None:
            return Bins(tuple(Decimal(str(c)) for c in self.cuts))
        if self.range is None or (self.step is None and self.open_ends is None):
            return None
        low, high = (Decimal(str(end)) for end in self.range)
        step = Decimal(str(self.step or 1))
        whole = _whole(*self.range, self.step or 1)
        cuts, at = [], low + step
        while at < high or (whole and at == high):
            cuts.append(at)
            at += step
        opened = {"both": (True, True), "low": (True, False), "high": (False, True), None: (False, False)}  # fmt: skip
        open_low, open_high = opened[self.open_ends]
        first, last = (low + 1, high) if whole else (low, high)
        if open_low and (not cuts or cuts[0] != first):
            cuts.insert(0, first)
        if open_high and (not cuts or cuts[-1] != last):
            cuts.append(last)
        return Bins(tuple(cuts), None if open_low else low, None if open_high else high, whole)


def _whole(*numbers: float) -> bool:
    return all(isinstance(n, int) for n in numbers)


class Hierarchy(BaseModel):
    """A hierarchy built by prefixes of codes, widths of numbers, or units of dates."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prefix: list[Annotated[int, Field(ge=1, le=100)]] | None = Field(default=None, min_length=1)
    widths: list[Annotated[int, Field(ge=2)]] | None = Field(default=None, min_length=1)
    units: list[Literal["month", "quarter", "year", "decade"]] | None = Field(
        default=None, min_length=1
    )

    @model_validator(mode="after")
    def _one_way(self) -> Hierarchy:
        if sum(x is not None for x in (self.prefix, self.widths, self.units)) != 1:
            raise ValueError("give exactly one of prefix, widths, units")
        if any(b % a for a, b in pairwise(sorted(self.widths or []))):
            raise ValueError("each width must be a multiple of the one before")
        return self


class Dates(BaseModel):
    """How a column of dates is read and published.

    Parameters
    ----------
    unit : {"day", "month", "quarter", "year", "age"}
        What a date is coarsened to before anything else; "age" counts the full years up to `at`.
    format : str, optional
        How dates are written, as strftime has it ("%d.%m.%Y"); ISO 8601 without.
    at : date, optional
        The day at which an age is counted.
    shift : int, optional
        Move the dates of a person by one number of days, drawn from −shift to shift.

    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    unit: Unit = "day"
    format: str | None = Field(default=None, min_length=2, max_length=40)
    at: date | None = None
    shift: int | None = Field(default=None, ge=1, le=3650)

    @model_validator(mode="after")
    def _consistent(self) -> Dates:
        if (self.unit == "age") != (self.at is not None):
            raise ValueError('unit = "age" and the day "at" which it is counted go together')
        if self.shift is not None and self.unit != "day":
            raise ValueError("a shift moves days; leave the unit out")
        return self

    def sql(self, cell: str) -> str:
        """Return the SQL of a cell as a date in its unit; what is not a date stays unchanged."""
        day = self.day(cell)
        return f"CASE WHEN {day} IS NULL THEN {cell} ELSE {unit_sql(day, self.unit, self.at)} END"

    def day(self, cell: str) -> str:
        """Return the SQL of a cell as a date; NULL where it is none."""
        return date_sql(cell, self.format)

    def release_sql(self, cell: str, person: str | None, key: str) -> str:
        """Return the SQL of a date of a column with role "other": coarsened, or moved with its person.

        Parameters
        ----------
        cell, person : str
            The SQL of the cell and of the person whom the row is about.
        key : str
            Private text that the shift depends on.

        """
        if self.shift is None:
            return f"CASE WHEN {self.day(cell)} IS NOT NULL THEN {self.sql(cell)} END"
        digest = f"sha256({quote_text(key)} || {person})"
        drawn = f"CAST('0x' || substr({digest}, 1, 15) AS BIGINT) % {2 * self.shift + 1}"
        moved = f"({self.day(cell)} + CAST({drawn} - {self.shift} AS INTEGER))"
        return f"strftime({moved}, {quote_text(self.format or '%Y-%m-%d')})"

    def in_words(self) -> str:
        """Return what is done to a date, for people."""
        if self.shift is not None:
            return f"moved by up to {self.shift:,} days, alike for each person"
        return f"full years at {self.at}" if self.unit == "age" else f"dates to the {self.unit}"


class Attribute(BaseModel):
    """One column: its role and, for a quasi-identifier, its domain and what may be done to it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1)]
    role: Role
    domain: Domain | Literal["observed", "population"] | None = None
    keep: bool = False
    hierarchy: str | Hierarchy | None = None
    max_width: int | None = Field(
        default=None, ge=1, validation_alias=AliasChoices("max_width", "widest")
    )
    meaning: Meaning | None = None
    date: Dates | None = None
    missing_values: list[Cell] = Field(default_factory=list)
    decimal: Literal[".", ","] = "."
    weight: float = Field(default=1.0, gt=0, le=1000)
    ordered: bool = True
    labels: dict[str, Annotated[str, Field(min_length=1)]] | None = Field(
        default=None, min_length=1
    )
    undecided: bool = False
    publish: ColumnTreatment | None = None
    rows: Literal["separate", "joined"] = "separate"

    @model_validator(mode="after")
    def _domain_where_it_counts(self) -> Attribute:
        self._check_labels()
        if self.role == "quasi" and self.domain is None and self.labels is None:
            raise ValueError(
                "a quasi-identifier needs a domain: { range = [0, 120] }, { values = […] }, "
                '{ file = "…" }, "observed" or "population"'
            )
        if self.role != "quasi" and (self.keep or self.hierarchy or self.max_width):
            raise ValueError("keep, hierarchy and max_width are for quasi-identifiers")
        if self.role != "quasi" and self.weight != 1.0:
            raise ValueError(
                'weight is for quasi-identifiers; a column of survey weights has role = "weight"'
            )
        self._check_codes()
        if self.role != "person" and self.rows != "separate":
            raise ValueError('rows = "joined" is for the column with role = "person"')
        self._check_dates()
        return self

    def _check_labels(self) -> None:
        if self.labels is None:
            return
        if self.role not in {"quasi", "sensitive"}:
            raise ValueError("labels are for the codes of quasi-identifiers and sensitive columns")
        if len(set(self.labels.values())) < len(self.labels):
            raise ValueError("two codes have the same label")
        declared = self.domain if isinstance(self.domain, Domain) else None
        if self.date is not None or (declared is not None and declared.values is None):
            raise ValueError("labels are for codes, whose domain is the labels themselves")

    def _check_codes(self) -> None:
        if self.ordered:
            return
        if self.role not in {"quasi", "sensitive"}:
            raise ValueError(
                "ordered = false is for quasi-identifiers and sensitive columns whose numbers are codes"
            )
        declared = self.domain if isinstance(self.domain, Domain) else None
        listed = declared is None or declared.values is not None or declared.file is not None
        if not listed or self.date is not None:
            raise ValueError(
                'codes without an order have the domain "observed", or a list of values'
            )

    def _check_dates(self) -> None:
        declared = self.domain if isinstance(self.domain, Domain) else None
        unit = None if self.date is None else self.date.unit
        if declared is not None and declared.dates is not None and unit in {None, "age"}:
            raise ValueError('a domain of dates needs date = { unit = "month" } or the like')
        if unit not in {None, "age"} and declared is not None and declared.bins is not None:
            raise ValueError("dates are not read into bins of numbers")
        if self.date is not None and self.role not in {"quasi", "other"}:
            raise ValueError('a date is for columns with role = "quasi" or "other"')
        if self.date is not None and self.date.shift is not None and self.role != "other":
            raise ValueError('a shift of dates is for columns with role = "other"')
        if self.publish is not None and (
            self.role not in {"other", "weight"} or self.date is not None
        ):
            raise ValueError(
                'publish is for numbers or notes of columns with role = "other", and for weights'
            )
        if (
            self.role == "weight"
            and self.publish is not None
            and (
                not isinstance(self.publish, Treatment)
                or self.publish.noise
                or self.publish.pram
                or self.publish.together
            )
        ):
            raise ValueError(
                "a weight is rounded or averaged alone; with noise it would count nobody"
            )
        built = self.hierarchy if isinstance(self.hierarchy, Hierarchy) else None
        if built is not None and (built.units is not None) != (unit in {"day", "month", "quarter"}):
            raise ValueError("a hierarchy by units is for dates, and the only built one for them")

    @property
    def is_range(self) -> bool:
        """Whether the domain is a range of whole numbers."""
        return (
            isinstance(self.domain, Domain)
            and self.domain.range is not None
            and self.domain.bins is None
        )

    @property
    def bins(self) -> Bins | None:
        """The bins that the cells are read into; None where values are used as they are."""
        return self.domain.bins if isinstance(self.domain, Domain) else None

    @property
    def quantiles(self) -> int | None:
        """The number of parts that the data divides the domain into; None where it is written down."""
        return self.domain.quantiles if isinstance(self.domain, Domain) else None

    @property
    def is_calendar(self) -> bool:
        """Whether the values are days, months, quarters or years."""
        return self.date is not None and self.date.unit != "age"

    def days(self) -> tuple[str, ...] | None:
        """Return the declared dates in the attribute's unit; None where none are declared."""
        if not isinstance(self.domain, Domain) or self.domain.dates is None or self.date is None:
            return None
        return units_between(*self.domain.dates, self.date.unit)

    def cell(self, missing_values: Sequence[Cell] = ()) -> str:
        """Return the SQL that reads a cell as a value of the domain: NULL where it is missing.

        What cannot be read as a number or a date of the domain stays as it is written, and is then
        outside the domain.
        """
        text = cell_text(self.name, missing=[*missing_values, *self.missing_values])
        if self.labels is not None:
            return name_codes(text, self.labels)
        if self.decimal == ",":
            text = with_point(text)
        if self.date is not None:
            text = self.date.sql(text)
        if self.bins is not None:
            return self.bins.sql(text)
        return whole_number(text) if self.is_range else text


def name_codes(cell: str, labels: Mapping[str, str]) -> str:
    """Return the SQL of a cell with codes replaced by their labels; 1.0 is the code 1."""
    plain = f"regexp_replace({cell}, '^(-?[0-9]+)[.]0+$', '\\1')"
    cases = " ".join(f"WHEN {quote_text(c)} THEN {quote_text(t)}" for c, t in labels.items())
    return f"CASE {plain} {cases} ELSE {cell} END"


def cell_text(column: str, *, missing: Sequence[Cell] = ()) -> str:
    """Return the SQL that normalises a cell: trimmed text, NULL where missing ('', '?' or as declared)."""
    trimmed = f"nullif(nullif(trim({quote_name(column)}), ''), {quote_text(MISSING)})"
    if not missing:
        return trimmed
    marks = ", ".join(quote_text(str(mark)) for mark in dict.fromkeys(missing))
    plain = f"regexp_replace({trimmed}, '[.]0+$', '')"  # -9 in a column of decimals is -9.0
    return f"CASE WHEN {trimmed} IN ({marks}) OR {plain} IN ({marks}) THEN NULL ELSE {trimmed} END"


def with_point(cell: str) -> str:
    """Return the SQL of a cell with a decimal point where it is a number with a comma: '67,3' is 67.3."""
    return (
        f"CASE WHEN regexp_full_match({cell}, '[+-]?[0-9]*,[0-9]+') THEN replace({cell}, ',', '.') "
        f"ELSE {cell} END"
    )


def whole_number(cell: str) -> str:
    """Return the SQL of a cell as a whole number where it is one: '039' and '39.0' are 39."""
    number = f"TRY_CAST({cell} AS DOUBLE)"
    whole = f"CAST(CAST({number} AS BIGINT) AS VARCHAR)"
    return f"CASE WHEN abs({number}) < 1e15 AND {number} = round({number}) THEN {whole} ELSE {cell} END"
