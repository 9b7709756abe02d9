"""`python -m fuzz.publishing [kind …] [--files N] [--seed S]`: folders of mutated files published by the command.

Each round lays mutated files of one kind, or of all kinds, into a folder with one good file of each kind, and calls
`sfumato text publish` on it, with a model that always removes the planted word. Then it must hold: the status is 0, or 1
where something was withheld; nothing went wrong in a way that the code does not foresee; every file is published or
withheld by name; the inputs are as they were; no other file is left anywhere; and the planted word stands in no byte that
was published or said, plain or in UTF-16, packed or not, except as a part of another word.

With `--results FILE` the figures are kept there after every round, and the same command goes on where the last one
stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.elements import changed_elements
from fuzz.files import PACKED, parts_of
from fuzz.mutations import mutated
from fuzz.onward import PLANTED, stands_in
from fuzz.quick import in_memory
from fuzz.records import FILES
from fuzz.sending import FOUND
from fuzz.targets import TARGETS
from sfumato.core.randomness import Streams
from sfumato.core.records import versions
from sfumato.data.formats.registry import format_of_file

KINDS = ("docx", "xlsx", "pptx", "odt", "html", "xml", "rtf", "pdf", *FILES)
XML = (*PACKED, "xml", "html")
"""Kinds whose elements change places in most of their files."""
ROUND = {"pdf": 40}
"""Files of one folder, where they are not as many as elsewhere."""
MANY = 130
OPTIONS = ((), ("--replace", "surrogate"), ("--keep-ids",), ("--replace", "mask"))
_CODE = re.compile(
    rb'"(?:resourceType|type|unit)":"[^" ]*%b"|(?<="reference":")%b(?=/)|'
    rb'(?<= )(?:code|unit|type|templateId|codeSystem|codeSystemVersion)="[^" ]*%b[^" ]*"' % ((PLANTED.encode(),) * 3)
)  # fmt: skip
"""Codes of FHIR and of clinical documents, which stay where they look like one, as the how-to pages say."""


@dataclass
class Round:
    """A folder of files, what the command did with it, and what is wrong with that."""

    place: Path
    files: dict[str, bytes] = field(default_factory=dict)
    status: int = 0
    said: str = ""
    withheld: Counter[str] = field(default_factory=Counter)
    published: int = 0
    unknown: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.place / "in"

    @property
    def out(self) -> Path:
        return self.place / "made" / "out"

    def lay(self, kind: str, number: int, data: bytes) -> None:
        """Lay a file of a kind into the folder, under a name of its own."""
        if kind in FILES:  # resources of several patients
            data = re.sub(rb'(?<=["/])([pob])1(?=")', rb"\g<1>%d" % number, data)
        TARGETS[kind].lay(data, self.folder)
        (path,) = self.folder.glob("input.*")
        name = f"{kind}-{number}{path.suffix}"
        path.rename(self.folder / name)
        self.files[name] = (self.folder / name).read_bytes()


def _learned(place: Path) -> Path:
    """Explore a few generated notes, with the planted word among those that are always removed."""
    from sfumato.data.samples.notes import clinic_notes
    from sfumato.text import explore

    found = explore(
        clinic_notes(6), labels=["NAME"], ratios=[10], folds=2, attackers=(), deny=[PLANTED]
    )
    found.save(place / "model")
    return place / "model"


@cache
def _seeds(kind: str) -> tuple[bytes, ...]:
    """Return good files of a kind; of packed ones also some with parts of every kind."""
    from tests.data.formats.office import planted, planted_further, planted_more
    from tests.data.formats.test_markup import cda, html, odt, rtf

    further = {
        "docx": (planted.docx, planted_further.docx), "xlsx": (planted_more.xlsx, planted_further.xlsx),
        "pptx": (planted_more.pptx, planted_further.pptx), "odt": (odt,), "html": (html,), "xml": (cda,), "rtf": (rtf,),
    }  # fmt: skip
    made = list(TARGETS[kind].seeds())
    for make in further.get(kind, ()):
        content, names = make(f"publishing {kind}")
        data = parts_of(content) if kind in PACKED else content
        for name in names.values():
            data = data.replace(name.encode(), PLANTED.encode())
        made.append(data)
    return tuple(made)


def _mutation(kind: str, dice: np.random.Generator, seen: set[bytes]) -> bytes:
    seeds = _seeds(kind)
    if kind in XML and dice.random() < 0.7:
        data = changed_elements(seeds[int(dice.integers(len(seeds)))], dice)
    else:
        data = mutated(seeds, dice)
    while (mark := hashlib.sha256(data).digest()) in seen:
        data = mutated([data], dice)
    seen.add(mark)
    return data


def play(kinds: Sequence[str], place: Path, dice: np.random.Generator, seen: set[bytes]) -> Round:
    """Lay a folder of mutated files of some kinds, with a good one of each."""
    own = Round(place)
    for inside in (own.folder, own.out.parent, place / "scratch"):
        inside.mkdir(parents=True)
    for kind in kinds:
        own.lay(kind, 0, TARGETS[kind].seeds()[0])
        most = ROUND.get(kind, MANY) if len(kinds) == 1 else MANY // len(kinds)
        for number in range(1, most + 1):
            own.lay(kind, number, _mutation(kind, dice, seen))
    return own


def _publish(own: Round, model: Path, options: Sequence[str]) -> None:
    """Call the command in this process, with a folder of its own for what is passing."""
    from typer.testing import CliRunner

    from sfumato.cli import build

    line = ["text", "publish", str(model), str(own.folder), "--ratio", "10", "--accept-shift", *options, "--out", str(own.out)]  # fmt: skip
    before, named = os.environ.get("TMPDIR"), tempfile.tempdir
    scratch = str(own.place / "scratch")
    os.environ["TMPDIR"], tempfile.tempdir = scratch, scratch
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = CliRunner().invoke(build(line[:2]), line)
    finally:
        tempfile.tempdir = named
        os.environ.pop("TMPDIR") if before is None else os.environ.update(TMPDIR=before)
    own.status, own.said = done.exit_code, done.output + done.stderr
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        own.wrong.append(f"{type(done.exception).__name__} came through")


def _look(own: Round) -> None:
    """Check everything that must hold of a publication."""
    if "internal error" in own.said or "Traceback" in own.said:
        own.wrong.append("an error that is not foreseen")
    quarantine = own.out.with_name("out.quarantine.jsonl")
    withheld = [json.loads(line) for line in quarantine.read_text().splitlines()] if quarantine.exists() else []  # fmt: skip
    if own.status != int(bool(withheld)):
        own.wrong.append(f"the status is {own.status} with {len(withheld)} withheld")
    if any(not one.get("reason") for one in withheld):
        own.wrong.append("something is withheld without a reason")
    own.withheld.update(one["reason"] for one in withheld)
    _look_for_files(own, withheld)
    for name, content in own.files.items():
        if (own.folder / name).read_bytes() != content:
            own.wrong.append("an input was changed")
    made = {path.name for path in own.out.parent.iterdir()}
    if others := made - {"out", "out.private", quarantine.name}:
        own.wrong.append(f"other files are left: {sorted(name[-12:] for name in others)}")
    if {path.name for path in own.folder.iterdir()} != set(own.files):
        own.wrong.append("something was written beside the inputs")
    if left := list((own.place / "scratch").rglob("*")):
        own.wrong.append(f"temporary files are left: {sorted({p.suffix for p in left})}")
    if holds(own.said.encode("utf-8", "surrogatepass")):
        own.wrong.append("the planted word in what was said")
    for path in own.out.rglob("*"):
        if holds(path.name.encode()):
            own.wrong.append("the planted word in a name")
        if path.is_file() and leaks(path):
            own.wrong.append(f"the planted word in {path.suffix}")


def leaks(path: Path) -> bool:
    """Return whether the planted word stands in a published file, but where it is a part of another word of its text."""
    from sfumato.data.document import Document
    from sfumato.data.documents import read_documents

    content = _CODE.sub(b"", path.read_bytes())
    most = max((view.count(PLANTED.encode()) for view in views(content) if holds(view)), default=0)
    if not most:
        return False
    texts = [own.text for own in read_documents(path).tolerant() if isinstance(own, Document)]
    return any(stands_in(text.encode()) for text in texts) or most > sum(text.count(PLANTED) for text in texts)  # fmt: skip


def _look_for_files(own: Round, withheld: Sequence[dict[str, str]]) -> None:
    """Check that each file is published or withheld by its name."""
    mapping = own.out.with_name("out.private") / "ids.jsonl"
    lines = mapping.read_text().splitlines() if mapping.exists() else []
    ids = {json.loads(line)["id"] for line in lines} | {one["id"] for one in withheld}
    written = set(own.out.rglob("*")) if own.out.is_dir() else set[Path]()
    names = {path.name for path in written}
    own.published = len(names - {"release.json"})
    told = {id.rpartition(":")[0] for id in ids} | ids | names
    own_ids = [one["id"].encode() for one in withheld]  # a resource is withheld by its own id
    told |= {n for n, c in own.files.items() if any(i.partition(b"/")[2] and i.partition(b"/")[2] in c for i in own_ids)}  # fmt: skip
    unknown = {name for name in own.files if format_of_file(own.folder / name) is None}
    own.unknown = len(unknown)
    if unknown and "of no format that is read here" not in own.said:
        own.wrong.append("files of no known format are not told")
    for name in own.files.keys() - unknown:
        if name not in told:
            own.wrong.append(f"a file is neither published nor withheld: {name.partition('-')[0]}")


def views(content: bytes) -> Iterator[bytes]:
    """Yield some bytes, and what packed files hold."""
    yield content
    if content[:2] == b"PK":
        with contextlib.suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(content)) as packed:  # fmt: skip
            for name in packed.namelist():
                yield name.encode()
                yield packed.read(name)
    if content[:5] == b"%PDF-":
        yield from _streams(content)


def _streams(content: bytes) -> Iterator[bytes]:
    """Yield what the streams of a PDF hold, and the text of its pages by a reader that did not write it."""
    import pikepdf
    import pypdfium2 as pdfium

    with pikepdf.open(io.BytesIO(content)) as pdf:
        for one in pdf.objects:
            if isinstance(one, pikepdf.Stream):
                with contextlib.suppress(pikepdf.PdfError):
                    yield bytes(one.read_bytes())
    document = pdfium.PdfDocument(content)
    try:
        for page in document:
            yield page.get_textpage().get_text_range().encode("utf-8", "replace")
    finally:
        document.close()


def holds(content: bytes) -> bool:
    """Return whether the planted word stands in some bytes, plain or in UTF-16, and not as a part of another word."""
    for code in ("utf-8", "utf-16-le", "utf-16-be"):
        if PLANTED.encode(code) not in content:
            continue
        if code == "utf-8":
            if stands_in(content):
                return True
            continue
        start = content.find(PLANTED.encode(code))
        text = content[start % 2 :].decode(code, "replace")
        if stands_in(text.encode("utf-8", "replace")):
            return True
    return False


# --- the runner ----------------------------------------------------------------------------------


def _empty() -> dict[str, Any]:
    return {
        "files": 0,
        "rounds": 0,
        "published": 0,
        "of no known format": 0,
        "withheld": {},
        "seconds": 0.0,
        "found": {},
    }


def _add(kept: dict[str, Any], own: Round, mutated_files: int, seconds: float, number: int) -> None:
    kept["rounds"] += 1
    kept["files"] += mutated_files
    kept["published"] += own.published
    kept["of no known format"] += own.unknown
    kept["withheld"] = dict(sorted((Counter(kept["withheld"]) + own.withheld).items()))
    kept["seconds"] = round(kept["seconds"] + seconds, 1)
    for wrong in own.wrong:
        kept["found"].setdefault(wrong, f"round {number}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.publishing", description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"any of {', '.join(KINDS)}, or mixed")
    parser.add_argument("--files", type=int, default=2_000, help="mutated files of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--results", type=Path, help="a JSON file to keep the figures in and go on from"
    )
    given = parser.parse_args()
    memory = in_memory()
    content: dict[str, Any] = {"seed": given.seed, "versions": versions(), "kinds": {}}
    if given.results is not None and given.results.exists():
        content = json.loads(given.results.read_text())
    failed = False
    with tempfile.TemporaryDirectory(dir=memory, prefix="sfumato-publishing-") as name:
        keys = Path(name) / "key", Path(name) / "private.key"
        keys[0].write_text("ab" * 32)
        keys[0].chmod(0o600)
        os.environ["SFUMATO_KEY"], os.environ["SFUMATO_PRIVATE_KEY"] = map(str, keys)
        model = _learned(Path(name))
        for kind in given.kinds or (*KINDS, "mixed"):
            kept = content["kinds"].setdefault(kind, _empty())
            kinds, seen = (KINDS if kind == "mixed" else (kind,)), set[bytes]()
            while kept["files"] < given.files:
                number, start = kept["rounds"], time.monotonic()
                dice = Streams(given.seed).child(f"publishing {kind}").generator(str(number))
                own = play(kinds, Path(name) / f"{kind}-{number}", dice, seen)
                _publish(own, model, OPTIONS[number % len(OPTIONS)])
                _look(own)
                _add(kept, own, len(own.files) - len(kinds), time.monotonic() - start, number)
                if own.wrong:
                    shutil.copytree(own.place, FOUND / own.place.name, dirs_exist_ok=True)
                shutil.rmtree(own.place)
                if given.results is not None:
                    text = json.dumps(content, indent=1, sort_keys=True) + "\n"
                    given.results.write_text(text)
            withheld = sum(kept["withheld"].values())
            print(f"{kind}: {kept['files']:,} files in {kept['seconds']:.0f} s, {kept['published']:,} published, "
                  f"{withheld:,} withheld", flush=True)  # fmt: skip
            failed |= bool(kept["found"])
            for wrong, where in kept["found"].items():
                print(f"  FOUND {wrong} ({where})", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
