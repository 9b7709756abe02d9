"""The command line; each verb loads its engine only when it is called.

`app` holds every command. The console script builds less: only the group that was called is filled, because
reading the options of all commands takes longer than all else that `sfumato --help` does.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from importlib import import_module
from typing import Annotated, Any

import typer

from .._version import __version__
from . import run
from .report import report

__all__ = ["GROUPS", "app", "build", "main"]

GROUPS = {
    "text": "Documents: redact what is sensitive until what is left cannot be found.",
    "tables": "Generalise a table: explore risk against usefulness, choose a policy, publish.",
    "baskets": "Sparse 0/1 rows: choose features that hide every person among k.",
}


def _version(value: bool) -> None:
    if value:
        typer.echo(f"sfumato {__version__}")
        raise typer.Exit


def _root(
    _show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    limit: Annotated[
        list[str] | None,
        typer.Option(help="Raise a limit of the readers, such as columns=20000; repeatable."),
    ] = None,
) -> None:
    if limit:
        from ..data.limits import Limits, set_limits
        from ._running import running

        with running():
            set_limits(Limits().raised(limit))


def build(filled: Collection[str] = tuple(GROUPS)) -> typer.Typer:
    """Build the commands, with the groups that are to be filled."""
    made = typer.Typer(
        name="sfumato",
        help="Publish data safely: explore risk against usefulness, choose, publish, attack, report.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,  # plain help starts in half the time
        pretty_exceptions_enable=False,
    )
    made.callback()(_root)
    for command in (run.demo, run.samples, run.run, report):
        made.command()(command)
    for name, told in GROUPS.items():
        if name in filled:
            made.add_typer(import_module(f".{name}", __name__).app, name=name)
        else:
            empty = typer.Typer(help=told)
            empty.callback()(lambda: None)
            made.add_typer(empty, name=name)
    return made


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return build()


def main() -> None:
    """Run the console script."""
    called = next(
        (word for word in sys.argv[1:] if not word.startswith("-") and "=" not in word), ""
    )
    build([called])()
