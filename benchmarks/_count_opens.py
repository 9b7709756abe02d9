"""Run `sfumato` and count how often the files of an input are opened: `python _count_opens.py INPUT COUNTS WORDS…`.

It runs with the tree that PYTHONPATH names and imports nothing of it by itself. Files that are opened to be hashed, or
to tell their format by their first bytes, are counted apart from those that are read.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from collections import Counter
from types import FrameType

_APART = {"sha256_of": "hashed", "_head": "sniffed", "sniff": "sniffed"}


def why(frame: FrameType | None) -> str:
    """Return what a file is opened for, by the functions that are being called."""
    while frame is not None:
        if frame.f_code.co_name in _APART:
            return _APART[frame.f_code.co_name]
        frame = frame.f_back
    return "read"


def main(source: str, counts: str, *words: str) -> None:
    inside, seen = os.path.realpath(source), Counter[tuple[str, str]]()

    def count(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | os.PathLike):
            path = os.path.realpath(arguments[0])
            if (path == inside or path.startswith(inside + os.sep)) and not os.path.isdir(path):
                seen[path, why(sys._getframe(1))] += 1  # noqa: SLF001

    sys.addaudithook(count)
    sys.argv = ["sfumato", *words]
    try:
        runpy.run_module("sfumato", run_name="__main__")
    finally:
        most = {what: max((n for (_, w), n in seen.items() if w == what), default=0) for what in ("hashed", "sniffed", "read")}  # fmt: skip
        with open(counts, "w", encoding="utf-8") as stream:
            json.dump(most, stream)


if __name__ == "__main__":
    main(*sys.argv[1:])
