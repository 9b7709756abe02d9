"""One parameter of a request: how it is declared, and how it appears to people."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import AfterValidator, Field
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from .arguments import Compound
from .errors import did_you_mean

__all__ = ["Parameter", "Role", "parameter"]

Role = Literal["data", "file", "option"]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Parameter:
    """How one field of a request appears to people.

    `role` is "data" for the input that a verb is about (the positional argument of the command line),
    "file" for any other input that is read from disk, "option" for all else. `aliases` are other names
    that are accepted but not shown; `former` are names of an earlier version, accepted with a warning.
    `within` is the option whose value carries this field (`k` in `--risk small-groups:5`): the field is
    then not shown on its own, and `warns` says whether its own name is one of an earlier version.
    `on_page` says whether the local page offers it where a release is published.
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
    former: tuple[str, ...] = ()
    within: str = ""
    warns: bool = True
    record_as: str = ""
    on_page: bool = False
    compound: Compound | None = None

    @property
    def record_name(self) -> str:
        """The name in records, which keep the first name that a parameter had."""
        return self.record_as or self.name

    @property
    def names(self) -> list[str]:
        """What a value may be, each with its arguments; empty where it is not one of a few names."""
        known = [] if self.choices is None else list(self.choices())
        if self.compound is None or self.compound.metavar:  # which shows the form of all at once
            return known
        return [self.compound.form(name) for name in known]

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
    former: Sequence[str] = (),
    within: str = "",
    warns: bool = True,
    record_as: str = "",
    on_page: bool = False,
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
        Other names of the field, accepted and not shown.
    in_plan : bool
        Whether the key may appear in a plan.
    recorded : bool
        Whether records keep the value; not where it changes how the work is done and nothing else.
    metavar : str
        The placeholder of the value in help texts.
    former : sequence of str
        Names of an earlier version, accepted with a warning.
    within : str
        The option whose value carries this field; see `Request.compounds`.
    warns : bool
        Whether a field within another option warns when it is given by its own name.
    record_as : str
        The name in records, where the parameter was renamed.
    on_page : bool
        Whether the local page offers it where a release is published.
    **field
        Constraints of `pydantic.Field` (ge, le, min_length, alias, …).

    """
    about: Any = {"parameter": {"help": help, "role": role, "flag": flag, "choices": choices,
                           "aliases": tuple(aliases), "in_plan": in_plan, "recorded": recorded, "metavar": metavar,
                           "former": tuple(former), "within": within, "warns": warns, "record_as": record_as,
                           "on_page": on_page}}  # fmt: skip
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
