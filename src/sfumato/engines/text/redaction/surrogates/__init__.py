"""Realistic replacements for what is redacted, consistent by a secret key.

Each name loads its module when it is first used: publishing needs few of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....._lazy import lazy_names

if TYPE_CHECKING:
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

_HOME = {
    "DateReading": "dates",
    "KEY_VARIABLE": "keyed",
    "SecretKey": "keyed",
    "Surrogates": "replacement",
    "kind_of_label": "replacement",
    "language_of": "languages",
    "read_key": "keyed",
}

__getattr__, __dir__ = lazy_names(__name__, _HOME)
