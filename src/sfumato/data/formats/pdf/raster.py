"""A page as a picture: what is cut is painted over, what stays is laid over it as invisible text."""

from __future__ import annotations

import ctypes
import math
import zlib
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pikepdf
import pypdfium2 as pdfium
from fontTools import agl
from pikepdf import Array, Dictionary, Name
from pypdfium2 import raw

from .keys import PAGE_PICTURE
from .layout import placeholder_width
from .marks import PageEdit, decided_text
from .read import PageText
from .refusal import FileRefusedError
from .rewrite import EXTRA_LETTERS, PLACEHOLDER_FONT, winansi

__all__ = ["DrawnPicture", "PagePicture", "helvetica", "rasterise"]

_DPI = 150
_MOST_PIXELS = 40_000_000
_GREY = 224
_APART = 0.1  # points between two pieces of a line that begin at one place
_MAP = (
    b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange <0000> <ffff> "
    b"endcodespacerange 1 beginbfrange <0000> <ffff> <0000> endbfrange endcmap end end"
)


def helvetica() -> Dictionary:
    """Return the font of placeholders, which every viewer has."""
    listed = Array()
    for letter, code in sorted(EXTRA_LETTERS.items(), key=lambda item: item[1]):
        listed.append(code)
        listed.append(Name("/" + agl.UV2AGL.get(ord(letter), f"uni{ord(letter):04X}")))
    encoding = Dictionary(Type=Name.Encoding, BaseEncoding=Name.WinAnsiEncoding, Differences=listed)
    return Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=encoding
    )


def _invisible_font(pdf: pikepdf.Pdf) -> pikepdf.Object:
    descriptor = Dictionary(
        Type=Name.FontDescriptor, FontName=Name.Glyphless, Flags=4, FontBBox=[0, 0, 500, 1000], ItalicAngle=0,
        Ascent=1000, Descent=0, CapHeight=1000, StemV=80,
    )  # fmt: skip
    system = Dictionary(
        Registry=pikepdf.String("Adobe"), Ordering=pikepdf.String("Identity"), Supplement=0
    )
    inner = Dictionary(
        Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name.Glyphless, CIDSystemInfo=system, DW=500,
        FontDescriptor=descriptor,
    )  # fmt: skip
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type0, BaseFont=Name.Glyphless, Encoding=Name("/Identity-H"),
        DescendantFonts=Array([inner]), ToUnicode=pdf.make_stream(_MAP),
    )  # fmt: skip
    return pdf.make_indirect(font)


class PagePicture(Protocol):
    """The picture of a page, and the way from points of the page to its pixels."""

    width: float
    height: float
    scale: float

    def place(self, x: float, y: float) -> tuple[int, int]:
        """Return the pixel of a point."""

    def paint(self, box: Sequence[float]) -> tuple[int, int, int, int]:
        """Paint over a box of the page; return its pixels."""

    def image(self, pdf: pikepdf.Pdf) -> pikepdf.Object:
        """Return the picture as an object of a file."""

    def close(self) -> None:
        """Close the file that the picture was made from."""


class DrawnPicture:
    """The picture of a page as a viewer draws it."""

    def __init__(self, data: bytes, number: int) -> None:
        self._document = pdfium.PdfDocument(data)
        self.page = self._document[number]
        self.width, self.height = self.page.get_size()
        self.scale = _DPI / 72
        area = self.width * self.height
        if not 0 < area < 1e9:
            raise FileRefusedError("has a page of an impossible size that cannot be cut")
        self.scale = min(self.scale, (_MOST_PIXELS / area) ** 0.5)
        bitmap = self.page.render(scale=self.scale, may_draw_forms=False, rev_byteorder=True)
        self.pixels: npt.NDArray[np.uint8] = np.array(bitmap.to_numpy()[:, :, :3])

    def place(self, x: float, y: float) -> tuple[int, int]:
        """Return the pixel of a point."""
        across, down = ctypes.c_int(), ctypes.c_int()
        rows, columns = self.pixels.shape[:2]
        raw.FPDF_PageToDevice(self.page.raw, 0, 0, columns, rows, 0, x, y, across, down)
        return across.value, down.value

    def paint(self, box: Sequence[float]) -> tuple[int, int, int, int]:
        """Paint over a box of the page; return its pixels."""
        (x0, y0), (x1, y1) = self.place(box[0], box[1]), self.place(box[2], box[3])
        left, right = sorted((x0, x1))
        top, bottom = sorted((y0, y1))
        found = max(0, left - 2), max(0, top - 2), max(0, right + 2), max(0, bottom + 2)
        self.pixels[found[1] : found[3] + 1, found[0] : found[2] + 1] = _GREY
        return found

    def image(self, pdf: pikepdf.Pdf) -> pikepdf.Object:
        """Return the picture as an object of a file."""
        rows, columns = self.pixels.shape[:2]
        return pdf.make_stream(
            zlib.compress(self.pixels.tobytes(), 6), Type=Name.XObject, Subtype=Name.Image, Width=columns,
            Height=rows, ColorSpace=Name.DeviceRGB, BitsPerComponent=8, Filter=Name.FlateDecode,
        )  # fmt: skip

    def close(self) -> None:
        """Close the file."""
        self.page.close()
        self._document.close()


def rasterise(
    pdf: pikepdf.Pdf,
    number: int,
    picture: PagePicture,
    text: PageText,
    edits: Sequence[PageEdit],
    *,
    in_place: bool = True,
) -> None:
    """Replace a page by its picture, with the edits painted over, and the text that stays.

    Parameters
    ----------
    pdf : Pdf
        The file that is written.
    number : int
        The page, from 0.
    picture : PagePicture
        The picture of the page; it is closed.
    text : PageText
        The text of the page.
    edits : sequence of PageEdit
        What is removed from it, in order.
    in_place : bool, default=True
        Whether each word is laid over its place in the picture. Readers put the words of a turned line into
        another order; line by line from the top, no reader does.

    """
    try:
        content = [b"q %.3f 0 0 %.3f 0 0 cm /%b Do Q" % (
            picture.width, picture.height, PAGE_PICTURE[1:].encode(),
        )]  # fmt: skip
        layer = _text_layer if in_place else _plain_layer
        content += layer(picture, text, edits)
        image = picture.image(pdf)
        page = pdf.pages[number].obj
        for key in [k for k in page.keys() if k not in ("/Type", "/Parent")]:  # noqa: SIM118
            del page[key]
        page["/MediaBox"] = Array([0, 0, round(picture.width, 3), round(picture.height, 3)])
        page["/Rotate"] = (
            0  # the picture is turned already, and an inherited turn must not count again
        )
        page["/CropBox"] = page["/MediaBox"]
        fonts = Dictionary({"/F": _invisible_font(pdf)})
        fonts["/" + PLACEHOLDER_FONT.decode()] = helvetica()
        page["/Resources"] = Dictionary(XObject=Dictionary({PAGE_PICTURE: image}), Font=fonts)
        page["/Contents"] = pdf.make_stream(b"\n".join(content))
    finally:
        picture.close()


class _TextLine:
    """Where the last piece of text began: readers order the pieces of a line by that.

    Kerning may put a letter before the comma at its left. Where only the comma stays, the next piece begins after it.
    """

    def __init__(self) -> None:
        self.x = self.y = -math.inf

    def begin(self, x: float, y: float, size: float) -> float:
        """Return where a piece begins that is drawn at a place."""
        if abs(y - self.y) < 0.3 * size and -size < x - self.x < _APART:
            x = self.x + _APART
        self.x, self.y = x, y
        return x


def _text_layer(picture: PagePicture, text: PageText, edits: Sequence[PageEdit]) -> Iterator[bytes]:
    """Yield the text of a page, word by word; an edit is painted over and gets its placeholder."""
    edit_at = {i: edit for edit in edits for i in range(edit.start, edit.end)}
    word: list[int] = []
    line = _TextLine()

    def close() -> Iterator[bytes]:
        if word:
            yield _invisible_word(picture, text, word, line)
            word.clear()

    drawn: set[int] = set()
    for i, character in enumerate(text.text):
        edit = edit_at.get(i)
        if edit is not None:
            yield from close()
            if not text.made[i] and text.box[i][2] > text.box[i][0]:
                pixels = picture.paint(text.box[i])
                if edit.number not in drawn and edit.replacement and not character.isspace():
                    drawn.add(edit.number)
                    start, _ = picture.place(*text.origin[i])
                    wide = _whole_box(picture, text, edit)
                    yield _placeholder(picture, pixels, start, wide, edit.replacement, line)
        elif character.isspace() or text.made[i]:
            yield from close()
        else:
            word.append(i)
    yield from close()


def _plain_layer(
    picture: PagePicture, text: PageText, edits: Sequence[PageEdit]
) -> Iterator[bytes]:
    """Yield the text of a page line by line from the top; what edits remove is painted over."""
    for edit in edits:
        for i in range(edit.start, edit.end):
            if not text.made[i] and text.box[i][2] > text.box[i][0]:
                picture.paint(text.box[i])
    lines = [line for line in decided_text(text, edits).split("\n") if line.strip()]
    step = min(12.0, picture.height / (len(lines) + 1))
    for number, line in enumerate(lines, 1):
        letters = line.encode("utf-16-be", "surrogatepass")
        stretch = max(1.0, min(100.0, 100 * picture.width / (len(letters) / 2 * step * 0.4)))
        yield b"BT 3 Tr /F %.2f Tf %.1f Tz 1 0 0 1 0 %.2f Tm <%b0020> Tj ET" % (
            max(0.1, 0.8 * step), stretch, picture.height - number * step, letters.hex().encode(),
        )  # fmt: skip


def _invisible_word(
    picture: PagePicture, text: PageText, word: Sequence[int], line: _TextLine
) -> bytes:
    """Return a word that is laid over the picture."""
    x0, y0 = picture.place(*text.origin[word[0]])
    box = text.box[word[-1]]
    x1, y1 = picture.place(box[2], box[3])
    size = max(1.0, 0.8 * float(box[3] - box[1]))
    wide = max(1.0, max(abs(x1 - x0), abs(y1 - y0)) / picture.scale)
    # The space at the end: pdfium drops a single letter that its own fonts do not have.
    letters = "".join(text.text[i] for i in word).encode("utf-16-be")
    stretch = max(1.0, min(1000.0, 100 * wide / (len(letters) / 2 * size * 0.5)))
    y = picture.height - y0 / picture.scale
    x = line.begin(x0 / picture.scale, y, size)
    return b"BT 3 Tr /F %.2f Tf %.1f Tz 1 0 0 1 %.2f %.2f Tm <%b0020> Tj ET" % (
        size, stretch, x, y, letters.hex().encode(),
    )  # fmt: skip


def _whole_box(picture: PagePicture, text: PageText, edit: PageEdit) -> int:
    """Return how many pixels an edit is wide on the line on which it begins."""
    first = next(i for i in range(edit.start, edit.end) if not text.text[i].isspace())
    left, line = picture.place(*text.origin[first])
    right = left
    for i in range(first, edit.end):
        x, y = picture.place(text.box[i][2], text.origin[i][1])
        if abs(y - line) <= 2 and x > right:
            right = x
    return right - left


def _placeholder(
    picture: PagePicture, pixels: tuple[int, int, int, int], start: int, wide: int, text: str,
    line: _TextLine,
) -> bytes:  # fmt: skip
    """Return the text that is drawn in a painted box, from where the removed text began.

    Readers order the words of a line by where they begin: from the edge of the box, which is wider than what was
    written, it would come before a comma or an apostrophe at its left.
    """
    scale = picture.scale
    left = min(max(start, pixels[0]), pixels[2])
    baseline = pixels[3] - 0.25 * (pixels[3] - pixels[1])
    tall = (pixels[3] - pixels[1]) / scale
    size = max(1.0, 0.65 * tall)
    stretch = min(100.0, 100 * max(1.0, wide / scale) / (placeholder_width(text) * size))
    y = picture.height - baseline / scale
    return b"BT 0 g 0 Tr /%b %.2f Tf %.1f Tz 1 0 0 1 %.2f %.2f Tm <%b> Tj ET" % (
        PLACEHOLDER_FONT, size, max(1.0, stretch), line.begin(left / scale, y, size), y, winansi(text).hex().encode(),
    )  # fmt: skip
