"""Replace what is redacted by something of the same kind, where that cannot mislead the reader.

A surrogate never equals the original, whatever the key. What does not look like its label, and what the
classifiers are unsure of, becomes a placeholder: an invention in place of a laboratory value would be
a lie about medicine. Surrogates hide leaks among themselves, but they are drawn from lists: who holds the
key can draw them again.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from .....core.date_shift import choose_days
from .....core.errors import ParameterError
from ..replacer import Place, Replacer
from . import dates, formats, names
from .dates import DateReading
from .keyed import SecretKey, read_key
from .lists import gender_of_title

__all__ = ["Surrogates", "kind_of_label", "needed_certainty"]

# What a label's name says about the form of its content: the first word found in the name decides.
_KINDS = {
    "email": ("email", "mail", "correo"),
    "web": ("url", "web", "http", "ip"),
    "phone": ("phone", "fax", "tel", "mobile", "telefono", "pager", "contact"),
    "date": ("date", "dob", "birth", "fecha", "fechas", "datum", "datetime"),
    "age": ("age", "edad", "alter", "ages"),
    "address": ("address", "street", "calle", "addr", "direccion"),
    "place": ("city", "town", "village", "territorio", "county", "location", "loc", "gpe", "place",
              "country", "state", "pais", "ort", "geo"),
    "organisation": ("hospital", "org", "organization", "organisation", "institution", "company",
                     "clinic", "facility", "employer", "centro", "hcenter"),
    "title": ("title", "titel", "titulo"),
    "number": ("id", "ssn", "mrn", "number", "num", "account", "license", "licence", "plate", "zip",
               "zipcode", "postal", "credit", "iban", "passport", "device", "serial", "numero",
               "identificador", "identificacion", "medicalrecord", "code", "card"),
    "name": ("name", "nombre", "person", "per", "patient", "doctor", "physician", "nombres", "judge",
             "petitioner", "respondent", "witness", "lawyer", "username", "surname", "profile"),
}  # fmt: skip
_INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\u00ad\ufeff")
_DIGITS_OF_PHONE = 7
_CHARACTERS_OF_ID = 5
_OLDEST = 89  # ages above are rare enough to tell people apart
_CERTAINTY_OF_WORDS, _CERTAINTY_OF_FORMS, _CERTAINTY_OF_NUMBERS = 1.0, 2.0, 4.0
_CERTAINTY_OF_DATES = 2.5
_STRICT_FORMS = frozenset({"phone", "email", "web", "address", "place"})
_WHOLE_DATE = re.compile(
    r"[0-9]{1,4}\s*[./-]\s*[0-9]{1,2}\s*[./-]\s*[0-9]{2,4}|[^\W\d_]{3,}.*[0-9]{4}|[0-9].*[^\W\d_]{3,}"
)
_TITLES_ONLY = re.compile(r"(?:[^\W\d_]{1,5}\.?\s*){1,3}")


def kind_of_label(label: str) -> str | None:
    """Return what form a label's content has; None where its name does not tell.

    >>> kind_of_label("NAME"), kind_of_label("ID_SUJETO"), kind_of_label("PHONE_NUMBER")
    ('name', 'number', 'phone')
    """
    words = label.casefold().replace("-", "_").replace(" ", "_").split("_")
    for kind, signs in _KINDS.items():
        if any(word in signs for word in words):
            return kind
    return None


def needed_certainty(kind: str, text: str) -> float:
    """Return the log-odds from which a text may become a surrogate.

    A word needs to be more likely sensitive than not. A number needs much more, because a laboratory
    value or a dose that is taken for a number of the patient must not be altered; a whole date is
    known by its form.
    """
    if kind == "date" and _WHOLE_DATE.search(text):
        return _CERTAINTY_OF_DATES
    if any(c.isdigit() or c.isnumeric() for c in text):
        return _CERTAINTY_OF_FORMS if kind in _STRICT_FORMS else _CERTAINTY_OF_NUMBERS
    return _CERTAINTY_OF_WORDS


@dataclass(frozen=True, slots=True)
class _Maker:
    """How one kind is replaced, and what a text must look like for it."""

    looks: Callable[[str, Place], bool]
    make: Callable[[SecretKey, str, str, Place], str]


class Surrogates(Replacer):
    """Replace what is redacted by something of the same kind; the same input, scope and key, the same output.

    Parameters
    ----------
    key
        The secret that all choices follow from.
    scope
        "document" (a name has one surrogate in its document), "person" (in all documents of a person, who
        then replaces the document's id) or "corpus" (everywhere: better to follow people
        through documents, for the reader and for an attacker alike).
    reading
        How numeric dates are read, one reading for the whole corpus; True for the day first.

    Dates move by the same number of whole weeks inside a scope, so that intervals and weekdays survive:
    by more than a year, and never to the same month, so that no year and no month stays.

    """

    def __init__(
        self,
        key: SecretKey,
        *,
        scope: str = "document",
        reading: DateReading | bool = False,
    ) -> None:
        if scope not in {"document", "person", "corpus"}:
            rule = "'document', 'person' or 'corpus'"
            raise ParameterError.constraint("scope", "Surrogates", rule, scope)
        self.scope = scope
        self.reading = reading
        self._key = key

    @classmethod
    def for_release(
        cls,
        *,
        key: str | os.PathLike[str] | None = None,
        scope: str = "document",
        reading: object = None,
    ) -> Surrogates:
        known = reading if isinstance(reading, DateReading) else DateReading()
        return cls(read_key(key), scope=scope, reading=known)

    @property
    def mark(self) -> int:
        return self._key.number("journal", self.scope, repr(self.reading), below=1 << 62)

    def days(self, document_id: str) -> int:
        """Return the document's shift in days."""
        scope = self._scope(document_id)
        return choose_days(lambda below: self._key.number("days", scope, below=below))

    def replace(self, document_id: str, text: str, label: str, place: Place | None = None) -> str:
        """Return the surrogate of a redacted text, or a placeholder where none can be made."""
        place = Place() if place is None else place
        return self._made(document_id, text, label, place) or f"[{label}]"

    def _made(self, document_id: str, text: str, label: str, place: Place) -> str | None:
        kind = kind_of_label(label)
        if kind is None or place.certainty < needed_certainty(kind, text):
            return None
        scope = self._scope(document_id)
        text = _bare(text)
        if kind == "date":
            days = self.days(document_id)
            made = dates.shift_date(text, days, reading=self.reading, language=place.language)
        elif not _MAKERS[kind].looks(text, place):
            return None
        else:
            made = _MAKERS[kind].make(self._key, scope, text, place)
        if not made or made.casefold() == text.casefold():
            return None
        # What one name or number of the text became must not be another one of it.
        if kind != "date" and formats.keeps_a_number(made, text):
            return None
        if kind in {"name", "place", "address", "organisation"} and names.shares_a_name(made, text):
            return None
        return made

    def _scope(self, document_id: str) -> str:
        return "corpus" if self.scope == "corpus" else f"{self.scope}\x1f{document_id}"


def _bare(text: str) -> str:
    """Return a text without marks that belong to letters and without invisible characters.

    What is made of a letter would carry its mark on, and an invisible character splits a name in two.
    """
    composed = unicodedata.normalize("NFC", text)
    return "".join(c for c in composed if unicodedata.category(c)[0] != "M" and c not in _INVISIBLE)


def _many_digits(least: int) -> Callable[[str, Place], bool]:
    return lambda text, _place: sum(c.isdigit() for c in text) >= least


def _looks_like_an_id(text: str, _place: Place) -> bool:
    # A pressure, a laboratory value or a bed number is shorter, or has a decimal point or a fraction.
    characters = sum(c.isalnum() for c in text)
    decimal = re.fullmatch(r"\s*[0-9]+[.,/][0-9]+\s*%?\s*", text) is not None
    return characters >= _CHARACTERS_OF_ID and any(c.isdigit() for c in text) and not decimal


def _looks_like_an_address(text: str, _place: Place) -> bool:
    return any(len(m.group()) > 2 for m in re.finditer(r"[^\W\d_]+", text))


def _looks_like_an_age(text: str, _place: Place) -> bool:
    numbers = re.findall(r"\d+", text)
    return len(numbers) == 1 and len(numbers[0]) <= 2 and 1 <= int(numbers[0]) <= _OLDEST


def _age(key: SecretKey, scope: str, text: str, _place: Place) -> str:
    """Move an age by one to three years, and never past what is rare."""

    def moved(match: re.Match[str]) -> str:
        age = int(match.group())
        near = [a for a in range(max(1, age - 3), min(_OLDEST, age + 3) + 1) if a != age]
        return str(key.choose(near, "age", scope, str(age)))

    return re.sub(r"\d+", moved, text)


_MAKERS = {
    "name": _Maker(
        lambda text, place: names.looks_like_a_name(text, place.language),
        lambda key, scope, text, place: names.name(
            key, scope, text, language=place.language, before=place.before
        ),
    ),
    "place": _Maker(
        lambda text, _place: names.looks_like_a_place(text),
        lambda key, scope, text, place: names.place(key, scope, text, language=place.language),
    ),
    "organisation": _Maker(
        lambda text, _place: names.looks_like_a_place(text),
        lambda key, scope, text, place: names.organisation(
            key, scope, text, language=place.language
        ),
    ),
    "title": _Maker(
        # Frau and Mr have no other word that would agree with the sentence.
        lambda text, _place: (
            _TITLES_ONLY.fullmatch(text) is not None and gender_of_title(text) is None
        ),
        lambda key, scope, text, place: names.title(key, scope, text, language=place.language),
    ),
    "address": _Maker(
        _looks_like_an_address,
        lambda key, scope, text, place: names.address(key, scope, text, language=place.language),
    ),
    "age": _Maker(_looks_like_an_age, _age),
    "email": _Maker(
        lambda text, _place: "@" in text,
        lambda key, scope, text, _place: formats.email(key, scope, text),
    ),
    "web": _Maker(
        lambda text, _place: "/" in text or "." in text,
        lambda key, scope, text, _place: formats.web_address(key, scope, text),
    ),
    "phone": _Maker(
        _many_digits(_DIGITS_OF_PHONE),
        lambda key, scope, text, _place: formats.scramble(key, scope, text),
    ),
    "number": _Maker(
        _looks_like_an_id, lambda key, scope, text, _place: formats.scramble(key, scope, text)
    ),
}
