"""What the codes of a font mean: names of glyphs, Unicode maps, widths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

import pikepdf
from fontTools import agl
from fontTools.encodings import MacRoman, StandardEncoding
from pikepdf import Array, Dictionary, Name, Object, Stream

__all__ = [
    "BASES",
    "STANDARD",
    "glyph_names",
    "put_unicode",
    "unicode_map",
    "unicode_of_name",
    "widths_of",
]

_MOST_CODES = 1 << 16


def _windows() -> list[str | None]:
    names: list[str | None] = [None] * 32
    for code in range(32, 256):
        letter = bytes([code]).decode("cp1252", "ignore")
        names.append(agl.UV2AGL.get(ord(letter)) if letter else None)
    names[39], names[96], names[160], names[173] = "quotesingle", "grave", "space", "hyphen"
    # Unused codes above 32 are bullets (ISO 32000, D.2, note 3).
    return [n if n or i <= 32 else "bullet" for i, n in enumerate(names)]


STANDARD: list[str | None] = list(StandardEncoding.StandardEncoding)
BASES: dict[str, list[str | None]] = {
    "/WinAnsiEncoding": _windows(),
    "/MacRomanEncoding": list(MacRoman.MacRoman),
    "/StandardEncoding": STANDARD,
}


def unicode_of_name(name: str) -> str:
    """Return what a glyph's name means, or nothing."""
    return str(agl.toUnicode(name)) if name else ""


def _base(name: str) -> dict[int, str]:
    return {i: n for i, n in enumerate(BASES.get(name, [])) if n and n != ".notdef"}


def glyph_names(font: Object, builtin: Mapping[int, str] | None = None) -> dict[int, str] | None:
    """Return the glyph name of each code by /Encoding; None where the font's own encoding rules."""
    encoding = font.get("/Encoding")
    if encoding is None:
        return dict(builtin) if builtin else None
    if isinstance(encoding, Name):
        return _base(str(encoding)) or None
    if not isinstance(encoding, Dictionary):
        return None
    base = encoding.get("/BaseEncoding")
    found = _base(str(base)) if base is not None else dict(builtin or _base("/StandardEncoding"))
    code = 0
    differences = encoding.get("/Differences")
    for each in differences if isinstance(differences, Array) else ():
        if isinstance(each, Name):
            found[code] = str(each)[1:]
            code += 1
        else:
            code = int(each)
    return found


def _text(digits: bytes) -> str:
    if len(digits) == 4 and digits.isalnum() and digits[:1] not in b"dD":  # one letter
        return chr(int(digits, 16))
    plain = re.sub(rb"\s", b"", digits).decode()
    plain = plain.zfill((len(plain) + 3) // 4 * 4)
    return bytes.fromhex(plain).decode("utf-16-be", "replace")


def unicode_map(font: Object) -> Mapping[int, str]:
    """Return the text of each code by /ToUnicode."""
    stream = font.get("/ToUnicode")
    return _read_map(bytes(stream.read_bytes())) if isinstance(stream, Stream) else {}


@lru_cache(maxsize=64)  # the pages of a file share their fonts, and a file may be cut several times
def _read_map(content: bytes) -> Mapping[int, str]:
    found: dict[int, str] = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", content, re.DOTALL):
        for code, text in re.findall(rb"<\s*([0-9A-Fa-f]+)\s*>\s*<([0-9A-Fa-f\s]+)>", block):
            found[int(code, 16)] = _text(text)
    pattern = rb"<\s*([0-9A-Fa-f]+)\s*>\s*<\s*([0-9A-Fa-f]+)\s*>\s*(?:<([0-9A-Fa-f\s]+)>|\[(.*?)\])"
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", content, re.DOTALL):
        for first, last, text, several in re.findall(pattern, block, re.DOTALL):
            start = int(first, 16)
            if several:
                for i, each in enumerate(re.findall(rb"<([0-9A-Fa-f\s]+)>", several)):
                    found[start + i] = _text(each)
                continue
            letters = _text(text)
            for code in range(start, min(int(last, 16), start + _MOST_CODES) + 1):
                if letters:
                    found[code] = letters[:-1] + chr(min(ord(letters[-1]) + code - start, 0x10FFFF))
    return MappingProxyType(found)


def put_unicode(pdf: pikepdf.Pdf, font: Object, texts: Mapping[int, str], size: int) -> None:
    """Write the /ToUnicode of a font with these texts and nothing else, for codes of `size` bytes."""
    singles: list[str] = []
    ranges: list[str] = []
    for first, last, text in _text_runs(texts):
        written = text.encode("utf-16-be", "surrogatepass").hex()
        if first == last:
            singles.append(f"<{first:0{2 * size}x}> <{written}>")
        else:
            ranges.append(f"<{first:0{2 * size}x}> <{last:0{2 * size}x}> <{written}>")
    if not singles and not ranges:
        if "/ToUnicode" in font:
            del font["/ToUnicode"]
        return
    body = "".join(
        f"{len(lines[i : i + 100])} begin{kind}\n"
        + "\n".join(lines[i : i + 100])
        + f"\nend{kind}\n"
        for lines, kind in ((singles, "bfchar"), (ranges, "bfrange"))
        for i in range(0, len(lines), 100)
    )
    font["/ToUnicode"] = pdf.make_stream((
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /U def /CMapType 2 def "
        f"1 begincodespacerange <{'00' * size}> <{'ff' * size}> endcodespacerange\n{body}endcmap end end"
    ).encode())  # fmt: skip


def _text_runs(texts: Mapping[int, str]) -> Iterator[tuple[int, int, str]]:
    """Yield codes that follow each other with letters that do, as first, last and first letter."""
    run: tuple[int, int, str] | None = None
    for code, text in sorted(texts.items()):
        if not text:
            continue
        if run is not None:
            first, last, letter = run
            follows = code == last + 1 and code >> 8 == first >> 8 and len(text) == len(letter) == 1
            if follows and ord(text) == ord(letter) + code - first and ord(text) < 0x10000:
                run = first, code, letter
                continue
            yield run
        run = code, code, text
    if run is not None:
        yield run


def widths_of(font: Object) -> dict[int, float]:
    """Return the widths of the codes of a simple font."""
    first = int(font.get("/FirstChar", 0))
    widths = font.get("/Widths")
    if not isinstance(widths, Array):
        return {}
    return {first + i: float(w) for i, w in enumerate(widths)}
