"""The person behind the words: the chance that is stated, intervals from samples, and a hundred thousand notes.

"uncertain" lets notes name areas of the person and of relatives, so that readings are often wrong, and compares the chance that
the attacker states (the best subset of readings, with how often each kind is right learned on the other half) with how often
the guess is right: notes alone, and notes with their rows. "samples" draws 200 populations per fraction and counts how often the
interval of the people who fit holds. "notes" measures reader, net and linkage on 100,000 notes, with the memory after 10,000
and after all.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from sfumato.engines.tables.narrowing.linking import RowBlocks
from sfumato.engines.tables.narrowing.measure import NotedRow
from sfumato.engines.tables.narrowing.people import Mask, masks_of
from sfumato.engines.tables.narrowing.reading import read_note
from sfumato.engines.tables.narrowing.sampled import SampleOf
from sfumato.mentions import rewrite

from ._common import resumed
from ._together_forms import FORMS
from .together import (
    AREA_NAMES,
    AREAS,
    KNOWN,
    Codes,
    count_people,
    draw_population,
    make_person,
    narrow,
)

FRACTIONS, POPULATIONS, LOOKED_AT = (0.01, 0.05, 0.2), 200, 40
FEW_NOTES, MANY_NOTES = 10_000, 100_000
FIVES = np.arange(96) // 5
AGES, EVERY_AREA = np.arange(96), np.ones(AREAS, np.bool_)


def _row(age: int, area: int) -> tuple[Mask, Mask]:
    """Return what a row leaves open: five years, one area."""
    return age // 5 == FIVES, np.arange(AREAS) == area


def _uncertain(name: str, seed: int) -> dict[str, object]:
    """Compare the stated chance with the realised one."""
    draw, codes = random.Random(seed), draw_population(seed)
    forms, rows, alone = FORMS if name == "unseen" else KNOWN, [], []
    for i in range(2_000):
        code = ("en", "de")[i % 2]
        person = make_person(draw, int(codes[0, i]), code, forms[code], 0.3)
        area, age = int(codes[1, i]), min(person.age, 95)
        text = person.note.text
        if draw.random() < 0.6:
            text += f"Lives in {AREA_NAMES[area]}. "
        if draw.random() < 0.3:
            text += f"Her mother lives in {AREA_NAMES[draw.randrange(AREAS)]}. "
        rows.append(NotedRow((age, area), _row(age, area), text, text, person.year))
        alone.append(NotedRow((age, area), (AGES >= 0, EVERY_AREA), text, text, person.year))
    attacker, found = narrow(count_people(codes), ["area"]), {}
    for what, notes in (("notes_alone", alone), ("notes_and_rows", rows)):
        raw = attacker.measure(notes)[0].raw
        found[what] = {
            "stated": raw.stated,
            "realised": raw.named,
            "stated_over_realised": round(raw.stated / raw.named, 4),
        }
    return found


def _samples(fraction: float) -> dict[str, object]:
    """Count how often the interval holds: for a row, and for a row with an exact age."""
    held: dict[str, list[float]] = {"row": [], "row_and_age": []}
    ends_held = 0
    for seed in range(POPULATIONS):
        rng = np.random.default_rng([seed, round(1000 * fraction)])
        codes = draw_population(seed, 20_000)
        there = np.flatnonzero(rng.random(codes.shape[1]) < fraction)
        sample = SampleOf(fraction)
        known, everybody = count_people(codes[:, there], sample), count_people(codes)
        looked_at = rng.choice(there, LOOKED_AT)
        means = []
        for what, own in held.items():
            counted, true = [], []
            for person in looked_at:
                age, area = codes[:, person]
                masks = dict(enumerate(_row(age, area)))
                if what == "row_and_age":
                    masks[0] = np.equal(AGES, age)
                counted.append(known.count_known(masks))
                true.append(everybody.count_known(masks))
            low, high = sample.interval(np.array(counted))
            fits = np.array(true)
            own.append(float(np.mean((low <= fits) & (fits <= high))))
            means.append(np.mean(1 / high) <= np.mean(1 / fits) <= np.mean(1 / low))
        ends_held += all(means)
    return {
        "populations": POPULATIONS,
        "intervals_each": LOOKED_AT,
        **{f"held_{what}": round(float(np.mean(own)), 4) for what, own in held.items()},
        "chance_of_naming_between_its_ends": round(ends_held / POPULATIONS, 4),
    }


def _resident() -> float:
    """Return the memory of this process, in MiB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return round(pages * 4096 / 2**20, 1)


def _notes(codes: Codes, many: int) -> Iterator[tuple[str, str, int, float]]:
    """Write notes; yield each as it was and as published, with the year and the time of reader and net."""
    draw = random.Random(7)
    for i in range(many):
        code = ("en", "de")[i % 2]
        person = make_person(draw, int(codes[0, i]), code, KNOWN[code], 0.1)
        text = person.note.text + (f"Lives in {AREA_NAMES[codes[1, i]]}. " if i % 3 == 0 else "")
        began = time.thread_time()
        made = rewrite(text, person.own).text
        yield text, made, person.year, time.thread_time() - began


def _many_notes() -> dict[str, object]:
    codes = draw_population(11, MANY_NOTES)
    codes[0] = np.maximum(codes[0], 20)
    bands, areas = [np.equal(FIVES, n) for n in range(20)], list(np.eye(AREAS, dtype=np.bool_))
    blocks = RowBlocks([(bands[age // 5], areas[area]) for age, area in codes.T])
    domains = [[str(n) for n in range(96)], AREA_NAMES]
    words = {"area": {name: n for n, name in enumerate(AREA_NAMES)}}
    spent, linking, right = 0.0, 0.0, [0.0, 0.0]
    memory = {"before": _resident()}
    for i, (raw, published, year, seconds) in enumerate(_notes(codes, MANY_NOTES)):
        spent += seconds
        began = time.thread_time()
        for place, text in enumerate((raw, published)):
            read = read_note(text, age="age", words=words, year=year)
            masks = masks_of(read, ["age", "area"], domains, AGES, (AGES >= 0, EVERY_AREA))
            right[place] += blocks.chance_of(i, masks)
        linking += time.thread_time() - began
        if i + 1 in (FEW_NOTES, MANY_NOTES):
            memory[f"after_{i + 1}"] = _resident()
    shares = dict(zip(("raw", "published"), (r / MANY_NOTES for r in right), strict=True))
    return {
        "notes": MANY_NOTES,
        "reader_and_net_milliseconds_per_note": round(1000 * spent / MANY_NOTES, 3),
        "resident_mebibytes": memory,
        "linkage": {
            **shares, "table": blocks.share_alone(), "random": 1 / MANY_NOTES,
            "blocks": len(blocks.size),
            "milliseconds_per_note": round(500 * linking / MANY_NOTES, 3),
            "above_the_table": max(shares.values()) > blocks.share_alone(),
        },
    }  # fmt: skip


def run() -> dict[str, object]:
    """Measure all of it; a run that is cut short goes on where it stopped."""
    part = "together_people"
    return {
        "notes": resumed(part, "notes", _many_notes),
        "uncertain": {
            name: resumed(part, name, partial(_uncertain, name, seed))
            for seed, name in enumerate(("known", "unseen"))
        },
        "samples": {
            str(fraction): resumed(part, f"sample-{fraction}", partial(_samples, fraction))
            for fraction in FRACTIONS
        },
    }
