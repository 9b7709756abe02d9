"""Features factored by word type: each distinct word is analysed once, tokens only point to it."""

from .data import FeatureIndex, PlaceFeature, TokenData
from .words import BEGIN, END, REDACTED, RESERVED, WordKnowledge, WordTable, lower_keys

__all__ = [
    "BEGIN",
    "END",
    "REDACTED",
    "RESERVED",
    "FeatureIndex",
    "PlaceFeature",
    "TokenData",
    "WordKnowledge",
    "WordTable",
    "lower_keys",
]
