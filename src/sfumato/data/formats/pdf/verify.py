"""What was removed is looked for in the written bytes, by a library and by code that had no part in writing them.

pdfminer.six reads the text, with the place of every letter. Besides, every stream is unpacked and searched in
UTF-8, UTF-16, Latin-1, hexadecimal and Base64. A file with more than pages in it fails too.
"""

from __future__ import annotations

import base64
import contextlib
import io
import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from fontTools import agl
from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser

from . import keys
from .second_reader import Letter, read_letters

__all__ = ["find_leaks", "has_only_pages"]

_SHORTEST = 4
_LONG = 8  # characters from which a string is searched in joined operands, where words touch
_CATALOG = {"Type", "Pages", "Version", "OCProperties", "Lang"}
_PAGE = {"Type", "Parent", "MediaBox", "CropBox", "Rotate", "Resources", "Contents", "Group", "UserUnit"}  # fmt: skip
_DROPPED = re.compile("[\\s\u00ad\u2010\u2011-]+")
_STREAM = re.compile(rb"(?<!end)stream\r?\n")
_STRING = re.compile(rb"\((?:\\.|[^\\()])*\)|<[0-9A-Fa-f\s]+>", re.DOTALL)
_NAME = re.compile(rb"/([^\x00\t\n\x0c\r ()<>\[\]{}/%]+)")
_FONT_NAME = re.compile(
    rb"/(?:BaseFont|FontName)\s*/(?:[A-Z]{6}\+)?([^\x00\t\n\x0c\r ()<>\[\]{}/%]+)"
)
_FAMILIES = re.compile(keys.FAMILIES.pattern.encode())
_WORDS = frozenset(
    b"Type Subtype Pages Page Kids Count Parent MediaBox CropBox Rotate Resources Contents Group UserUnit Catalog "
    b"Version OCProperties OCGs Lang Font XObject ExtGState ColorSpace Pattern Shading ProcSet Properties Form Image "
    b"FormType BBox Matrix Filter DecodeParms Length Length1 Length2 Length3 Width Height BitsPerComponent Intent "
    b"ImageMask Mask Decode Interpolate SMask FlateDecode DCTDecode JPXDecode CCITTFaxDecode JBIG2Decode BaseFont "
    b"FirstChar LastChar Widths FontDescriptor Encoding ToUnicode DescendantFonts CIDSystemInfo CIDToGIDMap FontBBox "
    b"FontMatrix CharProcs FontName FontFamily FontStretch FontWeight Flags ItalicAngle Ascent Descent Leading "
    b"CapHeight XHeight StemV StemH AvgWidth MaxWidth MissingWidth FontFile FontFile2 FontFile3 CharSet CIDSet Identity "
    b"Registry Ordering Supplement Differences BaseEncoding WinAnsiEncoding MacRomanEncoding StandardEncoding "
    b"TrueType Type0 Type1 Type1C Type3 MMType1 CIDFontType0 CIDFontType2 CIDFontType0C OpenType DeviceGray DeviceRGB "
    b"DeviceCMYK CalGray CalRGB Indexed Separation DeviceN ICCBased Predictor Columns Colors Function FunctionType "
    b"Domain Range Coords Extend Bounds Encode Normal Transparency Luminosity Alpha ObjStm XRef Root Size Index First "
    b"Artifact Span Name Ink Condensed Expanded PatternType PaintType TilingType XStep YStep ShadingType Background "
    b"CMapName CIDInit CMapType PDF Text ImageB ImageC ImageI Identity-H Supplement WhitePoint BlackPoint Gamma Lab C0 C1 "
    b"BitsPerSample Functions AntiAlias BitsPerCoordinate BitsPerFlag VerticesPerRow BlackIs1 EncodedByteAlign EndOfLine "
    b"EndOfBlock EarlyChange ColorTransform Colorants Process Components MixingHints NChannel Shading Luminosity Multiply "
    b"Screen Overlay Darken Lighten ColorDodge ColorBurn HardLight SoftLight Difference Exclusion Hue Saturation Color "
    b"Compatible Halftone HalftoneType Frequency Angle SpotFunction Default Panose Style None All Cyan Magenta Yellow Black "
    b"RelativeColorimetric AbsoluteColorimetric Perceptual Saturation View Design BaseState UseCMap WMode".split()
)
_KEYWORDS = re.compile(
    rb"(?<![A-Za-z])(?:endstream|endobj|startxref|trailer|xref|findresource|begin|dict|begincmap|endcmap|"
    rb"(?:begin|end)(?:codespacerange|bfchar|bfrange)|currentdict|defineresource)(?![A-Za-z])|"
    rb"/(?:Registry|Ordering) *\((?:Adobe|Identity|UCS)\)"
)
"""Words of the format itself between objects, and in maps from codes to text."""


def has_only_pages(data: bytes) -> bool:
    """Return whether a file holds pages alone: one version, no properties, no other parts."""
    if data.count(b"startxref") != 1 or not data.rstrip().endswith(b"%%EOF"):
        return False
    document = PDFDocument(PDFParser(io.BytesIO(data)))
    if not set(document.catalog) <= _CATALOG or document.info:
        return False
    return all(set(page.attrs) <= _PAGE for page in PDFPage.create_pages(document))


def find_leaks(data: bytes, removed: Iterable[str]) -> int:
    """Count the removed strings that can be found in a written file.

    Parameters
    ----------
    data : bytes
        The file.
    removed : iterable of str
        What was removed and is nowhere in the published text.

    """
    wanted = {text: plain for text in map(str.strip, removed) if len(plain := _plain(text)) >= _SHORTEST}  # fmt: skip
    if not wanted:
        return 0
    left = set[str]()
    letter_texts = _PlainLetters()
    for letters in read_letters(data):
        for order in _orders(letters):
            whole = "".join([letter_texts[letters[i].text] for i in order])
            found = [text for text in wanted.keys() - left if wanted[text] in whole]
            if found:
                reading = _PlainReading.of([letters[i] for i in order])
                left |= {text for text in found if reading.has_words(wanted[text])}
    codes = {text: list(_codes(text)) for text in sorted(wanted.keys() - left)}
    for blob, joined in _blobs(data):
        for text in codes.keys() - left:
            long = len(wanted[text]) >= _LONG and wanted[text] in joined
            if long or any(code in blob for code in codes[text]):
                left.add(text)
    return len(left)


def _plain(text: str) -> str:
    return _DROPPED.sub("", unicodedata.normalize("NFKC", text))


class _PlainLetters(dict[str, str]):
    """The plain form of each text of a letter, made once."""

    def __missing__(self, text: str) -> str:
        made = self[text] = _plain(text)
        return made


def _orders(letters: Sequence[Letter]) -> Iterator[list[int]]:
    """Yield the letters of a page as they are drawn, and line by line from the top."""
    yield [*range(len(letters))]
    x, y = np.array([c.x for c in letters]), np.array([c.y for c in letters])
    yield np.lexsort((x, -np.rint(y))).tolist()


@dataclass(slots=True)
class _PlainReading:
    """Letters as one string without spaces and hyphens, and which letter each character is of."""

    letters: Sequence[Letter]
    text: str
    owner: list[int]

    @classmethod
    def of(cls, letters: Sequence[Letter]) -> _PlainReading:
        plain: list[str] = []
        owner: list[int] = []
        known = _PlainLetters()
        for i, letter in enumerate(letters):
            for c in known[letter.text]:
                plain.append(c)
                owner.append(i)
        return cls(letters, "".join(plain), owner)

    def has_words(self, wanted: str) -> bool:
        """Return whether a text is a word, or several."""
        at = self.text.find(wanted)
        while at >= 0:
            if self._is_edge(at) and self._is_edge(at + len(wanted)):
                return True
            at = self.text.find(wanted, at + 1)
        return False

    def _is_edge(self, at: int) -> bool:
        """Return whether a word begins or ends between two characters."""
        text, owner = self.text, self.owner
        if at <= 0 or at >= len(text) or not (text[at - 1].isalnum() and text[at].isalnum()):
            return True
        if owner[at] - owner[at - 1] > 1:
            return True  # a space or a hyphen is drawn between them
        one, other = self.letters[owner[at - 1]], self.letters[owner[at]]
        size = max(one.size, 0.1)
        return (
            abs(other.y - one.y) > 0.3 * size or not -0.5 * size < other.x - one.end < 0.12 * size
        )


# --- raw bytes -----------------------------------------------------------------------------------


def _codes(text: str) -> Iterator[bytes]:
    """Yield the forms in which a text may occur in bytes."""
    for code in ("utf-8", "utf-16-be", "utf-16-le", "latin-1"):
        try:
            plain = text.encode(code)
        except UnicodeEncodeError:
            continue
        yield plain
        if len(text) > _SHORTEST:
            yield plain.hex().encode()
            yield plain.hex().upper().encode()
        if len(text) > _SHORTEST + 1:
            for before in range(3):  # the letters that it decides, whatever stands around it
                packed = base64.b64encode(b"\0" * before + plain)
                yield packed[-(-8 * before // 6) : 8 * (before + len(plain)) // 6]


def _blobs(data: bytes) -> Iterator[tuple[bytes, str]]:
    """Yield the bytes outside of streams, and those of each stream but fonts and pictures."""
    outside, at = [], 0
    for start in _STREAM.finditer(data):
        if start.start() < at:
            continue
        head = data[max(data.rfind(b" obj", 0, start.start()), 0) : start.start()]
        end = data.find(b"endstream", start.end())
        end = len(data) if end < 0 else end
        outside.append(data[at : start.start()])
        at = end
        if re.search(rb"/Length1|/Type1C|/CIDFontType0C|/OpenType|/Subtype\s*/Image", head):
            continue
        content = data[start.end() : end]
        with contextlib.suppress(zlib.error):
            content = zlib.decompressobj().decompress(content)
        if b"begincmap" in content:  # a map of a font is no text
            yield _without_vocabulary(_KEYWORDS.sub(b"", content)), ""
            continue
        if b"/ObjStm" in head:
            content = _KEYWORDS.sub(b"", content)
        yield _without_vocabulary(content), _join_strings(content)
    outside.append(data[at:])
    yield _without_vocabulary(_KEYWORDS.sub(b"", b"".join(outside))), ""


def _without_vocabulary(content: bytes) -> bytes:
    """Return bytes without the words and names that the format itself uses, and those of fonts and glyphs."""

    def keep(match: re.Match[bytes]) -> bytes:
        name = match[1]
        known = name.rstrip(b"0123456789") in _WORDS or name.decode("latin-1") in agl.AGL2UV
        known = known or keys.is_plain_tag(name)
        return b"/" if known else match[0]

    return _NAME.sub(keep, _FONT_NAME.sub(lambda m: b"/" + _FAMILIES.sub(b" ", m[1]), content))


def _join_strings(content: bytes) -> str:
    """Return the strings of a content stream one after the other."""
    found = []
    for match in _STRING.finditer(content):
        token = match.group()
        if token[:1] == b"<":
            digits = re.sub(rb"\s", b"", token[1:-1])
            found.append(bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode()))
        else:
            found.append(re.sub(rb"\\([0-7]{1,3}|.)", _unescape, token[1:-1], flags=re.DOTALL))
    joined = b"".join(found)
    return _plain(joined.decode("latin-1")) + "\n" + _plain(joined.decode("utf-16-be", "ignore"))


def _unescape(match: re.Match[bytes]) -> bytes:
    found = match[1]
    return bytes([int(found, 8) & 255]) if found[:1] in b"01234567" else found
