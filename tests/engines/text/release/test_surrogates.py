"""What stands for a redacted text: consistent by a secret key, of the same form, never the original."""

from __future__ import annotations

import datetime as dt
import os
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.core.errors import InputError, ParameterError
from sfumato.engines.text.redaction.replacer import Mask, Place, Placeholder, Replacer
from sfumato.engines.text.redaction.surrogates import (
    DateReading,
    SecretKey,
    Surrogates,
    kind_of_label,
    language_of,
    read_key,
)
from sfumato.engines.text.redaction.surrogates.dates import shift_date
from sfumato.engines.text.redaction.surrogates.lists import (
    PARTICLES,
    TITLES,
    gender_of_title,
    kind_of_name,
    names_of,
)

KEY = SecretKey(b"a key of the tests, 26 byt")
LABELS = [
    "NAME", "DATE", "PHONE", "ID", "EMAIL", "URL", "ADDRESS", "CITY", "AGE", "ZIP", "HOSPITAL", "TITLE",
]  # fmt: skip
LANGUAGES = ["en", "de", "es", "fr", "it", "pt", "nl", "pl", "tr"]
LISTED = sorted({n for c in LANGUAGES for n in (*names_of(c).female, *names_of(c).male)})
FAMILIES = sorted({n for c in LANGUAGES for n in names_of(c).family})


def test_all_three_are_replacers():
    assert all(isinstance(r, Replacer) for r in (Placeholder(), Mask(), Surrogates(KEY)))


texts = st.one_of(
    st.text(min_size=1, max_size=30),
    st.sampled_from([*LISTED, *FAMILIES]),
    st.sampled_from(
        ["12/03/2019", "3 March 2020", "March 2020", "2020", "Mr. A. B. Lee", "a@b.co"]
    ),
)


@settings(max_examples=300)
@given(texts, st.sampled_from(LABELS), st.binary(min_size=16, max_size=80))
def test_a_surrogate_never_equals_the_original(text, label, key):
    made = Surrogates(SecretKey(key)).replace("d", text, label)
    assert made
    assert made.casefold() != text.casefold()


@settings(max_examples=200)
@given(texts, st.sampled_from(LABELS), st.sampled_from(LANGUAGES))
def test_no_number_of_the_original_survives(text, label, language):
    made = Surrogates(KEY).replace("d", text, label, Place(language))
    if kind_of_label(label) != "date":
        assert not set(re.findall(r"\d+", made)) & set(re.findall(r"\d+", text))


@settings(max_examples=100)
@given(st.sampled_from(LISTED), st.sampled_from(FAMILIES), st.sampled_from(LANGUAGES))
def test_no_name_of_the_original_survives(first, last, language):
    made = Surrogates(KEY).replace("d", f"{first} {last}", "NAME", Place(language))
    assert not {first, last} & set(re.findall(r"\w+", made))


def test_names_are_consistent_in_a_document_and_differ_between_documents():
    surrogates = Surrogates(KEY)
    whole = surrogates.replace("d1", "Laura Smith", "NAME").split()
    assert surrogates.replace("d1", "LAURA", "NAME") == whole[0].upper()
    assert surrogates.replace("d1", "Ms. Smith", "NAME") == f"Ms. {whole[1]}"
    made = {Surrogates(KEY).replace(f"d{i}", "Laura Smith", "NAME") for i in range(20)}
    assert len(made) > 5
    corpus = Surrogates(KEY, scope="corpus")
    assert len({corpus.replace(f"d{i}", "Laura Smith", "NAME") for i in range(20)}) == 1
    other = Surrogates(SecretKey(b"another key, as long as"))
    assert {other.replace(f"d{i}", "Laura", "NAME") for i in range(20)} != {
        surrogates.replace(f"d{i}", "Laura", "NAME") for i in range(20)
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["female", "male", "family"])
def test_language_and_gender_are_kept(language, kind):
    names = getattr(names_of(language), kind)
    own = [n for n in names if kind_of_name(n, language) == (language, kind)][:60]
    made = [Surrogates(KEY).replace(f"d{i}", n, "NAME", Place(language)) for i, n in enumerate(own)]
    assert len(names) >= 20
    assert own
    assert set(made) <= set(names)


def test_a_title_decides_where_a_name_is_of_both_genders():
    both = next(
        n for n in ("Kim", "Jessie", "Robin", "Casey", "Angel", "Jamie", "Shannon")
        if kind_of_name(n, "en", "male") == ("en", "male")
        and kind_of_name(n, "en", "female") == ("en", "female")
    )  # fmt: skip
    for title, kind in (("Mr. ", "male"), ("Mrs. ", "female")):
        made = Surrogates(KEY).replace("d", both, "NAME", Place("en", f"seen by {title}"))
        assert made in getattr(names_of("en"), kind)


@pytest.mark.parametrize(
    ("before", "gender"),
    [("Frau ", "female"), ("Herrn Dr. ", "male"), ("La Sra. ", "female"), ("with ", None)],
)
def test_titles_show_a_gender(before, gender):
    assert gender_of_title(before) == gender


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Die Patientin wurde am Montag mit der Diagnose nach Hause entlassen.", "de"),
        ("La paciente fue ingresada por dolor y se fue sin fiebre.", "es"),
        ("The patient was seen in the ward and is at home.", "en"),
        ("Le patient est dans le service pour une douleur.", "fr"),
        ("12345", "en"),
    ],
)
def test_the_language_is_detected(text, language):
    assert language_of(text) == language


def test_the_record_names_its_language():
    assert language_of("The patient was seen.", {"lang": "de"}) == "de"
    assert language_of("The patient was seen.", {"lang": "xx"}) == "en"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("am", "NAME"), ("K", "NAME"), ("und", "NAME"), ("Bed 12", "NAME"), ("136/92", "ID"),
        ("332.5", "ID"), ("107", "PHONE"), ("6.21", "DATE"), ("2.23", "DATE"), ("3/4", "DATE"),
        ("91", "AGE"), ("12 and 13", "AGE"), ("the ward", "CITY"), ("May", "DATE"),
        ("28037", "LOCATION"), ("something", "WEIGHT"),
    ],
)  # fmt: skip
def test_what_does_not_look_like_its_label_is_never_invented(text, label):
    assert Surrogates(KEY).replace("d", text, label, Place("de")) == f"[{label}]"


@pytest.mark.parametrize(
    ("text", "label", "certainty"),
    [("Hals", "NAME", 0.5), ("1234567", "ID", 3.0), ("2020", "DATE", 3.0), ("45", "AGE", 3.0)],
)
def test_what_the_classifiers_are_unsure_of_is_never_invented(text, label, certainty):
    surrogates = Surrogates(KEY)
    assert surrogates.replace("d", text, label, Place("de", "", certainty)) == f"[{label}]"
    assert surrogates.replace("d", text, label, Place("de")) != f"[{label}]"


def test_other_kinds_are_replaced_by_their_like():
    surrogates = Surrogates(KEY)
    assert surrogates.replace("d", "Klinik am Park", "HOSPITAL", Place("de")).startswith(
        "Klinikum "
    )
    assert surrogates.replace("d", "Meyer AG", "ORG", Place("de")).endswith(" GmbH")
    assert surrogates.replace("d", "Madrid", "LOCATION", Place("es")) in names_of("es").places
    assert surrogates.replace("d", "14 Elm Street", "LOCATION").endswith(" Street")
    age = surrogates.replace("d", "66 años", "AGE", Place("es"))
    assert re.fullmatch(r"\d\d años", age)
    assert 0 < abs(int(age[:2]) - 66) <= 3
    assert surrogates.replace("d", "Dr. med.", "TITLE", Place("de")) != "Dr. med."


def test_initials_case_hyphens_and_titles():
    made = Surrogates(KEY).replace("d", "Dr. J. R. MÜLLER-SCHMIDT's", "NAME")
    assert re.fullmatch(r"Dr\. [A-Z]\. [A-Z]\. [A-ZÄÖÜß]+-[A-ZÄÖÜß]+'s", made)
    assert not re.match(r"Dr\. J\. R\.", made)


def test_titles_and_particles_are_no_names():
    """What stays in a name must not be one."""
    assert not (TITLES | PARTICLES) & {n.casefold() for n in (*LISTED, *FAMILIES)}


# ---- dates -------------------------------------------------------------------------------------

FORMATS = [
    "%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%m-%d-%Y", "%d %B %Y", "%B %d, %Y",
    "%d-%b-%Y", "%b %d, %Y", "%d/%b/%Y",
]  # fmt: skip


@settings(max_examples=200)
@given(
    st.dates(dt.date(1950, 1, 1), dt.date(2035, 12, 31)),
    st.sampled_from(FORMATS),
    st.integers(-364, 364).filter(bool),
)
def test_a_date_moves_by_exactly_the_shift(date, form, days):
    day_first = form == "%d.%m.%Y"
    assume("%b" not in form or date.month != 5)  # May does not say whether it is short
    moved = shift_date(date.strftime(form), days, reading=day_first)
    assert moved == (date + dt.timedelta(days=days)).strftime(form)


@settings(max_examples=50)
@given(
    st.dates(dt.date(1990, 1, 1), dt.date(2030, 1, 1)),
    st.dates(dt.date(1990, 1, 1), dt.date(2030, 1, 1)),
    st.text(min_size=1, max_size=8),
)
def test_intervals_and_weekdays_survive(one, two, document):
    surrogates = Surrogates(KEY)
    moved = [
        dt.date.fromisoformat(surrogates.replace(document, d.isoformat(), "DATE"))
        for d in (one, two)
    ]
    assert moved[1] - moved[0] == two - one
    assert moved[0].weekday() == one.weekday()
    assert moved[0] != one


@pytest.mark.parametrize(
    ("text", "days", "expected"),
    [
        ("12 de marzo de 2020", 7, "19 de marzo de 2020"),
        ("3. März 2020", 7, "10. März 2020"),
        ("1er janvier 2020", 7, "8er janvier 2020"),
        ("MARCH 30TH 2020", 7, None),
        ("March 30th, 2020", 7, "April 06th, 2020"),
        ("3/4/20", 7, "3/11/20"),
        ("13/4/2020", 7, "20/4/2020"),
        ("12 March", 7, "19 March"),
        ("Dec 2019", 28, "Jan 2020"),
        ("Dec 2019", 7, None),
        ("2019", 7, "2020"),
        ("2019", -400, "2018"),
        ("1500", 400, None),
        ("19.3.", 7, "26.3."),
        ("08/2020", 60, "10/2020"),
        ("Oktober", 60, "Dezember"),
        ("May", 60, None),
        ("Nov.", 60, "Jan."),
        ("6.21", 60, None),
        ("31/02/2020", 7, None),
        ("yesterday", 7, None),
        ("0/0/0", 7, None),
        ("99/99/9999", 7, None),
        (" 2020-01-01\n", 7, " 2020-01-08\n"),
    ],
)
def test_written_forms(text, days, expected):
    assert shift_date(text, days) == expected


def test_an_unreadable_date_gives_a_placeholder():
    assert Surrogates(KEY).replace("d", "the day after", "DATE") == "[DATE]"


@settings(max_examples=200)
@given(st.dates(dt.date(1930, 1, 1), dt.date(2035, 12, 31)), st.text(min_size=1, max_size=8))
def test_no_year_and_no_month_stays(date, document):
    days = Surrogates(KEY).days(document)
    moved = date + dt.timedelta(days=days)
    assert days % 7 == 0
    assert moved.year != date.year
    assert moved.month != date.month


numeric = st.builds(
    lambda d, sep, day_first: (d, sep, day_first),
    st.dates(dt.date(1950, 1, 1), dt.date(2035, 12, 31)), st.sampled_from("./-"), st.booleans(),
)  # fmt: skip


@settings(max_examples=200)
@given(numeric, st.text(min_size=1, max_size=5))
def test_one_reading_of_day_and_month_for_the_corpus(written, document):
    """Whatever the date, the surrogate is the date itself moved, in the corpus's own order."""
    date, sep, day_first = written
    form = f"%d{sep}%m{sep}%Y" if day_first else f"%m{sep}%d{sep}%Y"
    corpus = [dt.date(2020, 3, 25).strftime(form), "INR 1.03, 136/92"]
    reading = DateReading.learned(corpus, default=not day_first)
    surrogates = Surrogates(KEY, reading=reading)
    made = surrogates.replace(document, date.strftime(form), "DATE")
    assert dt.datetime.strptime(made, form).date() - date == dt.timedelta(  # noqa: DTZ007
        days=surrogates.days(document)
    )


def test_a_reading_is_not_learned_from_other_numbers():
    assert DateReading.learned(["1.25.3.20.1", "12/25", "INR 1.03"]) == DateReading()
    assert DateReading.learned(["3/25/2020", "4/26/2020", "25/3/2020"]).day_first("/") is False
    # Dots mean the day first unless the corpus shows otherwise.
    assert DateReading().day_first(".")
    assert not DateReading().day_first("/")


# ---- formats -----------------------------------------------------------------------------------


@settings(max_examples=100)
@given(st.from_regex(r"[A-Za-z0-9 ()+./-]{1,20}", fullmatch=True))
def test_format_is_kept(text):
    made = Surrogates(KEY).replace("d", text, "ID")
    if made == "[ID]":
        return
    for a, b in zip(text, made, strict=True):
        assert a.isdigit() == b.isdigit()
        assert a.isupper() == b.isupper()
        assert a.islower() == b.islower()
        assert a == b or a.isalnum()


def test_mail_and_web_go_to_reserved_domains():
    made = Surrogates(KEY).replace("d", "ann.lee7@enron.com", "EMAIL")
    assert re.fullmatch(r"[a-z]{3}\.[a-z]{3}\d@example\.com", made)
    assert (
        Surrogates(KEY)
        .replace("d", "https://www.ann.de/x1", "URL")
        .startswith("https://www.example.org/")
    )


# ---- the key -----------------------------------------------------------------------------------


def test_key_file_must_be_private(tmp_path):
    file = tmp_path / "key"
    file.write_bytes(b"x" * 32)
    file.chmod(0o644)
    with pytest.raises(InputError, match="others"):
        read_key(file)
    file.chmod(0o600)
    assert repr(read_key(file)) == "SecretKey(hidden)"


def test_key_from_the_environment(monkeypatch):
    monkeypatch.delenv("SFUMATO_KEY", raising=False)
    with pytest.raises(InputError, match="secret key") as caught:
        read_key()
    assert "SFUMATO_KEY" in str(caught.value)
    monkeypatch.setenv("SFUMATO_KEY", "short")
    with pytest.raises(InputError, match="5 bytes") as caught:
        read_key()
    assert "short" not in str(caught.value)
    monkeypatch.setenv("SFUMATO_KEY", "long enough for a key")
    assert Surrogates(read_key()).days("d")
    assert "long enough" not in repr(vars(Surrogates(read_key())))


def test_key_missing_file_and_pickle(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_key(tmp_path / "none")
    with pytest.raises(TypeError):
        pickle.dumps(KEY)
    assert os.environ.get("SFUMATO_KEY") is None


def test_bad_parameters():
    with pytest.raises(ParameterError, match="scope"):
        Surrogates(KEY, scope="patient")


# --- the samples of the documentation -------------------------------------------------------------

SAMPLES = {
    "German letter": (
        "de",
        (
            "Wir berichten über <NAME>Frau Lieselotte Eggers</NAME>, geb. am <DATE>03.12.1954</DATE>, wohnhaft in "
            "<CITY>Lüneburg</CITY>, die vom <DATE>19.03.2029</DATE> bis <DATE>26.3.2029</DATE> bei uns war. Der "
            "Blutdruck lag bei 108/65 mmHg, Leukozyten 6,21. <NAME>Frau Eggers</NAME> stellt sich am <DATE>4. April "
            "2029</DATE> bei <NAME>Dr. Hinrichs</NAME> im <HOSPITAL>Klinikum Lüneburg</HOSPITAL> vor (Tel. "
            "<PHONE>04131 770815</PHONE>)."
        ),
    ),
    "Spanish case": (
        "es",
        (
            "<NAME>La Sra. Carmen Ruiz Ortega</NAME>, de <AGE>54 años</AGE>, vecina de <CITY>Madrid</CITY>, ingresó "
            "el <DATE>12 de marzo de 2021</DATE> con una tensión de 136/92 y fue dada de alta el "
            "<DATE>19/03/2021</DATE>. <NAME>Carmen</NAME> será vista por el <NAME>Dr. Javier Soto</NAME> en el "
            "<HOSPITAL>Hospital Clínico de Madrid</HOSPITAL> (NHC <ID>786946231</ID>)."
        ),
    ),
    "English note": (
        "en",
        (
            "<NAME>Mrs. Laura Whitfield</NAME>, <AGE>71</AGE>, was seen on <DATE>February 7, 2019</DATE> at "
            "<HOSPITAL>Riverside Hospital</HOSPITAL>. BP 136/92, pulse 107, INR 1.03. Next visit "
            "<DATE>2019-04-03</DATE> with <NAME>Dr. Patel</NAME>; call <NAME>Laura's</NAME> daughter at "
            "<PHONE>555-0143-228</PHONE>, <ADDRESS>14 Elm Street</ADDRESS>."
        ),
    ),
}
PAGE = Path(__file__).parents[4] / "docs" / "how-to" / "surrogates.md"
TAG = re.compile(r"<([A-Z]+)>(.*?)</\1>")


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_samples_of_the_documentation(sample):
    language, marked = SAMPLES[sample]
    before = TAG.sub(r"\2", marked)
    assert language_of(before) == language
    surrogates = Surrogates(
        SecretKey(b"the key of the documentation"), reading=DateReading.learned([before])
    )

    def replaced(match):
        so_far = TAG.sub(r"\2", marked[: match.start()])
        return surrogates.replace(sample, match[2], match[1], Place(language, so_far[-40:], 9.0))

    after = TAG.sub(replaced, marked)
    assert "[" not in after
    assert f"| {sample} | {before} | {after} |" in PAGE.read_text(encoding="utf-8")


def test_a_month_of_several_languages_is_written_in_the_document_s():
    assert shift_date("4. April 2029", 240, reading=True, language="de") == "30. November 2029"
    assert shift_date("4. April 2029", 270, reading=True, language="de") == "30. Dezember 2029"
    assert shift_date("April 4, 2029", 270, language="en") == "December 30, 2029"


@pytest.mark.parametrize("title", ["Frau", "Herr", "Mrs.", "Sra."])
def test_a_form_of_address_becomes_a_placeholder(title):
    made = Surrogates(SecretKey(b"0123456789abcdef")).replace(
        "d", title, "TITLE", Place("de", "", 9.0)
    )
    assert made == "[TITLE]"
