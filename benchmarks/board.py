"""A report of the demo for every regime: opened in Chromium and as PDF, each figure traced to facts.json.

Needs Chromium and the extras `pdf` and `test`. SFUMATO_DEMO names a folder that `sfumato demo` wrote; else the demo is run.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pdf_oxide
import pypdfium2
from tests.chromium import Browser

from sfumato.core.regimes import REGIMES
from sfumato.demo import demo
from sfumato.reports.board import board_of, look_up
from sfumato.reports.editions import tell
from sfumato.reports.facts import ReportFacts, facts_json
from sfumato.reports.html import render_html
from sfumato.reports.parts import find_parts, public_parts
from sfumato.reports.pdf import render_pdf

WIDTHS = (1200, 390)


def run() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        made = Path(os.environ.get("SFUMATO_DEMO", folder / "demo"))
        if not made.is_dir():
            demo(made)
        parts = tuple(find_parts([made / "run"]))
        browser = Browser(folder / "profile")
        try:
            regimes = {name: _regime(name, parts, browser, folder) for name in REGIMES}
        finally:
            browser.close()
    return {"parts": [part.engine for part in parts], "regimes": regimes}


def _regime(name: str, parts: Any, browser: Browser, folder: Path) -> dict[str, Any]:
    """Return what the report for a regime holds, and how it opened, for the steward and to be given out."""
    found = {}
    for edition in ("steward", "public"):
        public = edition == "public"
        shown = tuple(public_parts(parts)) if public else parts
        facts = ReportFacts(shown, public=public, regime=REGIMES[name])
        found[edition] = _opened(facts, browser, folder / f"{name}-{edition}")
        print(f"   {name}, {edition}: {found[edition]}", flush=True)
    return found


def _opened(facts: ReportFacts, browser: Browser, place: Path) -> dict[str, Any]:
    page, certificate = place.with_suffix(".html"), place.with_suffix(".pdf")
    page.write_text(render_html(facts, interactive=False), encoding="utf-8")
    certificate.write_bytes(render_pdf(facts))
    assert facts.regime is not None
    content = json.loads(facts_json(facts))
    board = board_of(facts.regime, facts.parts, content)
    for width in WIDTHS:
        browser.open(page, width=width, height=900)
        assert browser.run("document.documentElement.scrollWidth <= innerWidth"), (place, width)
        assert browser.complaints() == []
        assert browser.requests() == []
    on_page = browser.run("document.getElementById('board').innerText")
    with pypdfium2.PdfDocument(str(certificate)) as pdf:
        sheets = len(pdf)
        on_paper = "\n".join(sheet.get_textpage().get_text_range() for sheet in pdf)
    validated = pdf_oxide.PdfDocument(str(certificate)).validate_pdf_a("2a")
    assert validated["valid"], validated["errors"]
    for figure in board.figures:
        assert look_up(content, figure.place) is not None, figure
        assert figure.value in on_page, figure
        assert figure.value in on_paper, figure
    for answer in board.answers:
        assert answer.what in on_page, answer
    return {
        "figures_traced": len(board.figures),
        "comparisons": dict(sorted(Counter(check.state for check in board.checks).items())),
        "asked_for": len(board.answers),
        "to_be_written": sum(answer.anchor is None for answer in board.answers),
        "sheets": sheets,
        "parts_told": len(tell(facts)),
    }
