"""Rules: what the built-in ones find, how files of rules are read, and what learners see of them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.errors import FormatError, ParameterError, PlanError
from sfumato.data.document import Document, Span
from sfumato.engines.text.reading.tokens import Vocabulary, tokenize
from sfumato.engines.text.rules import (
    LANGUAGES,
    RULE_PLACES,
    ChosenRules,
    PatternRule,
    RuleSet,
    WordRule,
    built_in,
    guess_languages,
    read_rules,
    rule_place,
)
from sfumato.engines.text.rules.checks import CHECKS

ENGLISH = """Dear Mrs. Smith,
Patient: John van Dyke, 45-year-old, MRN: 88812345, seen on March 3, 2021 and 03/04/2021.
Call (212) 555-0147 or 020 7946 0958. NHS 943 476 5919; write to j.doe@example.org.
Sincerely,
Anna Lee"""


def found(text, languages):
    return {(text[s.start : s.end], s.label) for s in built_in(languages).find(text)}


def test_english_rules_find_what_a_letter_holds():
    assert found(ENGLISH, ["en"]) >= {
        ("Smith", "NAME"), ("John van Dyke", "NAME"), ("Anna Lee", "NAME"), ("45", "AGE"),
        ("88812345", "ID"), ("March 3, 2021", "DATE"), ("03/04/2021", "DATE"),
        ("(212) 555-0147", "PHONE"), ("020 7946 0958", "PHONE"), ("j.doe@example.org", "EMAIL"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("de", "Date: Tue, 02 May 2023 10:00:00 +0200\nSehr geehrter Herr", {"02 May 2023"}),
        ("de", "Frau Müller (67 Jahre), geb. 4. März 1954, Lindenstraße 12, 80331 München", {"Müller", "67", "4. März 1954", "80331", "Lindenstraße 12"}),
        ("es", "Nombre: Lucía Ortega. DNI 12345678Z, 45 años, 3 de mayo de 2019.",
         {"Lucía Ortega", "12345678Z", "45 años", "3 de mayo de 2019"}),
        ("fr", "Mme Durand, âgée de 45 ans, vue le 3 mai 2019.", {"Durand", "45 ans", "3 mai 2019"}),
        ("it", "Sig. Rossi, 45 anni, RCCMNL83S18D969H, 3 maggio 2019.",
         {"Rossi", "45", "RCCMNL83S18D969H", "3 maggio 2019"}),
        ("nl", "Dhr. Bakker, 45 jaar, 3 mei 2019, 1012 AB", {"Bakker", "45", "3 mei 2019", "1012 AB"}),
        ("pt", "Sra. Almeida, 45 anos, 3 de maio de 2019, 1000-001",
         {"Almeida", "45", "3 de maio de 2019", "1000-001"}),
    ],
)  # fmt: skip
def test_each_language_has_its_own_rules(language, text, wanted):
    assert wanted <= {word for word, _ in found(text, [language])}


@pytest.mark.parametrize(
    ("language", "text", "places"),
    [
        ("de", "Abteilung für Chirurgie\nAm Wehrhahn 28\n40211 Düsseldorf\nTel.", {"Am Wehrhahn 28", "40211", "Düsseldorf"}),
        ("de", "wohnhaft Hinter der Mauer 3a, 18055 Rostock, Herr", {"Hinter der Mauer 3a", "18055", "Rostock"}),
        ("de", "Karl-Marx-Straße 12-14\r\nD-12043 Berlin", {"Karl-Marx-Straße 12-14", "12043", "Berlin"}),
        ("de", "Stubenring 5, 1010 Wien", {"Stubenring 5", "1010", "Wien"}),
        ("de", "lebt am Breiten Weg 7 und in der Frankfurter Straße 5", {"Breiten Weg 7", "Frankfurter Straße 5"}),
        ("de", "Zeil 1, 60313 Frankfurt am Main", {"Zeil 1", "60313", "Frankfurt am Main"}),
        ("de", "Auf Platz 3 der Liste, CRP-Anstieg 5, Station 4, Raum 12, 2031 Betten", set()),
        ("nl", "Oude Singel 250, 1016 AB Amsterdam", {"Oude Singel 250", "1016 AB", "Amsterdam"}),
        ("nl", "Lange Voorhout 8\n2514 ED Den Haag", {"Lange Voorhout 8", "2514 ED", "Den Haag"}),
    ],
)  # fmt: skip
def test_streets_of_any_name_are_found_by_the_postcode_that_follows(language, text, places):
    assert {word for word, label in found(text, [language]) if label == "LOCATION"} == places


def test_a_number_in_international_writing_is_a_telephone_number_even_where_the_area_is_not_in_use():
    for language in ("de", "en", "nl"):
        assert ("+49(0)321 199-6650", "PHONE") in found("to +49(0)321 199-6650.", [language])
    assert not found("um +12,5 auf +130 (140) gestiegen", ["de"])


def test_numbers_after_what_they_are_called():
    text = "mrn 22334455, health plan number HP-987654, claim no. 20-4711, zip code 94103."
    assert {
        ("22334455", "ID"),
        ("HP-987654", "ID"),
        ("20-4711", "ID"),
        ("94103", "LOCATION"),
    } <= found(text, ["en"])
    assert ("1010", "LOCATION") in found("PLZ: 1010", ["de"])


def test_german_words_before_numbers():
    text = "Aktenzeichen 57/1750-7, Pat.-Nr.: 4711-22, Kassennummer 20-12345, Akten 12"
    assert {w for w, label in found(text, ["de"]) if label == "ID"} == {
        "57/1750-7", "4711-22", "20-12345",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("language", "text", "relatives", "sexes"),
    [
        ("en", "Sex: F. A woman with her mother-in-law and two sisters.", {"mother-in-law", "sisters"}, {"F", "woman"}),
        ("de", "Geschlecht: w. Die Schwiegermutter und zwei Brüder, weiblich.", {"Schwiegermutter", "Brüder"}, {"w", "weiblich"}),
        ("es", "Sexo: H. Varón, padre de dos hijas.", {"padre", "hijas"}, {"H", "Varón"}),
        ("fr", "Sexe : M. Homme, sa belle-sœur et son fils.", {"belle-sœur", "fils"}, {"M", "Homme"}),
        ("it", "Sesso: M. Uomo, la sorella e i figli.", {"sorella", "figli"}, {"M", "Uomo"}),
        ("nl", "Geslacht: V. Vrouw, schoonmoeder en twee zonen.", {"schoonmoeder", "zonen"}, {"V", "Vrouw"}),
        ("pt", "Sexo: F. Mulher, a mãe e o irmão.", {"mãe", "irmão"}, {"F", "Mulher"}),
    ],
)  # fmt: skip
def test_relatives_and_sex_are_found_for_those_whose_labels_name_them(
    language, text, relatives, sexes
):
    rules = built_in([language])
    for label, words in (("FAMILY", relatives), ("SEX", sexes)):
        assert {text[s.start : s.end] for s in rules.find(text, labels=[label])} == words
    named = ChosenRules(rules, ("Geschlecht", "FAMILIARES_SUJETO"))
    assert {text[s.start : s.end] for s in named.find(text)} == relatives | sexes
    assert not ChosenRules(rules, ("DATE", "LOCATION")).find(text)


def test_every_language_has_rules_and_the_wrong_one_is_refused():
    for language in LANGUAGES:
        assert any(language in rule.languages for rule in built_in([language]).rules)
    with pytest.raises(ParameterError):
        built_in(["xx"])


def test_languages_are_guessed_from_small_words():
    assert guess_languages(["the patient was seen in the clinic and sent to the ward"]) == ("en",)
    assert guess_languages(["12 34"]) == LANGUAGES


def test_check_digits_refuse_a_changed_digit():
    sound = {
        "luhn": "4111111111111111", "nhs": "9434765919", "german_tax": "36574261809",
        "german_health": "A123456780", "spanish_identity": "12345678Z", "dutch_citizen": "111222333",
        "french_insurance": "255081416802538", "portuguese_tax": "123456789",
    }  # fmt: skip
    for name, number in sound.items():
        assert CHECKS[name](number)
        for place, digit in enumerate(number[:-1]):
            if digit.isdecimal():
                other = number[:place] + str((int(digit) + 1) % 10) + number[place + 1 :]
                assert not CHECKS[name](other), name


@given(st.text(max_size=300))
def test_built_in_rules_find_sorted_spans_inside_any_text(text):
    spans = built_in(["en", "de"]).find(text)
    Document("d", text, spans).checked()
    assert all(0 < s.score <= 1 for s in spans)


def test_allowed_words_are_never_found_and_denied_ones_always():
    rules = RuleSet(
        (WordRule("deny", "NAME", 1.0, words=frozenset({"Old Mill"})), *built_in(["en"]).rules),
        WordRule("allow", "", 1.0, words=frozenset({"Parkinson"})),
    )
    text = "Dr. Parkinson at the old  mill"
    assert [(s.start, s.end) for s in rules.find(text)] == [(21, 30)]


def test_context_words_raise_a_score():
    rule = PatternRule("n", "ID", 0.5, pattern=re.compile(r"\d{4}"), context=("ward",))
    assert [s.score for s in rule.spans("ward 1234")] == [0.85]
    assert [s.score for s in rule.spans("value 1234")] == [0.5]
    strict = PatternRule("n", "ID", 0.5, pattern=re.compile(r"\d{4}"), context=("ward",), needs_context=True)  # fmt: skip
    assert list(strict.spans("value 1234")) == []


def test_spans_that_were_given_win_over_rules():
    document = Document("d", ENGLISH, [Span(5, 16, "TITLE")])
    spans = next(iter(built_in(["en"]).applied([document]))).spans
    assert Span(5, 16, "TITLE") in spans
    assert all(s.start >= 16 or s.label == "TITLE" for s in spans)


def test_a_rules_file_adds_its_rules_to_the_built_in_ones(tmp_path):
    (tmp_path / "words.txt").write_text("Northgate\n\nSouth End\n")
    file = tmp_path / "rules.toml"
    file.write_text(
        "languages = ['en']\n[[rule]]\nlabel = 'ID'\npattern = 'W-(?P<span>\\d{4})'\n"
        "[[deny]]\nlabel = 'PLACE'\nfile = 'words.txt'\n[allow]\nwords = ['Smith']\n"
    )
    text = "Mrs. Smith of south end, W-1234, j@x.org"
    spans = read_rules(file).find(text)
    assert {(text[s.start : s.end], s.label) for s in spans} == {
        ("south end", "PLACE"), ("1234", "ID"), ("j@x.org", "EMAIL"),
    }  # fmt: skip


def test_every_mistake_of_a_rules_file_is_told_with_its_line(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text(
        "languages = ['en', 'xx']\n"
        "[[rule]]\nlabel = 'A'\npattern = '(unclosed'\n"
        "[[rule]]\npattern = 'x'\n"
        "[[rule]]\nlabel = 'B'\npattern = 'x*'\nscore = 3.0\n"
        "[[rule]]\nlabel = 'C'\npattern = 'y'\ncheck = 'lunn'\n"
        "[[deny]]\nlabel = 'D'\nfile = 'none.txt'\nwrods = []\n"
    )
    with pytest.raises(PlanError) as error:
        read_rules(file)
    lines = [int(m.split(":")[0].removeprefix("line ")) for m in error.value.mistakes]
    assert lines == [1, 4, 5, 9, 10, 14, 17, 18]
    assert "did you mean" in error.value.mistakes[5]
    file.write_text("[[rule]]\nlabel = \n")
    with pytest.raises(FormatError, match="line 2"):
        read_rules(file)
    file.write_text("rule = 3\nlanguage = []\n")
    with pytest.raises(PlanError, match="languages"):
        read_rules(file)


def test_rules_are_a_feature_of_the_place():
    text = "Mr Lee of x@y.org"
    document = Document("d", text, [Span(3, 6, "PERSON", 0.5), Span(10, 17, "EMAIL", 0.9)])
    tokens = tokenize([text], Vocabulary())
    place = rule_place([document], tokens)
    assert place.size == RULE_PLACES
    assert place.values.tolist()[:3] == [0, 1, 0]
    assert len(set(place.values[3:].tolist())) == 1
    assert place.values.max() < RULE_PLACES
    assert rule_place([Document("d", text)], tokens).values.max() == 0


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mme Poulmarc'h et M. L'Hostis", ["Poulmarc'h", "L'Hostis"]),
        ("M. D'ANGELO, Mme d'Ornano", ["D'ANGELO", "d'Ornano"]),
        ("Dr. McDonald and Mrs. O’Brien-McKay", ["McDonald", "O’Brien-McKay"]),
        ("Dr. Smith's plan, Mrs. Poulmarc'h's son", ["Smith", "Poulmarc'h"]),
    ],
)
def test_a_name_with_an_apostrophe_or_two_capitals_is_found_whole(text, names):
    """What is left of a name beside its placeholder tells the name."""
    assert [text[s.start : s.end] for s in built_in().find(text) if s.label == "NAME"] == names
