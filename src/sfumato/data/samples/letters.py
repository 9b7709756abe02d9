"""Discharge letters in German, made up by our own code: a second language in addition to the clinic notes."""

from __future__ import annotations

import re

from ..document import Document, Span
from ._dice import Dice

__all__ = ["discharge_letters"]

_FEMALE = [
    "Anke",
    "Birgit",
    "Claudia",
    "Dörte",
    "Elke",
    "Frauke",
    "Gisela",
    "Heike",
    "Ilse",
    "Jutta",
    "Katrin",
    "Lieselotte",
    "Monika",
    "Renate",
    "Silke",
    "Ursula",
]
_MALE = [
    "Bernd",
    "Carsten",
    "Dieter",
    "Eckhard",
    "Frank",
    "Gerhard",
    "Holger",
    "Jürgen",
    "Karsten",
    "Lothar",
    "Manfred",
    "Norbert",
    "Rainer",
    "Stefan",
    "Torsten",
    "Uwe",
]
_FAMILY = [
    "Albers",
    "Brinkmann",
    "Cordes",
    "Diekmann",
    "Eggers",
    "Förster",
    "Grünwald",
    "Hinrichs",
    "Iversen",
    "Jahnke",
    "Krüger",
    "Lüders",
    "Meinecke",
    "Niehaus",
    "Ostermann",
    "Petersen",
    "Rademacher",
    "Schünemann",
    "Tietjen",
    "Uhlenbrock",
    "Vollmer",
    "Wiegand",
    "Zimmermann",
]
_TOWNS = [
    "Ahrenshoop",
    "Bergedorf",
    "Cuxwalde",
    "Dornbeck",
    "Elmshausen",
    "Friedstadt",
    "Grünheim",
    "Hasselfeld",
]
_HEADS = (
    "Sehr geehrte Frau Kollegin, sehr geehrter Herr Kollege,\nwir berichten über {Frau|NAME}, geb. am {date|DATE}, wohnhaft in {town|LOCATION}.",
    "Entlassungsbrief vom {date|DATE}\nPatient: {Herr|NAME}, geboren {date|DATE}, Fallnummer {id|ID}.",
    "Betrifft: {Frau|NAME}, geb. {date|DATE}\nStationär vom {date|DATE} bis {date|DATE}.",
    "Über die Behandlung von {Herr|NAME} ({date|DATE}) auf unserer Station wird berichtet.",
)
_BODY = (
    "Die Aufnahme erfolgte wegen zunehmender Atemnot und Schwindel.",
    "Im Labor Leukozyten {lab}, Kreatinin {lab}, INR {lab}.",
    "Der Blutdruck lag bei {bp} mmHg, der Puls bei {pulse} pro Minute.",
    "Die Sonographie des Abdomens zeigte keinen auffälligen Befund.",
    "Am {date|DATE} wurde eine Koronarangiographie durchgeführt.",
    "Unter der Therapie mit Ramipril {pulse} mg kam es zu einer raschen Besserung.",
    "Die Angehörigen wurden durch {Frau|NAME} ausführlich informiert.",
    "Wir danken {Herr|NAME} aus {town|LOCATION} für die Überweisung.",
    "Eine Kontrolle in der Praxis von Dr. {family|NAME} ist am {date|DATE} vorgesehen.",
    "Der Patient klagte weiterhin über Schmerzen im linken Knie.",
    "Das EKG war unauffällig, ein Sinusrhythmus lag vor.",
    "Telefonisch ist die Station unter {phone|PHONE} zu erreichen.",
    "Bei Fieber oder Luftnot bitten wir um sofortige Wiedervorstellung.",
    "Die Entlassung erfolgte in gutem Allgemeinzustand nach Hause.",
)
_CLOSINGS = (
    "Mit freundlichen kollegialen Grüßen\nDr. med. {family|NAME}",
    "Mit freundlichen Grüßen\nProf. Dr. {family|NAME}, Chefarzt",
)
_SLOT = re.compile(r"\{([^}|]+)(?:\|([A-Z]+))?\}")


def discharge_letters(documents: int = 100, seed: int = 0) -> list[Document]:
    """Make German discharge letters with NAME, DATE, LOCATION, ID and PHONE spans.

    Parameters
    ----------
    documents
        How many letters.
    seed
        The same seed gives the same letters.

    >>> letters = discharge_letters(2)
    >>> letters[0].id, letters == discharge_letters(2)
    ('brief-0001', True)

    """
    dice = Dice(seed, "discharge_letters")
    return [_letter(dice, f"brief-{number:04d}") for number in range(1, documents + 1)]


def _letter(dice: Dice, name: str) -> Document:
    body = sorted({dice.number(0, len(_BODY) - 1) for _ in range(dice.number(5, 9))})
    lines = [dice.pick(_HEADS), *(_BODY[i] for i in body), dice.pick(_CLOSINGS)]
    text, spans = "", []
    for line in lines:
        at = 0
        for match in _SLOT.finditer(line):
            text += line[at : match.start()]
            lead, value = _value(dice, match[1])
            text += lead
            if match[2]:
                spans.append(Span(len(text), len(text) + len(value), match[2]))
            text += value
            at = match.end()
        text += line[at:] + "\n"
    return Document(name, text, tuple(spans), {"lang": "de"})


def _value(dice: Dice, slot: str) -> tuple[str, str]:
    """Return what comes before a slot's value, and the value."""
    if slot in ("Frau", "Herr"):
        given = dice.pick(_FEMALE if slot == "Frau" else _MALE)
        return f"{slot} ", f"{given} {dice.pick(_FAMILY)}"
    made = {
        "family": lambda: dice.pick(_FAMILY),
        "town": lambda: dice.pick(_TOWNS),
        "date": lambda: (
            f"{dice.number(1, 28):02d}.{dice.number(1, 12):02d}.{dice.number(1930, 2024)}"
        ),
        "id": lambda: f"{dice.digits(8)}",
        "phone": lambda: f"040 {dice.number(2, 9)}{dice.digits(6)}",
        "lab": lambda: f"{dice.number(1, 12)},{dice.digits(2)}",
        "bp": lambda: f"{dice.number(100, 170)}/{dice.number(60, 95)}",
        "pulse": lambda: f"{dice.number(5, 110)}",
    }
    return "", made[slot]()
