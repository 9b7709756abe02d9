"""A content stream without what is removed: single operators are replaced, every other byte is written as it was.

From the first operator that changes to the end of its text object every piece of text gets its own place and
the relative moves go: moves around removed letters would reveal their widths.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from .empty_groups import MOVES, STATE, splice, without_empty
from .interpret import Matrix, StreamContent, TextShow, multiply
from .layout import CutText, StreamLayout
from .marks import StreamCuts
from .scan import StreamOperator
from .streams import SHOWS
from .underlines import find_rules

__all__ = ["EXTRA_LETTERS", "PLACEHOLDER_FONT", "rewrite", "winansi"]

PLACEHOLDER_FONT = b"SfumatoH"

_GREY = b"0.88"
_DESCENT, _ASCENT = -0.22, 0.8
Codes = Mapping[int, int]


EXTRA_LETTERS = dict(
    zip("ąćęłńśźżĄĆĘŁŃŚŹŻčďěňřťůČŘğıİşŞőűățșāū", (*range(1, 32), 127, 129, 141, 143, 144, 157), strict=False)
)  # fmt: skip
"""Letters of European names that the Windows encoding does not have, at codes that it does not use."""


def winansi(text: str) -> bytes:
    """Return a text in the encoding of the placeholders' font; a character it has not is an error.

    >>> winansi("[Ł]").hex()
    '5b0c5d'
    """
    return b"".join(
        bytes([EXTRA_LETTERS[c]]) if c in EXTRA_LETTERS else c.encode("cp1252") for c in text
    )


def rewrite(
    stream: StreamContent,
    cuts: StreamCuts,
    layout: StreamLayout,
    codes: Mapping[tuple[int, int], Codes],
    texts: Mapping[int, str],
) -> bytes:
    """Return the content of a stream after a cut.

    Parameters
    ----------
    stream : StreamContent
        The stream as it was.
    cuts : StreamCuts
        What goes.
    layout : StreamLayout
        How the lines move, and what is drawn in the places of cuts.
    codes : mapping
        For each font that was renumbered its new codes.
    texts : mapping of int to str
        What replaces each edit.

    """
    writer = _Writer(cuts, layout, codes, texts)
    for operator in stream.operators:
        writer.take(operator)
    writer.edits += [(start, end, b" ") for start, end in find_rules(stream, layout.boxes)]
    edits = sorted(writer.edits, key=lambda e: (e[0], e[1]))
    if writer.has_cut:
        edits = without_empty(stream, edits)
    return splice(stream.content, 0, len(stream.content), edits)


class _Writer:
    def __init__(
        self,
        cuts: StreamCuts,
        layout: StreamLayout,
        codes: Mapping[tuple[int, int], Codes],
        texts: Mapping[int, str],
    ) -> None:
        self.cuts, self.layout, self.codes, self.texts = cuts, layout, codes, texts
        self.edits: list[tuple[int, int, bytes]] = []
        self.has_cut = False
        self.absolute = (
            False  # whether all text gets a place of its own, to the end of the text object
        )
        self.states: dict[str, tuple[int, int]] = {}
        self.moves: list[tuple[int, int, bytes]] = []  # since the last text that stays as it is

    def take(self, operator: StreamOperator) -> None:
        """Decide on one operator."""
        name, start, end = operator.name, operator.start, operator.end
        if name in ("BT", "ET"):
            self.absolute = False
            self.states.clear()
            self.moves.clear()
        elif name in SHOWS:
            self._show(self.cuts.shows[start])
        elif name in MOVES:
            leading = b" %b TL " % _number(-_last(operator)) if name == "TD" else b" "
            self.moves.append((start, end, leading))
        elif self.absolute and name in STATE:
            if name in self.states:  # the number of changes would tell the number of letters
                before = self.states[name]
                self.edits.append((*before, b" "))
            self.states[name] = (start, end)

    def _show(self, show: TextShow) -> None:
        place = show.operator.start
        gone = self.cuts.gone.get(place, {})
        moved = any(abs(s) > 1e-4 for s in self.layout.shifts.get(place, {}).values())
        new_codes = self.codes.get(show.font.object.objgen)
        if not (gone or moved or self.absolute):
            if new_codes is not None:
                self.edits.append((place, show.operator.end, _recode(show, new_codes)))
            self.moves.clear()
            return
        if gone or moved:
            self.absolute = self.has_cut = True
        self.edits += self.moves  # every piece gets a place of its own
        self.moves.clear()
        pieces = []
        if show.operator.name == '"':
            state = show.state
            pieces.append(b"%b Tw %b Tc" % (_number(state.word_space), _number(state.character_space)))  # fmt: skip
        pieces += self._pieces(show, gone, new_codes)
        if any(piece.endswith(b"TJ") for piece in pieces):
            self.states.clear()
        self.edits.append((place, show.operator.end, b" " + b" ".join(pieces) + b" "))

    def _pieces(
        self, show: TextShow, gone: Mapping[int, int], new_codes: Codes | None
    ) -> Iterator[bytes]:
        """Yield the text that stays, each stretch at its place, and what replaces the rest."""
        shifts = self.layout.shifts.get(show.operator.start, {})
        array: list[bytes] = []
        text = bytearray()
        shift = current = _first_shift(shifts)
        start, glyph = -1, 0

        def close() -> Iterator[bytes]:
            if text:
                array.append(b"<%b>" % text.hex().encode())
                text.clear()
            if array and start >= 0:
                yield _place(show, show.advances[start], current) + b" [" + b"".join(array) + b"]TJ"
            array.clear()

        for item in show.items:
            if isinstance(item, float):
                if text:
                    array.append(b"<%b>" % text.hex().encode())
                    text.clear()
                if array:
                    array.append(b" %b " % _number(item))
                continue
            for code in show.font.codes(item):
                if glyph in gone or abs(shifts.get(glyph, shift) - current) > 1e-4:
                    yield from close()
                    start = -1
                own = self.layout.placeholders.get((show.operator.start, glyph))
                if own is not None:
                    yield self._placeholder(own)
                if glyph not in gone:
                    shift = shifts.get(glyph, shift)
                    if start < 0:
                        start, current = glyph, shift
                    new = code if new_codes is None else new_codes[code]
                    text += new.to_bytes(show.font.size, "big")
                glyph += 1
        yield from close()

    def _placeholder(self, own: CutText) -> bytes:
        """Return the drawing of a placeholder, outside the text object so that nothing else changes."""
        show, state = own.show, own.show.state
        text = self.texts.get(own.edit, "")
        m = multiply((1, 0, 0, 1, 0, state.rise), _move(show, show.advances[own.glyph], own.shift))
        scale = math.hypot(show.matrix[0], show.matrix[1])
        wide = math.copysign(own.width / scale, state.size * state.scale)
        low, high = _DESCENT * state.size, _ASCENT * state.size
        pieces = [b"ET q n"]  # a path that was begun and never drawn is not the box's
        if not text or not text[0].isalnum():
            corners = [(0.0, low), (wide, low), (wide, high), (0.0, high)]
            path = [
                b"%b %b %b" % (_number(m[0] * x + m[2] * y + m[4]), _number(m[1] * x + m[3] * y + m[5]), op)
                for (x, y), op in zip(corners, (b"m", b"l", b"l", b"l"), strict=True)
            ]  # fmt: skip
            pieces.append(_GREY + b" g " + b" ".join(path) + b" h f")
        if text:
            stretch = 100 * own.squeeze * math.copysign(1, state.scale)
            pieces.append(b"0 g BT /%b %b Tf %b Tz 0 Tc 0 Tw 0 Ts 0 Tr %b <%b> Tj ET" % (
                PLACEHOLDER_FONT, _number(state.size), _number(stretch), _matrix(m), winansi(text).hex().encode(),
            ))  # fmt: skip
        return b" ".join([*pieces, b"Q BT"])


def _first_shift(shifts: Mapping[int, float]) -> float:
    return shifts[min(shifts)] if shifts else 0.0


def _last(operator: StreamOperator) -> float:
    value = operator.operands[-1]
    return value if isinstance(value, float) else 0.0


def _move(show: TextShow, advance: float, shift: float) -> Matrix:
    """Return the text matrix after an advance, and a shift along the line."""
    m, state = show.matrix, show.state
    scale = math.hypot(m[0], m[1]) or 1.0
    along = math.copysign(shift / scale, shift * (state.size * state.scale or 1.0))
    return multiply((1, 0, 0, 1, advance + along, 0), show.text_matrix)


def _place(show: TextShow, advance: float, shift: float) -> bytes:
    return _matrix(_move(show, advance, shift))


def _matrix(m: Matrix) -> bytes:
    return b" ".join(map(_number, m)) + b" Tm"


def _number(value: float) -> bytes:
    """Return a number without an exponent, which a content stream cannot hold.

    >>> _number(0.5), _number(-0.000001), _number(12.0)
    (b'0.5', b'0', b'12')
    """
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return b"0" if text in ("-0", "") else text.encode()


def _recode(show: TextShow, new_codes: Codes) -> bytes:
    """Return an operator with the new codes of its font, and nothing else changed."""
    size = show.font.size
    items = [
        b" %b " % _number(item)
        if isinstance(item, float)
        else b"<%b>" % b"".join(new_codes[c].to_bytes(size, "big") for c in show.font.codes(item)).hex().encode()
        for item in show.items
    ]  # fmt: skip
    name = show.operator.name
    if name == "TJ":
        return b" [" + b"".join(items) + b"]TJ "
    before = b""
    if name == '"':
        before = b"%b %b " % (_number(show.state.word_space), _number(show.state.character_space))
    return b" " + before + b"".join(items) + b" " + name.encode() + b" "
