"""The German report, read from end to end: no English sentence is left in it, and its numbers are the same numbers."""

from __future__ import annotations

import ast
import dataclasses
import importlib.util
import re
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.conftest import sfumato

from sfumato.core.errors import ParameterError
from sfumato.core.regimes import REGIMES
from sfumato.presentation.language import (
    LANGUAGES,
    retell,
    say,
    say_many,
    speaking,
    write_date,
)
from sfumato.presentation.numbers import about, count, decimal, percent
from sfumato.reports.board import board_of
from sfumato.reports.editions import tell
from sfumato.reports.facts import ReportFacts, facts_json
from sfumato.reports.html import render_html
from sfumato.reports.parts import find_parts, public_parts
from sfumato.reports.pdf import render_pdf

ROOT = Path(__file__).resolve().parents[2]
OTHERS = [name for name in LANGUAGES if name != "en"]
ENGLISH = re.compile(
    r"\b(the|of|and|with|that|which|from|are|is|were|not|for|by|it|to"
    r"|utility|outside|Title text|popular|rarest|categories|itemsets|neighbours|ones|rows|supports|n-grams)\b"
)
PLACE = re.compile(r"\{(\w+)\}")
MARK = re.compile(r"\[\[([\w.]+)\|")


@pytest.fixture(scope="module")
def catalogue():
    found = importlib.util.spec_from_file_location("catalogue", ROOT / "tools" / "catalogue.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


class Texts(HTMLParser):
    """What a page says: texts and labels, without code, styles, and titles that stay as they are."""

    KEPT = ("style", "script", "pre", "code", "cite")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found, self.hidden = [], 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in self.KEPT
        self.found += [v for k, v in attrs if k in {"aria-label", "data-done", "data-alt"} and v]

    def handle_endtag(self, tag):
        self.hidden -= tag in self.KEPT

    def handle_data(self, data):
        if not self.hidden and data.strip():
            self.found.append(" ".join(data.split()))


@pytest.mark.parametrize("language", OTHERS)
def test_everything_that_a_report_may_say_is_translated_and_compiled(catalogue, language):
    assert catalogue.missing(language) == []
    compiled = catalogue.LOCALES / language / "LC_MESSAGES" / "sfumato.mo"
    assert compiled.read_bytes() == catalogue.compiled(language), "run `make catalogue`"


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_values_and_the_marks_of_its_message(catalogue, language):
    from babel.messages.pofile import read_po

    with (catalogue.LOCALES / language / "LC_MESSAGES" / "sfumato.po").open("rb") as file:
        messages = [m for m in read_po(file) if m.id]
    assert len(messages) > 500
    for message in messages:
        ids, strings = ([v] if isinstance(v, str) else v for v in (message.id, message.string))
        for own, other in zip(ids, strings, strict=True):
            assert sorted(PLACE.findall(own)) == sorted(PLACE.findall(other)), own
            assert sorted(MARK.findall(own)) == sorted(MARK.findall(other)), own


def test_every_sentence_of_a_report_goes_through_the_catalogue(catalogue):
    """A sentence with values is `say("… {n} …", n=…)`, or an f-string whose form every language has."""
    told = set.intersection(*(catalogue.known_messages(language)[1] for language in OTHERS))
    for room in catalogue.ROOMS:
        for path in sorted((catalogue.SOURCE / room).rglob("*.py")):
            if path.name == "encoder_trainer.py":  # its notes are printed in the terminal
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            raised = {
                id(n) for r in ast.walk(tree) if isinstance(r, ast.Raise) for n in ast.walk(r)
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.JoinedStr) and id(node) not in raised:
                    form = catalogue.form_of(node)
                    is_known = form in told or not ENGLISH.search(MARK.sub("", form))
                    assert is_known, f"{path.name}:{node.lineno}"


def titles_of(facts):
    """What is cited by its own title, or is a name, and stays as it is."""
    told = tell(facts)
    names = {p.title for s in told for p in s.papers.values()}
    names |= {p.authors for s in told for p in s.papers.values()}
    names |= {words for s in told for p in s.papers.values() for words in p.sections.values()}
    for regime in [facts.regime] if facts.regime else []:
        names |= {regime.name, regime.instrument, regime.authority, regime.words or ""}
        names |= {source.title for source in regime.sources}
        names |= {source.section for source in regime.sources if source.section}
    return sorted(names - {""}, key=len, reverse=True)


@pytest.mark.parametrize("public", [False, True], ids=["steward", "public"])
def test_no_english_sentence_is_left(written, public):
    parts = tuple(find_parts([written]))
    parts = tuple(public_parts(parts)) if public else parts
    for name in (None, "cms") if public else (None, "ema"):
        facts = ReportFacts(parts, public=public, regime=None if name is None else REGIMES[name])
        titles = titles_of(facts)
        page = render_html(dataclasses.replace(facts, language="de"), interactive=False)
        assert '<html lang="de"' in page
        for text in Texts(page).found:
            bare = text
            for title in titles:
                bare = bare.replace(title, "")
            assert not ENGLISH.search(bare), (name, text)


@pytest.mark.parametrize("language", [name for name in OTHERS if name != "de"])
def test_no_english_sentence_is_left_in_further_languages(written, language):
    facts = ReportFacts(tuple(find_parts([written])), regime=REGIMES["ema"])
    titles = titles_of(facts)
    with speaking(language):
        told = tell(facts)
    texts = [
        text for story in told
        for text in (*story.verdict, *story.published, *story.tradeoff, *story.attack, *story.cost)
    ]  # fmt: skip
    assert len(texts) > 30
    for text in texts:
        bare = MARK.sub("", text)
        for title in titles:
            bare = bare.replace(title, "")
        assert not ENGLISH.search(bare), text


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", list(REGIMES))
def test_no_english_sentence_is_left_of_a_regime(written, name, language):
    facts = ReportFacts(tuple(find_parts([written])), regime=REGIMES[name])
    titles = titles_of(facts)
    with speaking(language):
        board = board_of(facts.regime, facts.parts, facts.to_json())
        texts = [*board.sentences, *(c.text for c in board.checks), *board.rules, *board.questions]
        texts += [text for answer in board.answers for text in (answer.what, answer.where)]
        texts += [text for figure in board.figures for text in (figure.name, figure.value)]
        texts += [text for source in board.sources for text in source[1:]]
    for text in texts:
        bare = text
        for title in titles:
            bare = bare.replace(title, "")
        assert not ENGLISH.search(bare), text


def test_the_facts_do_not_change_with_the_language(written):
    facts = ReportFacts(tuple(find_parts([written])))
    assert facts_json(facts) == facts_json(dataclasses.replace(facts, language="de"))
    pdf = render_pdf(dataclasses.replace(facts, language="de"))
    assert b"/Lang (de" in pdf or b"de" in re.findall(rb"/Lang\s*\((\w+)", pdf)


def test_numbers_and_dates_are_written_as_the_language_does():
    with speaking("de"):
        assert [count(1234567), decimal(0.081), percent(0.9366), about(0.0412)] == [
            "1.234.567", "0,081", "93,7\N{NO-BREAK SPACE}%", "0,04",
        ]  # fmt: skip
        assert say_many(2, "Earlier reviews made {n} correction.", "Earlier reviews made {n} corrections.", n=2) == (
            "Frühere Durchsichten brachten 2 Korrekturen."
        )  # fmt: skip
    with speaking("fr"):
        assert [count(1234567), percent(0.9366)] == ["1\xa0234\xa0567", "93,7\xa0%"]
        none = say_many(0, "Earlier reviews made {n} correction.", "Earlier reviews made {n} corrections.", n=0)  # fmt: skip
        assert none == "Les relectures précédentes ont fait 0 correction."
        assert write_date(date(2026, 11, 1)) == "1er novembre 2026"
    with speaking("es"):
        assert write_date(date(2026, 11, 16)) == "16 de noviembre de 2026"
    assert say("Signature") == "Signature"


def test_a_sentence_of_a_record_is_told_again_with_its_values():
    english = "1,200 rows with a missing quasi-identifier are left out."
    assert retell(english) == english
    with speaking("de"):
        assert (
            retell(english)
            == "1.200 Zeilen mit fehlendem Quasi-Identifikationsmerkmal bleiben weg."
        )
        assert retell("Nobody wrote this, p = 0.25.") == "Nobody wrote this, p = 0,25."
    with pytest.raises(ParameterError, match="no language 'xx'"), speaking("xx"):
        pass


def test_french_has_a_space_before_a_colon_in_a_title(written):
    facts = ReportFacts(tuple(find_parts([written])), public=False, language="fr")
    page = render_html(facts, interactive=False)
    titles = re.findall(r"<h2[^>]*>([^<]+)", page)
    assert any("\N{NO-BREAK SPACE}: " in title for title in titles)
    assert not any(re.search(r"\w: ", title) for title in titles)


def test_command_plan_and_page_take_a_language(tmp_path, copied):
    from sfumato.web.frontiers import Frontiers

    place = copied(tmp_path / "made", "baskets")
    sfumato("report", place, "--language", "de", "--static", "--out", tmp_path / "out", "--quiet")
    assert "Unterschrift" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "no language 'xx'" in sfumato("report", place, "--language", "xx", status=2)
    assert all(re.search(rf"\b{name}\b", sfumato("report", "--help").partition("--language")[2][:200]) for name in LANGUAGES)  # fmt: skip
    page = Frontiers([place], None).report(None, "de")
    assert '<option value="de" selected>' in page
    assert "Unterschrift" in page


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_done_to_a_column_is_told_in_every_language(language):
    from sfumato.data.attributes import Dates
    from sfumato.data.column_treatments import MentionsTreatment, Treatment

    ways = [
        Treatment(bottom=1, top=9, round=5), Treatment(microaggregate=5, together="pay"),
        Treatment(noise=0.1), Treatment(pram=0.2), MentionsTreatment(mentions=["age", "area"]),
        Dates(unit="quarter"), Dates(unit="day", shift=30), Dates(unit="age", at=date(2020, 1, 31)),
    ]  # fmt: skip
    with speaking(language):
        told = [retell(way.in_words()) for way in ways]
    assert not [words for words in told if ENGLISH.search(words)]
    assert len(set(told) & {way.in_words() for way in ways}) == 0
