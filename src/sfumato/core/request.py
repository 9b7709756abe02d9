"""Requests: every parameter of a verb, once, with its type, default, choices and one line of help.

Command-line options, plan keys, Python keyword arguments, the fingerprint of a run, the reference page
and the printed "how to repeat it" are all derived from these models; nothing restates them.
"""

from __future__ import annotations

import os
import re
import shlex
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from .errors import ParameterError, did_you_mean

__all__ = ["Parameter", "Request", "command_line", "parameter", "parameters"]

Role = Literal["data", "file", "option"]
Value = TypeVar("Value")
IN_MEMORY = "(in memory)"
"""What a record holds for an input that was given as an object instead of a file."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """How one field of a request appears to people.

    `role` is "data" for the input that a verb is about (the positional argument of the command line),
    "file" for any other input that is read from disk, "option" for all else. `aliases` are former names,
    still accepted but not shown.
    """

    name: str
    help: str
    role: Role = "option"
    flag: str = ""
    choices: Callable[[], Iterable[str]] | None = None
    aliases: tuple[str, ...] = ()
    in_plan: bool = True
    recorded: bool = True
    metavar: str | None = None
    field: FieldInfo | None = None

    @property
    def required(self) -> bool:
        return self.field is not None and self.field.is_required()

    @property
    def default(self) -> object:
        """Return the default value, or None where one must be given."""
        if self.field is None or self.field.is_required():
            return None
        found = self.field.get_default(call_default_factory=True)
        return None if found is PydanticUndefined else found

    @property
    def plain(self) -> tuple[object, ...]:
        """Return the alternatives of the annotation, without None and `Annotated`."""
        return tuple(_alternatives(self.field.annotation)) if self.field is not None else ()

    @property
    def is_list(self) -> bool:
        return any(get_origin(a) in (list, tuple, set, frozenset) for a in self.plain)

    @property
    def is_mapping(self) -> bool:
        return any(get_origin(a) is dict for a in self.plain)

    @property
    def is_flag(self) -> bool:
        return self.plain == (bool,)

    @property
    def scalar(self) -> type:
        """Return the type of one value as the command line reads it: int, float or str."""
        inner: list[object] = []
        for alternative in self.plain:
            args = [a for a in get_args(alternative) if a is not Ellipsis]
            inner += [b for a in (args[-1:] or [alternative]) for b in _alternatives(a)]
        if inner and all(a is int for a in inner):
            return int
        return float if inner and all(a in (int, float) for a in inner) else str


def _alternatives(annotation: object) -> Iterator[object]:
    if get_origin(annotation) is Annotated:
        yield from _alternatives(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from _alternatives(part)
    elif annotation is not type(None):
        yield annotation


def parameter(
    default: object = ...,
    *,
    help: str,  # noqa: A002 (the word of every command line)
    role: Role = "option",
    flag: str = "",
    choices: Callable[[], Iterable[str]] | None = None,
    aliases: Sequence[str] = (),
    in_plan: bool = True,
    recorded: bool = True,
    metavar: str | None = None,
    **field: Any,
) -> Any:
    """Declare a field of a request.

    Parameters
    ----------
    default : object
        The default; `...` where a value must be given. Lists and mappings are copied per request.
    help : str
        One line that says what the parameter does.
    role : {"data", "file", "option"}
        Whether the value is the input itself, another file that is read, or neither.
    flag : str
        The option's name where it is not the field's own ("--label" for `labels`).
    choices : callable
        Returns the allowed names, usually a registry; asked when a value is checked or help is shown.
    aliases : sequence of str
        Former names of the field, accepted for one version.
    in_plan : bool
        Whether the key may stand in a plan.
    recorded : bool
        Whether records keep the value; not where it changes how the work is done and nothing else.
    metavar : str
        The placeholder of the value in help texts.
    **field
        Constraints of `pydantic.Field` (ge, le, min_length, alias, …).

    """
    about: Any = {"parameter": {"help": help, "role": role, "flag": flag, "choices": choices,
                           "aliases": tuple(aliases), "in_plan": in_plan, "recorded": recorded, "metavar": metavar}}  # fmt: skip
    if isinstance(default, list | dict):
        made = Field(default_factory=default.copy, json_schema_extra=about, **field)
    else:
        made = Field(default, json_schema_extra=about, **field)
    if choices is not None:
        made.metadata.append(AfterValidator(partial(_among, choices)))
    return made


def _among(choices: Callable[[], Iterable[str]], value: Value) -> Value:
    """Return a value whose names are all known; objects of a caller's own pass as they are."""
    known = list(choices())
    for one in value if isinstance(value, list | tuple) else [value]:
        if isinstance(one, str) and one not in known:
            raise ValueError(f"there is no {one!r}; {did_you_mean(one, known)}")
    return value


def parameters(model: type[Request]) -> dict[str, Parameter]:
    """Return the parameters of a request by their public names, in their order."""
    found = {}
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra
        about: Any = extra.get("parameter") if isinstance(extra, Mapping) else None
        if about is not None:
            public = field.alias or name
            flag = about["flag"] or "--" + public.replace("_", "-")
            found[public] = Parameter(public, field=field, **{**about, "flag": flag})
    return found


class Request(BaseModel):
    """Base of all requests: frozen, no unknown key, names checked against their registries."""

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
        known = parameters(cls)
        renamed: dict[str, str] = {}
        for about in known.values():
            renamed |= dict.fromkeys(about.aliases, about.name)
        found: dict[str, object] = {}
        for name, value in values.items():
            public = renamed.get(str(name), str(name))
            if public in found:
                raise ValueError(f"{name!r} is a former name of {public!r}; give one of them")
            one = isinstance(value, str | int | float | os.PathLike)
            found[public] = [value] if one and public in known and known[public].is_list else value
        return found

    def _value(self, public: str) -> object:
        fields = type(self).model_fields
        name = next(n for n, f in fields.items() if (f.alias or n) == public)
        return getattr(self, name)

    @classmethod
    def made(
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
            first = error.errors(include_url=False, include_input=False)[0]
            name = str(first["loc"][0]) if first["loc"] else ""
            if first["type"] == "extra_forbidden":
                raise ParameterError(
                    f"{owner} has no parameter {spelled(name)}.", hint=did_you_mean(name, known)
                ) from None
            if first["type"] == "missing":
                about = known.get(name)
                hint = about.help if about is not None else None
                raise ParameterError(f"{owner} needs {spelled(name)}.", hint=hint) from None
            message = first["msg"].removeprefix("Value error, ")
            message = message[:1].lower() + message[1:].rstrip(".")
            message, _, hint = message.partition("; ")
            if not name and known:
                named = re.compile(rf"\b({'|'.join(map(re.escape, known))})\b")
                hint = named.sub(lambda m: spelled(m[1]), hint)
            where = f"{spelled(name)} of {owner}" if name else owner
            rule = message.removeprefix("input should be ")
            told = f"{where} must be {rule}." if rule != message else f"{where}: {message}."
            raise ParameterError(told, hint=hint or None) from None

    def public(self) -> dict[str, object]:
        """Return the values by public name."""
        return {name: self._value(name) for name in parameters(type(self))}

    def input_files(self) -> list[tuple[str, Path]]:
        """Return (name, path) of every file that the request names; engines add what those name."""
        found = []
        for name, about in parameters(type(self)).items():
            if about.role in ("data", "file"):
                given = _each(self._value(name))
                found += [(name, Path(v)) for v in given if isinstance(v, str | os.PathLike)]
        return found

    def resolved(self, folder: Path) -> Self:
        """Return the same request with its files relative to a folder made absolute."""
        changed: dict[str, object] = {}
        for name, about in parameters(type(self)).items():
            value = self._value(name)
            if about.role in ("data", "file") and value is not None:
                changed[name] = _mapped(
                    value, lambda v: folder / v if isinstance(v, str | os.PathLike) else v
                )
        return type(self).model_validate({**self.public(), **changed})

    def to_record(self) -> dict[str, JsonValue]:
        """Return the plain form that records keep: files by name only, objects by their own name."""
        found = {}
        for name, about in parameters(type(self)).items():
            if not about.recorded:
                continue
            is_file = about.role in ("data", "file")
            found[name] = _recorded(self._value(name), is_file=is_file)
        return found


def _each(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
    elif value is not None:
        yield value


def _mapped(value: object, change: Callable[[object], object]) -> object:
    if isinstance(value, Mapping):
        return {k: change(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [change(v) for v in value]
    return change(value)


def _recorded(value: object, *, is_file: bool) -> JsonValue:
    if (
        is_file
        and isinstance(value, Mapping | list | tuple)
        and not all(v is None or isinstance(v, str | os.PathLike) for v in _each(value))
    ):  # what stands in for a file: findings, a schema, frames. Its content is not for a record
        return IN_MEMORY
    if isinstance(value, Mapping):
        return {str(k): _recorded(v, is_file=is_file) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_recorded(v, is_file=is_file) for v in value]
    if isinstance(value, os.PathLike) or (is_file and isinstance(value, str)):
        return Path(value).name
    if value is None or isinstance(value, bool | int | float | str):
        return value
    named = getattr(value, "name", None)
    return named if isinstance(named, str) and not is_file else None


def _spelled(about: Parameter, value: JsonValue) -> list[str]:
    """Return the words of a command that give one parameter its value."""
    if about.is_flag:
        return [about.flag] if value else []
    if isinstance(value, dict):
        return [about.flag, ",".join(f"{k}={_word(v)}" for k, v in value.items())]
    if isinstance(value, list) and about.role == "file":
        return [word for v in value for word in (about.flag, _word(v))]
    if isinstance(value, list):
        return [about.flag, ",".join(_word(v) for v in value)]
    return [about.flag, _word(value)]


def _word(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) and value == int(value) else str(value)


def command_line(
    words: Sequence[str],
    model: type[Request],
    record: Mapping[str, JsonValue],
    *,
    out: str | None = None,
) -> str:
    """Return the command that repeats a recorded request; values left at their defaults are not shown.

    Parameters
    ----------
    words : sequence of str
        The first words, for example ("sfumato", "tables", "explore").
    model : type of Request
        The request that was recorded.
    record : mapping
        What `Request.to_record` returned.
    out : str
        The value of --out, where the command has one.

    """
    positional: list[str] = []
    options: list[str] = []
    for name, about in parameters(model).items():
        value = record.get(name)
        if about.role == "data":
            positional.append(name.upper() if value is None else _word(value))
        elif value != _recorded(about.default, is_file=about.role == "file") and value is not None:
            options += _spelled(about, value)
    if out is not None:
        options += ["--out", out]
    return shlex.join([*words, *positional, *options])
