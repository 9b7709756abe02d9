"""Finds a record's own words and codes in its note, however they are written."""

from __future__ import annotations

import re
from functools import lru_cache

from .folding import fold
from .own import OwnWord

__all__ = ["find_word"]

_TRANSCRIBED = {"ä": "a(?:e)?", "ö": "o(?:e)?", "ü": "u(?:e)?", "ß": "(?:ß|ss)"}
_LONG = 6
_SPACE = r"[\s-]{0,2}"


@lru_cache(maxsize=4096)
def _pattern(value: str, *, is_code: bool) -> re.Pattern[str] | None:
    """Return the pattern of a value in folded text; None for one too short to look for."""
    if is_code:
        parts = [re.escape(c) for c in fold(value) if not c.isspace() and c != "-"]
        if len(parts) < 2:
            return None
        district = re.match(r"([a-z]{1,2}\d[a-z\d]?)\s\d[a-z]{2}$", fold(value))
        area = "" if district is None else rf"|\b{re.escape(district[1])}\b"
        spaced = _SPACE.join(parts)
        return re.compile(rf"(?<![\w.,]){spaced}(?![\d])(?![.,]\d){area}")
    folded = fold(value.strip())
    if len(folded) < 3:
        return None
    body = "".join(
        _TRANSCRIBED.get(raw.lower(), re.escape(c))
        for raw, c in zip(value.strip(), folded, strict=True)
    )
    stem = f"|{body[:-2]}er(?:in|n)?" if folded.endswith("en") and len(folded) > 5 else ""
    start = "" if len(folded) >= _LONG else r"(?<!\w)"
    return re.compile(rf"{start}(?:{body}(?:'s|s|n?er(?:in|n|s)?|in|innen|en|e)?{stem})(?!\w)")


def find_word(word: OwnWord, text: str, folded: str) -> list[tuple[int, int]]:
    """Return the spans of a record's own word in a text.

    A name is one only with its capital letter, unless the text has none: people from Bath take a bath.

    >>> text = "Lives in Köln, born in KOELN; a Kölnerin."
    >>> [text[a:b] for a, b in find_word(OwnWord("city", "Köln", "West"), text, fold(text))]
    ['Köln', 'KOELN', 'Kölnerin']
    """
    pattern = _pattern(word.value, is_code=word.is_code)
    if pattern is None:
        return []
    found = [m.span() for m in pattern.finditer(folded)]
    if not word.is_code and word.value[:1].isupper() and text != text.lower():
        found = [(a, b) for a, b in found if text[a].isupper() or not text[a - 1 : a].isspace()]
    return found
