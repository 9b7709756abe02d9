"""The schema of a table: what each column is to an attacker, and the ordered domain it is published over.

A schema is a TOML file (see docs/reference/schema.md). The domain is always explicit: a loss measured over
a guessed domain would mean nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from ..core.errors import DataError, InputError, PlanError
from ..core.files import check_plain_file
from ..core.toml_files import read_toml, validate
from .attributes import MISSING, Attribute, Domain, Role, cell_text
from .calendar import are_units
from .column_treatments import Treatment
from .inputs import SchemaInput
from .mention_columns import check_mentions

__all__ = ["MISSING", "Attribute", "Domain", "Role", "TableSchema"]


class TableSchema(BaseModel):
    """All attributes of a table, in the order in which they are written."""

    model_config = ConfigDict(extra="forbid")

    missing: Literal["value", "error", "drop"] = "error"
    missing_values: list[str | int | float] = Field(default_factory=list)
    decimal: Literal[".", ","] = "."
    undeclared: Literal["error", "drop"] = "error"
    attribute: list[Attribute] = Field(min_length=1)
    _folder: Path = PrivateAttr(default_factory=Path)

    @model_validator(mode="after")
    def _decimal_everywhere(self) -> TableSchema:
        if self.decimal == ",":
            self.attribute = [a.model_copy(update={"decimal": ","}) for a in self.attribute]
        return self

    @model_validator(mode="after")
    def _names_once(self) -> TableSchema:
        twice = sorted(
            n for n, count in Counter(a.name for a in self.attribute).items() if count > 1
        )
        if twice:
            raise ValueError(f"the attribute {twice[0]!r} is declared twice")
        if not self.quasi:
            raise ValueError("at least one attribute must have the role quasi")
        if self.person is None and any(a.date and a.date.shift for a in self.attribute):
            raise ValueError(
                'dates are moved person by person: one attribute needs role = "person"'
            )
        for role in ("person", "household", "weight"):
            if sum(a.role == role for a in self.attribute) > 1:
                raise ValueError(f"only one attribute can have the role {role}")
        check_mentions(self.attribute)
        self._check_together()
        return self

    def _check_together(self) -> None:
        """Refuse columns that are averaged together by different numbers of people, or one that is so alone."""
        sizes: dict[str, list[int | None]] = {}
        for a in self.attribute:
            if isinstance(a.publish, Treatment) and a.publish.together is not None:
                sizes.setdefault(a.publish.together, []).append(a.publish.microaggregate)
        for name, found in sizes.items():
            if len(found) < 2 or len(set(found)) > 1:
                raise ValueError(
                    f"the columns that are averaged together as {name!r} must be two or more, with one number of people"
                )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TableSchema:
        """Read a schema file; files that it names are looked for next to it."""
        path = Path(path)
        schema = validate(cls, read_toml(path), source=path.name)
        schema._folder = path.parent  # noqa: SLF001
        return schema

    @classmethod
    def of(cls, schema: SchemaInput) -> TableSchema:
        """Return a schema given as an object, a path or a mapping."""
        if isinstance(schema, TableSchema):
            return schema
        if isinstance(schema, Mapping):
            return validate(cls, schema, source="schema")
        if not isinstance(schema, str | os.PathLike):
            raise InputError(
                f"A schema cannot be read from an object of the type {type(schema).__name__}.",
                hint="give the path of a TOML file, or a dict.",
            )
        return cls.load(schema)

    @property
    def folder(self) -> Path:
        """The folder of the files that the schema names."""
        return self._folder

    @property
    def attributes(self) -> list[Attribute]:
        return self.attribute

    @cached_property
    def quasi(self) -> list[Attribute]:
        """The quasi-identifiers, in the schema's order."""
        return [a for a in self.attribute if a.role == "quasi"]

    @cached_property
    def person(self) -> Attribute | None:
        """The column that names the person whom a row is about, where the schema has one."""
        return next((a for a in self.attribute if a.role == "person"), None)

    @property
    def joined(self) -> bool:
        """Whether the rows of a person are one history, known and published together."""
        return self.person is not None and self.person.rows == "joined"

    def counted(self, rows: str = "count(*)") -> str:
        """Return the SQL that counts records: different people where the schema names them, else rows."""
        return rows if self.person is None else f"count(DISTINCT {self.cell(self.person.name)})"

    def names(self, role: Role) -> list[str]:
        """Return the names of the columns with a role."""
        return [a.name for a in self.attribute if a.role == role]

    def check_decided(self) -> None:
        """Refuse a draft in which the role of a column is still open."""
        names = [a.name for a in self.attribute if a.undecided]
        if names:
            many = "1 column" if len(names) == 1 else f"{len(names):,} columns"
            raise PlanError(
                f"The role of {many} is not decided:",
                mistakes=[
                    f"{name!r}: decide what it is to somebody outside, and remove 'undecided'"
                    for name in names[:20]
                ],
            )

    def with_attributes(self, attributes: Sequence[Attribute]) -> TableSchema:
        """Return the same schema with other attributes."""
        other = TableSchema(
            missing=self.missing,
            missing_values=self.missing_values,
            decimal=self.decimal,
            undeclared=self.undeclared,
            attribute=list(attributes),
        )
        other._folder = self._folder
        return other

    def with_domains(self, domains: Mapping[str, Domain]) -> TableSchema:
        """Return the same schema with other domains of some attributes."""
        return self.with_attributes(
            [
                a.model_copy(update={"domain": domains[a.name]}) if a.name in domains else a
                for a in self.attribute
            ]
        )

    def cell(self, name: str) -> str:
        """Return the SQL that reads a cell of a column: a value of its domain, NULL where missing."""
        for attribute in self.attribute:
            if attribute.name == name:
                return attribute.cell(self.missing_values)
        return cell_text(name, missing=self.missing_values)

    def declared_domain(self, attribute: Attribute) -> tuple[str, ...] | None:
        """Return the written-down domain as text, in order; None where it is read from data."""
        domain = attribute.domain
        if domain is None and attribute.labels is not None:
            return tuple(attribute.labels.values())
        if not isinstance(domain, Domain):
            return None
        if domain.bins is not None:
            return domain.bins.names
        if domain.dates is not None:
            return attribute.days()
        if domain.quantiles is not None:
            return None
        if domain.range is not None:
            first, last = (int(end) for end in domain.range)
            return _check_values([str(v) for v in range(first, last + 1)], attribute)
        if domain.values is not None:
            return _check_values([str(v) for v in domain.values], attribute)
        assert domain.file is not None
        path = self.folder / domain.file
        check_plain_file(path)
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except FileNotFoundError:
            raise InputError(
                f"The domain file {path.name!r} of {attribute.name!r} does not exist.",
                hint="it is expected in the folder of the schema.",
            ) from None
        except UnicodeDecodeError:
            raise InputError(f"The domain file {path.name!r} is not UTF-8 text.") from None
        except (OSError, ValueError):  # a folder, a name that no file can have
            raise InputError(f"The domain file {path.name!r} cannot be read.") from None
        return _check_values([line.strip() for line in lines if line.strip()], attribute)


def _check_values(values: Sequence[str], attribute: Attribute) -> tuple[str, ...]:
    """Return the values of a domain; refuse none, one that is there twice, and other values than a column's dates."""
    name, dates = attribute.name, attribute.date
    if not values:
        raise DataError(f"The domain of {name!r} is empty.")
    if len(set(values)) != len(values):
        raise DataError(f"The domain of {name!r} holds a value twice.")
    known = [v for v in values if v != MISSING]
    if dates is not None and attribute.is_calendar and not are_units(known, dates.unit):
        raise DataError(
            f"The domain of {name!r} holds other values than rising dates to the {dates.unit}.",
            hint='write domain = { dates = ["1999-01-31", "2012-12-31"] }, or "observed"; if the column holds no '
            "dates, leave its date out.",
        )
    return tuple(values)
