"""`sfumato verify`: whether a release and its report are those that were signed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._running import DebugFlag, JsonFlag, QuietFlag, running

__all__ = ["verify"]


def verify(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="A release, or the folder of its report.")
    ],
    key: Annotated[
        Path | None, typer.Argument(metavar="[KEY.pub]", help="The signer's public key.")
    ] = None,
    quiet: QuietFlag = False,
    as_json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Run `sfumato verify`."""
    with running(quiet=quiet, as_json=as_json, debug=debug) as console:
        from ..reports.signing import verify as check

        found = check(release, key)
        console.result(
            {"files": list(found.files), "key": found.fingerprint, "key_known": found.known}
        )
        console.say(f"{len(found.files):,} files are as they were signed")
        words = "the key that was given" if found.known else "compare it with the signer's"
        console.say(f"signed by {found.fingerprint} ({words})")
