"""New files, by the standard library: a Word document with a paragraph per line, a workbook of one sheet."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape

from ....core.errors import DataError
from .zipped import write_zip

__all__ = ["new_book", "new_word"]

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def new_word(text: str) -> bytes:
    """Return a .docx file that holds a text.

    >>> new_word("Dear Ann,")[:2]
    b'PK'
    """
    if _NOT_XML.search(text):
        raise DataError("A document holds a control character, which a Word document cannot hold.")
    package = "http://schemas.openxmlformats.org/package/2006"
    types = (
        f'{_HEAD}<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" '
        f'ContentType="{_MAIN}"/></Types>'
    )
    relations = (
        f'{_HEAD}<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
    )
    lines = "".join(f"<w:p>{_runs(line)}</w:p>" for line in text.removesuffix("\n").split("\n"))
    body = (
        f'{_HEAD}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        f"{lines}<w:sectPr/></w:body></w:document>"
    )
    return write_zip([
        ("[Content_Types].xml", types.encode()), ("_rels/.rels", relations.encode()),
        ("word/document.xml", body.encode()),
    ])  # fmt: skip


def new_book(rows: str) -> bytes:
    """Return an .xlsx file with one sheet.

    Parameters
    ----------
    rows : str
        Its rows, as in a sheet.

    """
    if _NOT_XML.search(rows):
        raise DataError("A document holds a control character, which a spreadsheet cannot hold.")
    package = "http://schemas.openxmlformats.org/package/2006"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    types = (
        f'{_HEAD}<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>'
    )

    def relation(what: str, target: str) -> bytes:
        return (
            f'{_HEAD}<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
            f'Type="{_OFFICE}/{what}" Target="{target}"/></Relationships>'
        ).encode()

    book = (
        f'{_HEAD}<workbook xmlns="{main}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )
    sheet = f'{_HEAD}<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'
    return write_zip([
        ("[Content_Types].xml", types.encode()), ("_rels/.rels", relation("officeDocument", "xl/workbook.xml")),
        ("xl/workbook.xml", book.encode()), ("xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml")),
        ("xl/worksheets/sheet1.xml", sheet.encode()),
    ])  # fmt: skip


def _runs(line: str) -> str:
    pieces = (
        f'<w:r><w:t xml:space="preserve">{escape(piece, {chr(13): "&#13;"})}</w:t></w:r>'
        if piece
        else ""
        for piece in line.split("\t")
    )
    return "<w:r><w:tab/></w:r>".join(pieces)
