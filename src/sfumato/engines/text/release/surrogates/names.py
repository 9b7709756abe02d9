"""Surrogates for names and addresses: the same shape, the same culture and gender where known."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from .keyed import SecretKey
from .lists import NEUTRAL, PARTICLES, PLACES, STREET_WORDS, TITLES, cultures, lookup

__all__ = ["address", "like", "name", "place", "shares_a_name"]


@cache
def _word() -> re.Pattern[str]:
    """Match a word: letters with the marks that belong to them; an apostrophe joins two letters or more."""
    marks = "".join(
        map(chr, (c for c in range(0x300, 0x11FFF) if unicodedata.category(chr(c))[0] == "M"))
    )
    letter = f"[^\\W\\d_][{marks}\u200c\u200d\u00ad]*"
    return re.compile(f"(?:{letter})+(?:['’](?:{letter}){{2,}})?")


def _digits(key: SecretKey, scope: str, digits: str) -> str:
    """Replace a run of digits by another of its length."""
    value = "".join(
        str(key.number("number", scope, digits, str(i), below=9) + 1) for i in range(len(digits))
    )
    return value if value != digits else str((int(value[0]) % 9) + 1) + value[1:]


def like(word: str, model: str) -> str:
    """Give the word the case of the model.

    >>> like("Müller", "SMITH"), like("Müller", "smith"), like("Müller", "Smith")
    ('MÜLLER', 'müller', 'Müller')
    """
    if len(model) > 1 and model.isupper():
        return word.upper()
    if model.islower():
        return word.lower()
    return word


def _other(key: SecretKey, items: Sequence[str], word: str, *parts: str) -> str:
    """Choose one of the items that is not the word itself."""
    folded = word.casefold()
    start = key.number(*parts, folded, below=len(items))
    for step in range(len(items)):
        item = items[(start + step) % len(items)]
        if item.casefold() != folded:
            return item
    raise AssertionError("A list of surrogates holds one name only.")


def _initial(key: SecretKey, scope: str, letter: str) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    chosen = _other(key, letters, letter, "initial", scope)
    return chosen if letter.isupper() else chosen.lower()


def _known(text: str) -> str | None:
    """Give the culture to which most of the names belong that are listed."""
    votes: dict[str, int] = {}
    for match in _word().finditer(text):
        entry = lookup().get(match.group().casefold())
        if entry is not None:
            votes[entry[0]] = votes.get(entry[0], 0) + 1
    return max(sorted(votes), key=lambda c: votes[c]) if votes else None


def name(key: SecretKey, scope: str, text: str) -> str:
    """Replace each word of a name and each number; titles and particles stay, initials stay initials.

    A word has the same surrogate wherever it stands in its scope, so "Ann Lee" and "Ms Lee" agree.

    >>> secret = SecretKey(b"0123456789abcdef")
    >>> [name(secret, "d1", n) for n in ("Mrs. LAURA Smith", "Laura", "L. Smith", "J. de la Cruz")]
    ['Mrs. CHARLOTTE Marshall', 'Charlotte', 'N. Marshall', 'Q. de la Suárez']
    """

    def replaced(match: re.Match[str]) -> str:
        word = match.group()
        folded = word.casefold()
        if folded in TITLES and (match.start() == 0 or text[match.end() : match.end() + 1] == "."):
            return word
        if folded in PARTICLES and not word.istitle():
            return word
        if len(word) == 1:
            # "Ann's": the s of a possessive belongs to the sentence, not to the name.
            if word == "s" and text[match.start() - 1 : match.start()] in {"'", "’"}:
                return word
            return _initial(key, scope, word)
        entry = lookup().get(folded)
        if entry is None:
            return like(_other(key, NEUTRAL, word, "name", scope), word)
        culture, kind = entry
        return like(_other(key, getattr(cultures()[culture], kind), word, "name", scope), word)

    renamed = _word().sub(replaced, text)
    # What is made of words holds no digit, so those that stand there came with the text.
    return re.sub(r"\d+", lambda found: _digits(key, scope, found[0]), renamed)


def place(key: SecretKey, scope: str, text: str) -> str:
    """Replace the words of a place's name by an invented one, kept in case."""
    model = next((m.group() for m in _word().finditer(text)), text)
    return like(_other(key, PLACES, text, "place", scope), model)


def address(key: SecretKey, scope: str, text: str) -> str:
    """Replace names and numbers of an address; street types and directions stay.

    >>> address(SecretKey(b"0123456789abcdef"), "d1", "221B Baker Street")
    '716A Hartwell Street'
    """

    def replaced(match: re.Match[str]) -> str:
        piece = match.group()
        if piece.isdigit():
            return _digits(key, scope, piece)
        if piece.casefold() in STREET_WORDS:
            return piece
        if len(piece) == 1:
            return _initial(key, scope, piece)
        return like(_other(key, PLACES, piece, "place", scope), piece)

    return re.sub(rf"\d+|{_word().pattern}", replaced, text)


def shares_a_name(made: str, text: str) -> bool:
    """Return whether a word or number of the text stands in what was made of it, titles and the like aside.

    >>> shares_a_name("Mr Lee Ann", "Mr Ann Lee"), shares_a_name("Mr Bo", "Mr Ann")
    (True, False)
    """

    def words(given: str) -> set[str]:
        found = {m.group().casefold() for m in _word().finditer(given) if len(m.group()) > 1}
        found |= {run for run in re.findall(r"\d+", given) if len(run) > 1}
        return found - TITLES - PARTICLES - STREET_WORDS

    return bool(words(made) & words(text))
