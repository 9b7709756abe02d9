"""The command line: a few general commands, and a group for each engine that is installed.

`app` holds every command. The console script builds only the command that was called, because reading the
options of all commands takes longer than everything else that `sfumato --help` does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from .._version import __version__
from . import run
from ._running import DEBUG, list_only, running
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
            set_limits(Limits().with_overrides(limit))


def build(words: Sequence[str] = ()) -> typer.Typer:
    """Build the commands.

    Parameters
    ----------
    words : sequence of str
        The first words of a command line: only the command or the group that they name is built with
        its options, and of all others there is what a help text lists. "" names none.

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
    called = next(iter(words), None)
    for command in (run.demo, run.samples, run.run, report, serve):
        name = command.__name__
        if called in (None, name):
            made.command()(command)
        else:
            made.command(name, help=command.__doc__)(list_only)
        if called == name:
            return made
    if called is None or called not in ENGINES:
        for name in ENGINES:
            made.add_typer(_group(name, words), name=name)
    else:
        made.add_typer(_group(called, words), name=called)
    return made


def _group(name: str, words: Sequence[str]) -> typer.Typer:
    """Return the commands of an engine, or of one that is not called its summary."""
    from ..core.engine import ENGINES
    from ..core.errors import ParameterError

    is_called = not words or name == words[0]
    try:
        engine = ENGINES[name]
    except ParameterError as error:  # of another package, which must not take the others with it
        if is_called:
            raise
        group = typer.Typer(help=f"(not usable) {error}")
        group.callback()(list_only)
        return group
    if is_called:
        from ._engines import engine_app

        return engine_app(engine, words[1:])
    group = typer.Typer(help=engine.summary)
    group.callback()(list_only)
    return group


def __getattr__(name: str) -> typer.Typer:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return build()


def main() -> None:
    """Run the console script."""
    from ..core.errors import SfumatoError

    words = [word for word in sys.argv[1:] if not word.startswith("-") and "=" not in word]
    try:
        app = build([*words[:2], ""])
    except SfumatoError as error:
        typer.echo(f"sfumato: {error}", err=True)
        sys.exit(error.exit_status)
    app()
