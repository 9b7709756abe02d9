"""How the parameters of a request look in Python: signatures, and docstrings in numpydoc's form.

Names, types, defaults, choices and help come from the requests; nothing is restated.
"""

from __future__ import annotations

import inspect
import os
import textwrap
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, Union, get_args, get_origin

from .core.input_types import InputType
from .core.request import Parameter

__all__ = ["EMPTY", "FunctionArgument", "docstring", "marker", "signature", "type_words"]

EMPTY = inspect.Parameter.empty
_WIDTH = 92
_LISTED = 8
"""Up to this number of choices, the type lists them as a set; more are listed in the help."""


@dataclass(frozen=True)
class FunctionArgument:
    """One argument of a function: a parameter of a request, or one that every engine has."""

    name: str
    words: str
    """The type in a docstring."""
    help: str
    default: object = EMPTY
    positional: bool = False
    hint: str = ""
    """The annotation in a stub; that of `about` where it is empty."""
    classes: tuple[type, ...] = ()
    """The classes that `hint` names."""
    about: Parameter | None = field(default=None, compare=False)

    @classmethod
    def of(cls, name: str, about: Parameter) -> FunctionArgument:
        """Return the argument of a request's parameter under its name in Python."""
        return cls(
            name,
            type_words(about),
            _help(about),
            EMPTY if about.required else about.default,
            positional=about.role == "data",
            about=about,
        )


def marker(metadata: Iterable[object]) -> InputType | None:
    """Return the note that says what a parameter takes, where an annotation has one."""
    return next((note for note in metadata if isinstance(note, InputType)), None)


def _words(annotation: object) -> list[str]:
    """Return the alternatives of an annotation as a docstring names them."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        noted = marker(args[1:])
        return _words(args[0]) if noted is None else [noted.words]
    if origin in (Union, types.UnionType):
        found = [word for part in args if part is not type(None) for word in _words(part)]
        return [w for w in dict.fromkeys(found) if w != "str" or "path" not in found]
    if origin is Literal:
        return [repr(value) for value in args]
    if origin in (list, tuple, set, frozenset, Sequence):
        return [f"list of {_either(_words(args[0]))}"]
    if origin in (dict, Mapping):
        return [f"dict of {_either(_words(args[0]))} to {_either(_words(args[1]))}"]
    kind = origin or annotation
    if isinstance(kind, type) and issubclass(kind, os.PathLike):
        return ["path"]
    return [kind.__name__ if isinstance(kind, type) else "object"]


def _either(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _choices(about: Parameter) -> list[str]:
    return about.names


def type_words(about: Parameter) -> str:
    """Return the type of a parameter, and its default, in numpydoc's words."""
    assert about.field is not None
    noted = marker(about.field.metadata)
    annotation = about.field.annotation
    words = _words(annotation) if noted is None else [noted.words]
    literals = [word for word in words if word.startswith("'")]
    if literals == words:
        words = [f"{{{', '.join(literals)}}}"]
    known = _choices(about)
    if 0 < len(known) <= _LISTED and not about.is_list:
        words = [f"{{{', '.join(map(repr, known))}}}", *(w for w in words if w != "str")]
    found = _either(words)
    if about.required:
        return found
    return f"{found}, optional" if about.default is None else f"{found}, default={about.default!r}"


def _help(about: Parameter) -> str:
    known = _choices(about)
    if not known or (len(known) <= _LISTED and not about.is_list):
        return about.help
    return f"{about.help} One of {', '.join(known)}."


def signature(arguments: Sequence[FunctionArgument]) -> inspect.Signature:
    """Return a signature: data by position, everything else by name, required ones first."""
    kinds = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    found = [inspect.Parameter(a.name, kinds[a.positional], default=a.default) for a in arguments]
    return inspect.Signature(
        sorted(
            found, key=lambda p: (p.kind is p.KEYWORD_ONLY, p.default is not EMPTY)
        )  # sorting is stable: otherwise the order of the request
    )


def docstring(
    summary: str, arguments: Sequence[FunctionArgument], returns: tuple[str, str], example: str = ""
) -> str:
    """Return a docstring in numpydoc's form.

    Parameters
    ----------
    summary : str
        The first line.
    arguments : sequence of Argument
        The parameters; they are listed in the order of the signature.
    returns : (str, str)
        What comes back: its type, and one sentence.
    example : str
        A doctest, if there is one.

    """
    by_name = {argument.name: argument for argument in arguments}
    lines = [summary, "", "Parameters", "----------"]
    for name in signature(arguments).parameters:
        lines += [f"{name} : {by_name[name].words}", *_wrap(by_name[name].help)]
    lines += ["", "Returns", "-------", returns[0], *_wrap(returns[1])]
    if example:
        lines += ["", "Examples", "--------", *textwrap.dedent(example).strip().splitlines()]
    return "\n".join([*lines, ""])


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="    ", subsequent_indent="    ")
