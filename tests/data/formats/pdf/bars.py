"""Scanned pages that a recogniser of a few lines can read: every word is a black bar whose width says which."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence

import numpy as np
import pikepdf
from pikepdf import Dictionary, Name

from sfumato.data.formats.scans.protocol import Picture, ReadWord

WORDS = (
    "Ann",
    "saw",
    "and",
    "Dear",
    "came",
    "with",
    "pain",
    "left",
    "today",
    "Unsure",
    "Patient",
    "Kowalczyk",
)
DPI = 200
_STEP, _FIRST, _TALL = 8, 40, 24
_LEFT, _TOP, _LEAD = 100, 100, 60
SHAPE = 1100, 850


def scan(
    lines: Sequence[str], *, turns: int = 0, extra: tuple[int, int, int, int] | None = None
) -> Picture:
    """Return a page with these words as bars, and a blot that nobody can read in the box `extra`."""
    page = np.full(SHAPE, 250, np.uint8)
    for row, line in enumerate(lines):
        x, y = _LEFT, _TOP + row * _LEAD
        for word in line.split():
            width = _FIRST + _STEP * WORDS.index(word)
            page[y : y + _TALL, x : x + width] = 20
            x += width + 20
    if extra is not None:
        left, top, right, bottom = extra
        page[top:bottom, left:right:3] = 0
    return np.ascontiguousarray(np.rot90(page, turns))


class BarReader:
    """Reads bars; those of the word `Unsure` unsurely."""

    version = "bars 1"
    word_recall: float | None = 0.5

    def read(self, picture: Picture, dpi: int) -> list[ReadWord]:
        """Return the words of a page whose bars lie flat."""
        assert dpi == DPI
        found = []
        for number, (top, bottom) in enumerate(_runs((picture < 60).any(axis=1))):
            if abs(bottom - top - _TALL) > 2:
                continue
            for left, right in _runs((picture[top:bottom] < 60).all(axis=0)):
                which, rest = divmod(right - left - _FIRST + 2, _STEP)
                if 0 <= which < len(WORDS) and rest <= 4:
                    sure = 0.3 if WORDS[which] == "Unsure" else 0.95
                    found.append(ReadWord(WORDS[which], left, top, right, bottom, sure, number))
        return found


def _runs(there: np.ndarray) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], there.astype(np.int8), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def as_pdf(*pictures: Picture, hidden: str = "") -> bytes:
    """Return pictures as the pages of a PDF; `hidden` is laid under each as invisible text."""
    pdf = pikepdf.new()
    font = pdf.make_indirect(
        Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    )
    for picture in pictures:
        rows, columns = picture.shape
        image = pdf.make_stream(
            zlib.compress(picture.tobytes()), Type=Name.XObject, Subtype=Name.Image, Width=columns, Height=rows,
            ColorSpace=Name.DeviceGray, BitsPerComponent=8, Filter=Name.FlateDecode,
        )  # fmt: skip
        add_page(pdf, image, columns * 72 / DPI, rows * 72 / DPI, font, hidden)
    return saved(pdf)


def add_page(
    pdf: pikepdf.Pdf, image: pikepdf.Object, width: float, height: float, font: pikepdf.Object | None = None,
    hidden: str = "",
) -> None:  # fmt: skip
    """Add a page that shows one picture."""
    content = b"q %.3f 0 0 %.3f 0 0 cm /P Do Q" % (width, height)
    if hidden:
        content += b" BT 3 Tr /F 10 Tf 50 50 Td (%b) Tj ET" % hidden.encode()
    resources = Dictionary(XObject=Dictionary(P=image))
    if font is not None:
        resources["/Font"] = Dictionary(F=font)
    page = Dictionary(
        Type=Name.Page, MediaBox=[0, 0, width, height], Resources=resources, Contents=pdf.make_stream(content)
    )  # fmt: skip
    pdf.pages.append(pikepdf.Page(pdf.make_indirect(page)))


def saved(pdf: pikepdf.Pdf) -> bytes:
    """Return the bytes of a PDF."""
    out = io.BytesIO()
    pdf.save(out, deterministic_id=True)
    return out.getvalue()
