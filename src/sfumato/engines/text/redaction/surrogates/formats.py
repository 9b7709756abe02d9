"""Surrogates that keep a format: digits become digits, letters letters, everything else stays."""

from __future__ import annotations

import re

from .keyed import SecretKey

__all__ = ["email", "keeps_a_number", "scramble", "web_address"]

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER = _UPPER.lower()
# Second-level names that the registries reserve for documentation (RFC 2606).
_RESERVED = {"com", "org", "net"}
_RUN = re.compile(r"\d+|[^\W\d_]+")
_ATTEMPTS = 16


def scramble(key: SecretKey, scope: str, text: str) -> str:
    """Replace each digit by a digit and each letter by a letter of its case; no run of them stays.

    >>> made = scramble(SecretKey(b"0123456789abcdef"), "d1", "(615) 555-0123")
    >>> made[0], made[4:6], made[9], sum(c.isdigit() for c in made)
    ('(', ') ', '-', 10)
    """
    if not any(c.isalnum() for c in text):
        return ""
    normal = "".join(c for c in text.casefold() if c.isalnum())
    position = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal position
        run = match.group()
        for attempt in range(_ATTEMPTS):
            parts = ("format", scope, normal, str(position), str(attempt))
            made = "".join(_other(key, c, i, *parts) for i, c in enumerate(run))
            if made.casefold() != run.casefold():
                position += 1
                return made
        raise AssertionError("A run of characters could not be scrambled.")

    return _RUN.sub(replaced, text)


def _other(key: SecretKey, character: str, place: int, *parts: str) -> str:
    if character.isdigit() or character.isnumeric():
        # A leading zero stays out: numbers keep their length when they are read as numbers.
        low = 0 if character == "0" or place > 0 else 1
        return str(low + key.number(*parts, str(place), below=10 - low))
    alphabet = _UPPER if character.isupper() else _LOWER
    return key.choose(alphabet, *parts, str(place))


def keeps_a_number(made: str, text: str) -> bool:
    """Return whether a number of the text is in what was made of it.

    >>> keeps_a_number("Ann 47", "Bo 47"), keeps_a_number("Ann 4", "Bo 47")
    (True, False)
    """
    return bool(set(re.findall(r"\d+", made)) & set(re.findall(r"\d+", text)))


def email(key: SecretKey, scope: str, text: str) -> str:
    """Scramble the mailbox and put it on a domain reserved for documentation."""
    local, _, domain = text.partition("@")
    ending = domain.rsplit(".", 1)[-1].casefold()
    return f"{scramble(key, scope, local)}@example.{ending if ending in _RESERVED else 'org'}"


def web_address(key: SecretKey, scope: str, text: str) -> str:
    """Keep the scheme, put the rest on a reserved domain and scramble the path."""
    match = re.match(r"(?i)((?:https?|ftp)://)?(www\.)?[^/\s?#]+(.*)", text, re.DOTALL)
    if match is None:
        return ""
    scheme, www, rest = (group or "" for group in match.groups())
    return f"{scheme}{www}example.org{scramble(key, scope, rest) if rest.strip('/') else rest}"
