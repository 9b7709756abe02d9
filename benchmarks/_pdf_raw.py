"""Where a word stands in the bytes of a written PDF: in what the format says itself, in noise, or where text could be.

A word of the text that was cut may also be a word of the format (`/Contents`), the name of a glyph (`percent`) or of a
font, or a row of bytes in a packed stream. Each hit is put down to its place; places where an author's text could stand
are `UNEXPLAINED`. Words of other files are looked for in the same way: what they hit is chance and vocabulary.
"""

from __future__ import annotations

import base64
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence

import pikepdf
from fontTools import agl
from pikepdf import Array, Dictionary, Name, Object, Stream

from sfumato.data.formats.pdf import keys

__all__ = ["UNEXPLAINED", "explain_hits"]

_TOKEN = re.compile(
    rb"(?P<name>/[^\x00\t\n\x0c\r ()<>\[\]{}/%]*)|(?P<string>\((?:\\.|[^\\()])*\)|<[0-9A-Fa-f\s]+>)"
    rb"|(?P<word>[A-Za-z'\"*]+)", re.DOTALL
)  # fmt: skip
_FONT_KEYS = {"/BaseFont", "/FontName", "/FontFamily"}
_PLAIN_KEYS = {
    "/Type", "/Subtype", "/Filter", "/S", "/BM", "/Encoding", "/BaseEncoding", "/Intent", "/RI", "/ColorSpace", "/CS",
    "/FontStretch", "/CIDToGIDMap", "/Version", "/PaintType", "/Event", "/TK", "/BaseState", "/Predictor", "/HTP",
}  # fmt: skip
"""Keys whose values are names that the format lists."""
_KNOWN = (
    keys.CATALOG
    | keys.PAGES
    | keys.PAGE
    | keys.RESOURCES
    | keys.FORM
    | keys.IMAGE
    | keys.FONT
    | keys.DESCRIPTOR
)
_KNOWN |= keys.GRAPHICS_STATE | keys.PATTERN | keys.LAYER | keys.LAYERS | keys.COLLECTION
_KNOWN |= {"/" + name for name in (  # noqa: SIM905
    "Differences Registry Ordering Supplement Function FunctionType Domain Range Coords Extend Bounds Encode Functions C0 "
    "C1 N Size BitsPerSample ShadingType Background AntiAlias Predictor Columns Colors K BlackIs1 Rows EncodedByteAlign "
    "EndOfLine EndOfBlock JBIG2Globals ColorTransform I CS S G BC TR Luminosity Alpha WhitePoint BlackPoint Gamma Lab "
    "Indexed Separation DeviceN ICCBased CalGray CalRGB DeviceGray DeviceRGB DeviceCMYK Pattern Identity None All Black "
    "Cyan Magenta Yellow Span Artifact P OC MCID FlateDecode DCTDecode Root ID Info Prev W Index First Panose CMapName "
    "CMapType UseCMap WMode Length1 Length2 Length3 Process Components Colorants MixingHints NChannel BitsPerCoordinate "
    "BitsPerComponent BitsPerFlag VerticesPerRow Decode R PDF Text ImageB ImageC ImageI D PS OCG View Design"
).split()}  # fmt: skip
_RENAMED = re.compile(
    rb"[A-Za-z]{1,3}[0-9_+.]*|N\d+x|(?:Image|Form|Font|Fm|Meta|Pat|Image_|Sfumato[A-Z]\w*|Ink|Default(?:Gray|RGB|CMYK))[0-9_]*"
)
"""Names of resources that tell nothing."""
UNEXPLAINED = ("a string", "a name of another kind", "a string that content shows", "a name in content", "content of another kind", "another stream", "a colour profile", "between objects")  # fmt: skip
"""Places where an author's text could stand."""


def explain_hits(data: bytes, words: Sequence[str]) -> dict[str, set[str]]:
    """Return for each word that stands in the bytes of a file the places where it stands."""
    found: dict[str, set[str]] = {}
    forms = {word: list(_forms(word)) for word in words}
    for place, content in _pieces(data):
        for word, codes in forms.items():
            if any(code in content for code in codes):
                found.setdefault(word, set()).add(place)
    return found


def _forms(word: str) -> Iterator[bytes]:
    """Yield the codes in which a word may stand; Base64 only of what is long enough for it."""
    for text in {word, unicodedata.normalize("NFC", word), unicodedata.normalize("NFD", word)}:
        plain = text.encode("utf-8", "ignore")
        wide = text.encode("utf-16-be", "ignore"), text.encode("utf-16-le", "ignore")
        yield from (plain, *wide)
        yield text.replace(" ", "#20").encode("utf-8", "ignore")
        for each in (plain, *wide):
            yield from (each.hex().encode(), each.hex().upper().encode())
        if len(plain) >= 6:
            for before in range(3):
                packed = base64.b64encode(b"\0" * before + plain)
                yield packed[-(-8 * before // 6) : 8 * (before + len(plain)) // 6]


def _pieces(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield all that a file holds, each piece with the kind of its place."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        seen = dict[tuple[int, int], str]()
        for one in pdf.objects:
            if isinstance(one, Dictionary | Stream):
                seen.update(_named_streams(one))
        for one in pdf.objects:
            yield from _values(one, "")
            if isinstance(one, Stream):
                yield from _stream(one, seen.get(one.objgen, ""))
    yield (
        "between objects",
        re.sub(rb"(?s)\d+ \d+ obj.*?endobj|\b(?:startxref|trailer|xref)\b", b" ", data),
    )


def _named_streams(found: Object) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the streams that an object names by a key that says what they are."""
    kinds = {
        "/FontFile": "a font program", "/FontFile2": "a font program", "/FontFile3": "a font program",
        "/ToUnicode": "a map of codes", "/Encoding": "a map of codes", "/CIDToGIDMap": "numbers", "/CIDSet": "numbers",
        "/Contents": "content", "/Function": "numbers", "/DestOutputProfile": "a colour profile",
    }  # fmt: skip
    for key, value in found.items():
        each = list(value) if isinstance(value, Array) else [value]
        for one in each:
            if isinstance(one, Stream) and key in kinds:
                yield one.objgen, kinds[key]
            if isinstance(one, Array) and len(one) > 1 and one[0] == Name.ICCBased and isinstance(one[1], Stream):  # fmt: skip
                yield one[1].objgen, "a colour profile"
    own = found.get("/CharProcs")
    if isinstance(own, Dictionary):
        yield from ((o.objgen, "content") for o in own.values() if isinstance(o, Stream))
    for key in ("/ColorSpace", "/CS"):
        given = found.get(key)
        inner = given.values() if isinstance(given, Dictionary) else [given]
        for one in inner:
            if isinstance(one, Array) and len(one) > 1 and one[0] == Name.ICCBased and isinstance(one[1], Stream):  # fmt: skip
                yield one[1].objgen, "a colour profile"


def _values(found: Object, key: str) -> Iterator[tuple[str, bytes]]:
    """Yield the keys, names and strings of an object."""
    if isinstance(found, Dictionary | Stream):
        for name, value in found.items():
            plain = name[1:].encode()
            known = name in _KNOWN or name[1:] in agl.AGL2UV or _RENAMED.fullmatch(plain)
            yield "a word of the format" if known else "a name of another kind", plain
            if not value.is_indirect if isinstance(value, Object) else False:
                yield from _values(value, name)
    elif isinstance(found, Array):
        for value in found:
            if isinstance(value, Object) and not value.is_indirect:
                yield from _values(value, key)
    elif isinstance(found, Name):
        yield _kind_of_name(str(found), key), str(found)[1:].encode()
    elif isinstance(found, pikepdf.String):
        known = keys.may_hold(key, str(found))
        yield "a word of the format" if known else "a string", bytes(found)


def _kind_of_name(name: str, key: str) -> str:
    if key in _FONT_KEYS:
        return "a font's name"
    if name[1:] in agl.AGL2UV or re.fullmatch(r"(?:uni|u|g|cid|glyph|G|C|a)\d*[0-9A-F]{0,6}", name[1:]):  # fmt: skip
        return "a glyph's name"
    if key in _PLAIN_KEYS or name in _KNOWN:
        return "a word of the format"
    return "a name of another kind"


def _stream(found: Stream, kind: str) -> Iterator[tuple[str, bytes]]:
    packed = "packed bytes" if "/Filter" in found else ""
    if packed:
        yield packed, bytes(found.read_raw_bytes())
    try:
        content = bytes(found.read_bytes())
    except pikepdf.PdfError:
        return
    if found.get("/Subtype") == Name.Image:
        yield "a picture", content
    elif kind == "content" or found.get("/Subtype") == Name.Form or "/PatternType" in found:
        yield from _content(content)
    elif found.get("/Type") == Name.XRef or found.get("/Type") == Name.ObjStm:
        return  # its objects are seen one by one
    else:
        yield kind or "another stream", content


def _content(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the strings of a content stream, joined too, its names and what else it holds."""
    strings, rest, at = [], [], 0
    for token in _TOKEN.finditer(content):
        rest.append(content[at : token.start()])
        at = token.end()
        if token["string"]:
            yield "a string that content shows", token["string"]
            strings.append(_plain_string(token["string"]))
        elif token["name"]:
            name = token["name"].decode("latin-1")
            plain = token["name"][1:]
            known = name in _KNOWN or keys.is_plain_tag(plain) or _RENAMED.fullmatch(plain)
            yield "a word of the format" if known else "a name in content", token["name"][1:]
    rest.append(content[at:])
    yield "a string that content shows", b"".join(strings)
    yield "content of another kind", b" ".join(rest)


def _plain_string(token: bytes) -> bytes:
    if token[:1] == b"<":
        digits = re.sub(rb"\s", b"", token[1:-1])
        return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode())
    return re.sub(rb"\\([0-7]{1,3}|.)", lambda m: bytes([int(m[1], 8) & 255]) if m[1][:1] in b"01234567" else m[1], token[1:-1], flags=re.DOTALL)  # fmt: skip
