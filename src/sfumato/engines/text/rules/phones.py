"""Telephone numbers of a language's countries, recognised by their numbering plans (phonenumbers)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ....data.document import Span
from .rule import Rule

__all__ = ["PhoneRule"]

_REGIONS = {
    "de": ("DE", "AT", "CH"),
    "en": ("US", "GB", "IN"),
    "es": ("ES", "MX"),
    "fr": ("FR", "CA"),
    "it": ("IT",),
    "nl": ("NL",),
    "pt": ("PT", "BR"),
}
# The matcher is slow; a number has seven digits with little between them.
_WORTH_A_LOOK = re.compile(r"\+?[(\d](?:[\s()./-]{0,3}\d){6,16}")
_COST = 200  # matches of a pattern that take as long as one look of the matcher
_DATE_OR_DECIMAL = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}.*|\d+\.\d+"
)


@dataclass(frozen=True)
class PhoneRule(Rule):
    """Valid numbers of the languages' countries, and international ones anywhere."""

    def spans(self, text: str) -> Iterator[Span]:
        """Yield each number that is valid in one of the countries."""
        looks = list(_WORTH_A_LOOK.finditer(text))
        if not looks:
            return
        self.check_matches(_COST * len(looks))
        from phonenumbers import Leniency, PhoneNumberMatcher

        regions = sorted({r for language in self.languages for r in _REGIONS.get(language, ())})
        done: set[tuple[int, int]] = set()
        for look in looks:
            # A little to the left, so that a "+" or "(" before the digits is seen.
            first = max(0, look.start() - 6)
            part = text[first : look.end() + 12]
            for region in regions or ["ZZ"]:
                for match in PhoneNumberMatcher(part, region, Leniency.VALID):
                    place = (first + match.start, first + match.end)
                    if place in done or _DATE_OR_DECIMAL.fullmatch(match.raw_string):
                        continue
                    done.add(place)
                    bare = match.raw_string.isdecimal()  # any long number may be valid somewhere
                    yield Span(*place, self.label, self.score - (0.35 if bare else 0.0))
