"""What stays of a file looks as before: real files drawn by LibreOffice before and after words of the same width were cut.

LibreOffice must be installed (on Debian `apt-get install --no-install-recommends libreoffice-writer libreoffice-calc
libreoffice-impress`); the files are those of documents_real.py (SFUMATO_PACKAGES names a folder of unpacked packages).

Redacted places have other widths than what stood there, and lines break anew: that says nothing about what stays. So
each marked word is replaced by its own letters in reverse, which are as wide. Both files are drawn to PDF and to
pictures of 100 dpi; the boxes of the marked words and of what replaced them are left out, with a margin for kerning, and
so are lines that hold one. Of the rest the pixels that differ by more than an eighth of the scale are counted, and the
letters outside of the marks are compared. Pictures are blanked by design, and comments, fields or objects may be
dropped: files that lost something that can be seen are counted apart, with what they lost. SFUMATO_KINDS names some kinds,
SFUMATO_SET one of the two sets of packages.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2 as pdfium

from benchmarks._common import RESULTS
from benchmarks._documents import redact
from benchmarks._packages import packages_in
from benchmarks.documents_real import _choose, _edits, _files
from sfumato.data.document import Edit

KINDS = ("docx", "xlsx", "pptx", "odt", "rtf")
FILES = int(os.environ.get("SFUMATO_FILES", "25"))
_UNSEEN = {
    "attribute", "author", "setting", "style name", "theme name", "bookmark name", "metadata", "unknown part", "link target",
    "name of an object", "zip comment", "tracked change id", "properties", "comment in the markup", "smart tag", "revision mark",
    "custom XML", "content control", "printer settings", "thumbnail", "properties of the file", "id of a change", "copy for older programs",
    "number of a change", "date", "name of a font", "web settings", "extension", "styles of older versions", "date of a change", "form field", "foreign markup", "colours", "style sheet", "application", "custom property", "calculation chain",
}  # fmt: skip
"""Things that may be dropped and cannot be seen on a page."""
_SCALE, _LEVELS, _MARGIN = 100 / 72, 32, 4


def run() -> dict[str, Any]:
    earlier = RESULTS / "documents_look.json"
    found: dict[str, Any] = json.loads(earlier.read_text()) if "SFUMATO_KINDS" in os.environ or "SFUMATO_SET" in os.environ else {}  # fmt: skip
    for which in os.environ.get("SFUMATO_SET", "known,fresh").split(","):
        with tempfile.TemporaryDirectory() as name:
            folder = packages_in(Path(name), fresh=which == "fresh")
            own = (found if which == "known" else found.setdefault("fresh", {})).setdefault("kinds", {})  # fmt: skip
            for kind in os.environ.get("SFUMATO_KINDS", ",".join(KINDS)).split(","):
                files = [path for path in sorted(set(_files(folder, kind))) if path.suffix == f".{kind}"]  # fmt: skip
                drawn = random.Random(f"look {kind}").sample(files, min(len(files), FILES))
                own[kind] = _kind(kind, sorted(drawn), Path(name) / kind)
                print(f"   {which} {kind}: {own[kind]}", flush=True)
    return {**found, "libreoffice": _version()}


def _version() -> str:
    made = subprocess.run(["soffice", "--version"], check=True, capture_output=True, text=True)
    return " ".join(made.stdout.split()[:2])


def _reverse(edits: list[Edit], text: str) -> list[Edit]:
    """Return edits that put the letters of each word in reverse; its first letter keeps its case."""
    found = []
    for edit in edits:
        word = text[edit.start : edit.end]
        found.append(Edit(edit.start, edit.end, word[::-1], "X"))
    return found


def _kind(kind: str, files: list[Path], folder: Path) -> dict[str, Any]:
    before, after = folder / "before", folder / "after"
    before.mkdir(parents=True)
    after.mkdir()
    words: dict[str, list[str]] = {}
    lost: dict[str, set[str]] = {}
    for number, path in enumerate(files):
        chosen: list[str] = []

        def mark(text: str, chosen: list[str] = chosen, name: str = path.name) -> list[Edit]:
            chosen += _choose(text, name, frozenset())
            return _reverse(_edits(text, chosen), text)

        content = path.read_bytes()
        done = redact(kind, content, mark, folder)
        if done.withheld or done.document is None or not done.document.text.strip():
            continue
        name = f"{number:03d}"
        (before / f"{name}.{kind}").write_bytes(content)
        (after / f"{name}.{kind}").write_bytes(done.content)
        words[name], lost[name] = chosen, _lost(kind, content)
    for own in (before, after):
        _draw(own, kind)
    return _compare(before, after, words, lost)


def _lost(kind: str, content: bytes) -> set[str]:
    """Return what a file loses that could be seen."""
    from sfumato.data.formats.files import FileFormat
    from sfumato.data.formats.registry import FORMATS

    form = FORMATS[kind]()
    assert isinstance(form, FileFormat)
    return set(form.open(content).found.dropped) - _UNSEEN


def _draw(folder: Path, kind: str) -> None:
    """Let LibreOffice make a PDF of each file of a folder, in a profile of its own."""
    profile = folder / "profile"
    files = sorted(str(path) for path in folder.glob(f"*.{kind}"))
    for first in range(0, len(files), 10):
        command = ["soffice", f"-env:UserInstallation=file://{profile}", "--headless", "--convert-to", "pdf", "--outdir", str(folder), *files[first : first + 10]]  # fmt: skip
        subprocess.run(command, check=False, capture_output=True, timeout=1_200)
    shutil.rmtree(profile, ignore_errors=True)


def _compare(
    before: Path, after: Path, words: dict[str, list[str]], lost: dict[str, set[str]]
) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    worst = {"whole": 0.0, "lost something": 0.0}
    for name, chosen in sorted(words.items()):
        files = [folder / f"{name}.pdf" for folder in (before, after)]
        if not files[0].exists():
            counts["not_drawn"] += 1
            continue
        counts["files"] += 1
        counts["damaged"] += not files[1].exists()
        if not files[1].exists():
            continue
        group = "lost something" if lost[name] else "whole"
        reasons.update(lost[name])
        shares, is_same = _pages(*files, {*chosen, *(word[::-1] for word in chosen)})
        counts[f"files, {group}"] += 1
        counts[f"text the same, {group}"] += is_same
        counts[f"pages, {group}"] += len(shares)
        counts[f"pages changed, {group}"] += sum(share > 0.001 for share in shares)
        worst[group] = max([worst[group], *shares])
        if "SFUMATO_SHOW" in os.environ and (not is_same or max(shares, default=0) > 0.001):
            print(f"   {name}: {group} {sorted(lost[name])} {is_same} {max(shares, default=0):.5f}", flush=True)  # fmt: skip
    return {**counts, "worst_page": worst, "lost": dict(reasons)}


def _pages(first: Path, second: Path, words: set[str]) -> tuple[list[float], bool]:
    """Return the share of pixels that differ on each page, and whether the letters outside of the marks are the same."""
    left, right = pdfium.PdfDocument(first), pdfium.PdfDocument(second)
    shares, texts = [], ["", ""]
    for number in range(max(len(left), len(right))):
        pictures, boxes = [], []
        for at, own in enumerate((left, right)):
            if number >= len(own):
                continue
            page = own[number]
            text, found = _marked(page, words)
            texts[at] += text
            boxes += found
            pictures.append(page.render(scale=_SCALE, grayscale=True).to_numpy()[..., 0].astype(int))  # fmt: skip
        if len(pictures) < 2 or pictures[0].shape != pictures[1].shape:
            shares.append(1.0)
            continue
        differ = np.abs(pictures[0] - pictures[1]) > _LEVELS
        for top, bottom in boxes:  # the whole line: kerning moves what follows
            differ[max(0, top) : bottom] = False
        shares.append(float(differ.mean()))
    return shares, "".join(texts[0].split()) == "".join(texts[1].split())


def _marked(page: pdfium.PdfPage, words: set[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return the text of a page without the marked words, and the rows of pixels that they stand in."""
    text_page = page.get_textpage()
    text = text_page.get_text_range()
    height, rows = page.get_height(), []
    edits = _edits(text, sorted(words))
    for edit in edits:
        for at in range(edit.start, edit.end):
            _, bottom, _, top = text_page.get_charbox(at, loose=True)
            rows.append((int((height - top) * _SCALE) - _MARGIN, int((height - bottom) * _SCALE) + _MARGIN))  # fmt: skip
    kept, end = "", 0
    for edit in edits:
        kept, end = kept + text[end : edit.start], edit.end
    return kept + text[end:], rows
