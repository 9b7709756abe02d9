"""Texts of office files in places that no reader looks at: parts that nothing lists, elements where none belongs."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

pytest.importorskip("lxml", reason="the extra office is not installed")

from tests.data.formats.office import planted, planted_more
from tests.data.formats.test_markup import odt

from sfumato.data.documents import read_documents
from sfumato.data.formats.files import RefusedFileError
from sfumato.data.formats.registry import FORMATS

WORD = b"Quetzalcanary"
MAKERS = {"docx": planted.docx, "xlsx": planted_more.xlsx, "pptx": planted_more.pptx, "odt": odt}


def good(kind):
    return MAKERS[kind]("unread places")[0]


def changed(content, part, change):
    """Return a packed file with one part changed."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as packed, zipfile.ZipFile(made, "w") as out:
        assert part in packed.namelist()
        for name in packed.namelist():
            data = packed.read(name)
            new = change(data) if name == part else data
            assert name != part or new != data
            out.writestr(name, new)
    return made.getvalue()


def saved(kind, content):
    """Return what is found in a file, what is dropped, and the bytes of all parts of what is written."""
    opened = FORMATS[kind]().open(content)
    written = opened.save({})
    with zipfile.ZipFile(io.BytesIO(written)) as packed:
        parts = b"\n".join(name.encode() + packed.read(name) for name in packed.namelist())
    again = FORMATS[kind]().open(written)
    assert not again.found.dropped
    return opened, parts


def before_end(text):
    return lambda data: re.sub(rb"(</(?:\w+:)?\w+>\s*)\Z", text + rb"\1", data)


PLACES = {
    "paragraph among styles": ("docx", "word/styles.xml", b"<w:p><w:r><w:t>Quetzalcanary</w:t></w:r></w:p>"),
    "text among settings": ("docx", "word/settings.xml", b"<w:zoom>Quetzalcanary</w:zoom>"),
    "formula in a text": ("docx", "word/document.xml", b"<w:f>Quetzalcanary</w:f>"),
    "number in a text": ("docx", "word/document.xml", b"<w:ptCount>Quetzalcanary</w:ptCount>"),
    "field of a slide": ("pptx", "ppt/slides/slide1.xml", b"<p:instrText>Quetzalcanary</p:instrText>"),
    "border of a cell": ("xlsx", "xl/styles.xml", b"<borders><border><top>Quetzalcanary</top></border></borders>"),
    "setting of a sheet": ("xlsx", "xl/worksheets/sheet1.xml", b"<pageMargins>Quetzalcanary</pageMargins>"),
    "cell without a row": ("xlsx", "xl/worksheets/sheet1.xml", b"<sheetData><c><v>Quetzalcanary</v></c></sheetData>"),
    "second value of a cell": ("xlsx", "xl/worksheets/sheet1.xml", b"<sheetData><row><c><v>1</v><v>Quetzalcanary</v></c></row></sheetData>"),
    "list of sheets": ("xlsx", "xl/workbook.xml", b"<calcPr>Quetzalcanary</calcPr>"),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_texts_where_none_belongs_are_read_or_gone(place):
    kind, part, text = PLACES[place]
    content = changed(good(kind), part, before_end(text))
    opened, parts = saved(kind, content)
    is_read = WORD.decode() in opened.text  # then it is redacted where it is marked
    assert (WORD in parts) == is_read
    if not is_read:
        assert opened.found.dropped.keys() & {"text where none belongs", "foreign markup"}


def test_a_sheet_that_no_list_names_is_left_out():
    content = good("xlsx")
    whole, parts = saved("xlsx", content)
    assert b"worksheets/sheet2.xml" in parts
    one = changed(
        content, "xl/worksheets/sheet2.xml", before_end(b"<headerFooter>Quetzalcanary</headerFooter>")
    )  # fmt: skip
    alone = changed(one, "xl/workbook.xml", lambda data: re.sub(rb"(<sheet [^>]*/>)<sheet [^>]*/>", rb"\1", data, count=1))  # fmt: skip
    opened, parts = saved("xlsx", alone)
    assert opened.found.dropped["sheet that is not listed"] == 1
    assert len(opened.text) < len(whole.text)
    assert WORD not in parts
    assert b"worksheets/sheet2.xml" not in parts


@pytest.mark.parametrize(
    ("kind", "part", "old", "new"),
    [
        ("docx", "word/document.xml", b"wordprocessingml/2006/main", b"wordprocessingml/2006/Quetzalcanary"),
        ("docx", "word/document.xml", b"w:document", b"w:styles"),
        ("xlsx", "xl/workbook.xml", b"<workbook xmlns=", b"<workbook own="),
        ("odt", "content.xml", b"opendocument:xmlns:office", b"opendocument:xmlns:Quetzalcanary"),
        ("odt", "content.xml", b"document-content", b"document-styles"),
    ],
)  # fmt: skip
def test_parts_with_another_root_withhold_the_file(kind, part, old, new):
    def change(data):
        assert old in data
        return data.replace(old, new)

    with pytest.raises(RefusedFileError, match=r"not of the kind that its name says|well-formed"):
        FORMATS[kind]().open(changed(good(kind), part, change))


def test_a_part_of_another_vocabulary_goes():
    def change(data):
        return data.replace(b"wordprocessingml/2006/main", b"wordprocessingml/2006/Quetzalcanary")

    content = good("docx")
    whole, parts = saved("docx", content)
    assert b"word/styles.xml" in parts
    opened, parts = saved("docx", changed(content, "word/styles.xml", change))
    assert opened.text == whole.text
    assert b"word/styles.xml" not in parts
    assert WORD not in parts


@pytest.mark.parametrize("root", ["smartTag", "sdt", "p", "styles"])
def test_a_part_with_the_root_of_another_kind_goes(root):
    """A root that is an element elsewhere cannot be unwrapped, and would be read as what it is not."""

    def change(data):
        return data.replace(b"w:hdr", b"w:" + root.encode())

    with zipfile.ZipFile(io.BytesIO(good("docx"))) as packed:
        header = next(
            name for name in packed.namelist() if re.fullmatch(r"word/header\d*\.xml", name)
        )
    opened, parts = saved("docx", changed(good("docx"), header, change))
    assert opened.found.dropped["unknown part"]
    assert b"word/header" not in parts


def test_types_of_content_are_those_of_office_files():
    def change(data):
        return data.replace(b"document.main+xml", b"document.main+Quetzalcanary")

    content = changed(good("docx"), "[Content_Types].xml", change)
    with pytest.raises(RefusedFileError, match="not of the kind"):
        FORMATS["docx"]().open(content)
    header = changed(good("docx"), "[Content_Types].xml", lambda data: data.replace(b"header+xml", b"header+Quetzalcanary"))  # fmt: skip
    _, parts = saved("docx", header)
    assert WORD not in parts


def test_an_empty_file_makes_no_other_format_of_a_folder(tmp_path):
    (tmp_path / "a.xml").write_text("<note>Ann called.</note>")
    (tmp_path / "b.xml").write_text("")
    corpus = read_documents(tmp_path)
    assert corpus.format.name == "xml"
    assert [document.text.strip() for document in corpus.readable()[0]] == ["Ann called."]
    (tmp_path / "c.xml").write_text("<deIdi2b2><TEXT>Ann</TEXT><TAGS/></deIdi2b2>")
    assert read_documents(tmp_path).format.name == "i2b2"


def test_thousands_of_parts_of_another_kind_go_at_once():
    """They were looked for one by one, each among all others: the time grew with the third power of their number."""
    many = 3_000
    office = "http://schemas.openxmlformats.org"
    word, kind = (
        f"{office}/wordprocessingml/2006/main",
        f"{office}/officeDocument/2006/relationships",
    )
    types = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    relations = f'<Relationships xmlns="{office}/package/2006/relationships">'
    header = '<Relationship Id="h{0}" Type="{1}/header" Target="header{0}.xml"/>'
    override = '<Override PartName="/word/{0}.xml" ContentType="{1}.{2}+xml"/>'
    names = [f"header{i}" for i in range(many)]
    listed = "".join(override.format(name, types, "header") for name in names)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as out:
        out.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{office}/package/2006/content-types">{override.format("document", types, "document.main")}{listed}</Types>',
        )
        out.writestr(
            "_rels/.rels",
            f'{relations}<Relationship Id="r" Type="{kind}/officeDocument" Target="word/document.xml"/></Relationships>',
        )
        out.writestr(
            "word/_rels/document.xml.rels",
            f"{relations}{''.join(header.format(i, kind) for i in range(many))}</Relationships>",
        )
        out.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{word}"><w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:body></w:document>',
        )
        for name in names:
            out.writestr(f"word/{name}.xml", f'<w:other xmlns:w="{word}"/>')
    opened, parts = saved("docx", made.getvalue())
    assert opened.text.strip() == "Hello"
    assert opened.found.dropped["unknown part"] == many
    assert b"header" not in parts
