"""Scanned pages of a PDF: drawn, read, and published as new pictures."""

from __future__ import annotations

import io
import re
import struct
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pikepdf
import pypdfium2 as pdfium
from pikepdf import Array, Dictionary, Name, Object, Stream

from ...limits import Limits
from ..scans.orientation import ReadPicture, upright
from ..scans.painting import GREY, covered_box, paint_page
from ..scans.protocol import Picture, ReadWord, UnreadPictureError
from ..scans.registry import PictureReader, picture_reader
from ..scans.trust import trusted_words
from .keys import PAGE_PICTURE
from .marks import PageEdit
from .read import PageText
from .refusal import FileRefusedError
from .sanitise import sanitise
from .streams import walk

__all__ = ["ScannedPage", "ScannedPicture", "Scans", "find_in_scans", "page_words", "read_scans"]

_DPI = 200
_BITS = 4
_SHORTEST = 4  # letters of a removed string that is looked for; the text is compared with what was decided anyway
_WORD = re.compile(r"\w+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_BARE = str.maketrans("łŁøØđĐı", "lLoOdDi")
_MOST_PIXELS = 40_000_000
_LARGEST = 200_000_000
"""Pixels that a picture may have before it is drawn: a sheet of A3 at 600 dpi has a third of that."""


@dataclass(frozen=True)
class ScannedPage:
    """A page that was read: its words, and which word each character of its text is of (-1 for none).

    The places of its characters are in points of the page as it is published, upright and without margins.
    """

    text: PageText
    words: Sequence[ReadWord]
    owner: Sequence[int]
    read: ReadPicture

    def gone(self, edits: Sequence[PageEdit]) -> set[int]:
        """Return the words, by number, of which an edit removes a part: they go whole."""
        inside = (self.owner[i] for edit in edits for i in range(edit.start, edit.end))
        return {number for number in inside if number >= 0}


def read_scans(data: bytes, pages: Sequence[int], reader: PictureReader) -> dict[int, ScannedPage]:
    """Return the scanned pages of a sanitised PDF, from 0, read.

    Parameters
    ----------
    data : bytes
        The PDF, with its pictures.
    pages : sequence of int
        Which pages are scanned.
    reader : PictureReader
        What reads them.

    """
    _check_pictures(data, pages)
    found = {}
    for number in pages:
        picture, scale = _draw(data, number)
        try:
            read = reader.read(picture, round(scale * 72))
        except UnreadPictureError as error:
            raise FileRefusedError(str(error)) from None
        words = [word for word in trusted_words(read.words) if word.text.strip()]
        rows = picture.shape[read.quarter_turns % 2]
        text, owner = page_words(words, rows, scale)
        found[number] = ScannedPage(text, words, owner, read)
    return found


def page_words(words: Sequence[ReadWord], rows: int, scale: float) -> tuple[PageText, list[int]]:
    """Return words as the text of a page: a space between words, a break between lines.

    Boxes are shared out evenly among the letters of a word, and the words of a line have one height.
    """
    text: list[str] = []
    boxes: list[tuple[float, ...]] = []
    owner: list[int] = []
    lines: dict[int, list[int]] = {}
    for word in words:
        lines.setdefault(word.line, []).append(word.bottom)
    foot = {line: sorted(own)[len(own) // 2] for line, own in lines.items()}
    for number, word in enumerate(words):
        if number:
            text.append(" " if word.line == words[number - 1].line else "\n")
            boxes.append(boxes[-1])
            owner.append(-1)
        step = (word.right - word.left) / len(word.text)
        for at, letter in enumerate(word.text):
            text.append(" " if letter.isspace() else letter)
            left = word.left + at * step
            boxes.append(
                (left, rows - word.bottom, left + step, rows - word.top, rows - foot[word.line])
            )
            owner.append(number)
    where = np.array(boxes, np.float64).reshape(-1, 5) / scale
    made = np.array([number < 0 for number in owner], np.bool_)
    return PageText("".join(text), where[:, [0, 4]], where[:, :4], made), owner


def _draw(data: bytes, number: int) -> tuple[Picture, float]:
    """Return a page as a grey picture, and its pixels per point."""
    document = pdfium.PdfDocument(data)
    try:
        page = document[number]
        width, height = page.get_size()
        area = width * height
        if not 0 < area < 1e9:
            raise FileRefusedError("has a page of an impossible size")
        scale = min(_DPI / 72, (_MOST_PIXELS / area) ** 0.5)
        pixels = page.render(scale=scale, may_draw_forms=False, grayscale=True).to_numpy()
        page.close()
        return np.array(pixels.reshape(pixels.shape[:2])), scale
    except pdfium.PdfiumError:
        raise FileRefusedError("has a scanned page that cannot be drawn") from None
    finally:
        document.close()


# --- hostile pictures ----------------------------------------------------------------------------


def _check_pictures(data: bytes, pages: Sequence[int]) -> None:
    """Refuse pictures that are too large to be drawn, or cut off: what cannot be drawn cannot be read."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        for number in pages:
            page = pdf.pages[number]
            for found in walk(page.resources):
                if isinstance(found, Stream) and found.get("/Subtype") == Name.Image:
                    _check_picture(found)


def _check_picture(image: Object) -> None:
    sizes = [(int(image.get("/Width", 0)), int(image.get("/Height", 0)))]
    filters = image.get("/Filter")
    last = str(filters[-1] if isinstance(filters, Array) and len(filters) else filters)
    content = bytes(image.read_raw_bytes())
    if last in ("/DCTDecode", "/DCT") and not isinstance(filters, Array):
        sizes.append(_jpeg_size(content))
    at = content.find(b"\xff\x4f\xff\x51") if last == "/JPXDecode" else -1
    if at >= 0 and len(content) >= at + 16:
        sizes.append(struct.unpack(">II", content[at + 8 : at + 16]))
    for width, height in sizes:
        if width < 1 or height < 1 or width * height > _LARGEST:
            raise FileRefusedError("has a picture of more pixels than the limit allows")


def _jpeg_size(content: bytes) -> tuple[int, int]:
    """Return the width and height that a JPEG says of itself; refuse one that is cut off.

    >>> _jpeg_size(bytes.fromhex("ffd8 ffc0 0007 08 0010 0020 ffd9"))
    (32, 16)
    """
    if b"\xff\xd9" not in content[-64:]:
        raise FileRefusedError("has a picture that is cut off")
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:
        kind = content[at + 1]
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 2 + int.from_bytes(content[at + 2 : at + 4], "big") if kind != 0xFF else 1
    raise FileRefusedError("has a picture that is damaged")


# --- writing -------------------------------------------------------------------------------------


class ScannedPicture:
    """The picture of a scanned page as it is published, and the way from its points to its pixels.

    Parameters
    ----------
    data : bytes
        The PDF, with its pictures.
    number : int
        The page, from 0.
    page : ScannedPage
        What was read on it.
    edits : sequence of PageEdit
        What is removed from it.

    """

    def __init__(
        self, data: bytes, number: int, page: ScannedPage, edits: Sequence[PageEdit]
    ) -> None:
        drawn, self.scale = _draw(data, number)
        scan = upright(drawn, page.read)
        gone = page.gone(edits)
        stay = [word for i, word in enumerate(page.words) if i not in gone]
        self.pixels = paint_page(
            scan, round(self.scale * 72), stay, [page.words[i] for i in sorted(gone)]
        )
        self.height, self.width = (size / self.scale for size in self.pixels.shape)

    def place(self, x: float, y: float) -> tuple[int, int]:
        """Return the pixel of a point."""
        return round(x * self.scale), round((self.height - y) * self.scale)

    def paint(self, box: Sequence[float]) -> tuple[int, int, int, int]:
        """Return the pixels of a box, which is painted over already."""
        (left, bottom), (right, top) = self.place(box[0], box[1]), self.place(box[2], box[3])
        return max(0, left), max(0, top), right, bottom

    def image(self, pdf: pikepdf.Pdf) -> Object:
        """Return the picture as an object of the file: two pixels a byte."""
        rows, columns = self.pixels.shape
        shades = np.zeros((rows, columns + columns % 2), np.uint8)
        shades[:, :columns] = self.pixels // 17
        packed = (shades[:, ::2] << 4) | shades[:, 1::2]
        return pdf.make_stream(
            zlib.compress(packed.tobytes(), 6), Type=Name.XObject, Subtype=Name.Image, Width=columns,
            Height=rows, ColorSpace=Name.DeviceGray, BitsPerComponent=_BITS, Filter=Name.FlateDecode,
        )  # fmt: skip

    def close(self) -> None:
        """Do nothing: the file is closed."""


class Scans:
    """The scanned pages of one file: how they are read, painted and checked.

    Parameters
    ----------
    content : bytes
        The file as it came.
    limits : Limits
        How large it may become.
    allowed : bool
        Whether scanned pages may be read: a person will see them, or has said that nobody need.

    """

    def __init__(self, content: bytes, limits: Limits, *, allowed: bool) -> None:
        self._content, self._limits, self._allowed = content, limits, allowed
        self._pictured = b""
        self.found = 0
        self.pages: dict[int, ScannedPage] = {}

    def count(self, numbers: Sequence[int], needed: bool) -> dict[int, PageText]:
        """Count the scanned pages without reading them; refuse a file that needs them where nothing here could."""
        self.found = len(numbers)
        if needed and picture_reader() is None:
            raise FileRefusedError(f"has scanned pages ({self.found:,}), which need the extra ocr")
        return {}

    def read(self, numbers: Sequence[int], needed: bool) -> dict[int, PageText]:
        """Return what is written on the scanned pages; nothing where they cannot or may not be read.

        A file that needs them, because it would be empty otherwise, is refused then.
        """
        self.count(numbers, needed)
        reader = picture_reader()
        if reader is None or not self._allowed:
            if not needed:
                return {}
            raise FileRefusedError(
                f"has scanned pages ({self.found:,}), which a person must see in the review room, or which "
                "--accept-scans accepts unseen"
            )
        self._pictured = sanitise(self._content, self._limits, blank=False).data
        self.pages = read_scans(self._pictured, numbers, reader)
        return {number: page.text for number, page in self.pages.items()}

    def picture(self, number: int, edits: Sequence[PageEdit]) -> ScannedPicture | None:
        """Return the picture that a scanned page becomes; None for another page."""
        if number not in self.pages:
            return None
        return ScannedPicture(self._pictured, number, self.pages[number], edits)

    def check(self, written: bytes, edits: Mapping[int, Sequence[PageEdit]]) -> None:
        """Refuse a written file in which a box over a removed word is not of one shade."""
        document = pdfium.PdfDocument(written)
        try:
            for number, page in self.pages.items():
                pixels = _only_picture(document[number])
                for i in sorted(page.gone(edits.get(number, ()))):
                    left, top, right, bottom = covered_box(page.words[i])
                    if np.any(pixels[top:bottom, left:right] != GREY):
                        raise FileRefusedError("has a scanned page that was not painted as decided")
        finally:
            document.close()


def _only_picture(page: pdfium.PdfPage) -> Picture:
    pictures = [o for o in page.get_objects() if isinstance(o, pdfium.PdfImage)]
    if len(pictures) != 1:
        raise FileRefusedError("has a scanned page that is not one picture")
    pixels = pictures[0].get_bitmap().to_numpy()
    return np.asarray(pixels.reshape(*pixels.shape[:2], -1)[:, :, 0])


def find_in_scans(data: bytes, removed: Iterable[str]) -> int:
    """Count the removed strings that a recogniser reads on the scanned pages of a written file.

    Accents make no difference: a recogniser that read one of them once may miss it next to it.
    """
    found = (_WORD.findall(_without_accents(text)) for text in removed)
    wanted = [words for words in found if len("".join(words)) >= _SHORTEST]
    numbers = list(_own_scans(data))
    reader = picture_reader() if numbers and wanted else None
    if reader is None:
        return len(wanted) if numbers else 0
    left = set[int]()
    for number in numbers:
        picture, scale = _draw(data, number)
        read = reader.read(picture, round(scale * 72)).words
        words = [w for word in read for w in _WORD.findall(_without_accents(word.text))]
        left |= {i for i, own in enumerate(wanted) if _stands_in(own, words)}
    return len(left)


def _without_accents(text: str) -> str:
    """Return a text without the accents of Latin letters; capitals stay.

    >>> _without_accents("Müller, Łukasiewicz, Sørensen")
    'Muller, Lukasiewicz, Sorensen'
    """
    return _ACCENTS.sub("", unicodedata.normalize("NFD", text)).translate(_BARE)


def _stands_in(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether words follow each other among others.

    >>> _stands_in(["ann", "lee"], ["dear", "ann", "lee"]), _stands_in(["ann"], ["anna"])
    (True, False)
    """
    size = len(wanted)
    return any(list(words[i : i + size]) == list(wanted) for i in range(len(words) - size + 1))


def _own_scans(data: bytes) -> Iterator[int]:
    """Yield the pages, from 0, of a written file that were scanned: their pictures have sixteen shades."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        for number, page in enumerate(pdf.pages):
            image = page.resources.get("/XObject", Dictionary()).get(PAGE_PICTURE)
            if image is not None and image.get("/BitsPerComponent") == _BITS:
                yield number
