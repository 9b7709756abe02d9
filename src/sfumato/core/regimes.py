"""What regimes require of a release: one data file, checked when it is loaded, and the regimes of other packages.

A regime compares group sizes, never printed decimals: 1/11 = .0909 is above .09, and a group of 11 is what
is meant. Only a number that was read in the authority's own words carries a verdict; a reported one is
compared and said to be reported; a recalled one is not compared at all.
"""

from __future__ import annotations

import datetime as dt
import os
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .errors import ParameterError, did_you_mean
from .registry import Registry
from .toml_files import read_toml, validate

if TYPE_CHECKING:
    from .engine import AnyEngine
    from .records import Candidate, Release

__all__ = [
    "MEASURES",
    "REGIMES",
    "Ask",
    "CellRule",
    "Regime",
    "RegimeLevel",
    "RegimeSource",
    "SizeComparison",
    "find_regime",
    "review_date",
    "smallest_group",
]

MEASURES = (
    "smallest group", "maximum risk", "average risk", "maximum risk in the population",
    "average risk in the population", "sample uniqueness", "population uniqueness",
    "distinct sensitive values", "distance of sensitive values", "records left out", "words left",
    "documents with a leak", "rows left", "unique rows",
)  # fmt: skip
"""The figures that a regime can ask for; an engine says in `figures` where its records hold them."""

Sure = Literal["read", "reported", "recalled"]
Place = Literal["board", "published", "tradeoff", "attack", "cost", "assumptions", "repeat", "sign"]
Text = Annotated[str, Field(min_length=1, max_length=1000)]
People = Annotated[int, Field(ge=2)]
_SURE: tuple[Sure, ...] = ("read", "reported", "recalled")


class _RegimesPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RegimeSource(_RegimesPart):
    """A source: where it is, its fields, and how certain it is."""

    title: Text
    sure: Sure
    of: Annotated[tuple[Text, ...], Field(min_length=1)]
    date: dt.date | None = None
    section: Text | None = None


class RegimeLevel(_RegimesPart):
    """A number: the decimal that is printed, and the group size that is compared."""

    value: Annotated[float, Field(gt=0, lt=1)]
    size: People
    name: Text | None = None
    measure: Text = "maximum risk"
    attacker: Text | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.size < round(1 / self.value):
            raise ValueError(f"a size of {self.size} is less than 1/{self.value:g}, rounded")
        return self


class CellRule(_RegimesPart):
    """Counts that no output may show, from `low` to `high`."""

    low: Annotated[int, Field(ge=1)]
    high: Annotated[int, Field(ge=1)]


class Ask(_RegimesPart):
    """One thing that a regime wants to see, and where the report has it."""

    what: Text
    at: Place


class Regime(_RegimesPart):
    """What one regime asks for; see regimes.toml for the meaning of its fields."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{1,40}$")]
    name: Text
    authority: Text
    instrument: Text
    binding: Text
    number: Literal["none", "list", "cell", "threshold", "levels", "office"]
    threshold: RegimeLevel | None = None
    levels: tuple[RegimeLevel, ...] = ()
    cell: CellRule | None = None
    rules: tuple[Text, ...] = ()
    questions: tuple[Text, ...] = ()
    words: Text | None = None
    measures: tuple[Text, ...] = ()
    ask: Annotated[tuple[Ask, ...], Field(min_length=1)]
    sources: Annotated[tuple[RegimeSource, ...], Field(min_length=1)]
    note: Text | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        has = {"threshold": self.threshold, "levels": self.levels, "cell": self.cell}
        for field, value in has.items():
            if bool(value) != (self.number == field):
                raise ValueError(f"{self.id}: number = {self.number!r} and {field} do not fit")
        if unknown := [m for m in self.measures if m not in MEASURES]:
            raise ValueError(f"{self.id}: {did_you_mean(unknown[0], MEASURES)}")
        fields = ("threshold", "levels", "cell", "rules", "questions", "words", "ask", "instrument")
        sourced = {field for source in self.sources for field in source.of}
        if wrong := sourced - set(fields):
            raise ValueError(f"{self.id}: a source is of a field; {min(wrong)!r} is none")
        if bare := [f for f in fields if getattr(self, f) and f not in sourced]:
            raise ValueError(f"{self.id}: {bare[0]} has no source")
        return self

    def sure_of(self, field: str) -> Sure:
        """Return how sure a field is: as sure as its best source."""
        found = {source.sure for source in self.sources if field in source.of}
        return next(sure for sure in _SURE if sure in found)

    @property
    def limits(self) -> tuple[RegimeLevel, ...]:
        """The numbers that group sizes are compared with; none where they are only recalled."""
        found = (self.threshold,) if self.threshold is not None else self.levels
        return found if self.number in {"threshold", "levels"} and self._sure != "recalled" else ()

    @property
    def _sure(self) -> Sure:
        return self.sure_of(self.number)

    def at_level(self, name: str) -> Regime:
        """Return the regime with one of its levels alone, as its threshold is."""
        own = next((level for level in self.levels if level.name == name), None)
        if own is None:
            known = [str(level.name) for level in self.levels]
            hint = did_you_mean(name, known) if known else "leave it out."
            raise ParameterError(f"The regime {self.id!r} has no level {name!r}.", hint=hint)
        return self.model_copy(update={"levels": (own,)})

    def compare(self, size: int | None) -> tuple[SizeComparison, ...]:
        """Return how a smallest group compares with each number of the regime.

        Parameters
        ----------
        size : int, optional
            The smallest group of people among whom a record is hidden, at the lower end of what is
            known; None where nothing of the kind was measured.

        """
        return tuple(SizeComparison(level, size, self._sure) for level in self.limits)

    def meets(self, size: int | None) -> bool:
        """Return whether a smallest group is as large as every number of the regime asks for."""
        return all(found.meets for found in self.compare(size))


class SizeComparison:
    """A smallest group compared with one number of a regime.

    Parameters
    ----------
    level : RegimeLevel
        The number.
    size : int, optional
        The smallest group.
    sure : {"read", "reported", "recalled"}
        How sure the number is.

    """

    def __init__(self, level: RegimeLevel, size: int | None, sure: Sure) -> None:
        self.level, self.size, self.sure = level, size, sure

    @property
    def meets(self) -> bool | None:
        """Whether the group is large enough; None where there is nothing to compare."""
        return None if self.size is None else self.size >= self.level.size

    @property
    def verdict(self) -> Literal["within", "above"] | None:
        """The verdict; None unless the number was read in the authority's own words."""
        if self.sure != "read" or self.meets is None:
            return None
        return "within" if self.meets else "above"


class _RegimesFile(_RegimesPart):
    """The data file."""

    format: Literal[1]
    reviewed: dt.date
    regime: Annotated[tuple[Regime, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _different_ids(self) -> Self:
        ids = [regime.id for regime in self.regime]
        if twice := {own for own in ids if ids.count(own) > 1}:
            raise ValueError(f"{min(twice)!r} is there twice")
        return self


def _read(path: Path) -> _RegimesFile:
    return validate(_RegimesFile, read_toml(path), source=path.name)


@cache
def _own() -> _RegimesFile:
    with as_file(files("sfumato.core") / "regimes.toml") as path:
        return _read(path)


def review_date() -> dt.date:
    """Return the day on which the regimes file was last compared with its sources."""
    return _own().reviewed


@cache
def _registry() -> Registry[Regime]:
    entries = {regime.id: regime for regime in _own().regime}
    return Registry("regime", entries, group="sfumato.regimes", of=Regime)


REGIMES = _registry()
"""The regimes by id: those of the data file, and those that other packages register."""


def find_regime(name: str | os.PathLike[str]) -> Regime:
    """Return a regime by what `--for` names: an id, an id and a level, or a file of your own.

    Parameters
    ----------
    name : str or path
        "ema"; "ontario:high"; or a .toml file in the form of regimes.toml that holds one regime.

    """
    text = os.fspath(name)
    if text.endswith(".toml"):
        found = _read(Path(text)).regime
        if len(found) != 1:
            raise ParameterError(f"The file {Path(text).name!r} must hold exactly one regime.")
        return found[0]
    own, colon, level = text.partition(":")
    regime = REGIMES.get_or_raise(own)
    return regime.at_level(level) if colon else regime


def smallest_group(engine: AnyEngine, record: Candidate | Release) -> int | None:
    """Return the smallest group of people that a candidate or a release hides a record among.

    Parameters
    ----------
    engine : Engine
        The engine, whose `figures` say where its records hold it.
    record : Candidate or Release
        What is asked about.

    """
    from .records import Candidate

    places = engine.figures.get("smallest group")
    if places is None:
        return None
    found: object = record
    for name in places[isinstance(record, Candidate)].split("."):
        found = getattr(found, name, None)
    return found if isinstance(found, int) else None
