"""Commands made from requests: each parameter becomes an option, each "data" parameter an argument.

Options are read as text and handed to the request, which checks them: types, defaults and choices are
declared there and nowhere else. An option that was not given stays unset, so that the request's own
default applies.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

import typer

from ..core.engine import Call
from ..core.errors import ParameterError
from ..core.request import Parameter, Request, fields_of, parameters
from ._running import Console, running

__all__ = ["Given", "make_command"]

Writes = Literal["required", "optional", "inside", "no"]
Made = TypeVar("Made", bound=Request)
_ONLY = inspect.Parameter.KEYWORD_ONLY
Slots = dict[str, tuple[type[Request], Parameter, str]]
"""By slot of a command: the request, the parameter, and the name by which it was given."""


class Given:
    """The values that were given on the command line, by request model."""

    def __init__(self, command: str, values: Mapping[type[Request], dict[str, object]]) -> None:
        self.command, self.values = command, values

    def build(self, model: type[Made]) -> Made:
        """Return the request, or report what is wrong in terms of the command line."""
        from ..core.command_lines import warn_of_former

        shown = parameters(model)
        flags = {name: p.flag for name, p in (fields_of(model) | shown).items()}
        for about in fields_of(model).values():
            flags |= {former: _flag(former) for former in about.former}

        def spelled(name: str) -> str:
            within = fields_of(model)[name].within if name in fields_of(model) else ""
            compound = shown[within].compound if within else None
            return flags.get(name, name) if compound is None else f"{flags[within]} {compound.example(name)}"  # fmt: skip

        values = self.values[model]
        warn_of_former(
            model,
            values,
            spell=lambda name: flags.get(name, name),
            assign=lambda about, text: shlex.join([about.flag, text]),
        )
        return model.build(values, owner=self.command, spelled=spelled)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _default(about: Parameter) -> str | bool:
    """Return a default as it would be typed; False where there is none to show."""
    value = about.default
    if value is None or value in ([], {}, "") or about.is_flag:
        return False
    if isinstance(value, list | tuple):
        return ",".join(f"{v:g}" if isinstance(v, float) else str(v) for v in value)
    return str(value)


def _help(about: Parameter) -> str:
    words = about.help
    if about.choices is not None:
        words = f"{words.rstrip('.')}: {', '.join(about.names)}."
    return words


def _metavar(about: Parameter) -> str:
    word = {int: "INT", float: "NUMBER"}.get(
        about.scalar, "FILE" if about.role == "file" else "TEXT"
    )
    if about.is_mapping:
        return f"NAME={word},…"
    return f"{word},…" if about.is_list and about.role == "option" else word


def _option(about: Parameter, flag: str, *, hidden: bool) -> object:
    if about.is_flag:
        return Annotated[bool | None, typer.Option(flag, help=_help(about), hidden=hidden, show_default=False)]  # fmt: skip
    many = about.is_list or about.is_mapping
    given = typer.Option(
        flag,
        help=_help(about)
        + (
            f" Repeatable{', or separated by commas' if about.role == 'option' else ''}."
            if many
            else ""
        ),
        hidden=hidden,
        metavar=about.metavar or _metavar(about),
        show_default=_default(about),
    )
    # Numbers are text until the request reads them, which says what is wrong with one in its own words.
    return Annotated[list[str] | None if many else str | None, given]


def _argument(about: Parameter, *, optional: bool = False) -> object:
    given = typer.Argument(
        metavar=about.metavar or about.name.upper() + ("…" if about.is_list else ""),
        help=_help(about),
        show_default=False,
    )
    kind = list[str] if about.is_list else str
    return Annotated[kind | None, given] if optional else Annotated[kind, given]


def _split(about: Parameter, given: Sequence[str]) -> list[object]:
    """Split repeated options at commas; files are repeated only, since a name may hold a comma."""
    parts = (
        list(given)
        if about.role != "option"
        else [part.strip() for value in given for part in value.split(",") if part.strip()]
    )
    try:
        return [about.scalar(part) for part in parts]
    except ValueError:
        kind = "whole numbers" if about.scalar is int else "numbers"
        raise ParameterError(
            f"{about.flag} takes {kind} separated by commas.",
            hint=f"for example {about.flag} 1,10.",
        ) from None


def _mapping(about: Parameter, given: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for part in (part for value in given for part in value.split(",") if part.strip()):
        key, equals, value = part.partition("=")
        try:
            if not (equals and key.strip() and value.strip()):
                raise ValueError
            found[key.strip()] = about.scalar(value.strip())
        except ValueError:
            raise ParameterError(
                f"{about.flag} takes KEY=VALUE pairs separated by commas."
            ) from None
    return found


def _value(about: Parameter, given: Any) -> object:
    if about.is_mapping:
        return _mapping(about, given)
    return _split(about, given) if about.is_list else given


_SHARED: dict[str, tuple[object, bool]] = {
    "force": (Annotated[bool, typer.Option("--force", help="Replace an output of sfumato that exists.")], False),
    "quiet": (Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")], False),
    "as_json": (Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")], False),
    "debug": (Annotated[bool, typer.Option("--debug", hidden=True)], False),
}  # fmt: skip


def _signature(
    models: Sequence[type[Request]], *, writes: Writes, out_help: str
) -> tuple[Slots, inspect.Signature]:
    """Return which slot of a command is which parameter, and the signature that typer reads."""
    slots: Slots = {}
    arguments: list[inspect.Parameter] = []
    options: list[inspect.Parameter] = []

    def option(
        slot: str,
        model: type[Request],
        about: Parameter,
        flag: str,
        *,
        hidden: bool,
        name: str = "",
    ) -> None:
        slots[slot] = (model, about, name or about.name)
        kind = _option(about, flag, hidden=hidden)
        options.append(inspect.Parameter(slot, _ONLY, default=None, annotation=kind))

    optional = (
        False  # what follows an argument that may be left out may be, too: the request asks for it
    )
    for position, model in enumerate(models):
        shown = parameters(model)
        for about in (shown | {n: p for n, p in fields_of(model).items() if p.within}).values():
            slot = f"p{position}_{about.name}"
            if about.role == "data":
                slots[slot] = (model, about, about.name)
                optional = optional or not about.required
                default = None if optional else inspect.Parameter.empty
                kind = _argument(about, optional=optional)
                arguments.append(inspect.Parameter(slot, _ONLY, default=default, annotation=kind))
                continue
            option(slot, model, about, about.flag, hidden=bool(about.within))
            for other in (*about.aliases, *about.former):
                if _flag(other) != about.flag:
                    name = other if other in about.former else ""
                    option(f"{slot}__{other}", model, about, _flag(other), hidden=True, name=name)
    if writes in ("required", "optional"):
        given = Annotated[str | None, typer.Option("--out", help=out_help)]
        options.append(inspect.Parameter("out", _ONLY, default=None, annotation=given))
    options += [
        inspect.Parameter(name, _ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in _SHARED.items()
        if name != "force" or writes != "no"
    ]
    return slots, inspect.Signature([*arguments, *options])


def make_command(
    command: str,
    help: str,  # noqa: A002 (as everywhere on a command line)
    models: Sequence[type[Request]],
    body: Callable[[Given, Call, Console], None],
    *,
    writes: Writes = "required",
    out_help: str = "Folder for the result.",
    label: str = "",
) -> Callable[..., None]:
    """Return a function that typer takes for a command.

    Parameters
    ----------
    command : str
        The words of the command, for messages.
    help : str
        One line about it.
    models : sequence of Request types
        Whose parameters become arguments and options, in this order.
    body : callable
        What the command does.
    writes : {"required", "optional", "inside", "no"}
        Whether the command takes --out, adds to a folder that it is given, or writes nothing.
    out_help : str
        What --out names.
    label : str
        What the progress bar is called; the last word of the command by default.

    """
    slots, signature = _signature(models, writes=writes, out_help=out_help)

    def run(**given: Any) -> None:
        from pathlib import Path

        shared = {name: given.pop(name, default) for name, (_, default) in _SHARED.items()}
        force, quiet = bool(shared["force"]), bool(shared["quiet"])
        with running(
            quiet=quiet, as_json=bool(shared["as_json"]), debug=bool(shared["debug"])
        ) as console:
            out = given.pop("out", None)
            if out is None and writes == "required":
                raise ParameterError(f"{command} needs --out.", hint=out_help)
            values: dict[type[Request], dict[str, object]] = {model: {} for model in models}
            for slot, value in given.items():
                model, about, name = slots[slot]
                if value is not None and value != []:
                    if name in values[model]:
                        raise ParameterError(f"{command} got {about.flag} under two names.")
                    values[model][name] = _value(about, value)
            with console.progress(label or command.rsplit(maxsplit=1)[-1]) as step:
                call = Call(None if out is None else Path(out), force, console.say, step)
                body(Given(command, values), call, console)

    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    run.__doc__ = help
    run.__name__ = command.rsplit(maxsplit=1)[-1].replace("-", "_")
    return run
