# ruff: noqa: ARG002 (the device has the methods that its library calls)
"""The letters of a written PDF as pdfminer.six sees them; the parser of qpdf tells the operators of a stream apart.

pdfminer.six has no part in reading a file or in cutting it. qpdf packs and unpacks files, but what is cut from a
stream is decided by sfumato's own scanner and spliced, so that neither of the two that look here repeats its mistakes.
Where qpdf's parser gives up, pdfminer.six takes the stream apart itself.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple, TypeAlias

import pikepdf
from pdfminer.pdfdevice import PDFTextDevice, PDFTextSeq
from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdffont import PDFFont, PDFUnicodeNotDefined
from pdfminer.pdfinterp import PDFGraphicState, PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser
from pdfminer.pdftypes import PDFStream
from pdfminer.psparser import LIT, PSLiteral
from pdfminer.utils import Matrix, Point

__all__ = ["Letter", "read_letters"]

_METHODS = {
    "q": "q", "Q": "Q", "cm": "cm", "BT": "BT", "ET": "ET", "Tc": "Tc", "Tw": "Tw", "Tz": "Tz", "TL": "TL", "Tf": "Tf",
    "Tr": "Tr", "Ts": "Ts", "Td": "Td", "TD": "TD", "Tm": "Tm", "T*": "T_a", "Tj": "Tj", "TJ": "TJ", "'": "_q",
    '"': "_w", "Do": "Do",
}  # fmt: skip
"""The operators that place or show text, and what the library calls them."""
_OPERATORS = " ".join(_METHODS)
_Operand: TypeAlias = "float | bytes | PSLiteral | list[_Operand] | None"


class Letter(NamedTuple):
    """A letter as the second library sees it: its text, where it begins and ends, and its size."""

    text: str
    x: float
    y: float
    end: float
    size: float


class _Letters(PDFTextDevice):
    """Collects the letters of a page in the order in which they are drawn."""

    def __init__(self, manager: PDFResourceManager) -> None:
        super().__init__(manager)
        self.letters: list[Letter] = []
        self._known: dict[PDFFont, dict[int, tuple[str, float]]] = {}

    def begin_page(self, page: PDFPage, ctm: Matrix) -> None:
        """Begin with the matrix of a page."""
        self.ctm = ctm

    def end_page(self, page: PDFPage) -> None: ...

    def begin_figure(self, name: str, bbox: Sequence[float], matrix: Matrix) -> None: ...

    def end_figure(self, name: str) -> None: ...

    def begin_tag(self, tag: object, props: object = None) -> None: ...

    def end_tag(self) -> None: ...

    def render_string_horizontal(
        self, seq: PDFTextSeq, matrix: Matrix, pos: Point, font: PDFFont, fontsize: float, scaling: float,
        charspace: float, wordspace: float, rise: float, dxscale: float, ncs: object, graphicstate: PDFGraphicState,
    ) -> Point:  # fmt: skip
        """Note the letters of a string as the library does, without a call for each of them; return where it ends."""
        x, y = pos
        a, b, c, d, e, f = matrix
        left, bottom = y * c + e, y * d + f
        size, unit = abs(fontsize) * (a * a + b * b) ** 0.5, fontsize * scaling
        known = self._known.setdefault(font, {})
        add, space = self.letters.append, 0.0
        operands: Iterable[object] = seq  # a damaged array may hold names and dictionaries, too
        for item in operands:
            if isinstance(item, int | float):
                x -= item * dxscale
                space = charspace
                continue
            if not isinstance(item, bytes):
                continue
            for cid in font.decode(item):
                if cid not in known:
                    known[cid] = _text_of(font, cid), font.char_width(cid)
                text, width = known[cid]
                x += space
                across = x * a + left
                advance = width * unit
                add(Letter(text, across, x * b + bottom, across + advance * a, size))
                x += advance
                if cid == 32:
                    x += wordspace
                space = charspace
        return x, y

    def render_char(
        self, matrix: Matrix, font: PDFFont, fontsize: float, scaling: float, rise: float, cid: int,
        ncs: object, graphicstate: PDFGraphicState,
    ) -> float:  # fmt: skip
        """Note one letter; return how far it moves on."""
        advance = font.char_width(cid) * fontsize * scaling
        a, b, _, _, e, f = matrix
        reach = (a * a + b * b) ** 0.5
        self.letters.append(
            Letter(_text_of(font, cid), e, f, e + advance * a, abs(fontsize) * reach)
        )
        return float(advance)


def _text_of(font: PDFFont, cid: int) -> str:
    try:
        return str(font.to_unichr(cid))
    except PDFUnicodeNotDefined:
        return "\ufffd"


class _Interpreter(PDFPageInterpreter):
    """Interprets what qpdf takes apart."""

    def __init__(
        self, manager: PDFResourceManager, device: PDFTextDevice, pdf: pikepdf.Pdf
    ) -> None:
        super().__init__(manager, device)
        self.letters, self.pdf = device, pdf

    def dup(self) -> _Interpreter:
        """Return an interpreter of the same file."""
        return _Interpreter(self.rsrcmgr, self.letters, self.pdf)

    def execute(self, streams: Sequence[object]) -> None:
        """Do what the operators of a stream say."""
        instructions = self._instructions(streams)
        if instructions is None:
            return super().execute(streams)
        for name, operands in instructions:
            method = getattr(self, f"do_{_METHODS[name]}")
            wanted = method.__code__.co_argcount - 1
            given = operands[max(0, len(operands) - wanted) :]
            if len(given) == wanted:
                method(*given)
        return None

    def _instructions(self, streams: Sequence[object]) -> list[tuple[str, list[_Operand]]] | None:
        """Return the operators of one stream that place or show text; None where the library must read it."""
        found = getattr(streams[0], "resolve", lambda: streams[0])() if len(streams) == 1 else None
        if not isinstance(found, PDFStream) or found.objid is None:
            return None
        if found.objid in self.parent_stream_ids:
            return []
        self.stream_ids.clear()
        try:
            stream = self.pdf.get_object(found.objid, 0)
            taken = pikepdf.parse_content_stream(stream, _OPERATORS)
            made = [(str(each.operator), [_plain(v) for v in each.operands]) for each in taken]
        except (pikepdf.PdfError, TypeError, ValueError):
            return None
        self.stream_ids.add(found.objid)
        return made


def _plain(value: object) -> _Operand:
    """Return an operand as the library has them."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, int | float):
        return value
    if isinstance(value, pikepdf.String):
        return bytes(value)
    if isinstance(value, pikepdf.Name):
        return LIT(str(value)[1:])
    if isinstance(value, pikepdf.Array):
        return [_plain(each) for each in value]
    return None


def read_letters(data: bytes) -> Iterator[list[Letter]]:
    """Yield the letters of each page in the order in which they are drawn."""
    manager = PDFResourceManager(caching=True)
    device = _Letters(manager)
    with pikepdf.open(io.BytesIO(data)) as pdf:
        interpreter = _Interpreter(manager, device, pdf)
        for page in PDFPage.create_pages(PDFDocument(PDFParser(io.BytesIO(data)))):
            device.letters = []
            interpreter.process_page(page)
            yield device.letters
