"""Reads a written file again by the standard library alone, and looks for what was removed.

It knows nothing of parts, runs or relationships: every part is unpacked, every piece of character data, every
value of an attribute and every name is looked at, in whatever element it stands.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable
from xml.parsers import expat

from ..verification import stands_in_names
from .font_names import is_known_font
from .vocabulary import STYLES

__all__ = ["search_zip"]

_NUMBER = re.compile(r"[\d.,:/\-]+")
_CODES = ("utf-8", "utf-16-le", "utf-16-be")
_UNREAD = re.compile(  # which hold namespaces, names of fonts, and which prefixes are used
    r"(?:.*:)?(?:typeface|ascii|hAnsi|cs|eastAsia|font|uri|Ignorable|Requires|font-name.*|font-family.*|"
    r"ContentType|Type|PartName|eqn|Extension|TargetMode|media-type)"
)
_SPACE = re.compile(
    r"(?:[a-z0-9][A-Za-z0-9.+\-]*+|[:/#])*+"
)  # no name of a person is in lower case
_TARGET = re.compile(
    r"(?:\.\./|/)*(?:[A-Za-z\-]+/)*[A-Za-z_]*\d*\.(?:xml|png|vml)|https://example\.invalid/"
)
_PART = re.compile(  # names that the writer gives
    r"\[Content_Types\]\.xml|mimetype|META-INF/manifest\.xml|"
    r"(?:[a-zA-Z]+/){0,3}(?:_rels/)?(?:[a-zA-Z]*\d*)(?:\.xml|\.png|\.vml)?(?:\.rels)?"
)
_WORDS_ONLY = re.compile(r"(?:[a-z][A-Za-z0-9]*+|[\d.\-+#%]++|[\s:;,()/_])*+")
_OPEN_STYLE = re.compile(  # names of styles that an OpenDocument text brings itself
    r"(?:(?:Text|body|indent|Heading|Contents|Table|Index|List|Caption|Internet|Visited|[lL]ink|Numbering|Bullet|Symbols?|Footnote|"
    r"Endnote|anchor|Characters|Emphasis|Strong|First|Page|Number|Preformatted|Horizontal|Line|Default|Paragraph|Font|Header|Footer|"
    r"left|Standard|Title|Subtitle|Quotations|Graphics|Frame|Outline|\d+)(?:_20_|$))+"
)
_OF_STANDARDS = re.compile(
    r"(?:[a-z][A-Za-z0-9]*:)?(?:[a-z][A-Za-z0-9.\-]*|Anchor|Auto(?:Fill|Line|Pict)|Column|Row|MoveWithCells|SizeWithCells|Visible|"
    r"Text[HV]Align|LockText|Locked|PrintObject|Disabled|DefaultSize|ClientData|ObjectType|FmlaMacro|Checked|Choice|Fallback|"
    r"AlternateContent|Requires|Ignorable|Relationships?|Id|Type|Target|TargetMode)|xmlns(?::\w+)?"
)
_FIELD = re.compile(r"\s*SEQ\s+(?:Figure|Table|Equation|Abbildung|Tabelle)\b[\s\\*A-Za-z0-9]*")
_GIVEN = re.compile(  # names that the writer gives, or that a program gives to what it numbers
    r"Office|_xlnm\.[A-Za-z_]+|(?:Style|Table|Sect|range|[PTLNS]|fr|gr|dp|M[PT]|M?pm|Mgr|Mfr|ML)_? ?\d*(?:\.[A-Z]{0,2}\d*)?"
)
_STYLES = frozenset("".join(filter(str.isalnum, name)) for name in STYLES)


class _Seen:
    """What is in one XML part, white space apart."""

    def __init__(self, content: bytes) -> None:
        self._pieces: list[str] = []
        self._element = ""
        self.values: set[str] = set()
        self.names: set[str] = set()
        self.hidden = 0
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.CharacterDataHandler = self._say
        parser.StartElementHandler = self._start
        parser.CommentHandler = self._count
        parser.ProcessingInstructionHandler = self._count
        parser.StartDoctypeDeclHandler = self._count
        parser.Parse(content, True)
        self.text = "".join("".join(self._pieces).split())
        self.words = set(" ".join(self._pieces).split())

    def _say(self, text: str) -> None:
        if not (_FIELD.fullmatch(text) or (text == "Author" and self._element.endswith("author"))):
            self._pieces.append(text)

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        self._element = element
        # Names of the standards begin in lower case but for some, which are listed.
        self.names.update(n for n in (element, *attributes) if not _OF_STANDARDS.fullmatch(n))
        for name, value in attributes.items():
            is_space = name.startswith("xmlns") and _SPACE.fullmatch(value)
            if not (is_space or _UNREAD.fullmatch(name) or _TARGET.fullmatch(value)):
                self.values.add(value)

    def _count(self, *_what: object) -> None:
        self.hidden += 1

    def holds(self, wanted: str) -> bool:
        """Return whether a string is in the part: a number as a whole word, in attributes no keyword and no built-in style."""
        if _NUMBER.fullmatch(wanted):
            return wanted in self.words
        is_word = wanted.isascii() and wanted.isalnum()
        if wanted in self.text:
            return True
        if stands_in_names(wanted, self.names):
            return True
        return any(
            wanted in "".join(value.split())
            and not (_GIVEN.fullmatch(value) or _FIELD.fullmatch(value))
            and not (is_known_font(value) or _OPEN_STYLE.fullmatch(value))
            and not (is_word and _WORDS_ONLY.fullmatch(value))
            and "".join(filter(str.isalnum, value)).lower() not in _STYLES
            for value in self.values
        )


def search_zip(content: bytes, removed: Iterable[str]) -> int:
    """Count the removed strings in a zip file, each without white space; what hides in it counts too.

    Parameters
    ----------
    content : bytes
        The file as it was written.
    removed : iterable of str
        What was removed, without white space.

    """
    wanted = set(removed)
    left: set[str] = set()
    hidden = 0
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        hidden += bool(packed.comment)
        for entry in packed.infolist():
            hidden += bool(entry.comment or entry.extra)
            inside = packed.read(entry)
            if inside == b"application/vnd.oasis.opendocument.text":
                continue
            if inside[:5] in (b"<?xml", b"<math") or inside[:1] == b"<":
                try:
                    seen = _Seen(inside)
                except expat.ExpatError:  # what cannot be read again is not published
                    hidden += 1
                    continue
                hidden += seen.hidden
                if (
                    entry.filename == "[Content_Types].xml"
                ):  # whose elements are named Types, Default and Override
                    seen.names.clear()
                left |= {text for text in wanted - left if seen.holds(text)}
            else:
                left |= {text for text in wanted - left if _stands_in(text, inside)}
            if not _PART.fullmatch(entry.filename):
                left |= {text for text in wanted - left if text in entry.filename}
    return len(left) + hidden


def _stands_in(text: str, content: bytes) -> bool:
    return any(text.encode(code, "ignore") in content for code in _CODES)
