"""The place of every glyph of a page, and the byte of the stream that shows it.

Only what places text is followed: matrices, text state, forms. Positions are kept in flat lists, one matrix for
each operator that shows text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pikepdf
from pikepdf import Dictionary, Name, Object, Stream

from .glyph_font import GlyphFont
from .refusal import PageRefusedError
from .scan import OddContentError, Operand, StreamOperator, scan
from .streams import content_of, parse, unparse

__all__ = [
    "IDENTITY",
    "Interpreter",
    "Matrix",
    "PageGlyphs",
    "StreamContent",
    "StreamKey",
    "TextShow",
    "multiply",
]

Matrix = tuple[float, float, float, float, float, float]
StreamKey = tuple[str, tuple[int, int]]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_DEEPEST = 12
_CLIP = 4  # text render modes from here on also clip what is drawn later
_MOST_GLYPHS = 2_000_000


def multiply(a: Matrix, b: Matrix) -> Matrix:
    """Return the matrix that applies `a`, then `b`."""
    return (
        a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4], a[4] * b[1] + a[5] * b[3] + b[5],
    )  # fmt: skip


@dataclass(slots=True)
class TextState:
    """The text state of a content stream."""

    font: GlyphFont | None = None
    font_name: bytes = b""
    size: float = 0.0
    character_space: float = 0.0
    word_space: float = 0.0
    scale: float = 1.0
    leading: float = 0.0
    rise: float = 0.0
    mode: int = 0

    def copy(self) -> TextState:
        """Return a state that changes apart from this one."""
        return TextState(
            self.font, self.font_name, self.size, self.character_space, self.word_space, self.scale,
            self.leading, self.rise, self.mode,
        )  # fmt: skip


@dataclass(slots=True, eq=False)
class TextShow:
    """One operator that shows text: its items, its state, and where its glyphs are.

    `matrix` is the text matrix in the space of its stream, `outer` leads from there to the page; `first` is
    the number of its first glyph, `codes` and `advances` are those of each.
    """

    key: StreamKey
    operator: StreamOperator
    items: list[float | bytes]
    state: TextState
    text_matrix: Matrix
    inner: Matrix
    outer: Matrix
    first: int
    advances: list[float] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)

    @property
    def matrix(self) -> Matrix:
        """The matrix from text space to the space of the stream."""
        return multiply(self.text_matrix, self.inner)

    @property
    def font(self) -> GlyphFont:
        """The font, which a show always has."""
        assert self.state.font is not None
        return self.state.font


@dataclass(frozen=True, slots=True)
class StreamContent:
    """A content stream: the object that holds it, its bytes, and its operators.

    The bytes of an odd one are not those of the object: a parser put them into a plainer form.
    """

    object: Object
    content: bytes
    operators: list[StreamOperator]
    resources: Object
    is_odd: bool = False


@dataclass(slots=True)
class PageGlyphs:
    """The glyphs of a page: origin and width of each, the operators that show them, the pictures."""

    shows: list[TextShow] = field(default_factory=list)
    x: list[float] = field(default_factory=list)
    y: list[float] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    pictures: list[tuple[float, float, float, float]] = field(default_factory=list)
    streams: dict[StreamKey, StreamContent] = field(default_factory=dict)
    clips: bool = False


class Interpreter:
    """Interprets pages; what it learned about fonts and streams serves for all of them.

    Parameters
    ----------
    pdf : Pdf
        The file.
    scanned : dict of bytes to list of StreamOperator, optional
        The operators of contents, kept for another look at the same file.

    """

    def __init__(
        self, pdf: pikepdf.Pdf, scanned: dict[bytes, list[StreamOperator]] | None = None
    ) -> None:
        self.pdf = pdf
        self._scanned = {} if scanned is None else scanned
        self._fonts: dict[tuple[int, int], GlyphFont] = {}
        self._streams: dict[StreamKey, StreamContent] = {}

    def read(self, page: pikepdf.Page) -> PageGlyphs:
        """Return the glyphs of a page."""
        found = PageGlyphs()
        resources = page.obj.get("/Resources")
        if resources is None:
            resources = page.obj["/Resources"] = page.resources
        try:
            key = ("page", page.obj.objgen)
            self._run(found, key, page.obj, resources, IDENTITY, TextState(), 0)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, pikepdf.PdfError):  # fmt: skip
            raise PageRefusedError("content that cannot be followed") from None
        return found

    def _stream(self, key: StreamKey, holder: Object, resources: Object) -> StreamContent:
        if key not in self._streams:
            content = content_of(holder) if key[0] == "page" else bytes(holder.read_bytes())
            is_odd = False
            try:
                operators = self._scan(content)
            except OddContentError:
                is_odd = True
                content = unparse(parse(pikepdf.Page(holder) if key[0] == "page" else holder))
                try:
                    operators = scan(content)
                except OddContentError as error:
                    raise PageRefusedError(f"content with {error}") from None
            self._streams[key] = StreamContent(holder, content, operators, resources, is_odd)
        return self._streams[key]

    def _scan(self, content: bytes) -> list[StreamOperator]:
        if content not in self._scanned:
            self._scanned[content] = scan(content)
        return self._scanned[content]

    def font(self, resources: Object, name: str) -> GlyphFont:
        """Return a font by its name in the resources."""
        fonts = resources["/Font"]
        found = fonts[name]
        if not found.is_indirect:
            found = fonts[name] = self.pdf.make_indirect(found)
        key = found.objgen
        if key not in self._fonts:
            self._fonts[key] = GlyphFont(found)
        return self._fonts[key]

    def _run(
        self, page: PageGlyphs, key: StreamKey, holder: Object, resources: Object, outer: Matrix,
        state: TextState, depth: int,
    ) -> None:  # fmt: skip
        if depth > _DEEPEST:
            raise PageRefusedError("forms inside forms")
        stream = page.streams[key] = self._stream(key, holder, resources)
        state = state.copy()
        inner = IDENTITY
        saved: list[tuple[Matrix, TextState]] = []
        text = line = IDENTITY
        for operator in stream.operators:
            name, given = operator.name, operator.operands
            if name in ("TJ", "Tj", "'", '"'):
                if name == '"':
                    state = state.copy()
                    state.word_space, state.character_space = _numbers(given[-3:-1], 2)
                if name in "'\"":
                    text = line = multiply((1, 0, 0, 1, 0, -state.leading), line)
                text = self._show(page, key, operator, state, text, inner, outer)
            elif name in ("Td", "TD"):
                x, y = _numbers(given, 2)
                if name == "TD" and state.leading != -y:
                    state = state.copy()
                    state.leading = -y
                text = line = multiply((1, 0, 0, 1, x, y), line)
            elif name == "Tm":
                text = line = _matrix(given)
            elif name == "T*":
                text = line = multiply((1, 0, 0, 1, 0, -state.leading), line)
            elif name == "BT":
                text = line = IDENTITY
            elif name == "Tf":
                state = state.copy()
                state.font_name = _name_bytes(given[-2])
                state.font, state.size = self.font(resources, _name(given[-2])), *_numbers(given, 1)
            elif name == "q":
                saved.append((inner, state))
            elif name == "Q":
                if saved:
                    inner, state = saved.pop()
            elif name == "cm":
                inner = multiply(_matrix(given), inner)
            elif name in ("gs", "Do"):
                self._call(page, name, resources, given, multiply(inner, outer), state, depth)
            elif name == "BI":
                page.pictures.append(_box(multiply(inner, outer)))
            elif name != "ET":
                state = state.copy()  # a show keeps the one it had
                _set_state(state, name, given)
                page.clips = page.clips or state.mode >= _CLIP

    def _call(
        self, page: PageGlyphs, name: str, resources: Object, given: list[Operand], matrix: Matrix,
        state: TextState, depth: int,
    ) -> None:  # fmt: skip
        listed = resources.get("/ExtGState" if name == "gs" else "/XObject")
        found = listed.get(_name(given[-1])) if isinstance(listed, Dictionary) else None
        if found is None:
            return
        if name == "gs":
            if "/Font" in found:
                raise PageRefusedError("a font that a graphics state sets")
            mask = found.get("/SMask")
            found = mask.get("/G") if isinstance(mask, Dictionary) else None
            if found is None:
                return
        if isinstance(found, Stream) and found.get("/Subtype") == Name.Form:
            own = found.get("/Matrix")
            if own is not None:
                matrix = multiply(_matrix([float(v) for v in own]), matrix)
            inner = found.get("/Resources", resources)
            self._run(page, ("form", found.objgen), found, inner, matrix, state, depth + 1)
        else:
            page.pictures.append(_box(matrix))

    def _show(
        self, page: PageGlyphs, key: StreamKey, operator: StreamOperator, state: TextState, text: Matrix,
        inner: Matrix, outer: Matrix,
    ) -> Matrix:  # fmt: skip
        font = state.font
        if font is None:
            raise PageRefusedError("text without a font")
        given = operator.operands[-1:] if operator.name in "'\"" else operator.operands
        items = [v for v in given if isinstance(v, float | bytes)]
        show = TextShow(key, operator, items, state, text, inner, outer, len(page.x))
        page.shows.append(show)
        matrix = multiply(multiply(text, inner), outer)
        a, b = matrix[0], matrix[1]
        left, bottom = matrix[2] * state.rise + matrix[4], matrix[3] * state.rise + matrix[5]
        unit = state.size * state.scale
        space, word = state.character_space * state.scale, state.word_space * state.scale
        advance, is_simple = 0.0, font.size == 1
        get_width, default, scale = font.widths.get, font.default, font.scale
        add_x, add_y, add_width, add = page.x.append, page.y.append, page.width.append, show.advances.append  # fmt: skip
        for item in items:
            if isinstance(item, float):
                advance -= item * unit / 1000
                continue
            if font.size == 2 and len(item) & 1:
                raise PageRefusedError("half a code at the end of a string")
            codes = font.codes(item)
            show.codes += codes
            for code in codes:
                width = get_width(code, default) * scale * unit
                add_x(a * advance + left)
                add_y(b * advance + bottom)
                add_width(width)
                add(advance)
                advance += width + space
                if code == 32 and is_simple:
                    advance += word
        if len(page.x) > _MOST_GLYPHS:
            raise PageRefusedError("more glyphs than a page can have")
        return multiply((1, 0, 0, 1, advance, 0), text)


_FIELDS = {"Tc": "character_space", "Tw": "word_space", "TL": "leading", "Ts": "rise"}


def _set_state(state: TextState, name: str, given: list[Operand]) -> None:
    (value,) = _numbers(given, 1)
    if name in _FIELDS:
        setattr(state, _FIELDS[name], value)
    elif name == "Tz":
        state.scale = value / 100
    elif name == "Tr":
        state.mode = int(value)


def _numbers(given: list[Operand], count: int) -> tuple[float, ...]:
    found = tuple(v for v in given[-count:] if isinstance(v, float))
    if len(found) < count:
        raise PageRefusedError("an operator without its numbers")
    return found


def _matrix(given: list[Operand]) -> Matrix:
    a, b, c, d, e, f = _numbers(given, 6)
    return (a, b, c, d, e, f)


def _name_bytes(given: Operand) -> bytes:
    if not isinstance(given, bytes):
        raise PageRefusedError("an operator without its name")
    return given


def _name(given: Operand) -> str:
    text = _name_bytes(given).decode("latin-1")
    return re.sub(r"#([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), text) if "#" in text else text


def _box(m: Matrix) -> tuple[float, float, float, float]:
    """Return the box of the unit square, which is where a picture is drawn."""
    x = [m[4], m[0] + m[4], m[2] + m[4], m[0] + m[2] + m[4]]
    y = [m[5], m[1] + m[5], m[3] + m[5], m[1] + m[3] + m[5]]
    return min(x), min(y), max(x), max(y)
