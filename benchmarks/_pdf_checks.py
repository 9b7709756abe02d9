"""What is checked on a cut PDF: who can still read a marked word, and whether all else is as it was."""

from __future__ import annotations

import base64
import contextlib
import ctypes
import io
import re
import time
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.data.document import Document, Edit, by_place, unite
from sfumato.data.formats.pdf.cut import CutReport, cut
from sfumato.data.formats.pdf.marks import page_edits
from sfumato.data.formats.pdf.orders import read_orders
from sfumato.data.formats.pdf.read import (
    PdfText,
    comparable_text,
    read_all_words,
    read_pages,
    read_text,
)
from sfumato.data.formats.pdf.sanitise import sanitise
from sfumato.data.formats.pdf.scanned import Scans
from sfumato.data.formats.scans.protocol import UnreadPictureError
from sfumato.data.formats.scans.registry import picture_reader
from sfumato.data.limits import Limits

_BREAKS = r"[\s\-\u00ad\u2010]*"


@dataclass
class Redacted:
    """A file before and after, its text, the edits, and CPU seconds by step."""

    clean: bytes
    text: PdfText
    edits: Sequence[Edit]
    data: bytes
    report: CutReport
    seconds: dict[str, float] = field(default_factory=dict)
    scanned_pages: Sequence[int] = ()

    @property
    def scanned(self) -> int:
        """How many pages were read by a recogniser."""
        return len(self.scanned_pages)


def _normal(text: str) -> tuple[str, list[int]]:
    """Return the compatible form of a text, with the place of each character (ligatures have several)."""
    letters, places = [], []
    for i, character in enumerate(text):
        for each in unicodedata.normalize("NFKC", character) or character:
            letters.append(each)
            places.append(i)
    return "".join(letters), places


def _find(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    normal, places = _normal(text)
    for word in words:
        plain = unicodedata.normalize("NFKC", word)
        pattern = _BREAKS.join(re.escape(c) for c in plain if not c.isspace())
        for match in re.finditer(pattern, normal, re.IGNORECASE) if pattern else ():
            yield places[match.start()], places[match.end() - 1] + 1


def mark(text: str, orders: Sequence[Sequence[int]], words: Sequence[str]) -> list[Edit]:
    """Return the edits of an oracle that knows the words, in every order of the text."""
    edits = [Edit(start, end, "[NAME]", "NAME") for start, end in _find(text, words)]
    for order in orders:
        other = "".join(text[i] if i >= 0 else " " for i in order)
        for start, end in _find(other, words):
            runs: list[list[int]] = []
            for i in (i for i in order[start:end] if i >= 0):
                if runs and runs[-1][1] == i:
                    runs[-1][1] = i + 1
                else:
                    runs.append([i, i + 1])
            edits += [Edit(a, b, "" if n else "[NAME]", "NAME") for n, (a, b) in enumerate(runs)]
    return unite(edits)


def redact(
    data: bytes, words: Sequence[str] | None, *, blank: bool = True, seed: str = "", scans: bool = False
) -> Redacted:  # fmt: skip
    """Cut words out of a file; without any, rare words of its own are drawn."""
    start = time.process_time()
    clean = sanitise(data, Limits(), blank=blank)
    sanitised = time.process_time()
    seen = Scans(data, Limits(), allowed=True) if scans else None
    text = read_text(clean.data, clean.pictures, blank=blank, scan=seen.read if seen else None)
    read = time.process_time()
    orders = read_orders(text)
    ordered = time.process_time()
    if words is None:
        words = rare_words(text.text, seed)
    edits = mark(text.text, orders, words)
    places = by_place(Document("d", text.text, segments=text.segments()), edits)
    marked = time.process_time()
    by_page = page_edits(places)
    read_pages_ = seen if seen is not None and seen.pages else None
    out, report = cut(clean.data, text, by_page, pictures=not blank, scans=read_pages_)
    if read_pages_ is not None:
        read_pages_.check(out, by_page)
    done = time.process_time()
    seconds = {
        "sanitise": sanitised - start, "read": read - sanitised, "orders": ordered - read, "cut": done - marked,
    }  # fmt: skip
    return Redacted(
        clean.data, text, edits, out, report, seconds, sorted(seen.pages) if seen else ()
    )


def time_steps(data: bytes, seed: str) -> tuple[dict[str, float], int, int] | None:
    """Return the CPU seconds of each step, the pages and the edits; None for a file of one or two pages.

    Drawn are 2 % of the words, on 70 % of the pages.
    """
    import random

    from sfumato.data.formats.pdf import verify

    draw = random.Random(seed)
    times = [time.process_time()]
    clean = sanitise(data, Limits())
    times.append(time.process_time())
    text = read_text(clean.data, clean.pictures, blank=True)
    times.append(time.process_time())
    read_orders(text)
    times.append(time.process_time())
    if len(text.pages) < 3 or not text.text.strip():
        return None
    chosen = {page for page in range(len(text.pages)) if draw.random() < 0.7}
    edits = [
        Edit(word.start(), word.end(), "[NAME]", "NAME")
        for word in re.finditer(r"[^\W\d_]{3,}", text.text)
        if draw.random() < 0.02 and text.page_of(word.start())[0] in chosen
    ]
    places = by_place(Document("d", text.text, segments=text.segments()), edits)
    begin = time.process_time()
    out, _ = cut(clean.data, text, page_edits(places), pictures=False)
    cut_in = time.process_time() - begin
    begin = time.process_time()
    published = comparable_text(read_all_words(out))
    verify.has_only_pages(out)
    read_back = time.process_time() - begin
    gone = {text.text[e.start : e.end] for e in edits}
    begin = time.process_time()
    verify.find_leaks(out, [word for word in gone if comparable_text(word) not in published])
    seconds = {
        "sanitise": times[1] - times[0], "read": times[2] - times[1], "orders": times[3] - times[2], "cut": cut_in,
        "read_back": read_back, "search": time.process_time() - begin,
    }  # fmt: skip
    return seconds, len(text.pages), len(edits)


def rare_words(text: str, seed: str) -> list[str]:
    """Return some words that are rare in a text, and pairs of neighbours."""
    import random

    draw = random.Random(seed)
    words = re.findall(r"[^\W\d_]{5,}", text)
    counted = Counter(word.casefold() for word in words)
    rare = sorted({word for word in words if counted[word.casefold()] <= 5})
    if not rare:
        return []
    chosen = draw.sample(rare, min(len(rare), draw.randint(3, 10)))
    pairs = re.findall(r"[^\W\d_]{4,} [^\W\d_]{5,}", text)
    return sorted({*chosen, *draw.sample(pairs, min(2, len(pairs)))})


# --- leaks ---------------------------------------------------------------------------------------


def _stands(text: str, word: str) -> bool:
    text = unicodedata.normalize("NFKC", re.sub(r"[-\u00ad\u2010\ufffe\x02]\s*\n\s*", "", text))
    plain = unicodedata.normalize("NFKC", word)
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, plain.split())) + r"(?!\w)"
    return re.search(pattern, text, re.IGNORECASE) is not None


def _pdfminer(data: bytes) -> str:
    from pdfminer.high_level import extract_text

    return extract_text(io.BytesIO(data))


def _streams(data: bytes) -> Iterator[bytes]:
    yield data
    for start in re.finditer(rb"stream\r?\n", data):
        try:
            yield zlib.decompressobj().decompress(data[start.end() :], 50_000_000)
        except zlib.error:
            continue


def _in_bytes(data: bytes, words: Sequence[str]) -> set[str]:
    """Return the words that stand in a stream, by bytes."""
    found = set()
    for stream in _streams(data):
        for word in set(words) - found:
            forms = [word.encode("utf-8"), word.encode("utf-16-be"), word.encode("utf-16-le")]
            long = (
                len(forms[0]) >= 6
            )  # the middle of a shorter word is three letters, which stand anywhere
            packed = [
                base64.b64encode(b"\0" * n + forms[0])[4 if n else 0 : -4] for n in range(3) if long
            ]
            digits = [f.hex().encode() for f in forms] + [f.hex().upper().encode() for f in forms]
            names = [b"/" + forms[0], word.replace(" ", "#20").encode()]
            if any(f and f in stream for f in (*forms, *packed, *digits, *names)):
                found.add(word)
    return found


def find_leaks(data: bytes, words: Sequence[str], *, raw: bool = True) -> dict[str, list[str]]:
    """Return the words that each reader finds in a cut file."""
    texts = {
        "pdfium": PdfText(read_pages(data)).text,
        "pdfminer": _pdfminer(data),
    }
    found = {reader: [w for w in words if _stands(text, w)] for reader, text in texts.items()}
    if raw:
        found["bytes"] = sorted(_in_bytes(data, words))
    return {reader: left for reader, left in found.items() if left}


def find_by_ocr(data: bytes, words: Sequence[str], pages: Sequence[int] | None = None) -> list[str]:
    """Return the words that a recogniser reads on the rendered pages of a file, or on some of them."""
    import pypdfium2 as pdfium

    reader = picture_reader()
    assert reader is not None
    text = []
    with pdfium.PdfDocument(data) as document:
        for number in range(len(document)) if pages is None else pages:
            image = document[number].render(scale=150 / 72, grayscale=True).to_numpy()
            with contextlib.suppress(UnreadPictureError):  # what it cannot read it does not find
                read = reader.recogniser.read(image.reshape(image.shape[:2]), 150)
                text.append(" ".join(word.text for word in read))
    return [word for word in words if _stands("\n".join(text), word)]


# --- damage --------------------------------------------------------------------------------------


def _place(page: Any, shape: tuple[int, ...], box: Sequence[float]) -> tuple[int, int, int, int]:
    from pypdfium2 import raw

    x, y = ctypes.c_int(), ctypes.c_int()
    corners = []
    for a, b in ((box[0], box[1]), (box[2], box[3])):
        raw.FPDF_PageToDevice(page.raw, 0, 0, shape[1], shape[0], 0, a, b, x, y)
        corners.append((x.value, y.value))
    (x0, y0), (x1, y1) = corners
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def changed_pixels(done: Redacted, most: int = 12) -> list[float]:
    """Return for pages with a cut the share of pixels that differ outside the words that went or moved."""
    import pypdfium2 as pdfium

    before, after = pdfium.PdfDocument(done.clean), pdfium.PdfDocument(done.data)
    places = by_place(Document("d", done.text.text, segments=done.text.segments()), done.edits)
    by_page = page_edits(places)
    now = read_pages(done.data)
    shares = []
    for number in [n for n in sorted(by_page) if n not in done.report.pictures][:most]:
        one, other = before[number], after[number]
        scale = min(1.0, 900 / max(one.get_size()))
        images = [
            np.asarray(p.render(scale=scale, may_draw_forms=False, grayscale=True).to_numpy()).astype(int)
            for p in (one, other)
        ]  # fmt: skip
        if images[0].shape != images[1].shape:
            shares.append(1.0)
            continue
        keep = np.ones(images[0].shape[:2], np.bool_)
        old = done.text.pages[number]
        for box in _touched(old, now[number], by_page[number]):
            x0, y0, x1, y1 = _place(one, keep.shape, box)
            keep[max(0, y0 - 3) : max(0, y1 + 4), max(0, x0 - 3) : max(0, x1 + 4)] = False
        one_way, other_way = (_differs(*pair) for pair in (images, images[::-1]))
        shares.append(float(((one_way | other_way) & keep).sum() / keep.size))
    return shares


def _differs(one: Any, other: Any) -> Any:
    """Return the pixels of one picture that the other has nowhere around: glyphs are drawn at whole pixels."""
    one, other = (image.reshape(*image.shape[:2], -1).max(axis=2) for image in (one, other))
    around = np.pad(other, 1, mode="edge")
    rows, columns = one.shape
    near = [np.abs(one - around[y : y + rows, x : x + columns]) for y in range(3) for x in range(3)]
    return np.min(near, axis=0) > 40


def _touched(old: Any, new: Any, edits: Sequence[Any]) -> Iterator[Sequence[float]]:
    """Yield the boxes of what went, of what came, and of what moved."""
    at, expected = 0, list[int]()
    for edit in edits:
        expected += [*range(at, edit.start), *([-1] * len(comparable_text(edit.replacement)))]
        yield from old.box[edit.start : edit.end].tolist()
        at = edit.end
    expected += range(at, len(old.text))
    kept = [i for i in expected if i < 0 or comparable_text(old.text[i])]
    found = [i for i, c in enumerate(new.text) if comparable_text(c)]
    for i, j in zip(kept, found, strict=False):
        if i < 0:
            yield new.box[j].tolist()
        elif np.abs(old.origin[i] - new.origin[j]).max() > 0.002:
            yield old.box[i].tolist()
            yield new.box[j].tolist()


# --- fonts ---------------------------------------------------------------------------------------


def _longest_run(name: str, order: str) -> int:
    """Return how many letters of a name, each once, stand in a row in an order of letters."""
    letters = "".join(dict.fromkeys(name.replace(" ", "")))
    return max(
        (b - a for a in range(len(letters)) for b in range(a + 1, len(letters) + 1) if letters[a:b] in order),
        default=0,
    )  # fmt: skip


def tell_by_fonts(data: bytes, names: Sequence[str]) -> tuple[int, int]:
    """Count the names that the order of codes of a font spells, and those whose letters are left in one."""
    import pikepdf

    from sfumato.data.formats.pdf.encodings import unicode_map
    from sfumato.data.formats.pdf.interpret import Interpreter
    from sfumato.data.formats.pdf.refusal import PageRefusedError
    from sfumato.data.formats.pdf.streams import walk

    used: dict[tuple[int, int], set[int]] = {}
    spelled, left = set[str](), set[str]()
    with pikepdf.open(io.BytesIO(data)) as pdf:
        interpreter = Interpreter(pdf)
        for page in pdf.pages:
            try:
                for show in interpreter.read(page).shows:
                    used.setdefault(show.font.object.objgen, set()).update(show.codes)
            except PageRefusedError:
                continue
        for font in walk(pdf.Root):
            texts = unicode_map(font) if font.get("/Type") == "/Font" else {}
            if not texts or font.get("/BaseFont") == "/Glyphless":
                continue
            order = "".join(texts[code] for code in sorted(texts))
            unused = {c for code, t in texts.items() if code not in used.get(font.objgen, set()) for c in t}  # fmt: skip
            for name in names:
                if _longest_run(name, order) >= 5:
                    spelled.add(name)
                letters = set(name.replace(" ", ""))
                if len(letters & unused) >= 0.5 * len(letters):
                    left.add(name)
    return len(spelled), len(left)
