"""How an attacker reads a note: word by word, by the words around a number, without knowing how bands were put in.

It shares nothing with `sfumato.mentions`, so that what the publisher overlooks is not overlooked here for the same reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["NoteReading", "read_note"]

_TOKEN = re.compile(r"\d+(?:[–-]\d+|\+)?|[^\W\d_]+|[%°/]")
_AGE_CUES = frozenset(
    [
        "year",
        "years",
        "yr",
        "yrs",
        "old",
        "aged",
        "age",
        "yo",
        "y",
        "jahre",
        "jahren",
        "jahr",
        "jahrige",
        "jahriger",
        "jahrigen",
        "jahriges",
        "jahrig",
        "j",
        "alter",
        "ans",
        "anos",
        "anni",
        "enne",
        "jaar",
        "jarige",
        "jarig",
        "edad",
        "eta",
        "leeftijd",
        "idade",
        "lebensjahr",
        "birthday",
        "geburtstag",
        "female",
        "male",
        "woman",
        "man",
        "lady",
        "f",
        "m",
        "w",
    ]
)
_BIRTH_CUES = frozenset(
    [
        "born",
        "birth",
        "dob",
        "yob",
        "geb",
        "geboren",
        "geburtsdatum",
        "jahrgang",
        "jg",
        "nee",
        "ne",
        "naissance",
        "nacida",
        "nacido",
        "nacimiento",
        "nata",
        "nato",
        "nascita",
        "geboortedatum",
        "nascida",
        "nascido",
        "nascimento",
        "b",
    ]
)
_OTHERS = frozenset(
    [
        "son",
        "daughter",
        "husband",
        "wife",
        "mother",
        "father",
        "brother",
        "sister",
        "child",
        "partner",
        "neighbour",
        "sohn",
        "tochter",
        "ehemann",
        "ehefrau",
        "mutter",
        "vater",
        "bruder",
        "schwester",
        "kind",
        "mari",
        "femme",
        "fils",
        "fille",
        "mere",
        "pere",
        "frere",
        "soeur",
        "marido",
        "esposa",
        "hijo",
        "hija",
        "madre",
        "padre",
        "hermano",
        "hermana",
        "marito",
        "moglie",
        "figlio",
        "figlia",
        "fratello",
        "sorella",
        "zoon",
        "dochter",
        "echtgenoot",
        "moeder",
        "vader",
        "broer",
        "zus",
        "filho",
        "filha",
        "mae",
        "pai",
        "irmao",
        "irma",
    ]
)
_MEASURED = frozenset(
    [
        "mg",
        "ml",
        "kg",
        "g",
        "cm",
        "mm",
        "mmhg",
        "bpm",
        "%",
        "°",
        "units",
        "unit",
        "days",
        "day",
        "weeks",
        "week",
        "months",
        "month",
        "hours",
        "hour",
        "minutes",
        "tage",
        "tagen",
        "wochen",
        "monate",
        "stunden",
        "minuten",
        "jours",
        "semaines",
        "mois",
        "heures",
        "dias",
        "semanas",
        "meses",
        "horas",
        "giorni",
        "settimane",
        "mesi",
        "ore",
        "dagen",
        "weken",
        "maanden",
        "uur",
        "tablets",
        "tabletten",
    ]
)
_SIGNS = frozenset(
    [
        "pulse",
        "puls",
        "hr",
        "bp",
        "rr",
        "pressure",
        "blutdruck",
        "temp",
        "bmi",
        "crp",
        "hb",
        "room",
        "zimmer",
        "bed",
        "bett",
        "score",
        "dose",
        "dosis",
        "level",
        "report",
        "befund",
        "reference",
    ]
)
_NEAR = 3
_OLDEST = 115


@dataclass(frozen=True, slots=True)
class NoteReading:
    """What somebody makes of a part of a note: values of one attribute, and by which kind of words."""

    attribute: str
    form: str
    low: int = 0
    high: int = 0
    values: frozenset[int] = frozenset()


@lru_cache(maxsize=65536)
def _plain(word: str) -> str:
    return "".join(
        c for c in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(c)
    )


def read_note(
    text: str, *, age: str | None, words: Mapping[str, Mapping[str, int]], year: int | None
) -> list[NoteReading]:
    """Return what an attacker reads in a note.

    Parameters
    ----------
    text : str
        The note.
    age : str or None
        The attribute that holds ages.
    words : mapping of str to mapping of str to int
        By attribute, the values that are looked for and their places in the domain.
    year : int, optional
        The year of the note, by which a year of birth is an age.

    """
    tokens = [_plain(m[0]) for m in _TOKEN.finditer(text)]
    found = []
    for i, token in enumerate(tokens):
        for attribute, values in words.items():
            if token in values:
                found.append(NoteReading(attribute, "word", values=frozenset({values[token]})))
        if age is not None and token[0].isdigit():
            found += _read_number(tokens, i, age, year)
    return found


def _read_number(tokens: list[str], i: int, age: str, year: int | None) -> list[NoteReading]:
    """Read a number as an age or a year of birth, by the words around it."""
    numbers = [int(n) for n in re.findall(r"\d+", tokens[i])]
    low, high = numbers[0], numbers[-1]
    before, after = tokens[max(0, i - _NEAR) : i], tokens[i + 1 : i + 1 + _NEAR]
    around = {*before, *after}
    if around & _OTHERS:
        return []
    if 1880 <= low <= high <= 2100:
        if year is None or not around & _BIRTH_CUES:
            return []
        return [NoteReading(age, "birth", max(0, year - high - 1), max(0, year - low))]
    if low > _OLDEST or high > _OLDEST or (after and after[0] in _MEASURED) or around & _SIGNS:
        return []
    if tokens[i].endswith("+"):
        high = _OLDEST
    cues = around & _AGE_CUES
    close = {*before[-1:], *after[:1]} & _AGE_CUES
    if close:
        return [NoteReading(age, "age", low, high)]
    return [NoteReading(age, "near", low, high)] if cues else []
