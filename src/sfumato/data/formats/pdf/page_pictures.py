"""The pages of a PDF as a person sees them: a picture of each, and the place of every character on it."""

from __future__ import annotations

import ctypes
import struct
import zlib

import numpy as np
import pypdfium2 as pdfium
from pypdfium2 import raw

from ..page_views import PageView
from .read import read_pages

__all__ = ["page_picture", "page_views"]

_WIDTH = 900  # pixels of a picture
_HIGHEST = 4_000
_GRID = 1 << 16


def page_views(data: bytes) -> list[PageView]:
    """Return the text of every page, and the box of each character in parts of the page."""
    document = pdfium.PdfDocument(data)
    try:
        found = []
        for number, page in enumerate(read_pages(data)):
            own = document[number]
            found.append(PageView(page.text, [_box(own, box) for box in page.box.tolist()]))
            own.close()
        return found
    finally:
        document.close()


def _box(page: pdfium.PdfPage, box: list[float]) -> tuple[float, float, float, float]:
    """Return a box as it is on the page that a person sees, which may be turned."""
    x, y = ctypes.c_int(), ctypes.c_int()
    across, down = [], []
    for left, bottom in ((box[0], box[1]), (box[2], box[3])):
        raw.FPDF_PageToDevice(page.raw, 0, 0, _GRID, _GRID, 0, left, bottom, x, y)
        across.append(min(max(x.value / _GRID, 0.0), 1.0))
        down.append(min(max(y.value / _GRID, 0.0), 1.0))
    return min(across), min(down), max(across), max(down)


def page_picture(data: bytes, number: int) -> bytes | None:
    """Return a page, from 0, as a PNG; None where there is no such page."""
    document = pdfium.PdfDocument(data)
    try:
        if not 0 <= number < len(document):
            return None
        page = document[number]
        width, height = page.get_size()
        scale = min(_WIDTH / width, _HIGHEST / height)
        pixels = page.render(scale=scale, may_draw_forms=False, grayscale=True).to_numpy()
        page.close()
        return _png(np.ascontiguousarray(pixels.reshape(pixels.shape[:2])))
    finally:
        document.close()


def _png(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> bytes:
    """Return a grey picture as a PNG, without the names and dates that a library would add."""
    rows, columns = pixels.shape
    lines = b"".join(b"\0" + pixels[row].tobytes() for row in range(rows))
    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 6)), (b"IEND", b""))
    )
