"""The command line: a few general commands, and a group for each installed engine.

`app` holds every command. The console script builds only the command that was called, because reading the
options of all commands takes longer than everything else that a help text does; the help of the root
is printed without building any.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing` is not needed for more
if TYPE_CHECKING:
    import typer

    from ._app import build

    app: typer.Typer

__all__ = ["app", "build", "main"]


def __getattr__(name: str) -> object:
    if name not in {"app", "build"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ._app import build

    return build if name == "build" else build()


def main() -> None:
    """Run the console script."""
    if sys.argv[1:] in ([], ["--help"]):
        from ._help import program_name, root_help

        asked = len(sys.argv) > 1
        print(root_help(program_name()), file=sys.stdout if asked else sys.stderr)
        sys.exit(0 if asked else 2)
    from ._app import main as run

    run()
