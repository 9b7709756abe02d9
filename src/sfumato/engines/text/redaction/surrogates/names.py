"""Surrogates for names, places, addresses and organisations: the same shape, language and gender."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .case import like
from .keyed import SecretKey
from .lists import (
    HOSPITAL_WORDS,
    PARTICLES,
    STREET_WORDS,
    TITLES,
    gender_of_title,
    is_listed,
    kind_of_name,
    names_of,
    titles_of,
)

__all__ = [
    "address",
    "looks_like_a_name",
    "looks_like_a_place",
    "name",
    "organisation",
    "place",
    "shares_a_name",
    "title",
]

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]{2,})?")
_NAME_MARKS = re.compile(r"[\s.,'’()-]*")
_HOSPITALS = {
    "en": "{} Hospital", "de": "Klinikum {}", "es": "Hospital {}", "fr": "Hôpital de {}",
    "it": "Ospedale di {}", "pt": "Hospital de {}", "nl": "Ziekenhuis {}", "pl": "Szpital {}",
    "tr": "{} Hastanesi",
}  # fmt: skip
_COMPANIES = {
    "en": "{} & Sons", "de": "{} GmbH", "es": "{} S.L.", "fr": "{} SARL", "it": "{} S.r.l.",
    "pt": "{} Lda.", "nl": "{} B.V.", "pl": "{} Sp. z o.o.", "tr": "{} A.Ş.",
}  # fmt: skip


def _other(key: SecretKey, items: Sequence[str], word: str, *parts: str) -> str:
    """Choose one of the items that is not the word itself."""
    folded = word.casefold()
    start = key.number(*parts, folded, below=len(items))
    for step in range(len(items)):
        item = items[(start + step) % len(items)]
        if item.casefold() != folded:
            return item
    raise AssertionError("A surrogate list needs at least two names.")


def _initial(key: SecretKey, scope: str, letter: str) -> str:
    chosen = _other(key, "ABCDEFGHIJKLMNOPRSTW", letter, "initial", scope)
    return chosen if letter.isupper() else chosen.lower()


def _is_title(word: str, text: str, match: re.Match[str]) -> bool:
    dotted = text[match.end() : match.end() + 1] == "."
    return word.casefold() in TITLES and (match.start() == 0 or dotted)


def _before_a_title(text: str, end: int) -> bool:
    following = _WORD.match(text, end + 1)
    return following is not None and following.group().casefold() in TITLES


def looks_like_a_name(text: str, language: str) -> bool:
    """Return whether a text is made of words that can be names: capitalised, or listed.

    >>> looks_like_a_name("Ann Lee", "en"), looks_like_a_name("am", "de"), looks_like_a_name("K", "de")
    (True, False, False)
    """
    if _NAME_MARKS.sub("", _WORD.sub("", text)):
        return False  # digits and signs that no name has
    full = False
    for match in _WORD.finditer(text):
        word = match.group()
        if len(word) == 1 or word.casefold() in PARTICLES or _is_title(word, text, match):
            continue
        if not (word[0].isupper() or is_listed(word, language)):
            return False
        full = True
    return full


def looks_like_a_place(text: str) -> bool:
    """Return whether a text has a capitalised word, and a street where it has a number.

    >>> looks_like_a_place("San Sebastián"), looks_like_a_place("14 Elm Street"), looks_like_a_place("3 B")
    (True, True, False)
    """
    words = [m.group() for m in _WORD.finditer(text)]
    numbered = any(c.isdigit() or c.isnumeric() for c in text)
    street = any(w.casefold() in STREET_WORDS and len(w) > 1 for w in words)
    return any(w[0].isupper() and len(w) > 2 for w in words) and (street or not numbered)


def name(key: SecretKey, scope: str, text: str, *, language: str = "en", before: str = "") -> str:
    """Replace each word of a name; titles and particles stay, initials stay initials.

    A word has the same surrogate wherever it is in its scope, so "Ann Lee" and "Ms Lee" agree. The
    title inside or before the name decides where a given name is of both genders.

    >>> secret = SecretKey(b"0123456789abcdef")
    >>> made = name(secret, "d1", "Mrs. LAURA Smith").split()
    >>> made[0], made[1].isupper(), made[2] == name(secret, "d1", "J. Smith").split()[1]
    ('Mrs.', True, True)
    """
    first = next(iter(_WORD.finditer(text)), None)
    inside = "" if first is None else text[: first.end()]
    gender = gender_of_title(inside) or gender_of_title(before)

    def replaced(match: re.Match[str]) -> str:
        word = match.group()
        folded = word.casefold()
        if _is_title(word, text, match) or (folded in PARTICLES and not word.istitle()):
            return word
        if folded in PARTICLES and _before_a_title(text, match.end()):
            return word  # "La Sra. Ruiz": the article belongs to the title
        if len(word) == 1:
            # "Ann's": the s of a possessive belongs to the sentence, not to the name.
            if word == "s" and text[match.start() - 1 : match.start()] in {"'", "’"}:
                return word
            return _initial(key, scope, word)
        known, kind = kind_of_name(word, language, gender)
        return like(_other(key, getattr(names_of(known), kind), word, "name", scope), word)

    return _WORD.sub(replaced, text)


def place(key: SecretKey, scope: str, text: str, *, language: str = "en") -> str:
    """Replace a place by another of the same language, in its case; an address or a hospital by its like."""
    if any(c.isdigit() for c in text):
        return address(key, scope, text, language=language)
    if any(word in text.casefold() for word in HOSPITAL_WORDS):
        return organisation(key, scope, text, language=language)
    model = next((m.group() for m in _WORD.finditer(text)), text)
    return like(_other(key, names_of(language).places, text, "place", scope), model)


def organisation(key: SecretKey, scope: str, text: str, *, language: str = "en") -> str:
    """Replace an organisation: a hospital by a hospital, anything else by a company.

    >>> organisation(SecretKey(b"0123456789abcdef"), "d", "Klinik am Park", language="de")[:9]
    'Klinikum '
    """
    names = names_of(language)
    if any(word in text.casefold() for word in HOSPITAL_WORDS):
        form = _HOSPITALS.get(language, _HOSPITALS["en"])
        return form.format(_other(key, names.places, text, "hospital", scope))
    form = _COMPANIES.get(language, _COMPANIES["en"])
    return form.format(_other(key, names.family, text, "company", scope))


def title(key: SecretKey, scope: str, text: str, *, language: str = "en") -> str:
    """Replace an academic title by another one."""
    return _other(key, titles_of(language), text, "title", scope)


def address(key: SecretKey, scope: str, text: str, *, language: str = "en") -> str:
    """Replace names and numbers of an address; street types and directions stay.

    >>> made = address(SecretKey(b"0123456789abcdef"), "d1", "221B Baker Street")
    >>> made.endswith(" Street"), "221" in made, "Baker" in made
    (True, False, False)
    """
    places = names_of(language).places

    def replaced(match: re.Match[str]) -> str:
        piece = match.group()
        if piece[0].isdigit():
            return number(piece)
        if piece.casefold() in STREET_WORDS:
            return piece
        if len(piece) == 1:
            return _initial(key, scope, piece)
        return like(_other(key, places, piece, "place", scope), piece)

    def number(digits: str) -> str:
        value = "".join(
            str(key.number("number", scope, digits, str(i), below=9) + 1)
            for i in range(len(digits))
        )
        return value if value != digits else str((int(value[0]) % 9) + 1) + value[1:]

    return re.sub(r"\d+|[^\W\d_]+", replaced, text)


def shares_a_name(made: str, text: str) -> bool:
    """Return whether a word of the text is in what was made of it, titles and the like aside.

    >>> shares_a_name("Mr Lee Ann", "Mr Ann Lee"), shares_a_name("Mr Bo", "Mr Ann")
    (True, False)
    """

    def words(given: str) -> set[str]:
        found = {m.group().casefold() for m in _WORD.finditer(given) if len(m.group()) > 1}
        telling = {word for word in found if not any(stem in word for stem in HOSPITAL_WORDS)}
        return telling - TITLES - PARTICLES - STREET_WORDS

    return bool(words(made) & words(text))
