"""One function of the front door: what it takes, how a call is checked, and how it reports progress."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from ._signatures import EMPTY, FunctionArgument, docstring, signature
from .core.engine import Progress, no_progress
from .core.errors import ParameterError, did_you_mean

__all__ = ["Arguments", "Operation", "show_progress"]

_FORMER_POSITIONS = {"tables.explore": ("schema", "population"), "baskets.explore": ("labels",)}
"""What could be given by position after the data in 0.1; accepted for one version."""
Arguments: TypeAlias = dict[str, Any]
"""What a function was called with, by name; requests check the values."""


@dataclass(frozen=True)
class Operation:
    """One function of an engine: what it takes, what it returns, and what it does with the values."""

    owner: str
    """The name of the function in messages, for example "text.explore"."""
    summary: str
    arguments: tuple[FunctionArgument, ...]
    returns: type | None
    """The class that comes back; a plain dict where it is None."""
    returned: str
    """What comes back, in a sentence."""
    run: Callable[[Arguments], object]
    accepted: frozenset[str] = frozenset()
    """Further names that are accepted: former names of parameters."""
    example: str = ""

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.owner.rpartition(".")[2]

    @property
    def returned_type(self) -> str:
        """The name of what comes back."""
        return "dict" if self.returns is None else self.returns.__name__

    def function(self) -> Callable[..., object]:
        """Return the function, with its signature and its docstring."""
        shown = signature(self.arguments)

        def call(*args: object, **given: object) -> object:
            return self.run(self._values(args, given))

        call.__name__ = call.__qualname__ = self.name
        call.__module__ = f"sfumato.{self.owner.partition('.')[0]}"
        call.__signature__ = shown  # type: ignore[attr-defined]
        returns = (self.returned_type, self.returned)
        call.__doc__ = docstring(self.summary, self.arguments, returns, self.example)
        return call

    def _values(self, args: Sequence[object], given: Mapping[str, object]) -> Arguments:
        """Return the values by name; a call that does not fit is one sentence with a hint."""
        names = [argument.name for argument in self.arguments]
        positional = [argument.name for argument in self.arguments if argument.positional]
        for name in given:
            if name not in names and name not in self.accepted:
                raise ParameterError(
                    f"{self.owner} has no parameter {name!r}.", hint=did_you_mean(name, names)
                )
        former = _FORMER_POSITIONS.get(self.owner, ())[: max(0, len(args) - len(positional))]
        for name in former:
            warnings.warn(
                f"{self.owner} takes {name} by name: {name}=…; by position it goes in the next version.",
                FutureWarning,
                stacklevel=3,
            )
        positional += former
        if len(args) > len(positional):
            raise ParameterError(
                f"{self.owner} takes {' and '.join(positional)} by position, and everything else by name.",
                hint=f"see help(sfumato.{self.owner}).",
            )
        values = dict(zip(positional, args, strict=False))
        for name in values.keys() & given.keys():
            raise ParameterError(f"{self.owner} got {name!r} twice.")
        values |= given
        for argument in self.arguments:
            if argument.default is EMPTY and argument.name not in values and argument.about is None:
                raise ParameterError(f"{self.owner} needs {argument.name!r}.", hint=argument.help)
        return values


@contextmanager
def show_progress(progress: Progress | bool | None, label: str) -> Iterator[Progress]:
    """Yield what a verb reports to: a callable as it is, a bar for True, nothing for None."""
    if progress is True:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                   TextColumn("{task.fields[note]}"))  # fmt: skip
        with Bar(*columns, transient=True) as bar:
            task = bar.add_task(label, total=None, note="")

            def advance(steps: int = 1, *, total: int | None = None, note: str = "") -> None:
                bar.update(task, total=total, advance=steps, note=note)

            yield advance
    else:
        yield progress or no_progress
