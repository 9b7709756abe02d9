"""The console script, and `python -m sfumato`."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; the version is answered before anything is imported for it."""
    if sys.argv[1:] == ["--version"]:
        from ._version import __version__

        print(f"sfumato {__version__}")  # noqa: T201
        return
    from .cli import main as run

    run()


if __name__ == "__main__":
    main()
