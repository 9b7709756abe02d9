"""CPU seconds of what `text publish` does beside deciding, on one thread: `python -m benchmarks._publish_stages FRONTIER FILE OUT`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from sfumato.__main__ import main as sfumato
from sfumato.compute.journal import Journal
from sfumato.core.files import ReadFiles
from sfumato.data import shuffling
from sfumato.data.formats.line_edits import ByteEdits
from sfumato.data.formats.lines import LineWriter, _LineReader
from sfumato.data.shuffling import ShuffledLines
from sfumato.engines.text.redaction.sanitiser import Sanitiser
from sfumato.engines.text.release import output, parts, steps
from sfumato.engines.text.release.new_ids import NewIds

_STAGES: dict[str, list[tuple[Any, str]]] = {
    "deciding (as before)": [(Sanitiser, "texts")],
    "reading lines (twice before)": [(_LineReader, "block")],
    "writing lines (as before)": [(LineWriter, "lines")],
    "journal, with the edits (before: without)": [(Journal, "write"), (Journal, "content")],
    "shift check (as before)": [(steps._Promise, "check")],  # noqa: SLF001
    "new: hash of each text that was read": [(parts, "_text_hashes")],
    "new: edits as JSON": [(ByteEdits, "to_json"), (parts, "edit_lines"), (parts, "id_lines")],
    "new: what is expected in the file": [(ByteEdits, "hashes"), (parts, "line_hashes")],
    "new: the file read back": [(output, "read_lines_back")],
    "new: the input hashed again at the end": [(ReadFiles, "check")],
    "by default now: new ids": [(NewIds, "of_heads")],
    "by default now: an order of their own": [(ShuffledLines, "add"), (shuffling, "_in_order")],
}


def _timed(function: Callable[..., Any], spent: dict[str, float], stage: str) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        begun, before = time.thread_time(), spent[stage]
        try:
            return function(*arguments, **named)
        finally:  # what it calls of the same stage is not counted twice
            spent[stage] = before + time.thread_time() - begun

    return call


def main(frontier: str, source: str, out: str) -> None:
    spent = dict.fromkeys(_STAGES, 0.0)
    for stage, places in _STAGES.items():
        for owner, name in places:
            setattr(owner, name, _timed(getattr(owner, name), spent, stage))
    begun = time.process_time()
    sys.argv = ["sfumato", "text", "publish", frontier, source, "--ratio", "10", "--out", out, "--compute", "local:1", "--quiet"]  # fmt: skip
    try:
        sfumato()
    finally:  # it ends with its exit status
        spent["everything after importing"] = time.process_time() - begun
        print(json.dumps({stage: round(seconds, 3) for stage, seconds in spent.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
