"""Generated files with a name in every hiding place: how many are left, by three ways to look, and what it costs.

500 files of each kind over twenty seeds, each seed used here for the first time (the tests use 0 to 9); every second
file is of the generator of places that few files have. Every name is searched before (it must be found) and after: in
the text of our own reader, in that of another one, and in every unpacked stream in UTF-8, UTF-16, hexadecimal and
base64. The other readers are python-docx, openpyxl, python-pptx, striprtf, hl7 and the standard library.

SFUMATO_KINDS names some kinds; SFUMATO_SEED makes other files of them.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.data.formats import planted_further as further
from tests.data.formats.health import exports, exports_further
from tests.data.formats.office import leaks, planted, planted_further, planted_more
from tests.data.formats.office.redacting import marked
from tests.data.formats.planted_mail import mail
from tests.data.formats.test_markup import cda, html, odt, rtf

from benchmarks._common import RESULTS
from benchmarks._documents import Redacted, redact, redact_many, text_by_others

Made = tuple[bytes, dict[str, str]]
SEED = os.environ.get("SFUMATO_SEED", "bench")
SEEDS, FILES = 20, int(os.environ.get("SFUMATO_FILES", "25"))


def _mailbox(seed: object) -> Made:
    content, names = b"", {}
    for number, make in enumerate((mail, further.mail)):
        message, own = make(f"box {seed}")
        quoted = re.sub(rb"^(>*From )", rb">\1", message, flags=re.MULTILINE)
        content += b"From x Thu Jan  1 00:00:00 1970\n" + quoted + b"\n\n"
        names |= {f"message {number}: {place}": name for place, name in own.items()}
    return content, names


def _bundle(seed: object) -> Made:
    person = exports.Planted(f"bench {seed}")
    content = json.dumps(exports.bundle(person)).encode()
    return content, {"name": person.name, **{f"place {i}": s for i, s in enumerate(person.gone)}}


def _messages(seed: object) -> Made:
    person = exports.Planted(f"hl7 {seed}")
    content = exports.message(person).encode()
    return content, {"name": person.name, **{f"place {i}": s for i, s in enumerate(person.gone)}}


GENERATORS: dict[str, tuple[Callable[[object], Made], ...]] = {
    "docx": (planted.docx, planted_further.docx), "xlsx": (planted_more.xlsx, planted_further.xlsx),
    "pptx": (planted_more.pptx, planted_further.pptx), "odt": (odt, further.odt), "rtf": (rtf, further.rtf),
    "html": (html, further.html), "xml": (cda, further.xml), "eml": (mail, further.mail), "mbox": (_mailbox,),
    "fhir": (_bundle, exports_further.bundle), "hl7": (_messages, exports_further.message), "sheet": (further.sheet,),
}  # fmt: skip
MANY = {
    "mbox": ("in.mbox", {}), "fhir": ("in.json", {}), "hl7": ("in.hl7", {}), "sheet": ("in.xlsx", {"text": "Brief", "id": "Nr"}),
}  # fmt: skip
"""Kinds of files that hold many documents: the name of such a file, and how it is read."""


def run() -> dict[str, Any]:
    earlier = RESULTS / "documents_planted.json"
    found = json.loads(earlier.read_text())["kinds"] if "SFUMATO_KINDS" in os.environ else {}
    for kind in os.environ.get("SFUMATO_KINDS", ",".join(GENERATORS)).split(","):
        found[kind] = {"seed": SEED, "seeds": SEEDS, **_kind(kind)}
        print(f"   {kind}: {found[kind]}", flush=True)
    return {"files_per_seed": FILES, "kinds": found}


def _redact(kind: str, content: bytes, names: dict[str, str], folder: Path) -> Redacted:
    """Redact a file as publishing does, with every planted name marked."""
    if kind not in MANY:
        return redact(kind, content, lambda text: marked(text, names.values()), folder)
    name, options = MANY[kind]
    return redact_many(name, content, lambda text: marked(text, names.values()), folder, **options)


def _kind(kind: str) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    where: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(SEEDS):
            for file in range(FILES):
                makers = GENERATORS[kind]
                content, names = makers[file % len(makers)](f"{SEED} {seed} {file}")
                counts["files"] += 1
                counts["planted"] += len(names)
                counts["found_before"] += len(leaks.found(content, names))
                done = _redact(kind, content, names, Path(folder))
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
