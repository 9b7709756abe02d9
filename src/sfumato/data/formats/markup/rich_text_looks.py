"""How a rich text looks: control words that hold numbers alone, the fonts that many people have, and colours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..office.font_names import USUAL_FONT, is_known_font

__all__ = ["HEAD", "KEPT", "LARGEST", "RichTextFonts", "find_colours", "write_head"]

_CHARACTERS = (
    "plain b i ul uld uldb ulw ulnone strike striked super sub nosupersub caps scaps outl shad fs up dn expnd expndtw kerning "
    "charscalex cf cb highlight chcbpat ltrch rtlch chpgn"
)
_PARAGRAPHS = (
    "pard ql qc qr qj li ri fi lin rin sb sa sl slmult contextualspace keep keepn pagebb widctlpar nowidctlpar intbl "
    "tx tqc tqr tqdec tb tldot tlhyph tlul tlth tleq tlmdot ltrpar rtlpar brdrt brdrb brdrl brdrr brdrbtw box"
)
_BORDERS = (
    "brdrs brdrth brdrdb brdrdot brdrdash brdrhair brdrnone brdrw brdrcf brsp shading cbpat cfpat"
)
_TABLES = (
    "trowd cellx trgaph trleft trrh trql trqr trqc trhdr trkeep trpaddl trpaddr trpaddt trpaddb trpaddfl trpaddfr trpaddft "
    "trpaddfb trbrdrt trbrdrl trbrdrb trbrdrr trbrdrh trbrdrv trwWidth trftsWidth trautofit clwWidth clftsWidth itap "
    "clbrdrt clbrdrl clbrdrb clbrdrr clvmgf clvmrg clmgf clmrg clvertalt clvertalc clvertalb clcbpat clpadl clpadt clpadb "
    "clpadr clpadfl clpadft clpadfb clpadfr"
)
_PAGES = (
    "sectd sbknone sbkcol sbkpage sbkeven sbkodd cols colsx linebetcol headery footery titlepg facingp pgnstarts pgnrestart "
    "pgndec pgnlcrm pgnucrm paperw paperh landscape margl margr margt margb gutter pgwsxn pghsxn lndscpsxn marglsxn "
    "margrsxn margtsxn margbsxn guttersxn deftab vertalt vertalc vertalj ltrsect rtlsect"
)
KEPT = frozenset(f"{_CHARACTERS} {_PARAGRAPHS} {_BORDERS} {_TABLES} {_PAGES}".split())
"""Control words that may stay: they say how text looks, and hold numbers alone."""
LARGEST = 99_999  # the largest of these numbers: lengths are twentieths of a point
_ENTRY = re.compile(
    rb"\\f([0-9]{1,5})((?:\\(?!f[0-9])[A-Za-z]+-?[0-9]*|\s|\{\\\*[^{}]*\})*)([^\\{};]{1,64})(?:\{[^{}]*\})?;"
)
_CHARSET = re.compile(rb"\\fcharset([0-9]{1,9})")
_COLOURS = re.compile(rb"\{\\colortbl\s*((?:[^{}\\]|\\[A-Za-z]+[0-9]*)*)\}")
_COLOUR = re.compile(rb"\\red([0-9]{1,3})\s*\\green([0-9]{1,3})\s*\\blue([0-9]{1,3})")
_MOST_FONTS, _MOST_COLOURS = 500, 1_000


@dataclass
class RichTextFonts:
    """The fonts of a file: which of them may be named, under which number, and the first of all."""

    default: int = 0
    numbers: Mapping[int, int] = field(default_factory=dict)
    names: tuple[str, ...] = (USUAL_FONT,)

    @classmethod
    def of(cls, content: bytes) -> RichTextFonts:
        """Return the fonts that a file lists."""
        said = re.search(rb"\\deff([0-9]{1,5})(?![0-9])", content[:2000])
        default, known = int(said[1]) if said else 0, dict[int, str]()
        for number, _, name in _ENTRY.findall(_table_of(content))[:_MOST_FONTS]:
            words = " ".join(name.decode("latin-1").split())
            if words.isascii() and is_known_font(words) and not re.search(r"[0-9]{3}", words):
                known.setdefault(int(number), words)
        names = list(dict.fromkeys([known.get(default, USUAL_FONT), *sorted(known.values())]))
        return cls(default, {n: names.index(name) for n, name in known.items()}, tuple(names))


def _table_of(content: bytes) -> bytes:
    """Return the group in which a file lists its fonts."""
    start = content.find(b"{\\fonttbl")
    depth = 0
    for brace in re.finditer(rb"[{}]", content[start:]) if start >= 0 else ():
        depth += 1 if brace[0] == b"{" else -1
        if not depth:
            return content[start : start + brace.end()]
    return b""


def find_colours(content: bytes) -> str:
    """Return the table of colours of a file, written anew; nothing where there is none."""
    found = _COLOURS.search(content)
    entries = found[1].split(b";")[:-1][:_MOST_COLOURS] if found else []
    made = []
    for entry in entries:
        colour = _COLOUR.search(entry)
        levels = [min(255, int(level)) for level in colour.groups()] if colour else []
        made.append("\\red{}\\green{}\\blue{};".format(*levels) if levels else ";")
    return f"{{\\colortbl{''.join(made)}}}" if made else ""


def write_head(names: tuple[str, ...] = (USUAL_FONT,), colours: str = "") -> str:
    """Return how a file begins."""
    fonts = "".join(f"{{\\f{number} {name};}}" for number, name in enumerate(names))
    return f"{{\\rtf1\\ansi\\ansicpg1252\\deff0\\uc1{{\\fonttbl{fonts}}}{colours}"


HEAD = write_head()
