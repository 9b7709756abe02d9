"""Generated files with a name in every hiding place: how many are left, by three ways to look, and what it costs.

500 files of each kind over twenty seeds, each seed used here for the first time (the tests use 0 to 9). Every
name is searched before (it must be found) and after: in the text of our own reader, in that of another one, and in
every unpacked stream in UTF-8, UTF-16, hexadecimal and base64.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.data.formats.office import leaks, planted, planted_more
from tests.data.formats.office.redacting import marked
from tests.data.formats.planted_mail import mail
from tests.data.formats.test_markup import cda, html, odt, rtf

from benchmarks._documents import redact, text_by_others

GENERATORS = {
    "docx": planted.docx, "xlsx": planted_more.xlsx, "pptx": planted_more.pptx, "html": html, "xml": cda,
    "odt": odt, "rtf": rtf, "eml": mail,
}  # fmt: skip
SEED = os.environ.get("SFUMATO_SEED", "bench")
SEEDS, FILES = 20, int(os.environ.get("SFUMATO_FILES", "25"))


def run() -> dict[str, Any]:
    found = {}
    for kind in GENERATORS:
        found[kind] = _kind(kind)
        print(f"   {kind}: {found[kind]}", flush=True)
    return {"seed": SEED, "seeds": SEEDS, "files_per_seed": FILES, "kinds": found}


def _kind(kind: str) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    where: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        for seed in range(SEEDS):
            for file in range(FILES):
                content, names = GENERATORS[kind](f"{SEED} {seed} {file}")
                counts["files"] += 1
                counts["planted"] += len(names)
                counts["found_before"] += len(leaks.found(content, names))
                done = redact(kind, content, lambda text, n=names: marked(text, n.values()), Path(name))  # fmt: skip
                for what in ("read", "write", "verify"):
                    seconds[what] += getattr(done, what)
                if done.withheld:
                    counts["withheld"] += 1
                    continue
                left = leaks.found(done.content, names)
                counts["left_in_streams"] += len(left)
                where.update(left)
                for what, text in (("our_reader", done.text), ("another_reader", text_by_others(kind, done.content))):  # fmt: skip
                    bare = leaks.squeezed(text)
                    counts[f"left_for_{what}"] += sum(leaks.squeezed(n) in bare for n in names.values())  # fmt: skip
    return {
        **{what: counts[what] for what in ("files", "planted", "found_before", "withheld", "left_in_streams", "left_for_our_reader", "left_for_another_reader")},
        "places_left": dict(where),
        "read_per_second": round(counts["files"] / seconds["read"], 1),
        "write_and_verify_times_reading": round((seconds["write"] + seconds["verify"]) / seconds["read"], 2),
        "write_times_reading": round(seconds["write"] / seconds["read"], 2),
    }  # fmt: skip
