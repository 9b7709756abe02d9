"""German letters of a clinic as a trial at the desk had them: capitalised nouns, many dates, six labels.

Made up by code: findings are compounds of syllables that no list holds, half of the family names too, and numbers of
doses and values stand beside dates, phone numbers and case numbers.
"""

from __future__ import annotations

import re

import numpy as np

from sfumato.core.randomness import Streams
from sfumato.data.document import Document, Span
from sfumato.engines.text.rules.names import given_names, surnames

__all__ = ["LABELS", "german_letters"]

LABELS = ("NAME", "DATE", "LOCATION", "ID", "CONTACT", "AGE")
_SLOT = re.compile(r"\{(\w+)\}")
_ROOTS = [
    "Herz",
    "Lungen",
    "Leber",
    "Nieren",
    "Magen",
    "Darm",
    "Schulter",
    "Hüft",
    "Knie",
    "Wirbel",
    "Muskel",
    "Gefäß",
    "Nerven",
    "Blut",
    "Harn",
    "Haut",
    "Knochen",
    "Schilddrüsen",
    "Bauch",
    "Kopf",
    "Zwerchfell",
    "Gallen",
    "Sehnen",
    "Lymph",
    "Gelenk",
    "Atem",
    "Stoffwechsel",
    "Gerinnungs",
]
_ENDS = [
    "insuffizienz",
    "erkrankung",
    "schwäche",
    "funktion",
    "untersuchung",
    "spiegelung",
    "diagnostik",
    "entzündung",
    "verletzung",
    "operation",
    "therapie",
    "störung",
    "beschwerden",
    "befund",
    "kontrolle",
    "verkalkung",
    "erweiterung",
    "verengung",
    "schmerzen",
    "infektion",
]
_DRUGS = [
    "Ramipril",
    "Metoprolol",
    "Torasemid",
    "Pantoprazol",
    "Simvastatin",
    "Metformin",
    "Ibuprofen",
    "Marcumar",
    "Novalgin",
]
_MONTHS = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
]
_TOWNS = [
    "Neustadt",
    "Hamburg",
    "Kiel",
    "Lübeck",
    "Bremen",
    "Oldenburg",
    "Celle",
    "Husum",
    "Rostock",
    "Uelzen",
    "Stade",
    "Itzehoe",
    "Soltau",
    "Verden",
    "Plön",
    "Marburg",
    "Fulda",
    "Gießen",
    "Kassel",
    "Hanau",
]
_STREETS = [
    "Kantstraße",
    "Lindenweg",
    "Hauptstraße",
    "Bahnhofstr.",
    "Ahornallee",
    "Goethestraße",
    "Mühlenweg",
    "Schillerplatz",
]
_CLINICS = ("Klinikum", "Krankenhaus", "Universitätsklinikum", "Städt. Klinikum")
_HEADS = (
    (
        "{clinic}\nAbteilung für {noun}\n{street} {house}\n{zip} {town}\nTel.: {phone}\n\n{town}, den {date}\n\n"
        "Sehr geehrte Frau Kollegin {family},\n\nwir berichten über Ihre Patientin Frau {woman}, geb. am {date}, "
        "Fallnummer {case}, die sich vom {date} bis {date} in unserer stationären Behandlung befand.\n"
    ),
    (
        "{clinic}\n{street} {house}, {zip} {town}\nTelefon {phone}, E-Mail {mail}\n\nSehr geehrter Herr Dr. {family},\n\n"
        "nachfolgend berichten wir über Herrn {man}, geboren {date}, wohnhaft {street} {house}, {zip} {town}, "
        "Aktenzeichen {case}, der am {date} aufgenommen wurde.\n"
    ),
)
_BODY = (
    "Diagnosen: {noun} seit {month}, {noun}, Zustand nach {noun} {year}.",
    "Die {age}-jährige Patientin stellte sich am {date} mit {noun} und {noun} vor.",
    "Der {age} Jahre alte Patient klagte seit {month} über {noun} bei bekannter {noun}.",
    "Medikation: {drug} {dose} mg {scheme}, {drug} {dose} mg {scheme}, {drug} {dose} mg {scheme}.",
    "Labor vom {date}: Kreatinin {lab} mg/dl, Kalium {lab} mmol/l, Hämoglobin {lab} g/dl, CRP {lab} mg/l.",
    "In der {noun} vom {short} zeigte sich kein Anhalt für eine {noun} oder {noun}.",
    "Am {short} erfolgte die {noun} durch Dr. {family} ohne Komplikationen.",
    "Im Röntgen des Thorax fand sich eine {noun}, die Größe betrug {lab} mal {lab} Zentimeter.",
    "Der Ehemann, Herr {family}, ist unter {phone} zu erreichen.",
    "Frau {family} lebt seit {year} allein in {town} und wird vom Pflegedienst versorgt.",
    "Die Mitbehandlung übernahm das {clinic}, Ansprechpartner ist Oberarzt {family}.",
    "Wir empfehlen die Kontrolle der {noun} durch den Hausarzt und die Fortsetzung der {noun}.",
    "Der Blutdruck betrug {pressure} mmHg bei einem Puls von {pulse} pro Minute.",
    "Eine Wiedervorstellung ist am {date} um {hour} Uhr vereinbart, bei {noun} jederzeit.",
    "Die Familienanamnese ist für {noun} und {noun} leer, Allergien sind nicht bekannt.",
    "Nach der {noun} klang die {noun} im Verlauf ab, die Patientin war beschwerdefrei.",
    "Aufgrund der {noun} wurde {drug} auf {dose} mg erhöht und am {short} abgesetzt.",
    "Befund der {noun}, Nr. {case}: {noun} mit {noun}, Einsender {family}, {town}.",
    "Anwesend waren {family}, {family} und {family} sowie der {noun}berater.",
    "Überweisung durch die Gemeinschaftspraxis {family} in {town} wegen {noun}, {noun} und {noun}.",
    "Konsil {noun} vom {short} ({family}): {noun}, {noun}, sonst ohne Befund.",
    "Die Verlegung in das {clinic} erfolgte am {short} nach Rücksprache mit {family}.",
)
_CLOSINGS = (
    "Mit freundlichen kollegialen Grüßen\n\nDr. med. {man}\nOberarzt",
    "Mit freundlichen Grüßen\n\nProf. Dr. {family}        {woman}\nChefarzt          Assistenzärztin",
)
_KINDS = {
    "clinic": "LOCATION", "street": "LOCATION", "zip": "LOCATION", "town": "LOCATION", "house": "LOCATION",
    "phone": "CONTACT", "mail": "CONTACT", "family": "NAME", "woman": "NAME", "man": "NAME",
    "date": "DATE", "short": "DATE", "month": "DATE", "year": "DATE", "case": "ID", "age": "AGE",
}  # fmt: skip


class _Writer:
    """Fills the slots of a letter, each kind of slot from its own part of the dice."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        self.given, self.listed = sorted(given_names("de")), sorted(surnames("de"))

    def pick(self, among: list[str] | tuple[str, ...]) -> str:
        return among[int(self.random.integers(len(among)))]

    def number(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high + 1))

    def family(self) -> str:
        if self.random.random() < 0.5:
            return self.pick(self.listed).capitalize()
        starts = (
            "Brö",
            "Kla",
            "Wen",
            "Schu",
            "Ter",
            "Hol",
            "Mar",
            "Düs",
            "Fen",
            "Gro",
            "Pla",
            "Rie",
            "Stru",
            "Tho",
        )
        return self.pick(starts) + self.pick(("ck", "ll", "nd", "rs", "tz", "b", "m")) + self.pick(("mann", "er", "ke", "sen", "ert", "ow", "ing"))  # fmt: skip

    def town(self) -> str:
        if self.random.random() < 0.5:
            return self.pick(_TOWNS)
        return self.pick(("Brink", "Wester", "Ober", "Lütjen", "Grün", "Elms", "Har", "Schwar", "Oster", "Reck")) + self.pick(("hausen", "feld", "büttel", "burg", "rode", "dorf", "stedt", "loh"))  # fmt: skip

    def street(self) -> str:
        if self.random.random() < 0.5:
            return self.pick(_STREETS)
        return self.pick(("Am ", "Alte ", "Hinter dem ", "")) + self.pick(("Wehr", "Dorn", "Kloster", "Eichen", "Post", "Hafen")) + self.pick(("hahn", "damm", "kamp", "gasse", "ufer", "chaussee", "stieg"))  # fmt: skip

    def value(self, slot: str) -> str:
        day, month, year = self.number(1, 28), self.number(1, 12), self.number(2026, 2041)
        made = {
            "noun": lambda: self.pick(_ROOTS) + self.pick(_ENDS),
            "drug": lambda: self.pick(_DRUGS),
            "dose": lambda: str(self.number(1, 40) * 5),
            "scheme": lambda: self.pick(("1-0-0", "1-0-1", "0-0-1", "1-1-1", "½-0-½")),
            "lab": lambda: f"{self.number(0, 140)},{self.number(0, 9)}",
            "pressure": lambda: f"{self.number(95, 180)}/{self.number(55, 100)}",
            "pulse": lambda: str(self.number(48, 120)),
            "hour": lambda: f"{self.number(7, 17)}:{self.number(0, 5)}0",
            "clinic": lambda: f"{self.pick(_CLINICS)} {self.town()}",
            "street": self.street,
            "house": lambda: str(self.number(1, 120)),
            "zip": lambda: f"{self.number(10000, 99999)}",
            "town": self.town,
            "phone": lambda: self.pick((f"0{self.number(200, 999)}-{self.number(10000, 999999)}", f"+49(0){self.number(200, 999)} {self.number(100, 999)}-{self.number(1000, 9999)}")),
            "mail": lambda: f"{self.family().lower()}@klinik-{self.pick(_TOWNS).lower()}.example",
            "family": self.family,
            "woman": lambda: f"{self.pick(self.given).capitalize()} {self.family()}",
            "man": lambda: f"{self.pick(self.given).capitalize()} {self.family()}",
            "date": lambda: self.pick((f"{day:02d}.{month:02d}.{year}", f"{day}.{month}.{year}", f"{day}. {_MONTHS[month - 1]} {year}")),
            "short": lambda: self.pick((f"{day:02d}.{month:02d}.", f"{day}.{month}.{year % 100}", f"{day:02d}.{month:02d}.{year}")),
            "month": lambda: self.pick((f"{_MONTHS[month - 1]} {year}", f"{month:02d}/{year}")),
            "year": lambda: str(year),
            "case": lambda: self.pick((f"{self.number(10**9, 10**10 - 1)}", f"{self.number(10, 99)}/{self.number(1000, 9999)}-{self.number(1, 9)}", f"{self.pick(('A', 'P', 'HB'))}{self.number(100, 999)}-{self.number(10, 99)}")),
            "age": lambda: str(self.number(18, 96)),
        }  # fmt: skip
        return made[slot]()


def german_letters(documents: int = 60, seed: int = 0) -> list[Document]:
    """Return letters with their labels.

    Parameters
    ----------
    documents : int, default 60
        How many letters.
    seed : int, default 0
        The same seed gives the same letters.

    """
    writer = _Writer(Streams(seed).generator("german letters"))
    found = []
    for number in range(documents):
        body = [writer.pick(_BODY) for _ in range(writer.number(8, 16))]
        text, spans = "", []
        for part in (writer.pick(_HEADS), " ".join(body), "\n\n" + writer.pick(_CLOSINGS) + "\n"):
            at = 0
            for match in _SLOT.finditer(part):
                text += part[at : match.start()]
                value = writer.value(match[1])
                if match[1] in _KINDS:
                    spans.append(Span(len(text), len(text) + len(value), _KINDS[match[1]]))
                text += value
                at = match.end()
            text += part[at:]
        found.append(Document(f"brief-{number:03d}", text, tuple(spans), {"lang": "de"}))
    return found
