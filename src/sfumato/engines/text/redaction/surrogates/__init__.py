"""Realistic replacements for what is redacted, consistent by a secret key."""

from .dates import DateReading
from .keyed import KEY_VARIABLE, SecretKey, read_key
from .languages import language_of
from .replacement import Surrogates, kind_of_label

__all__ = [
    "KEY_VARIABLE",
    "DateReading",
    "SecretKey",
    "Surrogates",
    "kind_of_label",
    "language_of",
    "read_key",
]
