"""What may stay in a PDF: the keys of each kind of object, and the tags of marked content."""

from __future__ import annotations

import re

__all__ = [
    "CALIBRATED", "CATALOG", "CHOICE", "CODES", "COLLECTION", "COLOURS", "DESCRIPTOR", "DROPPED", "FAMILIES", "FONT", "FONTS", "FORM",
    "FUNCTION", "GRAPHICS_STATE", "GROUP", "IMAGE", "LAYER", "LAYERS", "MASK", "NAMES", "PAGE", "PAGES", "PAGE_PICTURE", "PATTERN",
    "PROCEDURES", "PROFILE", "RESOURCES", "SHADING", "STREAM", "TRANSFERS", "has_plain_tags", "is_plain_tag", "may_hold",
]  # fmt: skip


def _keys(names: str) -> frozenset[str]:
    return frozenset("/" + name for name in names.split())


CATALOG = _keys("Type Pages Version OCProperties Lang")
PAGES = _keys("Type Parent Kids Count MediaBox CropBox Rotate Resources")
PAGE = _keys("Type Parent MediaBox CropBox Rotate Resources Contents Group UserUnit")
RESOURCES = _keys("ExtGState ColorSpace Pattern Shading XObject Font ProcSet Properties")
FORM = _keys("Type Subtype FormType BBox Matrix Resources Group Filter DecodeParms Length OC")
IMAGE = _keys(
    "Type Subtype Width Height ColorSpace BitsPerComponent Intent ImageMask Mask Decode Interpolate SMask "
    "SMaskInData Matte Filter DecodeParms Length OC"
)  # fmt: skip
FONT = _keys(
    "Type Subtype BaseFont FirstChar LastChar Widths FontDescriptor Encoding ToUnicode DescendantFonts CIDSystemInfo "
    "W DW W2 DW2 CIDToGIDMap FontBBox FontMatrix CharProcs Resources"
)  # fmt: skip
DESCRIPTOR = _keys(
    "Type FontName FontFamily FontStretch FontWeight Flags FontBBox ItalicAngle Ascent Descent Leading CapHeight "
    "XHeight StemV StemH AvgWidth MaxWidth MissingWidth FontFile FontFile2 FontFile3 CharSet CIDSet Lang Style"
)  # fmt: skip
GRAPHICS_STATE = _keys(
    "Type LW LC LJ ML D RI OP op OPM Font BG BG2 UCR UCR2 TR TR2 HT FL SM SA BM SMask CA ca AIS TK"
)
PATTERN = _keys(
    "Type PatternType PaintType TilingType BBox XStep YStep Resources Matrix Shading ExtGState Filter DecodeParms Length"
)
STREAM = _keys("Length Filter DecodeParms")
SHADING = STREAM | _keys(
    "ShadingType ColorSpace Background BBox AntiAlias Coords Domain Matrix Function Extend BitsPerCoordinate "
    "BitsPerComponent BitsPerFlag Decode VerticesPerRow"
)
FUNCTION = STREAM | _keys(
    "FunctionType Domain Range Size BitsPerSample Order Encode Decode C0 C1 N Functions Bounds"
)
GROUP = _keys("Type S CS I K")
MASK = _keys("Type S G BC TR")
CHOICE = _keys("Type OCGs P VE")
CALIBRATED = _keys("WhitePoint BlackPoint Gamma Matrix Range")
PROFILE = _keys("N Alternate Range")
CODES = _keys("Type CMapName CIDSystemInfo WMode UseCMap")
TRANSFERS = _keys("BG BG2 UCR UCR2 TR TR2")
PROCEDURES = _keys("PDF Text ImageB ImageC ImageI")
FONTS = _keys("Type0 Type1 MMType1 Type3 TrueType CIDFontType0 CIDFontType2")
COLOURS = {
    "/DeviceGray": 1, "/DeviceRGB": 1, "/DeviceCMYK": 1, "/G": 1, "/RGB": 1, "/CMYK": 1, "/Pattern": 1, "/CalGray": 2, "/CalRGB": 2,
    "/CalCMYK": 1, "/Lab": 2, "/ICCBased": 2, "/Indexed": 4, "/I": 4, "/Separation": 4, "/DeviceN": 4,
}  # fmt: skip
"""Families of colour spaces, and of how many parts the description of one is made."""
NAMES = _keys(
    "ExtGState Normal Compatible Multiply Screen Overlay Darken Lighten ColorDodge ColorBurn HardLight SoftLight Difference "
    "Exclusion Hue Saturation Color Luminosity AbsoluteColorimetric RelativeColorimetric Perceptual Identity Default "
    "StandardEncoding WinAnsiEncoding MacRomanEncoding MacExpertEncoding PDFDocEncoding SymbolEncoding "
    "SymbolSetEncoding ZapfDingbatsEncoding"
)
"""Values of keys that the standard lists."""
LAYER = _keys("Type Name Intent")
LAYERS = _keys("OCGs D")
DROPPED = _keys(
    "Metadata PieceInfo LastModified ActualText Alt E AF OPI Thumb StructParent StructParents Alternates Measure "
    "PtData AA A JS Dests Names Annots Usage CreatorInfo Private"
)  # fmt: skip
"""Keys that no object keeps, whatever its kind."""
COLLECTION = _keys("Registry Ordering")
"""Keys that name a collection of characters."""
_TEXTS = {
    "/Registry": re.compile("Adobe"),
    "/Ordering": re.compile("Identity|UCS|Japan[12]|GB1|CNS1|Korea1|KR|Manga1"),
    "/Lang": re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}"),
}
"""Keys that may hold a text, and which texts: texts anywhere else are removed."""

FAMILIES = re.compile(
    r"Times|Roman|Helvetica|Arial|Courier|Symbol|Zapf|Dingbats|Verdana|Georgia|Tahoma|Trebuchet|Calibri|Cambria|Candara|"
    r"Consolas|Constantia|Corbel|Segoe|Garamond|Palatino|Linotype|Bookman|Century|Schoolbook|Gothic|Avant|Garde|Chancery|"
    r"Optima|Futura|Univers|Frutiger|Myriad|Minion|Impact|Comic|Sans|Serif|Mono|Mincho|Song|Batang|Dotum|Gulim|Hei|Kai|"
    r"Liberation|DejaVu|Bitstream|Vera|Free|Nimbus|Noto|Open|Source|Ubuntu|Droid|Roboto|Lato|Lucida|Bright|Console|"
    r"Latin|Modern|Computer|Math|Extra|Super|Demi|Semi|Ultra|Bold|Black|Heavy|Medium|Book|Light|Thin|Regular|Normal|"
    r"Italic|Oblique|Slanted|Cond|Condensed|Compressed|Narrow|Extended|Expanded|Wide|Identity|Glyphless|Pitch|Display|Text|"
    r"Caption|Small|Caps|Unicode|Standard|Type|Type3|Font|PSMT|Neue"
)
"""Words of which fonts' names are made; any other part of one may be a person's name."""

PAGE_PICTURE = "/SfumatoPage"
"""The name of the picture that a page became: its text was laid over it here, and it holds nothing else."""

_TAGS = frozenset(
    b"Artifact Span P H H1 H2 H3 H4 H5 H6 L LI Lbl LBody Table TR TH TD THead TBody TFoot Figure Formula Form Link Annot "
    b"Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private Quote Note Reference BibEntry Code "
    b"Ruby RB RT RP Warichu WT WP OC Tx Sub Em Strong Title FENote Aside Standard Clip ReversedChars".split()
)
_PROPERTIES = frozenset(
    b"MCID Type Subtype Pagination Layout Page Background Header Footer Watermark Attached Top Bottom Left Right BBox".split()
)
_NAME = rb"/([^\x00\t\n\x0c\r ()<>\[\]{}/%#]+)"
_SPACE = rb"[\x00\t\n\x0c\r ]*"
_MARK = re.compile(rb"(?<![A-Za-z0-9*/#_+-])(?:BDC|BMC|DP|MP)(?![A-Za-z0-9*])")
_TAG = re.compile(_NAME + _SPACE + rb"(?:<<([^<>()%]*)>>|" + _NAME + rb")?" + _SPACE + rb"(?:BDC|BMC|DP|MP)(?![A-Za-z0-9*])")  # fmt: skip
_NAMES = re.compile(_NAME)


def may_hold(key: str, text: str) -> bool:
    """Return whether a text is one that the standard lists for a key.

    >>> may_hold("/Registry", "Adobe"), may_hold("/Registry", "Ann Lee"), may_hold("/Desc", "Adobe")
    (True, False, False)
    """
    return key in _TEXTS and _TEXTS[key].fullmatch(text) is not None


def is_plain_tag(name: bytes) -> bool:
    """Return whether a name is a tag of marked content that the standard lists, or one of its properties.

    >>> is_plain_tag(b"Span"), is_plain_tag(b"MCID"), is_plain_tag(b"Ann")
    (True, True, False)
    """
    return name in _TAGS or name in _PROPERTIES


def has_plain_tags(content: bytes) -> bool:
    """Return whether all marked content of a stream has tags and properties of the standard.

    Tags can be the names of an author's styles, and properties can quote the text.

    >>> has_plain_tags(b"/P <</MCID 0>> BDC EMC"), has_plain_tags(b"/Span <</ActualText (Ann)>> BDC EMC")
    (True, False)
    """
    marks = len(_MARK.findall(content))
    if not marks:
        return True
    plain = 0
    for tag, properties, _ in _TAG.findall(content):
        if tag not in _TAGS or any(n not in _PROPERTIES for n in _NAMES.findall(properties)):
            return False
        plain += 1
    return plain == marks
