"""Surrogates that keep a format: digits become digits, letters letters, everything else stays."""

from __future__ import annotations

import re
import unicodedata

from .keyed import SecretKey

__all__ = ["email", "scrambled", "web_address"]

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER = _UPPER.lower()
# Second-level names that the registries reserve for documentation (RFC 2606).
_RESERVED = {"com", "org", "net"}


def scrambled(key: SecretKey, scope: str, text: str) -> str:
    """Replace each digit by a digit and each letter by a letter of its case.

    >>> scrambled(SecretKey(b"0123456789abcdef"), "d1", "(615) 555-0123")
    '(312) 625-1694'
    """
    if not any(c.isalnum() for c in text):
        return ""
    normal = "".join(c for c in text.casefold() if c.isalnum())
    for attempt in range(8):
        pieces = []
        position = 0
        for character in text:
            if not character.isalnum():
                if unicodedata.category(character)[0] != "M":  # a mark belongs to its letter
                    pieces.append(character)
                continue
            parts = ("format", scope, normal, str(position), str(attempt))
            position += 1
            if character.isdigit():
                # A leading zero stays out: numbers keep their length when they are read as numbers.
                low = 0 if character == "0" or position > 1 else 1
                pieces.append(str(low + key.number(*parts, below=10 - low)))
            else:
                alphabet = _UPPER if character.isupper() else _LOWER
                pieces.append(key.choose(alphabet, *parts))
        result = "".join(pieces)
        if result != text:
            return result
    return ""


def email(key: SecretKey, scope: str, text: str) -> str:
    """Scramble the mailbox and put it on a domain reserved for documentation."""
    local, _, domain = text.partition("@")
    ending = domain.rsplit(".", 1)[-1].casefold()
    return f"{scrambled(key, scope, local)}@example.{ending if ending in _RESERVED else 'org'}"


def web_address(key: SecretKey, scope: str, text: str) -> str:
    """Keep the scheme, put the rest on a reserved domain and scramble the path."""
    match = re.match(r"(?i)((?:https?|ftp)://)?(www\.)?[^/\s?#]+(.*)", text, re.DOTALL)
    if match is None:
        return ""
    scheme, www, rest = (group or "" for group in match.groups())
    return f"{scheme}{www}example.org{scrambled(key, scope, rest) if rest.strip('/') else rest}"
