"""Features factored by word type: each distinct word is analysed once, tokens only point to it."""

from .data import PlaceFeature, TokenData
from .words import BEGIN, END, REDACTED, RESERVED, WordKnowledge, WordTable, lower_keys

__all__ = [
    "BEGIN",
    "END",
    "REDACTED",
    "RESERVED",
    "PlaceFeature",
    "TokenData",
    "WordKnowledge",
    "WordTable",
    "lower_keys",
]
