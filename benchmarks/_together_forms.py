"""Written forms of ages, births and visits that were listed before the rules of `sfumato.mentions` were written.

Each line is a sentence with fields of one record. `FORMS` begins with the held-out lists of the first sketch (their
wording, with fields for the values) and goes on with forms that nobody had looked at when the rules were made; they are not to
be read when the rules are changed.

Fields: `age`, `word` (the age spelled out), `next` (the age of next year), `nth`, `nextth` (English ordinals), `late` (early,
mid or late), `teil` (Anfang, Mitte, Ende), `tens`, `decade` ("forties"), `by`, `bm`, `bd` (year, month, day of birth), `bmon`,
`bmon3`, `byy`, and the same with `v` for the visit; `city`, `code` (postcode).
"""

from __future__ import annotations

__all__ = ["FORMS"]

FORMS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "age": (
            "a {age} y.o. F", "{age}-yr-old lady", "{age}yr old", "this {word} year old woman", "aged {word}",
            "Patient is {age}.", "{age}y female", "in her {nextth} year", "turning {next} next month", "age {age}y",
            "F{age}", "{age}/F", "{age} year-old", "{word}-year old", "{age} years and 3 months old", "pt. is {word}",
            "{age}-yo", "{age} yrs of age", "(age, {age})", "a woman of {age}", "she's {age} now", "Age/Sex: {age}/F",
            "{age} W F", "{age} and a half", "age {word}", "late {tens}s" , "in her {late} {tens}s",
            # listed before the rules, not in the sketch
            "The lady, now {age}, came by bus.", "She will be {next} this autumn.", "{age} yr F with a cough", "Pt {age}F.",
            "She gave her age as {age}.", "{age} years young and cheerful.", "Mother of two, {age}.", "who is {word} years old",
            "approx. {age} years", "a {age} year old lady", "her {nth} birthday was last week", "just turned {age}",
            "a {word}-yr-old", "{age}-year old", "Age (yrs): {age}", "A/S: {age} F", "She is {age} and lives alone.",
            "AGE:{age}", "{age} YO FEMALE", "this {age}-year-old's husband drove", "At {age}, she still swims.",
            "is {age} yrs old", "a female aged {age} yrs", "{age}y.o.", "in the {nextth} year of life",
        ),
        "birth": (
            "YOB {by}", "D.O.B. {bd:02d}-{bm:02d}-{by}", "d.o.b {bd}/{bm}/{byy}", "born {bmon3} {bd}, {by}", "born {bd}.{bm}.{by}",
            "a {by}-born teacher", "born '{byy}", "birthdate {bmon} {bd} {by}", "born {bd:02d}{bmon3}{by}", "b.{by}",
            "date of birth:{by}.{bm:02d}.{bd:02d}", "born {bm}/{bd}/{by}",
            "Her year of birth is {by}.", "DoB {bd} {bmon3} {byy}", "Born: {bmon} {by}", "({by})", "dob={by}-{bm:02d}-{bd:02d}",
            "was born back in {by}", "birth year: {by}", "born the {bd}th of {bmon}, {by}", "DOB {bd}/{bmon3}/{by}",
        ),
        "visit": (
            "on {vd:02d}-{vmon3}-{vy}", "on {vmon3}. {vd}", "on {vd}th {vmon}", "on {vy}/{vm:02d}/{vd:02d}", "on {vmon} {vd}",
            "on {vd} {vmon}", "on Sunday {vd}/{vm}", "date: {vy}{vm:02d}{vd:02d}", "{vmon3} {vd} '{vyy}", "seen {vm}/{vd}",
            "seen {vd:02d}{vm:02d}{vy}", "Clinic {vd}.{vm}.{vyy}", "attended {vd} {vmon3} {vyy}", "DOS {vm:02d}/{vd:02d}/{vy}",
            "visit of {vmon} the {vd}th", "OPD {vd}-{vm}-{vy}", "on {vmon} {vd}th, {vy}", "[{vy}-{vm:02d}-{vd:02d}]",
            "{vd} {vmon} {vy}, 10:30", "since {vd}/{vm}/{vy}",
        ),
    },
    "de": {
        "age": (
            "{age}-Jährige", "eine {age}j. Patientin", "{age} J alt", "im {next}. Lebensjahr", "{Word}jährige", "Alter {age} J",
            "{age} Jahre, weiblich", "wird bald {next}", "{age}jg. Pat.", "mit {word} Jahren", "{age}J", "{age}-jähr. Pat.",
            "{word}", "{age} Jahre jung", "Pat. ({age} J., w.)", "{age}-j. Pat.", "{teil} {tens}", "Alter={age}",
            "{age} Lebensjahre", "seit {age} Jahren in Köln", "vollendetes {age}. Lebensjahr",
            # listed before the rules, not in the sketch
            "Die Patientin ist {age}.", "Sie wurde gerade {age}.", "Frau, {age}, verheiratet", "eine Frau von {age} Jahren",
            "Pat. {age} jährig", "w/{age}", "{age} Jahre alte Patientin", "die {age} Jährige", "{age}-jährige Dame",
            "Alter (J.): {age}", "Alter: {age} Jahre", "mit {age} noch berufstätig", "inzwischen {age}", "{age}jähr. Frau",
            "sie ist jetzt {word} Jahre", "nach dem {age}. Geburtstag", "Patientin {age} J. alt", "{age} jährige Pat.",
            "eine {word}jährige Frau", "ihr Alter beträgt {age}", "fast {next} Jahre alt", "Frau ({age})",
        ),
        "birth": (
            "geb.{bd:02d}.{bm:02d}.{by}", "geb: {bd}.{bm}.{byy}", "geb. {bd}. {bm}. {by}", "*{bd}.{bm}.{byy}", "{by} geboren",
            "{byy}er Jahrgang", "*{bd:02d}.{bm:02d}.{by}", "geb.{by}", "geboren {bmon} {by}",
            "Geburtsdatum {bd:02d}.{bm:02d}.{by}", "Geburtsjahr {by}", "Jg {by}", "geb {bd}.{bm}.{by}", "ist {by} geboren",
            "Geb.-Dat.: {bd:02d}.{bm:02d}.{byy}", "kam {by} zur Welt", "GD {bd}.{bm}.{by}", "geboren am {bd}. {bmon} {by}",
        ),
        "visit": (
            "am {vd:02d}.{vm:02d}.{vy}", "am {vd}.{vm}.{vyy}", "am {vd}. {vmon}", "am {vd}. {vm}. {vy}", "am {vd:02d}.{vm:02d}.",
            "{vd}. {vmon} d. J.", "{vmon} {vy}", "{vd}/{vm}/{vy}", "{vd}ter {vmon} {vy}", "{vd}.{vm}.{vy}-{vd}.{vm}.{vy}",
            "Vorstellung {vy}-{vm:02d}-{vd:02d}", "Kontakt {vd:02d}-{vm:02d}-{vy}", "seit dem {vd}.{vm}.", "vom {vd}. {vmon} {vy}",
            "ambulant ({vd:02d}.{vm:02d}.{vyy})", "Sonntag, {vd}. {vmon}", "Datum:{vd:02d}.{vm:02d}.{vy}", "{vd}.{vm}.{vy}, 10 Uhr",
        ),
    },
}  # fmt: skip
