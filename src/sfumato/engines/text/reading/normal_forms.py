"""One form for all the ways in which a word can be written: for lists that must find it however it is.

Letters that look the same to Unicode's compatibility (NFD, full-width), upper and lower case (ß and SS),
apostrophes of every kind and characters that show nothing (soft hyphens, zero-width spaces, marks of
direction) make no difference; neither do hyphens and spaces between the words of an entry.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .tokens import Tokens

__all__ = ["bare_form", "has_apostrophe", "is_invisible", "links", "normal_form", "unseen_gaps"]

# Unicode's Default_Ignorable_Code_Point.
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
_APOSTROPHES = "'`\u00b4\u02b9-\u02bd\u2018-\u201b\u2032\u2035\ua78c\uff07"
_DROPPED = re.compile(f"[{_UNSEEN}{_APOSTROPHES}]+")
_INVISIBLE = re.compile(f"[{_UNSEEN}]+")
_APOSTROPHE = re.compile(f"[{_APOSTROPHES}{_UNSEEN}]*[{_APOSTROPHES}][{_APOSTROPHES}{_UNSEEN}]*")

_ACCENTS = re.compile("[\u0300-\u036f]+")  # those of Latin, Greek and Cyrillic letters
_BARE = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"})  # fmt: skip


def normal_form(word: str) -> str:
    r"""Return the form that all spellings of a word share.

    >>> normal_form("O’BRIEN") == normal_form("O'Brien"), normal_form("Straße") == normal_form("STRASSE")
    (True, True)
    >>> normal_form("Horva\u0301th") == normal_form("Ｈor\u00adváth")
    True
    """
    if word.isascii():
        return _DROPPED.sub("", word).lower()
    folded = unicodedata.normalize("NFKC", _DROPPED.sub("", word)).casefold()
    return _DROPPED.sub("", unicodedata.normalize("NFKC", folded))


def bare_form(word: str) -> str:
    """Return the form that all spellings of a word share, without accents.

    >>> bare_form("MÜLLER"), bare_form("Łukasiewicz"), bare_form("Sørensen"), bare_form("किशोर") == normal_form("किशोर")
    ('muller', 'lukasiewicz', 'sorensen', True)
    """
    form = normal_form(word)
    if form.isascii():
        return form
    return _ACCENTS.sub("", unicodedata.normalize("NFD", form)).translate(_BARE)


def is_invisible(text: str) -> bool:
    """Return whether a text shows nothing at all, not even a space."""
    return _INVISIBLE.fullmatch(text) is not None


def has_apostrophe(text: str) -> bool:
    """Return whether a token is an apostrophe, of whatever kind."""
    return _APOSTROPHE.fullmatch(text) is not None


def unseen_gaps(tokens: Tokens) -> npt.NDArray[np.int64]:
    """Return the tokens that are followed, in their document, by nothing but invisible characters."""
    if len(tokens) < 2:
        return np.zeros(0, np.int64)
    gap = tokens.start[1:] - tokens.end[:-1]
    # Every invisible character takes two bytes or more, and the first of them is not ASCII.
    wide = np.flatnonzero(gap >= 2)
    wide = wide[tokens.text[tokens.end[wide]] >= 0x80]
    last = np.zeros(len(tokens), np.bool_)
    last[tokens.doc[1:][np.diff(tokens.doc) > 0] - 1] = True
    text = tokens.text
    found = [
        i
        for i in wide[~last[wide]].tolist()
        if is_invisible(text[tokens.end[i] : tokens.start[i + 1]].tobytes().decode())
    ]
    return np.array(found, np.int64)


def links(tokens: Tokens, apostrophe: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return for each token whether it hangs together with the next one as parts of one word.

    They do when only invisible characters are between them, or nothing and one is an apostrophe.
    """
    joined = np.zeros(len(tokens), np.bool_)
    if len(tokens) > 1:
        touching = tokens.start[1:] == tokens.end[:-1]
        joined[:-1] = touching & (apostrophe[1:] | apostrophe[:-1])
        joined[tokens.doc[1:][np.diff(tokens.doc) > 0] - 1] = False
        joined[unseen_gaps(tokens)] = True
    return joined
