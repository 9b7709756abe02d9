"""A spreadsheet as a table with a column of notes: rows are documents, other columns go unless they are kept."""

import openpyxl
import pytest

from sfumato.core.errors import InputError
from sfumato.data.document import Edit, Edited
from sfumato.data.documents import read_documents
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.verification import Digests


@pytest.fixture
def book(tmp_path):
    made = openpyxl.Workbook()
    cover = made.active
    cover.append(["Register of letters", "Dr Quixadelmo"])
    sheet = made.create_sheet("Letters")
    sheet.append(["Nr", "Brief", "Ward", "Age", "Seen", None, "Sum"])
    sheet.append([1, "Quixadelmo came <b> & left\nagain", "A4", 61, True, None, "=D2*2"])
    sheet.append([])
    sheet.append([2, "Zoë 👍 rang", None, 4.5, False, "by hand", "x"])
    sheet["B2"].comment = openpyxl.comments.Comment("Quixadelmo", "Quixadelmo")
    made.properties.creator = "Quixadelmo"
    made.save(tmp_path / "letters.xlsx")
    return tmp_path / "letters.xlsx"


def published(corpus, keep=()):
    form = corpus.format
    for document in corpus:
        start = document.text.find("Quixadelmo")
        edits = [Edit(start, start + 10, "[NAME]", "NAME")] if start >= 0 else []
        yield Edited(document, edits, document.id, form.publish_fields(document, keep))


def test_rows_are_documents_and_other_columns_go_unless_kept(book, tmp_path):
    corpus = read_documents(book, text="Brief", id="Nr")
    assert corpus.format.name == "sheet"
    first, second = corpus
    assert (first.id, first.text) == ("1", "Quixadelmo came <b> & left\nagain")
    assert first.fields["Age"] == 61
    assert first.fields["Seen"] is True
    assert second.fields == {
        "Ward": None,
        "Age": 4.5,
        "Seen": False,
        "column 6": "by hand",
        "Sum": "x",
    }
    out, form = tmp_path / "out.xlsx", corpus.format
    edited, expected = list(published(corpus, ["Age"])), Digests()
    for one in edited:
        expected.add(form.digest_of(one))
    form.write(corpus.parts[0], edited, out)
    assert form.verify(CorpusFile("out.xlsx", out), expected)
    rows = list(openpyxl.load_workbook(out).active.values)
    assert rows == [
        ("Nr", "Brief", "Age"),
        ("1", "[NAME] came <b> & left\nagain", 61),
        ("2", "Zoë 👍 rang", 4.5),
    ]
    content = out.read_bytes()
    out.write_bytes(content.replace(b"PK\x05\x06", b"PK\x05\x06", 1) + b"Quixadelmo")
    assert not form.verify(CorpusFile("out.xlsx", out), expected)


def test_a_name_of_a_column_asks_for_the_table(book):
    assert read_documents(book).format.name == "xlsx"
    assert read_documents(book, format="sheet", text="Brief", id=None).format.name == "sheet"
    with pytest.raises(InputError, match="no text column 'Letter'"):
        list(read_documents(book, text="Letter", id=None))


def test_a_table_without_a_header_or_a_damaged_one_is_refused(tmp_path):
    made = openpyxl.Workbook()
    made.save(tmp_path / "empty.xlsx")
    with pytest.raises(InputError, match="no sheet with a header"):
        list(read_documents(tmp_path / "empty.xlsx", text="Brief", id=None))
    (tmp_path / "bad.xlsx").write_bytes(b"PK no")
    with pytest.raises(InputError, match="damaged"):
        list(read_documents(tmp_path / "bad.xlsx", text="Brief", id=None))
