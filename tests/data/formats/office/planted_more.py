"""Spreadsheets and presentations with a name planted in every place where one can hide."""

import io
import zipfile

from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from .planted import OFFICE, Names, esc, zipped

SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"


def changed(content, change):
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    change(parts)
    return parts


def add_relation(parts, relations, kind, target, number):
    entry = f'<Relationship Id="rPlanted{number}" Type="{OFFICE}/{kind}" Target="{target}"/></Relationships>'
    parts[relations] = parts[relations].replace(b"</Relationships>", entry.encode())


def xlsx(seed):
    """Return an .xlsx file and what was planted in it, by place."""
    name = Names(f"xlsx {seed}")
    book = Workbook()
    sheet = book.active
    sheet.title = "Data"
    sheet["A1"], sheet["B1"], sheet["C1"], sheet["D1"] = "Name", "Rich", "Formula", "Day"
    sheet["A2"] = name("cell")
    rich = name("rich text")
    sheet["B2"] = CellRichText(["x ", TextBlock(InlineFont(b=True), rich[:5]), rich[5:]])
    sheet["C2"] = f'="Dr "&"{name("formula literal")}"'
    sheet["D2"] = 5
    sheet["D2"].comment = Comment("ask " + name("comment"), name("comment author"))
    sheet["E2"] = "link"
    sheet["E2"].hyperlink = "https://x.example/" + name("link target").replace(" ", "%20")
    hidden = book.create_sheet(name("sheet name")[:31])
    name.planted["sheet name"] = hidden.title
    hidden.sheet_state = "hidden"
    hidden["A1"] = 1
    hidden["B1"] = name("hidden sheet")
    sheet["F2"] = f"='{hidden.title}'!A1+1"
    other = book.create_sheet(name("second sheet name")[:31])
    name.planted["second sheet name"] = other.title
    other["A1"] = "Head"
    other["A2"] = 3
    other.add_table(Table(displayName=name("table name").replace(" ", "_"), ref="A1:A2"))
    choice = DataValidation(type="list", formula1=f'"{name("validation")},Other"')
    choice.prompt, choice.promptTitle, choice.error = name("prompt"), "t", name("error message")
    sheet.add_data_validation(choice)
    choice.add("G2")
    sheet.oddHeader.center.text = name("page header")
    sheet.oddFooter.left.text = name("page footer")
    book.defined_names["who"] = DefinedName("who", attr_text=f'"{name("range text")}"', comment=name("range comment"))  # fmt: skip
    called = name("range name").replace(" ", "_")
    book.defined_names[called] = DefinedName(called, attr_text="Data!$D$2")
    sheet["H2"] = f"={called}*2"
    book.properties.creator = name("creator")
    book.properties.title = name("title")
    for row in range(3):
        sheet.cell(10 + row, 1, row)
        sheet.cell(10 + row, 2, row * row)
    chart = BarChart()
    chart.title = name("chart title")
    chart.add_data(Reference(sheet, min_col=2, min_row=10, max_row=12))
    sheet.add_chart(chart, "J2")
    made = io.BytesIO()
    book.save(made)

    def plant(parts):
        book_relations = "xl/_rels/workbook.xml.rels"
        parts["xl/pivotCache/definition1.xml"] = f'<pivotCacheDefinition xmlns="{SHEET}" refreshedBy="{name("pivot author")}"><x v="{name("pivot item")}"/></pivotCacheDefinition>'.encode()  # fmt: skip
        add_relation(parts, book_relations, "pivotCacheDefinition", "pivotCache/definition1.xml", 1)
        parts["xl/externalLinks/link1.xml"] = f'<externalLink xmlns="{SHEET}"><x>{name("external link")}</x></externalLink>'.encode()  # fmt: skip
        add_relation(parts, book_relations, "externalLink", "externalLinks/link1.xml", 2)
        parts["xl/persons/person.xml"] = f'<personList displayName="{name("person")}"/>'.encode()
        shared = name("shared text")
        parts["xl/sharedStrings.xml"] = (
            f'<sst xmlns="{SHEET}"><si><r><t xml:space="preserve">{shared[:6]}</t></r><r><t>{shared[6:]}</t></r>'
            f'<rPh sb="0" eb="1"><t>{name("phonetic text")}</t></rPh></si><si><t>{name("unused shared text")}</t></si></sst>'
        ).encode()
        add_relation(parts, book_relations, "sharedStrings", "sharedStrings.xml", 3)
        rows = (
            '<row r="29"><c r="A29" t="s"><v>0</v></c><c r="B29" t="s"><v>0</v></c></row>'
            f'<row r="30"><c r="A30" t="inlineStr"><is><t>{name("inline text")}</t></is></c>'
            f'<c r="B30" t="str"><f>A1</f><v>{name("result of a formula")}</v></c>'
            f'<c r="C30" t="str"><f>[1]Sheet!A1</f><v>{name("result from outside")}</v></c></row></sheetData>'
            f'<customSheetViews><customSheetView guid="{name("view")}"/></customSheetViews>'
        )
        first = "xl/worksheets/sheet1.xml"
        parts[first] = parts[first].replace(b"</sheetData>", rows.encode())
        drawn = "xl/charts/chart1.xml"
        parts[drawn] = parts[drawn].replace(
            b"</ser>",
            f'<cat><strRef><f>Data!A2</f><strCache><ptCount val="1"/><pt idx="0"><v>{name("chart cache")}</v></pt></strCache></strRef></cat></ser>'.encode(),
            1,
        )

    parts = changed(made.getvalue(), plant)
    for place in ("link target",):
        name.planted[place] = name.planted[place].replace(" ", "%20")
    for place in ("table name", "range name"):
        name.planted[place] = name.planted[place].replace(" ", "_")
    return zipped(parts, name("zip comment").encode()), dict(name.planted)


def pptx(seed):
    """Return a .pptx file and what was planted in it, by place."""
    name = Names(f"pptx {seed}")
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "About " + name("title of a slide")
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    split = name("split over runs")
    for piece in (split[:2], split[2:6], split[6:]):
        paragraph.add_run().text = piece
    slide.notes_slide.notes_text_frame.text = "notes " + name("speaker notes")
    table = slide.shapes.add_table(1, 1, Inches(1), Inches(1), Inches(2), Inches(1))
    table.table.cell(0, 0).text = name("table cell")
    table.name = name("shape name")
    table._element.nvGraphicFramePr.cNvPr.set("descr", name("alternative text"))
    data = CategoryChartData()
    data.categories = [name("chart category"), "b"]
    data.add_series(name("chart series"), (1, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(3), Inches(4), Inches(3), data)  # fmt: skip
    box = slide.shapes.add_textbox(0, 0, 99999, 99999)
    box.text_frame.text = name("text box")
    box.text_frame.paragraphs[0].runs[0].hyperlink.address = "https://x.example/" + name("link target").replace(" ", "%20")  # fmt: skip
    show.core_properties.author = name("creator")
    second = show.slides.add_slide(show.slide_layouts[6])
    second._element.set("show", "0")
    second.shapes.add_textbox(0, 0, 9, 9).text_frame.text = name("hidden slide")
    show.slide_masters[0].shapes[0].text_frame.text = name("master")
    show.slide_layouts[0].name = name("layout name")
    made = io.BytesIO()
    show.save(made)

    def plant(parts):
        parts["ppt/comments/comment1.xml"] = f'<p:cmLst xmlns:p="{SLIDE}"><p:cm authorId="0" dt="2020-01-01"><p:text>{esc(name("comment"))}</p:text></p:cm></p:cmLst>'.encode()  # fmt: skip
        add_relation(parts, "ppt/slides/_rels/slide1.xml.rels", "comments", "../comments/comment1.xml", 1)  # fmt: skip
        parts["ppt/commentAuthors.xml"] = f'<p:cmAuthorLst xmlns:p="{SLIDE}"><p:cmAuthor id="0" name="{esc(name("comment author"))}" initials="{esc(name("initials"))}"/></p:cmAuthorLst>'.encode()  # fmt: skip
        add_relation(parts, "ppt/_rels/presentation.xml.rels", "commentAuthors", "commentAuthors.xml", 2)  # fmt: skip
        parts["ppt/tags/tag1.xml"] = f'<p:tagLst xmlns:p="{SLIDE}"><p:tag name="A" val="{esc(name("tag"))}"/></p:tagLst>'.encode()  # fmt: skip
        add_relation(parts, "ppt/_rels/presentation.xml.rels", "tags", "tags/tag1.xml", 3)

    parts = changed(made.getvalue(), plant)
    name.planted["link target"] = name.planted["link target"].replace(" ", "%20")
    return zipped(parts), dict(name.planted)
