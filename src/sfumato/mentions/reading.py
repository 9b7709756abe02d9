"""Read what a note says, generously and without knowing the record: ages, births and dates with all their meanings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .dates import MonthDay, read_dates, year_days
from .languages.base import AgeForm, Language
from .own import OLDEST, Band

__all__ = ["Mention", "read_mentions"]

_SENTENCE_END = re.compile(r"[.;!?)](?=\s+[A-ZÀ-Þ\[(])|\n")
_LOOK_BACK = 48
_AGE_MOST = 115
_NO_AGE_BEFORE = re.compile(r"(?:\d(?:[.,:]|\s?[/x–-]\s?)|[#$€£+<>~]\s?|[a-z0-9]-)$")
_LETTER_BEFORE = re.compile(r"(?:^|[^\w])(?:[fmw])$")
_WRITTEN_BAND = re.compile(
    r"(?<![\d–])(?P<low>\d{1,3})(?:–(?P<high>\d{1,3})(?![\d–])|\+(?!\d))|(?P<first>(?:18|19|20)\d\d)–(?P<last>(?:18|19|20)\d\d)(?!\d)"
)
_SHORT_YEAR = re.compile(r"['’](\d\d)(?![\d\w])|(?<!\d)(\d\d)er\sjahrgang")


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of a text that says something of a person's age, birth, or day.

    `firm` says that its form leaves no doubt of what it is about; `kin` that the sentence is about somebody else
    too, `others` that the words around it are somebody else's. A `form` is written anew as a whole.
    """

    start: int
    end: int
    kind: Literal["age", "birth", "date"]
    sets: tuple[Band | MonthDay, ...]
    firm: bool = True
    kin: bool = False
    others: bool = False
    form: AgeForm | None = None


def read_mentions(
    text: str, folded: str, language: Language, year: int | None = None
) -> list[Mention]:
    """Return what a text mentions, in its order.

    Parameters
    ----------
    text, folded : str
        The text, and the same without case and accents.
    language : Language
        Whose forms are looked for.
    year : int, optional
        The year in which the note was written: "in 1998 at the age of 44" says an age only with it.

    """
    return _MentionReader(text, folded, language, year).read()


class _MentionReader:
    """One text as one language has it."""

    def __init__(self, text: str, folded: str, language: Language, year: int | None) -> None:
        self.text, self.folded, self.language, self.year = text, folded, language, year
        self.found: list[Mention] = []
        self.taken: list[tuple[int, int]] = []
        self._kin = [m.start() for m in language.kin.finditer(folded)]
        self._ends = [m.end() for m in _SENTENCE_END.finditer(text)] if self._kin else []

    def read(self) -> list[Mention]:
        self._read_bands()
        self._read_dates()
        self._read_decades()
        self._read_sums()
        self._read_numbers()
        return sorted(self.found, key=lambda m: m.start)

    def _is_free(self, start: int, end: int) -> bool:
        return all(end <= a or start >= b for a, b in self.taken)

    def _add(self, mention: Mention) -> None:
        self.found.append(mention)
        self.taken.append((mention.start, mention.end))

    def _has_kin(self, start: int, end: int) -> bool:
        """Return whether the sentence around a span is about somebody else."""
        if not self._kin:
            return False
        low = max((e for e in self._ends if e <= start), default=0)
        high = min((e for e in self._ends if e > end), default=len(self.text))
        return any(low <= k < high for k in self._kin)

    def _is_of_others(self, start: int, end: int) -> bool:
        """Return whether the words right around a number name somebody else."""
        if not self._kin:
            return False
        return bool(
            self.language.kin_before.search(self._before(start))
            or self.language.kin_after.match(self.folded, end)
        )

    def _before(self, start: int) -> str:
        return self.folded[max(0, start - _LOOK_BACK) : start]

    def _read_bands(self) -> None:
        """Read bands as this program writes them."""
        for m in _WRITTEN_BAND.finditer(self.folded):
            if m["low"]:
                ages = Band(int(m["low"]), int(m["high"]) if m["high"] else None)
                if (ages.high or ages.low or 0) <= OLDEST:
                    self._add(Mention(*m.span(), "age", (ages,), firm=False))
            else:
                years = Band(year_days(int(m["first"])).low, year_days(int(m["last"])).high)
                self._add(Mention(*m.span(), "birth", (years,), firm=False))

    def _read_dates(self) -> None:
        language = self.language
        for written in read_dates(self.folded, language):
            start, end = written.start, written.end
            if not self._is_free(start, end):
                continue
            before = self._before(start)
            doubtful = written.by_number and not language.preposition.search(before)
            if doubtful and self._is_no_date(start, end):
                continue
            birth = bool(
                language.birth_before.search(before) or language.birth_after.match(self.folded, end)
            )
            kin = self._has_kin(start, end)
            self._add(
                Mention(start, end, "birth" if birth else "date", written.sets, not doubtful, kin)
            )

    def _is_no_date(self, start: int, end: int) -> bool:
        """Return whether "12/3" is a pressure, a share or a dose."""
        language = self.language
        return bool(
            language.clinical.search(self._before(start))
            or language.counted.match(self.folded, end)
        )

    def _read_decades(self) -> None:
        language = self.language
        for m in language.decade.finditer(self.folded):
            if not self._is_free(*m.span()):
                continue
            groups = [v for k, v in m.groupdict().items() if k.startswith("ten") and v]
            part = next((v for k, v in m.groupdict().items() if k.startswith("part") and v), None)
            word = groups[0]
            ten = int(word[:2]) if word[:2].isdecimal() else self._decade(word)
            if ten is None:
                continue
            low, high = language.words.parts[part] if part else (0, 9)
            form = AgeForm("", "", language.words.aged)
            kin, others = self._has_kin(*m.span()), self._is_of_others(*m.span())
            self._add(
                Mention(*m.span(), "age", (Band(ten + low, ten + high),), True, kin, others, form)
            )

    def _read_sums(self) -> None:
        """Read ages that are an age of then and the years since: "retired at 65, nine years ago"."""
        language = self.language
        if language.sums is None or language.words.sums is None:
            return
        for m in language.sums.finditer(self.folded):
            then, since = language.value(m["n"]), language.value(m["m"])
            if then is None or since is None or not self._is_free(*m.span()):
                continue
            age, form = then + since, AgeForm("", "", language.words.sums[1])
            self._add(
                Mention(
                    *m.span(),
                    "age",
                    (Band(age - 1, age + 1),),
                    True,
                    self._has_kin(*m.span()),
                    form=form,
                )
            )

    def _decade(self, word: str) -> int | None:
        words = self.language.words.decade_words
        return words.get(
            word, words.get(word.removesuffix("er"), words.get(word.removesuffix("r")))
        )

    def _read_numbers(self) -> None:
        for m in _SHORT_YEAR.finditer(self.folded):
            self._read_short_year(m)
        years = []
        for m in self.language.number.finditer(self.folded):
            start, end = m.span()
            if not self._is_free(start, end):
                continue
            number = self.language.value(m[0])
            if number is None:
                continue
            if m[0].isdecimal() and len(m[0]) == 4:
                years.append((start, end, number))
            elif number <= _AGE_MOST + 1 and not (m[0].isdecimal() and len(m[0]) > 3):
                self._read_age(start, end, number, is_word=not m[0].isdecimal())
        for start, end, year in years:  # after "in 1998 at the age of 44", which is one age
            if self._is_free(start, end):
                self._read_year(start, end, year)

    def _read_short_year(self, m: re.Match[str]) -> None:
        start, end = m.span(1) if m[1] else m.span(2)
        if not self._is_free(start, end):
            return
        year = 1900 + int(m[1] or m[2])
        before = self.language.birth_before.search(
            self.folded[max(0, start - _LOOK_BACK) : start].rstrip("'’")
        )
        is_birth = bool(before) or m[2] is not None
        sets = (year_days(year), year_days(year + 100))
        self._add(Mention(start, end, "birth", sets, is_birth, self._has_kin(start, end)))

    def _read_year(self, start: int, end: int, year: int) -> None:
        """Read a year: of a birth after its cue, else of anything."""
        if not 1880 <= year <= 2100 or _NO_AGE_BEFORE.search(self._before(start)):
            return
        firm = bool(
            self.language.birth_before.search(self._before(start))
            or self.language.birth_after.match(self.folded, end)
        )
        self._add(Mention(start, end, "birth", (year_days(year),), firm, self._has_kin(start, end)))

    def _read_age(self, start: int, end: int, number: int, *, is_word: bool) -> None:
        """Read a number that may be an age: firmly by its form, loosely by its place."""
        language, before = self.language, self._before(start)
        if (
            not is_word
            and start
            and self.folded[start - 1].isalpha()
            and not _LETTER_BEFORE.search(before)
        ):
            return
        if _NO_AGE_BEFORE.search(before) and not before.endswith("="):
            return
        kin, others = self._has_kin(start, end), self._is_of_others(start, end)
        for pattern, after, form in language.forms:
            lead, trail = pattern.search(before), after.match(self.folded, end)
            if lead and trail:
                first = start - (len(before) - lead.start())
                age = number - form.more
                self._add(
                    Mention(first, trail.end(), "age", (Band(age, age),), True, kin, others, form)
                )
                return
        trail = language.after.match(self.folded, end)
        firm = bool(trail or language.before.search(before))
        if firm and language.counted.match(self.folded, end) and not trail:
            firm = False
        past = language.past.search(before) if self.year is not None else None
        if past is not None and self.year is not None and (trail or not is_word):
            now = self.year - int(past["year"]) + number
            first = start - (len(before) - past.start())
            if 0 <= now <= _AGE_MOST and self._is_free(first, end):
                form = AgeForm("", "", language.words.earlier)
                last = self._end_of_past(end)
                self._add(
                    Mention(first, last, "age", (Band(now - 1, now + 1),), True, kin, others, form)
                )
                return
        if not firm and is_word and number < 20:
            return
        self._add(Mention(start, end, "age", (Band(number, number),), firm, kin, others))

    def _end_of_past(self, end: int) -> int:
        """Return where the words of an age in the past end: "1998 mit 44 Jahren"."""
        unit = re.compile(r"\s(?:years?|yrs?|jahren|ans|anos|anni|jaar)\b").match(self.folded, end)
        return unit.end() if unit else end
