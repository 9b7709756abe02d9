"""How a rich text looks: control words that hold numbers alone, the fonts that many people have, and colours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..office.font_names import USUAL_FONT, is_known_font
from ..office.vocabulary import STYLES

__all__ = [
    "HEAD",
    "KEPT",
    "LARGEST",
    "OF_STYLES",
    "RichTextFonts",
    "find_colours",
    "find_styles",
    "write_head",
]

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
_NOTES = (
    "chftn ftnalt endnhere enddoc aenddoc endnotes aendnotes ftnbj ftntj aftnbj aftntj ftnnar ftnnalc ftnnauc ftnnrlc "
    "ftnnruc aftnnar aftnnalc aftnnauc aftnnrlc aftnnruc ftnstart aftnstart ftnrestart ftnrstpg ftnrstcont aftnrestart "
    "aftnrstcont"
)
_STYLE_NUMBERS = "s cs"
KEPT = frozenset(
    f"{_CHARACTERS} {_PARAGRAPHS} {_BORDERS} {_TABLES} {_PAGES} {_NOTES} {_STYLE_NUMBERS}".split()
)
"""Control words that may stay: they say how text looks, and hold numbers alone."""
LARGEST = 99_999  # the largest of these numbers: lengths are twentieths of a point
OF_STYLES = frozenset({"f", "sbasedon", "snext"})
"""Control words with numbers that also stay in a style sheet."""
_ENTRY = re.compile(
    rb"\\f([0-9]{1,5})((?:\\(?!f[0-9])[A-Za-z]+-?[0-9]*|\s|\{\\\*[^{}]*\})*)([^\\{};]{1,64})(?:\{[^{}]*\})?;"
)
_CHARSET = re.compile(rb"\\fcharset([0-9]{1,9})")
_COLOURS = re.compile(rb"\{\\colortbl\s*((?:[^{}\\]|\\[A-Za-z]+[0-9]*)*)\}")
_COLOUR = re.compile(rb"\\red([0-9]{1,3})\s*\\green([0-9]{1,3})\s*\\blue([0-9]{1,3})")
_STYLE = re.compile(rb"\{(?:\\\*\s?)?((?:\\[A-Za-z]+-?[0-9]{0,9} ?|[\r\n])+)([^\\{};]{0,64})")
_WORD = re.compile(rb"\\([A-Za-z]+)(-?[0-9]+)?")
_MOST_FONTS, _MOST_COLOURS, _MOST_STYLES = 500, 1_000, 2_000


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
        for number, _, name in _ENTRY.findall(_group_of(content, b"{\\fonttbl"))[:_MOST_FONTS]:
            words = " ".join(name.decode("latin-1").split())
            if words.isascii() and is_known_font(words) and not re.search(r"[0-9]{3}", words):
                known.setdefault(int(number), words)
        names = list(dict.fromkeys([known.get(default, USUAL_FONT), *sorted(known.values())]))
        return cls(default, {n: names.index(name) for n, name in known.items()}, tuple(names))


def _group_of(content: bytes, begin: bytes) -> bytes:
    """Return the first group that begins in some way."""
    start = content.find(begin)
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


def find_styles(content: bytes, fonts: RichTextFonts) -> tuple[str, bool]:
    """Return the style sheet of a file, written anew with known or numbered names, and whether it was another."""
    begin = b"{\\stylesheet"
    group = _group_of(content, begin)
    made: dict[tuple[str, int], str] = {}
    for words, title in _STYLE.findall(group[len(begin) :])[:_MOST_STYLES]:
        said = [(word.decode(), number.decode()) for word, number in _WORD.findall(words)]
        kind = next((word for word, _ in said if word in ("s", "cs")), "" if made else "s")
        number = int(next((number for word, number in said if word == kind), "") or 0)
        if not kind or (kind, number) in made or not 0 <= number <= LARGEST:
            continue
        kept = "".join(_style_word(word, own, fonts) for word, own in said)
        name = title.decode("latin-1").strip()
        if name.lower() not in STYLES:
            name = f"Style {number}" if number else "Normal"
        star = "\\*" if kind == "cs" else ""
        made[kind, number] = f"{{{star}\\{kind}{number}{kept} {name};}}"
    styles = f"{{\\stylesheet{''.join(made.values())}}}" if made else ""
    return styles, group != styles.encode()


def _style_word(word: str, number: str, fonts: RichTextFonts) -> str:
    """Return a control word of a style as it stays; nothing for one that does not."""
    value = int(number or 0)
    if word == "f":
        return f"\\f{fonts.numbers.get(value, 0)}"
    is_listed = word in OF_STYLES or (word in KEPT and word not in ("s", "cs"))
    own = f"\\{word}{value}" if number else f"\\{word}"
    return own if is_listed and abs(value) <= LARGEST else ""


def write_head(names: tuple[str, ...] = (USUAL_FONT,), colours: str = "", styles: str = "") -> str:
    """Return how a file begins."""
    fonts = "".join(f"{{\\f{number} {name};}}" for number, name in enumerate(names))
    return f"{{\\rtf1\\ansi\\ansicpg1252\\deff0\\uc1{{\\fonttbl{fonts}}}{colours}{styles}"


HEAD = write_head()
