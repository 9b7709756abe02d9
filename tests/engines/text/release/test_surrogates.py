"""What stands for a redacted text: consistent by a secret key, of the same form, never the original."""

from __future__ import annotations

import datetime as dt
import os
import pickle
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.core.errors import InputError, ParameterError
from sfumato.engines.text.release.redaction import Mask, Placeholder, Replacer
from sfumato.engines.text.release.surrogates import SecretKey, Surrogates, kind_of_label, read_key
from sfumato.engines.text.release.surrogates.dates import shifted
from sfumato.engines.text.release.surrogates.lists import PARTICLES, TITLES, cultures, lookup

KEY = SecretKey(b"a key of the tests, 26 byt")
LABELS = ["NAME", "DATE", "PHONE", "ID", "EMAIL", "URL", "ADDRESS", "CITY", "AGE", "ZIP"]


def test_all_three_are_replacers():
    assert all(isinstance(r, Replacer) for r in (Placeholder(), Mask(), Surrogates(KEY)))


texts = st.one_of(
    st.text(min_size=1, max_size=30),
    st.sampled_from([n for c in cultures().values() for n in (*c.female, *c.male, *c.family)]),
    st.sampled_from(
        ["12/03/2019", "3 March 2020", "March 2020", "2020", "Mr. A. B. Lee", "a@b.co"]
    ),
)


@settings(max_examples=300, deadline=None)
@given(texts, st.sampled_from(LABELS), st.binary(min_size=16, max_size=80))
def test_a_surrogate_never_equals_the_original(text, label, key):
    made = Surrogates(SecretKey(key)).replace("d", text, label)
    assert made
    assert made.casefold() != text.casefold()


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(lookup())), st.sampled_from(sorted(lookup())))
def test_no_name_of_the_original_survives(first, last):
    made = Surrogates(KEY).replace("d", f"{first.title()} {last.title()}", "NAME")
    assert not {first, last} & {w.casefold() for w in re.findall(r"\w+", made)}


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


@pytest.mark.parametrize("culture", sorted(cultures()))
@pytest.mark.parametrize("kind", ["female", "male", "family"])
def test_culture_and_gender_are_kept(culture, kind):
    names = getattr(cultures()[culture], kind)
    own = [n for n in names if lookup()[n.casefold()] == (culture, kind)]
    made = [Surrogates(KEY).replace(f"d{i}", n, "NAME") for i, n in enumerate(own)]
    assert own
    assert set(made) <= set(names)


def test_initials_case_hyphens_and_titles():
    made = Surrogates(KEY).replace("d", "Dr. J. R. MÜLLER-SCHMIDT's", "NAME")
    assert re.fullmatch(r"Dr\. [A-Z]\. [A-Z]\. [A-ZÄÖÜß]+-[A-ZÄÖÜß]+'s", made)
    assert not re.match(r"Dr\. J\. R\.", made)


def test_titles_and_particles_are_no_names():
    """What stays in a name must not be one."""
    assert not (TITLES | PARTICLES) & set(lookup())


# ---- dates -------------------------------------------------------------------------------------

FORMATS = [
    "%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%m-%d-%Y", "%d %B %Y", "%B %d, %Y",
    "%d-%b-%Y", "%b %d, %Y", "%d/%b/%Y",
]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    st.dates(dt.date(1950, 1, 1), dt.date(2035, 12, 31)),
    st.sampled_from(FORMATS),
    st.integers(-364, 364).filter(bool),
)
def test_a_date_moves_by_exactly_the_shift(date, form, days):
    day_first = form == "%d.%m.%Y"
    assume("%b" not in form or date.month != 5)  # May does not say whether it is short
    moved = shifted(date.strftime(form), days, day_first=day_first)
    assert moved == (date + dt.timedelta(days=days)).strftime(form)


@settings(max_examples=50, deadline=None)
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
        ("2019", 7, None),
        ("31/02/2020", 7, None),
        ("yesterday", 7, None),
        ("0/0/0", 7, None),
        ("99/99/9999", 7, None),
        (" 2020-01-01\n", 7, " 2020-01-08\n"),
    ],
)
def test_written_forms(text, days, expected):
    assert shifted(text, days) == expected


def test_an_unreadable_date_gives_a_placeholder():
    assert Surrogates(KEY).replace("d", "the day after", "DATE") == "[DATE]"


def test_shift_is_never_zero():
    surrogates = Surrogates(KEY, furthest_weeks=1)
    assert {surrogates.days(str(i)) for i in range(50)} == {-7, 7}


# ---- formats -----------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.from_regex(r"[A-Za-z0-9 ()+./-]{1,20}", fullmatch=True))
def test_format_is_kept(text):
    made = Surrogates(KEY).replace("d", text, "ID")
    if made == "[ID]":
        assert not any(c.isalnum() for c in text)
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


def test_labels_without_a_form_give_placeholders():
    assert kind_of_label("AGE") is None
    assert Surrogates(KEY).replace("d", "91", "AGE") == "[AGE]"


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
        Surrogates(KEY, scope="person")
    with pytest.raises(ParameterError, match="furthest_weeks"):
        Surrogates(KEY, furthest_weeks=0)
