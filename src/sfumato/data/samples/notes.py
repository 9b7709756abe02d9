"""Clinic notes made up by our own code: labelled, varied and hard enough that one pass leaves leaks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from ..document import Document, Span
from ._dice import Dice
from ._names import (
    COMPLAINTS,
    CONDITIONS,
    DRUGS,
    EPONYMS,
    MONTHS,
    PLACES,
    STREET_KINDS,
    STREETS,
    TITLES,
    TOWNS,
)
from ._people import Person, misspelt, person
from ._templates import CLOSINGS, HEADERS, MENTIONS, OF_ROW, PROSE, SHEETS

__all__ = ["RowFacts", "clinic_notes", "notes_of_rows"]

_SLOT = re.compile(r"\{([^}]+)\}")
_RELATIONS = ("wife", "husband", "son", "daughter", "mother", "brother", "neighbour", "partner")


def clinic_notes(documents: int = 400, seed: int = 0) -> list[Document]:
    """Make clinic notes with NAME, DATE, PHONE, ID, ADDRESS and EMAIL spans.

    No person or place in them exists. Many names are also words, some are misspelt, some notes are in
    lower case, and drugs, eponyms, wards and doses look like names and numbers but are none.

    >>> notes = clinic_notes(3)
    >>> notes[0].id, notes == clinic_notes(3)
    ('note-00001', True)
    """
    dice = Dice(seed, "clinic_notes")
    return [_Note(dice).document(f"note-{number:05d}") for number in range(1, documents + 1)]


@dataclass(frozen=True)
class RowFacts:
    """What a row of the register says of the patient whom a note is about."""

    age: int
    female: bool
    area: str
    visit: date
    birth: date


def notes_of_rows(rows: Sequence[RowFacts], seed: int = 0) -> list[str]:
    """Make a clinic note about each row: its age, its day of birth, its visit, its area.

    >>> row = RowFacts(47, True, "30022", date(2023, 3, 12), date(1975, 12, 3))
    >>> len(notes_of_rows([row, row]))
    2
    """
    dice = Dice(seed, "notes_of_rows")
    return [_Note(dice, row).document("note").text for row in rows]


class _Note:
    """One note in the making: who is in it, and the pieces of text with their labels."""

    def __init__(self, dice: Dice, row: RowFacts | None = None) -> None:
        self.dice, self.row = dice, row
        self.patient, self.relative, self.colleague = person(dice), person(dice), person(dice)
        if row is not None:
            self.patient = replace(self.patient, female=row.female)
        self.other, self.third = person(dice), person(dice)
        self.pieces: list[tuple[str, str | None]] = []
        self.style = dice.draw()
        self.typos = dice.chance(0.25)

    def document(self, name: str) -> Document:
        dice = self.dice
        if dice.chance(0.2):
            self._fill(dice.pick(SHEETS))
        else:
            self._fill(dice.pick(HEADERS))
            if self.row is not None and dice.chance(0.5):
                self._fill(dice.pick(OF_ROW))
                self.pieces.append((" ", None))
            for number in range(dice.number(5, 18)):
                if number:
                    self.pieces.append((dice.pick((" ", " ", " ", "\n", "  ", "\n\n")), None))
                self._fill(dice.pick(MENTIONS if dice.chance(0.6) else PROSE))
            self._fill(dice.pick(CLOSINGS))
        text, spans = "", []
        for piece, label in self.pieces:
            piece = self._cased(piece) if label is not None else self._cased(self._slips(piece))
            if label is not None:
                spans.append(Span(len(text), len(text) + len(piece), label))
            text += piece
        return Document(name, text, tuple(spans)).checked()

    def _fill(self, template: str) -> None:
        at = 0
        for slot in _SLOT.finditer(template):
            if slot.start() > at:
                self.pieces.append((template[at : slot.start()], None))
            at = slot.end()
            label, _, kind = slot[1].rpartition(":")
            if kind == "prose":
                self._fill(self.dice.pick(PROSE))
            elif label == "NAME":
                self.pieces.append((self._name(kind), label))
            elif label:
                if self.row is not None and template[: slot.start()].endswith("born "):
                    kind = "birth"
                self.pieces.append((_VALUES[kind](self.dice, self), label))
            else:
                self.pieces.append((self._word(kind), None))
        if at < len(template):
            self.pieces.append((template[at:], None))

    def _name(self, kind: str) -> str:
        dice = self.dice
        whose, _, form = kind.partition("_")
        someone: Person = getattr(self, whose, self.patient)
        if kind == "initials":
            return self.colleague.initials(dice)
        if kind == "given" or form == "given":
            name = self.patient.given if kind == "given" else someone.given
        elif kind == "family" or form == "family":
            name = self.patient.family if kind == "family" else someone.family
        elif kind == "full" or dice.chance(0.45):
            name = (
                self.patient.full(dice) if kind == "full" else f"{someone.given} {someone.family}"
            )
        else:
            name = dice.pick((someone.given, someone.given, someone.family))
        return misspelt(name, dice) if dice.chance(0.03) else name

    def _word(self, kind: str) -> str:
        dice = self.dice
        if kind == "title":
            return dice.pick(("Mrs", "Ms", "Mrs.") if self.patient.female else ("Mr", "Mr."))
        if kind in ("poss", "Poss"):
            word = "her" if self.patient.female else "his"
            return word if kind == "poss" else word.capitalize()
        if self.row is not None and kind == "age":
            return str(self.row.age)
        if self.row is not None and kind == "area":
            return self.row.area
        return _WORDS[kind](dice)

    def _cased(self, piece: str) -> str:
        if self.style < 0.05:
            return piece.lower()
        return piece.upper() if self.style > 0.985 else piece

    def _slips(self, piece: str) -> str:
        if not self.typos:
            return piece
        words = piece.split(" ")
        return " ".join(
            misspelt(word, self.dice) if len(word) > 4 and self.dice.chance(0.04) else word
            for word in words
        )


def _date(dice: Dice, year: int) -> str:
    day, month = dice.number(1, 28), dice.number(1, 12)
    return _written(dice, date(year, month, day))


def _visit(dice: Dice, note: _Note) -> str:
    """Write the day of the visit, or another day around it; any day where the note is of no row."""
    if note.row is None:
        return _date(dice, dice.number(2019, 2024))
    if dice.chance(0.6):
        return _written(dice, note.row.visit)
    return _written(dice, note.row.visit + timedelta(days=dice.number(-300, 60)))


def _birth(dice: Dice, note: _Note) -> str:
    if note.row is None:
        return _date(dice, dice.number(1930, 2012))
    return _written(dice, note.row.birth)


def _written(dice: Dice, at: date) -> str:
    day, month, year = at.day, at.month, at.year
    form = dice.number(0, 8)
    name = MONTHS[month - 1]
    if form == 0:
        return f"{day:02d}/{month:02d}/{year}"
    if form == 1:
        return f"{day}.{month}.{year}"
    if form == 2:
        return f"{year}-{month:02d}-{day:02d}"
    if form == 3:
        return f"{day} {name} {year}"
    if form == 4:
        return f"{name} {day}, {year}"
    if form == 5:
        return f"{day} {name[:3]}"
    if form == 6:
        return f"{day}/{month}"
    if form == 7:
        return f"{name[:3]} {day}"
    return f"{day:02d}-{name[:3]}-{year % 100:02d}"


def _phone(dice: Dice) -> str:
    return dice.pick((
        f"0{dice.digits(4)} {dice.digits(6)}", f"({dice.digits(3)}) {dice.digits(3)}-{dice.digits(4)}",
        f"+{dice.number(20, 98)} {dice.digits(3)} {dice.digits(3)} {dice.digits(3)}",
        f"{dice.digits(3)}.{dice.digits(3)}.{dice.digits(4)}", f"555-{dice.digits(4)}",
        f"ext {dice.digits(4)}", f"07{dice.digits(9)}",
    ))  # fmt: skip


def _id(dice: Dice) -> str:
    letters = "".join(dice.pick("ABCDEFGHKMNPRSTX") for _ in range(2))
    return dice.pick((
        dice.digits(7), dice.digits(8), f"{letters}{dice.digits(6)}", f"{dice.digits(3)} {dice.digits(3)} {dice.digits(4)}",
        f"H-{dice.digits(5)}", f"{letters}/{dice.digits(4)}/{dice.number(10, 29)}",
    ))  # fmt: skip


def _address(dice: Dice) -> str:
    street = f"{dice.number(1, 240)} {dice.pick(STREETS)} {dice.pick(STREET_KINDS)}"
    form = dice.number(0, 3)
    if form == 0:
        return street
    if form == 1:
        return f"{street}, {dice.pick(TOWNS)}"
    if form == 2:
        return f"{street}, {dice.pick(TOWNS)} {dice.digits(5)}"
    return f"Flat {dice.number(1, 30)}, {street}"


def _email(dice: Dice, note: _Note) -> str:
    someone = dice.pick((note.colleague, note.relative, note.patient))
    plain = unicodedata.normalize("NFKD", f"{someone.given[0]}.{someone.family}".lower())
    user = "".join(c for c in plain if c.isascii() and (c.isalnum() or c == "."))
    host = dice.pick(("clinic.example", "mail.example", "hospital.example", "post.example.org"))
    return f"{user}{dice.number(1, 99) if dice.chance(0.3) else ''}@{host}"


_VALUES: dict[str, Callable[[Dice, _Note], str]] = {
    "date": _visit,
    "birth": _birth,
    "phone": lambda dice, _: _phone(dice),
    "id": lambda dice, _: _id(dice),
    "address": lambda dice, _: _address(dice),
    "email": _email,
}
_WORDS: dict[str, Callable[[Dice], str]] = {
    "n": lambda dice: str(dice.number(2, 12)),
    "clock": lambda dice: f"{dice.number(7, 22)}:{dice.number(0, 5)}0",
    "n2": lambda dice: str(dice.number(13, 40)),
    "d": lambda dice: str(dice.number(1, 9)),
    "age": lambda dice: str(dice.number(18, 95)),
    "dose": lambda dice: dice.pick(("2.5", "5", "10", "20", "40", "75", "500", "1000")),
    "bp": lambda dice: f"{dice.number(100, 180)}/{dice.number(55, 99)}",
    "pulse": lambda dice: str(dice.number(52, 118)),
    "drug": lambda dice: dice.pick(DRUGS),
    "eponym": lambda dice: dice.pick(EPONYMS),
    "place": lambda dice: dice.pick(PLACES),
    "condition": lambda dice: dice.pick(CONDITIONS),
    "complaint": lambda dice: dice.pick(COMPLAINTS),
    "complaint_short": lambda dice: dice.pick(("pain", "cough", "rash", "cold", "sleep", "foot")),
    "relation": lambda dice: dice.pick(_RELATIONS),
    "Relation": lambda dice: dice.pick(_RELATIONS).capitalize(),
    "Title": lambda dice: dice.pick(TITLES),
}
