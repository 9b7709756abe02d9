"""What all engines ask alike on the command line: which candidate, and where the work is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..core.plan import Choice

__all__ = [
    "Choose",
    "ComputeEngine",
    "Dominates",
    "Knee",
    "MaxRisk",
    "MinUtility",
    "Threads",
    "choice",
]

Choose = Annotated[str | None, typer.Option("--choose", help="Id of a candidate.")]
MaxRisk = Annotated[
    float | None, typer.Option("--max-risk", help="The most useful candidate within this risk.")
]
MinUtility = Annotated[
    float | None, typer.Option("--min-utility", help="The safest candidate above this utility.")
]
Knee = Annotated[bool, typer.Option("--knee", help="The candidate at the knee of the frontier.")]
Dominates = Annotated[
    str | None,
    typer.Option("--dominates", help="The safest candidate better than a reference, by its name."),
]
ComputeEngine = Annotated[
    str, typer.Option("--engine", help="Where the work is done: local or spark.")
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", help="Threads of this machine (default: all cores).", min=1),
]


def choice(
    *,
    choose: str | None = None,
    ratio: float | None = None,
    max_risk: float | None = None,
    min_utility: float | None = None,
    knee: bool = False,
    dominates: str | None = None,
) -> Choice:
    """Make the choice that the options say, or explain how to choose."""
    from pydantic import ValidationError

    from ..core.errors import ParameterError
    from ..core.plan import Choice

    try:
        return Choice(
            id=choose,
            ratio=ratio,
            max_risk=max_risk,
            min_utility=min_utility,
            knee=knee,
            dominates=dominates,
        )
    except ValidationError:
        raise ParameterError(
            "A candidate is chosen in exactly one way, by shares between 0 and 1.",
            hint="give --choose ID, --max-risk and/or --min-utility, --dominates NAME, or --knee (text: --ratio).",
        ) from None
