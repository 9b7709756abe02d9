"""Given names and surnames by language, from the lists that Faker keeps; loaded when first used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module

from ....data.document import Span
from .rule import Rule

__all__ = ["NameRule", "given_names", "surnames"]

_LOCALES = {
    "de": ("de_DE", "de_AT", "de_CH"),
    "en": ("en_US", "en_GB", "en_IN"),
    "es": ("es_ES", "es_MX", "es_CO"),
    "fr": ("fr_FR", "fr_CA"),
    "it": ("it_IT",),
    "nl": ("nl_NL",),
    "pt": ("pt_PT", "pt_BR"),
}
# Words that are names now and then, and something else far more often.
_COMMON_TEXT = (
    "an april august beste black brown christian christmas day dean do van von de del der die drew "
    "elle else ever faith fort friend friendly glass good green guy he her hill hope in joy june king "
    "lane long love may mai major man mark marsh miss my north page park parks paz paris price "
    "rich rose rio royal santa see sin so south summer sun sur trinidad van west white will winter "
    "wood woods wolf young baby mason cook bishop carter cruz costa flores leon mar mercedes real "
    "rojo rubio saez sol sierra valle vega villa dias linda nova lima barros rocha viana virginia "
    "georgia carolina dakota austin jordan israel chad kenya china india asia america london "
    "florence sofia lourdes pilar rosario luz angeles nieves dolores consuelo remedios pi mayo "
    "blanco blanca casado segura sala salas bueno bravo gallego calle castro manchester lincoln "
    "washington houston dallas charlotte madison jackson franklin hamilton wellington doctor nurse"
)
_COMMON = frozenset(_COMMON_TEXT.split())


@cache
def _names_of(language: str, attribute: str) -> frozenset[str]:
    found: set[str] = set()
    for locale in _LOCALES.get(language, ()):
        try:
            provider = import_module(f"faker.providers.person.{locale}").Provider
        except ImportError:  # an older or trimmed version of the lists
            continue
        for entry in getattr(provider, attribute, ()):
            # Entries of several words (surnames in pairs) would match word by word.
            if len(entry) > 2 and " " not in entry and entry.casefold() not in _COMMON:
                found.add(entry)
    return frozenset(found)


def given_names(language: str) -> frozenset[str]:
    """Return the given names of a language."""
    return _names_of(language, "first_names")


def surnames(language: str) -> frozenset[str]:
    """Return the surnames of a language."""
    return _names_of(language, "last_names")


_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
# A name does not run over the end of a line.
_BETWEEN = re.compile(
    r"[^\S\r\n](?:[A-Z]\.[^\S\r\n]?)?(?:(?:van|von|der|den|de|del|la|da|dos|di)[^\S\r\n]){0,2}"
)


@dataclass(frozen=True)
class NameRule(Rule):
    """Capitalised words of the lists; a given name takes the capitalised words after it along.

    A word that the same document also writes in small letters is not taken for a name.
    """

    follow: bool = True

    @cached_property
    def _given(self) -> frozenset[str]:
        return frozenset().union(*(given_names(language) for language in self.languages))

    @cached_property
    def _family(self) -> frozenset[str]:
        return frozenset().union(*(surnames(language) for language in self.languages))

    def spans(self, text: str) -> Iterator[Span]:
        """Yield given names with what follows them, and surnames without one."""
        words = [(m.start(), m.end(), m.group()) for m in _WORD.finditer(text)]
        small = {word for _, _, word in words if word[0].islower()}
        i = 0
        while i < len(words):
            start, end, word = words[i]
            i += 1
            form = word.title() if word.isupper() and len(word) > 3 else word
            if not form[0].isupper() or word.casefold() in small:
                continue
            given, family = form in self._given, form in self._family
            if not (given or family):
                continue
            known = given + family
            while self.follow and i < len(words) and words[i][2][0].isupper():
                gap = text[end : words[i][0]]
                if not _BETWEEN.fullmatch(gap):
                    break
                after = words[i][2]
                after_form = after.title() if after.isupper() and len(after) > 3 else after
                listed = after_form in self._family or after_form in self._given
                if not (given or listed):
                    break
                known += 1 + listed
                end = words[i][1]
                i += 1
            yield Span(start, end, self.label, min(0.9, self.score + 0.15 * (known - 1)))
