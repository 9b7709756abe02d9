"""The certificate: two to six sheets, the same bytes for the same facts."""

from __future__ import annotations

import re
import zlib

import pytest

from sfumato._version import __date__
from sfumato.reports.facts import ReportFacts
from sfumato.reports.parts import find_parts
from sfumato.reports.pdf import render_pdf


def streams(pdf: bytes) -> bytes:
    found = b""
    for match in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        try:
            found += zlib.decompress(match[1])
        except zlib.error:
            found += match[1]
    return found


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf + streams(pdf)))


def facts_of(*folders):
    return ReportFacts(tuple(find_parts(folders)))


@pytest.mark.parametrize("engines", [("text",), ("tables",), ("baskets",), ("text", "tables", "baskets")])  # fmt: skip
def test_two_to_six_sheets(tmp_path, copied, engines):
    pdf = render_pdf(facts_of(copied(tmp_path, *engines)))
    assert pdf.startswith(b"%PDF-1.7")
    assert 2 <= pages(pdf) <= 6


def test_the_same_facts_give_the_same_bytes(tmp_path, copied):
    facts = facts_of(copied(tmp_path / "a", "tables"))
    again = facts_of(copied(tmp_path / "b", "tables"))
    assert render_pdf(facts) == render_pdf(again)
    day = (
        b"%d%02d%02d" % __date__
    )  # archives ask for a date: that of the version, whenever it is made
    assert re.findall(rb"/CreationDate\(D:(\d{8})", render_pdf(facts)) == [day]
