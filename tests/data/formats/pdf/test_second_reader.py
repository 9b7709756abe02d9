"""The second library sees the same letters whoever takes the operators apart."""

import io
import random

import pytest

pytest.importorskip("pikepdf")

from benchmarks._pdf_more_places import MORE_PLACES
from benchmarks._pdf_places import PLACES
from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser

from sfumato.data.formats.pdf import second_reader
from sfumato.data.formats.pdf.sanitise import sanitise
from sfumato.data.limits import Limits

CHOSEN = [
    "body",
    "columns",
    "turned",
    "letters",
    "forms",
    "typeset",
    "table",
    "type3",
    "page_break",
]


def letters_of_the_library_alone(data):
    manager = PDFResourceManager(caching=True)
    device = second_reader._Letters(manager)
    interpreter = PDFPageInterpreter(manager, device)
    for page in PDFPage.create_pages(PDFDocument(PDFParser(io.BytesIO(data)))):
        device.letters = []
        interpreter.process_page(page)
        yield device.letters


@pytest.mark.parametrize("place", [*CHOSEN, "ligatures", "vertical", "right_to_left"])
def test_letters_are_those_of_the_library_alone(place):
    data, _ = (PLACES | MORE_PLACES)[place](random.Random(place))
    clean = sanitise(data, Limits()).data
    for file in (clean, data):  # the second has streams that come in pieces
        expected = list(letters_of_the_library_alone(file))
        assert any(expected)
        assert list(second_reader.read_letters(file)) == expected


def test_what_cannot_be_taken_apart_is_left_to_the_library(monkeypatch):
    data, _ = PLACES["body"](random.Random(1))
    expected = list(second_reader.read_letters(data))

    def refuse(*_):
        raise second_reader.pikepdf.PdfError

    monkeypatch.setattr(second_reader.pikepdf, "parse_content_stream", refuse)
    assert list(second_reader.read_letters(data)) == expected
