"""The certificate: two to six sheets, the same bytes for the same facts, no planted word."""

from __future__ import annotations

import json
import re
import zlib

import pytest

from sfumato.report.facts import gather
from sfumato.report.pdf import _content, render_pdf


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


@pytest.mark.parametrize("engines", [("text",), ("tables",), ("baskets",), ("text", "tables", "baskets")])  # fmt: skip
def test_two_to_six_sheets(tmp_path, made_up, engines):
    pdf = render_pdf(gather([made_up(tmp_path, *engines)]))
    assert pdf.startswith(b"%PDF-1.7")
    assert 2 <= pages(pdf) <= 6


def test_the_same_facts_give_the_same_bytes(tmp_path, made_up):
    facts = gather([made_up(tmp_path / "a", "tables")])
    again = gather([made_up(tmp_path / "b", "tables")])
    assert render_pdf(facts) == render_pdf(again)
    assert b"CreationDate" not in render_pdf(facts)


def test_planted_words_never_reach_the_certificate(tmp_path, made_up):
    folder = made_up(tmp_path, "text")
    for path in sorted(folder.rglob("*.json")):
        content = json.loads(path.read_text())
        content["warning"] = content["note"] = "Zanzibarovic"
        for entry in content.get("candidates", []):
            entry["note"] = "Zanzibarovic"
        path.write_text(json.dumps(content))
    facts = gather([folder])
    assert "anzibarovic" not in json.dumps(_content(facts))
    assert b"anzibarovic" not in streams(render_pdf(facts))
