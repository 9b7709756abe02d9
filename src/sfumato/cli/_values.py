"""Values that several commands read alike: the seed, and lists separated by commas."""

from __future__ import annotations

from typing import Annotated, Any

import typer

__all__ = ["Seed", "names", "numbers"]

Seed = Annotated[int, typer.Option("--seed", help="Seed of all randomness.", min=0)]


def names(text: str) -> list[str]:
    """Split a list.

    >>> names("NAME, PHONE,")
    ['NAME', 'PHONE']
    """
    return [part.strip() for part in text.split(",") if part.strip()]


def numbers(
    text: str,
    option: str,
    kind: type = float,
    *,
    least: int | None = None,
    example: str = "1,10,100",
) -> list[Any]:
    """Split a list of numbers; with `least` there is at least one, and none is smaller.

    >>> numbers("5,8", "--k", int)
    [5, 8]
    """
    from ..core.errors import ParameterError

    try:
        found = [kind(part) for part in names(text)]
    except ValueError:
        found = None
    if found is None or (least is not None and (not found or min(found) < least)):
        what = "whole numbers" if kind is int else "numbers"
        limit = "" if least is None else f" from {least},"
        raise ParameterError(
            f"{option} takes {what}{limit} separated by commas.",
            hint=f"for example {option} {example}.",
        )
    return found
