"""Types of parameters that take more than plain values: how a type checker and a help text show them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["InputType"]


@dataclass(frozen=True, slots=True)
class InputType:
    """A note in an annotation that says what a parameter takes, where it is checked by the engine itself.

    Requests hold such values as they are given: `Annotated[object, InputType(...)]` at run time, the type
    alias of the same name for a type checker.

    >>> InputType("TableInput", "path or frame").words
    'path or frame'
    """

    name: str
    """The type alias that a type checker reads, a name of `module`."""
    words: str
    """The type as a docstring shows it."""
    module: str = "sfumato.data.inputs"
