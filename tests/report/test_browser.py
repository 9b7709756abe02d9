"""The page in a real browser: no console error, no request leaves it, it works by keyboard, light and dark.

Chromium is spoken to over its debugging pipe, so nothing but the browser itself is needed. Set
SFUMATO_SCREENSHOTS to a folder to keep pictures of what the tests saw.
"""

from __future__ import annotations

import base64
import os
import time
from functools import cache
from pathlib import Path

import pytest
from tests.chromium import CHROMIUM, PATIENCE, Browser

from sfumato.reports import ReportForm, write_report

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: `apt-get install chromium` adds these checks"),
]  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def page_of(copied, tmp_path_factory):
    """Return the function that makes a report's page, each kind of report once."""

    @cache
    def made(*engines: str) -> Path:
        written = write_report([copied(tmp_path_factory.mktemp("page"), *engines)])
        return written["private report.html"]

    return made


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("engines", [("text",), ("tables",), ("baskets",), ("text", "tables", "baskets")], ids="+".join)  # fmt: skip
def test_it_opens_without_complaint_and_without_a_request(browser, page_of, engines, dark):
    browser.open(page_of(*engines), dark=dark)
    assert browser.run("document.querySelectorAll('h1').length") == 1
    # Every figure really is drawn, and nothing is wider than the window.
    assert browser.run("[...document.querySelectorAll('.view:not([hidden]) svg')].every(s => s.getBoundingClientRect().width > 200)")  # fmt: skip
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    browser.keep(f"{'-'.join(engines)}-{'dark' if dark else 'light'}")
    assert browser.complaints() == []
    assert browser.requests() == []


def test_it_fits_a_narrow_window(browser, page_of):
    browser.open(page_of(), width=390, height=844)
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    browser.keep("narrow")


@pytest.mark.parametrize(("regime", "language"), [("ema", "de"), ("cms", "en"), ("iso27559", "en")])
def test_a_report_for_a_regime_opens_and_fits(browser, copied, tmp_path, regime, language):
    form = ReportForm(regime=regime, language=language, interactive=False)
    page = write_report([copied(tmp_path / "made", "baskets")], form)["private report.html"]
    browser.open(page, width=390, height=844)
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    assert browser.run("document.getElementById('board').getBoundingClientRect().height > 200")
    assert browser.run("[...document.querySelectorAll('a[href^=\"#\"]')].every(a => document.getElementById(a.hash.slice(1)))")  # fmt: skip
    browser.keep(f"{regime}-{language}-narrow")
    assert browser.complaints() == []
    assert browser.requests() == []


def test_a_number_is_explained_by_keyboard(browser, page_of):
    browser.open(page_of("text"))
    browser.run("document.querySelector('.lead a.n').focus()")
    words = browser.run("document.activeElement.textContent")
    browser.press("Enter", 13, "\r")
    assert browser.run("!document.getElementById('pop').hidden")
    assert "How to read it" in browser.run("document.getElementById('pop').textContent")
    assert browser.run("document.activeElement.closest('#pop') !== null")
    browser.keep("explained")
    browser.press("Escape", 27)
    assert browser.run("document.getElementById('pop').hidden")
    assert browser.run("document.activeElement.textContent") == words


def test_the_scale_can_be_switched(browser, page_of):
    browser.open(page_of("tables"))
    shown = "[...document.querySelectorAll('#chart-tables-frontier .view')].map(v => v.hidden)"
    assert browser.run(shown) == [False, True]
    browser.run("document.querySelector('#chart-tables-frontier button[data-view=\"1\"]').click()")
    assert browser.run(shown) == [True, False]
    assert browser.complaints() == []


def test_charts_become_interactive_without_a_request(browser, page_of):
    browser.open(page_of("text", "tables"))
    for chart in ("text-frontier", "text-attack", "tables-frontier"):
        browser.run(f"document.querySelector('#chart-{chart} button[data-live]').click()")
        live = f"document.querySelectorAll('#chart-{chart} .view.live svg[role=img][aria-label]').length"  # fmt: skip
        end = time.monotonic() + PATIENCE
        while browser.run(live) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        assert browser.run(live) == 2
    browser.keep("interactive")
    assert browser.complaints() == []
    assert browser.requests() == []


CONTRAST = """
(() => {
  const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
  const lum = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0.99) return c; } return [255, 255, 255]; };
  const bad = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || e.closest("script, .mast, .skip, [hidden], details:not([open]) > :not(summary)")) continue;
    const style = getComputedStyle(e), svg = e.closest("svg");
    if (svg && style.stroke === style.fill) continue; // the halo behind a label
    const ink = parse(svg ? style.fill : style.color);
    const [a, b] = [lum(ink), lum(ground(svg ? svg.parentElement : e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) bad.push(`${e.tagName}.${e.className.baseVal ?? e.className}: ${walker.currentNode.textContent.slice(0, 30)}`);
  }
  return bad;
})()
"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_on_the_page_has_enough_contrast(browser, page_of, dark):
    browser.open(page_of(), dark=dark)
    assert browser.run("document.body.innerText.length") > 5000
    bad = browser.run(CONTRAST)
    assert bad == []


def test_it_prints(browser, page_of):
    browser.open(page_of())
    printed = base64.b64decode(browser.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert printed.startswith(b"%PDF")
    if os.environ.get("SFUMATO_SCREENSHOTS"):
        Path(os.environ["SFUMATO_SCREENSHOTS"], "printed.pdf").write_bytes(printed)
