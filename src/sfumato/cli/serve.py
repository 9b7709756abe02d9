"""`sfumato serve`: the local page on which people label, choose, review, audit and read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._running import DebugFlag, JsonFlag, QuietFlag, running

__all__ = ["serve"]


def serve(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Folders that start, explore or run wrote."),
    ],
    *,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")
    ] = 8765,
    idle: Annotated[
        int,
        typer.Option(min=1, help="Minutes of inactivity after which the page locks itself."),
    ] = 15,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Run `sfumato serve`."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..web import serve as show

        def say(line: str) -> None:
            if as_json:
                console.result({"address": line})
                return
            typer.echo(line)
            if not quiet:
                typer.echo(
                    "Open this address in a browser on this machine; Ctrl-C ends it.", err=True
                )

        def note(line: str) -> None:
            if not quiet:
                typer.echo(line, err=True)

        show(folders, port=port, idle=60.0 * idle, say=say, note=note)
