"""The commands that typer runs: all of them, or the one that was called."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from .._version import __version__
from ._help import COMMANDS, LIMIT, OPTIONS, SUMMARY, engine_summaries
from ._running import DEBUG, list_only, running

__all__ = ["build", "main"]


def _version(value: bool) -> None:
    if value:
        typer.echo(f"sfumato {__version__}")
        raise typer.Exit


def _root(
    _show: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help=OPTIONS["--version"]),
    ] = False,
    limit: Annotated[
        list[str] | None, typer.Option("--limit", metavar=LIMIT, help=OPTIONS["--limit"])
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help=OPTIONS["--debug"])] = False,
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
        help=SUMMARY,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,  # plain help starts in half the time
        pretty_exceptions_enable=False,
    )
    made.callback()(_root)
    called = next(iter(words), None)
    for name, (module, text) in COMMANDS.items():
        if called in (None, name):
            command = getattr(import_module(f"{__package__}.{module}"), name)
            made.command(name, help=text)(command)
        else:
            made.command(name, help=text)(list_only)
        if called == name:
            return made
    if called is None or called not in ENGINES:
        for name, text in engine_summaries().items():
            made.add_typer(_empty_group(text) if words else _group(name), name=name)
    else:
        made.add_typer(_group(called, words[1:]), name=called)
    return made


def _group(name: str, words: Sequence[str] = ()) -> typer.Typer:
    from ..core.engine import ENGINES
    from ._engines import engine_app

    return engine_app(ENGINES[name], words)


def _empty_group(text: str) -> typer.Typer:
    group = typer.Typer(help=text)
    group.callback()(list_only)
    return group


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
