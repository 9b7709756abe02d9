"""The language of a report: messages from one catalogue, and how numbers and dates are written.

Messages are gettext's: the English sentence is its own key, and `locales/LANGUAGE/LC_MESSAGES/sfumato.po` holds
what it is in another language (`make catalogue` compiles it). Values go into a sentence after it was translated,
by their names, so that a translation may put them into another order.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files

from ..core.errors import ParameterError, did_you_mean

__all__ = [
    "LANGUAGES",
    "Locale",
    "check_language",
    "current_language",
    "current_locale",
    "retell",
    "say",
    "say_many",
    "speaking",
    "write_date",
]

DOMAIN = "sfumato"


@dataclass(frozen=True)
class Locale:
    """How a language is called in itself, and how it writes numbers and dates."""

    name: str
    decimal: str
    thousands: str
    percent: str
    date: str
    """As `str.format` takes it, with day, month (a number), name (of the month) and year."""
    first: str = "1"
    """How the first day of a month is written."""


LANGUAGES: dict[str, Locale] = {
    "en": Locale("English", ".", ",", "%", "{day} {name} {year}"),
    "de": Locale("Deutsch", ",", ".", "\N{NO-BREAK SPACE}%", "{day}. {name} {year}"),
    "fr": Locale(
        "Français", ",", "\N{NO-BREAK SPACE}", "\N{NO-BREAK SPACE}%", "{day} {name} {year}", "1er"
    ),
    "es": Locale("Español", ",", ".", "\N{NO-BREAK SPACE}%", "{day} de {name} de {year}"),
}
"""The languages that a report can be written in."""

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_LANGUAGE: ContextVar[str] = ContextVar("language", default="en")


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    if language == "en":
        return gettext.NullTranslations()
    place = files("sfumato.presentation") / "locales" / language / "LC_MESSAGES" / f"{DOMAIN}.mo"
    with place.open("rb") as file:
        return gettext.GNUTranslations(file)


def current_language() -> str:
    """Return the language in which sentences are made now."""
    return _LANGUAGE.get()


def current_locale() -> Locale:
    """Return how numbers and dates are written now."""
    return LANGUAGES[_LANGUAGE.get()]


def check_language(language: str) -> None:
    """Refuse a language that no report can be written in."""
    if language not in LANGUAGES:
        raise ParameterError(
            f"There is no language {language!r}.", hint=did_you_mean(language, LANGUAGES)
        )


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Make all sentences in a language while the block runs."""
    check_language(language)
    token = _LANGUAGE.set(language)
    try:
        yield
    finally:
        _LANGUAGE.reset(token)


def say(message: str, /, **values: object) -> str:
    """Return a message in the language of the report, with values in their places.

    >>> say("{n} records", n=3)
    '3 records'
    >>> with speaking("de"):
    ...     say("Signature")
    'Unterschrift'
    """
    found = _catalogue(_LANGUAGE.get()).gettext(message) if message else ""
    return found.format(**values) if values else found


def say_many(number: float, one: str, many: str, /, **values: object) -> str:
    """Return one of two messages, by a number, with values in their places.

    >>> say_many(1, "{n} record", "{n} records", n=1)
    '1 record'
    """
    # Catalogues count in whole numbers: one and a half takes the form of two.
    whole = int(number) if number == int(number) else 2
    found = _catalogue(_LANGUAGE.get()).ngettext(one, many, whole)
    return found.format(**values) if values else found


_RECORDED = "record\x04"  # gettext's own form of a context: a sentence that a record holds
_PLACE = re.compile(r"\\\{(\w+)\\\}")
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?%?(?![\w])")


def retell(sentence: str) -> str:
    """Return a sentence that a record holds, in the language of the report.

    Records keep some sentences as they were made, in English. The catalogue has their forms, under the context
    "record", with names where values are; values that are words are looked up too.
    """
    language = _LANGUAGE.get()
    if language == "en" or not sentence:
        return sentence
    for form, translated in _record_forms(language):
        found = form.fullmatch(sentence)
        if found is not None:
            values = {name: retell(text or "") for name, text in found.groupdict().items()}
            return translated.format(**values) if values else translated
    known = say(sentence)
    return known if known != sentence else _NUMBER.sub(_write_number, sentence)


def _write_number(found: re.Match[str]) -> str:
    locale = current_locale()
    table = {",": locale.thousands, ".": locale.decimal, "%": locale.percent}
    return "".join(table.get(letter, letter) for letter in found[0])


@cache
def _record_forms(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the forms of recorded sentences, those with the most fixed words first."""
    catalogue = getattr(_catalogue(language), "_catalog", {})
    found = {
        key.removeprefix(_RECORDED): text
        for key, text in catalogue.items()
        if isinstance(key, str) and key.startswith(_RECORDED)
    }
    ordered = sorted(found, key=lambda form: (-len(re.sub(r"\{\w+\}", "", form)), form))
    return tuple(
        (re.compile(_PLACE.sub(r"(?P<\1>.+?)", re.escape(form)), re.DOTALL), found[form])
        for form in ordered
    )


def write_date(day: date) -> str:
    """Return a day as the language writes it.

    >>> write_date(date(2026, 11, 16))
    '16 November 2026'
    """
    name, locale = say(_MONTHS[day.month - 1]), current_locale()
    written = locale.first if day.day == 1 else day.day
    return locale.date.format(day=written, month=day.month, name=name, year=day.year)
