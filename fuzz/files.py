"""Files that are one document each: mutated inside, zipped again, read, cut, written and verified.

The parts of a packed file are one input, each after a line with its name, so that mutations meet XML and not
checksums.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from fuzz.onward import PLANTED, LeakError

BETWEEN = b"\n=====\n"
PACKED = ("docx", "xlsx", "pptx", "odt")
KINDS = (*PACKED, "html", "xml", "rtf")


def seeds(kind: str) -> Callable[[], Sequence[bytes]]:
    """Return what makes the good files of a kind."""

    def made() -> list[bytes]:
        text = f"Ann Perez called {PLANTED}.\nTwice."
        if kind == "html":
            return [f'<p title="{PLANTED}">{text}<br><b>Que</b>tzalcanary<script>x</script></p><!-- x -->'.encode()]  # fmt: skip
        if kind == "xml":
            return [f'<?xml version="1.0"?><n by="{PLANTED}"><!-- x --><text>{text}<b>x</b></text></n>'.encode()]  # fmt: skip
        if kind == "rtf":
            words = r"\u81?uetzalcanary\par{\b Que}tzalcanary{\footnote \'51uetzalcanary}{\*\x y}{\info{\title x}}"
            return [
                rf"{{\rtf1\ansi{{\fonttbl{{\f0\fcharset0 Arial;}}}}{{\stylesheet{{\s1\f0 {PLANTED};}}}}\f0 {text}\par{words}}}".encode()
            ]
        return [parts_of(_MADE[kind](text))]

    return made


def lay(kind: str) -> Callable[[bytes, Path], object]:
    """Return what lays an input of a kind into a folder."""

    def laid(data: bytes, folder: Path) -> None:
        content = _packed(data) if kind in PACKED and data[:2] != b"PK" else data
        (folder / f"input.{kind}").write_bytes(content)

    return laid


def read(kind: str) -> Callable[[Path], object]:
    """Return what reads a file of a kind, cuts the planted word out of it, and looks at what was written."""

    def check(folder: Path) -> None:
        from sfumato.data.document import Document, Edit, Edited
        from sfumato.data.formats.protocol import CorpusFile
        from sfumato.data.formats.registry import FORMATS
        from sfumato.data.formats.verification import Digests

        form, path = FORMATS[kind](), folder / f"input.{kind}"
        part, out = CorpusFile(path.name, path), folder / f"out.{kind}"
        for record in form.read(part):
            if not isinstance(record, Document):
                continue
            places = re.finditer(PLANTED, record.text)
            edits = [Edit(m.start(), m.end(), "[NAME]", "NAME") for m in places]
            edited, expected = Edited(record, edits, path.name), Digests()
            expected.add(form.digest_of(edited))
            form.write(part, [edited], out)
            verified = form.verify(CorpusFile(path.name, out), expected, {PLANTED} if edits else ())
            if verified and edits and any(PLANTED.encode() in s for s in _streams(out.read_bytes())):  # fmt: skip
                raise LeakError(kind)

    return check


def _streams(content: bytes) -> list[bytes]:
    if content[:2] != b"PK":
        return [content]
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return [packed.read(name) for name in packed.namelist()]


def parts_of(content: bytes) -> bytes:
    """Return the parts of a packed file, each after a line with its name; some that say little are left out."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        names = [n for n in packed.namelist() if not re.search(r"theme|slideLayout[2-9]|slideLayout1\d|docProps", n)]  # fmt: skip
        return BETWEEN.join(name.encode() + b"\n" + packed.read(name) for name in names)


def _packed(data: bytes) -> bytes:
    made, seen = io.BytesIO(), set()
    with zipfile.ZipFile(made, "w") as packed:
        for block in data.split(BETWEEN):
            name, _, content = block.partition(b"\n")
            text = name.decode("utf-8", "replace")[:200].replace("\0", "") or "part"
            if text not in seen:
                seen.add(text)
                packed.writestr(zipfile.ZipInfo(text, (1980, 1, 1, 0, 0, 0)), content)
    return made.getvalue()


def _word(text: str) -> bytes:
    from sfumato.data.formats.office.formats import Docx

    return Docx().create(text)


def _sheet(text: str) -> bytes:
    import openpyxl

    book, made = openpyxl.Workbook(), io.BytesIO()
    book.active.append([text, 5, f'="Dr "&"{PLANTED}"'])
    book.create_sheet(PLANTED)["A1"] = f"='{PLANTED}'!A1"
    book.save(made)
    return made.getvalue()


def _slides(text: str) -> bytes:
    import pptx

    show, made = pptx.Presentation(), io.BytesIO()
    show.slides.add_slide(show.slide_layouts[0]).shapes.title.text = text
    show.save(made)
    return made.getvalue()


def _text(text: str) -> bytes:
    office, words = (f"urn:oasis:names:tc:opendocument:xmlns:{n}:1.0" for n in ("office", "text"))
    lines = "".join(f"<t:p>{line}<t:tab/><t:span>x</t:span></t:p>" for line in text.split("\n"))
    body = f'<o:document-content xmlns:o="{office}" xmlns:t="{words}"><o:body><o:text>{lines}</o:text></o:body></o:document-content>'
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        packed.writestr("content.xml", body)
    return made.getvalue()


_MADE = {"docx": _word, "xlsx": _sheet, "pptx": _slides, "odt": _text}
