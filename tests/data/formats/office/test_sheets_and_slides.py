"""Spreadsheets and presentations: nothing planted stays, formulas follow, other readers open them."""

import datetime as dt
import io
import zipfile

import openpyxl
import pptx as python_pptx
import pytest

from sfumato.data.document import Document, Edit, Edited
from sfumato.data.formats.office.dates import show_date
from sfumato.data.formats.office.formats import Pptx, Xlsx
from sfumato.data.formats.office.formulas import Formula
from sfumato.data.formats.protocol import CorpusFile

from . import leaks, planted_more
from .redacting import redacted, verified

KINDS = {"xlsx": (Xlsx, planted_more.xlsx), "pptx": (Pptx, planted_more.pptx)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_no_planted_name_is_left(tmp_path, kind, seed):
    form, generate = KINDS[kind][0](), KINDS[kind][1]
    content, names = generate(seed)
    assert leaks.found(content, names) == set(names)
    edited, out = redacted(form, content, names.values(), tmp_path)
    assert leaks.found(out.read_bytes(), names) == set()
    assert verified(form, edited, out)


def test_another_reader_opens_the_workbook_and_formulas_follow(tmp_path):
    content, names = planted_more.xlsx(3)
    _, out = redacted(Xlsx(), content, names.values(), tmp_path)
    book = openpyxl.load_workbook(out, rich_text=True)
    assert book.sheetnames == ["Data", "NAME", "NAME_"]
    sheet = book["Data"]
    assert sheet["A2"].value == "[NAME]"
    assert str(sheet["B2"].value) == "x [NAME]"
    assert sheet["C2"].value == '="Dr "&"[NAME]"'
    assert sheet["F2"].value == "=NAME!A1+1"
    assert sheet["H2"].value == "=range2*2"
    assert sheet["B30"].value == "[NAME]"  # its formula would bring the old value back
    assert sheet["D2"].comment.text == "ask [NAME]"
    assert sheet["D2"].value == 5
    assert [list(row) for row in sheet.iter_rows(10, 12, 1, 2, values_only=True)] == [[0, 0], [1, 1], [2, 4]]  # fmt: skip
    assert book["NAME"].sheet_state == "hidden"
    assert set(book.defined_names) == {"range1", "range2"}


def test_another_reader_opens_the_presentation(tmp_path):
    content, names = planted_more.pptx(3)
    _, out = redacted(Pptx(), content, names.values(), tmp_path)
    show = python_pptx.Presentation(out)
    first = show.slides[0]
    assert first.shapes.title.text == "About [NAME]"
    assert first.placeholders[1].text_frame.text == "[NAME]"
    assert first.notes_slide.notes_text_frame.text == "notes [NAME]"
    assert len(show.slides) == 2
    assert len(show.slide_layouts) == 11


def test_days_are_read_as_they_are_seen_and_edited_as_text(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["born", dt.date(1980, 5, 17), 42.5])
    path = tmp_path / "a.xlsx"
    book.save(path)
    form, part = Xlsx(), CorpusFile("a.xlsx", path)
    (document,) = form.read(part)
    assert isinstance(document, Document)
    assert "born\t1980-05-17\t42.5" in document.text
    start = document.text.index("1980")
    edited = Edited(document, [Edit(start, start + 10, "[DATE]", "DATE")], "a.xlsx")
    out = tmp_path / "out.xlsx"
    form.write(part, [edited], out)
    assert verified(form, edited, out)
    assert next(openpyxl.load_workbook(out).active.values) == ("born", "[DATE]", 42.5)


def test_shared_texts_cannot_fill_the_memory(tmp_path):
    space = planted_more.SHEET
    cells = "".join(f'<c r="A{i}" t="s"><v>0</v></c>' for i in range(1, 3000))
    content, _ = planted_more.xlsx(0)

    def plant(parts):
        parts["xl/worksheets/sheet1.xml"] = f'<worksheet xmlns="{space}"><sheetData><row>{cells}</row></sheetData></worksheet>'.encode()  # fmt: skip
        parts["xl/sharedStrings.xml"] = f'<sst xmlns="{space}">{"<si><t>" + "x" * 50_000 + "</t></si>"}{"<si/>" * 30}</sst>'.encode()  # fmt: skip

    path = tmp_path / "a.xlsx"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, part in planted_more.changed(content, plant).items():
            packed.writestr(name, part)
    path.write_bytes(made.getvalue())
    (record,) = Xlsx().read(CorpusFile("a.xlsx", path))
    assert record.reason == "has a text beyond the limit of characters"


@pytest.mark.parametrize(
    ("text", "known", "after"),
    [
        ("SUM(A1:B2)", True, "SUM(A1:B2)"),
        ("'Old one'!A1+old!$B$2", True, "NEW!A1+'N 2'!$B$2"),
        ("SUM('Old one:old'!A1)", True, "SUM('NEW:N 2'!A1)"),
        ('IF(A1="Old one!","x""y",TRUE)', True, 'IF(A1="Old one!","x""y",TRUE)'),
        ("Total*2", True, "range1*2"),
        ("Unknown*2", False, None),
        ("[1]Sheet!A1", False, None),
        ("Table1[Smith]", False, None),
        ("SmithRisk(A1)", False, None),
        ("'Other'!A1", False, None),
        ("_xlfn.CONCAT(A1)", True, "_xlfn.CONCAT(A1)"),
    ],
)
def test_formulas_follow_or_are_not_known(text, known, after):
    formula = Formula(text)
    sheets = {"old one": "NEW", "old": "N 2"}
    assert formula.is_known(sheets, {"total": "range1"}) == known
    if known:
        formula.rename(sheets, {"total": "range1"})
        assert formula.text() == after


def test_dates_are_those_that_openpyxl_shows():
    from openpyxl.utils.datetime import CALENDAR_MAC_1904, from_excel

    for serial in (1, 58, 61, 20000, 43831.25, 60000.75):
        for epoch in (False, True):
            there = from_excel(serial, CALENDAR_MAC_1904) if epoch else from_excel(serial)
            assert show_date(str(serial), since_1904=epoch)[:10] == str(there)[:10]


@pytest.mark.parametrize("icons", ["3Signs", "4TrafficLights", "5Quarters"])
def test_icons_of_conditional_formats_stay(tmp_path, icons):
    """A rule of four steps without its four icons is a damaged file."""
    book, made = openpyxl.Workbook(), io.BytesIO()
    book.active.append([1])
    steps = range(0, 100, 100 // int(icons[0]) + 1)
    rule = openpyxl.formatting.rule.IconSetRule(icons, "percent", list(steps))
    book.active.conditional_formatting.add("A1:A9", rule)
    book.save(made)
    _, out = redacted(Xlsx(), made.getvalue(), [], tmp_path)
    sheet = openpyxl.load_workbook(out).active
    (kept,) = [rule for area in sheet.conditional_formatting for rule in area.rules]
    assert kept.iconSet.iconSet == icons
    assert len(kept.iconSet.cfvo) == int(icons[0])


def test_colours_and_known_fonts_stay():
    from sfumato.data.formats.office.attributes import judge_attribute

    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    assert judge_attribute("rgbColor", "rgb", space, "ffffffff") == "keep"
    assert judge_attribute("name", "val", space, "Times New Roman") == "keep"
    assert judge_attribute("name", "val", space, "Ann Perez") == "font"
