"""What a reader of notes needs to know of a language: words and forms, without case and accents, and the patterns made of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import import_module

from ..folding import fold, one_of
from .spelling import spell

__all__ = ["LANGUAGES", "AgeForm", "Language", "LanguageWords", "detect_languages", "language"]

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")
_MODULES = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian", "nl": "dutch",
    "pt": "portuguese",
}  # fmt: skip
_TOLD = 3  # words that identify a language; with fewer a note may be in any
# Vital signs, laboratory values and scores that are written alike in all languages.
_CLINICAL = """hr hf fc fr rr af bp ta pa rr spo2 sao2 o2 sat bmi imc gfr egfr dfg crp pcr hb hba1c hct ht inr ptt aptt quick tsh
ldl hdl alt ast ggt got gpt ldh ck esr bsg vsg psa ef lvef feve fev1 fvc qrs qt qtc pq pr gcs nihss mmse moca apache sofa
barthel ecog apgar nyha asa cha2ds2 meld icd ops id no nr num ref temp t p"""
_UNITS = """mg mcg ug µg μg g kg kgs lb lbs ml cl dl l cm mm m km mmhg bpm % percent kpa mmol umol µmol nmol pmol mol mval meq u ui iu ie
ng pg fl ms s sec min h hz j kcal cal °c °f ° x"""


@dataclass(frozen=True)
class AgeForm:
    """A way of writing an age that cannot express a band: what it becomes instead.

    Parameters
    ----------
    before, after : str
        Patterns of the text before and after the number.
    template : str
        What is written instead of all of it, with `{band}`.
    more : int, default=0
        What the number is more than the age: 1 in "her 48th year" at 47.

    """

    before: str
    after: str
    template: str
    more: int = 0


@dataclass(frozen=True)
class LanguageWords:
    """The words of a language; all but what is written are patterns for folded text."""

    code: str
    month_names: tuple[str, ...]
    months: tuple[str, ...]
    weekdays: str
    common: str
    age_before: str
    age_after: str
    forms: tuple[AgeForm, ...]
    past: str
    earlier: str
    parts: dict[str, tuple[int, int]]
    decades: str
    aged: str
    birth_before: str
    birth_after: str
    prepositions: str
    of: str
    ordinal: str
    person: str
    copula: str
    follow: str
    kin: str
    clinical: str
    counted: str
    quarter: tuple[str, str]
    month: tuple[str, str]
    year: tuple[str, str]
    between: tuple[str, str]
    birth_years: tuple[str, str]
    unknown: dict[str, str]
    sums: tuple[str, str] | None = None
    """A pattern of an age of then, `{n}`, and the years since, `{m}`; and what is written instead."""
    decade_words: dict[str, int] = field(default_factory=dict)


class Language:
    """A vocabulary with its patterns compiled."""

    def __init__(self, words: LanguageWords) -> None:
        self.words = words
        self.code = words.code

    @cached_property
    def spelled(self) -> dict[str, int]:
        """The numbers by how they are spelled, without accents."""
        return {fold(w): n for n in range(1, 120) for w in spell(n, self.code)}

    @cached_property
    def number(self) -> re.Pattern[str]:
        """Every number: digits, or a word."""
        return re.compile(rf"(?<!\d)\d{{1,8}}(?!\d)|(?<![^\W\d_]){one_of(self.spelled)}")

    def value(self, text: str) -> int | None:
        """Return the number that is written, or None where it is none below ten thousand."""
        return int(text) if text.isdecimal() else self.spelled.get(text)

    @cached_property
    def before(self) -> re.Pattern[str]:
        """What makes the number behind it an age."""
        return re.compile(rf"(?:{self.words.age_before})$")

    @cached_property
    def after(self) -> re.Pattern[str]:
        """What makes the number before it an age."""
        return re.compile(self.words.age_after)

    @cached_property
    def forms(self) -> list[tuple[re.Pattern[str], re.Pattern[str], AgeForm]]:
        """The forms that cannot carry a band."""
        return [(re.compile(f"(?:{f.before})$"), re.compile(f.after), f) for f in self.words.forms]

    @cached_property
    def past(self) -> re.Pattern[str]:
        """A year, and what makes the number behind it the age in that year."""
        return re.compile(
            rf"(?:\b(?:in|im|en|nel|em)\s)?\b(?P<year>(?:19|20)\d\d),?\s(?:{self.words.past})\s?$"
        )

    @cached_property
    def sums(self) -> re.Pattern[str] | None:
        """An age of then and the years since."""
        if self.words.sums is None:
            return None
        number = rf"(?:\d{{1,3}}|{one_of(self.spelled)})"
        pattern = self.words.sums[0].replace("{n}", f"(?P<n>{number})")
        return re.compile(pattern.replace("{m}", f"(?P<m>{number})"))

    @cached_property
    def decade(self) -> re.Pattern[str]:
        """A decade of life."""
        return re.compile(self.words.decades)

    @cached_property
    def kin(self) -> re.Pattern[str]:
        """Somebody else."""
        return _words(self.words.kin)

    @cached_property
    def kin_before(self) -> re.Pattern[str]:
        """Somebody else, right before a number."""
        names = one_of(self.words.kin.split())
        return re.compile(rf"\b{names}\W{{1,3}}$")

    @cached_property
    def kin_after(self) -> re.Pattern[str]:
        """Somebody else, in the words right behind a number."""
        names = one_of(self.words.kin.split())
        return re.compile(rf"[^\s,;.()]*(?:[\s-][^\s,;.()]+){{0,2}}?[\s-]{names}\b")

    @cached_property
    def clinical(self) -> re.Pattern[str]:
        """A vital sign, a laboratory value, a room: the next number in the clause is not an age."""
        listed = one_of({*self.words.clinical.split(), *_CLINICAL.split()})
        endings = r"\w+(?:globin|cyte[ns]?|zyten|phile?[ns]?|(?:kin|lip|amyl|phosphat|transfer|genas)ase|ferrin|bilirubin|albumin|glucose|glukose|glucosa|sterol|sterin)"
        numbered = r"(?:no|nr|num|ref|tel|fig|abb|pag|p)\."
        return re.compile(
            rf"(?<!\w)(?:{numbered}|(?:{listed}|{endings})(?!\w))[^.;!?()]{{0,24}}\(?$"
        )

    @cached_property
    def counted(self) -> re.Pattern[str]:
        """What the number before it counts or measures."""
        listed = one_of({*self.words.counted.split(), *_UNITS.split()})
        ordinal = r"\.?" if self.code == "de" else ""
        return re.compile(
            rf"{ordinal}\s?[-–]?\s?(?:{listed})(?![^\W\d_])|\s?[/x:]\s?\d|[.,]\d|\s?[-–]\s?\d|\s?/\s?(?:min|h|l|d|tag|day)"
        )

    @cached_property
    def subject(self) -> re.Pattern[str]:
        """What may directly precede the bare age of a person."""
        person = one_of(self.words.person.split())
        copula = one_of(self.words.copula.split())
        return re.compile(
            rf"(?:^|[.;!?]\s*|[\])]\s*,?\s*|[^\W\d_]+,\s*|\b(?:{person})\.?[\s,:(/-]{{0,3}}(?:{copula}\s){{0,2}}|"
            rf"\b(?:{copula})\s|(?<![^\W_])[fmw]\s?/?|\()$"
        )

    @cached_property
    def follow(self) -> re.Pattern[str]:
        """What may directly follow the bare age of a person."""
        listed = one_of({*self.words.follow.split(), *self.words.person.split()})
        return re.compile(rf"\s*(?:$|[.,;:!?)\]\n]|\b(?:{listed})\b|\s?/?\s?[fmwy]\b|\s?[jya]\b)")

    @cached_property
    def birth_before(self) -> re.Pattern[str]:
        """What makes the date behind it a birth."""
        return re.compile(rf"(?:{self.words.birth_before})$")

    @cached_property
    def birth_after(self) -> re.Pattern[str]:
        """What makes the date before it a birth."""
        return re.compile(self.words.birth_after)

    @cached_property
    def preposition(self) -> re.Pattern[str]:
        """The preposition of a date, which changes with what is written in its place."""
        return re.compile(rf"(?<!\w)(?:{self.words.prepositions})\s$")

    @cached_property
    def months(self) -> dict[str, int]:
        """The months by their names and abbreviations."""
        return {w: i + 1 for i, words in enumerate(self.words.months) for w in words.split()}

    @cached_property
    def common(self) -> frozenset[str]:
        """Words by which the language is recognised."""
        return frozenset(self.words.common.split())


def _words(listed: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){one_of(listed.split())}(?!\w)")


@lru_cache(maxsize=len(LANGUAGES))
def language(code: str) -> Language:
    """Return a language by its code."""
    words: LanguageWords = import_module(f"{__package__}.{_MODULES[code]}").VOCABULARY
    return Language(words)


_WORD = re.compile(r"[^\W\d_]+")


def detect_languages(folded: str, among: tuple[str, ...] = LANGUAGES) -> list[Language]:
    """Return the languages that a text may be in, the likeliest first: those with half of the best one's words.

    >>> [found.code for found in detect_languages("the patient was seen in the clinic with her son")]
    ['en']
    """
    if len(among) == 1:
        return [language(among[0])]
    words = _WORD.findall(folded)
    score = {code: sum(w in language(code).common for w in words) for code in among}
    best = max(score.values())
    order = sorted(among, key=lambda code: -score[code])
    if best < _TOLD:
        return [language(code) for code in order]
    return [language(code) for code in order if 2 * score[code] >= best]
