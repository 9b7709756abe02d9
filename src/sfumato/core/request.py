"""Requests: every parameter of a verb, once, with its type, default, choices and one line of help.

Command-line options, plan keys, Python keyword arguments, the fingerprint of a run, the reference page
and the printed "how to repeat it" are all derived from these models; nothing restates them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self, Union, cast

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError, model_validator
from pydantic.fields import FieldInfo

from .arguments import Compound
from .errors import ParameterError, did_you_mean
from .mistakes import rule_of
from .parameter import Parameter, parameter

__all__ = [
    "IN_MEMORY",
    "Parameter",
    "Request",
    "fields_of",
    "parameter",
    "parameters",
    "plain_form",
]

IN_MEMORY = "(in memory)"
"""What a record holds for an input that was given as an object instead of a file."""


def fields_of(model: type[Request]) -> dict[str, Parameter]:
    """Return every field of a request by its public name, in their order, shown or not."""
    found = {}
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra
        about: Any = extra.get("parameter") if isinstance(extra, Mapping) else None
        if about is not None:
            public = field.alias or name
            flag = about["flag"] or "--" + public.replace("_", "-")
            found[public] = Parameter(public, field=field, **{**about, "flag": flag})
    return found


def parameters(model: type[Request]) -> dict[str, Parameter]:
    """Return what people see of a request, by public name: its fields, and options that fill several."""
    found: dict[str, Parameter] = {}
    compounds = model.all_compounds()
    fields = fields_of(model)
    for name, about in fields.items():
        if not about.within:
            found[name] = _compound(about, compounds[name]) if name in compounds else about
        elif about.within not in fields:
            found.setdefault(about.within, _option(about, compounds[about.within]))
    return found


def _compound(about: Parameter, compound: Compound) -> Parameter:
    """Return a field that also takes the text of a compound."""
    assert about.field is not None
    shown = copy(about.field)
    more = [kind for kind in compound.takes if kind not in about.plain]
    shown.annotation = cast("type[Any]", Union[shown.annotation, *more])
    metavar = compound.metavar or about.metavar
    return replace(about, field=shown, compound=compound, metavar=metavar)


def _option(first: Parameter, compound: Compound) -> Parameter:
    """Return an option that is no field itself; `first` is one of the fields that it fills."""
    field = FieldInfo(annotation=cast("type[Any]", Union[*compound.takes, None]), default=None)
    return Parameter(
        first.within, compound.help, flag="--" + first.within.replace("_", "-"),
        choices=first.choices, in_plan=first.in_plan, recorded=False, metavar=compound.metavar,
        field=field, compound=compound,
    )  # fmt: skip


class Request(BaseModel):
    """Base of all requests: frozen, no unknown key, names checked against their registries.

    `compounds` are the options that fill several fields, by the name of the option: that of a field, or
    a new one. A subclass lists those that it adds.
    """

    compounds: ClassVar[Mapping[str, Compound]] = {}

    model_config = ConfigDict(
        defer_build=True,
        extra="forbid",
        frozen=True,
        arbitrary_types_allowed=True,
        populate_by_name=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _former_names(cls, values: object) -> object:
        """Accept former names, and one value for a list of one."""
        if not isinstance(values, Mapping):
            return values
        known = fields_of(cls)
        renamed: dict[str, str] = {}
        for about in known.values():
            renamed |= dict.fromkeys((*about.aliases, *about.former), about.name)
        found: dict[str, object] = {}
        for name, value in values.items():
            public = renamed.get(str(name), str(name))
            if public in found:
                raise ValueError(f"{name!r} is a former name of {public!r}; give one of them")
            found[public] = value
        found = cls.expand(found)
        for name, value in found.items():
            one = isinstance(value, str | int | float | os.PathLike)
            if one and name in known and known[name].is_list:
                found[name] = [value]
        return found

    @classmethod
    def all_compounds(cls) -> dict[str, Compound]:
        """Return the options that fill several fields: those of the request and of its bases."""
        found: dict[str, Compound] = {}
        for base in reversed(cls.__mro__):
            found |= vars(base).get("compounds", {})
        return found

    @classmethod
    def expand(cls, values: Mapping[str, object]) -> dict[str, object]:
        """Return values with each option that fills several fields replaced by those fields."""
        found = dict(values)
        fields = fields_of(cls)
        for name, compound in cls.all_compounds().items():
            if name not in found:
                continue
            value = found.pop(name)
            if value is None:
                found |= {name: None} if name in fields else {}
                continue
            for field, part in compound.read(value).items():
                if field in found:
                    raise ValueError(f"{field!r} is given twice: alone and within {name!r}")
                found[field] = part
        return found

    def _value(self, public: str) -> object:
        fields = type(self).model_fields
        name = next(n for n, f in fields.items() if (f.alias or n) == public)
        return getattr(self, name)

    @classmethod
    def build(
        cls,
        values: Mapping[str, object],
        *,
        owner: str,
        spelled: Callable[[str], str] = repr,
    ) -> Self:
        """Build a request; a wrong value is one sentence in the words of the surface it came from.

        Parameters
        ----------
        values : mapping of str to object
            Values by public name.
        owner : str
            The function or command that was called, for error messages.
        spelled : callable
            Turns a public name into its spelling on this surface.

        """
        known = parameters(cls)
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = str(first["loc"][0]) if first["loc"] else ""
            if first["type"] == "extra_forbidden":
                raise ParameterError(
                    f"{owner} has no parameter {spelled(name)}.", hint=did_you_mean(name, known)
                ) from None
            if first["type"] == "missing":
                about = known.get(name)
                hint = about.help if about is not None else None
                raise ParameterError(f"{owner} needs {spelled(name)}.", hint=hint) from None
            message = rule_of(first).rstrip(".")
            message, _, hint = message.partition("; ")
            if not name and known:
                # What stands in a choice (`pictures=blank|keep`) is a value, and no parameter of that name.
                named = re.compile(rf"(?<![=|:,])\b({'|'.join(map(re.escape, known))})\b(?![=|])")
                hint = named.sub(lambda m: spelled(m[1]), hint)
            where = f"{spelled(name)} of {owner}" if name else owner
            rule = message.removeprefix("input should be ")
            sentence = f"{where} must be {rule}." if rule != message else f"{where}: {message}."
            raise ParameterError(sentence, hint=hint or None) from None

    def public(self) -> dict[str, object]:
        """Return the values by public name."""
        return {name: self._value(name) for name in fields_of(type(self))}

    def input_files(self) -> list[tuple[str, Path]]:
        """Return (name, path) of every file that the request names; engines add what those name."""
        found = []
        for name, about in fields_of(type(self)).items():
            if about.role in ("data", "file"):
                given = _each(self._value(name))
                found += [(name, Path(v)) for v in given if isinstance(v, str | os.PathLike)]
        return found

    def with_absolute_paths(self, folder: Path) -> Self:
        """Return the same request with its files relative to a folder made absolute."""
        changed: dict[str, object] = {}
        for name, about in fields_of(type(self)).items():
            value = self._value(name)
            if about.role in ("data", "file") and value is not None:
                changed[name] = _map_values(
                    value, lambda v: folder / v if isinstance(v, str | os.PathLike) else v
                )
        return type(self).model_validate({**self.public(), **changed})

    def to_record(self) -> dict[str, JsonValue]:
        """Return the plain form that records keep: files by name only, objects by their own name."""
        found = {}
        for name, about in fields_of(type(self)).items():
            if not about.recorded:
                continue
            is_file = about.role in ("data", "file")
            found[about.record_name] = plain_form(self._value(name), is_file=is_file)
        return found


def _each(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
    elif value is not None:
        yield value


def _map_values(value: object, change: Callable[[object], object]) -> object:
    if isinstance(value, Mapping):
        return {k: change(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [change(v) for v in value]
    return change(value)


def plain_form(value: object, *, is_file: bool) -> JsonValue:
    """Return a value in the plain form that records keep."""
    if (
        is_file
        and isinstance(value, Mapping | list | tuple)
        and not all(v is None or isinstance(v, str | os.PathLike) for v in _each(value))
    ):  # what is given instead of a file: findings, a schema, frames. Its content is not for a record
        return IN_MEMORY
    if isinstance(value, Mapping):
        return {str(k): plain_form(v, is_file=is_file) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_form(v, is_file=is_file) for v in value]
    if isinstance(value, os.PathLike) or (is_file and isinstance(value, str)):
        return Path(value).name
    if value is None or isinstance(value, bool | int | float | str):
        return value
    named = getattr(value, "name", None)
    return named if isinstance(named, str) and not is_file else None
