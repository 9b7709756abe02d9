"""People of the clinic notes: names from lists and from syllables, and the forms notes write them in."""

# ruff: noqa: SIM905 (lists of words read best as words)
from __future__ import annotations

from dataclasses import dataclass

from ._dice import Dice
from ._names import FAMILY, FAMILY_WORDS, GIVEN, GIVEN_WORDS

__all__ = ["Person", "misspelt", "person"]

_STARTS = """Tav Bre Kor Mal Sel Dra Vin Hol Ros Gar Fen Lor Pel Win Ash Cor Nav Ost Jar Yel Zub Qua""".split()
_MIDDLES = ["", "", "e", "a", "o", "in", "er", "an", "is", "ol"]
_ENDS = """lin ton ford mar dez ski ovic sen ley wick ham berg eau ini ucci oglu yan ez ko nov da rey""".split()


@dataclass(frozen=True, slots=True)
class Person:
    """Someone that a note is about."""

    given: str
    family: str
    female: bool

    def full(self, dice: Dice) -> str:
        """Write the whole name in one of the ways of headers and signatures."""
        middle = dice.pick("ABCDEFGHJKLMNPRSTVW")
        way = dice.draw()
        if way < 0.55:
            return f"{self.given} {self.family}"
        if way < 0.7:
            return f"{self.family}, {self.given}"
        if way < 0.8:
            return f"{self.given} {middle}. {self.family}"
        if way < 0.87:
            return f"{self.family.upper()}, {self.given}"
        if way < 0.94:
            return f"{self.given[0]}. {self.family}"
        return f"{self.given} {self.family}".upper()

    def initials(self, dice: Dice) -> str:
        """Write initials as clinicians sign."""
        form = dice.pick(("{}{}", "{}.{}.", "{}. {}."))
        return form.format(self.given[0], self.family[0])


def person(dice: Dice) -> Person:
    """Make up someone; about a third of all names are also ordinary words."""
    if dice.chance(0.15):
        family = dice.pick(_STARTS) + dice.pick(_MIDDLES) + dice.pick(_ENDS)
    else:
        common = FAMILY_WORDS[: 12 if dice.chance(0.35) else None]
        family = dice.pick(common if dice.chance(0.25) else FAMILY)
    if dice.chance(0.12):
        given = (
            dice.pick(_STARTS) + dice.pick("aeiou") + dice.pick(("", "n", "l", "ra", "nia", "s"))
        )
    else:
        given = dice.pick(GIVEN_WORDS if dice.chance(0.2) else GIVEN)
    return Person(given, family, dice.chance(0.5))


def misspelt(word: str, dice: Dice) -> str:
    """Make one slip of the keyboard inside a word: swap, drop, double or replace a letter."""
    if len(word) < 4:
        return word
    at = dice.number(1, len(word) - 2)
    way = dice.number(0, 3)
    if way == 0:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if way == 1:
        return word[:at] + word[at + 1 :]
    if way == 2:
        return word[: at + 1] + word[at:]
    return word[:at] + dice.pick("aeiourtnsl") + word[at + 1 :]
