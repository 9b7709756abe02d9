"""A new PDF that holds a text: plain lines in a standard font, for samples and exports."""

from __future__ import annotations

from collections.abc import Iterator

import pikepdf
from fontTools import agl
from pikepdf import Array, Dictionary, Name

from .encodings import put_unicode
from .layout import placeholder_width
from .refusal import FileRefusedError
from .sanitise import save

__all__ = ["compose"]

_SIZE, _LEAD = 10, 13
_WIDTH, _TOP, _LEFT = 495.0, 790, 50
_LINES = 57
_FREE = [*range(1, 32), 127, 129, 141, 143, 144, 157]


def compose(text: str) -> bytes:
    """Return a PDF with the lines of a text, wrapped to the page.

    A letter that the encoding of the font does not have gets a new code, as long as there are some.
    """
    codes = _encoding(text)
    lines = [line for paragraph in text.split("\n") for line in _wrap(paragraph)]
    pdf = pikepdf.new()
    others = {code: letter for letter, code in codes.items() if code in _FREE}
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding
    )
    if others:
        listed = Array()
        for code, letter in sorted(others.items()):
            listed.append(code)
            listed.append(Name("/" + agl.UV2AGL.get(ord(letter), f"uni{ord(letter):04X}")))
        font["/Encoding"] = Dictionary(BaseEncoding=Name.WinAnsiEncoding, Differences=listed)
        put_unicode(pdf, font, {code: letter for letter, code in codes.items()}, 1)
    font = pdf.make_indirect(font)
    for first in range(0, max(1, len(lines)), _LINES):
        content = [f"BT /F1 {_SIZE} Tf {_LEAD} TL {_LEFT} {_TOP} Td".encode()]
        content += [
            b"<%b> Tj T*" % bytes(codes[c] for c in line).hex().encode()
            for line in lines[first : first + _LINES]
        ]
        page = Dictionary(
            Type=Name.Page, MediaBox=[0, 0, 595, 842], Resources=Dictionary(Font=Dictionary(F1=font)),
            Contents=pdf.make_stream(b"\n".join([*content, b"ET"])),
        )  # fmt: skip
        pdf.pages.append(pikepdf.Page(pdf.make_indirect(page)))
    return save(pdf)


def _encoding(text: str) -> dict[str, int]:
    codes: dict[str, int] = {}
    free = iter(_FREE)
    for letter in sorted(set(text) - {"\n"}):
        known = letter.encode("cp1252", "ignore")
        if known and known[0] >= 32 and known[0] != 127:
            codes[letter] = known[0]
            continue
        code = next(free, None)
        if code is None or ord(letter) > 0xFFFF or ord(letter) < 32:
            raise FileRefusedError("holds letters that a standard font cannot show")
        codes[letter] = code
    return codes


def _wrap(paragraph: str) -> Iterator[str]:
    line = ""
    for word in paragraph.split(" "):
        longer = f"{line} {word}" if line else word
        if line and placeholder_width(longer) * _SIZE > _WIDTH:
            yield line
            longer = word
        line = longer
    yield line
