"""The console script, and `python -m sfumato`."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; the version is answered before anything is imported for it."""
    if sys.argv[1:] == ["--version"]:
        from ._version import __version__

        print(f"sfumato {__version__}")  # noqa: T201
        return
    # A plug-in of pydantic would see every value that is validated, and looking for one takes time.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from .cli import main as run

    run()


if __name__ == "__main__":
    main()
