"""The language of the local page: what was chosen on it, else what the browser asks for first."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from urllib.parse import parse_qs

from markupsafe import Markup, escape

from ..core.errors import PlanError, SfumatoError
from ..presentation.language import LANGUAGES, retell, say, say_many

__all__ = [
    "LANGUAGE_COOKIE",
    "asked_language",
    "language_for",
    "say_markup",
    "script_messages",
    "tell_error",
]

LANGUAGE_COOKIE = "sfumato-language"
_SAID = re.compile(r'\bsay\(\s*"((?:[^"\\]|\\.)*)"')
_SAID_MANY = re.compile(r'\bsayMany\([^"]*?"((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)"')


def asked_language(query: bytes) -> str | None:
    """Return the language that an address asks for, where there is such a language.

    >>> asked_language(b"part=1&language=de"), asked_language(b"language=xx")
    ('de', None)
    """
    asked = parse_qs(query.decode("latin-1")).get("language", [""])[-1]
    return asked if asked in LANGUAGES else None


def language_for(query: bytes, cookies: str, accepted: str) -> str:
    """Return the language to answer in: the address's, the one chosen before, or the first that the browser names.

    Parameters
    ----------
    query : bytes
        The query of the address.
    cookies, accepted : str
        The headers `Cookie` and `Accept-Language`.

    Examples
    --------
    >>> language_for(b"", "", "it;q=0.9, de-CH, en;q=0.8")
    'de'
    >>> language_for(b"", "sfumato-language=en", "de")
    'en'

    """
    return asked_language(query) or _chosen_language(cookies) or _preferred_language(accepted)


def _chosen_language(cookies: str) -> str | None:
    given = (cookie.strip().partition("=") for cookie in cookies.split(";"))
    return next((v for name, _, v in given if name == LANGUAGE_COOKIE and v in LANGUAGES), None)


def _preferred_language(accepted: str) -> str:
    wished: list[tuple[float, str]] = []
    for entry in accepted.split(","):
        name, _, weight = entry.partition(";")
        found = re.fullmatch(r"\s*q=([01](?:\.\d{0,3})?)\s*", weight)
        language = name.strip().partition("-")[0].lower()
        if language in LANGUAGES and (found is not None or not weight):
            wished.append((float(found[1]) if found is not None else 1.0, language))
    best = max((weight for weight, _ in wished), default=0.0)
    return next((language for weight, language in wished if weight == best > 0), "en")


def say_markup(message: str, /, **values: object) -> Markup:
    """Return a message for a template: its own text and its values are escaped, values that are markup stay."""
    said = escape(say(message))
    return said.format(**values) if values else said


def tell_error(error: SfumatoError) -> str:
    """Return an error in the language of the page; one that the catalogue does not have stays English."""
    lines = [retell(error.message)]
    if isinstance(error, PlanError):
        lines += [f"  - {retell(mistake)}" for mistake in error.mistakes]
    if error.hint:
        lines.append(say("Hint: {hint}", hint=retell(error.hint)))
    return ("\n" if len(lines) > 2 else " ").join(lines)


@cache
def _script() -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return what the page's script says, and what it says by a number."""
    text = files("sfumato.web").joinpath("static", "page.js").read_text(encoding="utf-8")
    return tuple(dict.fromkeys(_SAID.findall(text))), tuple(dict.fromkeys(_SAID_MANY.findall(text)))


def script_messages() -> dict[str, str]:
    """Return every message of the page's script, by what it is in English, in the language of the page."""
    plain, counted = _script()
    found = {message: say(message) for message in plain}
    for one, many in counted:
        found |= {one: say_many(1, one, many), many: say_many(2, one, many)}
    return found
