"""Real PDF files one by one: what is withheld and why, who can still read a word that was cut, what else changed.

Every file is taken in a process of its own, with limits of time and memory. What has scanned pages is taken again with
the recogniser, as after `--accept-scans`. For each word that is cut a word of another file, as long, is looked for in
the same bytes: what decoys hit too is vocabulary of the format or chance.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import resource
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import _pdf_checks as checks
from benchmarks._common import unfinished_path
from benchmarks._pdf_raw import UNEXPLAINED, explain_hits
from sfumato.data.formats.pdf.refusal import FileRefusedError
from sfumato.data.formats.scans.registry import picture_reader

__all__ = ["measure_files"]

_SECONDS, _SECONDS_SCANS = 200, 400  # for one file with all checks, on a machine that is busy
_LARGEST_RAW = 8 << 20
_SCANS = "has scanned pages"
_BETWEEN_OBJECTS = "endobj endstream startxref trailer"


def measure_files(files: Sequence[Path], key: str) -> dict[str, Any]:
    """Return what became of files, without and with a recogniser of scanned pages; goes on where it stopped."""
    done = unfinished_path("documents_pdf", f"{key}.jsonl")
    known = {}
    if done.exists():
        known = {one["file"]: one for one in map(json.loads, done.read_text(encoding="utf-8").splitlines())}  # fmt: skip
    pool = _pool(files) if len(known) < len(files) else {}
    with done.open("a", encoding="utf-8") as out:
        for file in files:
            if file.stem in known:
                continue
            known[file.stem] = found = {"file": file.stem, **_both(file, pool)}
            print(json.dumps(found), file=out, flush=True)
    results = [known[file.stem] for file in files]
    seen = [{**r, **r["scans"]} if r.get("scans") else r for r in results]
    return {
        "without_ocr": _summary(results),
        "with_ocr_and_accept_scans": _summary(seen) if picture_reader() else None,
    }


def _pool(files: Sequence[Path]) -> dict[int, list[str]]:
    """Return rare words of some of the files, by length."""
    found: dict[int, set[str]] = {}
    for file in files[:80]:
        for word in _apart(_words_of, file, {}, 30).get("words", []):
            found.setdefault(len(word), set()).add(word)
    return {length: sorted(words) for length, words in sorted(found.items())}


def _words_of(file: Path, _: dict[int, list[str]]) -> dict[str, Any]:
    from sfumato.data.formats.pdf.read import read_all_words

    return {"words": checks.rare_words(read_all_words(file.read_bytes()), file.name)}


def _both(file: Path, pool: dict[int, list[str]]) -> dict[str, Any]:
    found = _apart(_check, file, pool, _SECONDS)
    found["opens"] = _opens(file)
    scanned = found.get("blanked") or str(found.get("why")).startswith(_SCANS)
    if scanned and picture_reader() is not None:
        found["scans"] = _apart(_check_scans, file, pool, _SECONDS_SCANS)
    return found


def _apart(
    work: Callable[[Path, dict[int, list[str]]], dict[str, Any]],
    file: Path,
    pool: dict[int, list[str]],
    seconds: int,
) -> dict[str, Any]:
    """Do one piece of work on a file in a process of its own, with limits of time and memory."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=_work, args=(work, file, pool, queue))
    process.start()
    try:
        result: dict[str, Any] = queue.get(timeout=seconds)
    except Exception:
        result = {"end": "timeout" if process.is_alive() else "died"}
    process.join(1)
    if process.is_alive():
        process.kill()
    process.join()
    return result


def _work(work: Any, file: Path, pool: dict[int, list[str]], queue: Any) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    try:
        queue.put(work(file, pool))
    except FileRefusedError as error:
        queue.put({"end": "withheld", "why": str(error)})
    except Exception as error:
        queue.put({"end": f"crash {type(error).__name__}"})


def _opens(file: Path) -> bool:
    """Return whether a viewer opens a file without asking for a password."""
    import pypdfium2 as pdfium

    try:
        with pdfium.PdfDocument(file) as document:
            return len(document) > 0 and all(page.get_size() for page in document)
    except pdfium.PdfiumError:
        return False


def _check(file: Path, pool: dict[int, list[str]]) -> dict[str, Any]:
    return _check_one(file, pool, scans=False)


def _check_scans(file: Path, pool: dict[int, list[str]]) -> dict[str, Any]:
    return _check_one(file, pool, scans=True)


def _check_one(file: Path, pool: dict[int, list[str]], *, scans: bool) -> dict[str, Any]:
    from sfumato.data.formats.pdf.verify import find_leaks

    done = checks.redact(file.read_bytes(), None, seed=file.name, scans=scans)
    if not done.text.text.strip():
        return {"end": "no text", "blanked": done.text.blanked}
    words = checks.rare_words(done.text.text, file.name)
    raw = len(done.data) < _LARGEST_RAW
    left = checks.find_leaks(done.data, words, raw=raw)
    published = checks.comparable_text(checks.PdfText(checks.read_pages(done.data)).text)
    gone = [w for w in words if checks.comparable_text(w) not in published]
    changed = checks.changed_pixels(done)
    draw, own = random.Random(file.name), done.text.text.casefold()
    decoys = [
        other
        for word in words
        if (others := [o for o in pool.get(len(word), ()) if o.casefold() not in own])
        for other in [draw.choice(others)]
    ]
    in_bytes = _places(done.data, words, left.get("bytes", [])) if raw else {}
    return {
        "end": "done", "pages": len(done.text.pages), "words": len(words), "seconds": done.seconds,
        "blanked": done.text.blanked, "scanned": done.scanned,
        "leaks": len(set(left.get("pdfium", [])) | set(left.get("pdfminer", []))),
        "leaks_to_ocr": len(checks.find_by_ocr(done.data, gone, done.scanned_pages)) if scans else 0,
        "in_bytes": sorted(map(list, in_bytes.values())),
        "decoys": len(decoys), "decoys_in_bytes": sorted(map(list, _places(done.data, decoys, []).values())) if raw else [],
        "hits": find_leaks(done.data, gone),
        "pictures": list(done.report.pictures.values()), "lines": done.report.lines,
        "kept_gaps": done.report.kept_gaps, "fonts": done.report.fonts, "compared": len(changed),
        "changed": sum(share > 0.001 for share in changed),
    }  # fmt: skip


def _places(data: bytes, words: Sequence[str], also: Sequence[str]) -> dict[str, list[str]]:
    """Return for each word in the bytes of a file where it stands; what no object holds is said so."""
    found = {word: sorted(places) for word, places in explain_hits(data, words).items()}
    between = {word: word in _BETWEEN_OBJECTS for word in also if word not in found}
    return found | {
        word: ["a word of the format" if known else "bytes that no object holds"]
        for word, known in between.items()
    }


# --- all files -----------------------------------------------------------------------------------


def _summary(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    done = [r for r in results if r["end"] == "done"]
    withheld = [r for r in results if r["end"] not in ("done", "no text")]
    opened = [r for r in results if r["opens"]]
    seconds: Counter[str] = Counter()
    for result in done:
        seconds.update(result["seconds"])
    return {
        "files": len(results),
        "ends": dict(Counter(r["end"] for r in results)),
        "opened_by_a_viewer": len(opened),
        "withheld_of_those": _reasons(r for r in withheld if r["opens"]),
        "share_withheld_of_those": round(sum(r["opens"] for r in withheld) / max(1, len(opened)), 4),
        "withheld": _reasons(withheld),
        **_sums(done, "pages", "words", "scanned", "leaks", "leaks_to_ocr", "hits", "lines", "kept_gaps", "compared", "changed"),
        "in_bytes": _by_place(r["in_bytes"] for r in done),
        "decoys": sum(r["decoys"] for r in done),
        "decoys_in_bytes": _by_place(r["decoys_in_bytes"] for r in done),
        "pages_as_pictures": dict(Counter(why for r in done for why in r["pictures"])),
        "fonts": dict(sum((Counter(r["fonts"]) for r in done), Counter())),
        "seconds": {name: round(value, 2) for name, value in seconds.items()},
    }  # fmt: skip


def _reasons(results: Any) -> dict[str, int]:
    return dict(Counter(str(r.get("why", r["end"])).split(" (")[0] for r in results))


def _sums(done: Sequence[dict[str, Any]], *keys: str) -> dict[str, int]:
    return {key: sum(r[key] for r in done) for key in keys}


def _by_place(results: Any) -> dict[str, Any]:
    """Count words that stand in bytes, and how many of them in a place where text could be, by place."""
    words = [places for own in results for places in own]
    open_places = {*UNEXPLAINED, "bytes that no object holds"}
    return {
        "words": len(words),
        "where_text_could_be": sum(not open_places.isdisjoint(places) for places in words),
        "by_place": dict(Counter(place for places in words for place in places)),
    }
