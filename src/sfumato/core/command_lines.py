"""Requests as commands: the line that repeats a recorded request, and the replacements of former spellings."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from .arguments import number
from .errors import FormerSpellingWarning
from .request import Parameter, Request, fields_of, parameters, plain_form

__all__ = ["command_line", "former_spellings", "warn_of_former"]

Former = tuple[list[str], Parameter, str]


def warn_of_former(
    model: type[Request],
    values: Mapping[str, object],
    *,
    spell: Callable[[str], str] = repr,
    assign: Callable[[Parameter, str], str] = lambda about, text: f"{about.name}={text!r}",
    stacklevel: int = 3,
) -> None:
    """Warn of each name of an earlier version, with the spelling that replaces it.

    Parameters
    ----------
    model : type of Request
        The request.
    values : mapping of str to object
        The values by the names that were given.
    spell : callable
        Turns a name into its spelling on this surface.
    assign : callable
        Turns a parameter and the text of its value into their spelling on this surface.
    stacklevel : int
        Whose line the warning names.

    """
    for names, about, text in former_spellings(model, values):
        now = assign(about, text) if text else spell(about.name)
        former = " and ".join(spell(name) for name in names)
        verb = "is" if len(names) == 1 else "are"
        warnings.warn(
            f"{former} {verb} now written {now}; the former spelling goes in the next version.",
            FormerSpellingWarning,
            stacklevel=stacklevel + 1,
        )


def former_spellings(model: type[Request], values: Mapping[str, object]) -> list[Former]:
    """Return what was given by a former name: those names, the present parameter, its text.

    Parameters
    ----------
    model : type of Request
        The request.
    values : mapping of str to object
        The values by the names that were given.

    """
    fields, shown = fields_of(model), parameters(model)
    used = [name for name, value in values.items() if value is not None]
    found: list[Former] = []
    for about in fields.values():
        names = [name for name in about.former if name in used]
        if names:
            found.append((names, shown.get(about.name, about), ""))
    for name, about in shown.items():
        if about.compound is None:
            continue
        mine = {n: p for n, p in fields.items() if p.within == name}
        names = [n for n, p in mine.items() if n in used and p.warns]
        if names:
            known = {n: values[n] for n in (*mine, name) if n in values}
            text, covered = about.compound.write(known)
            if not covered.issuperset(names):  # the name that takes these arguments was not given
                text = about.compound.example(names[0])
            found.append((names, about, text))
    return found


def _words_of(about: Parameter, value: JsonValue) -> list[str]:
    """Return the words of a command that give one parameter its value."""
    if about.is_flag:
        return [about.flag] if value else []
    if isinstance(value, dict):
        return [about.flag, ",".join(f"{k}={number(v)}" for k, v in value.items())]
    if isinstance(value, list) and about.role == "file":
        return [word for v in value for word in (about.flag, number(v))]
    if isinstance(value, list):
        return [about.flag, ",".join(number(v) for v in value)]
    return [about.flag, number(value)]


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
    changed: dict[str, JsonValue] = {}
    fields = fields_of(model)
    for name, about in fields.items():
        value = record.get(about.record_name)
        if about.role == "data":
            positional.append(name.upper() if value is None else number(value))
        elif value != plain_form(about.default, is_file=about.role == "file") and value is not None:
            changed[name] = value
    for name, about in parameters(model).items():
        if about.compound is not None:
            mine = {n: v for n, v in changed.items() if n == name or fields[n].within == name}
            text, covered = about.compound.write(mine)
            if text and covered:
                options += [about.flag, text]
                changed = {n: v for n, v in changed.items() if n not in covered}
        if name in changed:
            options += _words_of(about, changed.pop(name))
    for name, value in changed.items():
        about = fields[name]
        if about.within in fields and about.role == "file" and isinstance(value, dict):
            flag = fields[about.within].flag
            options += [word for k, v in value.items() for word in (flag, f"{k}={number(v)}")]
        else:
            options += _words_of(about, value)
    if out is not None:
        options += ["--out", out]
    return shlex.join([*words, *positional, *options])
