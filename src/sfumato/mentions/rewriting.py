"""Put what a note says of its person into the bands of the published row.

The reader knows forms and checks the value; the net knows the value and needs no form. Numbers next to vital signs,
doses, laboratory values and durations are never changed on the net's word: they are held back for a person to look at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from .dates import MonthDay
from .folding import fold
from .languages.base import LANGUAGES, Language, detect_languages
from .own import Band, OwnValues, OwnWord, last_day
from .reading import Mention, read_mentions
from .values import find_word
from .writing import fix_article, write_age, write_birth, write_days, write_label

__all__ = ["Rewording", "Rewritten", "rewrite"]

_LOOK_BACK = 48
_SEX = re.compile(r"\s?/?[FMWV]\b")  # "59 M" is no length
_NEAR = 366  # days from the visit within which other dates narrow it


@dataclass(frozen=True, slots=True)
class Rewording:
    """A rewritten span of the note, and the place of its words in the new text."""

    start: int
    end: int
    kind: str
    how: str
    """"form", "net" or "near": by its form, by its value, or as a date near the visit."""
    new_start: int
    new_end: int


@dataclass(frozen=True)
class Rewritten:
    """A note with its mentions in the published bands.

    `kept` counts own mentions that already hold the whole band, `contradicted` firm mentions that disagree with the
    record; `held` are spans of the new text that the net found and a guard left alone.
    """

    text: str
    edits: tuple[Rewording, ...] = ()
    kept: Counter[str] = field(default_factory=Counter)
    contradicted: Counter[str] = field(default_factory=Counter)
    held: tuple[tuple[int, int, str], ...] = ()


def rewrite(text: str, own: OwnValues, languages: Sequence[str] = LANGUAGES) -> Rewritten:
    """Return a note in which no mention of the record's own values says more than its published row.

    Parameters
    ----------
    text : str
        The note.
    own : OwnValues
        The record's values and bands.
    languages : sequence of str, default=all seven
        The languages that the note may be in.

    >>> own = OwnValues(age=47, age_band=Band(45, 49))
    >>> rewrite("A 47-year-old woman, pulse 47.", own).text
    'A 45–49-year-old woman, pulse 47.'
    >>> rewrite("Die 47jährige Patientin kam.", own).text
    'Die 45–49jährige Patientin kam.'

    """
    return _Rewriting(text, own, languages).run()


class _Rewriting:
    """One note and its record."""

    def __init__(self, text: str, own: OwnValues, languages: Sequence[str]) -> None:
        self.text, self.own, self.folded = text, own, fold(text)
        self.languages = detect_languages(self.folded, tuple(languages))
        self.changes: list[tuple[int, int, str, str, str]] = []  # start, end, words, kind, how
        self.kept: Counter[str] = Counter()
        self.contradicted: Counter[str] = Counter()
        self.held: list[tuple[int, int, str]] = []
        self.understood: list[tuple[int, int]] = []

    def run(self) -> Rewritten:
        own = self.own
        when = own.visit_band or own.at
        year = None
        if own.visit is not None:
            year = date.fromordinal(own.visit).year
        elif when is not None and when.low is not None:
            year = date.fromordinal(when.low).year
        for word in own.words:
            self._find_words(word)
        for language in self.languages:
            for mention in read_mentions(self.text, self.folded, language, year):
                if self._is_free(mention.start, mention.end):
                    self._decide(mention, language)
        return self._apply()

    def _is_free(self, start: int, end: int) -> bool:
        spans = [(c[0], c[1]) for c in self.changes]
        return all(end <= a or start >= b for a, b in [*spans, *self.understood])

    def _find_words(self, word: OwnWord) -> None:
        if word.value == word.label:
            return
        for start, end in find_word(word, self.text, self.folded):
            if self._is_free(start, end):
                words = write_label(word.column, word.label)
                self.changes.append((start, end, words, word.column, "net"))

    def _decide(self, mention: Mention, language: Language) -> None:
        if mention.kind == "age":
            self._decide_age(mention, language)
        else:
            self._decide_days(mention, language)

    # --- ages ------------------------------------------------------------------------------------

    def _decide_age(self, mention: Mention, language: Language) -> None:
        own = self.own
        (ages,) = mention.sets
        if own.age is None or own.age_band is None or not isinstance(ages, Band):
            return
        value = Band(own.age, own.age)
        agrees = ages.holds(value)
        if mention.firm and not agrees and not mention.kin:
            agrees = ages.meets(value, within=1)
            if not agrees:
                self.contradicted["age"] += 1
        if not agrees or mention.others:
            if mention.firm:
                self.understood.append((mention.start, mention.end))
            return
        if ages.holds(own.age_band):
            self.kept["age"] += mention.firm
            return
        if not mention.firm and not self._is_bare_age(mention, language):
            self.held.append((mention.start, mention.end, "age"))
            return
        band = write_age(own.age_band, language)
        words = band if mention.form is None else mention.form.template.format(band=band)
        how = "form" if mention.firm else "net"
        self.changes.append((mention.start, mention.end, words, "age", how))

    def _is_bare_age(self, mention: Mention, language: Language) -> bool:
        """Return whether a number that equals the age may be an age in its place."""
        before = self.folded[max(0, mention.start - _LOOK_BACK) : mention.start]
        is_sex = _SEX.match(self.text, mention.end)
        for known in self.languages:  # a note may be in two: what is clinical in one is so
            if known.counted.match(self.folded, mention.end) and not is_sex:
                return False
            if known.clinical.search(before):
                return False
        return bool(
            language.subject.search(before) and language.follow.match(self.folded, mention.end)
        )

    # --- births and dates ------------------------------------------------------------------------

    def _decide_days(self, mention: Mention, language: Language) -> None:
        own = self.own
        if own.born is not None and own.birth_band is not None and self._agrees(mention, own.born):
            exact = own.born.low == own.born.high and own.born.low is not None
            if mention.kind == "birth" and (mention.firm or (exact and not mention.kin)):
                self._put_birth(mention, language)
                return
            if exact and mention.kind == "date" and mention.firm:
                self._put_birth(mention, language)
                return
        if mention.kind == "birth":
            if (
                mention.firm
                and not mention.kin
                and own.born is not None
                and own.birth_band is not None
            ):
                self.contradicted["birth"] += 1
            elif mention.firm and not mention.kin and own.age_band is not None and own.born is None:
                self.held.append((mention.start, mention.end, "birth"))
            return
        if own.visit is None or own.visit_band is None:
            return
        if self._agrees(mention, Band(own.visit, own.visit)):
            if all(isinstance(s, Band) and s.holds(own.visit_band) for s in mention.sets):
                self.kept["date"] += 1
                return
            self._put_days(mention, own.visit_band, language, "form" if mention.firm else "net")
            return
        near = self._near_unit(mention)
        if near is not None and mention.firm:
            self._put_days(mention, near, language, "near")

    @staticmethod
    def _agrees(mention: Mention, value: Band) -> bool:
        """Return whether one reading of a mention meets the record's value."""
        assert value.low is not None or value.high is not None
        for found in mention.sets:
            if isinstance(found, MonthDay):
                if value.low is not None and value.low == value.high:
                    day = date.fromordinal(value.low)
                    if (day.month, day.day) == (found.month, found.day):
                        return True
            elif found.meets(value):
                return True
        return False

    def _put_birth(self, mention: Mention, language: Language) -> None:
        own = self.own
        assert own.birth_band is not None
        if own.birth_band != Band() and all(
            isinstance(s, Band) and s.holds(own.birth_band) for s in mention.sets
        ):
            self.kept["birth"] += 1
            return
        start, preposition = self._with_preposition(mention.start, language)
        words = write_birth(own.birth_band, language, preposition=preposition)
        how = "form" if mention.firm and mention.kind == "birth" else "net"
        self.changes.append((start, mention.end, words, "birth", how))

    def _put_days(self, mention: Mention, band: Band, language: Language, how: str) -> None:
        start, preposition = self._with_preposition(mention.start, language)
        words = write_days(band, language, preposition=preposition)
        self.changes.append((start, mention.end, words, "date", how))

    def _with_preposition(self, start: int, language: Language) -> tuple[int, bool]:
        """Return where a date begins with its preposition, if it has one that changes."""
        before = self.folded[max(0, start - _LOOK_BACK) : start]
        found = language.preposition.search(before)
        if found is None or found[0].strip() in {"vom", "du", "del", "van", "de", "dal"}:
            return start, False
        return start - (len(before) - found.start()), True

    def _near_unit(self, mention: Mention) -> Band | None:
        """Return the published unit around another dated day within a year of the visit."""
        own = self.own
        assert own.visit is not None
        assert own.visit_band is not None
        days = [s for s in mention.sets if isinstance(s, Band) and s.low == s.high]
        near = [s for s in days if s.low is not None and abs(s.low - own.visit) <= _NEAR]
        if not near or near[0].low is None:
            return None
        if own.visit_band.holds(near[0]):
            return own.visit_band
        band = own.visit_band
        width = 366 if band.low is None or band.high is None else band.high - band.low + 1
        day = date.fromordinal(near[0].low)
        months = 1 if width <= 31 else 3 if width <= 92 else 12
        if width < 28:
            return None
        first = (day.month - 1) // months * months + 1
        return Band(
            date(day.year, first, 1).toordinal(), last_day(day.year, first + months - 1).toordinal()
        )

    # --- the new text ----------------------------------------------------------------------------

    def _apply(self) -> Rewritten:
        made, edits, at = "", [], 0
        english = any(language.code == "en" for language in self.languages)
        for start, end, words, kind, how in sorted(self.changes):
            if start < at:
                continue
            made += self.text[at:start]
            if english:
                made = made[:-4] + fix_article(
                    made[-4:], words
                )  # may move what follows by a letter
            if start == 0 or self.text[:start].rstrip()[-1:] in {"", ".", "!", "?"}:
                words = (
                    words[:1].upper() + words[1:]
                    if self.text[start : start + 1].isupper()
                    else words
                )
            edits.append(Rewording(start, end, kind, how, len(made), len(made) + len(words)))
            made += words
            at = end
        changed = [(edit.start, edit.end) for edit in edits]
        held = []
        for start, end, kind in sorted(dict.fromkeys(self.held)):
            if all(end <= a or start >= b for a, b in changed):
                moved = sum(
                    (e.new_end - e.new_start) - (e.end - e.start) for e in edits if e.end <= start
                )
                held.append((start + moved, end + moved, kind))
        return Rewritten(
            made + self.text[at:], tuple(edits), self.kept, self.contradicted, tuple(held)
        )
