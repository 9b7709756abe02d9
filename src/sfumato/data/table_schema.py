"""The schema of a table: what each column is to an attacker, and the ordered domain it is published over.

A schema is a TOML file (see docs/reference/schema.md). The domain is always explicit: a loss measured over
a guessed domain would mean nothing.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from ..core.errors import DataError, InputError
from ..core.toml_files import read_toml, validated

__all__ = ["MISSING", "Attribute", "Domain", "Role", "TableSchema", "draft_schema"]

MISSING = "?"  # how a missing cell is written when it is a value of its own
Role = Literal["identifier", "quasi", "sensitive", "other"]
Meaning = Literal["age", "birth date", "date", "zip", "place", "other"]
_WIDEST_RANGE = 1_000_000


class Domain(BaseModel):
    """An ordered domain that is written down: a range of whole numbers, a list, or a file of values."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    range: tuple[int, int] | None = None
    values: list[str | int | float] | None = Field(default=None, min_length=1)
    file: str | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Domain:
        if sum(x is not None for x in (self.range, self.values, self.file)) != 1:
            raise ValueError("give exactly one of range, values, file")
        if self.range is not None:
            low, high = self.range
            if low > high:
                raise ValueError(f"the range {low} to {high} is empty")
            if high - low >= _WIDEST_RANGE:
                raise ValueError(f"a range holds at most {_WIDEST_RANGE:,} values")
        return self


class Attribute(BaseModel):
    """One column: its role and, for a quasi-identifier, its domain and what may be done to it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1)]
    role: Role
    domain: Domain | Literal["observed", "population"] | None = None
    keep: bool = False
    hierarchy: str | None = None
    max_width: int | None = Field(
        default=None, ge=1, validation_alias=AliasChoices("max_width", "widest")
    )
    meaning: Meaning | None = None

    @model_validator(mode="after")
    def _domain_where_it_counts(self) -> Attribute:
        if self.role == "quasi" and self.domain is None:
            raise ValueError(
                "a quasi-identifier needs a domain: { range = [0, 120] }, { values = […] }, "
                '{ file = "…" }, "observed" or "population"'
            )
        if self.role != "quasi" and (self.keep or self.hierarchy or self.max_width):
            raise ValueError("keep, hierarchy and max_width are for quasi-identifiers")
        return self

    @property
    def is_range(self) -> bool:
        """Whether the domain is a range of whole numbers."""
        return isinstance(self.domain, Domain) and self.domain.range is not None


class TableSchema(BaseModel):
    """All attributes of a table, in the order in which they are written."""

    model_config = ConfigDict(extra="forbid")

    missing: Literal["value", "error", "drop"] = "error"
    attribute: list[Attribute] = Field(min_length=1)
    _folder: Path = PrivateAttr(default_factory=Path)

    @model_validator(mode="after")
    def _names_once(self) -> TableSchema:
        twice = sorted(
            n for n, count in Counter(a.name for a in self.attribute).items() if count > 1
        )
        if twice:
            raise ValueError(f"the attribute {twice[0]!r} stands twice")
        if not self.quasi:
            raise ValueError("at least one attribute must have the role quasi")
        return self

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TableSchema:
        """Read a schema file; files that it names are looked for beside it."""
        path = Path(path)
        schema = validated(cls, read_toml(path), source=path.name)
        schema._folder = path.parent  # noqa: SLF001
        return schema

    @classmethod
    def of(cls, schema: TableSchema | str | os.PathLike[str] | dict[str, object]) -> TableSchema:
        """Take a schema as an object, a path or a dict."""
        if isinstance(schema, TableSchema):
            return schema
        if isinstance(schema, dict):
            return validated(cls, schema, source="schema")
        return cls.load(schema)

    @property
    def folder(self) -> Path:
        """Where the files that the schema names lie."""
        return self._folder

    @property
    def attributes(self) -> list[Attribute]:
        return self.attribute

    @cached_property
    def quasi(self) -> list[Attribute]:
        """The quasi-identifiers, in the schema's order."""
        return [a for a in self.attribute if a.role == "quasi"]

    def names(self, role: Role) -> list[str]:
        """Return the names of the columns with a role."""
        return [a.name for a in self.attribute if a.role == role]

    def declared_domain(self, attribute: Attribute) -> tuple[str, ...] | None:
        """Return the written-down domain as text, in order; None for "observed" and "population"."""
        domain = attribute.domain
        if not isinstance(domain, Domain):
            return None
        if domain.range is not None:
            return tuple(str(v) for v in range(domain.range[0], domain.range[1] + 1))
        if domain.values is not None:
            return _distinct([str(v) for v in domain.values], attribute.name)
        assert domain.file is not None
        path = self.folder / domain.file
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except FileNotFoundError:
            raise InputError(
                f"The domain file {path.name!r} of {attribute.name!r} does not exist.",
                hint="it is looked for beside the schema.",
            ) from None
        except UnicodeDecodeError:
            raise InputError(f"The domain file {path.name!r} is not UTF-8 text.") from None
        except (OSError, ValueError):  # a folder, a name that no file can have
            raise InputError(f"The domain file {path.name!r} cannot be read.") from None
        return _distinct([line.strip() for line in lines if line.strip()], attribute.name)


def _distinct(values: Sequence[str], name: str) -> tuple[str, ...]:
    if not values:
        raise DataError(f"The domain of {name!r} is empty.")
    if len(set(values)) != len(values):
        raise DataError(f"The domain of {name!r} holds a value twice.")
    return tuple(values)


# --- drafting ------------------------------------------------------------------------------------

_IDENTIFIER_WORDS = frozenset({
    "name", "surname", "forename", "ssn", "email", "mail", "phone", "fax", "mobile", "mrn", "passport",
    "address", "street", "id", "pid", "uid", "uuid", "guid", "key", "nr", "no", "num", "number", "account",
    "iban", "licence", "license", "plate", "serial", "url", "ip", "photo", "fingerprint",
})  # fmt: skip
_SENSITIVE_WORDS = ("diagnos", "disease", "income", "salary", "outcome", "result", "hiv", "icd")
_QUASI_WORDS = frozenset({
    "age", "sex", "gender", "race", "zip", "zcta", "postcode", "postal", "birth", "birthdate", "dob", "date",
    "year", "latitude", "longitude", "lat", "lon", "lng",
})  # fmt: skip
_FREE_TEXT = ("note", "comment", "remark", "description", "text", "narrative")


def draft_schema(source: object) -> str:
    """Draft a schema in TOML for the user to edit; roles are guesses from names and counts alone.

    The draft fails closed: what is not recognised as an identifier (removed) or a sensitive column is a
    quasi-identifier, so that it is generalised and never published as it is.

    Only names of columns, ranges of whole numbers and `"observed"` are written: no text value of the data.
    """
    from .table_source import Source

    opened = Source.open(source)
    opened.check_header()
    lines = [
        "# A draft: check every role and domain before you use it.",
        "# identifier: removed · quasi: what an outsider could know · sensitive: must not be tied to a person · other: kept",
        '# Columns that nothing is known of are quasi: give them role = "other" only if nobody outside can know them.',
        "",
    ]
    facts = opened.column_facts()
    missing = any(f.missing for f in facts)
    lines += [f'missing = "{"value" if missing else "error"}"', ""]
    for fact in facts:
        role = _guess_role(fact.name, fact.distinct, fact.rows)
        lines += ["[[attribute]]", f"name = {_quoted(fact.name)}", f'role = "{role}"']
        if role == "quasi":
            if fact.low is not None and fact.high is not None and fact.high - fact.low < 10_000:
                low, high = fact.low, fact.high
                if "age" in fact.name.lower() and low >= 0 and high <= 120:
                    low, high = 0, 120
                lines.append(f"domain = {{ range = [{low}, {high}] }}")
            else:
                lines.append(
                    'domain = "observed"   # sorted; write the values down to set their order'
                )
        lines.append("")
    return "\n".join(lines)


def _guess_role(name: str, distinct: int, rows: int) -> Role:
    """Guess a role; what is not recognised is a quasi-identifier, never published as it is."""
    lower = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    words = set(re.split(r"[^a-z0-9]+", lower))
    if any(w in lower for w in _SENSITIVE_WORDS):
        return "sensitive"
    if words & _IDENTIFIER_WORDS or any(w in lower for w in _FREE_TEXT):
        return "identifier"
    if not words & _QUASI_WORDS and rows >= 20 and distinct >= 0.95 * rows:
        return "identifier"
    return "quasi"


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)
