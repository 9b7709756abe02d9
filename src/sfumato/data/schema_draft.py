"""Drafts of schemas: roles and domains guessed from names and counts, for the steward to decide."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from dataclasses import dataclass, replace

from .attributes import Role
from .table_facts import ColumnFacts
from .table_source import TableSource

__all__ = ["draft_schema"]

# Words of column names in English, German, French, Spanish, Italian and Dutch, without accents. A word that is
# missing here costs a decision of the steward, never a leak.
_MEANINGS = {
    "name": "name", "surname": "name", "forename": "name", "nachname": "name", "vorname": "name",
    "nom": "name", "prenom": "name", "apellido": "name", "apellidos": "name",
    "nome": "name", "cognome": "name", "naam": "name", "achternaam": "name", "voornaam": "name",
    "ssn": "social security number", "nir": "social security number", "bsn": "social security number",
    "email": "email", "mail": "email", "correo": "email",
    "phone": "phone", "mobile": "phone", "telefon": "phone", "telephone": "phone", "telefono": "phone",
    "telefoon": "phone", "fax": "fax", "mrn": "medical record number", "account": "account number",
    "iban": "account number", "licence": "licence number", "license": "licence number",
    "plate": "vehicle", "serial": "device", "url": "url", "ip": "ip address", "photo": "photo",
    "foto": "photo", "fingerprint": "biometric",
}  # fmt: skip
_IDENTIFIER_WORDS = frozenset({
    *_MEANINGS, "passport", "address", "street", "id", "pid", "uid", "uuid", "guid", "key", "nr", "no", "num",
    "number", "nummer", "numero", "adresse", "anschrift", "strasse", "rue", "direccion", "calle", "indirizzo",
    "adres", "straat", "dni", "nif",
})  # fmt: skip
_IDENTIFIER_ENDS = ("nummer", "nr")  # ends of compounds: Patientennummer, klantnr
_SENSITIVE_WORDS = (
    "diagnos", "disease", "income", "salary", "outcome", "result", "hiv", "icd", "krankheit", "einkommen",
    "gehalt", "maladie", "revenu", "salaire", "enfermedad", "ingreso", "salario", "malattia", "reddito",
)  # fmt: skip
_BIRTH = frozenset({
    "birth", "birthdate", "dob", "born", "geburtsdatum", "geburtstag", "geboren", "naissance", "nacimiento",
    "nascita", "geboortedatum",
})  # fmt: skip
_QUASI_WORDS = _BIRTH | {
    "age", "sex", "gender", "race", "zip", "zcta", "postcode", "postal", "date", "year", "latitude", "longitude",
    "lat", "lon", "lng", "married", "marital", "education", "occupation", "ethnicity", "religion", "nationality",
    "country", "county", "city", "state", "language", "alter", "geschlecht", "plz", "postleitzahl", "jahr",
    "familienstand", "beruf", "staat", "land", "stadt", "ort", "gemeinde", "kreis", "sprache", "sexe", "annee",
    "profession", "pays", "ville", "commune", "langue", "edad", "sexo", "ano", "profesion", "pais", "ciudad",
    "municipio", "provincia", "eta", "sesso", "cap", "anno", "professione", "paese", "citta", "comune",
    "leeftijd", "geslacht", "beroep", "gemeente", "idade",
}  # fmt: skip
_ORDERED_WORDS = _BIRTH | {
    "age", "zip", "zcta", "postcode", "postal", "date", "year", "latitude", "longitude", "lat", "lon", "lng",
    "education", "alter", "plz", "postleitzahl", "jahr", "annee", "edad", "ano", "eta", "cap", "anno", "leeftijd",
    "idade",
}  # fmt: skip
_AGES = frozenset({"age", "alter", "edad", "eta", "leeftijd", "idade"})
_COORDINATES = frozenset({"latitude", "longitude", "lat", "lon", "lng"})
_FREE_TEXT = ("note", "comment", "remark", "description", "text", "narrative")
_MANY = 50  # different decimals from which they are read into bins
_CODES = 20  # different whole numbers up to which a column of a kind that has no order holds codes
_WORDS = 4  # words per cell from which a column is free text


@dataclass(frozen=True)
class _Guess:
    """A guess about a column, why, and whether the steward has to decide."""

    role: Role
    why: str
    undecided: bool = False
    repeats: bool = False


def draft_schema(source: object) -> str:
    """Draft a schema in TOML for the steward to edit; roles are guesses from names and counts alone.

    The draft fails closed: what is not recognised is a quasi-identifier, and `undecided`, so that nothing
    is explored before somebody has decided. Only names of columns, counts, and rounded ends of whole numbers
    are written (as they are where there are few numbers): no text value of the data.
    """
    opened = TableSource.open(source)
    opened.check_header()
    facts = opened.column_facts()
    missing = any(f.missing for f in facts)
    lines = [
        "# A draft: check every role and domain before you use it.",
        "# identifier: removed · quasi: what an outsider could know · sensitive: must not be tied to a person · other: kept",
        "# Where a column is undecided nothing is explored: decide its role, then remove the line.",
        "",
        f'missing = "{"value" if missing else "error"}"',
        "",
    ]
    for fact in facts:
        lines += [*_draft_lines(fact), ""]
    return "\n".join(lines)


def _draft_lines(fact: ColumnFacts) -> list[str]:
    with_comma = fact.numbers < fact.rows - fact.missing == fact.comma_numbers
    if with_comma:
        fact = replace(fact, numbers=fact.comma_numbers)
    guess = _guess_role(fact)
    most = math.log2(fact.rows) if fact.rows > 1 else 0.0
    counts = (
        f"{fact.distinct:,} different values in {fact.rows:,} rows, "
        f"{fact.entropy:.1f} of at most {most:.1f} bits"
    )
    lines = [
        "[[attribute]]",
        f"# {guess.why}; {counts}",
        f"name = {json.dumps(fact.name, ensure_ascii=False)}",
        f'role = "{guess.role}"',
    ]
    if with_comma:
        lines.append('decimal = ","')
    if fact.marks:
        marks = json.dumps(list(fact.marks), ensure_ascii=False)
        lines.append(f"missing_values = {marks}   # read as missing cells; remove what is a value")
    words = _words(fact.name)
    meanings = [_MEANINGS[w] for w in sorted(words) if w in _MEANINGS]
    if guess.role == "identifier" and meanings:
        lines.append(f'meaning = "{meanings[0]}"')
    if fact.labels and guess.role in {"quasi", "sensitive"}:
        named = ", ".join(f"{_toml(code)} = {_toml(text)}" for code, text in fact.labels)
        lines.append(f"labels = {{ {named} }}   # what the file calls its codes, in their order")
    elif guess.role == "quasi":
        lines += _domain(fact, words)
    if guess.undecided:
        lines.append("undecided = true")
    if guess.repeats:
        lines.append(
            '# Its values repeat: where it numbers people, write role = "person", or k counts rows.'
        )
    return lines


def _domain(fact: ColumnFacts, words: set[str]) -> list[str]:
    """Return the lines of a quasi-identifier's domain."""
    if fact.date_formats:
        first = fact.date_formats[0]
        written = "" if first == "%Y-%m-%d" else f', format = "{first}"'
        meaning = "birth date" if words & _BIRTH else "date"
        return [
            'domain = "observed"   # write { dates = [first, last] } to set it',
            f'date = {{ unit = "month"{written} }}',
            f'meaning = "{meaning}"',
        ]
    if fact.low is not None and fact.distinct <= _CODES and words & (_QUASI_WORDS - _ORDERED_WORDS):
        return [
            'domain = "observed"',
            "ordered = false   # codes: neighbouring numbers have nothing in common; labels = { … } names them",
        ]
    if fact.low is not None and fact.high is not None and fact.high - fact.low < 10_000:
        low, high = fact.low, fact.high
        if (words & _AGES or "age" in fact.name.lower()) and low >= 0 and high <= 120:
            lines = ["domain = { range = [0, 120] }"]
            if words & _AGES and "age" not in fact.name.lower():
                lines.append('meaning = "age"')
        else:
            low, high = _round_ends(low, high, fact.distinct)
            lines = [
                f"domain = {{ range = [{low}, {high}] }}   # published: write the smallest and the largest possible value"
            ]
        if words & _AGES:
            lines.append(
                "# max_width = 20   # bands of at most 20 years; without it, one band may be the best for the utility"
            )
        return lines
    filled = fact.rows - fact.missing
    if fact.numbers == filled and fact.low is None and fact.distinct > _MANY:
        return [
            "domain = { quantiles = 20 }   # or { range = [low, high], step = … }, { cuts = […] }"
        ]
    return [
        'domain = "observed"   # by number or frequency; write { values = [...] } to set their order'
    ]


def _round_ends(low: int, high: int, distinct: int) -> tuple[int, int]:
    """Return the ends of many numbers rounded outwards, so that no release shows whose is the largest.

    >>> _round_ends(1926, 2024, 80), _round_ends(1, 5, 5)
    ((1920, 2030), (1, 5))
    """
    if distinct <= _CODES:
        return low, high
    step = int(10 ** math.floor(math.log10(high - low)))
    return low // step * step, -(-high // step) * step


def _guess_role(fact: ColumnFacts) -> _Guess:
    """Guess a role; what is not recognised is a quasi-identifier for the steward to decide on."""
    lower, words = fact.name.lower(), _words(fact.name)
    unique = fact.rows >= 20 and fact.distinct >= 0.95 * fact.rows
    if any(w in lower for w in _SENSITIVE_WORDS):
        return _Guess("sensitive", "by its name")
    if words & _IDENTIFIER_WORDS or any(w.endswith(_IDENTIFIER_ENDS) for w in words):
        return _Guess(
            "identifier", "by its name", repeats=1 < fact.distinct < fact.rows - fact.missing
        )
    if any(w in lower for w in _FREE_TEXT) or fact.words >= _WORDS:
        return _Guess("identifier", "free text, which names people")
    if len(fact.date_formats) > 1:
        return _Guess("quasi", "dates, with the day or the month first", undecided=True)
    if fact.date_formats:
        return _Guess("quasi", "dates")
    if fact.mixed_dates:
        return _Guess("quasi", "dates, written in several ways: write them in one", undecided=True)
    if words & _COORDINATES:
        return _Guess("quasi", "coordinates")
    if words & _QUASI_WORDS:
        return _Guess("quasi", "by its name")
    if unique and fact.numbers < fact.rows - fact.missing:
        return _Guess("identifier", "nearly every value occurs once")
    if unique and fact.low is not None:
        return _Guess("identifier", "a number of each row")
    return _Guess("quasi", "not recognised", undecided=True)


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _words(name: str) -> set[str]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    lower = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", plain).lower()
    return set(re.split(r"[^a-z0-9]+", lower))
