"""Realistic replacements for what is redacted, consistent by a secret key."""

from .keyed import KEY_VARIABLE, SecretKey, read_key
from .replacement import Surrogates, kind_of_label

__all__ = ["KEY_VARIABLE", "SecretKey", "Surrogates", "kind_of_label", "read_key"]
