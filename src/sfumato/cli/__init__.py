"""The command line; each verb loads its engine only when it is called."""

from __future__ import annotations

from typing import Annotated

import typer

from .._version import __version__
from . import run
from .baskets import app as baskets
from .report import report
from .tables import app as tables
from .text import app as text

__all__ = ["app", "main"]

app = typer.Typer(
    name="sfumato",
    help="Publish data safely: explore risk against usefulness, choose, publish, attack, report.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help starts in half the time
    pretty_exceptions_enable=False,
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"sfumato {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    _show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


app.command()(run.demo)
app.command()(run.samples)
app.command()(run.run)
app.command()(report)
app.add_typer(text, name="text")
app.add_typer(tables, name="tables")
app.add_typer(baskets, name="baskets")


def main() -> None:
    """Run the console script."""
    app()
