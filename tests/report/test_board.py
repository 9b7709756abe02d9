"""A report for a regime: every figure is in facts.json, every number in the regimes file, and blanks are left to sign."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from tests.conftest import sfumato

from sfumato.core.errors import ParameterError
from sfumato.core.regimes import REGIMES, find_regime, review_date
from sfumato.presentation.language import write_date
from sfumato.presentation.numbers import count, decimal, percent
from sfumato.reports import ReportForm, write_report
from sfumato.reports.board import board_of, look_up
from sfumato.reports.facts import ReportFacts
from sfumato.reports.html import render_html
from sfumato.reports.parts import find_parts, public_parts
from sfumato.reports.pdf import render_pdf

NUMBER = re.compile(r"\d(?:[\d.,]*\d)?%?")


class Text(HTMLParser):
    """The visible text of a page, by section."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.sections, self.at, self.hidden = {}, "", 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "section":
            self.at = dict(attrs).get("id", "")
        self.hidden += tag in {"style", "script"}

    def handle_endtag(self, tag):
        self.hidden -= tag in {"style", "script"}

    def handle_data(self, data):
        if not self.hidden:
            self.sections[self.at] = self.sections.get(self.at, "") + data + "\n"


@pytest.fixture(scope="module")
def parts(written):
    return tuple(find_parts([written]))


def numbers_in(value):
    """Every way in which a figure of the facts may be written."""
    if isinstance(value, dict):
        ends = value.get("interval") or [value.get("low"), value.get("high")]
        plain = [value.get("value"), *ends] if "value" in value else value.values()
        return {text for v in plain if v is not None for text in numbers_in(v)}
    return {count(value)} if isinstance(value, int) else {percent(value)}


@pytest.mark.parametrize("public", [False, True], ids=["steward", "public"])
@pytest.mark.parametrize("name", [n for n in REGIMES if REGIMES[n].cell is None])
def test_every_figure_is_traced_to_the_facts_and_every_number_to_the_file(parts, name, public):
    regime = find_regime(name)
    shown = tuple(public_parts(parts)) if public else parts
    facts = ReportFacts(shown, public=public, regime=regime)
    content = json.loads(json.dumps(facts.to_json()))
    board = board_of(regime, facts.parts, content)
    assert board.figures
    for figure in board.figures:
        found = look_up(content, figure.place)
        assert found is not None, figure
        assert set(NUMBER.findall(figure.value)) <= numbers_in(found), figure
    sizes = [c["size"] for part in content["regime"]["parts"].values() for c in part]
    known = {count(size) for size in sizes if size is not None}
    known |= {t for limit in regime.limits for t in (count(limit.size), decimal(limit.value))}
    for check in board.checks:
        words = check.text.replace(regime.name, "")
        assert set(NUMBER.findall(words)) <= known, check.text
    assert write_date(review_date()) in board.sentences[-1]
    assert "not a determination" in board.sentences[-1]


def test_a_regime_without_a_number_read_gives_no_verdict(parts):
    for regime in REGIMES.values():
        facts = ReportFacts(parts, regime=regime)
        if regime.cell is None:
            verdicts = facts.to_json()["regime"]["parts"].values()
            assert {c["verdict"] for found in verdicts for c in found} <= {None}
            assert all(c.state != "holds" for c in board_of(regime, parts, facts.to_json()).checks)


def test_what_people_must_write_is_left_blank(parts):
    regime = find_regime("hipaa")
    page = render_html(ReportFacts(parts, regime=regime), interactive=False)
    asked = [ask.what for ask in regime.ask if ask.at == "sign"]
    assert page.count('<span class="blank">') == len(asked) == 3
    text = Text(page).sections["board"]
    assert all(ask.what in text for ask in regime.ask)
    assert "names no number, so there is no verdict" in text


def test_every_place_that_a_checklist_names_is_on_the_page(parts):
    for name in ("ema", "iso27559", "ico"):
        page = render_html(ReportFacts(parts, regime=find_regime(name)), interactive=False)
        ids = set(re.findall(r'\bid="([^"]+)"', page))
        links = re.findall(r'href="#([^"]+)"', page)
        assert set(links) <= ids


def test_the_number_is_a_line_on_the_frontier(parts):
    from dataclasses import replace

    from sfumato.core.engine import engine_named

    baskets = next(p for p in parts if p.engine == "baskets")
    part = replace(baskets, regime=find_regime("ontario"))
    chart = next(c for c in engine_named("baskets").story(part).charts if c.live)
    drawn = {row["name"]: row["risk"] for row in chart.spec["datasets"]["limit"]}
    assert drawn == {"ontario low": 1 / 11, "ontario medium": 1 / 15, "ontario high": 1 / 20}
    plain = next(c for c in engine_named("baskets").story(baskets).charts if c.live)
    assert plain.spec["datasets"]["limit"] == []
    tables = next(p for p in parts if p.engine == "tables")
    part = replace(tables, regime=find_regime("ema"))
    chart = next(c for c in engine_named("tables").story(part).charts if c.live)
    for row in chart.spec["datasets"]["limit"]:  # on another axis: up to where all are within
        below = [c.k for c in tables.frontier.candidates if c.risk.value <= row["risk"]]
        assert min(below) >= 11


@pytest.mark.parametrize("name", ["cms", "nhs"])
def test_no_small_count_is_shown_or_follows(parts, name):
    regime = find_regime(name)
    high = regime.cell.high
    facts = ReportFacts(parts, regime=regime)
    text = Text(render_html(facts, interactive=False)).sections
    shown = text["verdict"]
    found = [int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", shown)]
    assert found
    assert all(n > high for n in found), shown
    assert all(abs(a - b) > high or a == b for a in found for b in found)
    assert "%" not in shown
    assert not set(text) - {"", "verdict", "board", "repeat", "signature"}
    content = facts.to_json()
    assert set(content) == {"facts", "version", "regime", "parts"}
    limits = [n for part in content["parts"] for n in part["at_least"].values()]
    assert all(n is None or n == 0 or n > high for n in limits)
    assert any(n is None for n in limits)  # the smallest group of these tables is small
    for part in content["parts"]:
        assert set(part) == {"id", "engine", "outputs", "at_least"}
    assert render_pdf(facts).startswith(b"%PDF")


def test_there_are_no_charts_under_a_rule_about_cells(tmp_path, copied):
    place = copied(tmp_path / "made", "baskets")
    with pytest.raises(ParameterError, match="has no charts"):
        write_report([place], ReportForm(regime="cms", charts=True))


def test_the_command_and_python_write_the_same(tmp_path, copied):
    import sfumato as sf

    place = copied(tmp_path / "made", "tables")
    sfumato("report", place, "--for", "ema", "--static", "--pdf", "--out", tmp_path / "one")
    made = sf.report(place, regime="ema", interactive=False, pdf=True, out=tmp_path / "two")
    for name in ("report.html", "facts.json", "report.pdf"):
        assert (tmp_path / "one" / name).read_bytes() == (made.html.parent / name).read_bytes()
    assert "EMA Policy 0070" in made.html.read_text(encoding="utf-8")
    words = sfumato("report", place, "--for", "emma", "--out", tmp_path / "no", status=2)
    assert "ema" in words
    assert not (tmp_path / "no").exists()


def test_the_local_page_offers_regimes(written):
    from sfumato.web.frontiers import Frontiers

    page = Frontiers([written], None).report("wp216")
    assert '<option value="wp216" selected>' in page
    assert Text(page).sections["board"]
