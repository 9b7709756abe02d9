"""The command line: a few commands of its own, and a group for each engine that is installed.

`app` holds every command. The console script builds only the group that was called, because reading the
options of all commands takes longer than everything else that `sfumato --help` does.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Annotated

import typer

from .._version import __version__
from . import run
from ._running import DEBUG, running
from .report import report
from .serve import serve

__all__ = ["app", "build", "main"]


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
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error, which may hold data.")
    ] = False,
) -> None:
    DEBUG.set(debug)
    if limit:
        from ..data.limits import Limits, set_limits

        with running():
            set_limits(Limits().raised(limit))


def build(only: Collection[str] = ()) -> typer.Typer:
    """Build the commands.

    Parameters
    ----------
    only : collection of str
        The first words of a command line: only the engine that they name is built with its commands.

    """
    from ..core.engine import ENGINES

    made = typer.Typer(
        name="sfumato",
        help="Publish data safely: explore risk against utility, choose, publish, attack, report.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,  # plain help starts in half the time
        pretty_exceptions_enable=False,
    )
    made.callback()(_root)
    own = (run.demo, run.samples, run.run, report, serve)
    for command in own:
        made.command()(command)
    if any(command.__name__ in only for command in own):
        return made
    for name in [name for name in ENGINES if name in only] or ENGINES:
        engine = ENGINES[name]
        if only and name not in only:  # the root's help lists the groups by their summaries
            group = typer.Typer(help=engine.summary)
            group.callback()(lambda: None)
        else:
            from ._engines import engine_app

            group = engine_app(engine)
        made.add_typer(group, name=name)
    return made


def __getattr__(name: str) -> typer.Typer:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return build()


def main() -> None:
    """Run the console script."""
    called = next(
        (word for word in sys.argv[1:] if not word.startswith("-") and "=" not in word), ""
    )
    build([called])()
