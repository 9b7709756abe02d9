"""Notes and table together, on three generated worlds of people in two languages with a note each.

"known" writes ages, births and visits in forms that the rules were made for, "collide" makes half of the numbers around
them equal to the age, "unseen" takes its forms from lists that were written before the rules. Ages are published by five
years, visits by quarter. Counted are own mentions that still say more than the row, other people's values and plain
numbers that were changed, and, by the attacker's reader, the chance of naming somebody of a population of 200,000.
"""

from __future__ import annotations

import datetime as dt
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sfumato.engines.tables.narrowing.measure import Narrowing, NotedRow
from sfumato.engines.tables.narrowing.people import PeopleCounter
from sfumato.engines.tables.narrowing.sampled import SampleOf
from sfumato.mentions import Band, OwnValues, rewrite
from sfumato.mentions.languages import spell

from ._together_clinical import CLINICAL
from ._together_forms import FORMS

PEOPLE, POPULATION, AREAS = 1_000, 200_000, 50
AREA_NAMES = [str(30_000 + n) for n in range(AREAS)]
Codes = npt.NDArray[np.int64]
MONTHS = {
    "en": [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    "de": [
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
    ],
}
KNOWN = {
    "en": {
        "age": ("{age}-year-old", "{age} years old", "aged {age}", "{age} y/o", "{age}yo", "{word}-year-old", "age: {age}"),
        "birth": ("born in {by}", "DOB: {bd:02d}/{bm:02d}/{by}", "born on {bd} {bmon} {by}", "(b. {by})", "born in {bmon} {by}"),
        "visit": ("seen on {vd} {vmon} {vy}", "admitted {vd:02d}/{vm:02d}/{vy}", "clinic of {vmon} {vd}, {vy}", "first contact in {vmon} {vy}"),
    },
    "de": {
        "age": ("{age}-jährige", "{age}jährige", "{age} Jahre alt", "{age} J.", "Alter von {age} Jahren", "{word}jährige", "Alter: {age}"),
        "birth": ("Jahrgang {by}", "geb. {bd:02d}.{bm:02d}.{by}", "geboren am {bd}. {bmon} {by}", "(*{by})", "geboren im {bmon} {by}"),
        "visit": ("Vorstellung am {vd:02d}.{vm:02d}.{vy}", "Untersuchung vom {vd}. {vmon} {vy}", "Erstkontakt im {vmon} {vy}", "am {vd}.{vm}. gesehen"),
    },
}  # fmt: skip
OTHERS = {
    "en": ("Her {other}-year-old son was present.", "Her husband ({near}) called.", "Her mother died aged {old}.", "A brother was born in {obirth}."),
    "de": ("Ihr {other}-jähriger Sohn war dabei.", "Ihr Ehemann ({near}) rief an.", "Die Mutter starb mit {old} Jahren.", "Ein Bruder wurde {obirth} geboren."),
}  # fmt: skip
NEUTRAL = {
    "en": "She tolerates the tablets and will return.",
    "de": "Sie verträgt die Tabletten und kommt wieder.",
}


@dataclass
class Note:
    """A note with the places of what it says of its person, of others, and of plain numbers."""

    text: str = ""
    own: list[tuple[int, int, str]] = field(default_factory=list)
    other: list[tuple[int, int]] = field(default_factory=list)

    def add(self, sentence: str, kind: str | None = None) -> None:
        """Add a sentence; with a kind it is one of the person's own mentions, "other" is somebody else's."""
        start = len(self.text)
        self.text += f"{sentence} "
        if kind == "other":
            self.other.append((start, start + len(sentence)))
        elif kind is not None:
            self.own.append((start, start + len(sentence), kind))


def _fields(birth: dt.date, visit: dt.date, code: str) -> dict[str, object]:
    age = visit.year - birth.year - ((visit.month, visit.day) < (birth.month, birth.day))
    part = 0 if age % 10 <= 3 else 1 if age % 10 <= 6 else 2
    ordinal = {1: "st", 2: "nd", 3: "rd"}
    found: dict[str, object] = {
        "age": age, "word": spell(age, code)[0], "Word": spell(age, code)[0].capitalize(), "next": age + 1, "tens": age // 10 * 10,
        "late": ("early", "mid", "late")[part], "teil": ("Anfang", "Mitte", "Ende")[part],
    }  # fmt: skip
    for name, number in (("nth", age), ("nextth", age + 1)):
        found[name] = (
            f"{number}{'th' if 10 <= number % 100 <= 20 else ordinal.get(number % 10, 'th')}"
        )
    for letter, day in (("b", birth), ("v", visit)):
        month = MONTHS[code][day.month - 1]
        found |= {
            f"{letter}y": day.year,
            f"{letter}m": day.month,
            f"{letter}d": day.day,
            f"{letter}mon": month,
        }
        found |= {f"{letter}mon3": month[:3], f"{letter}yy": f"{day.year % 100:02d}"}
    return found


def _note(draw: random.Random, values: dict[str, object], code: str, forms: dict[str, tuple[str, ...]], collide: float) -> Note:  # fmt: skip
    note, age = Note(), int(str(values["age"]))
    number = age if draw.random() < collide else draw.randrange(20, 99)
    jobs: list[tuple[str, str | None]] = [
        (NEUTRAL[code], None),
        (draw.choice(CLINICAL[code]).format(n=number), "other"),
    ]
    known = {
        "other": draw.randrange(1, 18),
        "near": max(18, age + draw.choice((-3, -2, 2, 3))),
        "old": min(99, age + 25),
    }
    known["obirth"] = draw.randrange(1940, 1999)
    jobs.append((draw.choice(OTHERS[code]).format(**known), "other"))
    shares = {"age": 0.9, "birth": 0.5, "visit": 0.7}
    for kind, share in shares.items():
        if draw.random() < share:
            jobs.append((draw.choice(forms[kind]).format(**values), kind))
    draw.shuffle(jobs)
    for sentence, kind in jobs:
        note.add(sentence if sentence.endswith(".") else f"{sentence}.", kind)
    return note


@dataclass(frozen=True)
class Person:
    """A person of a world: the note, the own values and their bands, the age and the year of the visit."""

    note: Note
    own: OwnValues
    age: int
    year: int


def make_person(draw: random.Random, age: int, code: str, forms: Mapping[str, tuple[str, ...]], collide: float) -> Person:  # fmt: skip
    """Draw a visit, a birthday and a note; ages are published by five years, visits by quarter."""
    visit = dt.date(2023, 1, 1) + dt.timedelta(days=draw.randrange(365))
    birth = visit.replace(year=visit.year - max(20, age), day=min(visit.day, 28)) - dt.timedelta(
        days=draw.randrange(360)
    )
    values = _fields(birth, visit, code)
    age = int(str(values["age"]))
    note = _note(draw, values, code, forms, collide)
    low, first = age // 5 * 5, (visit.month - 1) // 3 * 3 + 1
    quarter = Band(dt.date(visit.year, first, 1).toordinal(), (dt.date(visit.year + (first == 10), (first + 2) % 12 + 1, 1) - dt.timedelta(days=1)).toordinal())  # fmt: skip
    day = birth.toordinal()
    own = OwnValues(age=age, age_band=Band(low, low + 4), birth=Band(day, day), visit=visit.toordinal(), visit_band=quarter)  # fmt: skip
    return Person(note, own, age, visit.year)


def draw_population(seed: int, people: int = POPULATION) -> Codes:
    """Return the age and the area of everybody."""
    rng = np.random.default_rng(seed)
    ages = np.minimum(rng.gamma(5.2, 9.2, people), 95).astype(np.int64)
    return np.stack([ages, rng.integers(0, AREAS, people)])


def narrow(counter: PeopleCounter, words: Sequence[str] = ()) -> Narrowing:
    """Return the attacker of a world."""
    return Narrowing(["age", "area"], [[str(n) for n in range(96)], AREA_NAMES], "age", words, counter)  # fmt: skip


def count_people(codes: Codes, sample: SampleOf | None = None) -> PeopleCounter:
    """Return a population by its combinations of age and area."""
    cells, count = np.unique(codes[0] * AREAS + codes[1], return_counts=True)
    return PeopleCounter(np.stack(np.divmod(cells, AREAS)), count.astype(float), sample)


def _world(name: str, seed: int) -> dict[str, object]:
    draw = random.Random(seed)
    forms = FORMS if name == "unseen" else KNOWN
    codes = draw_population(seed)
    counted = {"own": 0, "left": 0, "others": 0, "changed": 0}
    rows, spent = [], 0.0
    for i in range(PEOPLE):
        code = ("en", "de")[i % 2]
        person = make_person(draw, int(codes[0, i]), code, forms[code], 0.5 if name == "collide" else 0.0)  # fmt: skip
        note, age = person.note, person.age
        began = time.process_time()
        made = rewrite(note.text, person.own)
        spent += time.process_time() - began
        spans = [(e.start, e.end) for e in made.edits]
        for start, end, _ in note.own:
            counted["own"] += 1
            counted["left"] += not any(a < end and b > start for a, b in spans)
        for start, end in note.other:
            counted["others"] += 1
            counted["changed"] += any(a < end and b > start for a, b in spans)
        shown = (np.arange(96) // 5 == age // 5, np.arange(AREAS) == codes[1, i])
        rows.append(
            NotedRow((min(age, 95), int(codes[1, i])), shown, note.text, made.text, person.year)
        )
    people, _ = narrow(count_people(codes)).measure(rows)
    return {
        "notes": PEOPLE,
        "own_mentions": counted["own"],
        "within_the_band": round(1 - counted["left"] / counted["own"], 4),
        "false_rewrites": round(counted["changed"] / counted["others"], 4),
        "milliseconds_per_note": round(1000 * spent / PEOPLE, 3),
        "named": {
            "row": people.row.named,
            "raw": people.raw.named,
            "published": people.published.named,
        },
        "row_and_note_over_row": round(people.published.named / people.row.named, 4),
        "stated_over_realised_raw": round(people.raw.stated / people.raw.named, 4),
    }


def run() -> dict[str, object]:
    """Measure the three worlds, and the sentences with clinical numbers."""
    changed = total = 0
    for code, sentences in CLINICAL.items():
        for sentence in sentences:
            text = sentence.format(n=47)
            total += 1
            changed += rewrite(text, OwnValues(age=47, age_band=Band(45, 49)), [code]).text != text
    return {
        "worlds": {
            name: _world(name, seed) for seed, name in enumerate(("known", "collide", "unseen"))
        },
        "clinical_sentences": total,
        "clinical_sentences_changed": changed,
    }
