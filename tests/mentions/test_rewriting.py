"""Mentions in notes: what undercuts the row goes into its bands, in its own form; nothing else is touched."""

import re
from datetime import date, timedelta

import pytest
from benchmarks._together_clinical import CLINICAL
from hypothesis import given
from hypothesis import strategies as st

from sfumato.mentions import Band, OwnValues, OwnWord, rewrite
from sfumato.mentions.folding import fold, one_of
from sfumato.mentions.languages import LANGUAGES, spell
from sfumato.mentions.languages.base import language
from sfumato.mentions.own import age_band, births_between, days_of
from sfumato.mentions.reading import read_mentions

from . import golden
from .forms import FORMS


def test_every_form_in_every_band_and_language_is_as_it_was_read_by_a_person():
    assert golden.render() == golden.FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_own_value_is_left_in_a_known_form(code):
    own = golden.own_values("45-49", "2023-Q1")
    left = re.compile(rf"\b47|1975|\b12\b|\b03\b|\b3\b|{spell(47, code)[0]}")
    kin = language(code).kin
    for form in FORMS[code]:
        if not kin.search(fold(form)):
            assert not left.search(rewrite(form, own, [code]).text), form


@pytest.mark.parametrize("code", sorted(CLINICAL))
def test_no_dose_vital_sign_laboratory_value_or_duration_is_changed(code):
    assert sum(map(len, CLINICAL.values())) >= 200
    for age in (47, 62, 83):
        low = age // 5 * 5
        own = OwnValues(age=age, age_band=Band(low, low + 4))
        for sentence in CLINICAL[code]:
            text = sentence.format(n=age)
            assert rewrite(text, own, [code]).text == text
            assert rewrite(text, own).text == text  # in a note whose language nobody named


def test_what_a_guard_holds_back_is_listed_where_it_stands():
    own = OwnValues(age=47, age_band=Band(45, 49))
    made = rewrite("A 47-year-old woman. Pulse 47, regular.", own, ["en"])
    assert [made.text[a:b] for a, b, _ in made.held] == ["47"]
    assert made.text == "A 45–49-year-old woman. Pulse 47, regular."


def test_what_contradicts_the_row_is_counted_and_stays():
    own = golden.own_values("45-49", "2023-Q1")
    made = rewrite("She is 61 years old, born in 1960. Her mother is 74 years old.", own, ["en"])
    assert made.contradicted == {"age": 1, "birth": 1}
    assert not made.edits


def test_a_note_written_after_the_birthday_agrees_by_one_year():
    own = OwnValues(age=47, age_band=Band(45, 49))
    assert rewrite("She is 48 years old.", own, ["en"]).text == "She is 45–49 years old."


def test_years_of_birth_follow_from_age_band_and_visit_and_from_no_grid():
    own = golden.own_values("45-49", "2023-Q1")
    band = own.birth_band
    born = [date.fromordinal(band.low), date.fromordinal(band.high)]
    assert born == [date(1973, 1, 2), date(1978, 3, 31)]
    text = rewrite("Born in 1975.", own, ["en"]).text
    first, last = map(int, re.findall(r"\d{4}", text))
    said = Band(date(first, 1, 1).toordinal(), date(last, 12, 31).toordinal())
    assert said.holds(band)


def test_a_row_that_shows_nothing_leaves_nothing():
    own = golden.own_values("*", "known")
    made = rewrite("A 47-year-old, born 3.12.1975, seen on 12 March 2023.", own, ["en"])
    assert made.text == "An [age]-year-old, born [year], seen [date]."
    assert not re.search(r"47|1975|2023", made.text)


def test_words_and_codes_are_found_however_they_are_written():
    words = (OwnWord("city", "Köln", "West"), OwnWord("area", "50823", "50000-59999", is_code=True))
    own = OwnValues(words=words)
    made = rewrite("Wohnhaft in Köln, 50 823 KOELN; Kölnerin. Aus Bonn, 53111.", own, ["de"])
    assert made.text == "Wohnhaft in West, [area 50000-59999] West; West. Aus Bonn, 53111."


def test_nothing_but_the_mention_is_lost_between_sentences():
    own = OwnValues(age=47, age_band=Band(45, 49))
    text = "Seite 36 der Akte. 47 Jahre alt, wach. Frau, 47 Jahre, kam."
    wanted = "Seite 36 der Akte. 45–49 Jahre alt, wach. Frau, 45–49 Jahre, kam."
    assert rewrite(text, own, ["de"]).text == wanted


def test_a_name_needs_its_capital_letter():
    own = OwnValues(words=(OwnWord("city", "Bath", "South"),))
    assert rewrite("She took a bath in Bath.", own, ["en"]).text == "She took a bath in South."


def test_a_day_near_the_visit_is_coarsened_and_one_far_away_is_not():
    own = golden.own_values("45-49", "2023-Q1")
    made = rewrite("Surgery on 3 May 2022, appendix out on 3 May 1999.", own, ["en"])
    assert made.text == "Surgery in Q2 2022, appendix out on 3 May 1999."


@given(
    age=st.integers(20, 99),
    width=st.sampled_from([5, 10, 20]),
    code=st.sampled_from(LANGUAGES),
    number=st.integers(0, 40),
)
def test_rewriting_twice_is_rewriting_once_and_edits_stand_where_they_say(age, width, code, number):
    low = age // width * width
    form = FORMS[code][number % len(FORMS[code])].replace("47", str(age))
    own = OwnValues(age=age, age_band=Band(low, low + width - 1))
    made = rewrite(form, own, [code])
    assert rewrite(made.text, own, [code]).text == made.text
    at = 0
    for edit in made.edits:
        assert (
            form[at : edit.start].lower().removesuffix("an ").removesuffix("a ")
            in made.text.lower()
        )
        assert made.text[edit.new_start : edit.new_end]
        at = edit.end


@given(age=st.integers(0, 99), days=st.integers(0, 20_000), late=st.integers(0, 364))
def test_births_between_holds_everybody_of_an_age_on_a_day(age, days, late):
    visit = date(1990, 1, 1) + timedelta(days=days)
    birth = date(visit.year - age, visit.month, min(visit.day, 28)) - timedelta(days=late)
    years = visit.year - birth.year - ((visit.month, visit.day) < (birth.month, birth.day))
    band = births_between(Band(years, years), Band(visit.toordinal(), visit.toordinal()))
    assert band.low <= birth.toordinal() <= band.high


@pytest.mark.parametrize("code", LANGUAGES)
def test_numbers_are_read_as_they_are_spelled(code):
    known = language(code)
    for number in range(20, 120):
        for word in spell(number, code):
            assert known.number.fullmatch(fold(word)), word
            assert known.value(fold(word)) == number, word


@given(st.sets(st.text("abcd-", min_size=1, max_size=6), min_size=1, max_size=12))
def test_the_pattern_of_words_finds_each_and_no_other(words):
    pattern = re.compile(one_of(words))
    assert all(pattern.fullmatch(word) for word in words)
    assert not pattern.fullmatch("zz")
    assert not pattern.fullmatch("".join(sorted(words)) + "x")


def test_labels_are_read_as_bands():
    labels = ["45-49", "≥ 85", "≤ 17", "[40, 50)", "33", "*", "0-17|?"]
    bands = [age_band(label) for label in labels]
    assert bands[:5] == [Band(45, 49), Band(85), Band(0, 17), Band(40, 49), Band(33, 33)]
    assert bands[5:] == [Band(), Band()]
    quarter, decade = days_of("2023-Q4"), days_of("1990s")
    assert (date.fromordinal(quarter.low), date.fromordinal(quarter.high)) == (
        date(2023, 10, 1),
        date(2023, 12, 31),
    )
    assert date.fromordinal(decade.high) == date(1999, 12, 31)
    assert days_of("2019-2021").high == date(2021, 12, 31).toordinal()


def test_days_before_months_and_months_before_days():
    text = "seen 3/4/2023 and 4.3.2023"
    found = read_mentions(text, fold(text), language("en"))
    days = [[date.fromordinal(b.low).isoformat() for b in m.sets] for m in found]
    assert days == [["2023-04-03", "2023-03-04"], ["2023-03-04"]]
