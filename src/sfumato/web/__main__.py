"""`python -m sfumato.web DIR…`: walk along a frontier on a local page before anything is published."""

from __future__ import annotations

import argparse
import sys

from ..core.errors import SfumatoError
from .page import serve


def main(arguments: list[str] | None = None) -> int:
    """Serve the page; give the exit status."""
    parser = argparse.ArgumentParser(prog="python -m sfumato.web", description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="DIR", help="folders that explore wrote")
    parser.add_argument("--port", type=int, default=8765, help="port on 127.0.0.1")
    given = parser.parse_args(arguments)
    try:
        sys.stdout.write(f"http://127.0.0.1:{given.port}/ (Ctrl-C ends it)\n")
        sys.stdout.flush()
        serve(given.folders, port=given.port)
    except SfumatoError as error:
        sys.stderr.write(f"sfumato: {error}\n")
        return error.exit_status
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
