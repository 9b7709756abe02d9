"""Words and phrases that a steward gives: a file with one per line, or a list."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["File", "GivenWords", "held_words", "words_of"]

File = str | os.PathLike[str]


@dataclass(frozen=True)
class GivenWords:
    """Words that Python code gave as a list; records do not repeat them."""

    words: tuple[str, ...]


def held_words(value: object) -> object:
    """Keep a file as it is; hold a list of words so that no record shows them."""
    if value is None or isinstance(value, str | os.PathLike | GivenWords):
        return value
    return GivenWords(tuple(value)) if isinstance(value, Iterable) else value


def words_of(given: object) -> list[str]:
    """Return the words of a file (one word or phrase per line) or of a list.

    Parameters
    ----------
    given : path, GivenWords or None
        A field of a request.

    """
    if given is None:
        return []
    if isinstance(given, GivenWords):
        return list(given.words)
    from ....core.errors import InputError
    from ....core.files import check_plain_file

    path = Path(str(given))
    check_plain_file(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError(
            f"The word list {path.name!r} cannot be read.",
            hint="one word or phrase per line, UTF-8.",
        ) from None
    return [line.strip() for line in lines if line.strip()]
