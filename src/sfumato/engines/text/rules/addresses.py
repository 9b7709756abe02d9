"""Patterns of streets, postcodes and towns, by language.

In German and Dutch the kind of a street is the end of its name, and many streets have none of the usual ends (*Am
Wehrhahn 3*, *Hinter der Mauer 12*, *Singel 250*): these are found by the postcode that follows the house number.
"""

from __future__ import annotations

from .letters import GAP, LOWER, UPPER

__all__ = ["ADDRESSES"]

_STREET, _BEFORE_POSTCODE, _POSTCODE = 0.7, 0.75, 0.6
_NUMBER = r"\d{1,4}(?:[^\S\r\n]?[a-zA-Z])?(?:[-/]\d{1,4}[a-z]?)?\b"
_WORD = rf"[{UPPER}][\w.'’-]{{0,40}}"
_TOWN = rf"[{UPPER}][{LOWER}]{{1,40}}(?:-[{UPPER}][{LOWER}]{{1,40}}){{0,2}}"

# A word of its own in a street's name: Frankfurter Straße, Karl-Marx-Allee, Alter Markt.
_GERMAN_KIND = (
    rf"(?:[{UPPER}][\w.-]{{0,60}}(?:straße|strasse|str\.|weg|platz|allee|gasse|chaussee|promenade|ufer|damm)"
    rf"|[{UPPER}][\w.-]{{0,60}}(?:-|{GAP})(?:Straße|Strasse|Str\.|Allee|Gasse|Chaussee|Promenade)"
    rf"|[{UPPER}][\w.-]{{0,60}}(?:-|e[rns]?{GAP})(?:Weg|Platz|Ring|Damm|Ufer|Markt|Wall|Graben|Steig))"
)
_GERMAN_STREET = (
    rf"(?:(?:Am|An|Auf|Im|In|Zum|Zur|Hinter|Vor|Beim?|Unter|Über|Neben){GAP}(?:de[mnr]{GAP}|d(?:as|ie){GAP})?)?"
    rf"(?:[{UPPER}][\w.-]{{0,40}}(?:e[rns]?|[.]){GAP})?{_WORD}"
)
# Austria and Switzerland have four digits, which a year is not.
_FOUR_DIGITS = r"(?!19|20)[1-9]\d{3}"
_GERMAN_POSTCODE = rf"(?:(?:D[- ])?\d{{5}}|(?:(?:A|CH)[- ])?{_FOUR_DIGITS})"
_GERMAN_TOWN = (
    rf"(?:(?:Bad|Sankt|St\.|Markt|Groß|Klein|Alt|Neu|Hohen)[- ])?{_TOWN}"
    rf"(?:{GAP}(?:am|an der|im|in der|ob der|bei|vor der){GAP}[{UPPER}][{LOWER}]{{1,40}})?"
)
_DUTCH_STREET = (
    rf"{_WORD}{GAP}(?:(?:van|op|de|den|der|het|ter|ten|{_WORD}){GAP}){{0,4}}"  # and the number
)
_DUTCH_POSTCODE = r"[1-9]\d{3} ?[A-Z]{2}\b"
_NEXT = r",?(?:[^\S\r\n]{1,4}|[^\S\r\n]{0,4}\r?\n[^\S\r\n]{0,4})"  # between a house number and the postcode

_STREETS = {
    "en": rf"\b\d{{1,5}}\s+(?:[{UPPER}][\w.'’-]*\s+){{1,4}}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr"
    r"|Boulevard|Blvd|Terrace|Square)\b\.?",
    "de": rf"\b{_GERMAN_KIND}\s+{_NUMBER}",
    "es": rf"\b(?:[Cc]/|[Cc]alle|[Aa]venida|[Aa]vda\.?|[Pp]laza|[Pp]za\.?|[Pp]aseo|[Cc]arretera)\s+[{UPPER}\w][^,.;\n]{{2,40}}"
    r"(?:,\s*(?:nº\s*)?\d{1,4})?",
    "fr": rf"\b\d{{1,4}}(?:\s?bis)?,?\s+(?:rue|avenue|boulevard|place|chemin|allée|impasse)\s+[{UPPER}\w][^,.;\n]{{2,40}}",
    "it": rf"\b(?:[Vv]ia|[Vv]iale|[Pp]iazza|[Cc]orso)\s+[{UPPER}][^,.;\n]{{2,40}}(?:,\s*\d{{1,4}})?",
    "nl": rf"\b[{UPPER}][\w-]{{0,60}}(?:straat|weg|laan|plein|gracht|kade)\s+\d{{1,4}}\s?[a-z]?\b",
    "pt": rf"\b(?:Rua|Avenida|Av\.|Praça|Travessa|Largo)\s+[{UPPER}][^,.;\n]{{2,40}}(?:,\s*\d{{1,4}})?",
}  # fmt: skip
_BY_POSTCODE = {
    "de": (
        ("street before a postcode", rf"\b{_GERMAN_STREET}{GAP}{_NUMBER}(?={_NEXT}{_GERMAN_POSTCODE}{GAP}[{UPPER}][{LOWER}])"),
        ("town of an address", rf"\b{_NUMBER}{_NEXT}{_GERMAN_POSTCODE}{GAP}(?P<span>{_GERMAN_TOWN})"),
        ("postcode of an address", rf"\b{_NUMBER}{_NEXT}(?:(?:A|CH)[- ])?(?P<span>{_FOUR_DIGITS}){GAP}[{UPPER}][{LOWER}]"),
    ),
    "nl": (
        ("street before a postcode", rf"\b{_DUTCH_STREET}{_NUMBER}(?={_NEXT}{_DUTCH_POSTCODE})"),
        ("town of an address", rf"\b{_NUMBER}{_NEXT}{_DUTCH_POSTCODE}{GAP}(?P<span>(?:Den{GAP}|Sint[- ]|St\.[- ])?{_TOWN})"),
    ),
}  # fmt: skip
_POSTCODES = {
    "en": (
        r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b",
        r"\b[A-Z]{2},? (?P<span>\d{5}(?:-\d{4})?)\b",
        r"\b(?i:zip(?:[ -]?code)?|postal code|postcode)(?:\s?:|\sis)?\s(?P<span>\d{5}(?:-\d{4})?)\b",
    ),
    "de": (
        rf"\b(?:D-|A-|CH-)?(?P<span>\d{{5}})\s+[{UPPER}][{LOWER}]+",
        r"\b(?:PLZ|Postleitzahl)(?:\s?:)?\s(?P<span>\d{4,5})\b",
    ),
    "es": (
        rf"\b(?P<span>[0-5]\d{{4}})(?:\s+[{UPPER}]|\s*,|\.)",
        r"\bCP(?:\s*:)?\s*(?P<span>\d{5})\b",
    ),
    "fr": (rf"\b(?P<span>\d{{5}})\s+[{UPPER}]",),
    "it": (rf"\b(?P<span>\d{{5}})\s+[{UPPER}]",),
    "nl": (r"\b\d{4} ?[A-Z]{2}\b",),
    "pt": (r"\b\d{4}-\d{3}\b",),
}

ADDRESSES = {
    language: (
        ("street", _STREET, street),
        *((rule, _BEFORE_POSTCODE, pattern) for rule, pattern in _BY_POSTCODE.get(language, ())),
        *(("postcode", _POSTCODE, pattern) for pattern in _POSTCODES[language]),
    )
    for language, street in _STREETS.items()
}
"""By language: name, score and pattern of each rule."""
