"""Text without case and accents, of the same length, so that places in it are places in the text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["fold", "one_of"]


def _fold_character(character: str) -> str:
    low = character.lower()
    if len(low) != 1:
        return character
    return unicodedata.normalize("NFD", low)[0]


class _Folds(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_character(chr(code))
        return folded


_FOLDS = _Folds()


def fold(text: str) -> str:
    """Return a text in lower case and without accents, character by character.

    >>> fold("Köln, ÉTÉ, Straße")
    'koln, ete, straße'
    """
    return text.lower() if text.isascii() else text.translate(_FOLDS)


def one_of(words: Iterable[str]) -> str:
    """Return a pattern of any of some words, in which common beginnings are looked at once.

    >>> one_of(["forty", "forty-one", "four"])
    '(?:fo(?:rty(?:\\\\-one)?|ur))'
    """
    tree: dict[str, object] = {}
    for word in words:
        at = tree
        for character in word:
            at = at.setdefault(character, {})  # type: ignore[assignment]
        at[""] = {}
    return f"(?:{_pattern_of(tree)})"


def _pattern_of(tree: dict[str, object]) -> str:
    ways = []
    for first, rest in tree.items():
        if not first:
            continue
        branch: dict[str, object] = rest  # type: ignore[assignment]
        chain = first
        while len(branch) == 1 and "" not in branch:
            (following,) = branch
            chain += following
            branch = branch[following]  # type: ignore[assignment]
        inner = _pattern_of(branch) if set(branch) - {""} else ""
        if inner and "" in branch:
            inner = f"(?:{inner})?"
        elif "|" in inner:
            inner = f"(?:{inner})"
        ways.append(re.escape(chain) + inner)
    return "|".join(ways)
