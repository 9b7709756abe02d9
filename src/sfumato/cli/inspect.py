"""`sfumato inspect`: what files contain, what would be dropped, and what cannot be handled."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._running import DebugFlag, JsonFlag, QuietFlag, running

__all__ = ["inspect"]


def inspect(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE|FOLDER...", help="Files, or folders of files.")
    ],
    *,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Run `sfumato inspect`."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..data.inspecting import inspect_files, summary_lines

        found = inspect_files(paths)
        console.result({"kinds": [dict(own.to_json()) for own in found]})
        for line in summary_lines(found):
            console.say(line)
