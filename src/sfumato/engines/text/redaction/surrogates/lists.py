"""Names to draw surrogates from, by language: the lists of Faker's providers, and small closed classes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

__all__ = [
    "HOSPITAL_WORDS",
    "PARTICLES",
    "STREET_WORDS",
    "TITLES",
    "Names",
    "gender_of_title",
    "is_listed",
    "kind_of_name",
    "names_of",
    "titles_of",
]

_LOCALES = {
    "en": "en_US", "de": "de_DE", "es": "es_ES", "fr": "fr_FR", "it": "it_IT", "pt": "pt_PT",
    "nl": "nl_NL", "pl": "pl_PL", "tr": "tr_TR", "in": "en_IN",
}  # fmt: skip
_ENOUGH = 20  # names of a list, for a draw to hide the original
# Where a locale of Faker keeps its places.
_PLACE_LISTS = {
    "de": "cities", "es": "states", "fr": "departments", "it": "states", "pt": "cities",
    "nl": "cities", "pl": "cities", "in": "cities",
}  # fmt: skip
_TURKISH_PLACES = "Amasya Bartın Bayburt Bolu Burdur Çorum Edirne Giresun Iğdır Isparta Karaman Kars Kırklareli Kütahya Niğde Ordu Rize Sinop Tokat Uşak Yalova Yozgat"
_POLISH_FAMILY = (
    "Nowak Wójcik Kowalczyk Woźniak Mazur Krawczyk Kaczmarek Zając Król Wieczorek Wróbel Stępień Dudek "
    "Adamczyk Pawlak Walczak Sikora Baran Szewczyk Pietrzak Duda Bąk Włodarczyk Kubiak Wilk Lis Mazurek "
    "Kaźmierczak Sobczak Kołodziej Urban Czarnecki Szczepaniak Kania Mroz Pająk Kozak Tomczak"
)


@dataclass(frozen=True, slots=True)
class Names:
    """Names of one language: given names by gender, family names, names that can be either, places."""

    language: str
    female: tuple[str, ...]
    male: tuple[str, ...]
    family: tuple[str, ...]
    either: tuple[str, ...]
    places: tuple[str, ...]


def _clean(found: Iterable[str | tuple[object, str]] | None) -> tuple[str, ...]:
    """Keep single words of letters, in their order and once each; Faker's lists hold others too."""
    names = (str(name[1] if isinstance(name, tuple) else name) for name in found or ())
    kept = (n for n in names if len(n) > 2 and n.isalpha() and n[0].isupper())
    return tuple(n for n in dict.fromkeys(kept) if n.casefold() not in TITLES | PARTICLES)


@cache
def _names_of(language: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return a language's female, male and family names as they are listed; some are in several."""
    person = import_module(f"faker.providers.person.{_LOCALES[language]}").Provider
    family = _POLISH_FAMILY.split() if language == "pl" else person.last_names
    return _clean(person.first_names_female), _clean(person.first_names_male), _clean(family)


@cache
def names_of(language: str) -> Names:
    """Return the names of a language; English ones for a language without lists."""
    known = language if language in _LOCALES else "en"
    female, male, family = _names_of(known)
    # One name, one use: a surrogate of Herr must not be a name of both genders.
    women, men, families = set(female), set(male), set(family)
    either = tuple(n for n in family if n in women | men)
    return Names(
        known,
        tuple(n for n in female if n not in men | families),
        tuple(n for n in male if n not in women | families),
        tuple(n for n in family if n not in women | men),
        either if len(either) >= _ENOUGH else family,
        _places(known, _LOCALES[known], family),
    )


def _places(language: str, locale: str, family: tuple[str, ...]) -> tuple[str, ...]:
    if language == "tr":
        return tuple(_TURKISH_PLACES.split())
    address = import_module(f"faker.providers.address.{locale}").Provider
    if language in _PLACE_LISTS:
        return _clean(getattr(address, _PLACE_LISTS[language]))
    endings = [str(s) for s in address.city_suffixes if str(s).islower()]
    # English places are made, as Faker makes them: a family name and an ending.
    return tuple(name + endings[i % len(endings)] for i, name in enumerate(family[:400]))


@cache
def _kinds(language: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for kind, listed in zip(("female", "male", "family"), _names_of(language), strict=True):
        for name in listed:
            found.setdefault(name.casefold(), set()).add(kind)
    return {name: frozenset(kinds) for name, kinds in found.items()}


def kind_of_name(word: str, language: str, gender: str | None = None) -> tuple[str, str]:
    """Return the language and the kind ("female", "male", "family", "either") of a name.

    Lists of the document's own language are asked first. A name of both genders follows `gender`; what
    is a given and a family name is replaced by a name that can be either, and what is not listed by a
    family name, so that a name has one surrogate wherever it occurs and none of the wrong gender.

    >>> kind_of_name("Carmen", "es"), kind_of_name("Xyzzy", "en")
    (('es', 'female'), ('en', 'family'))
    """
    folded = word.casefold()
    own = language if language in _LOCALES else "en"
    for known in (own, *(k for k in _LOCALES if k != own)):
        kinds = _kinds(known).get(folded)
        if kinds is None:
            continue
        if len(kinds) == 1:
            return known, next(iter(kinds))
        if "family" in kinds:
            return known, "either"
        return known, gender or "female"
    return own, "family"


def is_listed(word: str, language: str) -> bool:
    """Return whether a word is a name of the document's language or of English."""
    return any(word.casefold() in _kinds(k) for k in {language, "en"} if k in _LOCALES)


_GENDERED_TITLES = {
    "female": "mrs ms miss madam dra sra srta doña señora señorita frau patientin mme mlle madame "
              "signora sig.ra dott.ssa smt mevrouw pani",
    "male": "mr sir sr don señor herr herrn patient m monsieur signor sig dott shri meneer dhr pan",
}  # fmt: skip
_NEUTRAL_TITLES = (
    "mx dr prof rev hon professor doctor doktor pd med mag dipl ing msc phd jr ii iii dres"
)
_TITLE_GENDER = {w: g for g, line in _GENDERED_TITLES.items() for w in line.split()}
# Titles and particles stay in a name, so no word is listed here that is also a name (Don, King, Al, Ben).
TITLES = frozenset(
    {*_TITLE_GENDER, *_NEUTRAL_TITLES.split()} - {"don", "m", "patient", "patientin", "med"}
)
PARTICLES = frozenset(
    [
        "de",
        "del",
        "la",
        "las",
        "los",
        "da",
        "do",
        "dos",
        "di",
        "della",
        "van",
        "von",
        "der",
        "den",
        "zu",
        "zur",
        "af",
        "av",
        "ibn",
        "des",
        "und",
        "and",
        "of",
        "the",
        "y",
        "e",
        "vom",
        "ten",
        "ter",
        "het",
    ]
)
_OTHER_TITLES = {
    "de": ("Dr.", "Prof. Dr.", "Dr. med.", "PD Dr."),
    "es": ("Dr.", "Prof."),
    "fr": ("Dr", "Pr"),
}
STREET_WORDS = frozenset(
    [
        "street",
        "st",
        "st.",
        "road",
        "rd",
        "rd.",
        "avenue",
        "ave",
        "ave.",
        "av",
        "av.",
        "lane",
        "ln",
        "drive",
        "dr",
        "boulevard",
        "blvd",
        "square",
        "sq",
        "court",
        "ct",
        "place",
        "pl",
        "way",
        "highway",
        "hwy",
        "suite",
        "apt",
        "apt.",
        "apartment",
        "floor",
        "flat",
        "unit",
        "box",
        "p.o.",
        "po",
        "north",
        "south",
        "east",
        "west",
        "n",
        "s",
        "e",
        "w",
        "calle",
        "c",
        "c/",
        "avda",
        "avda.",
        "avenida",
        "plaza",
        "paseo",
        "carretera",
        "ctra",
        "piso",
        "puerta",
        "nº",
        "n°",
        "no.",
        "no",
        "de",
        "del",
        "la",
        "las",
        "los",
        "el",
        "rue",
        "straße",
        "strasse",
        "platz",
        "weg",
        "allee",
        "via",
        "piazza",
        "viale",
        "corso",
        "rua",
        "praça",
        "travessa",
        "sokak",
        "caddesi",
        "mahallesi",
    ]
)
HOSPITAL_WORDS = (
    "hospital", "clinic", "klinik", "krankenhaus", "hôpital", "ospedale", "ziekenhuis", "clínica",
    "szpital", "hastane", "infirmary", "medical", "spital",
)  # fmt: skip


def gender_of_title(before: str) -> str | None:
    """Return the gender that the words before a name show.

    >>> gender_of_title("überwiesen wurde Frau "), gender_of_title("saw Dr. ")
    ('female', None)
    """
    for word in reversed(before.casefold().split()[-3:]):
        stripped = word.strip(".,:;()")
        if stripped in _TITLE_GENDER:
            return _TITLE_GENDER[stripped]
        if stripped not in TITLES:
            return None
    return None


def titles_of(language: str) -> tuple[str, ...]:
    """Return titles that can replace one another."""
    return _OTHER_TITLES.get(language, ("Dr.", "Prof."))
